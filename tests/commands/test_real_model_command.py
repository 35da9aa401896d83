"""`walkthrough model` over the real file: its answer, its table, its comparison."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.cli import run_cli
from helpers.france import FRANCE, FRANCE_TOKENS

from walkthrough.llm import smollm2
from walkthrough.llm.loading import LanguageModelFile

pytestmark = pytest.mark.slow
WHERE = {smollm2.FOLDER_VARIABLE: str(smollm2.model_path().parent)}


def run_model(*args: str) -> str:
    done = run_cli("model", "run", "--lang", "en", "--threads", "1", *args, env=WHERE)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def test_run_shows_the_answer_and_where_the_memory_went(smollm2_file: LanguageModelFile) -> None:
    shown = run_model(FRANCE, "--max-new-tokens", "20")
    answer = smollm2_file.text(FRANCE_TOKENS)
    assert shown.startswith(FRANCE + answer)
    table = dict(line.split(" │ ") for line in shown.splitlines() if "│" in line)
    rows = {name.strip(): float(value.replace(",", "")) for name, value in table.items()}
    assert rows["blocks used at the most"] == 2  # 24 tokens in blocks of 16
    assert rows["paged cache, MB"] == pytest.approx(2 * 16 * 46080 / 1e6, abs=1e-4)
    assert rows["a contiguous one, 8,192 tokens reserved each, MB"] == pytest.approx(377.4874)
    assert rows["tokens computed"] == 24


def test_several_prompts_share_their_beginning(smollm2_path: Path) -> None:
    words = "The capital of the country that lies between Spain and Germany and is called France is"
    shown = run_model(words, words + " the", "--max-new-tokens", "3", "--block-size", "4")
    hit = next(line for line in shown.splitlines() if "found in the prefix cache" in line)
    assert int(hit.split("│")[1]) == 16


def test_compare_finds_the_same_tokens_in_every_way(smollm2_path: Path) -> None:
    shown = run_model(FRANCE, "--compare", "--max-new-tokens", "6")
    lines = [line.split("│") for line in shown.splitlines() if "│" in line][1:]
    rows = {name.strip(): cells.split() for name, cells in lines}
    assert {"no cache", "contiguous", "paged, by blocks", "paged, gathered"} <= rows.keys()
    assert {cells[0] for cells in rows.values()} == {"same"}
    once = 30 * (5 + 5)  # layers · tokens; without a cache 5 + 6 + … + 10
    assert rows["contiguous"][3] == f"{once}"
    assert rows["no cache"][3] == f"{30 * sum(range(5, 11)):,}"


def test_chance_is_the_seeds_alone(smollm2_path: Path) -> None:
    def answer(*prompts: str) -> list[str]:
        options = ["--temperature", "1.5", "--seed", "3", "--max-new-tokens", "5"]
        return run_model(*prompts, *options).split("memory\n")[0].split("\n\n")

    assert answer(FRANCE, "Once upon")[0].split("\n", 1)[1] == answer(FRANCE)[0][len(FRANCE) :]


def test_get_finds_the_file_there(smollm2_path: Path) -> None:
    done = run_cli("model", "get", "--lang", "en", env=WHERE)
    assert done.returncode == 0
    assert str(smollm2.model_path()) in done.stdout.decode()
