"""The notes in a second terminal, which follow the presenter from step to step."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from walkthrough.display.table import Line, pad
from walkthrough.lesson.reading import Lesson
from walkthrough.presenter import link
from walkthrough.presenter.clock import clock, planned
from walkthrough.presenter.frame import lesson_title
from walkthrough.presenter.fullscreen import MARGIN, FullScreen
from walkthrough.presenter.keys import ACTION_OF
from walkthrough.presenter.slides import Slide
from walkthrough.presenter.view import Segments, View, prose, styled

EVERY = 0.2  # seconds between two looks


class NotesFollower(FullScreen):
    """Notes, minutes and what comes next, for where the presenter stands."""

    def __init__(
        self,
        lesson: Lesson,
        slides: Sequence[Slide],
        language: str,
        readable: Callable[[str], str] = str,
        file: Path | None = None,
    ) -> None:
        super().__init__(readable, language)
        self.lesson, self.slides = lesson, slides
        self.file = file or link.place_file(lesson)
        self.top = 0
        self.place: link.TeachersPlace | None = None

    def on_mount(self) -> None:
        """Look where the presenter stands, again and again."""
        super().on_mount()
        self.follow()
        self.set_interval(EVERY, self.follow)

    def follow(self) -> None:
        """Look once."""
        place = link.look(self.file)
        if place is not None and place.slide >= len(self.slides):
            place = None  # of another edition of the lesson
        if place is None or self.place is None or place.slide != self.place.slide:
            self.top = 0
        self.place = place
        self.draw()

    def press(self, key: str) -> None:
        """Long notes can be scrolled; q ends."""
        action = ACTION_OF.get(key)
        if action == "quit":
            self.exit()
        elif action in ("forward", "back"):
            self.top = max(0, self.top + (3 if action == "forward" else -3))
        self.draw()

    def paint(self) -> None:
        """The notes of the step, or that nobody presents."""
        width = self.size.width - 2 * MARGIN
        say = self.words
        title = self.readable(lesson_title(self.lesson))
        self.head.put(styled([[(pad(f" {title}", self.size.width), "bar")]]))
        if self.place is None:
            waiting = self.readable(
                say["waiting"].format(lesson=self.lesson.number or self.lesson.path)
            )
            self.page.put(styled([[], [(waiting, "")]]))
            self.foot.put([])
            return
        here = self.place.slide
        slide = self.slides[here]
        step = say["step"].format(step=here + 1, steps=len(self.slides))
        piece = say["progress"].format(piece=self.place.piece + 1, pieces=self.place.pieces)
        above: list[Line] = [
            [],
            [(self.readable(f"{step} {slide.title}"), "title")],
            [(self.readable(piece), "rule")],
            [],
        ]
        rows = [*styled(above), *self._notes(slide, width)]
        self.top = min(self.top, max(0, len(rows) - (self.size.height - 3)))
        self.page.put(rows, self.top)
        following = self.slides[here + 1 : here + 2]
        after = say["next"].format(title=following[0].title) if following else say["last"]
        self.foot.put(styled([[(self.readable(after), "label")], self._times(here)]))

    def _notes(self, slide: Slide, width: int) -> list[Segments]:
        text = slide.notes.text or self.words["no notes"]
        return prose(text, View(width, 1, 4, self.readable, self.language))

    def _times(self, here: int) -> Line:
        assert self.place is not None
        now = time.time()
        pieces = [
            ("this", now - self.place.entered, self.slides[here].notes.minutes),
            ("whole talk", now - self.place.started, planned(self.slides)),
        ]
        line: Line = []
        for name, spent, minutes in pieces:
            text = clock(spent)
            if minutes:
                text = self.words["minutes"].format(spent=text, planned=f"{minutes:g}")
            late = minutes and spent > 60 * minutes
            line += [(self.readable(self.words[name]) + " ", "rule")]
            line += [(self.readable(text), "bad" if late else "current"), ("    ", "")]
        return line
