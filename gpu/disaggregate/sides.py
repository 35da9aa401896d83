"""The two sides. The block tables decide what is sent: nothing that the receiver has already."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass

from torch import Tensor

from gpu.cache import PagedCache
from gpu.disaggregate.link import (
    DECODE,
    PREFILL,
    LinkError,
    Sending,
    receive_note,
    receive_tensor,
    send_note,
)
from gpu.llama import TorchLayerCache, TorchLlama
from gpu.storage import PagedStorage
from walkthrough.paging.block_pool import BlockPool, OutOfBlocksError
from walkthrough.paging.handover import receive
from walkthrough.paging.prefix_cache import PrefixCache
from walkthrough.paging.sequence import Sequence


@dataclass(frozen=True)
class Sizes:
    """What a side is made with; both must agree in all but the number of blocks."""

    block_size: int
    num_blocks: int


@dataclass
class Sent:
    """What became of one request."""

    prompt: int  # tokens
    tokens: list[int]  # that were generated
    blocks: int  # of the prompt
    sent: int  # of these, those that the receiver did not have
    nbytes: int
    prefill: float  # seconds that the prompt took
    visible: float  # seconds that sending still took behind it
    refused: str | None = None  # why there was no room for it


def agree(mine: Mapping[str, object], other: int) -> None:
    """Raise LinkError, on both sides, with the first figure that is not the same on the other."""
    if other == DECODE:
        send_note(dict(mine), other)
    theirs = receive_note(other)
    if other == PREFILL:
        send_note(dict(mine), other)
    for name, value in mine.items():
        if theirs.get(name) != value:
            raise LinkError(f"{name}: {value} here, {theirs.get(name)} on the other side")


class Side:
    """A model, a pool and its storage."""

    def __init__(self, model: TorchLlama, sizes: Sizes) -> None:
        self.model, self.pool = model, BlockPool(sizes.num_blocks)
        self.storage = PagedStorage(
            sizes.num_blocks,
            sizes.block_size,
            model.d_k,
            layers=len(model.layers),
            h_kv=model.h_kv,
            dtype=model.dtype,
        )

    def agree(self, other: int) -> None:
        """Raise LinkError where the other side's K and V are not like these."""
        layers, _, block_size, h_kv, d_k = self.storage.K.shape
        mine = {
            "layers": layers,
            "block size": block_size,
            "K/V heads": h_kv,
            "d_k": d_k,
            "dtype": str(self.model.dtype),
            "vocabulary": self.model.vocabulary,
        }
        agree(mine, other)

    def next_token(
        self, token_ids: SequenceOf[int], start: int, cache: TorchLayerCache, fed: int
    ) -> int:
        """The likeliest token behind the last `fed` ones, which stand from `start` on."""
        positions = range(start, start + fed)
        hidden = self.model.hidden(token_ids[-fed:], positions, cache)
        return int(self.model.logits(hidden[-1:]).argmax())


class SendingCache:
    """A layer's blocks leave as soon as its rows are stored, while the next is computed."""

    def __init__(self, cache: PagedCache, blocks: SequenceOf[int], sending: Sending) -> None:
        self.cache, self.blocks, self.sending = cache, list(blocks), sending

    def write(self, layer: int, K: Tensor, V: Tensor) -> None:
        """Store the rows, then send the layer's blocks."""
        self.cache.write(layer, K, V)
        if not self.blocks:
            return  # the other side has them all
        storage = self.cache.storage
        for i, pool in enumerate((storage.K, storage.V)):
            self.sending.send(pool[layer, self.blocks], tag=2 * layer + i)

    def attend(self, layer: int, Q: Tensor) -> Tensor:
        """As ever."""
        return self.cache.attend(layer, Q)


