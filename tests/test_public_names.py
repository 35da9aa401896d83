"""What is public: it loads, loads late, and is all that lessons, exercises and READMEs use."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = [
    "walkthrough",
    *(f"walkthrough.{room}" for room in ("paging", "reference", "document", "llm", "serving")),
    "walkthrough.exercises",
    "gpu",
]
# Two versions of one thing, in NumPy and in torch, which a reader is to lay side by side.
TWINS = {
    *("SendingCache", "QuantisedStorage", "RoundedRows"),
    *("BatchCache", "PagedCache", "PagedStorage", "log_sum_exp", "move_blocks", "rotate"),
    *("copy_bandwidth", "matmul_rate"),
}
# What every module of its kind has.
CONVENTIONS = {"WORDS", "main", "add_arguments"}


def source(room: str) -> ast.Module:
    path = ROOT / room.replace(".", "/") / "__init__.py"
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("room", ROOMS)
def test_type_checkers_see_the_names_that_there_are(room: str) -> None:
    seen = {
        alias.asname
        for node in ast.walk(source(room))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname
    }
    assert seen == set(importlib.import_module(room).__all__)


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_name_loads(room: str) -> None:
    if room == "gpu":
        pytest.importorskip("torch")
    if room == "walkthrough.llm":
        pytest.importorskip("gguf")
    package = importlib.import_module(room)
    for name in package.__all__:
        if name == "BlockCache" and find_spec("transformers") is None:
            continue
        assert getattr(package, name) is not None
    assert set(package.__all__) <= set(dir(package))
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = package.no_such_name


def test_importing_the_rooms_imports_nothing_else() -> None:
    code = f"import sys, {', '.join(ROOMS)}; print(sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = set(ast.literal_eval(done.stdout))
    assert not loaded & {"numpy", "torch", "rich", "markdown_it", "textual", "gguf", "argparse"}
    assert {name for name in loaded if name.startswith("walkthrough.")} == {
        *(room for room in ROOMS if room.startswith("walkthrough.")),
        "walkthrough.lazy",
    }


PAPERS = sorted(
    [
        *(ROOT / "lessons").glob("??/*.md"),
        *(ROOT / "lessons").glob("exercises/*/*.py"),
        *(ROOT / "lessons").glob("*.md"),
        *ROOT.glob("README*.md"),
    ]
)


@pytest.mark.parametrize("path", PAPERS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_lessons_exercises_and_readmes_use_public_names_alone(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":  # the examples, and blocks of Python without prompts
        lines = re.findall(r"^(?:>>> |\.\.\. )?\s*((?:from|import) [\w., ]+)$", text, re.MULTILINE)
        text = "\n".join(line for line in lines if re.match(r"from \S+ import |import \S+$", line))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            named = {alias.name: [] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            named = {node.module: [alias.name for alias in node.names]}
        else:
            continue
        for module, names in named.items():
            if module.split(".")[0] in ("walkthrough", "gpu"):
                assert module in ROOMS, f"{module} is not public"
                assert set(names) <= set(importlib.import_module(module).__all__), names


def test_one_name_means_one_thing() -> None:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted([*(ROOT / "walkthrough").rglob("*.py"), *(ROOT / "gpu").rglob("*.py")]):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            targets: list[str] = []
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                targets = [node.name]
            elif isinstance(node, ast.Assign):
                targets = [t.id for t in node.targets if isinstance(t, ast.Name)]
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                targets = [node.target.id]
            for name in targets:
                if not name.startswith("_"):
                    places[name].append(path.relative_to(ROOT).as_posix())
    twice = {name: where for name, where in places.items() if len(where) > 1}
    assert not {n: w for n, w in twice.items() if n not in TWINS | CONVENTIONS}
    assert twice.keys() >= TWINS, "a twin that is none any more"
