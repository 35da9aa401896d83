"""Prefill in one process, decode in another: equal to one, whatever is known, and whoever dies."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from gpu.disaggregate import __main__ as command  # noqa: E402
from gpu.disaggregate import session  # noqa: E402
from gpu.disaggregate.link import NAMES, PeerError  # noqa: E402
from gpu.disaggregate.sides import DecodeSide, PagedSide, PrefillSide, Transfer  # noqa: E402
from gpu.llama import random_llama  # noqa: E402
from gpu.storage import PagedStorage  # noqa: E402
from walkthrough.reference.cost import Geometry  # noqa: E402
from walkthrough.reference.speed.shapes import ModelShape  # noqa: E402

ROOT = Path(__file__).parents[2]
LAYERS, H_KV, D_K = 2, 2, 8
MODEL = random_llama(ModelShape(Geometry(LAYERS, 4, H_KV, D_K, 16, 512, "made up"), 24, 512), 2)


class Left:
    """A message that has left."""

    def wait(self) -> None:
        pass


class ToThread:
    """A link to another thread."""

    def __init__(self, out: SimpleQueue, into: SimpleQueue) -> None:
        self.out, self.into, self.count = out, into, 0

    def send(self, message: torch.Tensor) -> Left:
        self.count += 1
        self.out.put(message.clone())
        return Left()

    def receive(self, into: torch.Tensor) -> torch.Tensor:
        came = self.into.get(timeout=10)
        assert (came.shape, came.dtype) == (into.shape, into.dtype)
        return into.copy_(came)


class Dying:
    """A link to nobody: what is received was written down before, and then it is gone."""

    def __init__(self, lasts: int, *answers: list[int]) -> None:
        self.lasts, self.answers = lasts, list(answers)

    def _count(self) -> None:
        if not self.lasts:
            raise PeerError("the other one is gone")
        self.lasts -= 1

    def send(self, message: torch.Tensor) -> Left:
        self._count()
        return Left()

    def receive(self, into: torch.Tensor) -> torch.Tensor:
        self._count()
        if into.dtype == torch.int64:
            return into.copy_(torch.tensor(self.answers.pop(0)))
        return into.fill_(7.0)  # somebody else's rows


def storage(size: int, blocks: int = 40) -> PagedStorage:
    return PagedStorage(blocks + 1, size, D_K, layers=LAYERS, h_kv=H_KV)


def two_sides(size: int, blocks: int = 40) -> tuple[PrefillSide, DecodeSide]:
    one, other = SimpleQueue[torch.Tensor](), SimpleQueue[torch.Tensor]()
    return (
        PrefillSide(MODEL, storage(size), ToThread(one, other)),
        DecodeSide(MODEL, storage(size, blocks), ToThread(other, one)),
    )


def hand_over(
    here: PrefillSide, there: DecodeSide, prompt: list[int], at_once: bool = False
) -> tuple[Transfer, list[int], int]:
    with ThreadPoolExecutor(1) as thread:
        decoding = thread.submit(there.request, prompt, 4)
        done = here.request(prompt, at_once)
        return (done, *decoding.result())


def in_one(size: int, prompt: list[int]) -> list[int]:
    side = PagedSide(MODEL, storage(size))
    return side.decode(*side.prefilled(prompt), 4)


PROMPTS = st.lists(st.lists(st.integers(1, 2), min_size=1, max_size=14), min_size=1, max_size=4)


@settings(max_examples=30)
@given(st.integers(1, 5), PROMPTS, st.booleans())
def test_tokens_and_rows_are_those_of_one_process(
    size: int, prompts: list[list[int]], at_once: bool
) -> None:
    here, there = two_sides(size)
    for prompt in [*prompts, prompts[0]]:
        done, tokens, stored = hand_over(here, there, prompt, at_once)
        assert stored == done.stored
        assert tokens == in_one(size, prompt)
        assert done.blocks == -(-len(prompt) // size)
        block = 2 * size * H_KV * D_K * 4
        assert done.nbytes == (done.blocks - done.known) * block * LAYERS
        assert (here.pool.num_used_blocks, there.pool.num_used_blocks) == (0, 0)
    assert done.known == len(prompts[0]) // size  # whole blocks, all of them, the last one too


def test_each_layer_leaves_as_soon_as_it_is_written() -> None:
    """Before the next one is asked to attend: at once, all leave when the last is done."""
    orders = {}
    for at_once in (False, True):
        here, there = two_sides(4)
        seen: list[int] = []

        class Watched:
            """The model, and how many messages had left when a layer attended."""

            def __getattr__(self, name: str) -> object:
                return getattr(MODEL, name)

            def hidden(self, ids: list[int], positions: range, cache: object) -> torch.Tensor:
                attend = cache.attend  # type: ignore[attr-defined]

                def noted(layer: int, Q: torch.Tensor) -> torch.Tensor:
                    seen.append(here.link.count)  # noqa: B023
                    return attend(layer, Q)

                cache.attend = noted  # type: ignore[attr-defined]
                return MODEL.hidden(ids, positions, cache)  # type: ignore[arg-type]

        here.model = Watched()  # type: ignore[assignment]
        hand_over(here, there, [1, 2, 3, 4, 5], at_once)
        orders[at_once] = seen
    assert orders == {False: [2, 3], True: [1, 1]}  # the first message says that there is room


@pytest.mark.parametrize("lasts", range(6))
@pytest.mark.parametrize("role", NAMES)
def test_a_peer_that_dies_loses_nothing(role: str, lasts: int) -> None:
    """After any message: all blocks are free, and what is found later has really been stored."""
    prompt = [1, 2, 3, 4, 5]
    here, there = two_sides(2)
    side = here if role == "prefill" else there
    link, room = side.link, [1, 0, 0, 0, 0]
    side.link = Dying(lasts, room, [1])
    with pytest.raises(PeerError, match="gone"):
        here.request(prompt) if role == "prefill" else there.request(prompt, 4)
    assert side.pool.num_used_blocks == 0
    side.link = link
    done, tokens, stored = hand_over(here, there, prompt)
    assert (done.known, stored, tokens) == (0, done.stored, in_one(2, prompt))


def test_a_receiver_without_room_says_so_and_the_next_one_is_served() -> None:
    here, there = two_sides(2, blocks=3)
    done, tokens, _ = hand_over(here, there, list(range(9)))
    assert "to be decoded: blocks asked for: 5, free: 3 of 3" in done.refused
    assert (tokens, done.nbytes) == ([], 0)
    assert (here.pool.num_used_blocks, there.pool.num_used_blocks) == (0, 0)
    done, tokens, stored = hand_over(here, there, [1, 2])
    assert (done.refused, stored, tokens) == ("", done.stored, in_one(2, [1, 2]))
    here, there = two_sides(2)
    here.pool.get_new_blocks(37)
    done, tokens, _ = hand_over(here, there, list(range(9)))
    assert "is computed: blocks asked for: 5, free: 3 of 40" in done.refused
    assert (tokens, there.pool.num_used_blocks) == ([], 0)


def test_tokens_end_where_the_receivers_blocks_end() -> None:
    here, there = two_sides(2, blocks=3)
    _, tokens, _ = hand_over(here, there, [1, 2, 3, 4])
    assert tokens == in_one(2, [1, 2, 3, 4])[:3]
    assert there.pool.num_used_blocks == 0


TINY = session.HandoverOptions(layers=1, tokens=20, requests=3, new_tokens=3)


def both(one: session.HandoverOptions, other: session.HandoverOptions) -> list[object]:
    """What the two processes' functions come to in two threads, or their errors."""
    a, b = SimpleQueue[torch.Tensor](), SimpleQueue[torch.Tensor]()
    with ThreadPoolExecutor(2) as threads:
        jobs = [
            threads.submit(session.prefill, ToThread(a, b), one),
            threads.submit(session.decode, ToThread(b, a), other),
        ]
        return [job.exception() or job.result() for job in jobs]


