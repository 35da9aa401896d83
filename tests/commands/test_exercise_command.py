"""`walkthrough exercise` as a learner and a teacher meet it, without a terminal."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from helpers.cli import ROOT, run_cli

from walkthrough.commands.cli import main
from walkthrough.display.table import cell_len
from walkthrough.exercises import desk
from walkthrough.exercises.find import Exercise, choose_exercise, find_exercises
from walkthrough.exercises.folder import Folder
from walkthrough.exercises.progress import Store
from walkthrough.installation import program

EN = find_exercises("en")
SOFTMAX = choose_exercise(EN, "softmax_row")
Done = subprocess.CompletedProcess[bytes]


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    monkeypatch.delenv("LC_ALL", raising=False)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(tmp_path / "mine")
    made.init(EN, "en")
    return made


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> list[Exercise]:
    """Only the first exercises, where a test checks all there are."""
    monkeypatch.setattr(desk, "find_exercises", lambda language: find_exercises(language)[:4])
    return EN[:4]


def exercise(folder: Folder, *args: str, **options: object) -> Done:
    """The command, in a process of its own only where a test needs one."""
    command_line = ["exercise", *args, "--folder", str(folder.path)]
    if options:
        return run_cli(*command_line, **options)  # type: ignore[arg-type]
    out, err = io.BytesIO(), io.BytesIO()
    stdout, stderr = (io.TextIOWrapper(stream, encoding="utf-8") for stream in (out, err))
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        status = main(command_line)
    stdout.flush()
    stderr.flush()
    return subprocess.CompletedProcess(command_line, status, out.getvalue(), err.getvalue())


def solve(folder: Folder, name: str) -> None:
    wanted = choose_exercise(EN, name)
    folder.file(wanted).write_bytes(wanted.solution.read_bytes())


def text(done: Done) -> str:
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return done.stdout.decode()


def test_from_init_to_the_note(tmp_path: Path) -> None:
    path = str(tmp_path / "new")
    shown = text(run_cli("exercise", "init", path))
    assert f"{len(EN)} exercises are now in" in shown
    assert f"  cd {path} && {program(Path(path))} exercise\n" in shown
    again = run_cli("exercise", "init", path)
    assert f"{len(EN)} files that were there already" in text(again)
    folder = Folder(tmp_path / "new")
    failed = exercise(folder, "check", "3b")
    assert failed.returncode == 1
    assert "Still to be written: softmax_row" in text(failed)
    assert ".py:22:" in text(failed)
    solve(folder, "3b")
    passed = exercise(folder, "check", "softmax_row")
    assert passed.returncode == 0
    assert "Passed." in text(passed)
    assert "Subtracting the maximum comes back in lesson 10" in text(passed)
    lines = text(exercise(folder, "list")).splitlines()
    [softmax] = [line for line in lines if "03b_softmax_row" in line]
    assert "passed" in softmax
    assert lines[0].startswith(f"> {EN[0].name}")
    assert lines[-1] == f"1/{len(EN)} passed"


def test_init_again_from_inside_makes_no_second_folder(tmp_path: Path) -> None:
    def init(where: Path) -> None:
        command = [sys.executable, "-m", "walkthrough", "exercise", "init"]
        subprocess.run(command, cwd=where, check=True, capture_output=True, timeout=60)

    init(tmp_path)
    folder = tmp_path / "exercises"
    choose_first = Folder(folder).file(EN[0])
    choose_first.unlink()
    init(folder)
    assert choose_first.exists()
    assert not (folder / "exercises").exists()


def test_without_a_terminal_the_next_one_is_checked_once(folder: Folder) -> None:
    done = exercise(folder)
    assert done.returncode == 1
    assert EN[0].name in text(done)
    assert "Still to be written: fed_without_cache" in text(done)
    assert text(exercise(folder, "check")) == text(done)


def test_several_and_all(folder: Folder, few: list[Exercise]) -> None:
    solve(folder, "2")
    solve(folder, "3b")
    assert exercise(folder, "check", "2", "3b").returncode == 0
    done = exercise(folder, "check", "3b", "3a", "2")
    assert done.returncode == 1
    shown = text(done)
    order = [shown.index(name) for name in ("03b_softmax_row", "03a_scores", "02_projection")]
    assert order == sorted(order)
    done = exercise(folder, "check", "--all", "--json")
    data = json.loads(text(done))
    assert done.returncode == 1
    assert [r["name"] for r in data["results"]] == [e.name for e in few]
    assert [r["passed"] for r in data["results"]] == [False, True, False, True]
    assert not data["passed"]
    assert {r["kind"] for r in data["results"]} == {"passed", "todo"}
    for wanted in few:
        solve(folder, wanted.name)
    done = exercise(folder, "check", "--all")
    assert done.returncode == 0
    assert "4/4 passed. You have passed them all." in text(exercise(folder, "list"))
    assert "03b_softmax_row" in text(exercise(folder))  # nothing is pending: the last


def test_json_for_a_teacher(folder: Folder) -> None:
    solve(folder, "3b")
    done = exercise(folder, "check", "3b", "--json")
    assert done.returncode == 0
    assert done.stdout.isascii()
    [result] = json.loads(text(done))["results"]
    assert (result["name"], result["lessons"], result["passed"]) == ("03b_softmax_row", [3], True)
    data = json.loads(text(exercise(folder, "list", "--json", env={"PYTHONIOENCODING": "ascii"})))
    assert (data["passed"], data["total"]) == (1, len(EN))
    states = {e["name"]: e["state"] for e in data["exercises"]}
    assert states["03b_softmax_row"] == "passed"
    assert states["02_projection"] == "pending"
    [softmax] = [e for e in data["exercises"] if e["name"] == "03b_softmax_row"]
    assert softmax["first_passed"].startswith("20")
    folder.file(SOFTMAX).unlink()
    data = json.loads(text(exercise(folder, "list", "--json")))
    assert {e["name"]: e["state"] for e in data["exercises"]}["03b_softmax_row"] == "missing"


def test_a_pass_that_is_broken_later_is_pending_again(folder: Folder) -> None:
    solve(folder, "3b")
    exercise(folder, "check", "3b")
    folder.file(SOFTMAX).write_text("x = 1", encoding="utf-8")
    assert exercise(folder, "check", "3b").returncode == 1
    assert "1/" not in text(exercise(folder, "list")).splitlines()[-1]
    assert exercise(folder, "solution", "3b").returncode == 0


def test_hints_one_by_one(folder: Folder) -> None:
    first = text(exercise(folder, "hint", "3b"))
    assert first.startswith("Hint 1 of 3")
    assert f"  {program()} exercise hint 03b_softmax_row 2\n" in first
    third = exercise(folder, "hint", "3b", "3")
    assert "max(scores)" in text(third)
    assert "The next hint" not in text(third)
    done = exercise(folder, "hint", "3b", "4")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"has 3 hints" in done.stderr


def test_the_solution_after_passing_or_anyway(folder: Folder) -> None:
    done = exercise(folder, "solution", "3b")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"--anyway" in done.stderr
    anyway = text(exercise(folder, "solution", "3b", "--anyway"))
    assert "largest = max(scores)" in anyway
    assert "cancels out" in anyway
    solve(folder, "3b")
    exercise(folder, "check", "3b")
    assert text(exercise(folder, "solution", "3b")) == anyway
    elsewhere = run_cli("exercise", "solution", "3b", "--anyway", "--lang", "en")
    assert text(elsewhere) == anyway  # needs no folder


def test_reset_asks_and_keeps_a_backup(folder: Folder) -> None:
    solve(folder, "3b")
    exercise(folder, "check", "3b")
    done = exercise(folder, "reset", "3b", stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert b"--yes" in done.stderr
    assert folder.file(SOFTMAX).read_bytes() == SOFTMAX.solution.read_bytes()
    shown = text(exercise(folder, "reset", "3b", "--yes"))
    [backup] = (folder.path / ".walkthrough/backups").iterdir()
    assert backup.name in shown.replace("\n", "")
    assert backup.read_bytes() == SOFTMAX.solution.read_bytes()
    assert folder.file(SOFTMAX).read_bytes() == SOFTMAX.stub.read_bytes()
    assert "passed" not in text(exercise(folder, "list")).splitlines()[2]
    folder.file(SOFTMAX).unlink()
    assert exercise(folder, "reset", "3b", stdin=subprocess.DEVNULL).returncode == 0


def test_a_damaged_progress_file_is_rebuilt_by_checking(
    folder: Folder, few: list[Exercise]
) -> None:
    solve(folder, "3b")
    folder.store.file.write_bytes(b"\x00 not ours")
    done = exercise(folder, "list")
    assert done.returncode == 0
    assert b"The progress file was damaged" in done.stderr
    assert "1/" in text(done).splitlines()[-1]
    [aside] = folder.store.folder.glob("progress.damaged-*.json")
    assert aside.read_bytes() == b"\x00 not ours"
    again = exercise(folder, "list")
    assert again.stderr == b""
    assert again.stdout == done.stdout


def test_progress_that_cannot_be_saved_is_said_and_nothing_else_fails(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object, **options: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    solve(folder, "3b")
    monkeypatch.setattr(Store, "write", full)
    done = exercise(folder, "check", "3b")
    assert done.returncode == 0
    assert b"the progress could not be saved: No space left on device" in done.stderr
    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    done = exercise(folder, "doctor")
    assert done.returncode == 1
    assert "Nothing can be written in" in text(done)


def test_progress_on_a_full_disk(folder: Folder) -> None:
    """No file may grow beyond 0 bytes: as a full disk, for whoever writes."""
    solve(folder, "3b")
    before = folder.store.file.read_bytes()
    done = subprocess.run(
        ["bash", "-c", f"trap '' XFSZ; ulimit -f 0; {sys.executable} -m walkthrough exercise "
         f"--lang en check 3b --folder {folder.path}"],
        capture_output=True, cwd=ROOT, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0
    assert b"Passed." in done.stdout
    assert b"the progress could not be saved: File too large" in done.stderr
    assert b"Traceback" not in done.stderr
    assert folder.store.file.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["list"], ["no exercises in nowhere", "walkthrough exercise init"]),
        (["check", "98"], ["there is no exercise '98'", "03b_softmax_row"]),
        (["hint", "xx"], ["there is no exercise 'xx'"]),
        (["hint"], ["NAME"]),
        (["check", "--timeout", "0"], ["from 1 to 600, not '0'"]),
        (["walk"], ["invalid choice: 'walk'"]),
        (["--poll", "x"], ["from 1 to 60, not 'x'"]),
        (["init", "--lang", "fr"], ["'fr'"]),
    ],
)
def test_what_cannot_be_done_is_one_line_and_status_2(
    folder: Folder, arguments: list[str], parts: list[str]
) -> None:
    elsewhere = Folder(Path("nowhere")) if arguments == ["list"] else folder
    done = exercise(elsewhere, *arguments)
    error = done.stderr.decode()
    assert (done.returncode, done.stdout) == (2, b""), error
    assert len(error.splitlines()) == 1
    assert all(part in error for part in parts), error


def test_init_where_it_cannot(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = run_cli("exercise", "init", str(tmp_path / "file"))
    assert done.returncode == 1
    assert b"cannot write in" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_korean_and_the_language_of_the_folder(tmp_path: Path) -> None:
    path = tmp_path / "내 연습"
    assert "만들었어요" in text(run_cli("exercise", "init", str(path), "--lang", "ko"))
    folder = Folder(path)
    assert folder.file(SOFTMAX).read_text(encoding="utf-8").startswith('"""소프트맥스 한 줄')
    shown = text(exercise(folder, "check", "3b"))  # in an English locale
    assert "아직 쓰지 않았어요: softmax_row" in shown
    assert "Still to be written" in text(exercise(folder, "check", "3b", "--lang", "en"))
    error = exercise(folder, "check", "xx").stderr.decode()
    assert "연습 문제는 없어요" in error


