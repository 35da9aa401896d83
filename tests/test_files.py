"""A file is written whole or not at all, and nothing is left beside it."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

import pytest
from helpers.cli import assert_one_line, run_cli
from hypothesis import given, settings
from hypothesis import strategies as st

from walkthrough.files import write_whole


def test_a_file_is_replaced_whole_with_its_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    write_whole(path, "가\r\n")
    assert path.read_bytes() == "가\r\n".encode()
    write_whole(path, b"\xff")
    assert path.read_bytes() == b"\xff"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("step", ["write_bytes", "replace"])
def test_what_fails_leaves_all_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "a"
    write_whole(path, "old")
    real = Path.write_bytes

    def fail(self: Path, argument: object) -> int:
        if step == "write_bytes":
            real(self, b"ha")  # and the disk is full
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, step, fail)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, "new")
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_text(encoding="utf-8") == "old"


def test_a_new_file_takes_no_name_that_is_taken(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("folder", "file", "link"):
        with pytest.raises(FileExistsError):
            write_whole(tmp_path / name, "new", new=True)
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"
    write_whole(tmp_path / "other", "new", new=True)
    assert len(list(tmp_path.iterdir())) == 4


def test_a_long_name_and_who_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / ("가" * 84)  # 252 bytes
    write_whole(path, "old")
    path.chmod(0o600)
    write_whole(path, "new")
    assert path.read_text(encoding="utf-8") == "new"
    assert list(tmp_path.iterdir()) == [path]
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o600


@given(
    before=st.dictionaries(st.sampled_from(["a", "b"]), st.binary(max_size=9)),
    content=st.binary(min_size=2, max_size=30) | st.text(min_size=2, max_size=30),
    room=st.integers(0, 1),
    step=st.sampled_from(["write_bytes", "chmod", "replace"]),
)
@settings(deadline=None, max_examples=60)
def test_a_failed_write_leaves_what_was_there(
    before: dict[str, bytes], content: str | bytes, room: int, step: str
) -> None:
    real = Path.write_bytes

    def fail(self: Path, argument: object) -> int:
        if step == "write_bytes":
            assert isinstance(argument, bytes)
            real(self, argument[:room])
        raise OSError(errno.ENOSPC, "No space left on device")

    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name)
        for file, old in before.items():
            (folder / file).write_bytes(old)
        patch.setattr(Path, step, fail)
        try:
            write_whole(folder / "a", content)
            assert step == "chmod", "which nothing asks for where there was no file"
            assert "a" not in before
            before = before | {"a": content.encode() if isinstance(content, str) else content}
        except (OSError, UnicodeEncodeError):
            pass
        patch.undo()
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.skipif(os.name != "posix", reason="limits of a process")
@pytest.mark.parametrize(
    "args",
    [("example", "new", "a.toml"), ("exercise", "init"), ("export", "1", "-o", "old.html")],
    ids="_".join,
)
def test_on_a_full_disk_a_command_leaves_nothing(args: tuple[str, ...], tmp_path: Path) -> None:
    import resource

    if args[0] == "export":
        pytest.importorskip("jinja2")
    (tmp_path / "old.html").write_text("what was there", encoding="utf-8")

    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))  # bytes, of each file

    done = run_cli(*args, "--lang", "en", cwd=tmp_path, preexec_fn=full)
    assert_one_line(done, 1, "too large")
    files = {path for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {tmp_path / "old.html"}
    assert (tmp_path / "old.html").read_text(encoding="utf-8") == "what was there"
