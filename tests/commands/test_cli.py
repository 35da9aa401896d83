"""The commands as a user meets them: in a process, through a pipe, in a terminal."""

from __future__ import annotations

import functools
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from helpers.cli import NO_MODEL, ROOT, assert_one_line, run_cli

from walkthrough.commands.arguments import choose_language
from walkthrough.commands.cli import main
from walkthrough.commands.console import LONGEST_MESSAGE, complain
from walkthrough.display.table import cell_len
from walkthrough.installation import install_command
from walkthrough.lesson.reading import find_lessons

posix_only = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX system")


def lines_of(done: subprocess.CompletedProcess[bytes]) -> list[str]:
    return done.stdout.decode().splitlines()


def test_alone_it_says_what_this_is_and_how_to_start() -> None:
    done = run_cli()
    text = done.stdout.decode()
    assert done.returncode == 0
    for lesson in find_lessons("en"):
        assert lesson.title in text
    for command in ("walkthrough run", "walkthrough run 5 --step", "walkthrough audit"):
        assert command in text
    assert "워크" not in text
    assert "이렇게 시작하세요" in run_cli("--lang", "ko").stdout.decode()


def test_list() -> None:
    lines = lines_of(run_cli("list", "--lang", "ko"))
    assert [line.split()[:2] for line in lines] == [
        [str(lesson.number), lesson.name] for lesson in find_lessons("ko")
    ]


@pytest.mark.parametrize("wanted", [["5"], ["05"], ["05_decode_with_cache"], ["5.md"]])
def test_a_lesson_by_any_of_its_names(wanted: list[str]) -> None:
    assert lines_of(run_cli("run", *wanted))[0] == "5. Decode with a cache"


def test_several_lessons_in_the_order_asked_for() -> None:
    titles = [line for line in lines_of(run_cli("run", "3", "1")) if re.match(r"\d\. [TP]", line)]
    assert titles == ["3. Prefill: the whole prompt at once", "1. Two phases: prefill and decode"]


@pytest.mark.slow
def test_all_lessons_run() -> None:
    base = [lesson for lesson in find_lessons("en") if not lesson.needs]
    text = run_cli("run", "--plain", *(lesson.name for lesson in base)).stdout.decode()
    for lesson in base:
        assert f"{lesson.number}. {lesson.title}\n" in text


def test_help_is_in_the_language_asked_for() -> None:
    assert "나누어 보여" in run_cli("run", "--help", "--lang", "ko").stdout.decode()
    assert "piece by piece" in run_cli("run", "--help").stdout.decode()
    romanised = run_cli("--help", "--lang", "ko", env={"PYTHONIOENCODING": "cp1252"})
    assert romanised.returncode == 0
    assert b"sayongbeop: walkthrough" in romanised.stdout
    assert re.match(r"\d+\.\d+", run_cli("--version").stdout.decode())


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["run", "99"], ["there is no lesson '99'", "05_decode_with_cache"]),
        (["run", "5", "nine"], ["there is no lesson 'nine'"]),
        (["run", "mine.md"], ["there is no file 'mine.md' and no lesson of that name"]),
        (["run", "--lang", "fr"], ["no lessons in 'fr'", "ko, en"]),
        (["list", "--lang", "../.."], ["no lessons in '../..'"]),
        (["run", "--width", "5"], ["from 20 to 1000, not '5'"]),
        (["run", "--precision", "many"], ["from 0 to 15, not 'many'"]),
        (["run", "--example", "no.toml"], ["no.toml: cannot be read: No such file"]),
        (["audit", "--lang", "fr"], ["no lessons in 'fr'"]),
        (["walk"], ["invalid choice: 'walk'"]),
        (["run", "--fast"], ["unrecognized arguments: --fast"]),
    ],
)
def test_what_cannot_be_done_is_one_line_and_status_2(
    arguments: list[str], parts: list[str]
) -> None:
    assert_one_line(run_cli(*arguments), 2, *parts)


