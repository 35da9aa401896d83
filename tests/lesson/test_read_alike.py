"""The runner, what is recorded for pages and presenters, and pytest do the same with one file."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from walkthrough.display.screen import Screen
from walkthrough.lesson.reading import Lesson, LessonError
from walkthrough.lesson.recording import Statement, record
from walkthrough.lesson.running import LessonCodeError, run_lesson
from walkthrough.lesson.words import RUNNING

ROOT = Path(__file__).parents[2]
MIXED = """# A lesson

```python
>>> x = 1
>>> x / 0  # doctest: +SKIP
>>> x / 0
Traceback (most recent call last):
ZeroDivisionError: division by zero
>>> x + 1
2

```

~~~python
>>> x + 2
3

~~~

```python
raise SystemExit("shown and not run")
```

```pycon
>>> raise SystemExit("shown and not run")
```

```text
>>> raise SystemExit
```

- in a list:

  ```pycon
  >>> raise SystemExit
  ```
"""


def lesson(tmp_path: Path, text: str) -> Lesson:
    path = tmp_path / "my_lesson.md"
    path.write_text(text, encoding="utf-8")
    return Lesson(path)


def run(of: Lesson, language: str = "en") -> str:
    out = io.StringIO()
    run_lesson(of, Screen(out, width=200), language=language)
    return out.getvalue()


def pytest_of(of: Lesson, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """Pytest with the lessons' own way of collecting."""
    shutil.copy(ROOT / "lessons" / "conftest.py", tmp_path / "conftest.py")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(of.path)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path
    )


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_mixed_lesson_is_run_alike(tmp_path: Path, language: str) -> None:
    of = lesson(tmp_path, MIXED)
    shown = run(of, language)
    assert RUNNING[language]["skipped"] in shown
    assert (
        "Traceback (most recent call last):\n    ...\nZeroDivisionError: division by zero" in shown
    )
    statements = [item for step in record(of, language=language) for item in step.items
                  if isinstance(item, Statement)]  # fmt: skip
    assert [(s.skipped, s.raises) for s in statements] == [
        (False, False), (True, False), (False, True), (False, False), (False, False),
    ]  # fmt: skip
    for statement in statements:
        for piece in statement.shown:
            assert isinstance(piece, str)
            assert piece in shown
    assert statements[1].shown == (RUNNING[language]["skipped"] + "\n",)
    if language == "en":
        done = pytest_of(of, tmp_path)
        assert done.returncode == 0, done.stdout
        assert "5 passed" in done.stdout


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (">>> x = 1\n>>> x / 0", 5),  # an error that is not expected
        (">>> 1 / 1\nTraceback (most recent call last):\nZeroDivisionError: division by zero", 4),
        (">>> [][1]\nTraceback (most recent call last):\nValueError: another", 4),
        (">>> raise SystemExit(3)", 4),
        (">>> x y", 4),
    ],
)
def test_what_fails_here_fails_there(tmp_path: Path, code: str, line: int) -> None:
    of = lesson(tmp_path, f"# A\n\n```python\n{code}\n\n```\n")
    for attempt in (run, record):
        with pytest.raises(LessonCodeError, match=f"my_lesson.md, line {line}: "):
            attempt(of)
    done = pytest_of(of, tmp_path)
    assert done.returncode == 1, done.stdout
    assert f"my_lesson.md line={line} column=1" in done.stdout


@pytest.mark.parametrize("before", ["- a list:\n\n  ", "1. a list\n   ", "> "])
def test_code_in_a_list_or_a_quotation_is_refused_by_all(tmp_path: Path, before: str) -> None:
    indent = "> " if before == "> " else " " * (2 if before.startswith("-") else 3)
    block = f"```python\n{indent}>>> 1\n{indent}```\n"
    of = lesson(tmp_path, f"# A\n\n{before}{block}")
    for attempt in (run, record):
        with pytest.raises(LessonError) as said:
            attempt(of)
        assert said.value.kind == "nested"
        assert said.value.fields["line"] in (3, 4, 5)
    assert pytest_of(of, tmp_path).returncode != 0


def test_a_line_that_only_mentions_prompts_is_no_code(tmp_path: Path) -> None:
    of = lesson(tmp_path, "# A\n\n```python\nprint('>>>')\n```\n")
    assert "print('>>>')" in run(of)
    assert not [i for step in record(of) for i in step.items if isinstance(i, Statement)]


def test_what_a_file_lacks_is_said(tmp_path: Path) -> None:
    (tmp_path / "here it is.png").write_bytes(b"")
    of = lesson(tmp_path, "No title\n\n![a](here%20it%20is.png) ![b](gone.png) "
                "![c](https://example.org/x.png) ![d](data:image/png;base64,AA)\n")  # fmt: skip
    assert of.remarks == [
        ("no title", {"lesson": str(of.path)}),
        ("no picture", {"lesson": str(of.path), "picture": "gone.png"}),
    ]
    assert lesson(tmp_path, "# Title\n\ntext\n").remarks == []


def test_a_lesson_is_read_up_to_a_size(tmp_path: Path) -> None:
    assert lesson(tmp_path, "# A\n\n" + "word " * 1000).parsed
    with pytest.raises(LessonError) as said:
        run(lesson(tmp_path, "# A\n\n" + " " * 2_000_000))
    assert said.value.kind == "too long"
