"""The two sides of one request: who computes the prompt and sends, who receives and decodes.

Each has a pool of its own, a prefix cache, and block tables from `walkthrough.paging`. What is sent
is decided by the receiver's table (`paging.handover`).
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Sequence as SequenceOf
from contextlib import suppress
from dataclasses import dataclass

import torch
from torch import Tensor

from gpu.cache import PagedCache
from gpu.disaggregate.link import Peer, Pending, exchange, receive_numbers, send_numbers
from gpu.llama import TorchLlama
from gpu.storage import PagedStorage
from walkthrough.paging.block_pool import BlockPool, OutOfBlocksError
from walkthrough.paging.handover import give_up, make_room
from walkthrough.paging.prefix_cache import PrefixCache
from walkthrough.paging.sequence import Sequence


@dataclass(frozen=True)
class Transfer:
    """A request as the sender has seen it."""

    tokens: int
    blocks: int = 0  # of the prompt
    known: int = 0  # of these, not sent
    nbytes: int = 0
    prefill: float = 0.0  # seconds
    visible: float = 0.0  # from the end of the prefill until the other side has everything
    stored: int = 0  # a checksum of the K and V that were sent
    refused: str = ""  # why nothing was sent


class PagedSide:
    """A model, a storage, and who owns its blocks."""

    def __init__(self, model: TorchLlama, storage: PagedStorage) -> None:
        self.model, self.storage = model, storage
        self.pool = BlockPool(storage.num_blocks)
        self.prefixes = PrefixCache(self.pool, storage.block_size)

    def sequence(self) -> Sequence:
        """An empty one."""
        return Sequence(self.pool, self.storage.block_size, self.prefixes)

    def next_token(self, fed: SequenceOf[int], cache: PagedCache) -> int:
        """Feed tokens, and choose the likeliest behind them."""
        start = cache.num_computed_tokens
        cache.extend(fed)
        hidden = self.model.hidden(fed, range(start, start + len(fed)), cache)
        return int(self.model.logits(hidden[-1:])[0].argmax())

    def decode(self, sequence: Sequence, token: int, new_tokens: int) -> list[int]:
        """That token and those behind it, fewer where there are no more blocks."""
        cache, tokens = PagedCache(self.storage, sequence), [token]
        with suppress(OutOfBlocksError):
            while len(tokens) < new_tokens:
                tokens.append(self.next_token(tokens[-1:], cache))
        return tokens

    def prefilled(self, prompt: SequenceOf[int]) -> tuple[Sequence, int]:
        """A prompt's sequence and the token behind it, with nobody else."""
        sequence = self.sequence()
        sequence.reuse_prefix(prompt)
        return sequence, self.next_token(
            prompt[len(sequence) :], PagedCache(self.storage, sequence)
        )

    def stored(self, sequence: Sequence, known: int, n: int) -> int:
        """A checksum of the first n tokens' K and V in all layers, but of the `known` blocks.

        Those were computed in another pass: the same numbers but for the order of sums.
        """
        sums, n = 0, n - known * self.storage.block_size
        for pool in (self.storage.K, self.storage.V):
            rows = pool[:, sequence.block_table[known:]].flatten(1, 2)[:, :n].contiguous()
            sums = zlib.crc32(rows.view(torch.uint8).numpy().tobytes(), sums)
        return sums

    def message(self, blocks: int) -> Tensor:
        """Room for a layer's K and V of so many blocks: (2, blocks, block_size, h_kv, d_k)."""
        return torch.empty((2, blocks, *self.storage.K.shape[2:]), dtype=self.storage.K.dtype)


