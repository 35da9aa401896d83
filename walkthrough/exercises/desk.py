"""What all actions share: the learner's folder, his progress, the language, the screen."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

from walkthrough.display.screen import Screen
from walkthrough.exercises.checking.process import SECONDS, CheckResult, run_check
from walkthrough.exercises.find import Exercise, ExerciseError, find_exercises
from walkthrough.exercises.folder import DEFAULT, Folder, locate
from walkthrough.exercises.progress import DamagedError, Progress
from walkthrough.exercises.words import WORDS
from walkthrough.reasons import Reason


class Desk:
    """One learner's exercises in one language.

    `complain` says something that is no result. The language is that of the folder's `init`
    where none is `asked` for.
    """

    def __init__(
        self,
        screen: Screen,
        complain: Callable[[str], None],
        language: str,
        *,
        asked: bool = False,
        given: str | None = None,
        seconds: float = SECONDS,
    ) -> None:
        self.screen, self.complain = screen, complain
        self.language, self.asked, self.given, self.seconds = language, asked, given, seconds
        self.progress = Progress()
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

    @property
    def next_pending(self) -> Exercise:
        """The first that is not passed; the last where all are."""
        pending = (e for e in self.exercises if not self.progress.passed.get(e.name))
        return next(pending, self.exercises[-1])

    def open(self) -> Folder:
        """The learner's folder, with its progress; a damaged one is set aside and made anew."""
        folder = locate(self.given)
        try:
            self.progress = folder.store.read()
            self._use(self.progress.language)
        except DamagedError:
            aside, last = folder.store.set_aside()
            self._use(last.language)
            self.complain(self.words["set aside"].format(aside=aside))
            self.progress = Progress(self.language, {}, last.first_passed, last.read)
            for exercise in self.exercises:
                result = run_check(exercise, folder.file(exercise), seconds=self.seconds)
                self.progress.record(exercise.name, result.passed)
            folder.store.write(self.progress)
        return folder

    def record(self, folder: Folder, result: CheckResult) -> None:
        """Note an outcome; where it cannot be saved, say so and go on."""
        name = result.exercise.name
        self.progress.record(name, result.passed)
        try:
            with folder.store.changed() as progress:
                progress.record(name, result.passed)
            self.progress = progress
        except DamagedError:
            self.open()
        except OSError as error:
            self.complain(self.words["not saved"].format(reason=Reason(error)))

    def folder_to_fill(self, wanted: str | None) -> Folder:
        """The folder named, else the one that there is already, else a new one."""
        wanted = wanted or self.given
        if wanted is None:
            with contextlib.suppress(ExerciseError):
                return locate(None)
        return Folder(Path(wanted or DEFAULT))

    def remember_language(self) -> Folder | None:
        """Speak the folder's language, where there is a folder that knows it."""
        try:
            folder = locate(self.given)
        except ExerciseError:
            return None
        self.speak_as(folder)
        return folder

    def speak_as(self, folder: Folder) -> None:
        """The language that a folder was begun in, where it knows it and none is asked for."""
        with contextlib.suppress(DamagedError, OSError):
            self._use(folder.store.read().language)

    def keep_language(self, folder: Folder) -> bool:
        """Speak the language that was asked for in this folder from now on; whether that is new."""
        with contextlib.suppress(DamagedError, OSError):
            if self.asked and folder.store.read().language != self.language:
                with folder.store.changed() as progress:
                    progress.language = self.language
                return True
        return False

    def suggest(self, word: str, *commands: str) -> None:
        """Commands to go on with, each on a line of its own, to be copied whole."""
        self.screen.text()
        self.screen.text(self.words[word], "rule")
        for command in commands:
            self.screen.text("  " + command, "code")

    def _use(self, language: str) -> None:
        if not self.asked and language in WORDS:
            self.language = language
