"""What is said about a history pool, its blocks and events, in both languages."""

from __future__ import annotations

from typing import get_args

from walkthrough.lesson.pool_events import BlockState
from walkthrough.paging.events import Event

WORDS: dict[str, dict[str, str]] = {
    "ko": {
        "pool.rest": "{first}-{last}번은 비어 있어요",
        "pool.rest.one": "{first}번은 비어 있어요",
        "state.null": "null",
        "state.free": "비었음",
        "state.cached": "캐시됨",
        "state.used": "사용 중",
        "state.shared": "공유",
        "event.allocated": "{block}번 블록을 풀에서 가져와요.",
        "event.written": "{block}번 블록의 슬롯이 {other}개 찼어요.",
        "event.shared": "{block}번 블록을 이제 시퀀스 {other}개가 함께 써요.",
        "event.reused": "{block}번 블록을 내용 그대로 다시 써요.",
        "event.copied": "{other}번 블록의 내용을 {block}번 블록에 복사해요.",
        "event.cached": "{block}번 블록의 내용을 기억해 둬요.",
        "event.evicted": "{block}번 블록을 축출해요. 기억하던 내용은 사라져요.",
        "event.released": "{block}번 블록을 시퀀스 하나가 그만 써요. 아직 {other}개가 써요.",
        "event.freed": "{block}번 블록이 풀로 돌아가요.",
        "event.kept": "{block}번 블록이 풀로 돌아가지만 내용은 기억해 둬요.",
        "event.swapped": "{block}번 블록과 다른 풀의 {other}번 블록 사이에서 내용을 옮겨요.",
    },
    "en": {
        "pool.rest": "{first} to {last} are free",
        "pool.rest.one": "{first} is free",
        "state.null": "null",
        "state.free": "free",
        "state.cached": "cached",
        "state.used": "used",
        "state.shared": "shared",
        "event.allocated": "Block {block} is taken from the pool.",
        "event.written": "Block {block} has {other} slots filled.",
        "event.shared": "Block {block} is now used by {other} sequences.",
        "event.reused": "Block {block} is used again, with what it holds.",
        "event.copied": "Block {other} is copied to block {block}.",
        "event.cached": "What block {block} holds is remembered.",
        "event.evicted": "Block {block} is evicted: what it holds is forgotten.",
        "event.released": "One sequence uses block {block} no more; {other} still do.",
        "event.freed": "Block {block} goes back to the pool.",
        "event.kept": "Block {block} goes back to the pool, and what it holds is remembered.",
        "event.swapped": "Block {block} and block {other} of another pool: "
        "the content moves from one to the other.",
    },
}


def states(language: str) -> dict[str, str]:
    """What each state of a block is called."""
    return {state: WORDS[language][f"state.{state}"] for state in get_args(BlockState)}


def rest(first: int, last: int, language: str) -> str:
    """That the blocks from `first` to `last`, which are not drawn, are free."""
    key = "pool.rest.one" if first == last else "pool.rest"
    return WORDS[language][key].format(first=first, last=last)


def event_sentence(event: Event, state: str, language: str) -> str:
    """A sentence about an event; `state` is the block's state after it."""
    kind: str = event.kind
    if kind == "shared" and event.other == 1:
        kind = "reused"
    elif kind == "freed":
        kind = "released" if event.other else "kept" if state == "cached" else "freed"
    return WORDS[language][f"event.{kind}"].format(block=event.block, other=event.other)
