"""A learner's folder and progress: nothing of his is ever lost."""

from __future__ import annotations

import errno
import json
import multiprocessing
import os
from pathlib import Path
from typing import Any

import pytest

from walkthrough.exercises.checking.process import run_check
from walkthrough.exercises.find import (
    ExerciseError,
    choose_exercise,
    choose_exercises,
    find_exercises,
)
from walkthrough.exercises.folder import Folder, locate
from walkthrough.exercises.progress import DamagedError, Progress, Store
from walkthrough.exercises.watch import Watch

ALL = find_exercises("en")
FIRST = ALL[0]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(tmp_path / "mine")
    made.init(ALL, "en")
    return made


# The folder


def test_init_writes_what_is_missing_and_touches_nothing_else(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "a" / "b")
    assert folder.init(ALL, "en") == (len(ALL), 0)
    folder.file(ALL[0]).write_text("my work", encoding="utf-8")
    folder.file(ALL[1]).unlink()
    with folder.store.changed() as progress:
        progress.record(ALL[0].name, True)
    assert folder.init(find_exercises("ko"), "ko") == (1, len(ALL) - 1)
    assert folder.file(ALL[0]).read_text(encoding="utf-8") == "my work"
    assert folder.store.read().passed == {ALL[0].name: True}
    assert folder.store.read().language == "en"


def test_init_follows_no_link_and_replaces_no_folder(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "mine")
    folder.path.mkdir()
    folder.file(ALL[0]).symlink_to(tmp_path / "elsewhere")
    folder.file(ALL[1]).mkdir()
    folder.init(ALL, "en")
    assert not (tmp_path / "elsewhere").exists()
    assert folder.file(ALL[1]).is_dir()


