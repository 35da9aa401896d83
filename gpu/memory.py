"""How much memory a device has left, so that a pool is refused before it is allocated."""

from __future__ import annotations

import os
from pathlib import Path

import torch


class NotEnoughMemoryError(Exception):
    """A device has less memory free than is needed; nothing was allocated."""

    def __init__(self, needed: int, free: int, device: torch.device) -> None:
        self.needed, self.free, self.device = needed, free, device
        super().__init__(f"{size(needed)} needed, {size(free)} free on {device}")


def size(count: int) -> str:
    """Bytes for people, in powers of two: 2 GiB, 512 KiB."""
    value, unit = float(count), "B"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if value < 1024 or unit == "TiB":
            break
        value /= 1024
    return f"{value:.2f}".rstrip("0").rstrip(".") + f" {unit}"


def free_bytes(device: torch.device) -> int | None:
    """Bytes that could be allocated on the device now; None where it does not say."""
    if device.type == "cuda":
        free, _ = torch.cuda.mem_get_info(device)
        held = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
        return int(free + held)  # what torch holds without using it is free for us, too
    if device.type != "cpu":
        return None
    known = [free for free in (_available(), _left_in_group()) if free is not None]
    return min(known, default=None)


def require(needed: int, device: torch.device) -> None:
    """Raise `NotEnoughMemoryError`, with both figures, where less than that is free."""
    free = free_bytes(device)
    if free is not None and needed > free:
        raise NotEnoughMemoryError(needed, free, device)


def _available() -> int | None:
    """What the system could give without swapping."""
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            name, _, amount = line.partition(":")
            if name == "MemAvailable":
                return int(amount.split()[0]) * 1024
    except OSError:
        pass  # not Linux
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _left_in_group(group: Path = Path("/sys/fs/cgroup")) -> int | None:
    """What a container's limit leaves (control groups, version 2)."""
    try:
        limit = (group / "memory.max").read_text(encoding="ascii").strip()
        used = (group / "memory.current").read_text(encoding="ascii").strip()
    except OSError:
        return None
    return None if limit == "max" else max(0, int(limit) - int(used))
