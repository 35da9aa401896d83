"""The other side of `process`: one check of one file, in a process that has no other purpose.

    python -m walkthrough.exercises.checking.worker REQUEST

REQUEST is JSON (see `process`). What was found goes to standard error as JSON, behind whatever
the interpreter itself says there when it crashes; what the learner's code prints goes, all of it,
to standard output. No file is needed, so a full disk does no harm. This keeps accidents away from
the learner's terminal. It is no sandbox against somebody who means harm.
"""

from __future__ import annotations

import builtins
import contextlib
import faulthandler
import io
import json
import linecache
import os
import runpy
import signal
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from walkthrough.exercises.find import definitions

MEMORY = 2 * 2**30  # bytes of address space; NumPy alone takes a few hundred MiB of it
FILE_SIZE = 2**28  # bytes that a file may grow to
LONGEST = 2**20  # bytes of a learner's file
Finding = dict[str, Any]


def limit_resources(seconds: float) -> None:
    """Bound memory, files and processor time, where the system can."""
    with contextlib.suppress(ImportError):
        import resource

        cpu = int(seconds) + 5  # ends an endless loop even where the parent was killed
        for what, most in (
            (resource.RLIMIT_AS, MEMORY),
            (resource.RLIMIT_FSIZE, FILE_SIZE),
            (resource.RLIMIT_CPU, cpu),
            (resource.RLIMIT_CORE, 0),
        ):
            with contextlib.suppress(ValueError, OSError):
                hard = resource.getrlimit(what)[1]
                most = most if hard == resource.RLIM_INFINITY else min(most, hard)
                resource.setrlimit(what, (most, hard))


class NoInputError(Exception):
    """`input()` was called; nobody is there to type."""


class _StopError(Exception):
    """Ends the check with a finding."""

    def __init__(self, kind: str, **fields: Any) -> None:
        self.finding: Finding = {"kind": kind} | fields
        super().__init__(kind)


def examine(path: Path, stub: str, check: Path) -> Finding:
    """Load a learner's file and hold it against the exercise; what was found, as plain data."""
    try:
        mine = _load(path, stub)
        checks = runpy.run_path(str(check))
        _compare(mine, stub, checks)
        return {"kind": "passed", "shown": _present(mine, checks)}
    except _StopError as stop:
        return stop.finding
    except SystemExit:
        return {"kind": "exit", "frames": _frames(path)}
    except BaseException as error:  # a KeyboardInterrupt that the file raises, too
        return _explain(error, path)


def _load(path: Path, stub: str) -> ModuleType:
    source, name = read_source(path), code_name(path)
    try:
        code = compile(source, name, "exec", dont_inherit=True)
    except SyntaxError as error:
        text = (error.text or "").strip()
        raise _StopError("syntax", line=error.lineno, reason=error.msg, text=text) from error
    except (ValueError, RecursionError, MemoryError) as error:  # null bytes; nested too deep
        raise _StopError("syntax", line=None, reason=str(error), text="") from error
    # Its lines, for messages: the bare name stays readable where the folder's is not ASCII.
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    mine = ModuleType("exercise")
    mine.__file__ = str(path)
    sys.modules["exercise"] = mine  # dataclasses look their module up
    exec(code, mine.__dict__)
    for name in definitions(stub):
        found: Any = mine
        for part in name.split("."):
            found = getattr(found, part, None)
        if not callable(found) and not isinstance(found, property):
            raise _StopError("gone", name=name)
    return mine


def code_name(path: Path) -> str:
    """The name that a learner's code has in tracebacks; a notebook's is no file of Python."""
    return f"<{path.name}>" if path.suffix == ".ipynb" else path.name


