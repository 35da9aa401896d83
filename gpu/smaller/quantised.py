"""K and V of a pool in 8 bits, with a scale for each slot and head: the same block tables.

As in `walkthrough.reference.smaller`: a row is rounded when it is written, on its own, and read
with its scale. Whole numbers (INT8) are off by half a scale at most; FP8 (E4M3, Micikevicius et
al. 2022) by a share of each number, and its scale makes the largest of a row 448.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from gpu import memory
from gpu.storage import Layout, PagedStorage, Slots, storage_bytes

LARGEST_CODE = {torch.int8: 127.0, torch.float8_e4m3fn: 448.0}  # the largest code of each dtype


@dataclass(frozen=True)
class RoundedRows:
    """A pool of K or V as codes and scales; to whom it is handed it has the shape of the codes."""

    codes: Tensor  # (…, blocks, block_size, h_kv, d_k), int8 or float8_e4m3fn
    scales: Tensor  # (…, blocks, block_size, h_kv) float32
    dtype: torch.dtype  # of the rows that were rounded, and of the queries

    @property
    def shape(self) -> torch.Size:
        """Of the codes."""
        return self.codes.shape

    @property
    def device(self) -> torch.device:
        """Where the codes are."""
        return self.codes.device

    @property
    def nbytes(self) -> int:
        """Bytes of codes and scales."""
        return self.codes.nbytes + self.scales.nbytes

    def __getitem__(self, layer: int) -> RoundedRows:
        """A layer of all layers' pool."""
        return RoundedRows(self.codes[layer], self.scales[layer], self.dtype)


Pool = Tensor | RoundedRows  # one layer's K or V, as attention takes it


class QuantisedStorage(PagedStorage):
    """A `PagedStorage` whose rows are kept in 8 bits, `codes` int8 or float8_e4m3fn.

    Rows are given in `dtype`, and queries over them too. Scales of slots never written are NaN,
    so that one that reached a result would be seen. ValueError for other dtypes.
    """

    K: RoundedRows  # type: ignore[assignment]
    V: RoundedRows  # type: ignore[assignment]

    def __init__(
        self,
        num_blocks: int,
        block_size: int,
        d_k: int,
        *,
        layers: int = 1,
        h_kv: int = 1,
        dtype: torch.dtype = torch.float32,
        device: str | torch.device = "cpu",
        layout: Layout = "HND",
        codes: torch.dtype = torch.int8,
    ) -> None:
        check_codes(codes)
        if not dtype.is_floating_point or dtype.itemsize < 2:
            raise ValueError(f"rows of {dtype} cannot be rounded to {codes}")
        self.check_sizes(layers, num_blocks, block_size, h_kv, d_k)
        self.device, self.layout = torch.device(device), layout
        sizes = (num_blocks, block_size)
        scales = storage_bytes(*sizes, 1, layers=layers, h_kv=h_kv, dtype=torch.float32)
        numbers = storage_bytes(*sizes, d_k, layers=layers, h_kv=h_kv, dtype=codes)
        memory.require(numbers + scales, self.device)

        def pool() -> RoundedRows:
            middle = (h_kv, block_size) if layout == "HND" else (block_size, h_kv)
            shape = (layers, num_blocks, *middle)
            zeros = torch.zeros((*shape, d_k), dtype=torch.uint8, device=device).view(codes)
            nan = torch.full(shape, float("nan"), dtype=torch.float32, device=device)
            if layout == "HND":
                zeros, nan = zeros.transpose(2, 3), nan.transpose(2, 3)
            return RoundedRows(zeros, nan, dtype)

        self.K, self.V = pool(), pool()

    @property
    def arrays(self) -> tuple[Tensor, ...]:
        """Codes, as bytes, and scales: a copied block is the same to the bit."""
        pools = (self.K, self.V)
        return tuple(part for pool in pools for part in (as_bytes(pool.codes), pool.scales))

    def put(self, layer: int, slots: Slots, K: Tensor, V: Tensor) -> None:
        """Rows that were checked, each with a scale of its own for every head."""
        for rows, pool in ((K, self.K), (V, self.V)):
            codes, scales = rounded(rows, pool.codes.dtype)
            as_bytes(pool.codes)[layer, slots.block, slots.offset] = as_bytes(codes)
            pool.scales[layer, slots.block, slots.offset] = scales


def check_codes(codes: torch.dtype) -> None:
    """Raise ValueError for a dtype that no pool is kept in."""
    if codes not in LARGEST_CODE:
        raise ValueError(
            f"codes of {codes} are not known; known: {', '.join(map(str, LARGEST_CODE))}"
        )


def as_bytes(codes: Tensor) -> Tensor:
    """FP8 as the bytes that it lies in, for what torch and Triton do not do with it; INT8 as is."""
    return codes if codes.dtype == torch.int8 else codes.view(torch.uint8)


def rounded(rows: Tensor, codes: torch.dtype) -> tuple[Tensor, Tensor]:
    """Rows (…, d_k) as codes (…, d_k), and what each row's codes are multiplied with (…), float32.

    The scale is the largest magnitude ÷ the largest code; to the nearest, halves to even. A row
    of zeros has the scale 0. One that is not finite becomes a scale that is not finite.
    """
    check_codes(codes)
    largest = LARGEST_CODE[codes]
    rows = rows.to(torch.promote_types(rows.dtype, torch.float32))
    scales = (rows.abs().amax(-1) / largest).float()  # (…)
    steps = rows / torch.where(scales == 0, 1.0, scales)[..., None]
    if codes == torch.int8:
        steps = steps.round()
    # A scale that was itself rounded down must not lead past the last code.
    return steps.clamp(-largest, largest).to(codes), scales


def numbers(codes: Tensor, scales: Tensor, dtype: torch.dtype) -> Tensor:
    """What codes (…, d_k) and scales (…) stand for, multiplied in at least float32, as `dtype`."""
    wide = torch.promote_types(dtype, torch.float32)
    return (codes.to(wide) * scales[..., None]).to(dtype)
