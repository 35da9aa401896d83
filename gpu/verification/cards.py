"""What cards have room for, and what their memory asks of a kernel: published figures."""

from __future__ import annotations

from dataclasses import dataclass

REGISTERS = 65_536  # of a multiprocessor, on all of these


@dataclass(frozen=True)
class CardLimits:
    """One card of a generation, the one whose memory is the fastest for its multiprocessors."""

    name: str
    shared: int  # bytes that one block may ask for
    shared_in_all: int  # of a multiprocessor
    reserved: int  # of that, for each block
    warps: int  # of a multiprocessor
    blocks: int
    bytes_per_second: float
    processors: int
    clock: float  # Hz, boost

    @property
    def needs(self) -> float:
        """Bytes that each multiprocessor must take in a clock to be bound by memory alone."""
        return self.bytes_per_second / self.processors / self.clock


KB = 1024
CARDS = {
    75: CardLimits("T4", 64 * KB, 64 * KB, 0, 32, 16, 320e9, 40, 1.590e9),
    80: CardLimits("A100 80 GB", 163 * KB, 164 * KB, KB, 64, 32, 2039e9, 108, 1.410e9),
    86: CardLimits("RTX 3090", 99 * KB, 100 * KB, KB, 48, 16, 936e9, 82, 1.695e9),
    89: CardLimits("RTX 4090", 99 * KB, 100 * KB, KB, 48, 24, 1008e9, 128, 2.520e9),
    90: CardLimits("H200", 227 * KB, 228 * KB, KB, 64, 32, 4800e9, 132, 1.755e9),
    100: CardLimits("B200", 227 * KB, 228 * KB, KB, 64, 32, 8000e9, 148, 1.965e9),
    120: CardLimits("RTX 5090", 99 * KB, 100 * KB, KB, 48, 24, 1792e9, 170, 2.407e9),
}


def blocks_at_once(card: CardLimits, registers: int, shared: int, num_warps: int) -> int:
    """How many blocks of a kernel a multiprocessor holds; 0: not one."""
    if shared > card.shared:
        return 0
    of_warp = -(-registers * 32 // 256) * 256  # they are handed out in 256s
    return min(
        card.blocks,
        card.warps // num_warps,
        REGISTERS // (of_warp * num_warps),
        card.shared_in_all // max(1, shared + card.reserved),
    )
