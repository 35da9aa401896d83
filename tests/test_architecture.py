"""Arrows point down: who may import whom, read from the source."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "walkthrough"
ALLOWED = {
    "cli.py": {"commands", "console.py", "arguments.py", "classroom"},
    "commands": {
        "commands",
        "console.py",
        "arguments.py",
        "classroom",
        "serving",
        "reference",
        "paging",
    },
    "console.py": {"classroom"},
    "arguments.py": {"classroom"},
    "__main__.py": {"cli.py"},
    "classroom": {"classroom", "serving", "reference", "paging"},
    "serving": {"serving", "paging"},
    "reference": {"reference", "paging"},
    "paging": {"paging"},
}


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: p.stem)
def test_imports_point_down(path: Path) -> None:
    part = path.relative_to(PACKAGE).parts[0]
    for name in imported(path):
        assert name.split(".")[0] not in ("torch", "triton"), name
        if part in ("paging", "serving"):
            assert name.split(".")[0] != "numpy", name
        if name.startswith("walkthrough."):
            target = name.split(".")[1]
            target = target if (PACKAGE / target).is_dir() else f"{target}.py"
            assert target in ALLOWED.get(part, set()), f"{path} imports {name}"


@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        (["list"], ["numpy", "torch", "rich.markdown", "markdown_it"]),
        (["run", "5", "--plain"], ["torch", "jinja2", "nbformat", "IPython"]),
        (["exercise", "hint", "2"], ["numpy", "torch"]),
    ],
)
def test_commands_import_only_what_they_need(arguments: list[str], unwanted: list[str]) -> None:
    code = (
        "import sys, io\n"
        "from walkthrough.cli import main\n"
        "sys.stdout = io.StringIO()\n"
        f"status = main({arguments!r})\n"
        f"found = [name for name in {unwanted!r} if name in sys.modules]\n"
        "print(status, found, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stderr.strip() == "0 []"
