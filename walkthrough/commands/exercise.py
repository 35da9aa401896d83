"""`walkthrough exercise`: exercises that check themselves."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from walkthrough.commands.arguments import CommandError, UsageError

if TYPE_CHECKING:
    from walkthrough.commands.arguments import Parser
    from walkthrough.display.screen import Screen
    from walkthrough.exercises.desk import Desk

WORDS: dict[str, dict[str, str]] = {
    "ko": {
        "help": "연습 문제를 풀어요. 저장할 때마다 검사해요",
        "init": "연습 문제를 내 폴더에 복사해요 (기본: exercises)",
        "list": "연습 문제와 진행 상황을 보여 줘요",
        "check": "검사해요. 적지 않으면 다음 문제를 검사해요",
        "hint": "힌트를 보여 줘요",
        "solution": "통과한 문제의 풀이를 보여 줘요",
        "reset": "처음 상태로 되돌려요. 지금 내용은 따로 보관해요",
        "doctor": "설치와 터미널을 살펴봐요",
        "name": "연습 문제 이름 (03b_softmax_row, 03b, softmax_row)",
        "dir": "복사할 폴더",
        "number": "몇 번째 힌트 (기본 1)",
        "all": "모두 검사해요",
        "anyway": "통과하지 않았어도 보여 줘요",
        "yes": "묻지 않고 되돌려요",
        "json": "JSON으로 출력해요",
        "folder": "연습 문제 폴더 (기본: 여기, 위쪽 폴더, 또는 exercises)",
        "timeout": "한 문제를 검사하는 시간 제한, 1초에서 600초 (기본 10)",
        "poll": "파일의 시각 대신 내용을 N초마다 비교해요. 마운트한 폴더에서 쓰세요 (기본 1)",
    },
    "en": {
        "help": "do exercises, which are checked whenever you save",
        "init": "copy the exercises into a folder of your own (default: exercises)",
        "list": "list the exercises and what you have passed",
        "check": "check exercises; without a name, the next one",
        "hint": "show a hint",
        "solution": "show the solution of an exercise that you have passed",
        "reset": "put an exercise back as it was at first; what it holds is kept",
        "doctor": "look at the installation and the terminal",
        "name": "an exercise (03b_softmax_row, 03b, softmax_row)",
        "dir": "the folder to copy into",
        "number": "which hint (default 1)",
        "all": "check all of them",
        "anyway": "show it even if it is not passed",
        "yes": "do not ask",
        "json": "print JSON",
        "folder": "folder of the exercises (default: here, above, or ./exercises)",
        "timeout": "time limit of a check, 1 to 600 seconds (default 10)",
        "poll": "compare what files hold, not their times, every N seconds: for mounted folders "
        "(default 1)",
    },
}


def add_arguments(parser: Parser, words: dict[str, str]) -> None:
    """The actions, each with its arguments; without one, watch."""
    from walkthrough.commands.arguments import Parser, whole

    def common(action: Parser) -> None:
        add = action.options.add_argument  # before the action or after it, as --lang
        absent = argparse.SUPPRESS
        add("--folder", metavar="DIR", default=absent, help=words["folder"])
        seconds = whole(1, 600, words)
        add("--timeout", metavar="N", type=seconds, default=absent, help=words["timeout"])

    common(parser)
    parser.options.add_argument(
        "--poll", metavar="N", nargs="?", const=1, type=whole(1, 60, words), help=words["poll"]
    )
    actions = parser.add_subparsers(
        dest="action", title=words["help.commands"], metavar="ACTION", parser_class=Parser
    )

    def action(name: str) -> Parser:
        made: Parser = actions.add_parser(
            name, language=parser.language, help=words[name], description=words[name]
        )
        common(made)
        return made

    action("init").add_argument("dir", nargs="?", metavar="DIR", help=words["dir"])
    action("list").options.add_argument("--json", action="store_true", help=words["json"])
    check = action("check")
    check.add_argument("name", nargs="*", metavar="NAME", help=words["name"])
    check.options.add_argument("--all", action="store_true", help=words["all"])
    check.options.add_argument("--json", action="store_true", help=words["json"])
    hint = action("hint")
    hint.add_argument("name", metavar="NAME", help=words["name"])
    hint.add_argument(
        "number", nargs="?", metavar="N", type=whole(1, 9, words), default=1, help=words["number"]
    )
    solution = action("solution")
    solution.add_argument("name", metavar="NAME", help=words["name"])
    solution.options.add_argument("--anyway", action="store_true", help=words["anyway"])
    reset = action("reset")
    reset.add_argument("name", metavar="NAME", help=words["name"])
    reset.options.add_argument("--yes", action="store_true", help=words["yes"])
    action("doctor")


def main(options: argparse.Namespace, screen: Screen, language: str) -> int:
    """Do what is asked for; 1 where an exercise that was checked is not passed."""
    from walkthrough.commands.console import complain
    from walkthrough.exercises.desk import Desk
    from walkthrough.exercises.find import ExerciseError
    from walkthrough.exercises.keys import ending_cleanly

    desk = Desk(
        screen,
        complain,
        language,
        asked=hasattr(options, "lang"),
        given=getattr(options, "folder", None),
        seconds=getattr(options, "timeout", 10),
    )
    try:
        with ending_cleanly():
            return _do(desk, options)
    except ExerciseError as error:
        message = desk.words[error.kind].format(**error.fields)
        raise (UsageError if error.usage else CommandError)(message) from error


def _do(desk: Desk, options: argparse.Namespace) -> int:
    from walkthrough.exercises import actions

    match options.action:
        case "init":
            return actions.init(desk, options.dir)
        case "list":
            return actions.show_list(desk, options.json)
        case "check":
            return actions.check_exercises(desk, options.name, options.all, options.json)
        case "hint":
            return actions.hint(desk, options.name, options.number)
        case "solution":
            return actions.solution(desk, options.name, options.anyway)
        case "reset":
            return actions.reset(desk, options.name, options.yes)
        case "doctor":
            return actions.doctor(desk)
        case _:
            from walkthrough.commands.console import make_screen

            return actions.watch(desk, lambda: make_screen(options), options.poll)
