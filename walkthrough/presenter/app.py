"""The presenter: a lesson full-screen, and what each key does to it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from textual import events

from walkthrough.display.number import number
from walkthrough.lesson.reading import Lesson
from walkthrough.lesson.recording import RecordedStep
from walkthrough.lesson.running import LessonCodeError
from walkthrough.presenter import frame, link, settings
from walkthrough.presenter.drawing import draw_piece
from walkthrough.presenter.editor import Editor
from walkthrough.presenter.fullscreen import LEAST_HEIGHT, LEAST_WIDTH, MARGIN, FullScreen
from walkthrough.presenter.keys import ACTION_OF
from walkthrough.presenter.settings import Setting, SettingError
from walkthrough.presenter.slides import Position, SlideShow, slides
from walkthrough.presenter.view import SPACINGS, Segments, View
from walkthrough.reasons import Reason

RECORDED_WIDTH = LEAST_WIDTH - 2 * MARGIN


class Presenter(FullScreen):
    """One lesson, walked through forth and back."""

    def __init__(
        self,
        lesson: Lesson,
        setting: Setting,
        language: str,
        *,
        precision: int,
        readable: Callable[[str], str] = str,
        width: int | None = None,
        file: str = "",
        progress: Callable[[float], None] = lambda steps: None,
    ) -> None:
        """Record the lesson; raises LessonCodeError where its code fails.

        `progress` hears of each step recorded. `file` is where the example comes from, if it is
        not the text's; `width` the most to use.
        """
        super().__init__(readable, language)
        self.lesson, self.precision, self.most_width = lesson, precision, width
        self.setting = setting
        self.steps = self._play(setting, progress)
        self.slideshow = self.unchanged = SlideShow(slides(self.steps, precision))
        self.at = Position()
        self.undoable: list[tuple[Setting, str]] = []  # settings before, and what was changed
        self.spacing = 0
        self.digits = ""  # of the number of a step to go to
        self.message = self.words["example"].format(file=file) if file else ""
        self.editor: Editor | None = None
        self.cell = Editor()  # where the editor opens
        self.helping = self.noting = False
        self.top = 0  # the first line of the step that is on the screen
        self.started = self.entered = time.time()
        self.place_file = link.place_file(lesson)
        self.linked = True  # notes elsewhere can follow

    def on_mount(self) -> None:
        """Start the clock."""
        super().on_mount()
        self.set_interval(1, self.tick)

    def tick(self) -> None:
        """Once a second: the clock, and a sign of life for the notes."""
        self._tell()
        self.draw()

    def on_unmount(self) -> None:
        """Nobody presents any more."""
        link.leave(self.place_file)

    def press(self, key: str) -> None:
        """What a key does: in the editor, for a number, else by its action."""
        self.message = ""
        action = ACTION_OF.get(key, "")
        if self.editor is not None:
            self._press_in_editor(self.editor, key)
        elif key.isdecimal() and len(self.digits) < 3:
            self.digits += key
        elif self.digits:
            digits, self.digits = self.digits, ""
            if key == "enter":
                self.go(self.slideshow.step(int(digits) - 1))
            elif key == "backspace":
                self.digits = digits[:-1]
        elif self.helping:
            self.helping = False
            if action == "quit":
                self.exit()
        elif key in ("ctrl+up", "ctrl+down"):
            self.scroll_lines(-3 if key == "ctrl+up" else 3)
        elif action:
            getattr(self, f"do_{action}")()
        self.draw()

    def go(self, at: Position, *, from_its_end: bool = False) -> None:
        """Stand at another position."""
        if at.slide != self.at.slide:
            self.entered = time.time()
        self.at = at
        self._tell()
        self.settle(from_its_end=from_its_end)

    def settle(self, *, from_its_end: bool = False) -> None:
        """Scroll to where the piece begins, or to its end; above it, what there is room for."""
        rows, begin = draw_piece(self.slideshow, self.at, self.view)
        end = max(0, len(rows) - self.view.height)
        self.top = end if from_its_end else min(begin, end)

    def resized(self) -> None:
        """The lesson stays where it is."""
        self.settle()
        self.draw()

    # What the keys do; their names stand in `keys.ACTIONS`.

    def do_forward(self) -> None:
        """To what is still below the screen, else to the next part."""
        rows, _ = draw_piece(self.slideshow, self.at, self.view)
        room = self.view.height
        whole = self.slideshow.shown(self.at) is None  # of a working, the next term comes at once
        if whole and self.top + room < len(rows):
            self.scroll_lines(room - 2)
            return
        after = self.slideshow.forward(self.at)
        if after == self.at:
            self.message = self.words["end"]
        self.go(after, from_its_end=after == self.at)

    def do_back(self) -> None:
        """To what of this piece is above the screen, else to the part before."""
        _, begin = draw_piece(self.slideshow, self.at, self.view)
        if self.slideshow.shown(self.at) is None and self.top > begin:
            self.top = max(begin, self.top - (self.view.height - 2))
            return
        before = self.slideshow.back(self.at)
        if before == self.at:
            self.message = self.words["start"]
        self.go(before, from_its_end=True)

    def do_next_piece(self) -> None:
        """The rest of this piece, or the next one."""
        self.go(self.slideshow.skip(self.at, 1), from_its_end=True)

    def do_previous_piece(self) -> None:
        """The piece before."""
        self.go(self.slideshow.skip(self.at, -1), from_its_end=True)

    def do_next_step(self) -> None:
        """The next step's beginning."""
        self.go(self.slideshow.step(self.at.slide + 1))

    def do_previous_step(self) -> None:
        """The step's beginning, or the one before."""
        here = self.slideshow.step(self.at.slide)
        self.go(here if self.at != here else self.slideshow.step(self.at.slide - 1))

    def do_first(self) -> None:
        """The beginning of the lesson."""
        self.go(self.slideshow.step(0))

    def do_last(self) -> None:
        """The end of the lesson."""
        self.go(self.slideshow.last(), from_its_end=True)

    def do_open(self) -> None:
        """Spell this matrix out, or fold it again."""
        if not self.slideshow.piece(self.at).can_open:
            self.message = self.words["closed"]
            return
        self.slideshow = self.slideshow.opening(self.at)
        self.go(replace(self.at, part=0))

    def do_detail(self) -> None:
        """Spell out more, and after everything nothing."""
        self.slideshow = replace(self.slideshow, detail=(self.slideshow.detail + 1) % 3)
        self.message = self.words[f"detail.{self.slideshow.detail}"]
        self.go(self.slideshow.nearest(replace(self.at, part=0)))

    def do_code(self) -> None:
        """Show the code, or fold it."""
        self.slideshow = replace(self.slideshow, code=not self.slideshow.code)
        self.message = self.words["code.shown" if self.slideshow.code else "code.folded"]
        self.go(self.slideshow.nearest(self.at))

    def do_larger(self) -> None:
        """More space."""
        self._space(1)

    def do_smaller(self) -> None:
        """Less space."""
        self._space(-1)

    def _space(self, more: int) -> None:
        self.spacing = max(0, min(self.spacing + more, len(SPACINGS) - 1))
        self.go(self.at)

    def do_notes(self) -> None:
        """Show the notes, or put them away."""
        self.noting = not self.noting
        self.go(self.at)

    def do_edit(self) -> None:
        """Open the editor."""
        self.editor = replace(self.cell, typed="")

    def do_undo(self) -> None:
        """Compute again as before the last change."""
        if not self.undoable:
            self.message = self.words["nothing"]
            return
        setting, what = self.undoable.pop()
        self._compute(setting)
        self.message = self.words["undone"].format(what=what)

    def do_help(self) -> None:
        """Show the keys."""
        self.helping = True

    def do_quit(self) -> None:
        """The end."""
        self.exit()

    # Changing the example

    def _press_in_editor(self, editor: Editor, key: str) -> None:
        tables = settings.matrices(self.setting, self.steps)
        if key == "escape" or (key == "enter" and not editor.typed):
            self.cell, self.editor = editor, None
        elif key == "enter":
            self._change(editor)
        else:
            self.editor = editor.press(key, tables)

    def _change(self, editor: Editor) -> None:
        """Put the typed number in and compute everything again; a bad one changes nothing."""
        tables = settings.matrices(self.setting, self.steps)
        title, name = tables[editor.table].title, editor.name(tables)
        before = self.setting
        try:
            setting = settings.change(before, title, editor.row, editor.column, editor.typed)
            self._compute(setting)
        except SettingError as error:
            self.message = self.words[error.kind].format(**error.fields)
            self.editor = replace(editor, typed="")
            return
        except LessonCodeError as error:
            self.message = self.words["failed"].format(reason=error)
            self.editor = replace(editor, typed="")
            return
        self.undoable.append((before, name))
        self.cell, self.editor = editor, None
        value = number(float(editor.typed), self.precision)
        self.message = self.words["changed"].format(what=name, value=value)

    def _play(
        self, setting: Setting, progress: Callable[[float], None] = lambda steps: None
    ) -> list[RecordedStep]:
        return settings.play(
            self.lesson,
            setting,
            width=RECORDED_WIDTH,
            precision=self.precision,
            language=self.language,
            progress=progress,
        )

    def _compute(self, setting: Setting) -> None:
        steps = self._play(setting)
        self.setting, self.steps = setting, steps
        made = replace(self.slideshow, slides=slides(steps, self.precision))
        self.slideshow = made.beside(self.unchanged)
        self.go(self.slideshow.nearest(self.at))

    # Drawing

    @property
    def view(self) -> View:
        """The room for the lesson."""
        # A smaller window shows none of it: `draw` says so.
        most = max(LEAST_WIDTH, self.size.width)
        width = min(most, self.most_width or most) - 2 * MARGIN
        view = View(width, 1, self.precision, self.readable, self.language, self.spacing)
        taken = len(self._message(width)) or 1
        taken += 2 + len(self._notes(view))  # the head, and a free line above what is below
        return replace(view, height=max(1, max(LEAST_HEIGHT, self.size.height) - taken))

    def paint(self) -> None:
        """Head, page and foot as they are now."""
        view, all_slides = self.view, self.slideshow.slides
        title = frame.lesson_title(self.lesson)
        if self.undoable:
            title += f" ({self.words['altered']})"
        self.head.put(frame.head(title, all_slides, self.at, self.size.width, view))
        self.beside.put(self._notes(view))
        self.foot.put(
            self._message(view.width)
            or frame.foot(all_slides, self.at, time.time() - self.started, view)
        )
        if self.helping:
            self.page.put(frame.keys(view))
        elif self.editor is not None:
            tables = settings.matrices(self.setting, self.steps)
            editing, chosen = self.editor.draw(tables, self.words, view)
            self.page.put(editing, max(0, chosen + 5 - view.height))
        else:
            self.page.put(draw_piece(self.slideshow, self.at, view)[0], self.top)

    def _message(self, width: int) -> list[Segments]:
        text = self.words["go"].format(number=self.digits) if self.digits else self.message
        return frame.message(text, width, self.readable) if text else []

    def _notes(self, view: View) -> list[Segments]:
        if not self.noting:
            return []
        most = max(1, self.size.height // 3)
        return frame.notes_panel(self.slideshow.slides[self.at.slide].notes, most, view)

    def scroll_lines(self, lines: int) -> None:
        """Move what is on the screen without moving on."""
        rows, _ = draw_piece(self.slideshow, self.at, self.view)
        self.top = max(0, min(self.top + lines, len(rows) - self.view.height))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel scrolls."""
        self.scroll_lines(3)
        self.draw()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel scrolls."""
        self.scroll_lines(-3)
        self.draw()

    def _tell(self) -> None:
        slide = self.slideshow.slides[self.at.slide]
        place = link.TeachersPlace(
            self.at.slide, self.at.piece, len(slide.pieces), self.started, self.entered
        )
        try:
            link.tell(self.place_file, place)
        except OSError as error:
            if self.linked:
                self.message = self.words["unlinked"].format(reason=Reason(error))
            self.linked = False  # which is said once
