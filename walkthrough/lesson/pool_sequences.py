"""Whose a block is: the sequences of a pool, as they stand after each of its events.

A block's event is told in the middle of what a sequence does, before or after its table says
so. Two views of the tables, one before and one after, tell whose doing it was.
"""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass

from walkthrough.paging.events import Event


@dataclass(eq=False)
class RecordedSequence:
    """A sequence that was made while a recorder listened; `number` counts a pool's from 1."""

    number: int
    block_size: int
    name: str = ""  # what the lesson calls it


@dataclass(frozen=True)
class SequenceState:
    """How a sequence stands: its tokens and its block table."""

    tokens: tuple[int, ...] = ()
    table: tuple[int, ...] = ()


SequenceView = dict[RecordedSequence, SequenceState]  # all sequences of a pool


def follow(
    events: SequenceOf[Event], views: SequenceOf[SequenceView]
) -> list[tuple[RecordedSequence | None, SequenceView]]:
    """For each event, whose doing it was and how all sequences stand after it.

    `views` has one more: as the sequences were when each event was told, and at the end.
    """
    shown = dict(views[0]) if views else {}
    doers = [_who(event, i, views) for i, event in enumerate(events)]
    found: list[tuple[RecordedSequence | None, SequenceView]] = []
    for i, (event, who) in enumerate(zip(events, doers, strict=True)):
        after = shown | views[i + 1]
        if who is not None and doers[i + 1 : i + 2] == [who]:  # it is not done yet
            now = shown.get(who, SequenceState())
            end = told = views[i].get(who, SequenceState())
            if event.kind not in ("written", "copied"):  # these are told when it is done
                end = next((v[who] for v in views[i + 1 :] if v.get(who, told) != told), told)
            after[who] = _step(now, event, end, who.block_size)
        shown = after
        found.append((who, after))
    return found


def _who(event: Event, i: int, views: SequenceOf[SequenceView]) -> RecordedSequence | None:
    block = event.block
    if event.kind in ("written", "copied"):
        return _first_with(views[i], block)
    if event.kind == "freed":
        first = max(i - 1, 0)
        for earlier, later in zip(views[first:], views[first + 1 :], strict=False):
            for sequence, state in earlier.items():
                if block in state.table and block not in later[sequence].table:
                    return sequence
        return None
    if event.kind == "cached" and (found := _first_with(views[i], block)):
        return found
    for later in views[i + 1 :]:
        for sequence, state in later.items():
            if block in state.table and block not in views[i].get(sequence, SequenceState()).table:
                return sequence
    return None


def _first_with(view: SequenceView, block: int) -> RecordedSequence | None:
    return next((sequence for sequence, state in view.items() if block in state.table), None)


def _step(now: SequenceState, event: Event, end: SequenceState, size: int) -> SequenceState:
    """A sequence in the middle of what it does, of which only the end is known."""
    table, tokens, block = list(now.table), now.tokens, event.block
    at = end.table.index(block) if block in end.table else len(end.table)
    if event.kind in ("allocated", "shared") and len(table) <= at < len(end.table):
        table.append(block)  # one that takes another's place waits for the copy
        if event.kind == "shared":
            tokens = end.tokens[: len(table) * size]
    elif event.kind == "copied":
        table[at : at + 1] = [block]
    elif event.kind == "written":
        table = list(end.table[: max(len(table), at + 1)])
        tokens = end.tokens[: at * size + (event.other or 0)]
    elif event.kind == "freed" and block in table and len(end.table) < len(table):
        table.remove(block)
        tokens = tokens[: len(table) * size]
    return SequenceState(tokens, tuple(table))
