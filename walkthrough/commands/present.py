"""`walkthrough present`: a lesson full-screen in front of a class."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from typing import TYPE_CHECKING

from walkthrough.commands.arguments import CommandError, UsageError

if TYPE_CHECKING:
    from walkthrough.commands.arguments import Parser
    from walkthrough.display.screen import Screen

WORDS: dict[str, dict[str, str]] = {
    "ko": {
        "help": "수업에서 레슨을 전체 화면으로 한 단계씩 보여 줘요",
        "lesson": "레슨 번호(5)나 이름(05_decode_with_cache), 직접 쓴 레슨 파일(my_lesson.md)",
        "example": "이 파일의 토큰과 가중치로 모두 다시 계산해요",
        "notes": "발표자 메모와 시간을 다른 터미널에서 따라가며 보여 줘요",
        "terminal": "발표는 터미널에서만 할 수 있어요. 입력이나 출력이 파일이나 파이프로 이어져 "
        "있어요. 대신 walkthrough run을 쓰세요.",
        "dumb": "이 터미널({term})로는 전체 화면을 그릴 수 없어요. 대신 walkthrough run --step을 "
        "쓰세요.",
        "small": "발표하려면 터미널이 80×24칸 이상이어야 해요. 지금은 {width}×{height}칸이에요.",
    },
    "en": {
        "help": "show a lesson full-screen in front of a class, a step at a time",
        "lesson": "a lesson's number (5) or name (05_decode_with_cache), or a file of your own "
        "(my_lesson.md)",
        "example": "compute everything with the tokens and weights of this file",
        "notes": "show notes and minutes for the teacher, following from another terminal",
        "terminal": "presenting needs a terminal; input or output is a file or a pipe here. "
        "Use walkthrough run instead.",
        "dumb": "this terminal ({term}) cannot be drawn on; use walkthrough run --step instead.",
        "small": "presenting needs a terminal of at least 80×24 cells; this one has "
        "{width}×{height}.",
    },
}
LEAST_WIDTH, LEAST_HEIGHT = 80, 24


def add_arguments(parser: Parser, words: dict[str, str]) -> None:
    """A lesson, --example, --notes."""
    parser.add_argument("lesson", help=words["lesson"])
    parser.options.add_argument("--example", metavar="FILE.toml", help=words["example"])
    parser.options.add_argument("--notes", action="store_true", help=words["notes"])


def main(options: argparse.Namespace, screen: Screen, language: str) -> int:
    """Present until the teacher quits; the status is 128 + n where signal n ended it."""
    from walkthrough.commands.run import WORDS as RUN_WORDS
    from walkthrough.commands.run import use_example, what_is_missing
    from walkthrough.document import current_example
    from walkthrough.lesson import reading, running

    (lesson,) = reading.choose_lessons(reading.find_lessons(language), [options.lesson])
    if options.example is not None:
        use_example(options.example, language)
    if lesson.missing:
        raise CommandError(what_is_missing(lesson, language))
    reading.lesson_steps(
        lesson
    )  # what is wrong with the file is said before what is with the terminal
    check_terminal(language)
    if hasattr(options, "plain"):
        os.environ["NO_COLOR"] = "1"  # as Textual reads it

    from walkthrough.presenter.app import Presenter
    from walkthrough.presenter.fullscreen import FullScreen, run_full_screen
    from walkthrough.presenter.notes import NotesFollower
    from walkthrough.presenter.settings import Setting, play
    from walkthrough.presenter.slides import slides

    setting = Setting(current_example.example())
    readable, precision = screen.charset.readable, screen.precision
    try:
        app: FullScreen
        if options.notes:
            steps = play(lesson, setting, width=LEAST_WIDTH, precision=precision)
            app = NotesFollower(lesson, slides(steps, precision), language, readable)
        else:
            app = Presenter(
                lesson,
                setting,
                language,
                precision=precision,
                readable=readable,
                width=getattr(options, "width", None),
                file=options.example or "",
            )
    except running.LessonCodeError as error:
        raise CommandError(RUN_WORDS[language]["code"].format(reason=error)) from error
    return run_full_screen(app)


def check_terminal(language: str) -> None:
    """Raise UsageError where a full screen cannot be drawn."""
    words = WORDS[language]
    # Textual reads standard input and draws on standard error.
    streams = (sys.__stdin__, sys.__stdout__, sys.__stderr__)
    if not all(stream is not None and stream.isatty() for stream in streams):
        raise UsageError(words["terminal"])
    term = os.environ.get("TERM", "")
    if term in ("dumb", "unknown") or (not term and os.name != "nt"):
        raise UsageError(words["dumb"].format(term=f"TERM={term}"))
    width, height = shutil.get_terminal_size()
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        raise UsageError(words["small"].format(width=width, height=height))
