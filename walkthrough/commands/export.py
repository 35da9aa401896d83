"""`walkthrough export`: lessons as pages, notebooks or handouts."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from walkthrough.commands import run
from walkthrough.commands.arguments import CommandError, UsageError

if TYPE_CHECKING:
    from walkthrough.commands.arguments import Parser
    from walkthrough.display.screen import Screen
    from walkthrough.export.page import Course
    from walkthrough.lesson.reading import Lesson
    from walkthrough.lesson.recording import RecordedStep

ENDINGS = {"html": ".html", "ipynb": ".ipynb", "md": ".handout.md"}
NEEDS = {"html": "jinja2", "ipynb": "nbformat"}

WORDS: dict[str, dict[str, str]] = {
    "ko": {
        "help": "레슨을 웹 페이지, 노트북, 유인물로 내보내요",
        "lesson": "레슨 번호(5)나 이름, 직접 쓴 레슨 파일(my_lesson.md), all(모두)",
        "to": "html(기본값): 한 파일로 된 웹 페이지, ipynb: 주피터 노트북, md: 결과가 든 유인물",
        "output": "쓸 파일. 레슨이 여럿이면 폴더 (기본값: 레슨 이름의 파일, walkthrough-ko 폴더)",
        "example": "이 파일의 토큰과 가중치로 모두 다시 계산해요",
        "written": "{file} 파일을 썼어요",
        "missing": "{package} 패키지가 있어야 해요. 이렇게 설치하세요: pip install {package}",
        "format": "{value!r} 형식으로는 내보낼 수 없어요. 쓸 수 있는 형식: html, ipynb, md",
        "not-a-folder": "{path}: 레슨이 여럿이면 폴더여야 하는데, 파일이에요",
        "source": "{path}: 레슨이나 예제가 든 파일이에요. 덮어쓰지 않게 다른 이름을 주세요",
        "twice": "{name!r} 레슨이 두 번 있어요. 한 번만 쓰거나 파일 이름을 다르게 하세요",
        "unwritable": "{path}: 쓸 수 없어요: {reason}",
        "unfit": "한 화면에 다 들어가지 않는 단계예요: {heading}",
    },
    "en": {
        "help": "make web pages, notebooks or handouts of lessons",
        "lesson": "a lesson's number (5) or name, a file of your own (my_lesson.md), or all",
        "to": "html (default): a web page in one file, ipynb: a Jupyter notebook, "
        "md: a handout with the results in it",
        "output": "the file to write; for several lessons, the folder "
        "(default: a file named after the lesson, a folder walkthrough-en)",
        "example": "compute everything with the tokens and weights of this file",
        "written": "wrote {file}",
        "missing": "this needs the package {package}; install it with: pip install {package}",
        "format": "cannot export to {value!r}; the formats are html, ipynb, md",
        "not-a-folder": "{path}: must be a folder for several lessons, and is a file",
        "source": "{path}: holds the lesson or the example itself; give another name",
        "twice": "there are two lessons {name!r}; name each once, or rename a file",
        "unwritable": "{path}: cannot be written: {reason}",
        "unfit": "a step that does not fit one screen: {heading}",
    },
}


def add_arguments(parser: Parser, words: dict[str, str]) -> None:
    """Lessons, --to, --example, -o."""
    parser.add_argument("lesson", nargs="*", help=words["lesson"])
    parser.options.add_argument("--to", metavar="html|ipynb|md", default="html", help=words["to"])
    parser.options.add_argument("--example", metavar="FILE.toml", help=words["example"])
    parser.options.add_argument("-o", "--output", metavar="PATH", help=words["output"])


def main(options: argparse.Namespace, screen: Screen, language: str) -> int:
    """Write a file for each lesson, and for several pages an index."""
    from importlib.util import find_spec

    from walkthrough.display.screen import DEFAULT_WIDTH
    from walkthrough.export.page import Course, index, unfit
    from walkthrough.lesson import reading, recording, running

    words = WORDS[language]
    if options.to not in ENDINGS:
        raise UsageError(words["format"].format(value=options.to))
    if (package := NEEDS.get(options.to)) and find_spec(package) is None:
        raise CommandError(words["missing"].format(package=package))
    chosen = reading.choose_lessons(reading.find_lessons(language), options.lesson)
    for lesson in [lesson for lesson in chosen if lesson.missing]:
        sentence = run.what_is_missing(lesson, language)
        if len(chosen) == 1:
            raise CommandError(sentence)
        chosen.remove(lesson)
        screen.text(f"{lesson.name}: {sentence}")
    names = [lesson.name for lesson in chosen]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(words["twice"].format(name=name))
    note = ""
    if options.example is not None:
        example = run.use_example(options.example, language)
        note = run.example_note(example, Path(options.example).name, language)
    many = len(chosen) > 1
    targets = _targets(chosen, options, language)
    sources = {lesson.path.resolve() for lesson in chosen}
    if options.example is not None:
        sources.add(Path(options.example).resolve())
    for path in targets:
        if path.resolve() in sources:
            raise UsageError(words["source"].format(path=path))
    course = Course(chosen, language, screen.precision, note)
    width = getattr(options, "width", DEFAULT_WIDTH)  # not the terminal's: the same on any
    for lesson, path in zip(chosen, targets, strict=True):
        recorder = recording.Recorder(width=width, precision=screen.precision)
        try:
            steps = recording.record(lesson, recorder)
        except running.LessonCodeError as error:
            raise CommandError(run.WORDS[language]["code"].format(reason=error)) from error
        _write(path, _content(lesson, steps, course, options), words)
        screen.text(words["written"].format(file=path))
        for heading in unfit(steps, course) if options.to == "html" else ():
            screen.text(words["unfit"].format(heading=heading))
    if many and options.to == "html":
        path = targets[0].with_name("index.html")
        _write(path, index(course), words)
        screen.text(words["written"].format(file=path))
    return 0


def _targets(chosen: list[Lesson], options: argparse.Namespace, language: str) -> list[Path]:
    """A path for each lesson. Raises UsageError where it cannot be."""
    ending = ENDINGS[options.to]
    given = options.output
    if len(chosen) == 1:
        name = Path(chosen[0].name + ending)
        if given is None:
            return [name]
        path = Path(given)
        return [path / name if path.is_dir() or given.endswith(("/", "\\")) else path]
    folder = Path(given or f"walkthrough-{language}")
    if folder.exists() and not folder.is_dir():
        raise UsageError(WORDS[language]["not-a-folder"].format(path=folder))
    return [folder / (lesson.name + ending) for lesson in chosen]


def _content(
    lesson: Lesson, steps: list[RecordedStep], course: Course, options: argparse.Namespace
) -> str:
    if options.to == "html":
        from walkthrough.export.page import page
        from walkthrough.lesson.block_size import other_sizes

        return page(lesson, steps, course, other_sizes(lesson, steps, course.precision))
    if options.to == "ipynb":
        from walkthrough.export.notebook import notebook

        example = ""
        if options.example is not None:
            example = Path(options.example).read_text(encoding="utf-8-sig")
        return notebook(
            steps, course.language, precision=course.precision, note=course.note, example=example
        )
    from walkthrough.display.screen import DEFAULT_WIDTH
    from walkthrough.export.handout import handout

    width = getattr(options, "width", DEFAULT_WIDTH)
    return handout(steps, width=width, precision=course.precision, note=course.note)


def _write(path: Path, text: str, words: dict[str, str]) -> None:
    """Write a file whole: where it fails, what was there before is still there."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():  # a pipe or a terminal; a folder fails
            path.write_text(text, encoding="utf-8", newline="\n")
            return
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            beside.write_text(text, encoding="utf-8", newline="\n")
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise CommandError(words["unwritable"].format(path=path, reason=reason)) from error
