"""A recorded lesson as a Jupyter notebook, with the outputs that running it gives."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any

from walkthrough.display.notebook import bundle, picture_bundle
from walkthrough.display.screen import DEFAULT_PRECISION
from walkthrough.display.table import Table
from walkthrough.export.words import WORDS
from walkthrough.lesson.reading import Prose
from walkthrough.lesson.recording import (
    Lines,
    Pictured,
    RecordedStep,
    Shown,
    Statement,
    answer_step,
)


def notebook(
    steps: Sequence[RecordedStep],
    language: str,
    *,
    precision: int = DEFAULT_PRECISION,
    note: str = "",
    example: str = "",
) -> str:
    """The notebook's JSON. `example` is the TOML of a teacher's example, `note` says so."""
    from nbformat import v4, validate, writes

    words = WORDS[language]
    cells: list[Any] = []

    def add(cell: Any) -> None:
        cell["id"] = f"cell-{len(cells) + 1}"  # the same at each export
        cells.append(cell)

    answer = answer_step(steps)
    for number, step in enumerate(steps):
        for item in _cells(step):
            if isinstance(item, Statement):  # its names are needed, its code nobody has to see
                folded = {"jupyter": {"source_hidden": True, "outputs_hidden": True}}
                add(v4.new_code_cell(item.source.rstrip("\n"), metadata=folded))
                continue
            if isinstance(item, Prose):
                add(v4.new_markdown_cell(_without_maths(item.markdown)))
                if len(cells) == 1:
                    add(v4.new_markdown_cell("\n\n".join(filter(None, [words["notebook"], note]))))
                    if start := _start(precision, example, steps):
                        add(v4.new_code_cell(start))
                continue
            source = "".join(statement.source for statement in item).rstrip("\n")
            if item[-1].skipped:  # read and not run, also where all cells are run
                add(v4.new_markdown_cell(f"```python\n{source}\n```"))
                continue
            outputs = [_output(shown, precision) for shown in item[-1].shown]
            # An error that the lesson expects does not stop who runs all cells.
            own: dict[str, Any] = {"tags": ["raises-exception"]} if item[-1].raises else {}
            if number == answer:  # folded until it is opened
                own["jupyter"] = {"outputs_hidden": True}
            add(v4.new_code_cell(source, outputs=outputs, metadata=own))
    count = 0
    for cell in cells:
        if cell["cell_type"] == "code":
            cell["execution_count"] = count = count + 1
    metadata = {
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
        "language_info": {"name": "python"},
    }
    made = v4.new_notebook(cells=cells, metadata=metadata)
    validate(made)
    return str(writes(made)) + "\n"


def _without_maths(markdown: str) -> str:
    """Two dollar signs in prose are no formula, as they are none in a lesson; code stays code."""
    parts = re.split(r"(^```.*?^```|^~~~.*?^~~~|(?<!`)(`+)(?!`).+?(?<!`)\2(?!`))", markdown,
                     flags=re.DOTALL | re.MULTILINE)  # fmt: skip
    # Of three parts, the prose, the code, and the code's backticks.
    prose = [re.sub(r"(?<!\\)\$", r"\\$", text) for text in parts[::3]]
    code = [*parts[1::3], ""]
    return "".join(itertools.chain.from_iterable(zip(prose, code, strict=True)))


def _cells(step: RecordedStep) -> Iterator[Prose | Statement | list[Statement]]:
    """Prose, hidden statements, and others up to one that shows something, right above it."""
    statements: list[Statement] = []
    for place, item in enumerate([*step.items, None]):
        hidden = [statement for before, statement in step.hidden if before == place]
        ends = item is None or isinstance(item, Prose) or item.skipped
        if statements and (ends or hidden):
            yield statements
            statements = []
        yield from hidden
        if isinstance(item, Prose):
            yield item
        elif item is not None:
            statements.append(item)
            if item.shown:
                yield statements
                statements = []


def _start(precision: int, example: str, steps: Sequence[RecordedStep]) -> str:
    """The first cell's code, where anything is other than usual."""
    lines = []
    statements = [item for step in steps for item in step.items if isinstance(item, Statement)]
    if any(_shows_twice(statement.source) for statement in statements):
        # `a; b` shows both in a lesson, and the last alone in a notebook that is not told so.
        lines += ["get_ipython().ast_node_interactivity = 'all'"]
    if precision != DEFAULT_PRECISION:
        lines += ["from walkthrough.display import notebook", f"notebook.precision = {precision}"]
    if example:
        lines += [
            "from walkthrough.document import current_example",
            f"current_example.use({_literal(example)})",
        ]
    return "\n".join(lines)


def _shows_twice(source: str) -> bool:
    try:
        nodes = ast.parse(source).body
    except SyntaxError:  # of a statement that is not run
        return False
    return any(isinstance(node, ast.Expr) for node in nodes[:-1])


def lost_in_loops(steps: Sequence[RecordedStep]) -> list[int]:
    """Lines of statements whose inner expressions a terminal shows, and a notebook does not.

    In a loop or under a condition, `x` alone is printed by Python's prompt, as doctest expects;
    a notebook's cell drops it. (What a call returns there is not known before it is run.)
    """
    statements = [item for step in steps for item in step.items if isinstance(item, Statement)]
    return [item.line for item in statements if not item.skipped and _has_inner(item.source)]


def _has_inner(source: str) -> bool:
    inner = (
        node
        for outer in ast.parse(source).body
        if isinstance(outer, ast.For | ast.While | ast.If | ast.With | ast.Try)
        for node in ast.walk(outer)
    )
    quiet = ast.Call | ast.Constant | ast.Await | ast.Yield | ast.YieldFrom
    return any(isinstance(n, ast.Expr) and not isinstance(n.value, quiet) for n in inner)


def _literal(text: str) -> str:
    """The text as a Python literal, readable where that is possible."""
    if '"""' in text or "\\" in text or text.endswith('"'):
        return repr(text)
    return f'"""{text}"""'


def _output(shown: Shown, precision: int) -> Any:
    from nbformat import v4

    if isinstance(shown, Table):
        return v4.new_output("display_data", data=bundle(shown, precision))
    if isinstance(shown, Pictured):
        return v4.new_output("display_data", data=picture_bundle(shown.picture, precision))
    text = f"{shown.text}\n" if isinstance(shown, Lines) else shown
    return v4.new_output("stream", name="stdout", text=text)
