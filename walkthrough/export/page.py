"""A lesson as one HTML file that needs nothing else, and the index of a course."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from walkthrough.display.html import scrolling_table, table_style
from walkthrough.display.table import Line, Table
from walkthrough.export.pool import PoolFigure, pool_figures
from walkthrough.export.prose import PageProse
from walkthrough.export.words import WORDS
from walkthrough.lesson import pool_sentences, reading
from walkthrough.lesson.pool_events import PoolEvent
from walkthrough.lesson.pool_history import HistoryReader
from walkthrough.lesson.reading import Lesson, Prose
from walkthrough.lesson.recording import Lines, RecordedStep, Statement, split_heading

if TYPE_CHECKING:
    from jinja2 import Environment, Template

HERE = "walkthrough.export"


@dataclass(frozen=True)
class PagePiece:
    """Part of a step: HTML, or the figure of a pool."""

    html: str = ""
    figure: PoolFigure | None = None


@dataclass(frozen=True)
class PageStep:
    """A step as the template takes it."""

    heading: str  # HTML
    pieces: list[PagePiece]


@dataclass(frozen=True)
class Course:
    """The lessons that are exported together; their pages name each other."""

    lessons: Sequence[Lesson]
    language: str
    precision: int
    note: str = ""  # Markdown above each lesson: which example it computes with

    def neighbour(self, lesson: Lesson, by: int) -> Lesson | None:
        """The lesson before (−1) or after (1)."""
        place = self.lessons.index(lesson) + by
        return self.lessons[place] if 0 <= place < len(self.lessons) else None


def page(lesson: Lesson, steps: Sequence[RecordedStep], course: Course) -> str:
    """The HTML of a recorded lesson."""
    words = WORDS[course.language]
    states = pool_sentences.states(course.language)
    folder, names = lesson.path.parent, {other.name for other in course.lessons}
    prose = PageProse(folder, names, words)
    reader = HistoryReader.of(steps)
    parts = [
        PageStep(
            prose.inline(step.title or lesson.title),
            list(_pieces(step, prose, reader, course)),
        )
        for step in steps
    ]
    html = _template("page.html.jinja").render(
        lesson=lesson,
        title=lesson.title,
        steps=parts,
        states=states,
        states_json=json.dumps(states),
        note=prose.html(course.note) if course.note else "",
        previous=course.neighbour(lesson, -1),
        following=course.neighbour(lesson, 1),
        **_frame(course, _file("page.js")),
    )
    return str(html)


def index(course: Course) -> str:
    """The HTML of a course's list of lessons."""
    words = WORDS[course.language]
    prose = PageProse(course.lessons[0].path.parent, (), words)
    entries = []
    for lesson in course.lessons:
        notes = reading.teachers_notes(lesson)
        minutes = round(sum(note.minutes for note in notes))
        entries.append(
            {
                "lesson": lesson,
                "aim": prose.html(_aim(lesson)),
                "steps": words["steps"].format(count=len(notes)),
                "minutes": words["minutes"].format(minutes=minutes) if minutes else "",
            }
        )
    html = _template("index.html.jinja").render(
        title=words["course"],
        entries=entries,
        note=prose.html(course.note) if course.note else "",
        **_frame(course, ""),
    )
    return str(html)


def _aim(lesson: Lesson) -> str:
    """The quotation under the title, which says what the lesson is for."""
    lines = [
        line
        for block in reading.lesson_steps(lesson)[0]
        if isinstance(block, Prose)
        for line in block.markdown.splitlines()
    ]
    quoted = itertools.takewhile(
        lambda line: line.startswith(">"),
        itertools.dropwhile(lambda line: not line.startswith(">"), lines),
    )
    return "\n".join(line.removeprefix(">").strip() for line in quoted)


def _frame(course: Course, script: str) -> dict[str, object]:
    """What every page has: its language, words, style, script, and what it may load: nothing."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = f"'sha256-{digest}'" if script else "'none'"
    return {
        "language": course.language,
        "many": len(course.lessons) > 1,
        "words": WORDS[course.language],
        "style": table_style() + _file("page.css"),
        "script": script,
        "policy": f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src {allowed}; base-uri 'none'; form-action 'none'",
    }


def _pieces(
    step: RecordedStep, prose: PageProse, reader: HistoryReader, course: Course
) -> Iterable[PagePiece]:
    """The step's prose and code in order; a pool's figure stands behind the code it is about."""
    words = WORDS[course.language]
    sources: list[str] = []
    pool_events: list[PoolEvent] = []
    for item in [*step.items, None]:
        if isinstance(item, Statement):
            sources.append(item.source)
            pool_events += item.pool_events
            if not item.shown:
                continue
        if sources:
            yield PagePiece(_code_html(sources, words["code"]))
            sources = []
        if isinstance(item, Statement):
            yield PagePiece("".join(_shown_html(x, words, course.precision) for x in item.shown))
            continue
        for figure in pool_figures(reader.cut(pool_events), course.language):
            yield PagePiece(figure=figure)
        pool_events = []
        if isinstance(item, Prose):
            text = item.markdown
            if item is step.items[0]:
                _, text = split_heading(text)  # it stands above
            if text.strip():
                yield PagePiece(prose.html(text))


def _code_html(sources: Iterable[str], label: str) -> str:
    lines = []
    for source in sources:
        for i, line in enumerate(source.splitlines()):
            prompt = "&gt;&gt;&gt; " if i == 0 else "... "
            lines.append(f'<span class="prompt">{prompt}</span>{escape(line)}')
    return (
        f'<pre class="code scroll" role="group" tabindex="0" aria-label="{escape(label)}">'
        f"<code>{chr(10).join(lines)}</code></pre>"
    )


def _shown_html(shown: Table | Lines | str, words: dict[str, str], precision: int) -> str:
    if isinstance(shown, Table):
        return scrolling_table(shown, precision, words["table"])
    attributes = f'role="group" tabindex="0" aria-label="{escape(words["output"])}"'
    if isinstance(shown, str):
        return f'<pre class="out scroll" {attributes}>{escape(shown.rstrip())}</pre>'
    if all([style for _, style in line] == ["label", ""] for line in shown.lines):
        rows = "".join(f"<span>{name}</span><span>{rest}</span>" for name, rest in _spelled(shown))
        return f'<div class="out spelled scroll" {attributes}>{rows}</div>'
    text = "\n".join(map(_line_html, shown.lines))
    return f'<pre class="out scroll" {attributes}>{text}</pre>'


def _spelled(shown: Lines) -> Iterable[tuple[str, str]]:
    """Lines of `name = terms` in two columns: no font's Hangul is just two digits wide."""
    for (name, _), (terms, _) in shown.lines:
        bare = name.rstrip().removesuffix("=").rstrip()
        yield escape(bare), escape(f"={terms}" if bare else f" {terms}")


def _line_html(line: Line) -> str:
    return "".join(
        f'<span class="wt-{escape(style)}">{escape(text)}</span>' if style else escape(text)
        for text, style in line
    )


def _file(name: str) -> str:
    return files(HERE).joinpath(name).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def _environment() -> Environment:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FunctionLoader(_file),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )


def _template(name: str) -> Template:
    return _environment().get_template(name)
