"""The roofline's figures, each against one that was published or computed by another script."""

from __future__ import annotations

import pytest

from walkthrough.reference import cost
from walkthrough.reference.speculative.acceptance import speed_up
from walkthrough.reference.speed.machines import LINKS, MACHINES, Machine, machine
from walkthrough.reference.speed.roofline import (
    StepCost,
    StepLoad,
    compute_bound_batch,
    decode_attention_intensity,
    decode_load,
    even_context,
    prefill_load,
    requests_that_fit,
    step_cost,
    step_time,
    step_time_by_kind,
    token_capacity,
    tokens_per_second,
    tokens_per_second_ceiling,
    verification_load,
)
from walkthrough.reference.speed.shapes import SHAPES, model_shape
from walkthrough.reference.speed.transfer import (
    kv_per_prefill_second,
    reread_tokens,
    visible_transfer,
)

L7, L13, L70 = SHAPES["llama2-7b"], SHAPES["llama2-13b"], SHAPES["llama2-70b"]
L8, Q8, SMOL = SHAPES["llama3-8b"], SHAPES["qwen3-8b"], SHAPES["smollm2-135m"]
A100, H100, H200 = MACHINES["a100"], MACHINES["h100"], MACHINES["h200"]


def decode(name: str, b: int, m: int) -> StepCost:
    return step_cost(SHAPES[name], decode_load(b, m))


def milliseconds(name: str, where: str, load: StepLoad) -> float:
    return 1e3 * step_time(step_cost(SHAPES[name], load), MACHINES[where])


@pytest.mark.parametrize(
    ("name", "parameters", "read", "token", "even"),
    [
        ("llama2-7b", 6_738_415_616, 13.215, 524_288, (25_205, 3_151, 788, 197)),
        ("llama2-13b", 13_015_864_320, 25.704, 819_200, (31_377, 3_922, 981, 245)),
        ("llama2-70b", 68_976_648_192, 137.429, 327_680, (419_400, 52_425, 13_106, 3_277)),
        ("llama3-8b", 8_030_261_248, 15.010, 131_072, (114_516, 14_315, 3_579, 895)),
        ("qwen3-8b", 8_190_735_360, 15.137, 147_456, (102_653, 12_832, 3_208, 802)),
        ("qwen3-0.6b", 596_049_920, 1.192, 114_688, (10_394, 1_299, 325, 81)),
        ("smollm2-135m", 134_515_008, 0.269, 23_040, (11_677, 1_460, 365, 91)),
    ],
)
def test_parameters_bytes_and_the_context_where_they_meet(
    name: str, parameters: int, read: float, token: int, even: tuple[int, ...]
) -> None:
    shape = SHAPES[name]
    assert shape.parameters == parameters  # as published, to the digit
    assert 2 * shape.parameters_read / 1e9 == pytest.approx(read, abs=5e-4)
    assert shape.geometry.bytes_per_token() == token
    assert tuple(round(even_context(shape, b)) for b in (1, 8, 32, 128)) == even


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("llama3-70b", 70_553_706_496),
        ("mistral-7b", 7_248_023_552),
        ("qwen2.5-7b", 7_615_616_512),
        ("qwen3-4b", 4_022_468_096),
        ("qwen3-0.6b", 596_049_920),
        ("yi-34b", 34_388_917_248),
    ],
)
def test_parameters_of_the_other_models(name: str, parameters: int) -> None:
    assert SHAPES[name].parameters == parameters


def test_in_float32_both_double_and_the_context_stays() -> None:
    assert 4 * SMOL.parameters_read == 538_060_032
    assert SMOL.geometry.bytes_per_token("float32") == 46_080
    assert round(538_060_032 / 46_080) == 11_677


INTENSITIES = {
    "llama2-7b": "1.00 6.98 19.50 35.32 1.00 4.03 5.98 6.79 1.00 1.61 1.73 1.76",
    "llama2-13b": "1.00 7.16 21.09 41.07 1.00 4.41 6.96 8.14 1.00 1.75 1.90 1.94",
    "llama2-70b": "1.01 7.98 30.74 107.29 1.07 7.98 26.05 60.04 1.51 7.99 14.81 18.83",
    "llama3-8b": "1.01 7.82 27.93 78.29 1.10 7.08 16.87 25.80 1.67 5.21 6.74 7.28",
    "qwen3-8b": "1.01 7.80 27.58 75.31 1.11 7.00 16.13 23.93 1.72 5.12 6.48 6.95",
    "qwen3-0.6b": "1.04 6.22 13.25 18.48 1.28 3.43 4.18 4.42 1.76 2.23 2.29 2.31",
    "smollm2-135m": "1.08 6.51 14.14 19.99 1.51 4.27 5.30 5.65 2.47 3.21 3.31 3.34",
}


