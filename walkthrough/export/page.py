"""A lesson as one HTML file that needs nothing else, and the index of a course."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from walkthrough.course.way import course_part
from walkthrough.display.drawing.picture import picture_html, picture_style
from walkthrough.display.table_heads import table_word
from walkthrough.export import board
from walkthrough.export.board import BoardFigure
from walkthrough.export.film import Films, merged, shared
from walkthrough.export.formula import formula
from walkthrough.export.prose import PageProse
from walkthrough.export.screens import Drawing, PageScreen, Piece, Screens
from walkthrough.export.words import WORDS
from walkthrough.lesson import pool_sentences, reading
from walkthrough.lesson.graph import GraphNode
from walkthrough.lesson.pool_history import PoolHistory
from walkthrough.lesson.reading import Lesson, Prose
from walkthrough.lesson.recording import RecordedStep

if TYPE_CHECKING:
    from jinja2 import Environment, Template

SCRIPTS = ("number.js", "graph.js", "board.js", "film.js", "page.js")  # one after the other
JSON_VERSION = 2


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


def page(
    lesson: Lesson,
    steps: Sequence[RecordedStep],
    course: Course,
    resized: Mapping[int, Sequence[RecordedStep]] | None = None,
) -> str:
    """The HTML of a recorded lesson; `resized`: the same with other block sizes."""
    words = WORDS[course.language]
    prose = PageProse(lesson.path.parent, {other.name for other in course.lessons}, words)
    writer = _Writer(course, prose, _screens(steps, course).all())
    for other in (resized or {}).values():
        others = [_films(_screens(other, course).histories(), course.language)]
        merged(writer.films, others, course.language)
    number = f"{lesson.number}. " if lesson.number else ""
    html = _template("page.html.jinja").render(
        title=f"{number}{prose.inline(lesson.title)}",
        steps=[writer.step(screen, lesson) for screen in writer.screens],
        data=_json(writer.data()),
        map=_map(words),
        note=prose.html(course.note) if course.note else "",
        previous=course.neighbour(lesson, -1),
        following=course.neighbour(lesson, 1),
        **_frame(course, _script(), lesson.title),
    )
    return str(html)


def unfit(steps: Sequence[RecordedStep], course: Course) -> list[str]:
    """The headings of steps that do not fit a projector's screen, however they are divided."""
    return [screen.heading for screen in _screens(steps, course).all() if not screen.fits]


def _screens(steps: Sequence[RecordedStep], course: Course) -> Screens:
    return Screens(steps, WORDS[course.language]["head"], course.precision)


def _films(histories: Iterable[PoolHistory], language: str) -> list[dict[str, Any]]:
    films = Films(language)
    return [films.film(history) for history in histories]


