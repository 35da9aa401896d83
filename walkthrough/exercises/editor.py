"""VS Code's tasks for a folder of exercises: a check, with each finding at its line."""

from __future__ import annotations

import json
import os
from pathlib import Path

from walkthrough.files import write_whole

# The first line of a finding, as `report` writes it.
PROBLEM = r"^(\S.*\.(?:py|ipynb)):(\d+): (.+)$"


def tasks_of(command: str) -> str:
    """The content of `.vscode/tasks.json`; `command` calls this program."""
    matcher = {
        "owner": "walkthrough",
        "fileLocation": ["relative", "${workspaceFolder}"],
        "pattern": {"regexp": PROBLEM, "file": 1, "line": 2, "message": 3},
    }
    common = {"type": "shell", "problemMatcher": matcher}
    tasks = [
        {
            "label": "walkthrough: check the open file",
            "command": f'{command} exercise check "${{fileBasename}}" --plain',
            "group": {"kind": "build", "isDefault": True},
            **common,
        },
        {
            "label": "walkthrough: check all",
            "command": f"{command} exercise check --all --plain",
            **common,
        },
    ]
    return json.dumps({"version": "2.0.0", "tasks": tasks}, indent=2) + "\n"


def write_tasks(folder: Path, command: str) -> tuple[Path, bool]:
    """The file of tasks, and whether it was written: one that is there stays as it is."""
    file = folder / ".vscode" / "tasks.json"
    if os.path.lexists(file):
        return file, False
    file.parent.mkdir(exist_ok=True)
    write_whole(file, tasks_of(command), new=True)
    return file, True