def test_errors_in_korean() -> None:
    assert_one_line(run_cli("run", "99", "--lang", "ko"), 2, "레슨은 없어요")
    assert_one_line(run_cli("run", "--lang=ko", "--example", "no.toml"), 2, "읽을 수 없어요")
    assert_one_line(run_cli("run", "--fast", "--lang=ko"), 2, "모르는 인자예요: --fast")
    assert_one_line(run_cli("walk", "--lang=ko"), 2, "'walk': 쓸 수 없는 값이에요")
    assert_one_line(run_cli("list", "--lang", "ko", "--width"), 2, "--width: 값을 하나 적어야")


def test_what_if(tmp_path: Path) -> None:
    text = (ROOT / "walkthrough/document/document.toml").read_text(encoding="utf-8")
    path = tmp_path / "mine.toml"
    path.write_text(text.replace("[1, 1, 0, 1]", "[1, 1, 0, 2]"), encoding="utf-8")
    done = run_cli("run", "5", "--example", str(path))
    shown = done.stdout.decode()
    assert done.returncode == 0
    assert str(path) in shown.replace("\n", "")
    assert re.search(r"간다 │ +6 +4 +6\n", shown)  # q = [1, 3], k = [3, 1]: no longer 4 3 4
    path.write_text(text.replace("[1, 1, 0, 1]", "[1, 1, 0]"), encoding="utf-8")
    done = run_cli("run", "5", "--example", str(path))
    assert_one_line(done, 2, "mine.toml: token[3].embedding", "(4,)", "(3,)")


LESSONS = [str(number) for number in range(1, 16)]  # those that take no second


@functools.cache
def in_full(language: str) -> str:
    return run_cli("run", *LESSONS, "--lang", language).stdout.decode()


@pytest.mark.parametrize(
    ("language", "encoding"),
    [
        pytest.param("ko", "ascii", marks=pytest.mark.slow),
        ("ko", "cp949"),
        pytest.param("ko", "cp1252", marks=pytest.mark.slow),
        pytest.param("ko", "utf-8", marks=pytest.mark.slow),
        pytest.param("en", "ascii", marks=pytest.mark.slow),
        pytest.param("en", "cp949", marks=pytest.mark.slow),
        pytest.param("en", "cp1252", marks=pytest.mark.slow),
        pytest.param("en", "utf-8", marks=pytest.mark.slow),
    ],
)
def test_any_encoding_piped(language: str, encoding: str) -> None:
    env = {"PYTHONIOENCODING": encoding, "COLUMNS": "24"}
    done = run_cli("run", *LESSONS, "--lang", language, env=env)
    assert (done.returncode, done.stderr) == (0, b"")
    shown = done.stdout.decode(encoding)
    complete = in_full(language)
    for figure in ("2.8284", "16.9188", "42.1798", "1.4011", "1.8022", "524,288"):
        assert shown.count(figure) == complete.count(figure) > 0
    assert_tables_aligned(shown)
    for command in (["list"], [], ["audit"]):
        assert run_cli(*command, "--lang", language, env=env).returncode == 0


def assert_tables_aligned(text: str) -> None:
    """Below each rule with a cross, the bar stands where the cross does."""
    checked = 0
    lines = text.splitlines()
    for i, line in enumerate(lines):
        rule = re.fullmatch(r"([─-]+)[┼+][─-]+", line)
        if not rule:
            continue
        place = cell_len(rule[1])
        for row in [lines[i - 1], *lines[i + 1 :]]:
            bars = [cell_len(row[: m.start()]) for m in re.finditer(r"[│|]", row)]
            if not bars:
                break
            assert place in bars, f"{line}\n{row}"
            checked += 1
    assert checked > 100


def test_ascii_on_request() -> None:
    shown = run_cli("run", "5", "--lang", "ko", "--ascii").stdout
    assert shown.isascii()
    assert b"ganda | " in shown
    assert_tables_aligned(run_cli("run", "--ascii", *LESSONS).stdout.decode())


