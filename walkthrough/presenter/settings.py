"""What a teacher changes while presenting: the example's numbers, and the size of a block."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from dataclasses import dataclass, replace

from walkthrough.course.closing import with_closing
from walkthrough.display.table import Table
from walkthrough.document import current_example
from walkthrough.document.example import Example
from walkthrough.document.example_checks import LARGEST_NUMBER
from walkthrough.lesson.block_size import block_size, with_block_size
from walkthrough.lesson.reading import Lesson
from walkthrough.lesson.recording import RecordedStep, Recorder, record

BLOCK_SIZE = "block size"
LARGEST_BLOCK = 64
CHANGED = "changed"  # where a changed number comes from


class SettingError(Exception):
    """A value that does not go there; `kind` names the sentence."""

    def __init__(self, kind: str, **fields: object) -> None:
        self.kind, self.fields = kind, fields
        super().__init__(f"{kind}: {fields}")


@dataclass(frozen=True)
class Setting:
    """What the lesson is computed with. `block_size` None: what its code says."""

    example: Example
    block_size: int | None = None


def play(
    lesson: Lesson,
    setting: Setting,
    *,
    width: int,
    precision: int,
    language: str = "en",
    progress: Callable[[float], None] = lambda steps: None,
) -> list[RecordedStep]:
    """The lesson recorded with this setting. Raises `running.LessonCodeError`."""

    def inside() -> list[RecordedStep]:
        current_example.take(setting.example)
        rewrite = None
        if (size := setting.block_size) is not None:
            rewrite = with_block_size(size)
        recorder = Recorder(width=width, precision=precision)
        steps = record(lesson, recorder, rewrite, language, progress)
        return with_closing(steps, lesson, language)

    return contextvars.copy_context().run(inside)


def matrices(setting: Setting, steps: list[RecordedStep]) -> list[Table]:
    """All that can be changed, as tables: embeddings, weights, and the block size if any."""
    ex = setting.example
    model = [str(i + 1) for i in range(ex.d_model)]
    head = [str(i + 1) for i in range(ex.d_k)]
    heads = [str(i + 1) for i in range(ex.heads * ex.d_k)]
    found = [Table("X", ex.embedding.tolist(), ex.tokens, model)]
    for name, W in (("W_Q", ex.W_Q), ("W_K", ex.W_K), ("W_V", ex.W_V)):
        for i in range(ex.heads):
            found.append(Table(f"{name}, head {i + 1}", W[i].tolist(), model, head))
    found.append(Table("W_O", ex.W_O.tolist(), heads, model))
    found.append(Table("W_vocab", ex.W_vocab.tolist(), model, ex.tokens))
    size = setting.block_size or block_size(steps)
    if size is not None:
        found.append(Table(BLOCK_SIZE, [[size]], [BLOCK_SIZE]))
    return found


def change(setting: Setting, title: str, row: int, column: int, text: str) -> Setting:
    """The setting with one number changed. Raises `SettingError` where it cannot be that."""
    if title == BLOCK_SIZE:
        if not (text.isascii() and text.isdigit() and 1 <= int(text) <= LARGEST_BLOCK):
            raise SettingError("whole", low=1, high=LARGEST_BLOCK, value=text)
        return replace(setting, block_size=int(text))
    try:
        value = float(text if "_" not in text else "")  # Python's own 1_000 is nobody else's
    except ValueError:
        raise SettingError("number", value=text) from None
    if not abs(value) <= LARGEST_NUMBER:  # NaN is not, either
        raise SettingError("large", limit=f"{LARGEST_NUMBER:,.0f}", value=text)
    ex = setting.example
    name, _, head = title.partition(", head ")
    if name == "X":
        array = ex.embedding.copy()
        array[row, column] = value
        origins = tuple(CHANGED if i == row else o for i, o in enumerate(ex.token_origins))
        return replace(setting, example=replace(ex, embedding=array, token_origins=origins))
    array = getattr(ex, name).copy()
    if not head:
        array[row, column] = value
        example = replace(ex, output_origin=CHANGED, **{name: array})
        return replace(setting, example=example)
    array[int(head) - 1, row, column] = value
    origins = tuple(CHANGED if i == int(head) - 1 else o for i, o in enumerate(ex.head_origins))
    return replace(setting, example=replace(ex, head_origins=origins, **{name: array}))
