"""Rules that the tests keep: what they share stands apart, and the core's insides are its own."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
FILES = sorted(TESTS.rglob("test_*.py"))
# Where blocks are handed out, stored and read: the core, and what tests it by its effects.
CORE = ("paging", "reference", "serving", "gpu")

PRIVATE = {
    # Inside one of gpu's files; nothing public tells a container's limit, or one job of bench.
    ("gpu/test_gpu_storage.py", "memory._left_in_group"),
    ("gpu/test_gpu_bench.py", "bench._jobs"),
    ("gpu/test_gpu_bench.py", "bench._inputs"),
    # Torch's own, and a batch that forgets where its rows lie: faults put in on purpose.
    ("gpu/test_pretend_device.py", "torch.overrides._get_current_function_mode_stack"),
    ("gpu/test_pretend_device.py", "_rows"),
}


def place(path: Path) -> str:
    return path.relative_to(TESTS).as_posix()


def modules(path: Path) -> set[str]:
    """The modules that a file imports, at its top or in a function."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
            found |= {f"{node.module}.{x.name}" for x in node.names if x.name.startswith("test_")}
    return found


def private_names(path: Path) -> set[str]:
    """Attributes with an underscore that are not a class's own, and imports of such names."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            if not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")):
                found.add(ast.unparse(node))
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{x.name}" for x in node.names if is_private(x.name)}
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("attr"):
            names = [x.value for x in node.args if isinstance(x, ast.Constant)]
            found |= {x for x in names if isinstance(x, str) and is_private(x)}
    return found


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def test_no_test_file_imports_from_another() -> None:
    borrowed = {
        (place(path), name)
        for path in [*FILES, *(TESTS / "helpers").glob("*.py")]
        for name in modules(path)
        if any(part.startswith("test_") for part in name.split("."))
    }
    assert not borrowed


def test_the_insides_of_the_core_are_its_own() -> None:
    touched = {
        (place(path), name)
        for path in FILES
        if path.parent.name in CORE
        for name in private_names(path)
    }
    assert touched == PRIVATE


def test_names_of_files_are_unique() -> None:
    names = [path.name for path in FILES]
    assert sorted(set(names)) == sorted(names)


@pytest.mark.parametrize("fault", ["from test_b import x", "import test_b", "from a import test_b"])
def test_an_import_from_a_test_file_is_noticed(fault: str, tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(f"def f():\n    {fault}\n", encoding="utf-8")
    assert any("test_b" in name for name in modules(tmp_path / "test_a.py"))


@pytest.mark.parametrize("fault", ["pool._free", "getattr(pool, '_free')", "from a import _free"])
def test_a_private_name_is_noticed(fault: str, tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(f"self._own\n{fault}\n", encoding="utf-8")
    (found,) = private_names(tmp_path / "test_a.py")
    assert found.endswith("_free")
