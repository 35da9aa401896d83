"""Watching: the next pending exercise, checked on every save, with keys in a terminal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from walkthrough.display.keys import make_keys
from walkthrough.display.screen import Screen
from walkthrough.exercises import report
from walkthrough.exercises.checking.process import CancelledError, CheckResult, run_check
from walkthrough.exercises.desk import Desk
from walkthrough.exercises.find import Exercise
from walkthrough.exercises.folder import Folder
from walkthrough.exercises.watch import Watch

INTERVAL = 0.15  # seconds from one look at the files to the next
KEYS_HERE = "nbhlrqjk\r\n"


class Session:
    """One learner at one terminal; `make_screen` gives a screen of its present width.

    `poll`: compare what files hold, every so many seconds, in place of their times.
    """

    def __init__(
        self,
        desk: Desk,
        folder: Folder,
        make_screen: Callable[[], Screen],
        poll: float | None = None,
    ) -> None:
        self.desk, self.folder, self.make_screen = desk, folder, make_screen
        self.interval = poll or INTERVAL
        self._by_file = {folder.file(exercise): exercise for exercise in desk.exercises}
        self._watch = Watch(self._by_file, read_them=poll is not None)
        self._saved: list[Path] = []
        self._keys = make_keys(self.draw)
        self._key = ""
        self._result: CheckResult | None = None
        self._hints = 0
        self._listing = False
        self.current = desk.next_pending
        self._marked = self.current  # in the list

    def run(self) -> None:
        """Until q, or the end of the terminal."""
        with self._keys:
            self.check()
            while True:
                try:
                    key = self._key or self._keys.read(self.interval)
                except EOFError:
                    return
                self._key = ""
                if key == "q":
                    return
                if key in KEYS_HERE and key:
                    self.press(key)
                self._look()
                if self._saved:
                    latest = self._by_file[self._saved[-1]]
                    self._saved.clear()  # before the check, which may notice others
                    self.open(latest)
                elif self.make_screen().width != self.desk.screen.width:
                    self.draw()

    def press(self, key: str) -> None:
        """Do what a key asks for."""
        if key == "l":
            self._listing, self._marked = not self._listing, self.current
            self.draw()
        elif self._listing and key in "jk":
            self._marked = self._beside(self._marked, 1 if key == "j" else -1)
            self.draw()
        elif self._listing and key in "\r\n":
            self.open(self._marked)
        elif key in "jk\r\n":
            return  # keys of the list
        elif key == "b":
            self.open(self._beside(self.current, -1))
        elif key == "h":
            self._listing = False
            self._hints = min(self._hints + 1, len(self.current.hints))
            self.draw()
        elif key == "n":
            self.open(self._next())
        else:
            self.check()

    def _beside(self, exercise: Exercise, by: int) -> Exercise:
        """The one before or after, around the ends of the list."""
        all_of_them = self.desk.exercises
        return all_of_them[(all_of_them.index(exercise) + by) % len(all_of_them)]

    def _next(self) -> Exercise:
        """The next that is not passed, around the end of the list; else the current one."""
        place = self.desk.exercises.index(self.current) + 1
        later = self.desk.exercises[place:] + self.desk.exercises[:place]
        pending = (e for e in later if not self.desk.progress.passed.get(e.name))
        return next(pending, self.current)

    def open(self, exercise: Exercise) -> None:
        """Turn to an exercise and check it."""
        if exercise != self.current:
            self.current, self._hints = exercise, 0
        self._listing = False
        self.check()

    def check(self) -> None:
        """Check the current exercise; a key or another save breaks it off."""
        self._result = None
        self.draw()
        file = self.folder.file(self.current)
        try:
            result = run_check(
                self.current, file, seconds=self.desk.seconds, cancelled=self._interrupted
            )
        except CancelledError:
            return
        self._result = result
        self.desk.record(self.folder, result)
        if result.passed:
            self._hints = 0
        self.draw()

    def _look(self) -> None:
        """Take down what was saved; of what was deleted, only the file that is looked at counts."""
        for path in self._watch.saved():
            if path.exists() or self._by_file[path] == self.current:
                self._saved.append(path)

    def _interrupted(self) -> bool:
        self._look()
        key = self._keys.read(0)
        self._key = key if key in KEYS_HERE else ""
        return bool(self._saved or self._key)

    def draw(self) -> None:
        """Everything that is to be seen now, from the top where the terminal can do that."""
        screen = self.desk.screen = self.make_screen()
        screen.clear()
        if self._listing:
            report.show_exercises(self.desk, self.folder, self._marked)
        else:
            self._draw_exercise(screen)
        screen.text()
        report.show_progress(self.desk)
        report.paragraph(screen, self.desk.words["keys.list" if self._listing else "keys"], "rule")
        screen.flush()

    def _draw_exercise(self, screen: Screen) -> None:
        words, language = self.desk.words, self.desk.language
        report.show_head(screen, self.current, self.folder, language)
        screen.text()
        if self._result is None:
            screen.text(words["checking"], "rule")
        else:
            file = self.folder.file(self._result.exercise)
            report.show_result(screen, self._result, language, file)
            screen.text()
            then = "go on" if self._result.passed else "saving"
            report.paragraph(screen, words[then], "rule")
        for number in range(1, self._hints + 1):
            screen.text()
            report.show_hint(screen, self.current, number, language)
