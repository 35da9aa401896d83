"""A learner's path in a real pseudo-terminal, which is left as it was found."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.cli import ROOT

from walkthrough.display.table import cell_len
from walkthrough.exercises.find import choose_exercise, find_exercises
from walkthrough.exercises.folder import Folder

pexpect = pytest.importorskip("pexpect")
termios = pytest.importorskip("termios")
pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX system")

EN = find_exercises("en")
DONE, FIRST, SECOND = EN[:3]  # one is passed already
KEYS = "n next | b back | h hint | l list | r run again | q quit"


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(tmp_path / "mine")
    made.init(EN, "en")
    with made.store.changed() as progress:
        progress.record(DONE.name, passed=True)
    return made


def as_usual() -> None:
    """A test run in the background may have been told to ignore these."""
    for number in (signal.SIGINT, signal.SIGTSTP, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def spawn(command: str, args: list[str], columns: int = 80, **env: str) -> Any:
    clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LC_ALL")}
    return pexpect.spawn(
        command, args, cwd=str(ROOT), encoding="utf-8", timeout=60, dimensions=(40, columns),
        env=clean | {"TERM": "xterm-256color", "LANG": "en_US.UTF-8"} | env, preexec_fn=as_usual,
    )  # fmt: skip


class Watching:
    """`walkthrough exercise` in a terminal of its own, whose attributes are remembered."""

    def __init__(self, folder: Folder, *args: str, **options: Any) -> None:
        given = ["-m", "walkthrough", "exercise", "--folder", str(folder.path), *args]
        self.child = spawn("sh", ["-c", 'stty -a; read go; exec "$@"', "-", sys.executable, *given],
                           **options)  # fmt: skip
        self.child.expect("cread")
        time.sleep(0.1)
        self.before = termios.tcgetattr(self.child.child_fd)
        self.child.sendline()

    def shows(self, text: str) -> None:
        self.child.expect(re.escape(text))

    def press(self, key: str) -> None:
        self.child.send(key)

    def ends(self, status: int) -> None:
        self.child.expect(pexpect.EOF)
        after = termios.tcgetattr(self.child.child_fd)
        self.child.close()
        assert self.child.exitstatus == status, self.child.before
        assert "Traceback" not in (self.child.before or "")
        assert after == self.before


@pytest.fixture
def watching(folder: Folder) -> Iterator[Watching]:
    made = Watching(folder)
    made.shows("Still to be written: project")
    made.shows(KEYS)
    assert termios.tcgetattr(made.child.child_fd) != made.before, "keys come without Enter"
    yield made
    made.child.close(force=True)


def save(path: Path, source: bytes) -> None:
    path.write_bytes(source)


def save_by_renaming(path: Path, source: bytes) -> None:
    new = path.with_suffix(".new")
    new.write_bytes(source)
    new.replace(path)


def test_a_file_that_is_deleted_is_missed(folder: Folder, watching: Watching) -> None:
    file = folder.file(FIRST)
    source = file.read_bytes()
    file.unlink()
    watching.shows("The file is not there.")
    save(file, source)
    watching.shows("Still to be written: project")
    watching.press("q")
    watching.ends(0)


@pytest.mark.parametrize("saving", [save, pytest.param(save_by_renaming, marks=pytest.mark.slow)])
def test_a_learners_path(folder: Folder, watching: Watching, saving: Any) -> None:
    file = folder.file(FIRST)
    saving(file, b"def project(X, W):\n    return X\n")
    watching.shows("project(X, ex.W_Q[0]): expected shape (3, 2), got (3, 4)")
    watching.shows("Edit the file and save it")
    watching.press("h")
    watching.shows("Hint 1 of 3")
    watching.press("h")
    watching.shows("Hint 2 of 3")
    saving(file, b"def project(X, W):\n    print('debug', X.shape)\n    return X @ W\n")
    watching.shows("Passed.")
    watching.shows("debug (3, 4)")
    watching.shows("These are the Q, K and V")
    watching.shows("Press n for the next one.")
    watching.shows(f"2/{len(EN)} passed")
    watching.press("n")
    watching.shows(SECOND.name)
    watching.shows("Still to be written: scores")
    watching.press("l")
    watching.shows(f"> {SECOND.name}")
    watching.shows("99_paged_cache")
    watching.press("l")
    watching.shows("Still to be written: scores")
    watching.press("r")
    watching.shows("Checking...")
    watching.shows("Still to be written: scores")
    watching.shows(KEYS)
    watching.press("q")
    watching.ends(0)
    assert folder.store.read().passed[FIRST.name]


def test_any_exercise_that_is_saved_is_checked(folder: Folder, watching: Watching) -> None:
    wanted = choose_exercise(EN, "softmax_row")
    save(folder.file(wanted), wanted.solution.read_bytes())
    watching.shows("03b_softmax_row")
    watching.shows("Passed.")
    watching.press("ㅂ")  # the key of q where the keyboard is switched to Hangul
    watching.ends(0)


@pytest.mark.slow
def test_a_key_or_a_save_breaks_a_check_off(folder: Folder, watching: Watching) -> None:
    save(folder.file(FIRST), b"while True: pass\n")
    watching.shows("Checking...")
    time.sleep(0.5)
    start = time.monotonic()
    save(folder.file(FIRST), FIRST.solution.read_bytes())
    watching.shows("Passed.")
    assert time.monotonic() - start < 9, "it did not wait for the endless loop"
    save(folder.file(FIRST), b"while True: pass\n")
    watching.shows("Checking...")
    time.sleep(0.5)
    watching.press("q")
    watching.ends(0)


def test_ctrl_c(watching: Watching) -> None:
    watching.child.sendintr()
    watching.shows("Interrupted.")
    watching.ends(130)


def test_ctrl_c_during_a_check(folder: Folder, watching: Watching) -> None:
    save(folder.file(FIRST), b"while True: pass\n")
    watching.shows("Checking...")
    time.sleep(0.5)
    watching.child.sendintr()
    watching.shows("Interrupted.")
    watching.ends(130)


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.slow)]
)
def test_told_to_end(watching: Watching, number: int) -> None:
    watching.child.kill(number)
    watching.ends(128 + number)


@pytest.mark.slow
def test_stopped_and_resumed_under_a_shell(folder: Folder) -> None:
    shell = spawn("bash", ["--norc", "--noprofile", "-i"], PS1="$ ")
    shell.expect_exact("$ ")
    command = f"{sys.executable} -m walkthrough exercise --folder '{folder.path}'"
    shell.sendline("stty -a > /dev/null; " + command)
    shell.expect_exact(KEYS)
    assert not termios.tcgetattr(shell.child_fd)[3] & termios.ICANON
    shell.send("\x1a")
    shell.expect("Stopped")
    shell.expect_exact("$ ")
    shell.sendline("stty -a")
    shell.expect(" icanon")
    shell.expect(" echo ")
    shell.sendline("fg")
    shell.expect_exact(KEYS)
    save(folder.file(FIRST), FIRST.solution.read_bytes())
    shell.expect("Passed.")
    shell.expect_exact(KEYS)
    shell.send("q")
    shell.expect_exact("$ ")
    shell.sendline("stty -a; echo status $?")
    shell.expect(" icanon")
    shell.expect(" echo ")
    shell.expect("status 0")
    shell.sendline("exit")
    shell.expect(pexpect.EOF)
    shell.close()


@pytest.mark.slow
def test_saves_are_seen_where_times_lie(folder: Folder) -> None:
    file = folder.file(FIRST)
    wrong = b"def project(X, W):\n    return X\n".ljust(200)
    save(file, wrong)
    os.utime(file, ns=(10**18, 10**18))
    watching = Watching(folder, "--poll", "1")
    watching.shows("project(X, ex.W_Q[0]): expected shape (3, 2), got (3, 4)")
    watching.shows(KEYS)
    with file.open("r+b") as writing:
        writing.write(b"def project(X, W):\n    return X@W\n".ljust(200))
    os.utime(file, ns=(10**18, 10**18))
    watching.shows("Passed.")
    watching.press("q")
    watching.ends(0)


@pytest.mark.slow
def test_a_dumb_terminal_gets_no_codes(folder: Folder) -> None:
    for options in ({"TERM": "dumb"}, {"NO_COLOR": "1"}):
        watching = Watching(folder, **options)
        watching.shows(KEYS)
        assert "\x1b" not in watching.child.before
        watching.press("q")
        watching.ends(0)


@pytest.mark.parametrize(
    "columns",
    [60, pytest.param(80, marks=pytest.mark.slow), pytest.param(120, marks=pytest.mark.slow)],
)
def test_what_is_shown_keeps_to_the_width(folder: Folder, columns: int) -> None:
    save(folder.file(FIRST), b"def project(X, W):\n    return X\n")
    watching = Watching(folder, "--plain", "--lang", "ko", columns=columns)
    seen = ""
    for key in ("h", "h", "h", "l", "q"):
        watching.shows("끝내기")
        seen += watching.child.before
        watching.press(key)
    watching.ends(0)
    lines = seen.replace("\r", "").split("\n")
    own = [line for line in lines if line.startswith(str(folder.path)) or "/" in line]
    assert [line for line in lines if cell_len(line) > columns and line not in own] == []


def test_a_resized_terminal_is_drawn_anew(folder: Folder, watching: Watching) -> None:
    watching.child.setwinsize(40, 60)
    watching.shows("project")  # the sentence begins with the file's path, and is broken
    watching.shows(KEYS)
    watching.press("q")
    watching.ends(0)


def test_reset_asks_in_a_terminal(folder: Folder) -> None:
    save(folder.file(FIRST), b"mine")
    for answer, text in (("", "Nothing was changed."), ("y", "Done.")):
        given = ["-m", "walkthrough", "exercise", "reset", "2", "--folder", str(folder.path)]
        child = spawn(sys.executable, given)
        child.expect_exact("[y/N] ")
        child.sendline(answer)
        child.expect_exact(text)
        child.expect(pexpect.EOF)
        child.close()
    assert folder.file(FIRST).read_bytes() == FIRST.stub.read_bytes()
