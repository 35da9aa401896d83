"""Files that misbehave: each gets one sentence, and nothing of them stays behind."""

from __future__ import annotations

import os
import signal
import sys
import textwrap
import time
from pathlib import Path

import pytest

from walkthrough.exercises.checking.process import CancelledError, CheckResult, run_check
from walkthrough.exercises.find import Exercise, find_exercises
from walkthrough.exercises.report import as_data, sentence

[SOFTMAX] = [e for e in find_exercises("en") if e.name.endswith("softmax_row")]
SOLUTION = SOFTMAX.solution.read_text(encoding="utf-8")
posix_only = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX system")
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def check(
    path: Path, source: str | bytes, *, seconds: float = 30, **options: object
) -> CheckResult:
    """The result of checking this source as the learner's file."""
    file = path / "03b_softmax_row.py"
    data = source if isinstance(source, bytes) else textwrap.dedent(source).encode()
    file.write_bytes(data)
    return run_check(SOFTMAX, file, seconds=seconds, **options)  # type: ignore[arg-type]


def says(result: CheckResult, kind: str, *parts: str) -> None:
    assert result.kind == kind, (sentence(result, "en"), result.output)
    for language in ("en", "ko"):
        text = sentence(result, language)
        assert text
        assert "\n" not in text
        assert len(text) < 500
    for part in parts:
        assert part in sentence(result, "en")


@pytest.mark.parametrize(
    ("source", "kind", "parts"),
    [
        ("input('name?')", "input", ["nobody is there to type"]),
        ("import sys\nsys.exit()", "exit", ["ended the program"]),
        ("raise SystemExit('bye')", "exit", []),
        ("quit()", "exit", []),
        ("def softmax_row(scores:\n    return scores", "syntax", ["never closed"]),
        ("def f():\nreturn 1", "syntax", ["expected an indented block"]),
        ("if True:\n\tx = 1\n        y = 2", "syntax", ["inconsistent use of tabs"]),
        ("x = '\x00'", "syntax", ["null bytes"]),
        ("x = " + "(" * 500 + ")" * 500, "syntax", []),
        ("import nmupy", "import", ["No module named 'nmupy'"]),
        ("from math import softmax", "import", ["cannot import name 'softmax'"]),
        ("x = 1", "gone", ["softmax_row is not in the file"]),
        ("softmax_row = 3", "gone", []),
        ("import os\nos.abort()", "crash", ["SIGABRT"]),
        ("import os\nos._exit(3)", "ended", ["os._exit, say; exit status 3"]),
        ("import os\nos._exit(0)", "ended", ["os._exit, say; exit status 0"]),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "crash", ["SIGKILL"]),
        ("import ctypes\nctypes.string_at(0)", "crash", ["SIGSEGV"]),
        ("import sys\nsys.stdout.close()\nsys.stderr.close()", "gone", []),
        ("class E(Exception):\n    def __str__(self): raise self\nraise E()", "error", ["E"]),
        ("raise ValueError('long ' * 10**6)", "error", ["ValueError: long"]),
        ("raise KeyboardInterrupt", "error", ["KeyboardInterrupt"]),
        ("def f(): f()\nf()", "error", ["RecursionError"]),
        ("raise ExceptionGroup('many', [ValueError(1)])", "error", ["ExceptionGroup"]),
    ],
)
@posix_only
def test_a_file_that_misbehaves_gets_one_sentence(
    tmp_path: Path, source: str, kind: str, parts: list[str]
) -> None:
    says(check(tmp_path, source), kind, *parts)


@posix_only
def test_an_endless_loop_is_ended_and_its_line_named(tmp_path: Path) -> None:
    source = "def softmax_row(scores):\n    while True:\n        pass\n"
    start = time.monotonic()
    result = check(tmp_path, source, seconds=4)
    assert time.monotonic() - start < 10
    says(result, "time", "not done after 4 seconds")
    assert result.fields["line"] in (2, 3)


@posix_only
@pytest.mark.parametrize(
    "source",
    [
        "import time\ntime.sleep(1000)",
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "import signal\nfor s in (15, 2, 1): signal.signal(s, signal.SIG_IGN)\nwhile True: pass",
        "import threading\nlock = threading.Lock(); lock.acquire(); lock.acquire()",
        "class A:\n    def __del__(self):\n        while True: pass\nA()",
        "import re\nre.match('(a+)+b', 'a' * 100)",
        "x = 10 ** 10 ** 10",
    ],
)
def test_nothing_holds_on_beyond_its_time(tmp_path: Path, source: str) -> None:
    start = time.monotonic()
    says(check(tmp_path, source, seconds=1), "time")
    assert time.monotonic() - start < 8


@posix_only
@pytest.mark.parametrize("where", ["print('more')", "import os\n    os.write(1, b'x' * 9999)"])
def test_endless_printing_is_ended_and_only_its_beginning_kept(tmp_path: Path, where: str) -> None:
    start = time.monotonic()
    result = check(tmp_path, f"while True:\n    {where}")
    says(result, "output", "printed more than 1,048,576 bytes")
    assert time.monotonic() - start < 15
    assert 0 < len(result.output) <= 2**14