class _Writer:
    """Writes screens as HTML, and their matrices and films as data."""

    def __init__(self, course: Course, prose: PageProse, screens: list[PageScreen]) -> None:
        self.course, self.prose, self.screens = course, prose, screens
        self.words = WORDS[course.language]
        histories = [history for screen in screens for history in screen.histories]
        self.films = _films(histories, course.language)
        self._translate = partial(table_word, language=course.language)
        self._tables: dict[GraphNode, BoardFigure] = {}  # of each node, as it is shown first
        self._steps: list[dict[str, Any]] = []
        self._film = itertools.count()
        self._texts = itertools.count(1)
        self._here = ""
        for screen in screens:
            for piece in [*screen.pieces, *screen.givens]:
                if isinstance(piece, BoardFigure):
                    piece.id = f"n{piece.node.number}" if piece.node else f"t{next(self._texts)}"
                    if piece.node and (piece.table.title or piece.node not in self._tables):
                        self._tables.setdefault(piece.node, piece)

    def step(self, screen: PageScreen, lesson: Lesson) -> dict[str, Any]:
        """What the template needs of a screen, and its entry in the data."""
        own = [figure for figure in screen.figures if figure.own]
        parts = [part for figure in own if (part := board.part_of(figure.node))]
        film = next(self._film) if screen.histories else None
        self._here = "cache" if screen.histories else parts[-1] if parts else self._here
        entry: dict[str, Any] = {
            "id": f"step-{len(self._steps) + 1}",
            "board": [figure.id for figure in own],
            "here": self._here,
        }
        if film is not None:
            entry["films"] = [f"pool-{film + 1}"]
        self._steps.append(entry)
        columns = [
            "".join(self._piece(piece) for piece in column) for column in screen.layout.columns
        ]
        count = sum(len(source.splitlines()) for source in screen.sources)
        alone = not screen.pieces and film is None
        sizes = sorted(self.films[film]["recordings"], key=int) if film is not None else []
        name = self.films[film]["name"] if film is not None else ""
        return {
            "classes": " alone" if alone else " filmed" if film is not None else "",
            "heading": self.prose.inline(screen.heading or lesson.title),
            "place": screen.place,
            "places": screen.places,
            "prose": self._prose(screen),
            "givens": "".join(map(self._piece, screen.givens)),
            "code": _code_html(screen.sources, self.words["code"]) if screen.sources else "",
            "code_label": self.words["code.lines"].format(count=count),
            "drawn": "".join(self._drawn(BoardFigure(table, None)) for table in screen.drawn),
            "answer": screen.answer and bool(screen.pieces),
            "after": "".join(self.prose.html(text) for text in screen.after),
            "columns": columns,
            "scale": f"{screen.layout.scale:g}",
            "film": f"pool-{film + 1}" if film is not None else "",
            "film_label": self.words["film"].format(name=name).strip(),
            "sizes": sizes if len(sizes) > 1 else [],
            "words": self._words(screen, film),
        }

    def _prose(self, screen: PageScreen) -> str:
        html = "".join(self.prose.html(text) for text in screen.prose)
        if screen.answer:  # the last paragraph before the answer is the question
            before, paragraph, last = html.rpartition("<p>")
            html = f'{before}<p class="ask">{last}' if paragraph else html
        return html

    def _piece(self, piece: Piece) -> str:
        if isinstance(piece, Drawing):
            return picture_html(piece.picture, self.course.precision, self.words["values"])
        if isinstance(piece, BoardFigure):
            return board.figure_html(
                piece, self._translate, self.course.precision, self.words["table"]
            )
        attributes = f'role="group" tabindex="0" aria-label="{escape(self.words["output"])}"'
        return f'<pre class="out scroll" {attributes}>{piece.html}</pre>'

    def _drawn(self, figure: BoardFigure) -> str:
        figure.id = f"t{next(self._texts)}"
        return self._piece(figure)

    def _words(self, screen: PageScreen, film: int | None) -> str:
        """What pointing tells, as lists: for paper, and where no script runs."""
        parts = []
        if screen.sums:
            lines = "".join(
                f"<li>{escape(text)}</li>" for s in screen.sums for text in s.text.split("\n")
            )
            parts.append(f"<p><b>{escape(self.words['sums'])}</b></p><ol>{lines}</ol>")
        if film is not None:
            slots = self.films[film]["first"]
            frames = self.films[film]["recordings"][slots]["frames"]
            title = escape(self.words["events"].format(slots=slots))
            items = "".join(f"<li>{escape(frame['say'])}</li>" for frame in frames)
            parts.append(f"<p><b>{title}</b></p><ol>{items}</ol>")
        return "".join(parts)

    # ---- data ----

    def data(self) -> dict[str, Any]:
        """All that the script needs: the graph, the steps, the films, its words."""
        nodes: dict[int, GraphNode] = {}
        todo = list(self._tables)
        while todo:
            node = todo.pop()
            if node.number not in nodes:
                nodes[node.number] = node
                todo += node.inputs
        films, parts = shared({f"pool-{i}": film for i, film in enumerate(self.films, 1)})
        return {
            "version": JSON_VERSION,
            "language": self.course.language,
            "precision": self.course.precision,
            "map": board.PARTS,
            "words": {k[3:]: text for k, text in self.words.items() if k.startswith("js.")},
            "states": pool_sentences.states(self.course.language),
            "steps": self._steps,
            "nodes": [self._node(nodes[number]) for number in _in_order(nodes)],
            "films": films,
            "parts": parts,
        }

    def _node(self, node: GraphNode) -> dict[str, Any]:
        figure = self._tables.get(node)
        made: dict[str, Any] = {
            "id": f"n{node.number}",
            "op": node.op,
            "value": node.value.tolist(),
        }
        if node.inputs:
            made["in"] = [f"n{each.number}" for each in node.inputs]
        if figure or node.op == "given":
            table = figure.table if figure else board.given_table(node, self.words["head"])
            title = formula(self._translate(table.title))
            made |= {"name": title.name, "title": table.title, "math": title.html}
            made |= {
                "rows": list(map(self._translate, table.rows)),
                "cols": list(map(self._translate, table.cols)),
            }
        made |= {"shown": figure is not None, "part": board.part_of(node)}
        parameters = node.parameters
        if node.op == "given" and node.edit:
            made |= {"edit": True, "given": [parameters["name"], parameters.get("head")]}
        if node.op in ("rows", "slice"):
            made["pick"] = [parameters["rows"], parameters.get("cols")]
        if node.op == "concat":
            made["axis"] = parameters.get("axis", 0)
            arrived = node.inputs[-1].parameters.get("name") != "empty"
            if len(node.inputs) > 1 and not made["axis"] and arrived:
                count = len(node.inputs[-1].value)
                made["new"] = list(range(len(node.value) - count, len(node.value)))
        if node.op == "scale":
            made["root"] = parameters["root"]
        return made


