"""The doctests of an exercise, with numbers compared within a tolerance.

They are those of the exercise's own file: a learner may change his copy as he likes. An example
is a statement, or an expression with its value, or one with the error that it raises.
"""

from __future__ import annotations

import ast
import doctest
import re
import sys
from typing import Any

from walkthrough.exercises.checking.compare import (
    MismatchError,
    Refusal,
    as_many_results,
    brief,
    not_instead,
    refusal_of,
    same,
    unchanged,
)
from walkthrough.exercises.find import definitions

RELATIVE, ABSOLUTE = 1e-4, 6e-5  # what they print is rounded to four decimals


def run_doctests(stub: str, mine: object, of_classes: bool) -> None:
    """Run the doctests of a stub's functions, or of its classes, on a learner's names.

    What the stub imports is there for them, too, whatever the learner imports. Raises
    MismatchError at the first that fails.
    """
    parser = doctest.DocTestParser()
    found = definitions(stub)
    names = _imported(stub) | {name: getattr(mine, name) for name in found if "." not in name}
    for name, node in found.items():
        if of_classes != (isinstance(node, ast.ClassDef) or "." in name):
            continue
        assert isinstance(node, ast.FunctionDef | ast.ClassDef)
        scope, before = dict(names), ""
        for example in parser.get_examples(ast.get_docstring(node) or ""):
            source = example.source.strip()
            looks = source.isidentifier()  # at what the call before has changed
            _run(example, scope, f"{before}: {source}" if looks and before else source)
            before = before if looks else source


def _imported(stub: str) -> dict[str, Any]:
    scope: dict[str, Any] = {}
    body = [node for node in ast.parse(stub).body if isinstance(node, ast.Import | ast.ImportFrom)]
    exec(compile(ast.Module([*body], []), "<stub>", "exec"), scope)
    return scope


def _run(example: doctest.Example, scope: dict[str, Any], place: str) -> None:
    want = example.want.strip()
    expected = (example.exc_msg or "").split(":")[0].strip()
    values: list[Any] = []
    display, sys.displayhook = sys.displayhook, values.append
    try:
        _execute(example.source, scope, place)
    except MismatchError:
        raise
    except Exception as error:
        if expected and type(error).__name__ == expected:
            unchanged(place, error)
            return
        if expected:
            not_instead(error, place, expected)
        elif not refusal_of(error).call:  # what was given back cannot be used as it is here
            error.__dict__["refusal"] = Refusal(place)
        raise
    finally:
        sys.displayhook = display
    value = values[-1] if values else None
    if expected:
        raise MismatchError("raises", place=place, expected=expected, got=brief(value))
    if want:
        same(place, value, literal(want), relative=RELATIVE, absolute=ABSOLUTE)


def _execute(source: str, scope: dict[str, Any], place: str) -> None:
    """Execute one statement; where several results get names, there have to be as many."""
    [statement] = ast.parse(source).body
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Tuple):
        names = [ast.unparse(target) for target in statement.targets[0].elts]
        results = eval(compile(ast.Expression(statement.value), "<doctest>", "eval"), scope)
        if results is None:
            raise MismatchError("nothing", place=place, expected=f"({', '.join(names)})")
        as_many_results(place, results, len(names), names)
        scope["_results"] = results
        statement.value = ast.copy_location(ast.Name("_results", ast.Load()), statement.value)
    exec(compile(ast.Interactive([statement]), "<doctest>", "single"), scope)


def literal(want: str) -> Any:
    """The value that a doctest prints: a literal, which may be an array and hold inf."""
    plain = re.sub(r"\barray\(", "(", want)
    return ast.literal_eval(re.sub(r"\binf\b", "1e999", plain))