@posix_only
def test_too_much_memory(tmp_path: Path) -> None:
    result = check(tmp_path, "x = 1\nx = [0] * 10**10\n")
    says(result, "memory", "up to 2,147,483,648 bytes")
    assert [frame["line"] for frame in result.frames] == [2]


def marked() -> list[int]:
    """Processes that were started with this test's mark in their environment."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        try:
            if b"EXERCISE_TEST_MARK=yes" in entry.read_bytes():
                found.append(int(entry.parent.name))
        except OSError:
            continue
    return found


@linux_only
@pytest.mark.parametrize("end", ["while True: pass", "", "import os; os.abort()"])
def test_children_end_with_it(tmp_path: Path, end: str) -> None:
    source = f"""
        import os, subprocess
        mark = os.environ | {{"EXERCISE_TEST_MARK": "yes"}}
        subprocess.Popen(["sleep", "1000"], env=mark)
        if os.fork() == 0:
            if os.fork() == 0:
                os.execvpe("sleep", ["sleep", "1000"], mark)
            os._exit(0)
        {end}
        """
    start = time.monotonic()
    result = check(tmp_path, source, seconds=3)
    assert result.kind in ("time", "gone", "crash", "ended")
    assert time.monotonic() - start < 8
    assert marked() == []


@linux_only
def test_a_child_that_leaves_the_group_holds_nothing_up(tmp_path: Path) -> None:
    """It is not hunted; the result comes all the same."""
    source = """
        import os, subprocess
        mark = os.environ | {"EXERCISE_TEST_MARK": "yes"}
        subprocess.Popen(["sleep", "1000"], env=mark, start_new_session=True)
        """
    start = time.monotonic()
    try:
        assert check(tmp_path, source, seconds=3).kind == "gone"
        assert time.monotonic() - start < 8
    finally:
        for child in marked():
            os.kill(child, signal.SIGKILL)


@posix_only
def test_a_thread_or_an_exit_handler_does_not_hold_up_a_pass(tmp_path: Path) -> None:
    source = SOLUTION + textwrap.dedent(
        """
        import atexit, threading, time
        threading.Thread(target=lambda: time.sleep(1000)).start()
        atexit.register(time.sleep, 1000)
        """
    )
    result = check(tmp_path, source, seconds=30)
    assert result.passed
    assert result.seconds < 15


def test_debug_prints_and_warnings_do_no_harm_and_are_shown(tmp_path: Path) -> None:
    source = SOLUTION.replace(
        "    total = ",
        "    print('점수', scores, '\\x1b[2J')\n    import sys\n"
        "    print('err', file=sys.stderr)\n    total = ",
    )
    result = check(tmp_path, source)
    assert result.passed
    assert "점수 [" in result.output
    assert "err" in result.output
    assert "\x1b" not in result.output
    assert check(tmp_path, SOLUTION + "\nprint('\\ud800')").passed


def test_only_the_learners_lines_are_shown(tmp_path: Path) -> None:
    source = SOLUTION.replace("    largest = max(scores)", "    largest = helper(scores)")
    source += "\n\ndef helper(scores):\n    import json\n    return json.loads(scores)\n"
    result = check(tmp_path, source)
    says(result, "called", "TypeError", "(the call: softmax_row(scores=[2.8284, 2.1213, 2.8284]))")
    lines = source.splitlines()
    shown = [(frame["function"], frame["text"].strip()) for frame in result.frames]
    assert shown == [
        ("softmax_row", "largest = helper(scores)"),
        ("helper", "return json.loads(scores)"),
    ]
    for frame in result.frames:
        assert lines[frame["line"] - 1].strip() == frame["text"].strip()


def test_a_wrong_value_and_no_value(tmp_path: Path) -> None:
    says(
        check(tmp_path, "def softmax_row(scores):\n    return [1.0] + [0.0] * (len(scores) - 1)"),
        "value",
        "softmax_row([2.8284, 2.1213, 2.8284])[0]: expected 0.4011, got 1",
    )
    says(check(tmp_path, "def softmax_row(scores):\n    pass"), "nothing", "Is a return missing?")
    says(
        check(tmp_path, "def softmax_row(scores):\n    return scores[:1]"),
        "value",
        "softmax_row([2.8284, 2.1213, 2.8284]): expected [0.4011, 0.1978, 0.4011], got [2.8284]",
    )


def test_to_be_written_names_function_and_line(tmp_path: Path) -> None:
    result = check(tmp_path, SOFTMAX.stub.read_bytes())
    says(result, "todo", "softmax_row")
    line = (
        SOFTMAX.stub.read_text(encoding="utf-8").splitlines().index("    raise NotImplementedError")
    )
    assert result.fields["line"] == line + 1


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_utf_8_whatever_the_locale_with_and_without_a_byte_order_mark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, newline: str
) -> None:
    source = ("# 소프트맥스\n" + SOLUTION + "\nprint('한글')\n").replace("\n", newline).encode()
    for name in ("LC_ALL", "LANG", "PYTHONIOENCODING", "PYTHONUTF8"):
        monkeypatch.setenv(name, {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}.get(name, "C"))
    for mark in (b"", b"\xef\xbb\xbf"):
        result = check(tmp_path, mark + source)
        assert result.passed
        assert "한글" in result.output
    monkeypatch.setenv("LC_ALL", "ko_KR.eucKR")
    assert check(tmp_path, b"# coding: euc-kr\n" + source).passed


@pytest.mark.parametrize("encoding", ["cp949", "utf-16"])
def test_another_encoding_is_named_with_the_line(tmp_path: Path, encoding: str) -> None:
    result = check(tmp_path, ("x = 1\n\n# 가\n" + SOLUTION).encode(encoding))
    says(result, "encoding", "Line 1 is" if encoding == "utf-16" else "Line 3 is not UTF-8")


def test_files_that_are_no_files(tmp_path: Path) -> None:
    file = tmp_path / "03b_softmax_row.py"
    says(run_check(SOFTMAX, file), "missing")
    file.mkdir()
    says(run_check(SOFTMAX, file), "unreadable")
    file.rmdir()
    says(check(tmp_path, b"#" * (2**20 + 1)), "long", "1,048,576")
    if hasattr(os, "mkfifo"):
        file.unlink()
        os.mkfifo(file)
        says(run_check(SOFTMAX, file, seconds=5), "unreadable")


def test_a_folder_with_any_name(tmp_path: Path) -> None:
    folder = tmp_path / "내 폴더's \"&;* []"
    folder.mkdir()
    assert check(folder, SOLUTION).passed
    result = check(folder, "import os\nimport time\ntime.sleep(1000)", seconds=4)
    assert result.fields["line"] == 3


def test_modules_beside_the_file_do_not_get_in_the_way(tmp_path: Path) -> None:
    for name in ("math", "numpy", "json", "walkthrough"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError", encoding="utf-8")
    assert check(tmp_path, SOLUTION).passed


def test_a_check_can_be_given_up(tmp_path: Path) -> None:
    asked: list[int] = []

    def cancelled() -> bool:
        asked.append(1)
        return len(asked) > 5

    start = time.monotonic()
    with pytest.raises(CancelledError):
        check(tmp_path, "while True: pass", cancelled=cancelled)
    assert time.monotonic() - start < 5


@linux_only
def test_an_interrupted_check_leaves_nothing_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXERCISE_TEST_MARK", "yes")

    def interrupted() -> bool:
        if marked():
            signal.raise_signal(signal.SIGINT)
        return False

    # A worker of pytest-xdist ignores the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            check(tmp_path, "while True: pass", cancelled=interrupted)
    finally:
        signal.signal(signal.SIGINT, before)
    assert marked() == []


def test_a_doctest_that_differs_names_what_was_called(tmp_path: Path) -> None:
    """One exercise whose check.py is empty: the doctests alone must find it."""
    folder = tmp_path / "03z_double"
    folder.mkdir()
    (folder / "check.py").write_text("def check(mine):\n    pass\n", encoding="utf-8")
    stub = '''"""Double (lesson 3)"""

import numpy as np


def double(x):
    """Twice.

    >>> y = np.array([1.0, 0.33333])
    >>> double(y)
    array([2.    , 0.6667])
    >>> double("a")
    Traceback (most recent call last):
        ...
    TypeError: no texts
    """
    raise NotImplementedError
'''
    (folder / "en.py").write_text(stub, encoding="utf-8")
    exercise = Exercise(folder, "en")
    right = "def double(x):\n    print('debug')\n    if isinstance(x, str): raise TypeError\n"
    file = tmp_path / "03z_double.py"
    for returned, kind, text in (
        ("2 * x", "passed", "Passed"),
        ("x + x + 1e-3", "value", "double(y)[0]: expected 2, got 2.0010"),
        ("x", "value", "double(y)[0]: expected 2, got 1"),
        ("x[:1]", "value", "double(y): expected [2.0, 0.6667], got [1.0]"),
        ("None", "nothing", "double(y): expected [2.0, 0.6667], got None"),
    ):
        file.write_text(right + f"    return {returned}\n", encoding="utf-8")
        result = run_check(exercise, file)
        says(result, kind, text)
    file.write_text("def double(x):\n    return x + x\n", encoding="utf-8")
    says(
        run_check(exercise, file),
        "raises",
        "double(\"a\"): should have raised TypeError, but gave 'aa'",
    )
    file.write_text(stub, encoding="utf-8")
    says(run_check(exercise, file), "todo", "double")


def test_a_result_for_programs(tmp_path: Path) -> None:
    data = as_data(check(tmp_path, "x = (\n"), "en")
    assert data["name"] == "03b_softmax_row"
    assert data["lessons"] == [3]
    assert (data["passed"], data["kind"], data["lines"]) == (False, "syntax", [1])
