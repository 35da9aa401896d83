"""`walkthrough export`: the files it writes, what it refuses, an example of one's own."""

from __future__ import annotations

import contextvars
import re
from pathlib import Path

from helpers.cli import assert_one_line, run_cli
from helpers.examples import TEACHERS, teachers_file
from helpers.html import Elements
from helpers.lessons import OWN, own_lesson

from walkthrough.document import current_example
from walkthrough.export.page import Course, page
from walkthrough.installation import install_command
from walkthrough.lesson.reading import find_lessons
from walkthrough.lesson.recording import record


def test_files_and_folders(tmp_path: Path) -> None:
    done = run_cli("export", "5", "--to", "md", "-o", f"{tmp_path}/")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "05_decode_with_cache.handout.md").is_file()
    course = tmp_path / "course"
    done = run_cli("export", "1", "2", "--lang", "ko", "-o", str(course))
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in course.iterdir()) == [
        "01_two_phases.html", "02_tokens_embeddings_heads.html", "index.html",
    ]  # fmt: skip
    assert 'lang="ko"' in (course / "index.html").read_text(encoding="utf-8")
    lesson = own_lesson(tmp_path)
    target = tmp_path / "mine.html"
    assert run_cli("export", str(lesson.path), "-o", str(target)).returncode == 0
    assert not re.search(r"\b42\b", target.read_text(encoding="utf-8").partition("<body>")[0])
    assert sorted(x.name for x in tmp_path.iterdir() if x.name.startswith(".")) == []


def test_nothing_is_lost(tmp_path: Path) -> None:
    lesson = own_lesson(tmp_path)
    path = str(lesson.path)
    assert_one_line(run_cli("export", path, "--to", "md", "-o", path), 2, "holds the lesson")
    assert lesson.path.read_text(encoding="utf-8") == OWN
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "file").write_text("x", encoding="utf-8")
    for arguments, status, part in (
        (["5", "--to", "pdf"], 2, "'pdf'"),
        (["1", "2", "-o", str(tmp_path / "file")], 2, "is a file"),
        (["1", "-o", str(tmp_path / "file" / "x.html")], 1, "cannot be written"),
        (["1", "1"], 2, "two lessons '01_two_phases'"),
        (["99"], 2, "no lesson '99'"),
        (["1", "--example", "no.toml"], 2, "cannot be read"),
    ):
        assert_one_line(run_cli("export", *arguments), status, part)
    lesson.path.write_text("# a\n\n```python\n>>> 1/0\n```\n", encoding="utf-8")
    kept = tmp_path / "kept.html"
    kept.write_text("kept", encoding="utf-8")
    assert_one_line(run_cli("export", path, "-o", str(kept)), 1, "line 4: ZeroDivisionError")
    assert kept.read_text(encoding="utf-8") == "kept"


def test_without_jinja2_it_says_what_to_install(tmp_path: Path) -> None:
    hide = "import sys; sys.modules['jinja2'] = None\n"
    (tmp_path / "sitecustomize.py").write_text(hide, encoding="utf-8")
    done = run_cli("export", "1", env={"PYTHONPATH": str(tmp_path)})
    assert_one_line(done, 1, "jinja2", install_command("export"))


def test_a_teachers_example_with_three_heads(tmp_path: Path) -> None:
    path = teachers_file(TEACHERS["three heads"], tmp_path / "mine.toml")
    context = contextvars.copy_context()
    context.run(current_example.choose_example, path)
    lesson = find_lessons("en")[1]
    course = Course((lesson,), "en", 4, "computed with **mine**")
    html = page(lesson, context.run(record, lesson), course)
    text = Elements(html).text
    assert "computed with mine" in text
    assert "W_V, head 3 (file)" in text
    done = run_cli("export", "2", "--example", str(path), "-o", str(tmp_path / "x.html"))
    assert done.returncode == 0, done.stderr
    written = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert "mine.toml" in written and str(tmp_path) not in written
    assert "W_V, head 3 (file)" in written
