"""The doctests of an exercise, with numbers compared within a tolerance.

They are those of the exercise's own file: a learner may change his copy as he likes. An example
is a statement, or an expression with its value, or one with the error that it raises.
"""

from __future__ import annotations

import ast
import doctest
import re
import sys
from types import ModuleType
from typing import Any

from walkthrough.exercises.checking.compare import MismatchError, brief, same
from walkthrough.exercises.find import definitions

RELATIVE, ABSOLUTE = 1e-4, 6e-5  # what they print is rounded to four decimals


def run_doctests(stub: str, mine: ModuleType) -> None:
    """Run the doctests of a stub's docstrings on a learner's names.

    What the stub imports is there for them, too, whatever the learner imports. Raises
    MismatchError at the first that fails.
    """
    parser = doctest.DocTestParser()
    found = definitions(stub)
    names = _imported(stub) | {name: getattr(mine, name) for name in found if "." not in name}
    for node in found.values():
        assert isinstance(node, ast.FunctionDef | ast.ClassDef)
        scope = dict(names)
        for example in parser.get_examples(ast.get_docstring(node) or ""):
            _run(example, scope)


def _imported(stub: str) -> dict[str, Any]:
    scope: dict[str, Any] = {}
    body = [node for node in ast.parse(stub).body if isinstance(node, ast.Import | ast.ImportFrom)]
    exec(compile(ast.Module([*body], []), "<stub>", "exec"), scope)
    return scope


def _run(example: doctest.Example, scope: dict[str, Any]) -> None:
    source, want = example.source.strip(), example.want.strip()
    values: list[Any] = []
    display, sys.displayhook = sys.displayhook, values.append
    try:
        exec(compile(example.source, "<doctest>", "single"), scope)
    except Exception as error:
        if example.exc_msg and type(error).__name__ == example.exc_msg.split(":")[0].strip():
            return
        raise
    finally:
        sys.displayhook = display
    value = values[-1] if values else None
    if example.exc_msg:
        expected = example.exc_msg.split(":")[0].strip()
        raise MismatchError("raises", place=source, expected=expected, got=brief(value))
    if want:
        same(source, value, literal(want), relative=RELATIVE, absolute=ABSOLUTE)


def literal(want: str) -> Any:
    """The value that a doctest prints: a literal, which may be an array and hold inf."""
    plain = re.sub(r"\barray\(", "(", want)
    return ast.literal_eval(re.sub(r"\binf\b", "1e999", plain))
