"""Running a lesson: its prose is rendered, its code is run, what the code prints is shown."""

from __future__ import annotations

import io
import re
import sys
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING

from walkthrough.display.screen import OutputError, Screen
from walkthrough.lesson.reading import CodeBlock, Lesson, Prose, is_skipped, lesson_steps
from walkthrough.lesson.words import RUNNING

if TYPE_CHECKING:
    import doctest


class LessonCodeError(Exception):
    """Code of a lesson that raised: names the lesson, the line of its file and the error."""

    def __init__(self, lesson: Lesson, line: int, error: BaseException) -> None:
        self.lesson, self.line, self.error = lesson, line, error
        what = f"{type(error).__name__}: {error}"
        super().__init__(f"{lesson.name}.md, line {line}: {what}")


class NothingRaisedError(Exception):
    """A statement below which a lesson expects an error, and which raised none."""


def run_lesson(
    lesson: Lesson,
    screen: Screen,
    between: Callable[[], None] | None = None,
    language: str = "en",
) -> None:
    """Show a whole lesson; `between` is called where to wait for a key."""
    namespace = fresh_namespace()
    all_steps = lesson_steps(lesson)
    blocks = [(step is all_steps[-1], block) for step in all_steps for block in step]
    shown = 0
    for last_step, block in blocks:
        if isinstance(block, CodeBlock) and block.hidden:
            run_hidden(lesson, block, namespace, language)
            continue
        place, shown = shown, shown + 1
        # A pause before each piece of prose, and between the lesson's question and its answer.
        if place and between is not None and (isinstance(block, Prose) or last_step):
            between()
        if place:
            screen.text()
        if isinstance(block, Prose):
            screen.prose(block.markdown)
        else:
            _run_code(lesson, block, screen, namespace, language)
    screen.flush()


def run_hidden(
    lesson: Lesson, code: CodeBlock, namespace: dict[str, object], language: str
) -> None:
    """Run a block for what it defines; what it shows goes nowhere."""
    nowhere = Screen(io.StringIO())
    for example in code.examples:
        line = code.line + example.lineno
        execute(lesson, example.source, line, nowhere, namespace, example, language)


def fresh_namespace() -> dict[str, object]:
    """What a lesson's code begins with."""
    return {"__name__": "__main__"}


def execute(
    lesson: Lesson,
    source: str,
    line: int,
    screen: Screen,
    namespace: dict[str, object],
    example: doctest.Example | None = None,
    language: str = "en",
) -> None:
    """Run a statement of a line; what it prints goes to the screen. Raises LessonCodeError.

    What the file says of the statement in `example` holds as in doctest: one that is to be
    skipped is not run, which is said; an error that is expected below it is shown.
    """
    if example is not None and is_skipped(example):
        screen.write(RUNNING[language]["skipped"] + "\n")
        return
    expected = example.exc_msg if example is not None else None
    try:
        compiled = compile(source, f"<{lesson.name}>", "single")
        with screen.running():
            exec(compiled, namespace)
    except (OutputError, KeyboardInterrupt):
        raise  # the stream failed, or the reader has had enough: not the lesson
    except BaseException as error:  # exit() would end the course
        got = "".join(traceback.format_exception_only(error))
        if expected is None or _error_name(got) != _error_name(expected):
            raise LessonCodeError(lesson, line, error) from error
        screen.write(f"Traceback (most recent call last):\n    ...\n{got}")  # doctest's own form
        return
    if expected is not None:
        what = NothingRaisedError(f"{RUNNING[language]['nothing raised']} {_error_name(expected)}")
        raise LessonCodeError(lesson, line, what)


def _error_name(text: str) -> str:
    """`ValueError` of `ValueError: no such token`, without the module it comes from."""
    last = [each for each in text.splitlines() if re.match(r"[\w.]+(:|$)", each)] or [text.strip()]
    return last[0].partition(":")[0].rpartition(".")[2]


def _run_code(
    lesson: Lesson, code: CodeBlock, screen: Screen, namespace: dict[str, object], language: str
) -> None:
    """Print and run each example of a block; what it prints goes to the screen as well."""
    after_output = False
    for example in code.examples:
        if after_output:
            screen.text()
        _print_source(example.source, screen)
        after_output = bool(example.want) or is_skipped(example)
        if after_output:
            screen.text()
        line = code.line + example.lineno
        execute(lesson, example.source, line, screen, namespace, example, language)


def _print_source(source: str, screen: Screen) -> None:
    readable = screen.charset.readable
    for i, line in enumerate(source.splitlines()):
        prompt = ">>> " if i == 0 else "... "
        screen.lines([[(prompt, "prompt"), (readable(line), "code")]])


class WaitForEnter:
    """Waits for Enter between steps; when the input ends, waits no more."""

    def __init__(self, screen: Screen, ask: Callable[[], None]) -> None:
        self.screen, self.ask = screen, ask
        self.open = sys.stdin is not None

    def __call__(self) -> None:
        """Show what is there, ask, and read a line."""
        if not self.open:
            return
        self.screen.flush()
        self.ask()
        try:
            self.open = sys.stdin.readline() != ""
        except (OSError, ValueError):  # closed, or not text: nobody there to press a key
            self.open = False
