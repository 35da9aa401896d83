"""Presenting as a teacher does it: every lesson forth and back, changes, notes, a real terminal."""

from __future__ import annotations

import asyncio
import contextvars
import json
import os
import re
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.courses import course_lessons, walk
from helpers.examples import TEACHERS, teachers_file
from helpers.lessons import lesson_with_notes
from textual import events
from textual.pilot import Pilot

from walkthrough.document import current_example
from walkthrough.document.example import Example
from walkthrough.document.example_file import document
from walkthrough.lesson.reading import Lesson, find_lessons
from walkthrough.lesson.recording import record
from walkthrough.presenter import link
from walkthrough.presenter.app import Presenter
from walkthrough.presenter.fullscreen import FullScreen
from walkthrough.presenter.notes import NotesFollower
from walkthrough.presenter.settings import Setting
from walkthrough.presenter.slides import CodeShown, Position, slides

EN, KO = find_lessons("en"), find_lessons("ko")
pytestmark = pytest.mark.usefixtures("runtime_folder")
posix_only = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX system")


def presenter(lesson: Lesson, example: Example | None = None, **options: Any) -> Presenter:
    language = lesson.path.parent.name if lesson.path.parent.name in ("ko", "en") else "en"
    return Presenter(lesson, Setting(example or document()), language, precision=4, **options)


def drive(
    app: FullScreen,
    story: Callable[[Pilot[None]], Awaitable[None]],
    size: tuple[int, int] = (80, 24),
) -> None:
    """Run the app without a terminal while the story presses its keys."""

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await story(pilot)

    asyncio.run(run())


async def press(app: FullScreen, pilot: Pilot[None], *keys: str) -> None:
    """Press keys quicker than the pilot does, which waits after each of them."""
    for key in keys:
        app.post_message(events.Key(key, key if len(key) == 1 else None))
    await pilot.pause()


def screen(app: FullScreen) -> str:
    """All that the terminal shows."""
    lines: list[str] = []
    for part in (app.head, app.page, app.beside, app.foot):
        for y in range(part.size.height):
            strip = part.render_line(y)
            assert strip.cell_length == app.size.width
            lines.append(strip.text.rstrip())
    assert len(lines) == app.size.height
    return "\n".join(lines)


@pytest.mark.parametrize(
    "lesson",
    walk([*course_lessons("ko"), *course_lessons("en")]),
    ids=lambda x: f"{x.path.parent.name}-{x.name}",
)
def test_every_lesson_forth_and_back(lesson: Lesson) -> None:
    app = presenter(lesson)

    async def story(pilot: Pilot[None]) -> None:
        await press(app, pilot, "c")  # code is walked through as well
        seen = {app.at}
        for keys, end in (
            (("right", "l", "down"), app.slideshow.last()),
            (("k", "ㅗ"), Position()),
        ):
            for _ in range(200):
                await press(app, pilot, *keys * 4)
                seen.add(app.at)
                assert f"{app.at.slide + 1}/{len(app.slideshow.slides)}" in screen(app)
                if app.at == end and app.message:
                    break
            assert app.at == end
        assert len({at.slide for at in seen}) > len(app.slideshow.slides) // 2
        await press(app, pilot, "q")

    drive(app, story)
    assert app.return_code == 0


def test_keys_of_a_presenter() -> None:
    app = presenter(EN[4])

    async def story(pilot: Pilot[None]) -> None:
        async def after(*keys: str) -> Position:
            await pilot.press(*keys)
            return app.at

        assert "After this lesson" in screen(app)
        assert await after("tab") == Position(1)
        await after("c")
        assert await after("space", "pagedown", "ㅣ") == Position(1, 3)
        assert await after("pageup", "ㅏ") == Position(1, 1)
        assert await after("4", "enter") == Position(3)
        assert "to step 9" in (await after("9") and screen(app))
        assert await after("escape") == Position(3)
        assert await after("9", "9", "enter") == Position(9), "beyond the end: the last"
        assert await after("home") == await after("ㅎ") == Position()
        assert await after("end") == app.slideshow.last()
        assert await after("shift+tab") == Position(8)
        assert await after("shift+tab") == Position(7)
        await after("?")
        assert "Keys while presenting" in screen(app) and "Space l j" in screen(app)
        await after("j")
        assert "Keys while presenting" not in screen(app)
        assert app.at == Position(7), "the key that closes the help does nothing else"
        await after("f1", "ㅂ")

    drive(app, story)
    assert app.return_code == 0


