"""A block pool's events as a film: who holds what after each of them, whole, frame by frame.

The page has no rule of its own for what an event does. The same lesson recorded with other
block sizes gives the same film's other recordings.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from walkthrough.lesson import pool_sentences
from walkthrough.lesson.pool_events import BlockStatus, RecordedPool
from walkthrough.lesson.pool_history import PoolHistory
from walkthrough.lesson.pool_sequences import RecordedSequence, SequenceState, SequenceView

Frame = dict[str, Any]


class Films:
    """The films of one recording of a lesson, in order; they know how the one before ended."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._slots: dict[RecordedPool, dict[int, list[str]]] = {}  # tokens by block
        self._views: dict[RecordedPool, SequenceView] = {}

    def film(self, history: PoolHistory) -> dict[str, Any]:
        """One film, with one recording."""
        pool, size = history.pool, _block_size(history)
        seen = {who for event in history.events for who in event.sequences}
        texts = pool.texts
        if any(
            token >= len(texts)
            for event in history.events
            for state in event.sequences.values()
            for token in state.tokens
        ):
            texts = ()  # the lesson counts tokens here, and none of them has a text
        before = self._frame(history, list(history.before), self._views.get(pool, {}), texts)
        frames = []
        for count, event in enumerate(history.events, 1):
            blocks = history.after(count)
            frame = self._frame(history, blocks, event.sequences, texts)
            kind = event.event.kind
            frame |= {
                "who": event.who and str(event.who.number),
                "kind": kind,
                "block": event.event.block,
                "other": event.event.other,
                "say": pool_sentences.event_sentence(event.event, event.state, self._language),
            }
            frames.append(frame)
            self._views[pool] = event.sequences
        acting = {key for frame in [before, *frames] for key in frame["seqs"]}
        rest, last = len(history.before), pool.num_blocks - 1
        return {
            "name": pool.name,
            "first": str(size),  # the lesson's own block size
            "blocks": rest,
            "rest": _rest(rest, last, self._language),
            "last": last,
            "names": _names(sorted(seen, key=lambda each: each.number), acting),
            "recordings": {str(size): {"slots": size, "before": before, "frames": frames}},
        }

    def _frame(
        self,
        history: PoolHistory,
        blocks: Sequence[BlockStatus],
        view: SequenceView,
        texts: tuple[str, ...],
    ) -> Frame:
        size, slots = _block_size(history), self._slots.setdefault(history.pool, {})
        seqs = {}
        for sequence, state in view.items():
            tokens = _texts(state, texts)
            for index, number in enumerate(state.table):
                slots[number] = tokens[index * size : (index + 1) * size]
            if state.table or tokens:
                seqs[str(sequence.number)] = {"tokens": tokens, "table": list(state.table)}
        drawn = {}
        for number, block in enumerate(blocks):
            if block.state in ("null", "free"):
                slots.pop(number, None)
                continue
            held = slots.get(number, [])[: block.filled] or ["●"] * min(block.filled, size)
            drawn[str(number)] = {"ref": block.ref_cnt, "state": block.state, "slots": held}
        return {"seqs": seqs, "blocks": drawn}


def shared(films: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    """Films whose frames say by number what each block and sequence is, and the list of those.

    From frame to frame nearly all stay as they are: a page with each of them once is much lighter.
    """
    numbers: dict[str, int] = {}
    parts: list[Any] = []

    def number(part: Any) -> int:
        key = json.dumps(part)
        if key not in numbers:
            numbers[key] = len(parts)
            parts.append(part)
        return numbers[key]

    def frame(whole: Frame) -> Frame:
        said = {
            kind: {key: number(part) for key, part in whole[kind].items()}
            for kind in ("seqs", "blocks")
        }
        return whole | said

    light = {}
    for name, film in films.items():
        recordings = {
            slots: each
            | {"before": frame(each["before"]), "frames": [frame(f) for f in each["frames"]]}
            for slots, each in film["recordings"].items()
        }
        light[name] = film | {"recordings": recordings}
    return light, parts


def _texts(state: SequenceState, texts: tuple[str, ...]) -> list[str]:
    return [texts[token] if texts else str(i) for i, token in enumerate(state.tokens)]


def _block_size(history: PoolHistory) -> int:
    sizes = [who.block_size for event in history.events for who in event.sequences]
    return max(sizes, default=history.slots)


def _names(sequences: Sequence[RecordedSequence], acting: set[str]) -> dict[str, dict[str, Any]]:
    """A letter for each sequence that is seen here: its name, where that is one."""
    found: dict[str, dict[str, Any]] = {}
    letters = iter("ABCDEFGHIJKLMNOPQRSTUVWXYZ" * 9)
    for sequence in sequences:
        if (key := str(sequence.number)) in acting:
            letter = sequence.name if len(sequence.name) == 1 else next(letters)
            found[key] = {"letter": letter, "name": sequence.name, "hue": len(found) % 4}
    return found


def _rest(first: int, last: int, language: str) -> str:
    return pool_sentences.rest(first, last, language) if first <= last else ""


def merged(
    films: Sequence[dict[str, Any]], others: Iterable[Sequence[dict[str, Any]]], language: str
) -> None:
    """Add to films the recordings of the same lesson with other block sizes."""
    for other in others:
        if len(other) != len(films):  # with that size, something else happens
            continue
        for film, same in zip(films, other, strict=True):
            if film["recordings"].keys() != same["recordings"].keys():
                film["recordings"] |= same["recordings"]
                film["blocks"] = max(film["blocks"], same["blocks"])
                film["rest"] = _rest(film["blocks"], film["last"], language)
                film["names"] = same["names"] | film["names"]
