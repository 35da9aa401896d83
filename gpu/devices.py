"""What the learner has: a device, the dtypes that it knows, and Triton on it or interpreted."""

from __future__ import annotations

import os

import torch

DTYPES = {
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
}


class DeviceError(Exception):
    """The device that was asked for is not there; `kind` is the key of a sentence."""

    def __init__(self, kind: str, name: str) -> None:
        self.kind, self.name = kind, name
        super().__init__(f"{kind}: {name}")


def choose_device(name: str = "auto") -> torch.device:
    """The device of this name; `auto` is CUDA, else the CPU.

    On a CPU, Triton's kernels run in its interpreter.
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise DeviceError("unknown", name) from error
    if device.type == "cuda" and not torch.cuda.is_available():
        raise DeviceError("cuda", name)
    try:
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise DeviceError("absent", name) from error
    if device.type == "meta":
        raise DeviceError("absent", name)
    if device.type == "cpu":
        interpret_triton()
    return device


def interpret_triton() -> None:
    """Run Triton's kernels in its interpreter; in time only before Triton is imported."""
    os.environ.setdefault("TRITON_INTERPRET", "1")


def fitting_dtype(name: str, device: torch.device) -> str:
    """The dtype asked for, or float16 where the card has no bfloat16 (before Ampere)."""
    if name == "bfloat16" and device.type == "cuda":
        major, _ = torch.cuda.get_device_capability(device)
        if major < 8:
            return "float16"
    return name


def device_name(device: torch.device) -> str:
    """The card and its driver's CUDA, or the CPU and its threads; and torch's version."""
    if device.type == "cuda":
        what = torch.cuda.get_device_name(device)
        capability = ".".join(map(str, torch.cuda.get_device_capability(device)))
        return f"{what} ({capability}), CUDA {torch.version.cuda}, torch {torch.__version__}"
    threads = torch.get_num_threads()
    return f"{device.type}, {threads} threads, torch {torch.__version__}"