def test_term_by_term_and_a_matrix_opened_on_demand() -> None:
    app = presenter(EN[4])

    async def story(pilot: Pilot[None]) -> None:
        await press(app, pilot, "c", "4", "enter", "j", "j")
        assert screen(app).count("S[간다][나는] = 1×0\n".replace("나는] ", "나는]   ")) == 1
        await press(app, pilot, "j")
        assert "S[간다][나는]   = 1×0 + 2×2 = 4" in screen(app)
        await press(app, pilot, "n", "n", "n")  # the rest of it, the code, the matrix
        assert "S = q·Kᵀ" in screen(app)
        assert "S[간다][나는]   = 1×0 + 2×2" not in screen(app).split("S = q·Kᵀ")[-1]
        await press(app, pilot, "enter", "j", "j")
        assert "S[간다][학교에] = 1×1" in screen(app).splitlines()[-4] + screen(app)
        assert "= 3" not in screen(app).splitlines()[-4]
        await press(app, pilot, "enter", "t", "t")
        assert "Matrices come whole" in screen(app)
        await press(app, pilot, "5", "enter", "j", "j", "j", "j")
        assert "P[간다][간다]   = 16.9188 / 42.1798 = 0.4011" in screen(app)
        await press(app, pilot, "tab", "n", "enter")
        await press(app, pilot, "1", "enter", "enter")
        assert "cannot be spelled out" in screen(app)

    drive(app, story)


def test_code_is_folded_until_it_is_asked_for() -> None:
    app = presenter(EN[4])

    async def story(pilot: Pilot[None]) -> None:
        await press(app, pilot, "tab", "space")
        assert ">>>" not in screen(app)
        seen, at = [app.at], None
        while app.at != at:  # every piece forth, and the same ones back
            at = app.at
            await press(app, pilot, "space")
            seen.append(app.at)
        pieces = [app.slideshow.piece(one).content for one in seen]
        assert not any(isinstance(content, CodeShown) for content in pieces)
        await press(app, pilot, "2", "enter", "space", "c")
        assert "Code is shown." in screen(app)
        await press(app, pilot, "2", "enter", "space")
        assert ">>> " in screen(app)
        await press(app, pilot, "ㅊ")  # c, with the keyboard switched to Hangul
        assert "Code is folded." in screen(app) and ">>>" not in screen(app)
        assert not isinstance(app.slideshow.piece(app.at).content, CodeShown)

    drive(app, story)


def test_what_a_change_has_changed_keeps_the_old_value_beside_it() -> None:
    app = presenter(EN[4])

    async def story(pilot: Pilot[None]) -> None:
        await press(app, pilot, "4", "enter", *["n"] * 3)
        before = screen(app)
        assert "S = q·Kᵀ" in before and "(was" not in before
        await press(app, pilot, "e", "down", "down", "right", "right", "right", "2", "enter")
        after = screen(app)
        assert "S = q·Kᵀ" in after, "the slide stays in sight"
        assert "6 (was 4)" in after
        unchanged = [line for line in before.splitlines() if "간다 │" in line]
        assert unchanged and not set(unchanged) <= set(after.splitlines())
        await press(app, pilot, "u")
        assert "(was" not in screen(app)

    drive(app, story)


def test_each_step_is_told_while_a_lesson_is_recorded() -> None:
    told: list[float] = []
    app = presenter(EN[1], progress=told.append)
    assert told == [1] * (len(app.steps) - 1)  # the closing step is not computed


def test_a_change_computes_everything_again_and_undo_takes_it_back() -> None:
    app = presenter(EN[4])

    async def story(pilot: Pilot[None]) -> None:
        await press(app, pilot, "4", "enter", "n", "n")
        before = screen(app)
        assert "S[간다][나는]   = 1×0 + 2×2 = 4" in before
        await press(app, pilot, "e", "down", "down", "right", "right", "right", "2")
        assert "New value: X[간다][4] = 2" in screen(app)
        await press(app, pilot, "enter")
        assert "S[간다][나는]   = 1×0 + 3×2 = 6" in screen(app)
        assert "X[간다][4] = 2: everything" in screen(app)
        assert "Decode with a cache (changed example)" in screen(app)
        await press(app, pilot, "e", "tab", "9", "9", "9", "9", "enter")  # W_Q, too large
        assert "at most 1,000" in screen(app)
        await press(app, pilot, "-", ".", "5", "enter")
        assert "W_Q, head 1[1][1] = -0.5000" in screen(app)
        assert "(-0.5000)×0" in screen(app)
        await press(app, pilot, "ㅕ")
        assert "Undone: W_Q, head 1[1][1]" in screen(app)
        assert "S[간다][나는]   = 1×0 + 3×2 = 6" in screen(app)
        await press(app, pilot, "u", "u")
        assert "nothing to undo" in screen(app)
        assert screen(app).splitlines()[:-1] == before.splitlines()[:-1]
        await press(app, pilot, "e", "5", "escape", "e", "enter")
        assert app.editor is None and not app.undoable

    drive(app, story)
    assert current_example.example().embedding.tolist() == document().embedding.tolist()