@pytest.mark.parametrize(
    ("encoding", "language"),
    [
        pytest.param("ascii", "ko", marks=pytest.mark.slow),
        ("cp949", "ko"),
        ("cp1252", "en"),
        pytest.param("utf-8", "en", marks=pytest.mark.slow),
    ],
)
def test_any_encoding(folder: Folder, encoding: str, language: str) -> None:
    env = {"PYTHONIOENCODING": encoding, "COLUMNS": "24"}
    for command_line in (["list"], ["check", "3a"], ["hint", "3b"]):
        done = exercise(folder, *command_line, "--lang", language, env=env)
        assert done.returncode == (command_line == ["check", "3a"])
        assert done.stderr == b""
        shown = done.stdout.decode(encoding)
        assert "\x1b" not in shown
        assert max(map(cell_len, shown.splitlines())) <= 80
    assert exercise(folder, "list", "--ascii", "--lang", language).stdout.isascii()


@pytest.mark.slow
def test_the_learners_cache_runs_the_documents_example(folder: Folder) -> None:
    solve(folder, "99")
    shown = text(exercise(folder, "check", "99", "--lang", "ko"))
    rows = [line.split() for line in shown.splitlines()]
    assert ["나는", "학교에", "간다", "2", "8"] in rows
    assert [".", "<EOS>", "4", "7"] in rows
    assert "교재의 캐시 대신" in shown