class SendingCache(PagedCache):
    """A cache that sends each layer's blocks as soon as they are written, but the first `known`."""

    def __init__(self, side: PrefillSide, sequence: Sequence, known: int, at_once: bool) -> None:
        super().__init__(side.storage, sequence)
        self.side, self.known, self.at_once = side, known, at_once
        self.pending: list[tuple[Pending, Tensor]] = []  # with what must be kept until it has left

    def write(self, layer: int, K: Tensor, V: Tensor) -> None:
        """Store a layer's rows, K and V (n, h_kv, d_k), and start sending the layer's blocks."""
        super().write(layer, K, V)
        if not self.at_once:
            self.send(layer)

    def send(self, layer: int) -> None:
        """Start sending a layer's blocks."""
        blocks = self.sequence.block_table[self.known :]
        if blocks:
            message = self.side.message(len(blocks))
            message[0], message[1] = self.storage.K[layer, blocks], self.storage.V[layer, blocks]
            self.pending.append((self.side.link.send(message), message))

    def finish(self) -> int:
        """Send what is left, and wait until all has left; returns how many bytes."""
        if self.at_once:
            for layer in range(self.storage.layers):
                self.send(layer)
        for pending, _ in self.pending:
            pending.wait()
        return sum(message.nbytes for _, message in self.pending)


class PrefillSide(PagedSide):
    """Computes prompts and sends their K and V."""

    def __init__(self, model: TorchLlama, storage: PagedStorage, link: Peer) -> None:
        super().__init__(model, storage)
        self.link = link

    def request(self, prompt: SequenceOf[int], at_once: bool = False) -> Transfer:
        """Compute a prompt and hand it over, layer by layer or at once when all is computed.

        Its blocks are free afterwards, whatever happens; those that were written are found again.
        """
        sequence, refused = self.sequence(), ""
        try:
            sequence.reuse_prefix(prompt)
        except OutOfBlocksError as error:
            refused = f"no room where the prompt is computed: {error}"
        try:
            room, known, asked, free, total = exchange(self.link, not refused, 0, 0, 0, 0)
        except BaseException:
            sequence.free()
            raise
        if not room:
            missing = OutOfBlocksError(asked, free, total)
            refused = refused or f"no room where it is to be decoded: {missing}"
        if refused:
            sequence.free()
            return Transfer(len(prompt), refused=refused)
        found = len(sequence)
        try:
            start = time.perf_counter()
            cache = SendingCache(self, sequence, known, at_once)
            token = self.next_token(prompt[found:], cache)
            end = time.perf_counter()
            nbytes = cache.finish()
            send_numbers(self.link, token)
            receive_numbers(self.link, 1)  # it has everything
            visible = time.perf_counter() - end
            stored = self.stored(sequence, known, len(prompt))
        except BaseException:
            sequence.truncate(found, written=False)
            sequence.free()
            raise
        blocks = len(sequence.block_table)
        sequence.free()
        return Transfer(len(prompt), blocks, known, nbytes, end - start, visible, stored)


class DecodeSide(PagedSide):
    """Receives prompts' K and V, and decodes."""

    def __init__(self, model: TorchLlama, storage: PagedStorage, link: Peer) -> None:
        super().__init__(model, storage)
        self.link = link

    def request(self, prompt: SequenceOf[int], new_tokens: int) -> tuple[list[int], int]:
        """The tokens behind a prompt, none where it was refused; and a checksum of what came.

        Its blocks are free afterwards, whatever happens; those that have come in are found again.
        """
        sequence, known, missing = self.sequence(), 0, (0, 0, 0)
        try:
            known = make_room(sequence, prompt)
        except OutOfBlocksError as error:
            missing = (error.asked, error.free, error.total)
        try:
            room, *_ = exchange(self.link, missing == (0, 0, 0), known, *missing)
            if not (room and sequence.block_table):
                give_up(sequence, known)
                return [], 0
            token = self._receive(sequence, known)
        except BaseException:
            give_up(sequence, known)
            raise
        stored = self.stored(sequence, known, len(prompt))
        try:
            return self.decode(sequence, token, new_tokens), stored
        finally:
            sequence.free()

    def _receive(self, sequence: Sequence, known: int) -> int:
        """All layers' blocks, then the first token."""
        blocks = sequence.block_table[known:]
        message = self.message(len(blocks))
        if blocks:
            for layer in range(self.storage.layers):
                self.link.receive(message)
                self.storage.K[layer, blocks], self.storage.V[layer, blocks] = message
        (token,) = receive_numbers(self.link, 1)
        send_numbers(self.link, 1)
        return token