def test_the_block_size_is_changed_and_a_size_that_fails_changes_nothing() -> None:
    app = presenter(EN[8])

    async def story(pilot: Pilot[None]) -> None:
        await press(app, pilot, "c", "2", "enter", "n", "n", "e", "shift+tab")
        assert "block size" in screen(app)
        await press(app, pilot, "3", "enter")
        assert ">>> size = 3" in screen(app)
        await press(app, pilot, "e", "1", "enter")
        assert "OutOfBlocksError" in screen(app) and "the lesson's code fails" in screen(app)
        await press(app, pilot, "escape")
        assert app.setting.block_size == 3
        await press(app, pilot, "u")
        assert ">>> size = 2" in screen(app)

    drive(app, story)


def test_resized_and_spaced() -> None:
    app = presenter(KO[2])

    async def story(pilot: Pilot[None]) -> None:
        await press(app, pilot, "5", "enter", "n", "n", "n", "n")
        for width, height in ((160, 50), (80, 24), (300, 30), (80, 100)):
            await pilot.resize_terminal(width, height)
            await pilot.pause()
            assert "소프트맥스" in screen(app)
            lines = [screen(app)]
            for keys in ("+++", "++", "-----"):  # more of them than there are spacings
                await press(app, pilot, *keys)
                lines.append(screen(app))
            pages = [text.rpartition("\n")[0] for text in lines]  # without the clock
            assert len(set(pages[:3])) == 3 and pages[0] == pages[3]
        for width, height in ((79, 24), (80, 23), (20, 5), (3, 2), (2, 2), (1, 1)):
            await pilot.resize_terminal(width, height)
            await pilot.pause()
            text = "".join(app.page.render_line(y).text[1:] for y in range(app.page.size.height))
            assert width < 20 or f"{width}×{height}칸" in text.replace(" ", "")
            await press(app, pilot, "j", "k", "t", "s", "?", "?", "ctrl+down", "e", "escape")
            await press(app, pilot, "s", "t")
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert "소프트맥스" in screen(app)

    drive(app, story)


def test_what_is_taller_than_the_screen_is_seen_whole(tmp_path: Path) -> None:
    path = tmp_path / "tall.md"
    code = "```python\n>>> for i in range(60): print(f'line {i}.')\n```\n"
    path.write_text(f"# Tall\n\nBefore.\n\n{code}\nAfterwards.\n", encoding="utf-8")
    app = presenter(Lesson(path))

    async def story(pilot: Pilot[None]) -> None:
        for key, end in (("j", "Afterwards."), ("k", "Before.")):
            seen: set[str] = set()
            presses = 0
            while not (end in (text := screen(app)) and (presses > 3)):
                seen |= set(re.findall(r"line \d+\.", text))
                await press(app, pilot, key)
                presses += 1
                assert presses < 12
            assert len(seen) == 60
        await press(app, pilot, "j", "j")
        top = app.top
        await press(app, pilot, "ctrl+down", "ctrl+down", "ctrl+up")
        assert app.top == top + 3

    drive(app, story)


def test_a_teachers_example_with_three_heads(tmp_path: Path) -> None:
    path = teachers_file(TEACHERS["three heads"], tmp_path / "mine.toml")
    example = contextvars.copy_context().run(current_example.choose_example, path)
    app = presenter(EN[2], example, file="mine.toml")

    async def story(pilot: Pilot[None]) -> None:
        assert "Computing with the example in mine.toml." in screen(app)
        await press(app, pilot, "2", "enter", *["n"] * 4)
        assert re.search(r"the +│ +-?\d\.\d{4}", screen(app))
        for _ in range(40):
            await press(app, pilot, *["l"] * 8)
            screen(app)
            if app.at == app.slideshow.last():
                break
        assert app.at == app.slideshow.last()

    drive(app, story)


@pytest.fixture
def lesson(tmp_path: Path) -> Lesson:
    return lesson_with_notes(tmp_path)


def test_notes_on_a_key(lesson: Lesson) -> None:
    app = presenter(lesson)

    async def story(pilot: Pilot[None]) -> None:
        assert "seen" not in screen(app)
        assert "/ 5.5 min" in screen(app)
        await press(app, pilot, "s")
        assert "Ask who has seen a cache." in screen(app)
        assert "Notes, this step 2 min" in screen(app)
        await press(app, pilot, "tab", "j", "j", "j")
        assert "Let them compute one first." in screen(app)
        assert "S[new][a] = 1×3 + 2×4 = 11" in screen(app)
        await press(app, pilot, "ㄴ")
        assert "Let them" not in screen(app)

    drive(app, story)


