"""Lessons of one's own: one with all that a page must not take as it stands, one with notes."""

from __future__ import annotations

from pathlib import Path

from walkthrough.lesson.reading import Lesson

OWN = """# <i>Mine</i> & yours

> **Aim** of [q, k]

<script>alert(1)</script> <EOS> [a](05_decode_with_cache.md) [bad](javascript:alert(1))

![a picture](dot.png) ![far](https://example.org/x.png) ![up](/etc/hostname.png)

<!-- notes 2 min: SECRET -->

```python
def not_run(x): return x < 1
```

## Numbers & 한글

```python
>>> from walkthrough import show
>>> show([["<b>", 1.5]], "a<b", cols=["<EOS>", "y"])
>>> print("</pre><script>alert(2)</script>")
>>> print("one", end="\\n\\n")
>>> print("two")
>>> 1 + 1
```
"""


def own_lesson(folder: Path) -> Lesson:
    path = folder / "my_lesson.md"
    path.write_text(OWN, encoding="utf-8")
    (folder / "dot.png").write_bytes(b"\x89PNG")
    return Lesson(path)


WITH_NOTES = """# A lesson of mine

Hello.

<!-- notes 2 min: Ask who has **seen** a cache. -->

## Scores

<!-- notes 3.5 min: Let them compute one first. -->

```python
>>> from walkthrough import spell
>>> spell([[1, 2]], [[3], [4]], "S", rows=["new"], cols=["a"])
S[new][a] = 1×3 + 2×4 = 11
```
"""


def lesson_with_notes(folder: Path) -> Lesson:
    path = folder / "my_lesson.md"
    path.write_text(WITH_NOTES, encoding="utf-8")
    return Lesson(path)
