"""Memory drawn slot by slot, in characters that need no colour to be told apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len

from walkthrough.display.current import current
from walkthrough.display.screen import Screen
from walkthrough.display.table import Cell, Line, Table

if TYPE_CHECKING:
    from walkthrough.paging.block_pool import BlockPool
    from walkthrough.paging.contiguous import ContiguousAllocator
    from walkthrough.paging.scheduler import Scheduler
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
    from walkthrough.display.show import show

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


def block_table(sequence: TokenSequence, tokens: Sequence[str], name: str = "") -> Table:
    """A sequence's block table: logical and physical blocks, reference counts, slots' tokens.

    `tokens` are the texts by token id; an empty slot shows `-`.
    """
    cells: list[list[Cell]] = []
    marks = []
    for logical, physical in enumerate(sequence.block_table):
        count = sequence.pool.ref_cnt[physical]
        slots = _slots(sequence, logical, tokens)
        cells.append([logical, physical, count, *slots])
        mark = "shared" if count > 1 else "used"
        marks.append(["", mark, mark, *("" if slot == "-" else mark for slot in slots)])
    cols = ["logical", "physical", "ref_cnt", *_slot_heads(sequence.block_size)]
    title = f"block table of {name}" if name else "block table"
    source = {"sequences": {name: sequence} if name else {}, "tokens": tokens}
    return Table(title, cells, cols=cols, marks=marks, kind="block-table", source=source)


def pool_table(
    pool: BlockPool, sequences: Mapping[str, TokenSequence], tokens: Sequence[str]
) -> Table:
    """The pool, a line a block: its reference count, whose it is, what fills its slots.

    A free block whose content could still be a hit is `cached`. Free ones at the end share one
    line.
    """
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
        for block in sequence.blocks_ahead:
            owners.setdefault(block, []).append(name)
    end = pool.num_blocks
    while end > 1 and not pool.ref_cnt[end - 1] and pool.block_hash[end - 1] is None:
        end -= 1
    cells: list[list[Cell]] = []
    marks = []
    for block in range(end):
        count = pool.ref_cnt[block]
        state = "cached" if pool.block_hash[block] is not None else "free"
        whose = " ".join(owners.get(block, ["?" if count else state]))
        cells.append([str(block), count, whose, *slots.get(block, ["-"] * size)])
        mark = "shared" if count > 1 else "used" if count else "" if block == 0 else state
        marks.append([mark] * len(cells[-1]))
    if end < pool.num_blocks:
        last = pool.num_blocks - 1
        rest = str(end) if end == last else f"{end}-{last}"
        cells.append([rest, 0, "free", *["-"] * size])
        marks.append(["free"] * len(cells[-1]))
    cols = ["block", "ref_cnt", "whose", *_slot_heads(size)]
    source = {"sequences": dict(sequences), "tokens": tokens}
    return Table("pool", cells, cols=cols, marks=marks, kind="pool", source=source)


def _slot_heads(block_size: int) -> list[str]:
    return [f"slot {i}" for i in range(block_size)]


def draw_block_table(sequence: TokenSequence, tokens: Sequence[str], name: str = "") -> None:
    """Show `block_table`."""
    current().table(block_table(sequence, tokens, name))


def draw_pool(
    pool: BlockPool, sequences: Mapping[str, TokenSequence], tokens: Sequence[str]
) -> None:
    """Show `pool_table`."""
    current().table(pool_table(pool, sequences, tokens))


class Timeline:
    """A scheduler's requests, step by step: who waits, who runs, who is swapped out.

    `note` after each step. `w` waiting, `r3` running with 3 blocks, `s3` swapped out with 3
    blocks, `end` the step in which a request finished.
    """

    def __init__(self, scheduler: Scheduler) -> None:
        self.scheduler = scheduler
        self._steps: list[dict[str, str]] = []
        self._ended: set[str] = {request.name for request in scheduler.finished}

    def note(self) -> None:
        """Take the step that was just done down."""
        now = {}
        for request in self.scheduler.waiting:
            moved = request.swapped
            now[request.name] = "w" if moved is None else f"s{len(moved.blocks)}"
        for request in self.scheduler.running:
            assert request.sequence is not None
            now[request.name] = f"r{len(request.sequence.block_table)}"
        for request in self.scheduler.finished:
            if request.name not in self._ended:
                now[request.name] = "end"
                self._ended.add(request.name)
        self._steps.append(now)

    def table(self, title: str = "timeline") -> Table:
        """A row for each request, a column for each step."""
        names = dict.fromkeys(name for step in self._steps for name in step)
        cells = [[step.get(name, ".") for step in self._steps] for name in sorted(names)]
        states = {"w": "waiting", "r": "running", "s": "swapped", "e": "finished", ".": ""}
        marks = [[states[cell[0]] for cell in row] for row in cells]
        cols = [str(i + 1) for i in range(len(self._steps))]
        return Table(title, cells, sorted(names), cols, marks=marks, kind="timeline")


def draw_timeline(timeline: Timeline, title: str = "timeline") -> None:
    """Show a timeline's table."""
    current().table(timeline.table(title))


def draw_shares(shares: Mapping[str, Mapping[str, float]], title: str = "") -> None:
    """A bar for each name: a character for each kind of slot, by its share (0 to 1).

    The kinds are tokens `#`, reserved `+`, internal `-` and other `.`; together they are 1.
    """
    screen = current()
    screen.table(share_bars(shares, bar_width(shares, screen), title))


def bar_width(names: Iterable[str], screen: Screen) -> int:
    """How long bars behind these names can be, at most 50 characters."""
    label_width = max(cell_len(screen.charset.readable(name)) for name in names)
    return max(10, min(50, screen.width - label_width - 4))


FILLS = {"tokens": "#", "reserved": "+", "internal": "-", "other": "."}


def share_bars(shares: Mapping[str, Mapping[str, float]], width: int, title: str = "") -> Table:
    """`draw_shares` as a table with one column of bars, `width` characters each."""
    cells = []
    for kinds in shares.values():
        bar, upto = "", 0.0
        for kind, fill in FILLS.items():
            upto += kinds.get(kind, 0.0)
            bar += fill * (round(width * upto) - len(bar))
        cells.append([bar])
    return Table(title, cells, list(shares), kind="bars")