def test_a_half_written_file_does_not_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Folder(tmp_path / "mine")
    file = folder.file(ALL[2])

    before = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if file.name not in path.name:
            return before(path, data)
        before(path, data[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(ExerciseError, match="No space left"):
        folder.init(ALL, "en")
    monkeypatch.undo()
    assert not file.exists()
    assert [path for path in folder.path.iterdir() if file.stem in path.name] == []
    assert folder.init(ALL, "en") == (len(ALL) - 2, 2)


def test_reset_keeps_what_was_there_every_time(folder: Folder) -> None:
    file, stub = folder.file(FIRST), FIRST.stub.read_bytes()
    kept = []
    for version in (b"one", b"two \xff", b"three"):
        file.write_bytes(version)
        backup = folder.reset(FIRST)
        assert backup is not None
        kept.append(backup)
        assert file.read_bytes() == stub
    assert [backup.read_bytes() for backup in kept] == [b"one", b"two \xff", b"three"]
    file.unlink()
    assert folder.reset(FIRST) is None
    assert file.read_bytes() == stub


def test_the_folder_is_found_from_inside_below_and_by_name(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = folder.path / "notes"
    inside.mkdir()
    for here in (folder.path, inside):
        monkeypatch.chdir(here)
        assert locate(None).path == folder.path
    monkeypatch.chdir(tmp_path)
    assert locate("mine").path == Path("mine")
    for given in (None, "other"):
        with pytest.raises(ExerciseError, match="no-folder"):
            locate(given)
    Folder(tmp_path / "exercises").init(ALL, "en")
    assert locate(None).path == tmp_path / "exercises"


def test_an_exercise_by_any_of_its_names() -> None:
    wanted = next(e for e in ALL if e.name.endswith("softmax_row"))
    for name in (
        "03b",
        "3b",
        wanted.name,
        "softmax_row",
        f"{wanted.name}.py",
        f"a/{wanted.name}.py",
    ):
        assert choose_exercise(ALL, name) is wanted
    for name in ("3", "03"):
        with pytest.raises(ExerciseError, match="several"):
            choose_exercise(ALL, name)
        assert [e.name[:3] for e in choose_exercises(ALL, name)] == ["03a", "03b", "03c", "03d"]
    assert choose_exercises(ALL, "5") == [choose_exercise(ALL, "05_decode_step")]
    for name in ("98", "", "softmax", "../03b_x", "9" * 5000, "-3", "٣"):
        with pytest.raises(ExerciseError, match="unknown"):
            choose_exercise(ALL, name)


# Progress


def test_progress_comes_back_as_it_was_written(folder: Folder) -> None:
    with folder.store.changed() as progress:
        progress.record("a", True)
        progress.record("b", False)
    read = folder.store.read()
    assert read.passed == {"a": True, "b": False}
    assert list(read.first_passed) == ["a"]
    with folder.store.changed() as progress:
        progress.record("a", False)
    read = folder.store.read()
    assert read.passed["a"] is False
    assert "a" in read.first_passed  # the solution stays open


@pytest.mark.parametrize("fails", ["write 1", "write 2", "replace 1", "replace 2"])
def test_a_write_that_fails_loses_nothing(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    store = folder.store
    store.write(Progress("en", {"old": True}))
    count = iter(range(1, 9))
    step, at = fails.split()
    name = {"write": "write_bytes", "replace": "replace"}[step]
    real = getattr(Path, name)

    def full(self: Path, argument: Any) -> Any:
        if next(count) == int(at):
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(self, argument)

    monkeypatch.setattr(Path, name, full)
    with pytest.raises(OSError, match="No space"):
        store.write(Progress("en", {"new": True}))
    monkeypatch.undo()
    assert store.read().passed == {"old": True}
    assert {path.name for path in store.folder.iterdir()} <= {"progress.json", "progress.last.json"}
    store.write(Progress("en", {"new": True}))
    assert store.read().passed == {"new": True}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("at", range(5))
def test_a_crash_at_any_moment_of_a_write_leaves_a_good_file(folder: Folder, at: int) -> None:
    store = folder.store
    store.write(Progress("en", {"old": True}))
    child = os.fork()
    if child == 0:  # ends like a process that is killed, before its at-th step
        steps = iter(range(9))

        def mortal(real: Any) -> Any:
            def call(*arguments: Any) -> Any:
                if next(steps) == at:
                    os._exit(9)
                return real(*arguments)

            return call

        Path.write_bytes = mortal(Path.write_bytes)  # type: ignore[method-assign]
        Path.replace = mortal(Path.replace)  # type: ignore[method-assign]
        store.write(Progress("en", {"new": True}))
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == (9 if at < 4 else 0)
    assert store.read().passed == ({"old": True} if at < 4 else {"new": True})


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"\xff\xfe\x00",
        b"[]",
        b'{"passed": {}}',
        b'{"format": "walkthrough exercises 2"}',
        b'{"format": "walkthrough exercises 1", "language": "en", "passed": {"a": 1}, '
        b'"first_passed": {}}',
        b'{"format": "walkthrough exercises 1", "language": 3, "passed": {}, "first_passed": {}}',
        b"[" * 100_000,
        b'{"format": "walkthrough exercises 1", "language": "en", "passed": {}, "first_passed": {}}'
        + b" " * 1_000_000,
    ],
)
def test_a_damaged_or_foreign_file_is_set_aside(folder: Folder, data: bytes) -> None:
    store = folder.store
    store.write(Progress("ko", {"a": True}, {"a": "2026-01-01T00:00:00Z"}))
    store.write(Progress("ko", {"a": True, "b": True}, {"a": "2026-01-01T00:00:00Z"}))
    store.file.write_bytes(data)
    with pytest.raises(DamagedError):
        store.read()
    aside, last = store.set_aside()
    assert aside.read_bytes() == data
    assert (last.language, last.passed) == ("ko", {"a": True})
    assert store.read().passed == {"a": True}
    store.file.write_bytes(data)
    again, _ = store.set_aside()
    assert again != aside, "the one that was set aside before stays, too"


def test_both_files_damaged(folder: Folder) -> None:
    store = folder.store
    store.write(Progress("en", {"a": True}))
    store.write(Progress("en", {"a": True}))
    for file in (store.file, store.last):
        file.write_bytes(b"{")
    _, last = store.set_aside()
    assert last == Progress()
    assert store.read() == Progress()
    store.file.mkdir()
    with pytest.raises(DamagedError):
        store.read()
    store.set_aside()
    assert store.read() == Progress()


def test_two_terminals_in_turn_lose_nothing_of_each_other(folder: Folder) -> None:
    here, there = folder.store, Store(folder.store.folder)
    for number in range(4):
        with (here, there)[number % 2].changed() as progress:
            progress.record(f"exercise {number}", True)
    assert len(here.read().passed) == 4


def note(arguments: tuple[Path, int]) -> int:
    path, number = arguments
    with Store(path).changed() as progress:
        progress.record(f"exercise {number}", True)
    return len(Store(path).read().passed)


def test_two_terminals_at_once_find_a_whole_file(folder: Folder) -> None:
    """Without locks one outcome may be lost to another of the same instant, never the file."""
    jobs = [(folder.store.folder, number) for number in range(24)]
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        assert all(pool.map(note, jobs, chunksize=1))
    assert json.loads(folder.store.file.read_bytes())["passed"]


# Noticing saves


@pytest.mark.parametrize("read_them", [False, True])
def test_saves_are_noticed_in_place_and_by_renaming(tmp_path: Path, read_them: bool) -> None:
    a, b = tmp_path / "a.py", tmp_path / "b.py"
    a.write_text("1", encoding="utf-8")
    b.write_text("1", encoding="utf-8")
    watch = Watch([a, b], read_them=read_them)
    assert watch.saved() == watch.saved() == []
    a.write_text("22", encoding="utf-8")
    assert watch.saved() == [], "it may still be being written"
    assert watch.saved() == [a]
    assert watch.saved() == []
    new = tmp_path / "new"
    new.write_text("3", encoding="utf-8")
    new.replace(b)
    watch.saved()
    assert watch.saved() == [b]
    b.unlink()
    assert watch.saved() == [], "it may come back at once"
    b.write_text("4", encoding="utf-8")
    watch.saved()
    assert watch.saved() == [b]


def test_what_files_hold_is_compared_where_times_lie(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("1", encoding="utf-8")
    os.utime(file, ns=(10**18, 10**18))
    by_time, by_content = Watch([file]), Watch([file], read_them=True)
    with file.open("r+", encoding="utf-8") as writing:
        writing.write("2")
    os.utime(file, ns=(10**18, 10**18))
    assert by_time.saved() == by_time.saved() == []
    by_content.saved()
    assert by_content.saved() == [file]
    file.touch()
    assert by_content.saved() == by_content.saved() == [], "touched, but not changed"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_pipe_in_place_of_a_file_is_not_waited_for(folder: Folder) -> None:
    exercise = find_exercises("en")[0]
    file = folder.file(exercise)
    file.unlink(missing_ok=True)
    os.mkfifo(file)
    with pytest.raises(ExerciseError) as said:
        folder.reset(exercise)
    assert said.value.kind == "not a file"
    assert run_check(exercise, file).kind == "unreadable"
    watch = Watch([file], read_them=True)
    assert watch.saved() == []
    folder.store.file.unlink(missing_ok=True)
    os.mkfifo(folder.store.file)
    with pytest.raises(DamagedError):
        folder.store.read()


@pytest.mark.parametrize("read_them", [False, True])
def test_a_file_that_is_deleted_is_noticed_and_its_return_too(
    tmp_path: Path, read_them: bool
) -> None:
    file = tmp_path / "a.py"
    file.write_text("1", encoding="utf-8")
    watch = Watch([file], read_them=read_them)
    file.unlink()
    assert watch.saved() == []  # an editor may put another in its place
    assert watch.saved() == [file]
    assert watch.saved() == []
    file.write_text("2", encoding="utf-8")
    assert watch.saved() == []
    assert watch.saved() == [file]
