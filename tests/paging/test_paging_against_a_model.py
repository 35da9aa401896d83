"""Random lives of a paged cache against the model of `helpers.random_life`.

A long run: ``PAGING_STEPS=1000000 pytest tests/paging/test_paging_against_a_model.py``.

Faults that were put in to see this test fail, each one found:
  - copy-on-write forgotten (`append` writes into the shared tail)
  - copy-on-write takes a new block but `copy_blocks` is not called
  - `fork` does not raise the reference counts, or shares the table or the chain of hashes
  - `free_blocks` frees at a count of 1 too many (off by one)
  - `touch` leaves the block in the queue
  - a block that is handed out keeps its hash, or stays in the dictionary or in the queue
  - `match` lets the last token be a hit, or goes on behind a gap
  - the hash before, the extra keys or the window are no part of the identity
  - of two equal blocks one is not remembered, or both are forgotten with one
  - `truncate` keeps the hash of blocks that it takes back, or takes it from those who share
    them, or keeps the chain of hashes, or one hash too many
  - the last slot of a block does not cache it
  - the mask of `paged_attention` shows the slot after the last (`<` for `<=` one off)
  - unused slots not masked in V
  - blocks are swapped out or in without their rows
  - `swap_in` keeps its host blocks, `swap_out` its own
  - a window frees a block too many, or is forgotten by `fork` or `free`
  - `truncate` cuts to where the window has given a block back, or refuses what it could do
  - `swap_in` takes blocks for what was given back, or remembers the null block
  - rows that were refused stay known where another sequence counted on them
  - an event is not told, or told before the counts are right
"""

from __future__ import annotations

import os

from helpers.random_life import Life
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

STEPS = int(os.environ.get("PAGING_STEPS", "8000"))


def test_a_random_life() -> None:
    steps = 40
    run_state_machine_as_test(
        Life,
        settings=settings(
            max_examples=max(1, STEPS // steps),
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
