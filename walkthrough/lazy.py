"""A package's public names, each loaded when it is first used (PEP 562).

So a command that needs one name of a package does not import what the others stand on.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence


def lazy_names(
    package: str, homes: Mapping[str, Sequence[str]], modules: Sequence[str] = ()
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package, from the names by module.

    `modules` are public themselves.
    """
    module_of = {name: module for module, names in homes.items() for name in names}

    def load(name: str) -> object:
        if name in modules:
            return importlib.import_module(f"{package}.{name}")
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{module_of[name]}"), name)

    public = sorted([*module_of, *modules])
    return load, lambda: public, public