def test_notes_elsewhere_follow(lesson: Lesson, monkeypatch: pytest.MonkeyPatch) -> None:
    app = NotesFollower(lesson, slides(record(lesson), 4), "en")
    now = time.time()

    async def story(pilot: Pilot[None]) -> None:
        assert "Waiting for the presentation: walkthrough present" in screen(app)
        link.tell(app.file, link.TeachersPlace(0, 0, 1, now - 100, now - 100))
        app.follow()
        await pilot.pause()
        assert "Ask who has seen a cache." in screen(app)
        assert "Next: Scores" in screen(app)
        assert re.search(r"this step 1:4\d / 2 min +in all 1:4\d / 5.5 min", screen(app))
        link.tell(app.file, link.TeachersPlace(1, 2, 3, now - 100, now))
        app.follow()
        await pilot.pause()
        assert "step 2/2 Scores" in screen(app) and "piece 3 of 3" in screen(app)
        assert "Let them compute one first." in screen(app)
        link.leave(app.file)
        app.follow()
        await pilot.pause()
        assert "Waiting" in screen(app)
        await press(app, pilot, "ㅂ")

    drive(app, story)
    assert app.return_code == 0


def test_long_notes_scroll_and_the_next_ones_begin_at_their_top(tmp_path: Path) -> None:
    path = tmp_path / "long.md"
    notes = "\n\n".join(f"Note {i}." for i in range(40))
    path.write_text(f"# A\n\n<!-- notes: {notes} -->\n\n## B\n\n<!-- notes: {notes} -->\n")
    app = NotesFollower(Lesson(path), slides(record(Lesson(path)), 4), "en")

    async def story(pilot: Pilot[None]) -> None:
        for slide in (0, 1):
            link.tell(app.file, link.TeachersPlace(slide, 0, 1, 0.0, 0.0))
            app.follow()
            await pilot.pause()
            assert "Note 0." in screen(app) and "Note 39." not in screen(app)
            await press(app, pilot, *["j"] * 40)
            assert "Note 39." in screen(app) and "Note 0." not in screen(app)
            await press(app, pilot, "k")
            assert "Note 39." not in screen(app)

    drive(app, story)


def test_where_the_presenter_stands_is_told_whole_or_not_at_all(
    lesson: Lesson, runtime_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = link.place_file(lesson)
    assert file.parent.parent == runtime_folder
    assert link.place_file(KO[4]) == link.place_file(EN[4]) != file
    assert link.look(file) is None
    link.tell(file, link.TeachersPlace(1, 2, 3, 4.0, 5.0))
    place = link.look(file)
    assert place is not None and (place.slide, place.piece, place.pieces) == (1, 2, 3)
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    for broken in ("", "{", "[]", '{"slide": 1}', json.dumps({"slide": 1, "other": 2})):
        file.write_text(broken, encoding="utf-8")
        assert link.look(file) is None
    link.tell(file, link.TeachersPlace(1, 2, 3, 4.0, 5.0))
    later = time.time() + link.STALE + 1
    monkeypatch.setattr(time, "time", lambda: later)
    assert link.look(file) is None, "a presenter that was killed leaves its file behind"
    link.leave(file)
    link.leave(file)
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(runtime_folder / "cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(runtime_folder / "cache"))
    assert link.place_file(lesson).parent == runtime_folder / "cache" / "walkthrough"


def test_a_folder_that_cannot_be_written_stops_no_presentation(
    lesson: Lesson, runtime_folder: Path
) -> None:
    (runtime_folder / "walkthrough").write_text("a file in the way", encoding="utf-8")
    app = presenter(lesson)

    async def story(pilot: Pilot[None]) -> None:
        app.tick()
        await pilot.pause()
        assert "Notes in another terminal cannot follow" in screen(app)
        await press(app, pilot, "tab")
        app.tick()
        assert app.at == Position(1) and not app.message, "said once"

    drive(app, story)


@pytest.mark.parametrize(
    ("typed", "said"), [("1e9", "1e9"), ("-1/3", "-1/3"), ("1_0", "1_0"), ("1" * 20, "1" * 20)]
)
def test_what_is_no_number_is_refused_as_it_was_typed(typed: str, said: str) -> None:
    app = presenter(KO[2])

    async def story(pilot: Pilot[None]) -> None:
        before = app.setting
        await press(app, pilot, "e", *typed)
        assert app.editor is not None and app.editor.typed == typed
        await press(app, pilot, "enter")
        assert said in app.message
        assert app.setting is before
        await press(app, pilot, *"25e-1", "enter")
        assert app.setting.example.embedding[0, 0] == 2.5

    drive(app, story)
