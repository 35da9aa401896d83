"""A filmed block pool, event by event: how every block stands after each of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby

from rich.cells import cell_len

from walkthrough.classroom import film_words
from walkthrough.classroom.film import Block, Film, Frame
from walkthrough.classroom.presenter.words import WORDS
from walkthrough.classroom.recording import Example, Step
from walkthrough.classroom.table import Line, Table, pad

MOST_FRAMES = 60  # of one statement: more of them are a measurement, nothing to watch
MOST_FILMS = 2  # pools that one statement plays with
MOST_SENTENCES = 8
STATE_MARKS = {"free": "free", "cached": "cached", "shared": "shared"}
DRAWN_SLOTS = 8  # of a block, one by one; of more, their number


@dataclass(frozen=True)
class Filmed:
    """What one statement did to a pool: how its blocks stood before, then the events."""

    film: Film
    before: tuple[Block, ...]  # the blocks that the lesson ever uses
    slots: int  # the most that the lesson ever fills of a block
    frames: tuple[Frame, ...]

    def after(self, events: int) -> list[Block]:
        """The blocks after so many of the events."""
        blocks = list(self.before)
        for frame in self.frames[:events]:
            blocks[frame.event.block] = frame.block
        return blocks

    def groups(self) -> list[int]:
        """How many events of one kind come one after the other: 5 allocated, 5 written."""
        return [len(list(group)) for _, group in groupby(self.frames, lambda f: f.event.kind)]


@dataclass
class Projector:
    """Cuts the film of a whole lesson into what each statement did, in order."""

    ends: dict[Film, int]
    slots: dict[Film, int]
    pools: dict[Film, list[Block]] = field(default_factory=dict)

    @classmethod
    def of(cls, steps: Iterable[Step]) -> Projector:
        """For all the frames of a lesson."""
        ends: dict[Film, int] = {}
        slots: dict[Film, int] = {}
        for step in steps:
            for item in step.items:
                for frame in item.frames if isinstance(item, Example) else ():
                    film, block = frame.film, frame.event.block
                    ends[film] = max(ends.get(film, 0), block)
                    slots[film] = max(slots.get(film, 1), frame.filled)
        return cls(ends, slots)

    def cut(self, frames: Iterable[Frame]) -> list[Filmed]:
        """What happened to each pool here; nothing where it is too much to watch."""
        by_film: dict[Film, list[Frame]] = {}
        for frame in frames:
            by_film.setdefault(frame.film, []).append(frame)
        found = []
        for film, those in by_film.items():
            start = [Block("null"), *[Block()] * self.ends[film]]
            before = self.pools.get(film, start)
            filmed = Filmed(film, tuple(before), self.slots[film], tuple(those))
            self.pools[film] = filmed.after(len(those))
            found.append(filmed)
        watchable = len(found) <= MOST_FILMS
        return [f for f in found if watchable and len(f.frames) <= MOST_FRAMES]


def pool_table(filmed: Filmed, events: int, latest: int, language: str) -> Table:
    """The pool after so many events, the blocks of the latest ones marked if they are few."""
    latest = latest if latest <= MOST_SENTENCES else 0
    blocks = filmed.after(events)
    now = {frame.event.block for frame in filmed.frames[events - latest : events]}
    sources = {
        frame.event.other
        for frame in filmed.frames[events - latest : events]
        if frame.event.kind == "copied"
    }
    marks = [
        "now" if i in now else "also" if i in sources else STATE_MARKS.get(block.state, "")
        for i, block in enumerate(blocks)
    ]
    rest, last = len(blocks), filmed.film.num_blocks - 1
    title = f"pool {filmed.film.number}"
    states = film_words.states(language)
    width = max(map(cell_len, states.values()))  # so that no column moves from event to event
    if rest <= last:
        title += f" ({film_words.rest(rest, last, language)})"
    return Table(
        title,
        [
            [str(block.ref_cnt) for block in blocks],
            [_slots(block, filmed.slots) for block in blocks],
            [pad(states[block.state], width) for block in blocks],
        ],
        rows=["ref_cnt", "slots", ""],
        cols=[str(i) for i in range(len(blocks))],
        corner="block",
        marks=[marks] * 3,
        kind="pool",
    )


def what_happened(filmed: Filmed, events: int, latest: int, language: str) -> list[Line]:
    """What happened last, in words; of much at once, how much it was."""
    if latest > MOST_SENTENCES:
        return [[(WORDS[language]["events"].format(count=latest), "current")]]
    return [
        [(film_words.describe(frame.event, frame.state, language), "current")]
        for frame in filmed.frames[events - latest : events]
    ]


def _slots(block: Block, slots: int) -> str:
    if block.state == "null":
        return "-" * min(slots, DRAWN_SLOTS)
    if slots > DRAWN_SLOTS:
        return f"{block.filled}/{slots}"
    return "■" * block.filled + "□" * (slots - block.filled)