class PrefillSide(Side):
    """Computes prompts, and sends their blocks."""

    def serve(self, prompts: SequenceOf[list[int]]) -> None:
        """Each in turn; a prompt for which there is no room on either side is passed over."""
        self.agree(DECODE)
        for prompt in prompts:
            self._one(prompt)
        send_note(None, DECODE)

    def _one(self, prompt: list[int]) -> None:
        cache = PagedCache(self.storage, Sequence(self.pool, self.storage.block_size))
        try:
            cache.extend(prompt)
        except OutOfBlocksError as error:
            send_note({"prompt": prompt, "refused": f"no room to compute it: {error}"}, DECODE)
            return
        try:
            send_note({"prompt": prompt}, DECODE)
            first: int | None = receive_note(DECODE)  # the first logical block that it lacks
            if first is None:
                return
            sending, start = Sending(DECODE), time.perf_counter()
            through = SendingCache(cache, cache.sequence.block_table[first:], sending)
            token = self.next_token(prompt, 0, through, len(prompt))
            computed = time.perf_counter()
            sending.wait()
            note = {"token": token, "prefill": computed - start, "nbytes": sending.nbytes}
            send_note(note | {"visible": time.perf_counter() - computed}, DECODE)
        finally:
            cache.free()


class DecodeSide(Side):
    """Takes blocks over and goes on from them; keeps what it has for the next prompt."""

    def __init__(self, model: TorchLlama, sizes: Sizes) -> None:
        super().__init__(model, sizes)
        self.known = PrefixCache(self.pool, sizes.block_size)

    def serve(self, new: int) -> Iterator[Sent]:
        """The requests as they come, each with up to `new` tokens."""
        self.agree(PREFILL)
        while (note := receive_note(PREFILL)) is not None:
            prompt: list[int] = note["prompt"]
            if "refused" in note:
                yield Sent(len(prompt), [], 0, 0, 0, 0.0, 0.0, note["refused"])
                continue
            sequence = Sequence(self.pool, self.storage.block_size, self.known)
            try:
                first = receive(sequence, prompt)
            except OutOfBlocksError as error:
                send_note(None, PREFILL)
                yield Sent(len(prompt), [], 0, 0, 0, 0.0, 0.0, f"no room to take it over: {error}")
                continue
            yield self._one(sequence, first, new)
            sequence.free()

    def _one(self, sequence: Sequence, first: int, new: int) -> Sent:
        blocks, known = sequence.block_table[first:], first * sequence.block_size
        prompt = len(sequence)
        try:
            send_note(first, PREFILL)
            for layer in range(self.storage.layers) if blocks else ():
                for i, pool in enumerate((self.storage.K, self.storage.V)):
                    tag = 2 * layer + i
                    pool[layer, blocks] = receive_tensor(pool[layer, blocks], PREFILL, tag)
            note = receive_note(PREFILL)
        except BaseException:
            sequence.truncate(known, written=False)  # nobody may find rows that did not come
            sequence.free()
            raise
        cache = PagedCache(self.storage, sequence)
        tokens: list[int] = [note["token"]]
        refused = None
        try:
            while len(tokens) < new and tokens[-1] != self.model.eos:
                cache.extend(tokens[-1:])
                tokens.append(self.next_token(tokens, len(sequence) - 1, cache, 1))
        except OutOfBlocksError as error:
            refused = f"no room to go on behind {len(tokens)} tokens: {error}"
        held = first + len(blocks)
        seconds = note["prefill"], note["visible"]
        return Sent(prompt, tokens, held, len(blocks), note["nbytes"], *seconds, refused)


def alone(model: TorchLlama, sizes: Sizes, prompt: list[int], new: int) -> list[int]:
    """The tokens of one process that does both."""
    side = Side(model, sizes)
    cache = PagedCache(side.storage, Sequence(side.pool, sizes.block_size))
    cache.extend(prompt)
    tokens = [side.next_token(prompt, 0, cache, len(prompt))]
    while len(tokens) < new and tokens[-1] != model.eos:
        cache.extend(tokens[-1:])
        tokens.append(side.next_token(tokens, len(cache.sequence) - 1, cache, 1))
    return tokens
