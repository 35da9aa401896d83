"""What the exercises run on, and what is wrong with it."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from walkthrough.display.screen import Screen
from walkthrough.exercises.find import Exercise
from walkthrough.exercises.folder import Folder
from walkthrough.exercises.process import run_check
from walkthrough.exercises.progress import DamagedError

WORDS: dict[str, dict[str, str]] = {
    "ko": {
        "ok": "문제없어요.",
        "torch": "없음 (연습 문제에는 필요하지 않아요)",
        "none": "없음",
        "checks": "{count}개 가운데 하나를 {seconds:.1f}초에 검사",
        "terminal": "{name}, {columns}칸 x {rows}줄",
        "encoding": "출력 인코딩 {encoding}(으)로는 한글을 쓸 수 없어요. 로마자로 나와요. "
        "UTF-8 터미널을 쓰거나 PYTHONIOENCODING=utf-8로 실행하세요.",
        "narrow": "터미널이 {columns}칸이에요. 60칸 이상이면 읽기 좋아요.",
        "keys": "터미널이 아니라서 자동 검사와 키는 쓸 수 없어요. check, hint, list는 돼요.",
        "memory": "이 시스템에서는 메모리를 제한할 수 없어요.",
        "folder": "연습 문제 폴더가 없어요: walkthrough exercise init",
        "write": "{folder}에 쓸 수 없어요.",
        "damaged": "진행 기록이 망가졌어요. 다음에 검사할 때 다시 만들어요.",
        "check": "풀이가 통과하지 않아요 ({kind}). 설치가 온전한지 보세요.",
    },
    "en": {
        "ok": "Nothing is wrong.",
        "torch": "none (the exercises do not need it)",
        "none": "none",
        "checks": "one of {count} checked in {seconds:.1f} s",
        "terminal": "{name}, {columns} columns x {rows} lines",
        "encoding": "The output's encoding, {encoding}, has no Hangul: it is shown in Latin "
        "letters. Use a UTF-8 terminal, or run with PYTHONIOENCODING=utf-8.",
        "narrow": "The terminal is {columns} columns wide; 60 and more are good to read.",
        "keys": "Watching and keys need a terminal, and this is none; check, hint and list work.",
        "memory": "This system cannot limit memory.",
        "folder": "There is no folder of exercises: walkthrough exercise init",
        "write": "Nothing can be written in {folder}.",
        "damaged": "The progress file is damaged. The next check makes it anew.",
        "check": "A solution does not pass ({kind}). Is the installation complete?",
    },
}


@dataclass(frozen=True)
class Diagnosis:
    """Facts as (name, value), remarks that are no fault, and faults, in sentences."""

    facts: list[tuple[str, str]]
    remarks: list[str]
    faults: list[str]


def diagnose(
    exercises: list[Exercise], folder: Folder | None, screen: Screen, language: str
) -> Diagnosis:
    """Look at everything that the exercises need."""
    words = WORDS[language]
    remarks, faults = [], []
    size = shutil.get_terminal_size()
    terminal = sys.stdout.isatty() and sys.stdin is not None and sys.stdin.isatty()
    name = os.environ.get("TERM", "") if terminal else words["none"]
    checked = run_check(exercises[0], exercises[0].solution)
    shown = words["terminal"].format(name=name, columns=size.columns, rows=size.lines)
    facts = [
        ("walkthrough", _version("paged-attention-walkthrough")),
        ("Python", f"{platform.python_version()} ({sys.executable})"),
        ("NumPy", _version("numpy")),
        ("rich", _version("rich")),
        ("torch", _version("torch") if find_spec("torch") else words["torch"]),
        ("system", platform.platform()),
        ("terminal", shown if terminal else name),
        ("encoding", screen.charset.encoding),
        ("language", language),
        ("folder", str(folder.path.resolve()) if folder else words["none"]),
        ("check", words["checks"].format(count=len(exercises), seconds=checked.seconds)),
    ]
    if not screen.charset.encodes("가"):
        remarks.append(words["encoding"].format(encoding=screen.charset.encoding))
    if terminal and size.columns < 60:
        remarks.append(words["narrow"].format(columns=size.columns))
    if not terminal:
        remarks.append(words["keys"])
    if find_spec("resource") is None:
        remarks.append(words["memory"])
    if not checked.passed:
        faults.append(words["check"].format(kind=checked.kind))
    if folder is None:
        remarks.append(words["folder"])
    else:
        faults += _folder_faults(folder, words)
    return Diagnosis(facts, remarks, faults)


def _folder_faults(folder: Folder, words: dict[str, str]) -> list[str]:
    faults = []
    for path in (folder.path, folder.store.folder):
        if not _writable(path):
            faults.append(words["write"].format(folder=path))
    try:
        folder.store.read()
    except (DamagedError, OSError):
        faults.append(words["damaged"])
    return faults


def _writable(path: Path) -> bool:
    try:
        with tempfile.TemporaryFile(dir=path) as file:
            file.write(b"x" * 4096)
    except OSError:
        return False
    return True


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "?"
