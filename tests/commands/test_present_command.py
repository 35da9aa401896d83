"""`walkthrough present`: what it says without a screen, and in a real terminal."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers.cli import ROOT, run_cli
from helpers.lessons import lesson_with_notes

from walkthrough.commands import cli
from walkthrough.lesson.reading import Lesson

pytestmark = pytest.mark.usefixtures("runtime_folder")


posix_only = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX system")


@pytest.fixture
def lesson(tmp_path: Path) -> Lesson:
    return lesson_with_notes(tmp_path)


@pytest.mark.parametrize("env", [{}, {"TERM": "dumb"}])
def test_without_a_terminal_it_is_one_sentence(env: dict[str, str]) -> None:
    for language, part in (("en", "needs a terminal"), ("ko", "터미널에서만")):
        done = run_cli("present", "5", "--lang", language, env=env)
        assert done.returncode == 2
        assert done.stdout == b""
        assert len(done.stderr.decode().strip().splitlines()) == 1
        assert part in done.stderr.decode()


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["present"], "lesson"),
        (["present", "99"], "there is no lesson '99'"),
        (["present", "5", "--example", "no.toml"], "no.toml: cannot be read"),
        (["present", "5", "6"], "unrecognized arguments: 6"),
    ],
)
def test_what_cannot_be_presented(arguments: list[str], part: str) -> None:
    done = run_cli(*arguments)
    assert done.returncode == 2
    assert part in done.stderr.decode()
    assert len(done.stderr.decode().strip().splitlines()) == 1


ESCAPES = re.compile(r"\x1b(\[[0-9;?<>=$]*[a-zA-Z]|[()].|[=>])")


class Terminal:
    """A shell in a pseudo-terminal, from which a command is started as a user would."""

    def __init__(self, *, rows: int = 24, columns: int = 80, **env: str) -> None:
        pexpect = pytest.importorskip("pexpect")
        clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LINES")}
        self.shell = pexpect.spawn(
            "/bin/sh", ["-i"], cwd=str(ROOT), dimensions=(rows, columns), encoding="utf-8",
            env=clean | {"TERM": "xterm-256color", "PS1": "$ ", "ENV": ""} | env, timeout=60,
        )  # fmt: skip
        self.shell.expect_exact("$ ")

    def modes(self) -> str:
        """The terminal's settings, as stty says them."""
        self.shell.sendline("echo modes=$(stty -g)")
        self.shell.expect(r"modes=([0-9a-f:]+)\r\n")
        modes = str(self.shell.match.group(1))
        self.shell.expect_exact("$ ")
        return modes

    def start(self, command: str) -> None:
        self.shell.sendline(command)

    def wait_for(self, text: str) -> None:
        self.shell.expect_exact(text)

    def press(self, keys: str) -> None:
        self.shell.send(keys)

    def ended(self) -> tuple[int, str]:
        """The exit status, and what the terminal received until then."""
        self.shell.expect(r"\$ $")
        out = str(self.shell.before)
        self.shell.sendline("echo status=$?")
        self.shell.expect(r"status=(\d+)\r\n")
        status = int(self.shell.match.group(1))
        self.shell.expect_exact("$ ")
        return status, out

    def process(self) -> int:
        """The process that was started as `PID command`."""
        self.shell.expect(r"pid=(\d+)\r\n")
        return int(self.shell.match.group(1))


PID = "sh -c 'echo pid=$$; exec \"$@\"' sh"


PRESENT = f"{sys.executable} -m walkthrough present"


CRASHING = (
    "from walkthrough.presenter.app import Presenter as P; "
    "P.do_help = lambda self: 1 / 0; import sys; from walkthrough.commands.cli import main; "
    "sys.exit(main(['present', '5', '--lang', 'en']))"
)


