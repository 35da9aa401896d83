"""Whatever a lesson's file holds, it is read, or refused in one clear sentence; none is run."""

from __future__ import annotations

import tempfile
from pathlib import Path

from helpers.strange import ODD, damaged
from hypothesis import given, settings
from hypothesis import strategies as st

from walkthrough.lesson.reading import CodeBlock, Lesson, LessonError, lesson_steps, teachers_notes
from walkthrough.lesson.words import LESSON_ERRORS

SECONDS = 5000  # milliseconds, on a busy machine; each takes a few
WHOLE = b"""# 5. A title

<!-- needs: torch -->
<!-- notes 2 min: Ask. -->

Prose with `code`, ![a picture](a%20b.png).

## A step

```python
>>> x = 1  # doctest: +SKIP
>>> for i in range(2):
...     i
0
1
>>> 1 / 0
Traceback (most recent call last):
ZeroDivisionError: division by zero

```

- a list

<!-- page -->
[next](06.md)
"""


def check(content: bytes) -> None:
    """Steps whose code stands where they say, or LessonError."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "05_a.md")
        path.write_bytes(content)
        lesson = Lesson(path)
        try:
            assert lesson.title
            steps, _ = lesson_steps(lesson), lesson.remarks
            assert len(teachers_notes(lesson)) == len(steps)
            _ = lesson.needs, lesson.missing
        except LessonError as error:
            for language in ("ko", "en"):
                assert LESSON_ERRORS[language][error.kind].format(**error.fields)
            return
    lines = lesson.text.split("\n")
    for block in [block for step in steps for block in step]:
        if isinstance(block, CodeBlock) and "\t" not in block.source:
            first = block.source.split("\n")[0].strip()
            # Markdown shows a null as U+FFFD.
            assert first in lines[block.line - 1].replace("\0", "\ufffd")


@given(damaged(WHOLE))
@settings(deadline=SECONDS, max_examples=200)
def test_a_damaged_lesson_is_read_or_refused(content: bytes) -> None:
    check(content)


@given(
    st.lists(st.sampled_from([*ODD, "\n", "\n\n", "```python\n>>> 1\n", "    ", "# "])).map("".join)
)
@settings(deadline=SECONDS, max_examples=100)
def test_noise_is_read_or_refused(text: str) -> None:
    check(text.encode())
