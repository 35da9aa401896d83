"""The whole path on a device that is not there: no mixed devices, and how often it waits."""

from __future__ import annotations

import pytest
import torch
from helpers.pretend_device import CUDA, HOPPER, PretendCuda, pretend_cuda

from gpu.attention import make_backend
from gpu.attention.paged_triton import Card, PagedTriton
from gpu.batch import Batch, from_table, make_batch
from gpu.cache import BatchCache, PagedCache
from gpu.storage import PagedStorage
from walkthrough.paging.block_pool import BlockPool
from walkthrough.paging.sequence import Sequence

LAYERS, BLOCKS, SIZE, H, H_KV, D_K = 2, 40, 16, 4, 2, 16
STEPS = ([20, 5, 300], [1, 7, 1], [1, 1, 1])  # tokens fed: prompts, a mixed step, decode


def outputs(device: str, name: str, dtype: torch.dtype) -> tuple[list[torch.Tensor], list[int]]:
    """Every layer's output of every step, and how often each step's layers waited."""
    mode = next((m for m in modes() if isinstance(m, PretendCuda)), None)
    sizes = {"layers": LAYERS, "h_kv": H_KV}
    storage = PagedStorage(BLOCKS, SIZE, D_K, dtype=dtype, device=device, **sizes)  # type: ignore[arg-type]
    pool = BlockPool(BLOCKS)
    sequences = [Sequence(pool, SIZE) for _ in STEPS[0]]
    cache = BatchCache(storage, make_backend(name))
    generator = torch.Generator().manual_seed(1)
    outs, waits = [], []
    for counts in STEPS:
        for sequence, n in zip(sequences, counts, strict=True):
            storage.copy_blocks(sequence.append(range(n)))
        cache.fed(list(zip(sequences, counts, strict=True)))
        before = len(mode.waits) if mode else 0
        for layer in range(LAYERS):
            Q, K, V = (
                torch.randn(sum(counts), heads, D_K, generator=generator).to(dtype).to(device)
                for heads in (H, H_KV, H_KV)
            )
            cache.write(layer, K, V)
            outs.append(cache.attend(layer, Q))
        waits.append(len(mode.waits) - before if mode else 0)
    return [out.cpu() for out in outs], waits


def modes() -> list[object]:
    return list(torch.overrides._get_current_function_mode_stack())  # type: ignore[attr-defined]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("name", ["gather", "triton"])
def test_the_whole_path_stays_on_the_device_and_never_waits(name: str, dtype: torch.dtype) -> None:
    wanted, _ = outputs("cpu", name, dtype)
    with pretend_cuda() as device:
        found, waits = outputs("cuda", name, dtype)
        assert device.cpu_indices == 0
    assert waits == [0, 0, 0]
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one, other, rtol=2e-3, atol=2e-3)


def test_a_card_before_sm_80_goes_through_gather_in_prefill_and_a_kernel_in_decode() -> None:
    wanted, _ = outputs("cpu", "gather", torch.float16)
    with pretend_cuda(Card((7, 5), 40)):
        found, waits = outputs("cuda", "triton", torch.float16)
    assert waits == [0, 0, 0]
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one, other, rtol=2e-3, atol=2e-3)


def test_one_sequence_s_cache_waits_once_a_layer_for_its_rows_to_be_finite() -> None:
    with pretend_cuda() as device:
        storage = PagedStorage(BLOCKS, SIZE, D_K, layers=LAYERS, h_kv=H_KV, device="cuda")
        cache = PagedCache(storage, Sequence(BlockPool(BLOCKS), SIZE), make_backend("triton"))
        cache.extend([1, 2])
        rows = torch.ones(2, H_KV, D_K, device="cuda")
        device.waits.clear()
        for layer in range(LAYERS):
            cache.write(layer, rows, rows)
            cache.attend(layer, torch.ones(2, H, D_K, device="cuda"))
        assert len(device.waits) == LAYERS


@pytest.mark.parametrize("rows", ["decode_rows", "prefill_rows"])
def test_a_missing_device_is_caught(rows: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tensor made without `device=`: on a GPU, an illegal access of the kernel."""

    def forgotten(self: Batch, chosen: list[int]) -> torch.Tensor | None:
        return torch.tensor(chosen, dtype=torch.int32) if chosen else None

    monkeypatch.setattr(Batch, "_rows", forgotten)
    n = 1 if rows == "decode_rows" else 2
    with pretend_cuda(), pytest.raises(RuntimeError, match="argument 5 of a kernel is on the CPU"):
        attend(from_table(torch.ones(1, 1, dtype=torch.int32), [2], [n], device="cuda"), n)


def attend(batch: Batch, n: int) -> torch.Tensor:
    pool = torch.ones(3, SIZE, H_KV, D_K, device="cuda")
    return PagedTriton().attend(torch.ones(n, H, D_K, device="cuda"), pool, pool, batch)[0]


def test_a_batch_left_on_the_cpu_is_refused() -> None:
    with pretend_cuda():
        sequence = Sequence(BlockPool(3), SIZE)
        sequence.append([1, 2])
        with pytest.raises(ValueError, match=r"Q is on cuda:0, .*, the batch on cpu"):
            attend(make_batch([(sequence, 1)]), 1)
        assert attend(make_batch([(sequence, 1)], CUDA), 1).device == CUDA


def test_the_pretence_itself() -> None:
    with pretend_cuda(HOPPER) as device:
        here, there = torch.ones(3), torch.ones(3, device="cuda")
        with pytest.raises(RuntimeError, match="two devices"):
            _ = here + there
        assert (there + 1).device == CUDA
        assert there[torch.tensor([0])].is_cuda
        assert device.cpu_indices == 1
        assert device.waits == []
        assert bool((there > 0).all())
        assert there.cpu().device.type == "cpu"
        assert device.waits == ["__bool__", "cpu"]
