"""Watching: the next pending exercise, checked on every save, with keys in a terminal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from walkthrough.classroom.exercises import report
from walkthrough.classroom.exercises.find import Exercise
from walkthrough.classroom.exercises.folder import Folder
from walkthrough.classroom.exercises.keys import make_keys
from walkthrough.classroom.exercises.process import SECONDS, CancelledError, Result, run
from walkthrough.classroom.exercises.progress import Progress
from walkthrough.classroom.exercises.watch import Watch
from walkthrough.classroom.exercises.words import WORDS
from walkthrough.classroom.screen import Screen

INTERVAL = 0.15  # seconds from one look at the files to the next
KEYS = "nhlrq"


class Session:
    """One learner at one terminal. `save` notes an outcome and returns the progress."""

    def __init__(
        self,
        exercises: list[Exercise],
        folder: Folder,
        language: str,
        make_screen: Callable[[], Screen],
        save: Callable[[Result], Progress],
        progress: Progress,
        *,
        seconds: float = SECONDS,
        poll: float | None = None,
    ) -> None:
        self.exercises, self.folder, self.language = exercises, folder, language
        self.make_screen, self.save, self.progress = make_screen, save, progress
        self.seconds, self.interval = seconds, poll or INTERVAL
        files = {folder.file(exercise): exercise for exercise in exercises}
        self._by_file: dict[Path, Exercise] = files
        self._watch = Watch(files, read_them=poll is not None)
        self._saved: list[Path] = []
        self._keys = make_keys(self.draw)
        self._key = ""
        self._result: Result | None = None
        self._hints = 0
        self._listing = False
        self._screen = make_screen()
        self.current = next_pending(exercises, progress) or exercises[-1]

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
                if key in KEYS and key:
                    self.press(key)
                self._saved += self._watch.saved()
                if self._saved:
                    latest = self._by_file[self._saved[-1]]
                    self._saved.clear()  # before the check, which may notice others
                    self.open(latest)
                elif self.make_screen().width != self._screen.width:
                    self.draw()

    def press(self, key: str) -> None:
        """Do what a key asks for."""
        if key == "l":
            self._listing = not self._listing
            self.draw()
        elif key == "h":
            self._listing = False
            self._hints = min(self._hints + 1, len(self.current.hints))
            self.draw()
        elif key == "n":
            place = self.exercises.index(self.current) + 1
            later = self.exercises[place:] + self.exercises[:place]
            self.open(next_pending(later, self.progress) or self.current)
        else:
            self.check()

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
            result = run(self.current, file, seconds=self.seconds, cancelled=self._interrupted)
        except CancelledError:
            return
        self._result = result
        self.progress = self.save(result)
        if result.passed:
            self._hints = 0
        self.draw()

    def _interrupted(self) -> bool:
        self._saved += self._watch.saved()
        key = self._keys.read(0)
        self._key = key if key in KEYS else ""
        return bool(self._saved or self._key)

    def draw(self) -> None:
        """Everything that is to be seen now, from the top where the terminal can do that."""
        words = WORDS[self.language]
        screen = self._screen = self.make_screen()
        if screen.colour:
            screen.write("\x1b[H\x1b[2J")
        else:
            screen.text("-" * min(screen.width, 40))
        if self._listing:
            report.show_list(
                screen, self.exercises, self.progress, self.folder, self.language, self.current.name
            )
        else:
            self._draw_exercise(screen)
        screen.text()
        report.show_progress(screen, self.exercises, self.progress, self.language)
        report.paragraph(screen, words["keys"], "rule")
        screen.flush()

    def _draw_exercise(self, screen: Screen) -> None:
        words = WORDS[self.language]
        report.show_head(screen, self.current, self.folder, self.language)
        screen.text()
        if self._result is None:
            screen.text(words["checking"], "rule")
        else:
            report.show_result(screen, self._result, self.language)
            screen.text()
            then = "go on" if self._result.passed else "saving"
            report.paragraph(screen, words[then], "rule")
        for number in range(1, self._hints + 1):
            screen.text()
            report.show_hint(screen, self.current, number, self.language)


def next_pending(exercises: list[Exercise], progress: Progress) -> Exercise | None:
    """The first that is not passed."""
    return next((e for e in exercises if not progress.passed.get(e.name)), None)