@pytest.mark.parametrize("name", INTENSITIES)
def test_arithmetic_intensity_of_a_decode_step_stays_below_the_ridge(name: str) -> None:
    found = [decode(name, b, m).intensity for m in (512, 4096, 32768) for b in (1, 8, 32, 128)]
    assert " ".join(f"{x:.2f}" for x in found) == INTENSITIES[name]
    assert max(found) < A100.ridge


def test_one_decode_step_in_full() -> None:
    step = decode("llama3-8b", 32, 4096)
    assert step.flops / 1e9 == pytest.approx(549.0, abs=0.05)
    parts = (step.bytes, step.weight_bytes, step.kv_bytes_read, step.activation_bytes)
    assert [round(part / 1e9, 2) for part in parts] == [32.53, 15.01, 17.18, 0.34]
    assert step.kv_bytes_written == 32 * 131_072


PREFILLS = {  # TFLOP, GB, FLOP per byte, share of attention in the FLOPs (%)
    ("llama2-7b", 128): (1.66, 14.6, 114, 0.3),
    ("llama2-7b", 512): (6.70, 18.6, 360, 1.0),
    ("llama2-7b", 2048): (27.6, 34.8, 794, 4.0),
    ("llama2-7b", 8192): (123.7, 99.6, 1242, 14.2),
    ("llama2-70b", 128): (17.6, 144, 122, 0.1),
    ("llama2-70b", 512): (70.4, 164, 429, 0.5),
    ("llama2-70b", 2048): (285.9, 244, 1171, 1.9),
    ("llama2-70b", 8192): (1209, 565, 2142, 7.3),
    ("llama3-8b", 128): (1.79, 16.4, 109, 0.2),
    ("llama3-8b", 512): (7.22, 20.5, 353, 1.0),
    ("llama3-8b", 2048): (29.7, 36.8, 807, 3.7),
    ("llama3-8b", 8192): (131.9, 102, 1291, 13.3),
    ("qwen3-8b", 128): (1.78, 16.6, 108, 0.3),
    ("qwen3-8b", 512): (7.19, 20.8, 346, 1.1),
    ("qwen3-8b", 2048): (29.7, 37.8, 785, 4.2),
    ("qwen3-8b", 8192): (133.6, 106, 1261, 14.8),
    ("smollm2-135m", 128): (0.0278, 0.43, 65, 2.1),
    ("smollm2-135m", 512): (0.118, 0.91, 130, 7.7),
    ("smollm2-135m", 2048): (0.580, 2.82, 205, 25.0),
    ("smollm2-135m", 8192): (4.06, 10.5, 387, 57.1),
}


@pytest.mark.parametrize(("name", "n"), PREFILLS)
def test_a_prefill(name: str, n: int) -> None:
    tera, giga, intensity, share = PREFILLS[name, n]
    step = step_cost(SHAPES[name], prefill_load(n))
    assert step.flops / 1e12 == pytest.approx(tera, rel=4e-3)
    assert step.bytes / 1e9 == pytest.approx(giga, rel=4e-3)
    assert step.intensity == pytest.approx(intensity, abs=0.55)
    assert 100 * step.attention_flops / step.flops == pytest.approx(share, abs=0.051)


def test_ridge_points_of_the_data_sheets() -> None:
    ridges = {"t4": 203, "a100": 153, "h100": 295, "h200": 206, "b200": 281, "mi300x": 247,
              "rtx4090": 164, "m1": 38, "l4": 403}  # fmt: skip
    assert {name: round(found.ridge) for name, found in MACHINES.items()} == ridges
    assert compute_bound_batch(A100) == A100.ridge
    assert compute_bound_batch(A100, weight_size=1) == A100.ridge / 2
    assert A100.times(2).ridge == A100.ridge and A100.times(1) is A100
    assert all(found.source for found in MACHINES.values())


