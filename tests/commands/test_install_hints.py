"""What a command says where a package is missing: a line that works where it is printed."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from walkthrough import installation
from walkthrough.commands.cli import main
from walkthrough.installation import CHECKOUT, NAME, install_command

SOURCES = [*(CHECKOUT / "walkthrough").rglob("*.py"), *(CHECKOUT / "gpu").rglob("*.py")]


@pytest.fixture(params=["checkout", "wheel"])
def installed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways in which this may have been installed, in an activated environment."""
    wheel = request.param == "wheel"
    monkeypatch.setattr(installation, "from_wheel", lambda: wheel)
    monkeypatch.setattr(installation, "PACKAGE", CHECKOUT)  # where a wheel's lessons would be
    monkeypatch.setattr("shutil.which", lambda name: str(Path(sys.executable).with_name(name)))
    monkeypatch.chdir(CHECKOUT)
    return request.param


def test_a_checkout_is_named_by_its_place_and_a_wheel_by_its_name(
    installed: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    by_name = f'pip install "{NAME}[gpu]"'
    assert install_command("gpu") == (
        by_name if installed == "wheel" else 'pip install -e ".[gpu]"'
    )
    monkeypatch.chdir(tmp_path)
    assert install_command("gpu") == (
        by_name if installed == "wheel" else f'pip install -e "{CHECKOUT}[gpu]"'
    )


@pytest.mark.parametrize("pip", [None, "/elsewhere/bin/pip"])
def test_without_an_activated_environment_this_python_is_named(
    pip: str | None, installed: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: pip)
    python = tmp_path / "a folder" / "bin" / "python"
    monkeypatch.setattr(sys, "executable", str(python))
    assert shlex.split(install_command("gpu"))[:4] == [str(python), "-m", "pip", "install"]
    monkeypatch.chdir(tmp_path / "..")
    near = Path(tmp_path.name, "a folder", "bin", "python")
    assert shlex.split(install_command("gpu"))[:4] == [str(near), "-m", "pip", "install"]


def test_what_is_printed_is_a_command_of_this_pythons_pip() -> None:
    words = shlex.split(install_command("gpu"))
    end = words.index("install")
    done = subprocess.run([*words[:end], "--version"], capture_output=True, text=True, timeout=60)
    assert str(Path(sys.prefix)) in done.stdout


EXTRAS = [
    (["run", "19", "--plain"], "gpu"),
    (["run", "21", "--plain"], "model"),
    (["export", "19"], "gpu"),
    (["export", "5"], "export"),
    (["export", "5", "--to", "ipynb"], "export"),
    (["verify"], "gpu"),
    (["bench"], "gpu"),
    (["model", "get"], "model"),
]


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize(("arguments", "extra"), EXTRAS)
def test_every_command_that_lacks_a_package_prints_it(
    arguments: list[str],
    extra: str,
    language: str,
    installed: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from walkthrough.lesson import needs

    monkeypatch.setattr(needs, "find_spec", lambda name: None)
    monkeypatch.setattr("walkthrough.commands.torch_arguments.find_spec", lambda name: None)
    if extra == "export":
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    if extra == "model":
        monkeypatch.setitem(sys.modules, "platformdirs", None)
    status = main([*arguments, "--lang", language])
    captured = capsys.readouterr()
    shown = " ".join((captured.out + captured.err).split())
    assert install_command(extra) in shown
    assert (status == 0) == (arguments[0] == "run")
    if status:
        assert captured.err.count("\n") == 1


def test_no_sentence_names_a_command_of_its_own() -> None:
    for path in SOURCES:
        found = re.findall(r"pip install.*", path.read_text(encoding="utf-8"))
        assert not found, f"{path}: {found}: use installation.install_command"