def read_source(path: Path) -> str:
    """The file as text: UTF-8 whatever the locale, with a byte-order mark or without.

    Of a notebook, its code.
    """
    from walkthrough.exercises.notebook import LARGEST, NotebookError, code_of

    notebook = path.suffix == ".ipynb"
    limit = LARGEST if notebook else LONGEST
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise _StopError("unreadable", reason=error.strerror or str(error)) from error
    if len(data) > limit:
        raise _StopError("long", limit=limit)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _StopError("encoding", line=line) from error
    try:
        return code_of(text) if notebook else text
    except NotebookError as error:
        raise _StopError("no notebook") from error


def _compare(mine: ModuleType, stub: str, checks: dict[str, Any]) -> None:
    """The examples of functions, which a learner sees; the check; examples of whole classes."""
    from walkthrough.exercises.checking.calls import watched
    from walkthrough.exercises.checking.compare import MismatchError
    from walkthrough.exercises.checking.doctests import run_doctests

    try:
        names = watched(mine, stub, checks.get("CHANGES", {}))
        run_doctests(stub, names, of_classes=False)
        checks["check"](names)
        run_doctests(stub, names, of_classes=True)
    except MismatchError as error:
        raise _StopError(error.kind, **error.fields) from error


def _present(mine: ModuleType, checks: dict[str, Any]) -> str:
    """What check.py has to show of code that passed."""
    shown = io.StringIO()
    if "present" in checks:
        with contextlib.redirect_stdout(shown):
            checks["present"](mine)
    return shown.getvalue()


def _explain(error: BaseException, path: Path) -> Finding:
    frames = _frames(path)
    if isinstance(error, NotImplementedError) and not error.args:
        name, line = (frames[-1]["function"], frames[-1]["line"]) if frames else ("", None)
        return {"kind": "todo", "name": name, "line": line}
    if isinstance(error, NoInputError):
        return {"kind": "input", "frames": frames}
    if isinstance(error, MemoryError):
        return {"kind": "memory", "frames": frames, "limit": MEMORY}
    try:
        message = " ".join(str(error).split())[:300]
    except Exception:
        message = ""
    name = type(error).__name__[:80]
    said = {"error": f"{name}: {message}" if message else name, "message": message,
            "frames": frames}  # fmt: skip
    from walkthrough.exercises.checking.compare import refusal_of

    refusal = refusal_of(error)
    if refusal.expected:
        place, expected = refusal.expected
        return {"kind": "instead", "place": place, "expected": expected} | said
    if isinstance(error, ImportError) and frames:
        return {"kind": "import"} | said
    if refusal.call:
        return {"kind": "called", "call": refusal.call} | said
    return {"kind": "error" if frames else "outside"} | said


def _frames(path: Path) -> list[Finding]:
    """Where in the learner's own lines the error that is being handled came from."""
    error, name = sys.exc_info()[1], code_name(path)
    assert error is not None
    frames = [
        {
            "line": line,
            "function": frame.f_code.co_qualname,
            "text": linecache.getline(name, line).rstrip(),
        }
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename == name
    ]
    return frames if len(frames) <= 5 else [*frames[:2], *frames[-3:]]


def _no_input(prompt: object = "") -> NoReturn:
    raise NoInputError


def main() -> NoReturn:
    """Do what the request says, write what was found, and end at once."""
    request = json.loads(sys.argv[1])
    path, folder = Path(request["path"]), Path(request["exercise"])
    channel = os.dup(2)  # not passed on to children
    os.dup2(1, 2)
    faulthandler.enable(channel)  # where a crash was
    if hasattr(faulthandler, "register"):
        faulthandler.register(signal.SIGUSR1, channel, all_threads=False)  # or an endless loop is
    stub = (folder / f"{request['language']}.py").read_text(encoding="utf-8-sig")
    builtins.input = _no_input
    limit_resources(request["seconds"])
    finding = examine(path, stub, folder / "check.py")
    with contextlib.suppress(Exception):
        sys.stdout.flush()
        sys.stderr.flush()
    with os.fdopen(channel, "w", encoding="ascii") as out:
        out.write(request["mark"] + json.dumps(finding))
    os._exit(0)  # no thread and no exit handler of the learner's has a say any more


if __name__ == "__main__":
    main()
