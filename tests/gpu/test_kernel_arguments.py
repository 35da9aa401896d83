"""What a kernel is compiled for again, and what its addresses are computed in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from helpers.pretend_device import HOPPER, pretend_cuda

from gpu.attention import kernels, launches, paged_triton, why_not
from gpu.attention.launches import decode_launch, prefill_launch
from gpu.attention.paged_triton import LOG2_E, Card, PagedTriton, num_splits
from gpu.verification.cases import make_case

LISTED = """
import json, sys
from gpu.attention import kernels, prefill_kernel
found = {}
for kernel in (kernels.decode_kernel, kernels.merge_splits_kernel, prefill_kernel.prefill_kernel):
    found[kernel.__name__] = {p.name: [p.is_constexpr, p.do_not_specialize] for p in kernel.params}
print(json.dumps(found))
"""

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(sys.platform != "linux", reason="Triton's wheel is for Linux")
def test_what_changes_from_step_to_step_compiles_nothing_again() -> None:
    """Read off the compiler's own view of the kernels, which the interpreter does not have."""
    done = subprocess.run(
        [sys.executable, "-c", LISTED],
        cwd=ROOT,
        env={**os.environ, "TRITON_INTERPRET": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    ordinary = [False, True]  # no constant, and not specialised for 1 or multiples of 16
    found = json.loads(done.stdout)
    assert found["merge_splits_kernel"]["splits"] == ordinary
    for kernel in ("decode_kernel", "prefill_kernel"):
        assert found[kernel]["window"] == found[kernel]["table_row"] == ordinary
    for parameters in found.values():
        assert not [name for name in parameters if "SPLIT" in name]


def test_arguments_of_one_model_differ_only_in_what_is_not_specialised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Decode grows over lengths, batches and splits: one key of Triton's cache for each kernel."""
    seen: dict[str, set[object]] = {"decode": set(), "merge": set()}
    free = {"decode": {"window", "table_row"}, "merge": {"splits"}}

    class Recorded:
        def __init__(self, name: str, kernel: object) -> None:
            self.name, self.names = name, kernel.arg_names  # type: ignore[attr-defined]

        def __getitem__(self, grid: object) -> object:
            def launch(*args: object, **constants: object) -> None:
                key = [
                    (arg.dtype if isinstance(arg, torch.Tensor) else (arg == 1, arg % 16 == 0))  # type: ignore[operator]
                    for name, arg in zip(self.names, args, strict=False)
                    if name not in free[self.name] and not isinstance(arg, float)
                ]
                seen[self.name].add((tuple(key), tuple(sorted(constants.items()))))

            return launch

    for name, kernel in (("decode", "decode_kernel"), ("merge", "merge_splits_kernel")):
        monkeypatch.setattr(kernels, kernel, Recorded(name, getattr(kernels, kernel)))
    for lengths in ([300], [300, 900], [5000], [40, 3000, 17]):
        case = make_case(lengths, [1] * len(lengths), h=6, d_k=16, block_size=16)
        for splits in (2, 3, 16, 33):
            case.attend(PagedTriton(splits=splits))
    assert {name: len(keys) for name, keys in seen.items()} == {"decode": 1, "merge": 1}


def test_parts_past_two_to_the_31() -> None:
    """Splits so far apart that the third begins beyond 2³¹ numbers: 64 bits, or a crash."""
    splits, far = 3, 2**30 + 16
    parts = torch.empty(2 * far + 16, dtype=torch.float16)  # 4 GiB, of which three rows are touched
    case = make_case([48], [1], h=1, h_kv=1, d_k=16)
    batch, K, V = case.batch, case.storage.K[0], case.storage.V[0]
    sums, out, lse = torch.empty(splits, 1), torch.empty(1, 1, 16), torch.empty(1, 1)
    assert batch.decode_rows is not None
    kernels.decode_kernel[1, 1, splits](
        *(case.Q, K, V, batch.block_table, batch.seq_lens, batch.decode_rows),
        *(batch.query_start_loc, parts, sums, LOG2_E / 4, 0, 16, 16),
        *(K.stride(0), K.stride(1), K.stride(2), V.stride(0), V.stride(1), V.stride(2), 3),
        *(far, 16, 1),
        **launches.decode_constants(launches.DECODE_PLAIN, 1, 16, 16, False),
    )
    kernels.merge_splits_kernel[1, 1](
        *(parts, sums, out, lse, batch.decode_rows, batch.query_start_loc, splits),
        *(far, 16, 1, 16, 16, 1),
        **launches.merge_constants(16),
    )
    wanted = [torch.from_numpy(array).float() for array in case.reference]
    torch.testing.assert_close(out, wanted[0], rtol=2e-3, atol=2e-3)
    torch.testing.assert_close(lse, wanted[1])


def test_launches_by_dtype_and_card() -> None:
    hopper, ampere, turing = (9, 0), (8, 6), (7, 5)
    assert decode_launch(hopper, 2, 128) == decode_launch(ampere, 2, 128) == launches.DECODE_16
    assert decode_launch(turing, 2, 128) == decode_launch(hopper, 4, 128) == launches.DECODE_PLAIN
    assert decode_launch(hopper, 2, 129) == launches.DECODE_16_WIDE
    assert prefill_launch(hopper, 2, 64) == launches.PREFILL_16
    assert prefill_launch(turing, 4, 64) == launches.PREFILL_PLAIN
    assert prefill_launch(turing, 2, 64) is None
    assert prefill_launch(hopper, 2, 257) is decode_launch(hopper, 2, 257) is None
    of_one = launches.decode_constants(launches.DECODE_16, 1, 16, 100, True)
    assert (of_one["ROWS"], of_one["DOT"], of_one["D_PAD"]) == (16, True, 128)
    plain = launches.decode_constants(launches.DECODE_PLAIN, 5, 16, 128, False)
    assert (plain["ROWS"], plain["DOT"]) == (8, True)


def test_splits_count_the_sequences_that_decode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paged_triton, "card", lambda device: HOPPER)
    cuda = torch.device("cuda")
    assert num_splits([0], [4096], 8, cuda) == 16, "none has fewer than 256 keys"
    assert num_splits([1], [100_000, 300], 8, cuda) == 2, "the prompt beside it does not count"
    assert num_splits([0], [10**6], 1, cuda) == 128
    assert num_splits(range(64), [4096] * 64, 32, cuda) == 1


def test_d_k_beyond_the_table_goes_through_gather() -> None:
    with pretend_cuda(Card((9, 0), 4)):
        case = make_case([20, 9], [1, 3], h=2, d_k=300, device="cuda")
        out, _ = case.attend(PagedTriton())
        wanted = make_case([20, 9], [1, 3], h=2, d_k=300)
        torch.testing.assert_close(out.cpu(), torch.from_numpy(wanted.reference[0]).float())


def test_a_card_for_which_the_kernels_make_no_sense(monkeypatch: pytest.MonkeyPatch) -> None:
    cuda = torch.device("cuda")
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (7, 5))
    assert why_not("triton", cuda, torch.float16, 16) == "matrix"
    assert why_not("triton", cuda, torch.float32, 16) is None
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (8, 0))
    assert why_not("triton", cuda, torch.bfloat16, 16) is None
