"""What `walkthrough exercise` does, action by action, between the screen and the folder."""

from __future__ import annotations

import contextlib
import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

from walkthrough.classroom.exercises import report
from walkthrough.classroom.exercises.find import Exercise, ExerciseError, choose, find_exercises
from walkthrough.classroom.exercises.folder import DEFAULT, Folder, locate
from walkthrough.classroom.exercises.process import SECONDS, Result, run
from walkthrough.classroom.exercises.progress import DamagedError, Progress
from walkthrough.classroom.exercises.session import Session, next_pending
from walkthrough.classroom.exercises.words import WORDS
from walkthrough.classroom.screen import Screen
from walkthrough.classroom.table import pad


class Desk:
    """One learner's exercises in one language.

    `make_screen` gives a screen of the terminal's present width; `complain` says something
    that is no result. The language is that of the folder's `init` where none is `asked` for.
    """

    def __init__(
        self,
        make_screen: Callable[[], Screen],
        complain: Callable[[str], None],
        language: str,
        *,
        asked: bool = False,
        given: str | None = None,
        seconds: float = SECONDS,
    ) -> None:
        self.make_screen, self.complain = make_screen, complain
        self.screen = make_screen()
        self.language, self.asked, self.given, self.seconds = language, asked, given, seconds
        self._exercises: list[Exercise] = []

    @property
    def words(self) -> dict[str, str]:
        """The sentences in the language."""
        return WORDS[self.language]

    @property
    def exercises(self) -> list[Exercise]:
        """All of them, in the language."""
        if not self._exercises or self._exercises[0].language != self.language:
            self._exercises = find_exercises(self.language)
        return self._exercises

    # The actions; each returns the exit status.

    def init(self, directory: str | None) -> int:
        """Copy the exercises."""
        folder = self._folder_to_fill(directory or self.given)
        written, left = folder.init(self.exercises, self.language)
        where = report.near(folder.path)
        report.paragraph(self.screen, self.words["written"].format(written=written, folder=where))
        if left:
            report.paragraph(self.screen, self.words["left"].format(left=left))
        self._suggest("start", f"cd {shlex.quote(str(where))} && walkthrough exercise")
        return 0

    def show_list(self, as_json: bool) -> int:
        """Show how all of them stand."""
        folder, progress = self._open()
        if as_json:
            self._print_json(self._list_data(folder, progress))
            return 0
        current = next_pending(self.exercises, progress)
        name = current.name if current else ""
        report.show_list(self.screen, self.exercises, progress, folder, self.language, name)
        self.screen.text()
        report.show_progress(self.screen, self.exercises, progress, self.language)
        return 0

    def check(self, names: list[str], everything: bool, as_json: bool) -> int:
        """Check those named, or the next pending one; 1 where one is not passed."""
        folder, progress = self._open()
        chosen = [choose(self.exercises, name) for name in names]
        if everything:
            chosen = self.exercises
        chosen = chosen or [next_pending(self.exercises, progress) or self.exercises[-1]]
        results = []
        for exercise in chosen:
            file = folder.file(exercise)
            result = run(exercise, file, seconds=self.seconds, cancelled=_load_meanwhile)
            self._save(folder, result)
            results.append(result)
            if not as_json:
                self._show(folder, result, apart=len(results) > 1)
        if as_json:
            found = [report.as_data(result, self.language) for result in results]
            self._print_json({"passed": all(r.passed for r in results), "results": found})
        return 0 if all(result.passed for result in results) else 1

    def hint(self, name: str, number: int) -> int:
        """Show a hint."""
        self._remember_language()
        exercise = choose(self.exercises, name)
        total = len(exercise.hints)
        if number > total:
            raise ExerciseError("no hint", usage=True, name=exercise.name, total=total)
        report.show_hint(self.screen, exercise, number, self.language)
        if number < total:
            self._suggest("more hints", f"walkthrough exercise hint {exercise.name} {number + 1}")
        return 0

    def solution(self, name: str, anyway: bool) -> int:
        """Show the code of the solution and why it is what it is."""
        if anyway:
            self._remember_language()
        else:
            _, progress = self._open()
        exercise = choose(self.exercises, name)
        if not anyway and exercise.name not in progress.first_passed:
            raise ExerciseError("not passed", name=exercise.name)
        for line in exercise.solution.read_text(encoding="utf-8").splitlines():
            self.screen.lines([[(self.screen.charset.readable(line), "code")]])
        self.screen.text()
        self.screen.prose(exercise.why)
        return 0

    def reset(self, name: str, yes: bool) -> int:
        """Put a stub back, after asking."""
        folder, _ = self._open()
        exercise = choose(self.exercises, name)
        file = folder.file(exercise)
        if file.exists() and not yes and not self._agreed(self.words["ask"].format(file=file)):
            self.screen.text(self.words["unchanged"])
            return 1
        backup = folder.reset(exercise)
        with folder.store.changed() as progress:
            progress.passed.pop(exercise.name, None)
        what = "put back" if backup is None else "kept"
        report.paragraph(self.screen, self.words[what].format(file=file, backup=backup))
        return 0

    def doctor(self) -> int:
        """Say what there is; 1 where something is wrong."""
        from walkthrough.classroom.exercises import doctor

        try:
            folder = locate(self.given)
            self._remember_language()
        except ExerciseError:
            folder = None
        found = doctor.diagnose(self.exercises, folder, self.screen, self.language)
        width = max(len(name) for name, _ in found.facts)
        for name, value in found.facts:
            self.screen.lines(
                [[(f"{pad(name, width)}  ", "label"), (self.screen.charset.readable(value), "")]]
            )
        self.screen.text()
        for sentence in found.remarks:
            report.paragraph(self.screen, sentence)
        for sentence in found.faults:
            report.paragraph(self.screen, sentence, "bad")
        if not found.faults:
            report.paragraph(self.screen, doctor.WORDS[self.language]["ok"])
        return 1 if found.faults else 0

    def watch(self, poll: float | None) -> int:
        """Watch in a terminal; elsewhere check the next one, once."""
        if not (sys.stdout.isatty() and sys.stdin is not None and sys.stdin.isatty()):
            return self.check([], everything=False, as_json=False)
        folder, progress = self._open()

        def save(result: Result) -> Progress:
            return self._save(folder, result)

        Session(
            self.exercises,
            folder,
            self.language,
            self.make_screen,
            save,
            progress,
            seconds=self.seconds,
            poll=poll,
        ).run()
        return 0

    # What several of them need.

    def _open(self) -> tuple[Folder, Progress]:
        """The learner's folder and progress; a damaged one is set aside and made anew."""
        folder = locate(self.given)
        store = folder.store
        try:
            progress = store.read()
            self._use(progress.language)
        except DamagedError:
            aside, progress = store.set_aside()
            self._use(progress.language)
            self.complain(self.words["set aside"].format(aside=aside))
            progress.passed.clear()
            progress.language = self.language
            for exercise in self.exercises:
                result = run(exercise, folder.file(exercise), seconds=self.seconds)
                progress.record(exercise.name, result.passed)
            store.write(progress)
        return folder, progress

    def _folder_to_fill(self, wanted: str | None) -> Folder:
        """The folder named, else the one that there is already, else a new one."""
        if wanted is None:
            with contextlib.suppress(ExerciseError):
                return locate(None)
        return Folder(Path(wanted or DEFAULT))

    def _use(self, language: str) -> None:
        if not self.asked and language in WORDS:
            self.language = language

    def _remember_language(self) -> None:
        """The folder's language, where there is a folder that knows it."""
        try:
            self._use(locate(self.given).store.read().language)
        except (ExerciseError, DamagedError, OSError):
            return

    def _save(self, folder: Folder, result: Result) -> Progress:
        progress = Progress()
        try:
            with folder.store.changed() as progress:
                progress.record(result.exercise.name, result.passed)
        except DamagedError:
            _, progress = self._open()
        except OSError as error:
            self.complain(self.words["not saved"].format(reason=error.strerror))
        return progress

    def _show(self, folder: Folder, result: Result, apart: bool) -> None:
        if apart:
            self.screen.text()
        report.show_head(self.screen, result.exercise, folder, self.language)
        self.screen.text()
        report.show_result(self.screen, result, self.language)
        if not result.passed:
            name = result.exercise.name
            commands = (f"walkthrough exercise {action} {name}" for action in ("check", "hint"))
            self._suggest("start", *commands)
        self.screen.flush()

    def _suggest(self, word: str, *commands: str) -> None:
        """Commands to go on with, each on a line of its own, to be copied whole."""
        self.screen.text()
        self.screen.text(self.words[word], "rule")
        for command in commands:
            self.screen.text("  " + command, "code")

    def _agreed(self, question: str) -> bool:
        if sys.stdin is None or not sys.stdin.isatty():
            raise ExerciseError("needs yes", usage=True)
        self.screen.write(question)
        self.screen.flush()
        return sys.stdin.readline().strip().lower() in ("y", "yes", "ㅛ", "네", "예")

    def _list_data(self, folder: Folder, progress: Progress) -> dict[str, object]:
        states = [
            {
                "name": exercise.name,
                "lessons": exercise.lessons,
                "title": exercise.title,
                "state": report.state(progress, folder, exercise),
                "first_passed": progress.first_passed.get(exercise.name),
            }
            for exercise in self.exercises
        ]
        passed = sum(state["state"] == "passed" for state in states)
        return {"folder": str(folder.path.resolve()), "passed": passed,
                "total": len(states), "exercises": states}  # fmt: skip

    def _print_json(self, data: dict[str, object]) -> None:
        self.screen.write(json.dumps(data, ensure_ascii=True, indent=2) + "\n")


def _load_meanwhile() -> bool:
    """While a check runs, load what will show its result."""
    import walkthrough.classroom.prose  # noqa: F401

    return False
