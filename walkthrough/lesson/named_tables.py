"""The matrices that a lesson has shown so far, by role, and what its code calls them.

A lesson's titles are formulas, which say what a matrix is: "S = q·Kᵀ", "K cache".
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import replace

from walkthrough.display.table import Table
from walkthrough.display.working import Working, with_transposed

NamedTables = Mapping[str, Table]

# A role, and what the titles of its tables begin with.
ROLES = {
    "W_Q": r"W_Q\b",
    "W_K": r"W_K\b",
    "W_V": r"W_V\b",
    "X": r"[Xx](?= = |,|$)",
    "Q": r"[Qq](?= = |,|$)",
    "K": r"[Kk](?= = |,|$| cache)",
    "V": r"[Vv](?= = |,|$| cache)",
    "S": r"S(?= = |$)",
    "masked": r"S / √d_k \+ mask$",
    "scaled": r"S / √d_k$",
    "mask": r"mask$",
    "E": r"E(?= = |$)",
    "sum": r"sum(?= of each row of E$|$)",
    "P": r"P(?= = |$)",
    "O": r"O(?= = |$)",
}


def role(title: str) -> str:
    """The role of a matrix by its title; "" for one that has none."""
    found = (name for name, pattern in ROLES.items() if re.match(pattern, title))
    return next(found, "")


def with_table(named: NamedTables, table: Table) -> NamedTables:
    """The named tables after one was shown: it takes the place of an older one of its role."""
    name = role(table.title)
    numeric = all(not isinstance(cell, str) for row in table.cells for cell in row)
    return {**named, name: table} if name and numeric and table.cells else named


def factor_names(source: str) -> dict[str, list[tuple[str, bool]]]:
    """What `spell(q, K.T, "S", …)` in a statement multiplies: {"S": [("q", False), ("K", True)]}.

    True says that it is the transposed matrix. A product whose name is computed is left out.
    """
    names: dict[str, list[tuple[str, bool]]] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "spell" and len(node.args) > 2:
            *factors, name = node.args[:3]
            if isinstance(name, ast.Constant):
                names[str(name.value)] = [_named(factor) for factor in factors]
    return names


def _named(factor: ast.expr) -> tuple[str, bool]:
    """The name of a factor, "" for one that has none, and whether it is transposed."""
    if isinstance(factor, ast.Attribute) and factor.attr == "T":
        return _named(factor.value)[0], True
    if isinstance(factor, ast.Attribute):
        return factor.attr, False
    if isinstance(factor, ast.Subscript):
        name, _ = _named(factor.value)
        head = factor.slice
        if isinstance(head, ast.Constant) and isinstance(head.value, int) and name[:2] == "W_":
            return f"{name}, head {head.value + 1}", False
        return name, False
    return factor.id if isinstance(factor, ast.Name) else "", False


def with_factor_names(working: Working, source: str) -> Working:
    """A working whose factors have the names that the lesson's code gives them."""
    factors = factor_names(source).get(working.tables[-1].title, [])
    for which, (title, is_transposed) in enumerate(factors):
        if is_transposed:
            working = with_transposed(working, which, title)
        else:
            tables = list(working.tables)
            tables[which] = replace(tables[which], title=title)
            working = replace(working, tables=tuple(tables))
    return working
