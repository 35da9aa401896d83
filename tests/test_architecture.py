"""Arrows point down: who may import whom, how large a room is, what is public."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "walkthrough"

# A room, and the rooms that it may import from; each may import from those that these may.
ARROWS = {
    "paging": set(),
    "reference": {"paging"},
    "display": {"reference"},
    "document": {"display"},
    "llm": {"display"},
    "lesson": {"document", "llm"},
    "exercises": {"lesson"},
    "course": {"exercises"},
    "presenter": {"course"},
    "export": {"course"},
    "serving": {"display", "paging"},
    "gpu": {"reference", "paging"},
    "commands": {"presenter", "export", "serving", "gpu"},
}
EVERYWHERE = {"files.py", "installation.py", "lazy.py"}  # they import nothing of the project
# Beside its own arrows: the torch llama is made of the NumPy one's weights.
EXCEPTIONS = {("gpu/llama.py", "llm"), ("gpu/disaggregate/model.py", "llm")}


def below(room: str) -> set[str]:
    """All rooms that a room may import from, itself among them."""
    found = {room}
    for other in ARROWS[room]:
        found |= below(other)
    return found


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def room_of(name: str) -> str:
    """The room of a module's name: `walkthrough.paging.events` is in `paging`."""
    parts = name.split(".")
    if parts[0] == "gpu":
        return "gpu"
    return parts[1] if (PACKAGE / parts[1]).is_dir() else f"{parts[1]}.py"


FILES = sorted([*PACKAGE.rglob("*.py"), *(ROOT / "gpu").rglob("*.py")])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_point_down(path: Path) -> None:
    place = path.relative_to(ROOT).as_posix()
    room = "gpu" if place.startswith("gpu/") else path.relative_to(PACKAGE).parts[0]
    own = imported(path)
    for name in own:
        root = name.split(".")[0]
        if room in ("paging", "serving"):
            assert root != "numpy", name
        if room != "presenter":
            assert root != "textual", f"{place} imports {name}"
        if root in ("torch", "triton"):
            # Within `walkthrough`, for type checkers alone.
            assert room == "gpu" or path.name == "torch_arguments.py", name
        if root not in ("walkthrough", "gpu"):
            continue
        target = room_of(name)
        if room in EVERYWHERE:
            raise AssertionError(f"{place} imports {name}")
        if target in EVERYWHERE or (place, target) in EXCEPTIONS:
            continue
        if room == "__init__.py":  # names that are loaded when they are used
            assert target in {"display", "document", "llm"}, name
        elif room == "__main__.py":
            assert target == "commands", name
        else:
            assert target in below(room), f"{place} imports {name}"


# What a room's tests import beyond what the room may: the reference holds what the paging does,
# the text's example is everybody's, bytes are counted of a real architecture as well, and the words
# for a wrong example are the commands'.
TESTS_ALSO = {
    "paging": {"reference", "document"},
    "reference": {"document", "llm"},
    "display": {"document"},
    "document": {"commands"},
    "gpu": {"document", "llm"},
}


@pytest.mark.parametrize("room", ARROWS)
def test_a_rooms_tests_need_the_rooms_below_it(room: str) -> None:
    files = sorted((ROOT / "tests" / room).glob("test_*.py"))
    assert files
    for path in files:
        for name in imported(path):
            if name.split(".")[0] == "gpu" or name.startswith("walkthrough."):
                target = room_of(name)
                known = below(room) | TESTS_ALSO.get(room, set())
                assert target in known or target.endswith(".py"), f"{path.name} imports {name}"
            assert room == "commands" or not name.startswith("helpers.cli"), path.name


@pytest.mark.parametrize("room", ARROWS)
def test_a_room_is_small_enough_to_know(room: str) -> None:
    folder = ROOT / "gpu" if room == "gpu" else PACKAGE / room
    inside = [path for path in folder.iterdir() if path.is_dir() and path.name != "__pycache__"]
    for part in [folder, *inside]:
        files = [path for path in part.iterdir() if path.is_file()]
        lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)
        assert len(files) <= 20, f"{part}: {len(files)} files"
        assert lines <= 2000, f"{part}: {lines} lines"


def test_every_room_has_its_arrows() -> None:
    rooms = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}
    assert rooms | {"gpu"} == ARROWS.keys()
    alone = {path.name for path in PACKAGE.glob("*.py")}
    assert alone == EVERYWHERE | {"__init__.py", "__main__.py"}


@pytest.mark.parametrize("path", [*(PACKAGE / "commands").glob("*.py")], ids=lambda path: path.name)
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
        "from walkthrough.commands.cli import main\n"
        "sys.stdout = io.StringIO()\n"
        f"status = main({arguments!r})\n"
        f"found = [name for name in {unwanted!r} if name in sys.modules]\n"
        "print(status, found, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stderr.strip() == "0 []"
