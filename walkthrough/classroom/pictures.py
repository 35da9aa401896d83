"""Memory drawn slot by slot, in characters that need no colour to be told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from walkthrough.classroom.screen import current
from walkthrough.classroom.table import Line

if TYPE_CHECKING:
    from walkthrough.paging.block_pool import BlockPool
    from walkthrough.paging.contiguous import ContiguousAllocator
    from walkthrough.paging.sequence import Sequence as TokenSequence
    from walkthrough.reference.cache import ContiguousCache

PER_LINE = 40


def draw_memory(memory: ContiguousAllocator) -> None:
    """A character a slot: A written by A, a reserved for A and still empty, . free.

    A name shows by its first letter, which must be one of A to Z. 40 slots a line, fewer on a
    narrow screen.
    """
    characters = []
    for state, owner in memory.slots():
        letter = owner[:1]
        if owner and not (letter.isascii() and letter.isalpha()):
            raise ValueError(f"cannot draw {owner!r}: a name must begin with a letter from A to Z")
        characters.append(
            {"free": ".", "reserved": letter.lower(), "written": letter.upper()}[state]
        )
    screen = current()
    number_width = len(str(memory.capacity - 1))
    room = screen.width - number_width - 3
    per_line = max(10, min(PER_LINE, room - room % 10))
    lines: list[Line] = []
    for start in range(0, memory.capacity, per_line):
        row = "".join(characters[start : start + per_line])
        lines.append(
            [
                (f"{start:>{number_width}} ", "label"),
                (screen.charset.readable("│"), "rule"),
                (f" {row}", ""),
            ]
        )
    screen.block(lines)


def draw_rows(cache: ContiguousCache, tokens: Sequence[str] = ()) -> None:
    """The slots of a cache of one layer and head: slot, token, K row, V row; empty as `-`."""
    from walkthrough.classroom.printing import show

    stored = cache.num_computed_tokens
    labels = list(tokens[:stored]) + ["?"] * (stored - len(tokens))
    d_k = cache.K.shape[-1]
    rows: list[list[object]] = []
    for slot in range(cache.capacity):
        if slot < stored:
            K, V = cache.K[0, slot, 0].tolist(), cache.V[0, slot, 0].tolist()
            rows.append([slot, labels[slot], *K, *V])
        else:
            rows.append([slot, "-", *["-"] * (2 * d_k)])
    heads = [f"{name}[{i + 1}]" for name in "KV" for i in range(d_k)]
    show(rows, cols=["slot", "token", *heads])


def _slots(sequence: TokenSequence, logical: int, tokens: Sequence[str]) -> list[str]:
    """What stands in the slots of a sequence's logical block; `tokens` are texts by id."""
    size = sequence.block_size
    ids = sequence.token_ids[logical * size : (logical + 1) * size]
    return [tokens[i] for i in ids] + ["-"] * (size - len(ids))


def draw_block_table(sequence: TokenSequence, tokens: Sequence[str], name: str = "") -> None:
    """A sequence's block table: logical and physical blocks, reference counts, slots' tokens.

    `tokens` are the texts by token id; an empty slot shows `-`.
    """
    from walkthrough.classroom.printing import show

    rows = [
        [logical, physical, sequence.pool.ref_cnt[physical], *_slots(sequence, logical, tokens)]
        for logical, physical in enumerate(sequence.block_table)
    ]
    slots = [f"slot {i}" for i in range(sequence.block_size)]
    title = f"block table of {name}" if name else "block table"
    show(rows, title, cols=["logical", "physical", "ref_cnt", *slots])


def draw_pool(
    pool: BlockPool, sequences: Mapping[str, TokenSequence], tokens: Sequence[str]
) -> None:
    """The pool, a line a block: its reference count, whose it is, what fills its slots.

    Free blocks at the end share one line.
    """
    from walkthrough.classroom.printing import show

    owners: dict[int, list[str]] = {0: ["null"]}
    slots: dict[int, list[str]] = {}
    size = 1
    for name, sequence in sequences.items():
        size = sequence.block_size
        for logical, physical in enumerate(sequence.block_table):
            if not physical:
                continue  # given back, behind a window
            owners.setdefault(physical, []).append(name)
            slots[physical] = _slots(sequence, logical, tokens)
    end = pool.num_blocks
    while end > 1 and not pool.ref_cnt[end - 1]:
        end -= 1
    rows = []
    for block in range(end):
        count = pool.ref_cnt[block]
        whose = " ".join(owners.get(block, ["?" if count else "free"]))
        rows.append([str(block), count, whose, *slots.get(block, ["-"] * size)])
    if end < pool.num_blocks:
        last = pool.num_blocks - 1
        rest = str(end) if end == last else f"{end}-{last}"
        rows.append([rest, 0, "free", *["-"] * size])
    show(rows, "pool", cols=["block", "ref_cnt", "whose", *(f"slot {i}" for i in range(size))])
