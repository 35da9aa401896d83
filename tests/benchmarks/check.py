"""How long a check takes to answer, beside the bare import of NumPy that it cannot do without.

    python tests/benchmarks/check.py [RUNS]

Wall time. "on save" is what a learner waits for while watching: from the save that is noticed to
the result. "command" is a whole `walkthrough exercise check NAME`. Both are taken in turn with
`python -c "import numpy"`, so that a drift of the machine meets all; medians of RUNS (default 15)
after one warm-up, all in one run. The real model, which the last exercise runs where its file
has been fetched, is left out: reading it alone takes more. Prints a table and exits with 1 where a
check takes more than 0.5 s over NumPy. Run it with the Python of an environment that the project is
installed in.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from walkthrough.exercises.checking.process import run_check
from walkthrough.exercises.find import choose_exercise, find_exercises
from walkthrough.exercises.folder import Folder

OVER = 0.5  # seconds


def seconds(action: Callable[[], object]) -> float:
    """Wall time of an action."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def python(*arguments: str) -> None:
    """One Python process with these arguments, its output thrown away."""
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)


def main() -> int:
    """Measure the exercises that take longest and shortest to check, and print the table."""
    os.environ["WALKTHROUGH_CACHE"] = os.devnull  # no model file is there
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    exercises = find_exercises("en")
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} CPUs, medians of {runs} runs, ms\n")
    print(
        f"{'exercise':<18}{'import numpy':>14}{'on save':>10}{'over':>8}{'command':>10}{'over':>8}"
    )
    within = True
    with tempfile.TemporaryDirectory() as temporary:
        folder = Folder(Path(temporary))
        folder.init(exercises, "en")
        for name in ("softmax_row", "decode_step", "paged_cache"):
            exercise = choose_exercise(exercises, name)
            file = folder.file(exercise)
            file.write_bytes(exercise.solution.read_bytes())
            command = ("-m", "walkthrough", "exercise", "check", name, "--folder", temporary)
            actions = (
                lambda: python("-c", "import numpy"),
                lambda: run_check(exercise, file),  # noqa: B023 (called here)
                lambda: python(*command),  # noqa: B023
            )
            times = [[seconds(action) for action in actions] for _ in range(runs + 1)][1:]
            bare, on_save, whole = (median(column) for column in zip(*times, strict=True))
            within &= max(on_save, whole) - bare <= OVER
            print(f"{name:<18}{bare * 1000:>14.0f}{on_save * 1000:>10.0f}"
                  f"{(on_save - bare) * 1000:>8.0f}{whole * 1000:>10.0f}"
                  f"{(whole - bare) * 1000:>8.0f}")  # fmt: skip
    print(f"\ntarget: not more than {OVER * 1000:.0f} over")
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
