"""A lesson of one's own, with everything in it that a page must not take as it stands."""

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
