"""How long the commands take to start, beside the bare imports that they cannot do without.

    python tests/benchmarks/startup.py [RUNS]

Whole processes, wall time, each command in turn with its yardstick so that a drift of the
machine meets both; medians of RUNS (default 21) after one warm-up, all in one run. Prints a
table and exits with 1 where a ratio is over its target. Run it with the Python of an environment
that the project is installed in by `pip install .`, which compiles its modules as it does its
dependencies', and from another folder.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from statistics import median

TARGET = 1.5
PAIRS = [
    (
        ["-m", "walkthrough", "list"],
        "import rich.console, rich.table",
    ),
    (
        ["-m", "walkthrough", "run", "5"],
        "import numpy, rich.console, rich.table, rich.markdown",
    ),
]


def seconds(arguments: list[str]) -> float:
    """Wall time of one Python process with these arguments, its output thrown away."""
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, *arguments],
        check=True,
        stdout=subprocess.DEVNULL,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
    )
    return time.perf_counter() - start


def main() -> int:
    """Measure every pair and print the ratios."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 21
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} CPUs, medians of {runs} runs\n")
    print(f"{'command':<22}{'ms':>7}   {'yardstick':<56}{'ms':>7}{'ratio':>8}{'target':>8}")
    within = True
    for command, yardstick in PAIRS:
        times: tuple[list[float], list[float]] = ([], [])
        for _ in range(runs + 1):
            times[0].append(seconds(command))
            times[1].append(seconds(["-c", yardstick]))
        ours, bare = (median(column[1:]) for column in times)  # the first run warms up
        ratio = ours / bare
        within &= ratio <= TARGET
        print(
            f"{' '.join(command[1:]):<22}{ours * 1000:>7.1f}   {yardstick:<56}"
            f"{bare * 1000:>7.1f}{ratio:>8.2f}{TARGET:>8.2f}"
        )
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
