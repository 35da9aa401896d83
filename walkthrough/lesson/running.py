"""Running a lesson: its prose is rendered, its code is run, what the code prints is shown."""

from __future__ import annotations

import sys
from collections.abc import Callable

from walkthrough.display.screen import OutputError, Screen
from walkthrough.lesson.reading import CodeBlock, Lesson, Prose, lesson_steps


class LessonCodeError(Exception):
    """Code of a lesson that raised: names the lesson, the line of its file and the error."""

    def __init__(self, lesson: Lesson, line: int, error: Exception) -> None:
        self.lesson, self.line, self.error = lesson, line, error
        what = f"{type(error).__name__}: {error}"
        super().__init__(f"{lesson.name}.md, line {line}: {what}")


def run_lesson(lesson: Lesson, screen: Screen, between: Callable[[], None] | None = None) -> None:
    """Show a whole lesson; `between` is called where to wait for a key."""
    namespace = fresh_namespace()
    all_steps = lesson_steps(lesson)
    blocks = [(step is all_steps[-1], block) for step in all_steps for block in step]
    for place, (last_step, block) in enumerate(blocks):
        # A pause before each piece of prose, and between the lesson's question and its answer.
        if place and between is not None and (isinstance(block, Prose) or last_step):
            between()
        if place:
            screen.text()
        if isinstance(block, Prose):
            screen.prose(block.markdown)
        else:
            _run_code(lesson, block, screen, namespace)
    screen.flush()


def fresh_namespace() -> dict[str, object]:
    """What a lesson's code begins with."""
    return {"__name__": "__main__"}


def execute(
    lesson: Lesson, source: str, line: int, screen: Screen, namespace: dict[str, object]
) -> None:
    """Run a statement of a line; what it prints goes to the screen. Raises LessonCodeError."""
    try:
        compiled = compile(source, f"<{lesson.name}>", "single")
        with screen.running():
            exec(compiled, namespace)
    except OutputError:
        raise  # the stream failed, not the lesson
    except Exception as error:
        raise LessonCodeError(lesson, line, error) from error


def _run_code(
    lesson: Lesson, code: CodeBlock, screen: Screen, namespace: dict[str, object]
) -> None:
    """Print and run each example of a block; what it prints goes to the screen as well."""
    after_output = False
    for example in code.examples:
        if after_output:
            screen.text()
        _print_source(example.source, screen)
        after_output = bool(example.want)
        if after_output:
            screen.text()
        execute(lesson, example.source, code.line + example.lineno, screen, namespace)


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