def test_what_the_processes_report(capsys: pytest.CaptureFixture[str]) -> None:
    report, nothing = both(TINY, TINY)
    assert isinstance(report, session.HandoverReport)
    assert (nothing, report.problems) == (None, [])
    for rows in report.rows.values():
        assert [(done.blocks, done.known) for done, _ in rows] == [(2, 0), (2, 0), (2, 1)]
    session.say_report(report, TINY, print)
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    assert "as they were sent" in text


def test_what_goes_wrong_is_said() -> None:
    report, _ = both(TINY, replace(TINY, blocks=1))
    assert isinstance(report, session.HandoverReport)
    assert len(report.problems) == 6
    assert report.problems[0].startswith("layer by layer, request 1: no room where it is to be")
    good = Transfer(4, stored=5)
    for stored, tokens, sentence in (
        (6, [1, 2], "K and V of the prompt are not those that were sent"),
        (5, [1, -1], "no room for more than 1 of 2 tokens"),
        (5, [3, -1], "the tokens are [3, -1], of one process [1, 2]"),
        (5, [1, 2], ""),
    ):
        assert session.wrong(good, stored, tokens, [1, 2]) == sentence


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"block_size": 8}, "block size: 16 here, 8 there"),
        ({"layers": 2}, "layers: 1 here, 2 there"),
        ({"model": "llama3-8b"}, "K/V heads: 3 here, 8 there"),
        ({"tokens": 21}, "tokens: 20 here, 21 there"),
        ({"seed": 1}, "model and prompts"),
    ],
)
def test_processes_that_were_not_started_alike_say_so(change: dict[str, int], what: str) -> None:
    one, other = both(TINY, replace(TINY, **change))
    assert isinstance(one, session.DisagreementError)
    assert isinstance(other, session.DisagreementError)
    assert what in str(one)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--layers", "0"], "--layers must be from 1 to 128, got 0"),
        (["--blocks=-1"], "--blocks must be from 0 to 1000000, got -1"),
        (["--tokens", "many"], "argument --tokens: invalid int value: 'many'"),
        (["--timeout", "nan"], "--timeout must be more than 0 and at most 86400, got nan"),
        (["--model", "gpt"], "unknown model 'gpt'; known: "),
        (["--what"], "unrecognized arguments: --what"),
    ],
)
def test_wrong_use_gets_one_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main(arguments)
    said = capsys.readouterr()
    assert (ended.value.code, said.out, said.err.count("\n")) == (2, "", 1)
    assert said.err.startswith(sentence)


