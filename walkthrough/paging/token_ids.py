"""Which token ids there are: one check, wherever tokens come in."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral


def check_token_ids(token_ids: Iterable[int], vocabulary: int | None) -> None:
    """Raise ValueError where one is not among 0 … vocabulary − 1; None: of unknown size."""
    for token in token_ids:
        if not isinstance(token, Integral):
            raise ValueError(f"token id {token!r} is not a whole number")
        if token < 0 or (vocabulary is not None and token >= vocabulary):
            known = "from 0 on" if vocabulary is None else f"one of 0 … {vocabulary - 1}"
            raise ValueError(f"token id {token} is not {known}")  # −1 would read the last row
