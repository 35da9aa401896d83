"""`walkthrough run`: lessons in the terminal."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from walkthrough.commands.arguments import CommandError, UsageError
from walkthrough.commands.console import complain
from walkthrough.installation import install_command

if TYPE_CHECKING:
    from walkthrough.commands.arguments import Parser
    from walkthrough.display.screen import Screen
    from walkthrough.document.example import Example
    from walkthrough.lesson.reading import Lesson

WORDS: dict[str, dict[str, str]] = {
    "ko": {
        "help": "레슨을 실행해요",
        "lesson": "레슨 번호(5)나 이름(05_decode_with_cache), 직접 쓴 레슨 파일(my_lesson.md). "
        "적지 않으면 모두 실행해요",
        "example": "이 파일의 토큰과 가중치로 모두 다시 계산해요",
        "step": "한 대목마다 Enter를 기다려요",
        "next": "[Enter] 계속 ",
        "what-if": "**{title}**: {file} 파일의 예제로 계산해요. 설명하는 글과, 원문을 검산하는 "
        "단계에 나오는 숫자는 원문의 예제 그대로예요. 모델이 `{eos}`를 고르지 않으면 생성은 "
        "16단계에서 멈춰요.",
        "model": "이 레슨은 진짜 언어 모델을 돌려요. 먼저 필요한 패키지를 설치하고(`{command}`), "
        "`walkthrough model get`으로 모델(98 MB)을 받아 주세요.",
        "missing": "이 레슨에는 {packages}가 필요한데 아직 설치되어 있지 않아요. 이렇게 설치하고 "
        "다시 실행하세요: `{command}`. GPU는 없어도 돼요.",
        "code": "레슨 코드에서 오류가 났어요: {reason}",
    },
    "en": {
        "help": "run lessons",
        "lesson": "a lesson's number (5) or name (05_decode_with_cache), or a file of your own "
        "(my_lesson.md); none: all of them",
        "example": "compute everything with the tokens and weights of this file",
        "step": "wait for Enter after each piece",
        "next": "[Enter] go on ",
        "what-if": "**{title}**: computing with the example in {file}. The prose, and the steps "
        "that check the text, keep the numbers of the text's own example. Where the model never "
        "chooses `{eos}`, generation ends after 16 steps.",
        "model": "This lesson runs a real language model. Install what that takes with "
        "`{command}`, and fetch the model (98 MB) with `walkthrough model get`.",
        "missing": "This lesson needs {packages}, which is not installed yet. Install it with "
        "`{command}` and run the lesson again. It takes no GPU.",
        "code": "the lesson's code failed: {reason}",
    },
}


def add_arguments(parser: Parser, words: dict[str, str]) -> None:
    """Lessons, --example, --step."""
    parser.add_argument("lesson", nargs="*", help=words["lesson"])
    parser.options.add_argument("--example", metavar="FILE.toml", help=words["example"])
    parser.options.add_argument("--step", action="store_true", help=words["step"])


def main(options: argparse.Namespace, screen: Screen, language: str) -> int:
    """Run the lessons asked for, one after the other; 1 where a lesson's code fails."""
    from walkthrough.lesson import reading, running

    words = WORDS[language]
    chosen = reading.choose_lessons(reading.find_lessons(language), options.lesson)
    if options.example is not None:
        announce_example(options.example, screen, language)
    between = None
    if options.step:
        between = running.WaitForEnter(screen, lambda: complain(words["next"], end=""))
    for place, lesson in enumerate(chosen):
        if place:
            if between is not None:
                between()
            screen.text()
            screen.text()
        if lesson.missing:
            screen.prose(f"# {lesson.number}. {lesson.title}")
            screen.text()
            screen.prose(what_is_missing(lesson, language))
            continue
        try:
            running.run_lesson(lesson, screen, between)
        except running.LessonCodeError as error:
            screen.flush()
            raise CommandError(words["code"].format(reason=error)) from error
    return 0


def announce_example(path: str, screen: Screen, language: str) -> None:
    """Compute with a teacher's example from now on, and say so."""
    screen.prose(example_note(use_example(path, language), path, language))
    screen.text()


def use_example(path: str, language: str) -> Example:
    """Compute with a teacher's example from now on. Raises UsageError where it is not right."""
    from walkthrough.commands.words import EXAMPLE_ERRORS
    from walkthrough.document import current_example
    from walkthrough.document.example import ExampleError

    try:
        return current_example.choose_example(path)
    except ExampleError as error:
        sentences = error.TEXTS if language == "en" else EXAMPLE_ERRORS
        raise UsageError(error.text(sentences)) from error


def example_note(example: Example, file: str, language: str) -> str:
    """What a reader should know of an example that is not the text's, in Markdown."""
    words = WORDS[language]["what-if"]
    return words.format(file=file, title=example.title, eos=example.eos)


def what_is_missing(lesson: Lesson, language: str) -> str:
    """A sentence that says what to install or fetch before the lesson can be run."""
    key, extra = ("model", "model") if "model" in lesson.missing else ("missing", "gpu")
    packages = ", ".join(lesson.missing)
    return WORDS[language][key].format(packages=packages, command=install_command(extra))