def _in_order(nodes: Mapping[int, GraphNode]) -> list[int]:
    """Numbers of nodes, each behind those that it is made of."""
    done: dict[int, None] = {}

    def visit(node: GraphNode) -> None:
        if node.number not in done:
            for each in node.inputs:
                visit(each)
            done[node.number] = None

    for number in sorted(nodes):
        visit(nodes[number])
    return list(done)


def _json(data: object) -> str:
    """JSON inside HTML: no end of a script in it, and numbers that JSON does not know as texts."""
    text = json.dumps(_plain(data), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        if math.isnan(value) or math.isinf(value):
            return "nan" if math.isnan(value) else "∞" if value > 0 else "-∞"
        return int(value) if value == int(value) and abs(value) < 1e15 else value
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def _map(words: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """The places on the map: which, as HTML, and in words."""
    math_of = {"X": "X", "QKV": "QKV", "S": "S"}
    found = []
    for place in board.PARTS:
        if place in math_of:
            letters = "".join(f"<math><mi>{c}</mi></math>" for c in math_of[place])
            found.append((place, letters, " ".join(place)))
        else:
            found.append((place, escape(words[f"map.{place}"]), words[f"map.{place}"]))
    return found


def index(course: Course) -> str:
    """The HTML of a course's list of lessons."""
    words = WORDS[course.language]
    prose = PageProse(course.lessons[0].path.parent, (), words)
    entries: list[dict[str, object]] = []
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
    parts: list[tuple[str, list[dict[str, object]]]] = []
    for entry, lesson in zip(entries, course.lessons, strict=True):
        name = course_part(lesson, course.language)
        if not parts or parts[-1][0] != name:
            parts.append((name, []))
        parts[-1][1].append(entry)
    html = _template("index.html.jinja").render(
        title=words["course"],
        parts=parts,
        note=prose.html(course.note) if course.note else "",
        **_frame(course, "", words["course"]),
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


def _frame(course: Course, script: str, title: str) -> dict[str, object]:
    """What every page has: its language, words, style, script, and what it may load: nothing."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = f"'sha256-{digest}'" if script else "'none'"
    return {
        "language": course.language,
        "many": len(course.lessons) > 1,
        "words": WORDS[course.language],
        "style": _file("page.css") + picture_style(),
        "script": script,
        "head_title": title,
        "policy": f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src {allowed}; base-uri 'none'; form-action 'none'",
    }


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


def _script() -> str:
    """The script's parts as one: what one of them declares, the others know, and nobody else."""
    return f'"use strict";\n(() => {{\n{"".join(map(_file, SCRIPTS))}}})();\n'


def _file(name: str) -> str:
    return files("walkthrough.export").joinpath("assets", name).read_text(encoding="utf-8")


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
