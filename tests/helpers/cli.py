"""The command line in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NO_MODEL = {"WALKTHROUGH_CACHE": "nowhere"}  # so that `run` stays quick


def run_cli(
    *args: str, env: dict[str, str] | None = None, cwd: Path = ROOT, **options: object
) -> subprocess.CompletedProcess[bytes]:
    """`walkthrough ARGS` in a process of its own, output captured as bytes.

    The real model is not found there; `env` may say where it is.
    """
    clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LC_ALL")}
    clean |= {"LANG": "en_US.UTF-8", "PYTHONIOENCODING": "utf-8"} | NO_MODEL
    clean |= env or {}
    return subprocess.run(  # type: ignore[call-overload]
        [sys.executable, "-m", "walkthrough", *args],
        capture_output=True,
        env=clean,
        cwd=cwd,
        timeout=60,
        check=False,
        **options,
    )


def assert_one_line(done: subprocess.CompletedProcess[bytes], status: int, *parts: str) -> None:
    error = done.stderr.decode()
    assert done.returncode == status, error
    assert len(error.strip().splitlines()) == 1, error
    assert "Traceback" not in error
    for part in parts:
        assert part in error
