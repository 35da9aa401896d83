"""Every notebook run in a real kernel: its outputs are those that the export wrote into it."""

from __future__ import annotations

import asyncio
import contextvars
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
from helpers.courses import LANGUAGES, course_lessons, recorded_lesson, walk
from helpers.examples import TEACHERS, teachers_file
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

from walkthrough.document import current_example
from walkthrough.export.notebook import lost_in_loops, notebook
from walkthrough.lesson.reading import CodeBlock, Lesson, find_lessons
from walkthrough.lesson.recording import RecordedStep, Recorder, Statement, record

# What Jupyter's own packages warn of is not ours to mend.
pytestmark = pytest.mark.filterwarnings("ignore")

LESSONS = [
    pytest.param(language, i, marks=lesson.marks)
    for language in LANGUAGES
    for i, lesson in enumerate(walk(course_lessons(language)))
]


class Kernel:
    """A kernel in a folder of its own, where nothing lies beside the notebook."""

    def __init__(self, folder: Path) -> None:
        self.loop = asyncio.new_event_loop()
        self.manager = AsyncKernelManager(kernel_name="python3")
        self.loop.run_until_complete(self.manager.start_kernel(cwd=str(folder)))
        self.client = self.manager.client()
        self.client.start_channels()
        self.loop.run_until_complete(self.client.wait_for_ready(timeout=60))

    def close(self) -> None:
        self.client.stop_channels()
        self.loop.run_until_complete(self.manager.shutdown_kernel(now=True))
        self.loop.close()

    def run(self, text: str) -> tuple[list[Any], list[Any]]:
        """The outputs of a notebook's code cells as exported, and as run from the start."""
        made = nbformat.reads(text, as_version=4)
        nbformat.validate(made)
        exported = [outputs(cell) for cell in made.cells if cell.cell_type == "code"]
        made.cells.insert(0, nbformat.v4.new_code_cell("%reset -f"))
        runner = NotebookClient(made, timeout=60, km=self.manager)
        runner.kc = self.client
        self.loop.run_until_complete(runner.async_execute())
        ran = [outputs(cell) for cell in made.cells if cell.cell_type == "code"]
        return exported, ran[1:]


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """One kernel for all notebooks; each begins with nothing defined."""
    yield (started := Kernel(tmp_path_factory.mktemp("kernel")))
    started.close()


@pytest.fixture
def other_kernel(tmp_path: Path) -> Iterator[Kernel]:
    """A kernel that may be left with an example of its own."""
    (tmp_path / "away").mkdir()
    yield (started := Kernel(tmp_path / "away"))
    started.close()


def outputs(cell: Any) -> list[Any]:
    """Outputs as texts and tables, whichever way the text was printed."""
    shown: list[Any] = []
    for output in cell.outputs:
        if output.output_type == "display_data":
            shown.append(dict(output.data))
            continue
        if output.output_type == "error":
            shown.append(f"Traceback (most recent call last):\n    ...\n{output.ename}: "
                         f"{output.evalue}\n")  # fmt: skip
            continue
        text = output.text if output.output_type == "stream" else output.data["text/plain"] + "\n"
        if shown and isinstance(shown[-1], str):
            shown[-1] += text
        else:
            shown.append(text)
    return shown


@pytest.mark.parametrize(("language", "place"), LESSONS)
def test_a_notebook_runs_and_gives_what_was_exported(
    kernel: Kernel, language: str, place: int
) -> None:
    steps = recorded_lesson(course_lessons(language)[place])
    exported, ran = kernel.run(notebook(steps, language))
    assert len(exported) >= 3
    assert ran == exported


