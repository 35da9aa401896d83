"""Pictures of blocks, as text and as HTML from one description, against the tables they show."""

from __future__ import annotations

import contextlib
import dataclasses
import io

import pytest
from helpers.html import read
from hypothesis import given
from hypothesis import strategies as st

from walkthrough import Timeline, draw_shares
from walkthrough.display.html import table_html
from walkthrough.display.pictures import block_table, pool_table
from walkthrough.display.table import Table, layout
from walkthrough.document.example import Example
from walkthrough.paging.block_pool import BlockPool
from walkthrough.paging.prefix_cache import PrefixCache
from walkthrough.paging.scheduler import Scheduler
from walkthrough.paging.sequence import Sequence
from walkthrough.reference.engine import serve
from walkthrough.reference.paged import PagedStorage

TEXTS = ["나는", "학교에", "<EOS>"]


def text(table: Table, width: int = 80) -> str:
    lines = layout(table, width=width, precision=4)
    return "\n".join("".join(piece for piece, _ in line) for line in lines)


def both_have(table: Table) -> None:
    """Every cell stands in the text and in the HTML, which has a mark for each as well."""
    plain, html = text(table, 1000), table_html(table, 4)
    cells = [str(cell) for row in table.cells for cell in row]
    assert all(cell in plain for cell in cells)
    shown = [cell for row in read(html).rows for cell in row]
    assert all(cell in shown for cell in cells)
    assert not table.marks or [len(row) for row in table.marks] == [len(r) for r in table.cells]
    assert "<EOS>" not in html


@pytest.fixture
def shared() -> dict[str, Sequence]:
    pool = BlockPool(8)
    cache = PrefixCache(pool, 2)
    first = Sequence(pool, 2, cache)
    first.append([0, 1, 2])
    second = first.fork()
    second.append([1])
    gone = Sequence(pool, 2, cache)
    gone.append([2, 2, 2])
    gone.free()
    return {"A": first, "B": second}


def test_a_block_table_says_what_lies_where_and_who_shares_it(shared: dict[str, Sequence]) -> None:
    table = block_table(shared["B"], TEXTS, "B")
    assert table.cells == [[0, 1, 2, "나는", "학교에"], [1, 3, 1, "<EOS>", "학교에"]]
    assert [row[1] for row in table.marks] == ["shared", "used"]
    both_have(table)


def test_the_pool_tells_shared_own_cached_and_free_blocks_apart(
    shared: dict[str, Sequence],
) -> None:
    table = pool_table(shared["A"].pool, shared, TEXTS)
    whose = {str(row[0]): row[2] for row in table.cells}
    assert whose == {"0": "null", "1": "A B", "2": "A", "3": "B", "4": "cached", "5-7": "free"}
    assert [row[0] for row in table.marks] == ["", "shared", "used", "used", "cached", "free"]
    both_have(table)
    assert all(len(line) < 80 for line in text(table).splitlines())


@given(st.lists(st.integers(0, 9), min_size=1, max_size=6), st.integers(1, 3))
def test_a_pool_s_picture_has_every_block_once(lengths: list[int], size: int) -> None:
    pool = BlockPool(60)
    sequences = {}
    for i, length in enumerate(lengths):
        sequences[str(i)] = Sequence(pool, size)
        sequences[str(i)].append([0] * length)
    table = pool_table(pool, sequences, TEXTS)
    covered: list[int] = []
    for row in table.cells:
        low, _, high = str(row[0]).partition("-")
        covered += range(int(low), int(high or low) + 1)
    assert covered == list(range(60))
    assert sum(str(row[2]) not in ("free", "null") for row in table.cells) == sum(
        -(-length // size) for length in lengths
    )


def test_a_timeline_has_who_waits_runs_is_swapped_and_ends(ex: Example) -> None:
    model = dataclasses.replace(ex.model, eos=-1)
    host = BlockPool(20)
    scheduler = Scheduler(BlockPool(6), 2, token_budget=8, max_running=2, host=host)
    for name in "ABC":
        scheduler.submit(name, [0, 1], 7)
    storages = [PagedStorage(pool.num_blocks, 2, ex.d_k, h_kv=ex.heads)
                for pool in (scheduler.pool, host)]  # fmt: skip
    timeline = Timeline(scheduler)
    used = []
    for _ in serve(model, scheduler, *storages):
        timeline.note()
        used.append(scheduler.pool.num_used_blocks)
    table = timeline.table()
    cells = [[str(cell) for cell in row] for row in table.cells]
    for j, blocks in enumerate(used):
        column = [row[j] for row in cells]
        assert sum(int(cell[1:]) for cell in column if cell[0] == "r") == blocks
    seen = {cell[0] for row in cells for cell in row}
    assert seen == {"w", "r", "s", "e", "."}
    assert all([cell for cell in row if cell != "."][-1] == "end" for row in cells)
    marks = {mark for row in table.marks for mark in row}
    assert marks == {"waiting", "running", "swapped", "finished", ""}
    both_have(table)


@given(st.lists(st.floats(0, 1), min_size=4, max_size=4))
def test_a_bar_is_as_long_as_its_shares_say(values: list[float]) -> None:
    total = sum(values) or 1
    shares = dict(zip(("tokens", "reserved", "internal", "other"), values, strict=True))
    shares = {kind: share / total for kind, share in shares.items()}
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        draw_shares({"one": shares})
    bar = out.getvalue().rstrip("\n").partition("│  ")[2].rstrip()
    for kind, fill in zip(shares, "#+-.", strict=True):
        assert abs(bar.count(fill) - 50 * shares[kind]) <= 1
