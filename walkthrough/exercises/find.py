"""The exercises: a folder each, and nothing to register.

    lessons/exercises/03b_softmax_row/
        ko.py  en.py      what the learner gets: the task, stubs, doctests
        ko.md  en.md      title, hints, why the solution is what it is, a note after passing
        solution.py       code alone, the same for both languages
        check.py          what is checked besides the doctests: `check(mine)`, and, optionally,
                          `present(mine)`, whose output is shown after passing, and
                          `CHANGES`, the arguments that a function may change; MINUTES and
                          DIFFICULTY (1 easy, 2 medium, 3 hard), which are shown to the learner

The name begins with a number, which puts the exercises in order, and a letter where that is not
enough. The first line of ko.py and en.py ends with the lessons to read: "(lessons 9 to 12)".
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from walkthrough.installation import lessons_folder

# The headings of ko.md and en.md: hints (one or more), then why, then the note.
HEADINGS = {
    "ko": ("힌트", "풀이", "통과한 뒤"),
    "en": ("Hint", "Why", "After passing"),
}


class ExerciseError(Exception):
    """What was asked for cannot be done: `kind` and `fields` choose and fill the sentence.

    `usage` says that it was asked for wrongly, not that something failed.
    """

    def __init__(self, kind: str, *, usage: bool = False, **fields: object) -> None:
        self.kind, self.usage, self.fields = kind, usage, fields
        super().__init__(f"{kind}: {fields}")


@dataclass(frozen=True)
class Exercise:
    """One exercise's folder, read in one language."""

    folder: Path
    language: str

    @property
    def name(self) -> str:
        """The folder's name; the learner's file is called so, too."""
        return self.folder.name

    @cached_property
    def lessons(self) -> list[int]:
        """The lessons to read before it."""
        with self.stub.open(encoding="utf-8-sig") as file:
            numbers = re.findall(r"\d+", file.readline().rpartition("(")[2])
        return list(range(int(numbers[0]), int(numbers[-1]) + 1))

    @property
    def minutes(self) -> int:
        """About how long it takes, from `MINUTES = 10` in check.py."""
        return self._number("MINUTES")

    @property
    def difficulty(self) -> int:
        """1 easy, 2 medium, 3 hard, from `DIFFICULTY = 1` in check.py."""
        return self._number("DIFFICULTY")

    def _number(self, name: str) -> int:
        found = re.search(rf"^{name} = (\d+)$", self._check, re.MULTILINE)
        if found is None:
            raise ValueError(f"{self.folder / 'check.py'} has no {name}")
        return int(found[1])

    @cached_property
    def _check(self) -> str:
        return (self.folder / "check.py").read_text(encoding="utf-8")

    @property
    def stub(self) -> Path:
        """What the learner gets."""
        return self.folder / f"{self.language}.py"

    @property
    def solution(self) -> Path:
        """The solution's code."""
        return self.folder / "solution.py"

    @cached_property
    def title(self) -> str:
        """The heading of its Markdown."""
        return self._sections[0][0]

    @cached_property
    def hints(self) -> list[str]:
        """Markdown of each hint, from the first nudge to the plain answer."""
        return self._under(0)

    @cached_property
    def why(self) -> str:
        """Markdown: why the solution is what it is."""
        return "\n\n".join(self._under(1))

    @cached_property
    def note(self) -> str:
        """Markdown that is shown after passing."""
        return "\n\n".join(self._under(2))

    @cached_property
    def _sections(self) -> list[tuple[str, str]]:
        text = (self.folder / f"{self.language}.md").read_text(encoding="utf-8-sig")
        _, *rest = re.split(r"^##? +(.*)\n", text, flags=re.MULTILINE)
        return [(h.strip(), b.strip()) for h, b in zip(rest[::2], rest[1::2], strict=True)]

    def _under(self, which: int) -> list[str]:
        heading = HEADINGS[self.language][which]
        return [text for title, text in self._sections[1:] if title.startswith(heading)]


def find_exercises(language: str, folder: Path | None = None) -> list[Exercise]:
    """All exercises in order. `folder`: where they are, beside the lessons by default."""
    folder = folder or lessons_folder() / "exercises"
    return [Exercise(path, language) for path in sorted(folder.glob("[0-9][0-9]*_*/"))]


def choose_exercise(exercises: list[Exercise], wanted: str) -> Exercise:
    """The one asked for: 03b, 03b_softmax_row, softmax_row, or the path of its file."""
    chosen = choose_exercises(exercises, wanted)
    if len(chosen) > 1:
        names = ", ".join(exercise.name for exercise in chosen)
        raise ExerciseError("several", usage=True, wanted=wanted, names=names)
    return chosen[0]


def choose_exercises(exercises: list[Exercise], wanted: str) -> list[Exercise]:
    """The same as a list, or all of a lesson: 10."""
    name = re.split(r"[/\\]", wanted)[-1].removesuffix(".py").removesuffix(".ipynb")
    for exercise in exercises:
        number, _, rest = exercise.name.partition("_")
        if name in (exercise.name, rest) or name.lstrip("0") == number.lstrip("0"):
            return [exercise]
    if re.fullmatch("[0-9]{1,3}", name):
        of_lesson = [e for e in exercises if int(e.name[:2]) == int(name)]
        if of_lesson:
            return of_lesson
    known = ", ".join(exercise.name for exercise in exercises)
    raise ExerciseError("unknown", usage=True, wanted=wanted, known=known)


def definitions(source: str) -> dict[str, ast.AST]:
    """Functions, classes and methods of a file by name (`f`, `C`, `C.m`), with their nodes."""
    found: dict[str, ast.AST] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        if isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef):
                    found[f"{node.name}.{inner.name}"] = inner
    return found
