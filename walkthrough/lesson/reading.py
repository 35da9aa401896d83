"""The lesson files: where they are, their titles, and their parts.

A lesson is a Markdown file: one `#` title, a `##` heading for each step, prose, and fenced
`python` blocks of doctest examples. The same file is run here, read on a page, and tested.
A comment `<!-- notes 3 min: ... -->` under a heading is for the teacher who presents that step.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from walkthrough.installation import lessons_folder

if TYPE_CHECKING:
    import doctest

    from markdown_it.token import Token


ASIDE, ASIDE_END = "<!-- about the text -->", "<!-- end -->"
LARGEST_LESSON = 2_000_000  # bytes; the longest of the course has thirty thousand


class LessonError(Exception):
    """A lesson or a language that is not there, or a file that cannot be read as a lesson."""

    def __init__(self, kind: str, **fields: object) -> None:
        self.kind, self.fields = kind, fields
        super().__init__(f"{kind}: {fields}")


@dataclass(frozen=True)
class Prose:
    """A piece of Markdown."""

    markdown: str


@dataclass(frozen=True)
class CodeBlock:
    """A fenced block of doctest examples; `line` is where its first line stands in the file.

    One that is `hidden` is run, for what follows may need its names, and not shown.
    """

    source: str
    line: int
    hidden: bool = False

    @cached_property
    def examples(self) -> list[doctest.Example]:
        """The statements, each with the output that the file has. ValueError: not readable."""
        from doctest import DocTestParser  # slow to import, and `list` needs none

        return DocTestParser().get_examples(self.source)


def is_skipped(example: doctest.Example) -> bool:
    """Whether the file says `# doctest: +SKIP` beside a statement."""
    from doctest import SKIP

    return example.options.get(SKIP, False)


@dataclass(frozen=True)
class Notes:
    """What a teacher wants to know while presenting a step, and how many minutes it takes."""

    text: str = ""
    minutes: float = 0


LessonStep = tuple[Prose | CodeBlock, ...]


@dataclass(frozen=True)
class Lesson:
    """A lesson's file: 05_decode_with_cache.md is number 5, my_lesson.md has no number.

    It is read and parsed once, when that is first needed. `without_text` hides what it says about
    the text that the course goes back to: what stands between ASIDE and ASIDE_END.
    """

    path: Path
    without_text: bool = field(default=False, compare=False)

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.path.stem

    @property
    def number(self) -> int | None:
        """The number in front of the name, if there is one."""
        found = re.match(r"([0-9]+)_", self.name)
        return int(found[1]) if found else None

    @cached_property
    def title(self) -> str:
        """The text of its first heading, which stands in the first line; else its name."""
        first, _, _ = _decoded(self._bytes, "replace").partition("\n")
        found = re.match(r"#\s+(?:[0-9]+\.\s*)?(.+)", first)
        return found[1].strip() if found else self.name

    @property
    def remarks(self) -> list[tuple[str, dict[str, str]]]:
        """What the file lacks and is shown without: kinds of REMARKS, with their fields."""
        found: list[tuple[str, dict[str, str]]] = []
        if not re.match(r"#\s+\S", self.text):
            found.append(("no title", {"lesson": str(self.path)}))
        for picture in re.findall(r"!\[[^\]]*\]\(<?([^)>\s]+)", self.text):
            local = not re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//", picture)
            if local and not (self.path.parent / unquote(picture)).is_file():
                found.append(("no picture", {"lesson": str(self.path), "picture": picture}))
        return found

    @cached_property
    def text(self) -> str:
        """What the file holds. Raises LessonError where it is not UTF-8."""
        try:
            return _decoded(self._bytes)
        except UnicodeDecodeError as error:
            raise LessonError("encoding", lesson=self.path, position=error.start) from error

    @cached_property
    def _bytes(self) -> bytes:
        with self.path.open("rb") as file:
            found = file.read(LARGEST_LESSON + 1)
        if len(found) > LARGEST_LESSON:
            raise LessonError("too long", lesson=self.path, most=LARGEST_LESSON)
        return found

    @cached_property
    def needs(self) -> list[str]:
        """What it needs beside the base installation, from a comment `<!-- needs: torch -->`."""
        found = re.search(r"^<!-- needs: (.*) -->$", self.text, re.MULTILINE)
        return found[1].split() if found else []

    @property
    def missing(self) -> list[str]:
        """Those of them that are not here."""
        from walkthrough.lesson.needs import is_here

        return [name for name in self.needs if not is_here(name)]

    @cached_property
    def parsed(self) -> tuple[tuple[LessonStep, Notes], ...]:
        """Its steps, each with its notes. Raises LessonError where it cannot be read so."""
        return tuple(_parse(self))


def _decoded(data: bytes, errors: str = "strict") -> str:
    """Text of UTF-8 with any ends of lines."""
    return data.decode("utf-8-sig", errors).replace("\r\n", "\n").replace("\r", "\n")


NOTES = re.compile(r"<!--\s*notes(?:\s+([0-9]+(?:\.[0-9]+)?)\s*min)?\s*:(.*?)-->", re.DOTALL)


def find_lessons(language: str) -> list[Lesson]:
    """All lessons in a language, in order. Raises LessonError where the language is missing."""
    folder = lessons_folder() / language
    found = sorted(folder.glob("[0-9][0-9]_*.md")) if language.isidentifier() else []
    if not found:
        known = sorted(path.name for path in lessons_folder().glob("??"))
        raise LessonError("language", language=language, known=", ".join(known))
    return [Lesson(path) for path in found]


def choose_lessons(
    lessons: list[Lesson], wanted: list[str], without_text: bool = False
) -> list[Lesson]:
    """The lessons asked for by number (5, 05), name, file or `all`, in that order; none means all.

    What ends in .md and is a file is that file, whatever the course has by this name.
    """
    if without_text:
        lessons = [replace(lesson, without_text=True) for lesson in lessons]
    chosen = []
    for want in wanted:
        if want == "all":
            chosen += lessons
            continue
        name = want.removesuffix(".md")
        own = name != want and Path(want).is_file()
        named = [x for x in lessons if name == x.name or re.fullmatch(f"0*{x.number}", name)]
        if own:
            chosen.append(Lesson(Path(want), without_text))
        elif named:
            chosen.append(named[0])
        else:
            known = ", ".join(lesson.name for lesson in lessons)
            raise LessonError("lesson" if name == want else "file", lesson=want, known=known)
    return chosen or lessons


def lesson_steps(lesson: Lesson) -> list[LessonStep]:
    """The lesson cut at its `##` headings, each step in its prose and code blocks."""
    return [step for step, _ in lesson.parsed]


def teachers_notes(lesson: Lesson) -> list[Notes]:
    """The teacher's notes to each of the lesson's steps, empty where there are none."""
    return [notes for _, notes in lesson.parsed]


def _parse(lesson: Lesson) -> list[tuple[LessonStep, Notes]]:
    from markdown_it import MarkdownIt

    text = lesson.text
    lines = re.split(r"(?<=\n)", text)  # as Markdown counts them: a form feed ends no line
    found: list[list[Prose | CodeBlock]] = [[]]
    noted: list[list[Notes]] = [[]]
    prose_from, aside = 0, 0  # the line where an aside begins
    before_comment = ""

    def close_prose(end: int) -> None:
        nonlocal before_comment
        markdown = (before_comment + "".join(lines[prose_from:end])).strip()
        before_comment = ""
        if markdown and not (aside and lesson.without_text):
            found[-1].append(Prose(markdown))

    def after(end: int) -> int:
        """The first line with something in it from this one on."""
        while end < len(lines) and not lines[end].strip():
            end += 1
        return min(end, len(lines))

    for token in MarkdownIt().parse(text):
        if token.map is None:
            continue
        start, end = token.map
        if token.level != 0:
            if _is_code(token):
                raise LessonError("nested", lesson=lesson.path, line=start + 1)
            continue
        if token.type == "heading_open" and token.tag == "h2":
            close_prose(start)
            prose_from = start
            if not (aside and lesson.without_text):  # a whole step may be one
                found.append([])
                noted.append([])
        elif _is_code(token):
            close_prose(start)
            prose_from = end
            code = CodeBlock(token.content, start + 2, bool(aside) and lesson.without_text)
            found[-1].append(code)
            _check_prompts(lesson, code)
        elif token.type == "html_block" and token.content.startswith("<!-- page -->"):
            if aside:
                raise LessonError("aside", lesson=lesson.path, line=aside)
            close_prose(start)  # the rest is for the page: links from lesson to lesson
            prose_from = len(lines)
            break
        elif token.type == "html_block" and token.content.strip() in (ASIDE, ASIDE_END):
            close_prose(start)
            prose_from = after(end)
            if token.content.strip() == ASIDE_END and not aside:
                raise LessonError("aside", lesson=lesson.path, line=start + 1)
            aside = 0 if aside else start + 1
        elif token.type == "html_block" and token.content.startswith("<!--"):
            # A comment is for the file's reader, and parts no prose.
            before_comment += "".join(lines[prose_from:start])
            prose_from = after(end)
            note = NOTES.match(token.content)
            if note and not (aside and lesson.without_text):
                noted[-1].append(Notes(note[2].strip(), float(note[1] or 0)))
    if aside:
        raise LessonError("aside", lesson=lesson.path, line=aside)
    close_prose(len(lines))
    if not any(found):
        raise LessonError("empty", lesson=lesson.path)
    return [
        (tuple(blocks), _together(notes))
        for blocks, notes in zip(found, noted, strict=True)
        if blocks
    ]


def _is_code(token: Token) -> bool:
    """A block that is run: fenced as `python`, with prompts. Others are shown and not run."""
    runs = token.type == "fence" and token.info.strip() == "python"
    return runs and re.search(r"^\s*>>>", token.content, re.MULTILINE) is not None


def _check_prompts(lesson: Lesson, code: CodeBlock) -> None:
    """Raise LessonError where doctest cannot read a block, with the line of the file."""
    try:
        _ = code.examples
    except ValueError as error:  # line 1 of the docstring for <string> lacks blank after >>>: ...
        found = re.match(r"line (\d+) of the docstring for \S+ (.*)", str(error), re.DOTALL)
        line, reason = (int(found[1]), found[2]) if found else (1, str(error))
        place = {"lesson": lesson.path, "line": code.line + line - 1}
        raise LessonError("prompts", **place, reason=reason) from error


def _together(notes: list[Notes]) -> Notes:
    """Several notes to one step as one."""
    return Notes("\n\n".join(n.text for n in notes if n.text), sum(n.minutes for n in notes))
