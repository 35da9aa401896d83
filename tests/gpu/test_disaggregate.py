"""Prefill here, decode there: the tokens of one process, whatever is sent, and peers that fail."""

from __future__ import annotations

import os
import queue
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gpu.disaggregate import model as models
from gpu.disaggregate import sides
from gpu.disaggregate.link import DECODE, PREFILL, LinkError
from gpu.disaggregate.sides import DecodeSide, PrefillSide, Sizes, alone
from gpu.llama import TorchLlama

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "gpu.disaggregate"]


def run(*options: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, options)],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
    )


@pytest.mark.parametrize(("common", "sent"), [(20, 3), (40, 0)])
def test_two_processes_say_what_one_says(common: int, sent: int) -> None:
    """20 tokens are alike: two full blocks of 8 were there already. Or all 40 are: nothing goes."""
    done = run("--prompt", 40, "--common", common, "--new", 5, "--block-size", 8)
    assert (done.returncode, done.stderr) == (0, "")
    title, _, *rows = done.stdout.splitlines()
    assert title.startswith("link: ") and title.endswith("MB/s, measured; times in ms")
    cells = [row.split()[1:] for row in rows]
    assert [(row[0], row[1], row[-1]) for row in cells] == [
        ("5", "5", "same"),
        ("5", str(sent), "same"),
        ("5", str(sent), "same"),
    ]
    a_block = 2 * 12 * 8 * 4 * 64 * 4  # K and V, layers, slots, heads, numbers, bytes
    assert [row[2] for row in cells] == [f"{n * a_block / 1000:,.1f}" for n in (5, sent, sent)]


def test_a_receiver_without_room_says_so() -> None:
    done = run("--prompt", 40, "--block-size", 8, "--blocks", 4, "--requests", 2)
    assert (done.returncode, done.stderr) == (1, "")
    sentence = "no room to take it over: blocks asked for: 6, free: 3 of 3"
    refused = [line.strip() for line in done.stdout.splitlines()[2:]]
    assert refused == [f"{i}  refused, a prompt of 40 tokens: {sentence}" for i in (1, 2)]


def meeting(rank: int, port: int) -> dict[str, str]:
    where = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": "2"}
    return where | {"RANK": str(rank), "LOCAL_RANK": str(rank)}


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def test_who_waits_in_vain_gives_up() -> None:
    done = run("--timeout", 1, **meeting(0, free_port()))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: the other process did not come: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("what", ["block size", "requests"])