@posix_only
@pytest.mark.parametrize(
    ("end", "status"),
    [
        ("ㅂ", 0),
        pytest.param("\x03", 130, marks=pytest.mark.slow),
        pytest.param(signal.SIGTERM, 143, marks=pytest.mark.slow),
        pytest.param(signal.SIGHUP, 129, marks=pytest.mark.slow),
        ("crash", 1),
    ],
    ids=str,
)
def test_the_terminal_is_left_as_it_was(end: Any, status: int) -> None:
    terminal = Terminal()
    before = terminal.modes()
    crash = end == "crash"
    command = f'{sys.executable} -c "{CRASHING}"' if crash else f"{PRESENT} 5 --lang en"
    terminal.start(f"{PID} {command}")
    process = terminal.process()
    terminal.wait_for("After this lesson")
    terminal.press("\x1b[C4\r")
    terminal.wait_for("One row of scores")
    if isinstance(end, signal.Signals):
        os.kill(process, end)
    else:
        terminal.press("?" if crash else end)
    got, out = terminal.ended()
    assert got == status
    assert terminal.modes() == before
    for mode in ("\x1b[?1049l", "\x1b[?25h", "\x1b[?1000l", "\x1b[?2004l", "\x1b[?1004l"):
        assert mode in out, f"not restored: {mode!r}"
    after = ESCAPES.sub("", out.split("\x1b[?1049l")[-1]).strip()
    assert ("ZeroDivisionError" in after) if crash else (after == ""), after


@pytest.mark.slow
@posix_only
def test_a_second_terminal_follows(lesson: Lesson) -> None:
    presenting, notes = Terminal(), Terminal(rows=30, columns=100)
    notes.start(f"{PRESENT} {lesson.path} --notes --lang en")
    notes.wait_for("Waiting for the presentation")
    presenting.start(f"{PRESENT} {lesson.path} --lang en")
    notes.wait_for("Ask who has")
    presenting.press("\t")
    notes.wait_for("Let them compute one first.")
    presenting.press("q")
    assert presenting.ended()[0] == 0
    notes.wait_for("Waiting for the presentation")
    notes.press("q")
    assert notes.ended()[0] == 0


@pytest.mark.slow
@posix_only
def test_terminals_in_which_nobody_can_present(tmp_path: Path) -> None:
    for terminal, part in (
        (Terminal(rows=23), "at least 80×24 cells; this one has 80×23"),
        (Terminal(columns=79), "at least 80×24 cells; this one has 79×24"),
        (Terminal(TERM="dumb"), "(TERM=dumb) cannot be drawn on"),
    ):
        before = terminal.modes()
        terminal.start(f"{PRESENT} 5 --lang en")
        status, out = terminal.ended()
        assert status == 2
        assert part in out and "\x1b[?1049h" not in out
        assert terminal.modes() == before
    terminal = Terminal()
    terminal.start(f"{PRESENT} 5 --lang en | cat")
    assert "presenting needs a terminal" in terminal.ended()[1]
    failing = tmp_path / "failing.md"
    failing.write_text("# Mine\n\n```python\n>>> 1 / 0\n```\n", encoding="utf-8")
    terminal.start(f"{PRESENT} {failing} --lang en")
    status, out = terminal.ended()
    assert status == 1
    assert "failing.md, line 4: ZeroDivisionError" in out and "\x1b[?1049h" not in out


@pytest.mark.slow
@posix_only
def test_sixteen_colours_none_and_a_console_without_hangul() -> None:
    def shown(command: str, **env: str) -> str:
        terminal = Terminal(**env)
        terminal.start(command)
        terminal.wait_for("1/10")
        terminal.press("5\rnnnnn")
        terminal.wait_for("42.1798")
        terminal.press("q")
        status, out = terminal.ended()
        assert status == 0
        return str(out)

    sixteen = shown(f"{PRESENT} 5 --lang ko", TERM="xterm", COLORTERM="")
    colours = re.findall(r"\x1b\[([0-9;]*)m", sixteen)
    assert any("36" in code.split(";") for code in colours), "headings are cyan"
    assert not any(re.search(r"\b[34]8;[25]\b", code) for code in colours)
    plain = shown(f"{PRESENT} 5 --plain")  # which is what NO_COLOR does
    codes = {c for code in re.findall(r"\x1b\[([0-9;]*)m", plain) for c in code.split(";")}
    assert not codes & {str(c) for c in [*range(30, 38), *range(40, 48), *range(90, 108)]}
    ascii_only = shown(f"{PRESENT} 5 --ascii --lang ko")
    assert "P[ganda][hakgyoe]" in ascii_only
    assert ascii_only.isascii()


def test_a_lesson_that_needs_more_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Lesson, "missing", ["torch"])
    assert cli.main(["present", "5", "--lang", "en"]) == 1
    assert "needs torch" in capsys.readouterr().err