@pytest.mark.parametrize(
    ("name", "where", "times", "prefill"),
    [
        ("llama2-7b", "a100", (6.62, 14.95, 40.3, 24.0), 88.5),
        ("llama3-8b", "a100", (7.40, 9.51, 15.96, 12.25), 95.2),
        ("llama3-8b", "h100", (4.50, 5.79, 9.71, 7.46), 30.0),
        ("llama3-8b", "h200", (3.14, 4.04, 6.78, 5.20), 30.0),
        ("llama3-8b", "rtx4090", (14.97, 19.24, 32.3, 24.8), 179.7),
        ("smollm2-135m", "t4", (0.88, 3.23, 10.4, 6.09), 8.9),
    ],
)
def test_predicted_times(name: str, where: str, times: tuple[float, ...], prefill: float) -> None:
    steps = [(1, 512), (8, 4096), (32, 4096), (128, 512)]
    found = [milliseconds(name, where, decode_load(b, m)) for b, m in steps]
    assert found == pytest.approx(times, rel=3e-3)
    assert milliseconds(name, where, prefill_load(2048)) == pytest.approx(prefill, rel=3e-3)


def test_32_requests_take_twice_as_long_as_one() -> None:
    assert milliseconds("llama3-8b", "a100", decode_load(1, 4096)) == pytest.approx(7.63, abs=5e-3)
    assert 1e3 * 2 * L8.parameters_read / A100.bytes_per_second == pytest.approx(7.36, abs=5e-3)


def test_from_h100_to_h200_prefill_stays_and_decode_gains() -> None:
    prefill, one = prefill_load(2048), decode_load(1, 512)
    same = [milliseconds("llama3-8b", where, prefill) for where in ("h100", "h200")]
    gained = [milliseconds("llama3-8b", where, one) for where in ("h100", "h200")]
    assert same[0] == same[1]
    assert gained[0] / gained[1] == pytest.approx(1.43, abs=5e-3)


def test_one_maximum_or_one_for_each_kind() -> None:
    step = step_cost(L8, decode_load(512, 1024))
    assert 1e3 * step_time(step, A100) == pytest.approx(43.8, abs=0.05)
    assert 1e3 * step_time_by_kind(step, A100) == pytest.approx(58.4, abs=0.05)
    for b in (1, 8, 64):
        few = step_cost(L8, decode_load(b, 1024))
        assert step_time_by_kind(few, A100) == pytest.approx(step_time(few, A100), rel=1e-12)


@pytest.mark.parametrize(
    ("kv_size", "rates"), [(2, [35.9, 32.4, 28.7, 23.3]), (1, [36.6, 34.7, 32.4, 28.7])]
)
def test_the_roofline_of_a_published_measurement(kv_size: float, rates: list[float]) -> None:
    # Measured on an L4 (vLLM's documentation, quantised K/V cache): 29.1, 26.4, 23.6, 19.4
    # tokens/s in bf16, 29.4, 27.9, 26.2, 23.4 with fp8 K/V; 0.8 of these, all of them.
    lengths = (2048, 8192, 16384, 32768)
    steps = [step_cost(SHAPES["qwen3-4b"], decode_load(1, m), kv_size=kv_size) for m in lengths]
    assert [round(1 / step_time(step, MACHINES["l4"]), 1) for step in steps] == rates


def test_memory_stops_the_batch_before_compute_does() -> None:
    assert [requests_that_fit(L7, A100, m) for m in (512, 4096)] == [223, 27]
    assert [requests_that_fit(L8, A100, m) for m in (512, 4096)] == [857, 107]
    assert max(requests_that_fit(L7, A100, 4096), 107) < compute_bound_batch(A100)
    assert token_capacity(L70, A100) == 0
    assert [round(tokens_per_second_ceiling(shape, A100, 4096)) for shape in (L7, L8)] == [
        949,
        3798,
    ]
    halves = [even_context(shape, 1) / 4096 for shape in (L7, L8)]
    assert halves == pytest.approx([6.2, 28.0], abs=0.05)
    at_half = tokens_per_second(L8, A100, round(halves[1]), 4096)
    assert at_half == pytest.approx(tokens_per_second_ceiling(L8, A100, 4096) / 2, rel=1e-3)


def test_attention_of_a_decode_step_has_one_intensity() -> None:
    names = ("llama2-7b", "llama3-8b", "llama2-70b", "smollm2-135m", "qwen3-0.6b")
    assert [decode_attention_intensity(SHAPES[name]) for name in names] == [1, 4, 8, 3, 2]
    for b, m in ((1, 512), (128, 4096)):
        step = decode("llama3-8b", b, m)
        assert step.attention_flops / step.kv_bytes_read == 4


