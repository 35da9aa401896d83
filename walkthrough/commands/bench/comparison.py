"""Another run of `bench --json`, of another card or another commit, beside the present one."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from walkthrough.commands.arguments import UsageError
from walkthrough.display.table import Table
from walkthrough.reasons import Reason

if TYPE_CHECKING:
    from gpu.bench import BenchOptions, BenchResult

LARGEST_RUN = 1_000_000  # bytes; a run of all backends has four thousand
COMMON_SIZES = ("geometry", "tokens", "batch", "dtype")  # what two runs must have in common


@dataclass(frozen=True)
class OtherRun:
    """What a file has: where it was run, of what sizes, and seconds by phase and backend."""

    device: str
    sizes: dict[str, object]
    seconds: dict[tuple[str, str], float]


def read_run(path: str, words: Mapping[str, str]) -> OtherRun:
    """Read what `bench --json` has written. Raises UsageError where it is not that."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(LARGEST_RUN + 1)
    except OSError as error:
        raise UsageError(words["unreadable"].format(path=path, reason=Reason(error))) from error
    try:
        if len(data) > LARGEST_RUN:
            raise ValueError
        found: Any = json.loads(data)
        sizes = {name: found[name] for name in COMMON_SIZES}
        seconds = {(row["phase"], row["backend"]): float(row["seconds"]) for row in found["rows"]}
        device = str(found["device"])
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise UsageError(words["foreign"].format(path=path)) from error
    if not seconds or not all(math.isfinite(value) and value > 0 for value in seconds.values()):
        raise UsageError(words["foreign"].format(path=path))
    return OtherRun(device, sizes, seconds)


def check_sizes(other: OtherRun, asked: BenchOptions, name: str, words: Mapping[str, str]) -> None:
    """Raise UsageError where the two runs are not of the same sizes."""
    here = dict(zip(COMMON_SIZES, (name, asked.tokens, asked.batch, asked.dtype), strict=True))
    for size in COMMON_SIZES:
        if other.sizes[size] != here[size]:
            there = str(other.sizes[size])[:60]
            raise UsageError(words["sizes differ"].format(size=size, here=here[size], there=there))


def tables(result: BenchResult, other: OtherRun, words: Mapping[str, str]) -> Iterator[Table]:
    """A table a phase: milliseconds here and there, and how many times as fast it is here."""
    for phase in ("decode", "prefill"):
        cells, names = [], []
        for row in result.rows:
            there = other.seconds.get((row.phase, row.backend))
            if row.phase != phase or there is None:
                continue
            names.append(row.backend)
            ms = f"{row.seconds * 1e3:.3f}", f"{there * 1e3:.3f}"
            cells.append([*ms, f"{there / row.seconds:.2f}"])
        if cells:
            columns = words["compare-columns"].split(",")
            yield Table(words[f"compare-{phase}"], cells, names, columns)
