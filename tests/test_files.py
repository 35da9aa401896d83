"""A file is written whole or not at all, and nothing is left beside it."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

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