def test_chunks_read_earlier_ones_again() -> None:
    assert reread_tokens(8192, 512) == 61_440 == 512 * 16 * 15 // 2
    assert reread_tokens(16_384, 512) == 253_952
    assert reread_tokens(8192, 8192) == reread_tokens(8192, 9000) == 0
    whole, token = step_cost(L8, prefill_load(8192)), L8.geometry.bytes_per_token()
    chunks = [
        step_cost(L8, prefill_load(512, start, last=start + 512 == 8192))
        for start in range(0, 8192, 512)
    ]
    assert sum(chunk.flops for chunk in chunks) == whole.flops
    again = sum(chunk.kv_bytes_read for chunk in chunks) - whole.kv_bytes_read
    assert again == 61_440 * token and round(again / 1e9, 2) == 8.05
    assert round(sum(chunk.weight_bytes for chunk in chunks) / 1e9) == 240
    for n, chunk in ((0, 1), (1, 0)):
        with pytest.raises(ValueError, match="at least 1"):
            reread_tokens(n, chunk)


@pytest.mark.parametrize(("where", "more"), [(H100, (0, 31, 142, 365)), (A100, (0, 0, 25, 141))])
def test_small_chunks_cost_time_below_the_ridge(where: object, more: tuple[int, ...]) -> None:
    found = []
    for c in (512, 256, 128, 64):
        loads = [prefill_load(c, start, last=start + c == 8192) for start in range(0, 8192, c)]
        together = sum(step_time(step_cost(L8, load), where) for load in loads)  # type: ignore[arg-type]
        whole = step_time(step_cost(L8, prefill_load(8192)), where)  # type: ignore[arg-type]
        found.append(round(100 * (together / whole - 1)))
    assert tuple(found) == more


@pytest.mark.parametrize(
    ("b", "times"), [(32, (9.71, 11.34, 30.6, 133.9)), (128, (25.4, 27.0, 32.2, 135.6))]
)
def test_a_chunk_rides_along_with_decodes(b: int, times: tuple[float, ...]) -> None:
    loads = [decode_load(b, 4096)]
    loads += [decode_load(b, 4096) + prefill_load(n) for n in (512, 2048, 8192)]
    found = [milliseconds("llama3-8b", "h100", load) for load in loads]
    assert found == pytest.approx(times, rel=2e-3)


@pytest.mark.parametrize(
    ("name", "mega", "times"),
    [
        ("llama2-7b", 1073.7, (2.39, 17.0, 34.1, 21.5, 42.9, 85.9)),
        ("llama2-70b", 671.1, (1.49, 10.7, 21.3, 13.4, 26.8, 53.7)),
        ("llama3-8b", 268.4, (0.60, 4.26, 8.52, 5.37, 10.7, 21.5)),
        ("qwen3-8b", 302.0, (0.67, 4.79, 9.59, 6.04, 12.1, 24.2)),
        ("deepseek-v3", 143.9, (0.32, 2.28, 4.57, 2.88, 5.76, 11.5)),
        ("smollm2-135m", 47.2, (0.10, 0.75, 1.50, 0.94, 1.89, 3.77)),
    ],
)
def test_sending_2048_tokens(name: str, mega: float, times: tuple[float, ...]) -> None:
    sent = cost.geometry(name).cache_bytes(2048)
    assert sent / 1e6 == pytest.approx(mega, abs=0.05)
    links = ("nvlink4", "pcie5", "pcie4", "400g", "200g", "100g")
    found = [1e3 * sent / LINKS[link] for link in links]
    assert found == pytest.approx(times, rel=5e-3, abs=5e-3)


def test_which_model_is_easier_to_send() -> None:
    found = {}
    for name, shape in (("7b", L7), ("70b", L70), ("8b", L8)):
        prefill = step_time(step_cost(shape, prefill_load(2048)), H100)
        transfer = shape.geometry.cache_bytes(2048) / LINKS["100g"]
        left = visible_transfer(prefill, transfer, shape.geometry.layers)
        found[name] = tuple(round(1e3 * seconds, 2) for seconds in (prefill, transfer, left))
    assert found == {
        "7b": (27.92, 85.9, 58.85),
        "70b": (288.94, 53.69, 0.67),  # 53.7 ms behind 289 ms
        "8b": (30.01, 21.47, 0.67),
    }
    rates = [kv_per_prefill_second(shape, H100, 2048) * 8e-9 for shape in (L7, L13, Q8, L8, L70)]
    assert [round(rate) for rate in rates] == [308, 247, 81, 72, 19]


