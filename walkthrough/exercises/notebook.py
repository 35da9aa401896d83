"""An exercise as a Jupyter notebook: its text, a cell for the code, a cell that checks it.

The code in it is checked as a file's is, by the same process: `code_of` is what the file would be.
"""

from __future__ import annotations

import ast
import json
from typing import Any

from walkthrough.exercises.find import Exercise, definitions
from walkthrough.exercises.notebook_words import NOTEBOOK

CHECK = "walkthrough-check"  # tag of the cell that is no part of the code
LARGEST = 2**24  # bytes of a notebook, outputs and all


class NotebookError(ValueError):
    """A file that is not a notebook."""


def notebook_of(exercise: Exercise) -> str:
    """The notebook's JSON: the task, the stubs, the check, and the hints, folded."""
    words, source = NOTEBOOK[exercise.language], exercise.stub.read_text(encoding="utf-8-sig")
    task = ast.get_docstring(ast.parse(source)) or ""
    title, _, text = task.partition("\n")
    code = source.partition('"""')[2].partition('"""')[2].strip("\n")
    names = [name for name in definitions(source) if "." not in name]
    called = f'check({", ".join(names)}, exercise="{exercise.name}")'
    hints = [
        f"<details><summary>{words['hint'].format(number=number)}</summary>\n\n{hint}\n\n</details>"
        for number, hint in enumerate(exercise.hints, start=1)
    ]
    cells = [
        _cell("markdown", f"# {title}\n\n{text.strip()}\n\n{words['how']}"),
        _cell("code", code),
        _cell("code", f"from walkthrough.exercises import check\n\n{called}", tags=[CHECK]),
        _cell("markdown", "\n\n".join(hints)),
    ]
    for number, cell in enumerate(cells, start=1):
        cell["id"] = f"cell-{number}"  # the same each time
    made = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(made, ensure_ascii=False, indent=1) + "\n"


def _cell(kind: str, source: str, tags: list[str] | None = None) -> dict[str, Any]:
    lines = source.splitlines(keepends=True)
    cell: dict[str, Any] = {"cell_type": kind, "id": "", "metadata": {}, "source": lines}
    if tags:
        cell["metadata"]["tags"] = tags
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell


def code_of(text: str) -> str:
    """The code of a learner's notebook: all its cells of code but the one that checks.

    Raises NotebookError where the text is no notebook. A cell that is not Python alone (`%time`,
    `!ls`) is left as it is, and is a syntax error as in a file.
    """
    try:
        cells = json.loads(text)["cells"]
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        own = [cell for cell in code if CHECK not in cell.get("metadata", {}).get("tags", [])]
        sources = ["".join(cell["source"]) for cell in own]
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError) as error:
        raise NotebookError(str(error)) from error
    return "\n\n".join(sources) + "\n"
