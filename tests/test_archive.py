"""The archive that would be published: the sdist holds all, and so does the wheel made of it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest
from helpers.cli import ROOT

import walkthrough

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("git") is None or not (ROOT / ".git").exists(), reason="no git checkout"
    ),
    pytest.mark.skipif(find_spec("hatchling") is None, reason="hatchling is not installed"),
]

IN_WHEEL = re.compile(r"walkthrough/|gpu/|lessons/(ko|en|exercises)/")


def git_files(*which: str) -> set[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", *which], cwd=ROOT, capture_output=True, check=True
    ).stdout.decode()
    return {name for name in listed.split("\0") if name and (ROOT / name).is_file()}


@pytest.fixture(scope="module")
def tracked() -> set[str]:
    return git_files()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, bytes]]:
    """Contents by name of the sdist, of the wheel made of it, and of one of the checkout."""
    folder = tmp_path_factory.mktemp("dist")

    def build(to: str, *options: str) -> None:
        command = [sys.executable, "-m", "build", "--no-isolation", "-o", str(folder / to)]
        done = subprocess.run(
            [*command, *options, str(ROOT)], capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stdout + done.stderr

    build("archive")  # the sdist, then the wheel from the sdist
    build("checkout", "--wheel")
    found: dict[str, dict[str, bytes]] = {}
    (path,) = (folder / "archive").glob("*.tar.gz")
    with tarfile.open(path) as archive:
        members = [member for member in archive if member.isfile()]
        found["sdist"] = {
            member.name.partition("/")[2]: archive.extractfile(member).read()  # type: ignore[union-attr]
            for member in members
        }
    for name in ("archive", "checkout"):
        (path,) = (folder / name).glob("*.whl")
        with zipfile.ZipFile(path) as wheel:
            found[name] = {
                entry: wheel.read(entry) for entry in wheel.namelist() if not entry.endswith("/")
            }
    return found


def test_the_sdist_holds_what_git_holds(
    built: dict[str, dict[str, bytes]], tracked: set[str]
) -> None:
    sdist = built["sdist"].keys() - {"PKG-INFO"}
    assert tracked - sdist == set()
    # What is new and not yet added to git is there already; what git ignores is not.
    assert sdist - tracked <= git_files("--others", "--exclude-standard")
    for name in tracked:
        assert built["sdist"][name] == (ROOT / name).read_bytes(), name


def test_the_wheel_from_the_sdist_is_the_one_from_the_checkout(
    built: dict[str, dict[str, bytes]],
) -> None:
    assert built["archive"] == built["checkout"]


def test_the_wheel_holds_the_packages_and_the_lessons(
    built: dict[str, dict[str, bytes]], tracked: set[str]
) -> None:
    wanted = {
        name if Path(name).parts[0] != "lessons" else f"walkthrough/{name}"
        for name in tracked
        if IN_WHEEL.match(name)
    }
    assert {"walkthrough/py.typed", "gpu/py.typed", "gpu/device_check.sh"} <= wanted
    assert wanted - built["archive"].keys() == set()
    extra = {name for name in built["archive"].keys() - wanted if ".dist-info/" not in name}
    new = git_files("--others", "--exclude-standard")
    assert {name.removeprefix("walkthrough/lessons/") for name in extra} <= {
        name.removeprefix("lessons/") for name in new
    }


def test_what_the_wheel_says_of_itself(built: dict[str, dict[str, bytes]]) -> None:
    (name,) = (name for name in built["archive"] if name.endswith(".dist-info/METADATA"))
    metadata = built["archive"][name].decode()
    assert f"\nVersion: {walkthrough.__version__}\n" in metadata
    assert "\nLicense-Expression: MIT\n" in metadata
    assert "Classifier: License" not in metadata, "PEP 639: the expression says it already"
    assert "\nClassifier: Typing :: Typed\n" in metadata
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\n## [{walkthrough.__version__}]" in changes