def test_piped_width_does_not_depend_on_the_terminal() -> None:
    narrow = run_cli("run", "1", env={"COLUMNS": "24"})
    assert narrow.stdout == run_cli("run", "1", env={"COLUMNS": "200"}).stdout
    assert b"\x1b" not in narrow.stdout
    wide = run_cli("run", "1", "--width", "60").stdout.decode()
    assert wide != narrow.stdout.decode()


def test_step_waits_for_enter_and_goes_on_when_input_ends() -> None:
    done = run_cli("run", "1", "--step", input=b"\n")
    assert done.returncode == 0
    assert done.stderr.decode().count("[Enter]") == 2  # asked again, then the input had ended
    assert done.stdout == run_cli("run", "1").stdout
    patient = run_cli("run", "1", "--step", input=b"\n" * 100)
    answered = patient.stderr.decode().count("[Enter]")
    assert answered > len([1 for line in lines_of(patient) if line.startswith("---")])


def test_step_with_input_that_is_not_text() -> None:
    done = run_cli("run", "1", "--step", input=b"\xff\n", env={"PYTHONIOENCODING": "utf-8:strict"})
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr


def test_help_and_prompt_on_a_console_without_hangul() -> None:
    done = run_cli("run", "1", "--step", "--lang", "ko", env={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert done.stderr.startswith(b"[Enter] gyesok")


def test_the_last_language_wins() -> None:
    done = run_cli("list", "--lang", "ko", "--lang=en")
    assert done.stdout == run_cli("list", "--lang", "en").stdout
    assert b"there is no lesson" in run_cli("--lang", "ko", "run", "99", "--lang", "en").stderr


def test_the_language_of_a_learners_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Begun in Korean, everything there is Korean, until --lang says otherwise."""
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    monkeypatch.chdir(tmp_path)
    assert choose_language(["list"]) == "en"
    assert main(["exercise", "init", "--lang", "ko"]) == 0
    for place in (tmp_path, tmp_path / "exercises"):
        monkeypatch.chdir(place)
        assert choose_language(["list"]) == "ko"
        assert choose_language(["list", "--lang", "en"]) == "en"
        with pytest.raises(SystemExit):
            main(["run", "--help"])
        assert "사용법" in capsys.readouterr().out
        assert main(["run", "99"]) == 2
        assert capsys.readouterr().err.startswith("오류: ")
    assert main(["exercise", "init", "--lang", "en"]) == 0
    assert "From now on English is spoken" in capsys.readouterr().out
    assert choose_language(["list"]) == "en"
    assert main(["exercise", "init", "--lang", "en"]) == 0
    assert "From now on" not in capsys.readouterr().out
    (tmp_path / "exercises" / ".walkthrough" / "progress.json").write_text("{")
    monkeypatch.setenv("LC_ALL", "ko_KR.UTF-8")
    assert choose_language(["list"]) == "ko"


def test_language_from_the_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    class Console:
        encoding = "utf-8"

    monkeypatch.setattr(sys, "stdout", Console())
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    assert choose_language([]) == "ko"
    assert choose_language(["--ascii"]) == "en"
    locales = {"ko_KR.UTF-8": "ko", "en_US.UTF-8": "en", "de_DE": "en", "C.UTF-8": "ko"}
    for value, language in locales.items():
        monkeypatch.setenv("LANG", value)
        assert choose_language(["list"]) == language
    monkeypatch.setenv("LC_ALL", "ko_KR.eucKR")
    assert choose_language([]) == "ko"
    assert choose_language(["run", "--lang", "en"]) == "en"
    assert choose_language(["run", "--lang=en"]) == "en"
    monkeypatch.setenv("LC_ALL", "C")
    Console.encoding = "cp1252"
    assert choose_language([]) == "en"


@posix_only
def test_a_closed_pipe_ends_quietly() -> None:
    command = f"{sys.executable} -m walkthrough run --lang en | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, cwd=ROOT, timeout=60)
    assert done.stdout.decode().splitlines() == ["1. Two phases: prefill and decode", "141"]
    assert done.stderr == b""


@posix_only
def test_a_full_disk_is_one_line() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full on this system")
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        done = subprocess.run(
            [sys.executable, "-m", "walkthrough", "run", "1", "--lang", "en"],
            stdout=full, stderr=subprocess.PIPE, cwd=ROOT, timeout=60, check=False,
        )  # fmt: skip
    done.stdout = b""
    assert_one_line(done, 1, "cannot write the output: No space left")


@posix_only
def test_a_failing_standard_error_changes_no_status() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full on this system")
    command = f"{sys.executable} -m walkthrough run 99 2>/dev/full"
    assert subprocess.run(["bash", "-c", command], cwd=ROOT, timeout=60).returncode == 2


@posix_only
def test_closed_standard_output() -> None:
    command = f"{sys.executable} -m walkthrough run 1 --lang en >&-"
    done = subprocess.run(["bash", "-c", command], capture_output=True, cwd=ROOT, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")


@posix_only
def test_interrupted_while_waiting() -> None:
    pexpect = pytest.importorskip("pexpect")
    child = pexpect.spawn(
        sys.executable, ["-m", "walkthrough", "run", "1", "--step", "--lang", "en"],
        cwd=str(ROOT), env=os.environ | NO_MODEL | {"TERM": "xterm-256color"},
        encoding="utf-8", timeout=30,
        # A test run in the background may have been told to ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    child.expect("go on")
    child.kill(signal.SIGINT)
    child.expect("Interrupted.")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    assert "Traceback" not in child.before


@posix_only
@pytest.mark.parametrize("columns", [60, 80, 120])
def test_reading_by_pages_with_a_way_back(columns: int) -> None:
    """No page is higher than the window; q ends in the middle, and the terminal is as it was."""
    pexpect = pytest.importorskip("pexpect")
    script = '"$@"; echo "status $?"; stty -a | grep -oE "(^| )(icanon|echo)( |$)"; echo end'
    with tempfile.TemporaryDirectory() as away:
        child = pexpect.spawn(
            "bash", ["-c", script, "-", sys.executable, "-m", "walkthrough", "run", "3", "--step"],
            cwd=away, env=os.environ | NO_MODEL | {"TERM": "xterm", "LANG": "en_US.UTF-8",
            "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
            encoding="utf-8", timeout=30, dimensions=(24, columns),
        )  # fmt: skip
        pages = []
        for _ in range(6):
            child.expect_exact("[q]")
            pages.append(child.before)
            child.send("\r")
        assert all(page.count("\n") <= 24 for page in pages)
        child.expect_exact("[q]")
        seventh = child.before
        child.send("b")
        child.expect_exact("\x1b[H\x1b[2J")
        child.expect_exact("[q]")
        assert child.before.strip() and child.before != seventh
        child.send("\x1b[C")  # the right arrow: on to where we were
        child.expect_exact("\x1b[H\x1b[2J")
        child.expect_exact("[q]")
        child.send("ㅂ")  # q, with the keyboard switched to Hangul
        child.expect_exact("status 0")
        child.expect_exact("end")  # keys with Enter again, and seen
        assert child.before.split() == ["icanon", "echo"]
        child.expect(pexpect.EOF)
        child.close()


@posix_only
def test_a_dumb_terminal_waits_for_enter_as_ever() -> None:
    pexpect = pytest.importorskip("pexpect")
    child = pexpect.spawn(
        sys.executable, ["-m", "walkthrough", "run", "1", "--step", "--lang", "en"],
        cwd=str(ROOT), env=os.environ | NO_MODEL | {"TERM": "dumb"}, encoding="utf-8", timeout=30,
    )  # fmt: skip
    child.expect_exact("[Enter] go on ")
    child.sendline("")
    child.expect_exact("[Enter] go on ")
    child.close(force=True)


def in_a_terminal(*args: str, columns: int, **env: str) -> str:
    """The bytes that a pseudo-terminal of that width receives, as text."""
    pexpect = pytest.importorskip("pexpect")
    clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS")}
    child = pexpect.spawn(
        sys.executable, ["-m", "walkthrough", *args], cwd=str(ROOT),
        env=clean | NO_MODEL | {"TERM": "xterm-256color"} | env,
        timeout=60, dimensions=(40, columns),
    )  # fmt: skip
    text = child.read().decode(env.get("PYTHONIOENCODING", "utf-8")).replace("\r\n", "\n")
    child.close()
    assert child.exitstatus == 0, text
    return text


@posix_only
@pytest.mark.parametrize("encoding", ["ascii", "cp949", "utf-8"])
def test_any_encoding_in_a_narrow_terminal(encoding: str) -> None:
    pytest.importorskip("pexpect")
    shown = in_a_terminal("run", "5", "--lang", "en", columns=24, PYTHONIOENCODING=encoding)
    text = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    for figure in ("2.8284", "16.9188", "42.1798", "1.4011", "1.8022"):
        assert figure in text
    assert "..." not in re.sub(r"^\.\.\. .*$|^\.\.\.$", "", text, flags=re.MULTILINE)
    assert_tables_aligned(text)


@posix_only
def test_colour_only_where_it_is_wanted() -> None:
    pytest.importorskip("pexpect")
    assert "\x1b[" in in_a_terminal("run", "1", columns=80)
    for quiet in (
        in_a_terminal("run", "1", "--plain", columns=80),
        in_a_terminal("run", "1", columns=80, NO_COLOR="1"),
        in_a_terminal("run", "1", columns=80, TERM="dumb"),
    ):
        assert "\x1b" not in quiet


@posix_only
@pytest.mark.slow  # every lesson
@pytest.mark.parametrize("columns", [60, 80, 120])
def test_prose_and_tables_keep_to_the_terminals_width(columns: int) -> None:
    pytest.importorskip("pexpect")
    shown = in_a_terminal("run", "--lang", "ko", "--plain", columns=columns)
    code = re.compile(r"^(>>>|\.\.\.)( |$)|.*no room for")  # code, and what it prints by itself
    assert [x for x in shown.split("\n") if not code.match(x) and cell_len(x) > columns] == []


@pytest.mark.parametrize(
    ("language", "part"),
    [
        ("en", "This lesson needs torch, which is not installed yet."),
        ("ko", "필요한데 아직 설치되어 있지 않아요: torch"),
    ],
)
def test_a_lesson_whose_package_is_missing_says_so_and_the_next_goes_on(
    language: str,
    part: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from walkthrough.lesson import needs

    monkeypatch.setattr(needs, "find_spec", lambda name: None)
    assert main(["run", "19", "20", "1", "--plain", "--lang", language]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.count(part) == 2
    assert install_command("gpu") in shown
    assert ">>> import torch" not in shown
    assert ">>> ex = example()" in shown, "lesson 1 ran"


@pytest.mark.skipif(sys.platform == "win32", reason="arguments are bytes elsewhere")
@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize(
    "args", [("model", "run", b"caf\xe9"), ("example", "new", b"\xff.toml"), (b"\xff",)]
)
def test_arguments_that_are_not_utf_8_are_one_line(
    args: tuple[str | bytes, ...], language: str, tmp_path: Path
) -> None:
    done = run_cli(*args, "--lang", language, cwd=tmp_path)  # type: ignore[arg-type]
    message = done.stderr.decode()
    assert (done.returncode, done.stdout, message.count("\n")) == (2, b"", 1)
    assert r"\udce9" in message or r"\udcff" in message
    assert {"ko": "UTF-8 글이 아닌", "en": "is not UTF-8 text"}[language] in message
    assert list(tmp_path.iterdir()) == []


def test_a_complaint_is_one_line_of_bounded_length(capsys: pytest.CaptureFixture[str]) -> None:
    complain("a\nb a\x1b[2J\u202e" + "x" * 100_000 + "the end")
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert err.startswith(r"a b a\x1b[2J")
    assert err.endswith("the end\n")
    assert len(err) < 1.1 * LONGEST_MESSAGE