def test_a_teachers_example_and_precision_come_with_the_notebook(
    other_kernel: Kernel, tmp_path: Path
) -> None:
    path = teachers_file(TEACHERS["three heads"], tmp_path / "mine.toml")
    context = contextvars.copy_context()
    context.run(current_example.choose_example, path)
    steps = context.run(record, find_lessons("en")[4], Recorder(precision=7))
    text = notebook(steps, "en", precision=7, note="mine", example=path.read_text(encoding="utf-8"))
    path.unlink()
    exported, ran = other_kernel.run(text)
    assert ran == exported
    assert "cat" in str(exported) and "나는" not in str(exported)


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_the_text_its_code_is_folded_and_runs(kernel: Kernel, language: str) -> None:
    for number in (2, 3):
        lesson = replace(find_lessons(language)[number - 1], without_text=True)
        steps = record(lesson)
        text = notebook(steps, language)
        hidden = [statement.source.rstrip("\n") for step in steps for _, statement in step.hidden]
        cells = nbformat.reads(text, as_version=4).cells
        folded = [c for c in cells if c.metadata.get("jupyter", {}).get("source_hidden")]
        assert [cell.source for cell in folded] == hidden != []
        exported, ran = kernel.run(text)
        shown = [i for i, out in enumerate(exported) if out]
        assert [ran[i] for i in shown] == [exported[i] for i in shown]


def test_the_notebook_says_how_it_is_run_and_keeps_its_cells_ids() -> None:
    steps = recorded_lesson(course_lessons("ko")[0])
    text = notebook(steps, "ko")
    assert text == notebook(steps, "ko")
    made = json.loads(text)
    assert made["metadata"]["kernelspec"]["name"] == "python3"
    assert made["cells"][0]["source"][0].startswith("# 1. ")
    assert "셀을 실행할 때" in made["cells"][1]["source"][0]


def test_what_is_skipped_or_raises_or_shows_twice(kernel: Kernel, tmp_path: Path) -> None:
    path = tmp_path / "own.md"
    path.write_text(
        "# Own\n\nFrom $5 to $6, `a$b$c`, \\$7.\n\n```text\n$x$\n```\n\n```python\n"
        ">>> x = 1\n>>> boom(  # doctest: +SKIP\n... )\n>>> x / 0\n"
        "Traceback (most recent call last):\nZeroDivisionError: division by zero\n"
        ">>> x; x + 1\n>>> y = 5\n\n```\n",
        encoding="utf-8",
    )
    text = notebook(record(Lesson(path)), "en")
    prose = [cell.source for cell in nbformat.reads(text, as_version=4).cells
             if cell.cell_type == "markdown"]  # fmt: skip
    assert r"From \$5 to \$6, `a$b$c`, \$7." in prose[0]
    assert "```text\n$x$\n```" in prose[0]
    assert "```python\nboom(  # doctest: +SKIP\n)\n```" in prose
    exported, ran = kernel.run(text)
    assert ran == exported
    assert exported[-2:] == [["1\n2\n"], []]


def test_the_answer_is_folded_until_it_is_opened() -> None:
    lesson = course_lessons("en")[4]
    steps = recorded_lesson(lesson)
    cells = json.loads(notebook(steps, "en"))["cells"]
    question = next(
        number for number, cell in enumerate(cells) if "**A question.**" in "".join(cell["source"])
    )
    hidden = [
        number
        for number, cell in enumerate(cells)
        if cell["metadata"].get("jupyter", {}).get("outputs_hidden")
    ]
    assert hidden
    assert min(hidden) > question
    assert all(cells[number]["outputs"] for number in hidden)


def test_what_a_notebook_would_lose_is_found(tmp_path: Path) -> None:
    code = [
        ">>> for i in (1, 2):",
        "...     i",
        "1",
        "2",
        ">>> for i in (1, 2):",
        "...     print(i)",
        "1",
        "2",
        ">>> 3",
        "3",
        ">>> def f(x):",
        "...     x",
    ]
    text = "\n".join(["# Own", "", "```python", *code, "```", ""])
    (tmp_path / "own.md").write_text(text, encoding="utf-8")
    assert lost_in_loops(record(Lesson(tmp_path / "own.md"))) == [4]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_courses_notebooks_lose_nothing(language: str) -> None:
    for lesson in course_lessons(language)[:18]:
        sources = [
            example.source
            for step, _ in lesson.parsed
            for block in step
            if isinstance(block, CodeBlock)
            for example in block.examples
        ]
        statements = [Statement(source, 1, (), ()) for source in sources]
        assert lost_in_loops([RecordedStep("all", list(statements))]) == []
