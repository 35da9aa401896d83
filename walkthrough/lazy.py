"""A package's public names, each loaded when it is first used (PEP 562).

So a command that needs one name of a package does not import what the others stand on. A package
writes its names once, as imports under `TYPE_CHECKING`: type checkers and editors read them
there, and so does this.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from pathlib import Path

IMPORT = re.compile(r"^    from (\S+) import (\w+) as \2$", re.MULTILINE)


def lazy_names(
    package: str, file: str
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package, from its `__init__` file.

    A module that it imports is public as a whole.
    """
    module_of = {name: module for module, name in IMPORT.findall(Path(file).read_text("utf-8"))}
    public = sorted(module_of)

    def load(name: str) -> object:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = module_of[name]
        home = importlib.import_module(module)
        if module == package or not hasattr(home, name):
            return importlib.import_module(f"{module}.{name}")
        return getattr(home, name)

    return load, lambda: public, public