def test_doctor(folder: Folder) -> None:
    done = exercise(folder, "doctor")
    shown = text(done)
    assert done.returncode == 0, shown
    for word in ("walkthrough", "Python", "NumPy", "torch", "encoding", str(folder.path)):
        assert word in shown
    assert "Nothing is wrong." in shown
    folder.store.file.write_bytes(b"{")
    done = exercise(folder, "doctor")
    assert done.returncode == 1
    assert "The progress file is damaged." in text(done)
    poor = exercise(folder, "doctor", env={"PYTHONIOENCODING": "cp1252"})
    assert b"has no Hangul" in poor.stdout


def test_an_ended_check_leaves_no_process(folder: Folder) -> None:
    """SIGTERM while a file loops: the check's process ends with the command."""
    if not Path("/proc").is_dir():
        pytest.skip("looks into /proc")
    import signal
    import time

    folder.file(SOFTMAX).write_text("while True: pass", encoding="utf-8")
    mark = f"EXERCISE_CLI_MARK={folder.path}"
    process = subprocess.Popen(
        [sys.executable, "-m", "walkthrough", "exercise", "check", "3b", "--folder", folder.path],
        cwd=ROOT, env=os.environ | dict([mark.split("=", 1)]),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip

    def alive() -> list[str]:
        found = []
        for entry in Path("/proc").glob("[0-9]*/environ"):
            try:
                if mark.encode() in entry.read_bytes():
                    found.append(entry.parent.name)
            except OSError:
                continue
        return found

    end = time.monotonic() + 20
    while len(alive()) < 2 and time.monotonic() < end:
        time.sleep(0.05)
    assert len(alive()) == 2
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=10) == 128 + signal.SIGTERM
    assert alive() == []
