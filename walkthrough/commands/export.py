"""`walkthrough export`: lessons as pages, notebooks or handouts."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from walkthrough.commands import run
from walkthrough.commands.arguments import CommandError, UsageError
from walkthrough.export.command_words import EXPORT
from walkthrough.files import write_whole
from walkthrough.installation import install_command
from walkthrough.lesson.needs import what_is_missing
from walkthrough.lesson.words import RUN
from walkthrough.reasons import Reason

if TYPE_CHECKING:
    from walkthrough.commands.arguments import Parser
    from walkthrough.display.screen import Screen
    from walkthrough.lesson.reading import Lesson

WORDS = EXPORT


def add_arguments(parser: Parser, words: dict[str, str]) -> None:
    """Lessons, --to, --example, -o."""
    parser.add_argument("lesson", nargs="*", help=words["lesson"])
    parser.options.add_argument("--to", metavar="html|ipynb|md", default="html", help=words["to"])
    parser.options.add_argument("--example", metavar="FILE.toml", help=words["example"])
    parser.options.add_argument("--no-text", action="store_true", help=words["no-text"])
    parser.options.add_argument("-o", "--output", metavar="PATH", help=words["output"])


def main(options: argparse.Namespace, screen: Screen, language: str) -> int:
    """Write a file for each lesson, and for several pages an index."""
    from importlib.util import find_spec

    from walkthrough.commands.console import progress
    from walkthrough.course.closing import with_closing
    from walkthrough.display.screen import DEFAULT_WIDTH
    from walkthrough.export import formats
    from walkthrough.export.page import Course, index, unfit
    from walkthrough.lesson import reading, recording, running

    words = WORDS[language]
    if options.to not in formats.ENDINGS:
        raise UsageError(words["format"].format(value=options.to))
    if (package := formats.NEEDS.get(options.to)) and find_spec(package) is None:
        command = install_command("export")
        raise CommandError(words["missing"].format(package=package, command=command))
    chosen = reading.choose_lessons(reading.find_lessons(language), options.lesson, options.no_text)
    _leave_out_missing(chosen, screen, language)
    names = [lesson.name for lesson in chosen]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(words["twice"].format(name=name))
    note = ""
    if options.example is not None:
        example = run.use_example(options.example, language)
        note = run.example_note(example, Path(options.example).name, language)
    targets = _targets(chosen, options, language)
    course = Course(chosen, language, screen.precision, note)
    width = getattr(options, "width", DEFAULT_WIDTH)  # not the terminal's: the same on any
    for lesson, path in zip(chosen, targets, strict=True):
        recorder = recording.Recorder(width=width, precision=screen.precision)
        try:
            run.say_remarks(lesson, language)
            with progress(lesson.name, len(reading.lesson_steps(lesson))) as advance:
                steps = recording.record(lesson, recorder, language=language, progress=advance)
            steps = with_closing(steps, lesson, language)
        except running.LessonCodeError as error:
            raise CommandError(RUN[language]["code"].format(reason=error)) from error
        text = formats.exported(
            options.to, lesson, steps, course, width=width, example=options.example
        )
        _write(path, text, words)
        screen.text(words["written"].format(file=path))
        if options.to == "ipynb":
            from walkthrough.export.notebook import lost_in_loops

            for line in lost_in_loops(steps):
                screen.text(words["lost"].format(line=line))
        for heading in unfit(steps, course) if options.to == "html" else ():
            screen.text(words["unfit"].format(heading=heading))
    if len(chosen) > 1 and options.to == "html":
        path = targets[0].with_name("index.html")
        _write(path, index(course), words)
        screen.text(words["written"].format(file=path))
    return 0


def _leave_out_missing(chosen: list[Lesson], screen: Screen, language: str) -> None:
    """Say which lessons cannot be run here, and go on without them; a single one is refused."""
    for lesson in [lesson for lesson in chosen if lesson.missing]:
        sentence = what_is_missing(lesson, language)
        if len(chosen) == 1:
            raise CommandError(sentence)
        chosen.remove(lesson)
        screen.text(f"{lesson.name}: {sentence}")


def _targets(chosen: list[Lesson], options: argparse.Namespace, language: str) -> list[Path]:
    """A path for each lesson. Raises UsageError where it cannot be, or is read from."""
    from walkthrough.export.formats import paths

    words = WORDS[language]
    targets = paths(chosen, options.to, options.output, language)
    folder = targets[0].parent
    if len(chosen) > 1 and folder.exists() and not folder.is_dir():
        raise UsageError(words["not-a-folder"].format(path=folder))
    sources = {lesson.path.resolve() for lesson in chosen}
    if options.example is not None:
        sources.add(Path(options.example).resolve())
    for path in targets:
        if path.resolve() in sources:
            raise UsageError(words["source"].format(path=path))
    return targets


def _write(path: Path, text: str, words: dict[str, str]) -> None:
    """Write a file whole: where it fails, what was there before is still there."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():  # a pipe or a terminal; a folder fails
            path.write_text(text, encoding="utf-8", newline="\n")
            return
        write_whole(path, text)
    except OSError as error:
        message = words["unwritable"].format(path=path, reason=Reason(error))
        raise CommandError(message) from error