def test_without_torch_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    with pytest.raises(SystemExit) as ended:
        command.main([])
    assert (ended.value.code, "this needs torch; install it with: " in capsys.readouterr().err) == (
        2,
        True,
    )


def test_it_takes_two(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("WORLD_SIZE", "3")
    assert command.main([]) == 2
    assert capsys.readouterr().err == "it takes 2 processes, not 3\n"


SMALL = ["--layers=1", "--tokens=40", "--new-tokens=3"]


def started(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
    )


@pytest.mark.slow
def test_two_processes() -> None:
    done = started("gpu.disaggregate", *SMALL)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Tokens are those of one process" in done.stdout
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith("request")]
    assert [row[2:6] for row in rows[:3]] == [
        ["40", "3", "0", "3"],
        ["40", "3", "1", "2"],
        ["40", "3", "2", "1"],
    ]


@pytest.mark.slow
def test_two_processes_that_torchrun_starts_and_a_pool_too_small() -> None:
    launcher = ["torch.distributed.run", "--standalone", "--nproc-per-node=2", "-m"]
    done = started(*launcher, "gpu.disaggregate", *SMALL, "--blocks=2")
    assert done.returncode == 1
    assert done.stdout.count("nothing was sent.") == 6
    assert "Traceback (most recent call last):\n" not in done.stdout


DIES = """
import os, sys, time
import torch
from gpu.disaggregate import session
from gpu.disaggregate.link import GlooLink, receive_numbers
from gpu.disaggregate.sides import DecodeSide
options = session.HandoverOptions(layers=1, tokens=40, new_tokens=3)
link, after = GlooLink(1, sys.argv[1], 60), sys.argv[2]
def receive(into):
    if into.dtype == torch.float32:
        os._exit(9) if after == "dies" else time.sleep(60)
    return GlooLink.receive(link, into)
link.receive = receive
session.decode(link, options)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("end", "sentence"), [("dies", "is gone"), ("sleeps", "has not answered in time")]
)
def test_nobody_waits_for_a_process_that_is_gone(end: str, sentence: str, tmp_path: Path) -> None:
    meet = (tmp_path / "meeting").as_uri()
    where = command.surroundings(os.environ, 1) | {"OMP_NUM_THREADS": "1"}
    script = [sys.executable, "-c", DIES, meet, end]
    with subprocess.Popen(script, env=where, cwd=ROOT) as other:
        try:
            own = command.surroundings({}, 0)
            done = started("gpu.disaggregate", *SMALL, f"--meet={meet}", "--timeout=10", **own)
        finally:
            other.kill()
    assert done.returncode == command.LOST
    assert done.stderr == (
        f"the process for decode {sentence}; nothing is lost here: its blocks are free\n"
    )
