"""The way: each exercise stands once, behind the last lesson it needs, with its minutes."""

from __future__ import annotations

import re

import pytest

from walkthrough.course.closing import closing, with_closing
from walkthrough.course.way import course_part, find_way, stage_and_following
from walkthrough.course.words import COURSE, COURSE_PARTS
from walkthrough.exercises.find import find_exercises
from walkthrough.lesson.reading import Lesson, Prose, find_lessons, teachers_notes
from walkthrough.lesson.recording import RecordedStep

LANGUAGES = ("ko", "en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_lesson_and_every_exercise_stands_once(language: str) -> None:
    way = find_way(language)
    assert [stage.lesson for stage in way] == find_lessons(language)
    found = [exercise.name for stage in way for exercise in stage.exercises]
    assert sorted(found) == sorted(e.name for e in find_exercises(language))
    for stage in way:
        assert all(exercise.lessons[-1] == stage.lesson.number for exercise in stage.exercises)


def test_minutes_and_difficulty_are_there_and_the_same_in_both_languages() -> None:
    for ko, en in zip(find_exercises("ko"), find_exercises("en"), strict=True):
        assert ko.minutes == en.minutes
        assert ko.difficulty == en.difficulty
        assert 5 <= ko.minutes <= 90
        assert ko.difficulty in (1, 2, 3)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_lessons_minutes_are_those_of_its_notes(language: str) -> None:
    for stage in find_way(language):
        notes = teachers_notes(stage.lesson)
        assert stage.minutes == round(sum(note.minutes for note in notes))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_end_of_a_lesson_names_its_exercises_and_the_next_lesson(language: str) -> None:
    way = find_way(language)
    for stage in way:
        text = closing(stage.lesson, language, "./w")
        assert re.findall(r"^- `(\w+)`", text, re.MULTILINE) == [e.name for e in stage.exercises]
        commands = re.findall(r"^\./w (.*)$", text, re.MULTILINE)
        _, following = stage_and_following(way, stage.lesson)
        assert commands[-1] == (f"run {following.lesson.number}" if following else "progress")
        assert commands[0].startswith("exercise check") == bool(stage.exercises)
    assert COURSE[language]["last"] in closing(way[-1].lesson, language)


def test_a_lesson_of_ones_own_has_no_end_of_the_course(tmp_path) -> None:  # type: ignore[no-untyped-def]
    own = Lesson(tmp_path / "my_lesson.md")
    assert closing(own, "en") == ""
    assert with_closing([], own, "en") == []


def test_a_recorded_lesson_gets_one_step_more() -> None:
    lesson = find_lessons("en")[9]
    first = RecordedStep("first")
    steps = with_closing([first], lesson, "en")
    assert steps[0] is first
    assert len(steps) == 2
    (prose,) = steps[1].items
    assert isinstance(prose, Prose)
    assert "walkthrough exercise check 10" in prose.markdown


@pytest.mark.parametrize("language", LANGUAGES)
def test_parts_begin_where_their_first_lesson_does(language: str) -> None:
    names = [course_part(lesson, language) for lesson in find_lessons(language)]
    assert len(dict.fromkeys(names)) == len(COURSE_PARTS)
    assert all(names)
