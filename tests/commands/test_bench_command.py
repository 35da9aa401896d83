"""`walkthrough bench`: every row is in the JSON."""

from __future__ import annotations

import json

import pytest
from helpers.cli import run_cli


@pytest.mark.slow
def test_json_from_the_command() -> None:
    small = ("--tokens", "32", "--runs", "1", "--geometry", "smollm2-135m")
    done = run_cli("bench", "--json", *small, "--backend", "gather")
    assert done.returncode == 0, done.stderr.decode()
    found = json.loads(done.stdout)
    assert found["geometry"] == "smollm2-135m"
    assert len(found["rows"]) == 6