@pytest.mark.parametrize(("p", "x", "layers", "left"), [(3, 1, 4, 1), (1, 3, 4, 9), (2, 2, 5, 2)])
def test_what_is_left_of_a_transfer(p: int, x: int, layers: int, left: int) -> None:
    sent = 0
    for layer in range(layers):  # each layer is sent when it is computed and the link is free
        sent = max(sent, (layer + 1) * p) + x
    assert visible_transfer(layers * p, layers * x, layers) == sent - layers * p == left


def test_a_long_prompt_at_once_or_in_chunks_beside_32_decodes() -> None:
    running = decode_load(32, 4096)
    at_once = milliseconds("llama3-8b", "h100", running + prefill_load(8192))
    chunks = [
        milliseconds("llama3-8b", "h100", running + prefill_load(512, start, last=start == 7680))
        for start in range(0, 8192, 512)
    ]
    assert at_once == pytest.approx(133.9, abs=0.05)
    assert len(chunks) == 16 and min(chunks) > 11 and max(chunks) < 12


def test_what_a_link_adds_before_anything_overlaps() -> None:
    shares = []
    for shape in (L70, L8, Q8):
        prefill = step_time(step_cost(shape, prefill_load(2048)), H100)
        for link in ("nvlink4", "100g"):
            shares.append(100 * shape.geometry.cache_bytes(2048) / LINKS[link] / prefill)
    assert [round(min(shares), 1), round(max(shares))] == [0.5, 81]


def test_giga_is_not_gibi() -> None:
    # DistServe's "1.13 GB" for 512 tokens of OPT-66B are GiB; 10 requests/s need 96.6 Gb/s.
    opt = cost.Geometry(64, 72, 72, 128, 9216, 2048, "facebook/opt-66b")
    sent = opt.cache_bytes(512)
    assert sent / 2**30 == 1.125 and sent / 1e9 == pytest.approx(1.208, abs=5e-4)
    assert 10 * sent * 8e-9 == pytest.approx(96.6, abs=0.05)
    # Mooncake: 128k tokens of LLaMA-3 70B are "40 GB".
    assert SHAPES["llama3-70b"].geometry.cache_bytes(131_072) == 40 * 2**30


def test_what_it_costs_to_verify_guesses() -> None:
    """The time of k tokens over that of one: Llama-3 8B, and what four guesses bring then."""

    def ratio(b: int, m: int, k: int, device: Machine) -> float:
        times = [
            step_time_by_kind(step_cost(L8, verification_load(b, m, n)), device) for n in (k, 1)
        ]
        return times[0] / times[1]

    found = {b: (ratio(b, 1024, 4, H100), ratio(b, 1024, 8, H100)) for b in (1, 32, 64, 128, 256)}
    expected = {
        1: (1.00, 1.00),
        32: (1.05, 1.12),
        64: (1.09, 1.43),
        128: (1.29, 2.07),
        256: (1.66, 2.66),
    }
    for b, ratios in found.items():
        assert ratios == pytest.approx(expected[b], abs=0.0055)
    assert [ratio(64, 1024, k, A100) for k in (4, 8)] == pytest.approx([1.39, 2.42], abs=0.0065)
    assert [ratio(128, 8192, k, H100) for k in (4, 8)] == pytest.approx([1.06, 1.23], abs=0.005)
    gains = [speed_up(0.7, 4, 0.05, ratio(b, 1024, 5, H100)) for b in (1, 64, 256)]
    assert gains == pytest.approx([2.31, 2.11, 1.31], abs=0.005)
    for b, m in ((1, 9), (7, 4096)):
        assert verification_load(b, m, 1) == decode_load(b, m)
        as_a_prompt = prefill_load(5, m - 1)
        assert verification_load(1, m, 5).pairs == as_a_prompt.pairs
        assert verification_load(1, m, 5).kv_read == as_a_prompt.kv_read


def test_unknown_names_list_the_known() -> None:
    with pytest.raises(ValueError, match="unknown model 'llama9'; known: llama2-7b, llama2-13b"):
        model_shape("llama9")
    with pytest.raises(ValueError, match="unknown machine 'a9'; known: t4, l4, a100"):
        machine("a9")
    for wrong in ("", "x", "0xa100", "2x", "65xa100", "99xa100", "2xh9", "²xa100", "-1xa100"):
        with pytest.raises(ValueError, match="unknown machine"):
            machine(wrong)
    assert model_shape("llama3-8b") is L8 and machine("h200") is H200
    assert machine("2xa100") == A100.times(2) and machine("1xa100") is A100
    assert machine("2xmi300x").memory == 2 * 192e9
    assert machine("64xa100").memory == 64 * A100.memory
