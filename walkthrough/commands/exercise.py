"""`walkthrough exercise`: exercises that check themselves."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from walkthrough.commands.arguments import CommandError, UsageError
from walkthrough.exercises.words import EXERCISE

if TYPE_CHECKING:
    from walkthrough.commands.arguments import Parser
    from walkthrough.display.screen import Screen
    from walkthrough.exercises.desk import Desk

WORDS = EXERCISE


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

    init = action("init")
    init.add_argument("dir", nargs="?", metavar="DIR", help=words["dir"])
    init.options.add_argument("--notebook", action="store_true", help=words["notebook"])
    init.options.add_argument("--vscode", action="store_true", help=words["vscode"])
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
    from walkthrough.commands.console import complain, ending_cleanly
    from walkthrough.exercises.desk import Desk
    from walkthrough.exercises.find import ExerciseError

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
        kind = UsageError if error.usage else CommandError
        raise kind(message, desk.language) from error


def _do(desk: Desk, options: argparse.Namespace) -> int:
    from walkthrough.exercises import actions

    match options.action:
        case "init":
            return actions.init(desk, options.dir, options.notebook, options.vscode)
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
