"""Where a learner is: what is kept, what comes next, how it is told."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from walkthrough.course.standing import Standing, find_standing, note_read
from walkthrough.course.summary import as_json, as_markdown, done
from walkthrough.course.view import show_next, show_way
from walkthrough.display.screen import Screen
from walkthrough.exercises.find import ExerciseError, find_exercises
from walkthrough.exercises.folder import Folder
from walkthrough.exercises.progress import Progress
from walkthrough.lesson.reading import find_lessons


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.chdir(tmp_path)
    made = Folder(tmp_path / "exercises")
    made.init(find_exercises("en"), "en")
    return made


def shown(
    standing: Standing, language: str = "en", width: int = 80, encoding: str = "utf-8"
) -> str:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding=encoding)
    screen = Screen(out, width=width, encoding=encoding)
    show_way(standing, screen, language)
    out.flush()
    return raw.getvalue().decode(encoding)


def test_reading_is_remembered_once_and_only_where_there_is_a_folder(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, *_ = find_lessons("ko")
    note_read(first)
    when = folder.store.read().read
    assert list(when) == [first.name]
    note_read(first)
    assert folder.store.read().read == when
    note_read(second)
    assert list(folder.store.read().read) == [first.name, second.name]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir("/")
    note_read(second)
    assert not list(elsewhere.iterdir())


def test_a_progress_file_of_before_lessons_were_kept_is_read(folder: Folder) -> None:
    file = folder.store.file
    data = json.loads(file.read_text(encoding="utf-8"))
    del data["read"]
    file.write_text(json.dumps(data), encoding="utf-8")
    assert folder.store.read() == Progress("en")


def test_what_comes_next_goes_along_the_way(folder: Folder) -> None:
    standing = find_standing("en")
    seen = []
    while (step := next(standing.left(), None)) is not None:
        stage, exercise = step
        seen.append(stage.lesson.name if exercise is None else exercise.name)
        with folder.store.changed() as progress:
            if exercise is None:
                progress.record_read(stage.lesson.name)
            else:
                progress.record(exercise.name, passed=True)
        standing = find_standing("en")
    expected = [
        name
        for stage in standing.way
        for name in (stage.lesson.name, *(e.name for e in stage.exercises))
    ]
    assert seen == expected
    total = f"lessons {len(standing.way)}/{len(standing.way)}"
    assert done(standing, "en").startswith(total)
    assert "Well done" in shown(standing)
    assert "100%" in shown(standing)


def test_who_passes_an_exercise_need_not_read_its_lesson(folder: Folder) -> None:
    with folder.store.changed() as progress:
        progress.record("01_passes", passed=True)
    stage, exercise = next(find_standing("en").left())
    assert (stage.lesson.number, exercise) == (2, None)


def test_a_failed_check_is_left_to_do(folder: Folder) -> None:
    with folder.store.changed() as progress:
        progress.record_read("01_two_phases")
        progress.record("01_passes", passed=False)
    _, exercise = next(find_standing("en").left())
    assert exercise is not None
    assert exercise.name == "01_passes"


def test_without_a_folder_it_says_how_to_make_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    standing = find_standing("ko")
    assert standing.folder is None
    assert "exercise init --lang ko" in shown(standing, "ko")
    with pytest.raises(ExerciseError):
        find_standing("ko", str(tmp_path))


def test_a_damaged_file_is_said_and_left_as_it_is(folder: Folder) -> None:
    folder.store.file.write_text("{", encoding="utf-8")
    standing = find_standing("en")
    assert standing.damaged
    assert "cannot be read" in shown(standing)
    note_read(find_lessons("en")[0])
    assert folder.store.file.read_text(encoding="utf-8") == "{"


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_picture_fits_its_screen(folder: Folder, width: int, language: str) -> None:
    from rich.cells import cell_len

    lines = shown(find_standing(language), language, width).splitlines()
    assert max(map(cell_len, lines)) <= width
    for stage in find_standing(language).way:
        assert any(f"{stage.lesson.number:>2}  {stage.lesson.title[:10]}" in line for line in lines)


def test_an_ascii_terminal_gets_other_marks(folder: Folder) -> None:
    text = shown(find_standing("en"), encoding="ascii")
    assert "o  1  Two phases" in text
    assert "?" not in text


def test_the_next_thing_says_how_long_it_takes(folder: Folder) -> None:
    out = io.StringIO()
    screen = Screen(out, width=80)
    show_next(find_standing("en"), screen, "en")
    screen.flush()
    first = find_standing("en").way[0]
    assert f"about {first.minutes} min" in out.getvalue()
    assert out.getvalue().rstrip().endswith("run 1")


def test_the_summary_says_what_was_done_and_by_whom(folder: Folder) -> None:
    with folder.store.changed() as progress:
        progress.record_read("01_two_phases")
        progress.record("01_passes", passed=True)
    standing = find_standing("en")
    text = as_markdown(standing, "en", "A | B")
    assert "Name: A \\| B" in text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == 1 + len(standing.way)
    assert "Counting passes (20" in rows[1]
    data = json.loads(as_json(standing, "A"))
    assert data["learner"] == "A"
    assert data["lessons"][0]["read"]
    assert data["lessons"][0]["exercises"][0]["passed"] is True
    assert data["lessons"][1]["read"] is None