def test_sides_that_do_not_fit_say_where(what: str) -> None:
    port, found = free_port(), dict[int, subprocess.CompletedProcess[str]]()

    def start(rank: int) -> None:
        size = 8 if rank == PREFILL else 16
        option = f"--{what.replace(' ', '-')}"
        found[rank] = run(option, size, "--timeout", 20, **meeting(rank, port))

    threads = [threading.Thread(target=start, args=(rank,)) for rank in (PREFILL, DECODE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for rank, (here, there) in ((PREFILL, (8, 16)), (DECODE, (16, 8))):
        assert found[rank].returncode == 1
        last = f"error: {what}: {here} here, {there} on the other side\n"
        assert found[rank].stderr == last


def test_bad_options_and_files() -> None:
    done = run("--prompt", 0)
    assert done.returncode == 2
    assert done.stderr.endswith("argument --prompt: invalid whole number from 1 value: '0'\n")
    done = run("--gguf", ROOT / "README.md")
    assert done.returncode == 2
    assert "is not a GGUF file" in done.stderr and done.stderr.count("\n") == 1


class Pipes:
    """Both sides in one process, as threads: what is told goes into the other one's queue."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.notes = {rank: queue.Queue[Any]() for rank in (PREFILL, DECODE)}
        self.tensors: dict[int, queue.Queue[torch.Tensor | None]] = {}
        self.lost_at: int | None = None  # the tag at which the line goes dead
        monkeypatch.setattr(sides, "send_note", lambda note, other: self.notes[other].put(note))
        monkeypatch.setattr(sides, "receive_note", self.note)
        monkeypatch.setattr(sides, "receive_tensor", self.receive)
        pipes = self

        class Sending:
            def __init__(self, other: int) -> None:
                self.nbytes = 0

            def send(self, tensor: torch.Tensor, tag: int) -> None:
                lost = tag == pipes.lost_at
                pipes.of(tag).put(None if lost else tensor.clone())
                self.nbytes += tensor.nbytes

            def wait(self) -> None:
                pass

        monkeypatch.setattr(sides, "Sending", Sending)

    def note(self, other: int) -> Any:
        note = self.notes[1 - other].get(timeout=20)
        if isinstance(note, Exception):
            raise note
        return note

    def of(self, tag: int) -> queue.Queue[torch.Tensor | None]:
        return self.tensors.setdefault(tag, queue.Queue())

    def receive(self, like: torch.Tensor, other: int, tag: int) -> torch.Tensor:
        tensor = self.of(tag).get(timeout=20)
        if tensor is None:
            raise LinkError("gone")
        assert tensor.shape == like.shape
        return tensor


@pytest.fixture(scope="module")
def small() -> TorchLlama:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("LAYERS", 2), ("D_MODEL", 16), ("D_K", 8), ("D_FF", 16)):
            patch.setattr(models, name, value)
        return TorchLlama(models.random_llama())


prompts = st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=11), min_size=1, max_size=4)


@settings(max_examples=25, deadline=None)
@given(prompts, st.integers(1, 4), st.integers(1, 4), st.integers(4, 30))
def test_tables_decide_what_is_sent(
    small: TorchLlama, prompts: list[list[int]], block_size: int, new: int, blocks: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        pipes = Pipes(patch)
        room = Sizes(block_size, 20)
        here, there = PrefillSide(small, room), DecodeSide(small, Sizes(block_size, blocks))
        there.pool.get_new_blocks(1)  # so that the numbers of the blocks differ
        thread = threading.Thread(target=here.serve, args=(prompts,))
        thread.start()
        known = set[tuple[int, ...]]()  # what filled a block of the receiver's, with all before it
        for one, prompt in zip(there.serve(new), prompts, strict=True):
            needed = -(-len(prompt) // block_size)
            expected = alone(small, room, prompt, new)
            if one.refused is not None:
                assert one.tokens == expected[: len(one.tokens)]
                held = len(prompt) + max(new - 1, 1)  # taken over with room for the next token
                assert -(-held // block_size) > blocks - 2
                continue
            assert one.tokens == expected
            ends = range(block_size, len(prompt) + 1, block_size)  # the last block, too
            found = [end for end in ends if tuple(prompt[:end]) in known]
            if blocks == 30:  # nothing is ever evicted
                assert one.sent == needed - len(found)
            assert needed - len(found) <= one.sent <= needed == one.blocks
            whole = [*prompt, *one.tokens[:-1]]
            full = range(block_size, len(whole) + 1, block_size)
            known |= {tuple(whole[:end]) for end in full}
        thread.join(timeout=20)
        assert not thread.is_alive()
        assert there.pool.num_used_blocks == 1
        assert all(tensors.empty() for tensors in pipes.tensors.values()), "sent to nobody"
        assert here.pool.num_used_blocks == 0


def test_rows_that_did_not_come_are_found_by_nobody(
    small: TorchLlama, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipes = Pipes(monkeypatch)
    here, there = PrefillSide(small, Sizes(2, 9)), DecodeSide(small, Sizes(2, 9))
    pipes.lost_at = 3  # V of the second layer
    thread = threading.Thread(target=here.serve, args=([[1, 0, 1, 1, 0]],))
    thread.start()
    with pytest.raises(LinkError, match="gone"):
        list(there.serve(2))
    thread.join(timeout=20)
    assert here.pool.num_used_blocks == there.pool.num_used_blocks == 0
    assert there.known.match([1, 0, 1, 1, 0]) == []


@pytest.mark.parametrize("when", ["answer", "send", "wait"])
def test_a_sender_whose_receiver_is_gone_keeps_no_block(
    small: TorchLlama, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    pipes = Pipes(monkeypatch)
    here = PrefillSide(small, Sizes(2, 9))
    monkeypatch.setattr(here, "agree", lambda other: None)
    if when != "answer":
        pipes.notes[PREFILL].put(0)  # the receiver knows no block

        def gone(*anything: object, **named: object) -> None:
            raise LinkError("gone")

        monkeypatch.setattr(sides.Sending, when, gone)
    pipes.notes[PREFILL].put(LinkError("gone"))
    with pytest.raises(LinkError, match="gone"):
        here.serve([[1, 0, 1, 1, 0]])
    assert here.pool.num_used_blocks == 0


DIES = """
import os, sys, time
from gpu.disaggregate import sides
from gpu.disaggregate.__main__ import main
def ends(like, other, tag):
    os._exit(9) if sys.argv[1] == "dies" else time.sleep(60)
sides.receive_tensor = ends
main(["--prompt", "40"])
"""


@pytest.mark.slow
@pytest.mark.parametrize("end", ["dies", "sleeps"])
def test_nobody_waits_for_a_process_that_ends_in_the_middle(end: str) -> None:
    port = free_port()
    script = [sys.executable, "-c", DIES, end]
    where = os.environ | {"PYTHONPATH": str(ROOT)} | meeting(DECODE, port)
    with subprocess.Popen(script, env=where) as other:
        try:
            done = run("--timeout", 10, "--prompt", 40, **meeting(PREFILL, port))
        finally:
            other.kill()
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: the other process is gone: ")
    assert done.stderr.count("\n") == 1
