"""Arrows point down: who may import whom, read from the source."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "walkthrough"
ALLOWED = {
    "cli.py": {"commands", "console.py", "arguments.py", "classroom"},
    "commands": {
        *("commands", "console.py", "arguments.py", "torch_arguments.py"),
        *("classroom", "serving", "gpu", "reference", "paging"),
    },
    "console.py": {"classroom"},
    "arguments.py": {"classroom"},
    "torch_arguments.py": {"arguments.py", "gpu", "reference"},
    "__main__.py": {"cli.py"},
    "classroom": {"classroom", "serving", "reference", "paging"},
    "gpu": {"gpu", "reference", "paging"},
    "serving": {"serving", "paging"},
    "reference": {"reference", "paging"},
    "paging": {"paging"},
}
# Only where results are compared; a geometry is sizes alone; the torch llama is made of the NumPy
# one's weights. `python -m gpu.verify` is a command.
GPU_MAY_IMPORT = {
    "reference": {"compare.py", "sides.py", "verify.py", "bench.py", "cases.py", "llama.py"},
    "cli.py": {"verify.py"},
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


FILES = sorted([*PACKAGE.rglob("*.py"), *(ROOT / "gpu").rglob("*.py")])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_point_down(path: Path) -> None:
    part = path.relative_to(ROOT).parts[0]
    part = path.relative_to(PACKAGE).parts[0] if part == "walkthrough" else part
    for name in imported(path):
        root = name.split(".")[0]
        if part in ("paging", "serving"):
            assert root != "numpy", name
        if "presenter" not in path.parts:
            assert root != "textual", f"{path} imports {name}"
        if root in ("torch", "triton"):
            # Within `walkthrough`, for type checkers alone.
            assert part == "gpu" or path.name == "torch_arguments.py", name
        if root == "walkthrough":
            target = name.split(".")[1]
            target = target if (PACKAGE / target).is_dir() else f"{target}.py"
        elif root == "gpu":
            target = "gpu"
        else:
            continue
        allowed = target in ALLOWED.get(part, set())
        if part == "gpu" and target in GPU_MAY_IMPORT:
            allowed = path.name in GPU_MAY_IMPORT[target]
        assert allowed, f"{path} imports {name}"


@pytest.mark.parametrize(
    "path", [PACKAGE / "torch_arguments.py", *(PACKAGE / "commands").glob("*.py")], ids=str
)
def test_torch_is_imported_only_when_a_command_runs(path: Path) -> None:
    module = ast.parse(path.read_text(encoding="utf-8"))
    for node in module.body:  # not what stands in functions or under TYPE_CHECKING
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module]
            assert not [name for name in names if str(name).split(".")[0] in ("torch", "gpu")]


@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        (["list"], ["numpy", "torch", "gpu", "textual", "rich.markdown", "markdown_it"]),
        (
            ["run", "5", "--plain"],
            ["torch", "gpu", "textual", "jinja2", "nbformat", "IPython", "gguf"],
        ),
        (["exercise", "hint", "2"], ["numpy", "torch", "textual"]),
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
