"""What `walkthrough exercise` does, action by action; each returns the exit status."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from typing import Any

from walkthrough.display.screen import Screen
from walkthrough.display.table import pad
from walkthrough.exercises import report
from walkthrough.exercises.checking.process import CheckResult, run_check
from walkthrough.exercises.desk import Desk
from walkthrough.exercises.find import ExerciseError, choose_exercise, choose_exercises
from walkthrough.exercises.folder import Folder
from walkthrough.exercises.notebook_words import NOTEBOOK
from walkthrough.installation import program


def init(desk: Desk, directory: str | None, notebook: bool = False, vscode: bool = False) -> int:
    """Copy the exercises, as Python files or as notebooks."""
    folder = desk.folder_to_fill(directory)
    desk.speak_as(folder)
    suffix = ".ipynb" if notebook else ".py"
    written, left = folder.init(desk.exercises, desk.language, suffix)
    where = report.near(folder.path)
    report.paragraph(desk.screen, desk.words["written"].format(written=written, folder=where))
    if desk.keep_language(folder):
        report.paragraph(desk.screen, NOTEBOOK[desk.language]["language"])
    if left:
        report.paragraph(desk.screen, desk.words["left"].format(left=left))
    words, command = NOTEBOOK[desk.language], f"{program(folder.path)} exercise"
    if notebook:
        said = words["notebooks"].format(command=f"`{command}`")
        report.paragraph(desk.screen, said)
    if vscode:
        file, new = folder.add_tasks(program(folder.path))
        said = words["tasks" if new else "tasks there"].format(file=report.near(file))
        report.paragraph(desk.screen, said)
    desk.suggest("start", f"cd {shlex.quote(str(where))} && {command}")
    return 0


def show_list(desk: Desk, as_json: bool) -> int:
    """Show how all of them stand."""
    folder = desk.open()
    if not as_json:
        report.show_exercises(desk, folder, desk.next_pending)
        desk.screen.text()
        report.show_progress(desk)
        return 0
    states = [
        {
            "name": exercise.name,
            "lessons": exercise.lessons,
            "title": exercise.title,
            "state": report.state(desk, folder, exercise),
            "first_passed": desk.progress.first_passed.get(exercise.name),
        }
        for exercise in desk.exercises
    ]
    passed = sum(state["state"] == "passed" for state in states)
    where = str(folder.path.resolve())
    _print_json(desk, folder=where, passed=passed, total=len(states), exercises=states)
    return 0


def check_exercises(desk: Desk, names: list[str], everything: bool, as_json: bool) -> int:
    """Check those named, or the next pending one; 1 where one is not passed."""
    folder = desk.open()
    chosen = [e for name in names for e in choose_exercises(desk.exercises, name)]
    if everything:
        chosen = desk.exercises
    results = []
    for exercise in chosen or [desk.next_pending]:
        file = folder.file(exercise)
        result = run_check(exercise, file, seconds=desk.seconds, cancelled=_load_meanwhile)
        desk.record(folder, result)
        results.append(result)
        if not as_json:
            _show(desk, folder, result, apart=len(results) > 1)
    passed = all(result.passed for result in results)
    if as_json:
        found = [report.as_data(result, desk.language) for result in results]
        _print_json(desk, passed=passed, results=found)
    return 0 if passed else 1


def hint(desk: Desk, name: str, number: int) -> int:
    """Show a hint."""
    desk.remember_language()
    exercise = choose_exercise(desk.exercises, name)
    total = len(exercise.hints)
    if number > total:
        raise ExerciseError("no hint", usage=True, name=exercise.name, total=total)
    report.show_hint(desk.screen, exercise, number, desk.language)
    if number < total:
        desk.suggest("more hints", f"{program()} exercise hint {exercise.name} {number + 1}")
    return 0


def solution(desk: Desk, name: str, anyway: bool) -> int:
    """Show the code of the solution and why it is what it is."""
    if anyway:
        desk.remember_language()
    else:
        desk.open()
    exercise = choose_exercise(desk.exercises, name)
    if not anyway and exercise.name not in desk.progress.first_passed:
        raise ExerciseError("not passed", name=exercise.name)
    for line in exercise.solution.read_text(encoding="utf-8").splitlines():
        desk.screen.text(line, "code")
    desk.screen.text()
    desk.screen.prose(exercise.why)
    return 0


def reset(desk: Desk, name: str, yes: bool) -> int:
    """Put a stub back, after asking."""
    folder = desk.open()
    exercise = choose_exercise(desk.exercises, name)
    file = folder.file(exercise)
    shown = report.near(file)
    if file.exists() and not yes and not _agreed(desk, desk.words["ask"].format(file=shown)):
        desk.screen.text(desk.words["unchanged"])
        return 1
    backup = folder.reset(exercise)
    desk.record(folder, CheckResult(exercise, "todo"))
    if backup is None:
        report.paragraph(desk.screen, desk.words["put back"].format(file=shown))
    else:
        kept = desk.words["kept"].format(backup=report.near(backup))
        report.paragraph(desk.screen, kept)
    return 0


def doctor(desk: Desk) -> int:
    """Say what there is; 1 where something is wrong."""
    from walkthrough.exercises.doctor import diagnose
    from walkthrough.exercises.words import DOCTOR

    folder = desk.remember_language()
    found = diagnose(desk.exercises, folder, desk.screen, desk.language)
    width = max(len(name) for name, _ in found.facts)
    for name, value in found.facts:
        text = desk.screen.charset.readable(value)
        desk.screen.lines([[(f"{pad(name, width)}  ", "label"), (text, "")]])
    desk.screen.text()
    for sentence in found.remarks:
        report.paragraph(desk.screen, sentence)
    for sentence in found.faults:
        report.paragraph(desk.screen, sentence, "bad")
    if not found.faults:
        report.paragraph(desk.screen, DOCTOR[desk.language]["ok"])
    return 1 if found.faults else 0


def watch(desk: Desk, make_screen: Callable[[], Screen], poll: float | None) -> int:
    """Watch in a terminal; elsewhere check the next one, once."""
    if not (sys.stdout.isatty() and sys.stdin is not None and sys.stdin.isatty()):
        return check_exercises(desk, [], everything=False, as_json=False)
    from walkthrough.exercises.session import Session

    folder = desk.open()
    Session(desk, folder, make_screen, poll).run()
    return 0


def _show(desk: Desk, folder: Folder, result: CheckResult, apart: bool) -> None:
    if apart:
        desk.screen.text()
    report.show_head(desk.screen, result.exercise, folder, desk.language)
    desk.screen.text()
    report.show_result(desk.screen, result, desk.language, folder.file(result.exercise))
    name = result.exercise.name
    actions = (f"solution {name}",) if result.passed else (f"check {name}", f"hint {name}")
    commands = [f"{program()} exercise {action}" for action in actions]
    if result.passed and desk.next_pending.name != name:
        commands.append(f"{program()} exercise check {desk.next_pending.name}")
    desk.suggest("start", *commands)
    desk.screen.flush()


def _agreed(desk: Desk, question: str) -> bool:
    if sys.stdin is None or not sys.stdin.isatty():
        raise ExerciseError("needs yes", usage=True)
    desk.screen.write(question)
    desk.screen.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes", "ㅛ", "네", "예")


def _print_json(desk: Desk, **data: Any) -> None:
    desk.screen.write(json.dumps(data, ensure_ascii=True, indent=2) + "\n")


def _load_meanwhile() -> bool:
    """While a check runs, load what will show its result."""
    import walkthrough.display.prose  # noqa: F401

    return False
