"""What is shown: a machine, measured or by its data sheet, and the steps of a model."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from walkthrough.commands.arguments import UsageError
from walkthrough.commands.console import progress
from walkthrough.commands.roofline.words import WORDS
from walkthrough.reference.speed.machines import MACHINES, Machine, machine
from walkthrough.reference.speed.roofline import (
    StepCost,
    StepLoad,
    decode_load,
    prefill_load,
    step_cost,
)
from walkthrough.reference.speed.shapes import SHAPES

BATCHES, ROWS = (1, 8, 32, 128), (1, 2, 8, 32, 128, 256)
LAYER_SHAPE = 4096, 11008  # the largest of LLaMA-2 7B, 180 MB in float32: more than caches hold


@dataclass(frozen=True)
class Step:
    """A step of the model, and its mark in the picture."""

    mark: str
    label: str
    cost: StepCost


@dataclass(frozen=True)
class Found:
    """A machine, and one matrix on it."""

    machine: Machine
    size: int  # bytes of a number
    matrix: tuple[int, int]
    seconds: dict[int, float]  # of the matrix, by rows


def by_sheet(name: str, words: dict[str, str]) -> Found:
    """A machine by its data sheet, in fp16."""
    try:
        return Found(machine(name), 2, (0, 0), {})
    except ValueError as error:
        known = ", ".join(MACHINES)
        raise UsageError(words["unknown-machine"].format(name=name[:20], known=known)) from error


def measure(words: dict[str, str]) -> Found:
    """The machine that this runs on, with NumPy in float32, and one matrix on it."""
    from walkthrough.reference.speed import measured

    with progress(words["measuring"], 3) as advance:
        copy = measured.copy_bandwidth()
        advance(1)
        rate = measured.matmul_rate()
        advance(1)
        seconds = measured.linear_seconds(*LAYER_SHAPE, ROWS)
        advance(1)
    d_in, d_out = LAYER_SHAPE  # what one of these products reached can be reached
    rate = max([rate, *(2 * b * d_in * d_out / took for b, took in seconds.items())])
    return Found(Machine(words["here"], rate, copy, 0, ""), 4, LAYER_SHAPE, seconds)


def measure_torch(device_asked: str, language: str) -> Found:
    """A device of torch's, in the dtype that suits it."""
    from walkthrough.commands.torch_arguments import require_torch

    require_torch(language)
    from gpu.devices import DTYPES, DeviceError, choose_device, device_name, fitting_dtype
    from gpu.timing import copy_bandwidth, matmul_rate

    words = WORDS[language]
    try:
        device = choose_device(device_asked)
    except DeviceError as error:
        raise UsageError(words[error.kind].format(name=error.name)) from error
    dtype = fitting_dtype("float32" if device.type == "cpu" else "bfloat16", device)
    with progress(words["measuring"], 2) as advance:
        copy = copy_bandwidth(device)
        advance(1)
        rate = matmul_rate(device, DTYPES[dtype])
        advance(1)
    name = words["here.torch"].format(device=device_name(device), dtype=dtype)
    return Found(Machine(name, rate, copy, 0, ""), DTYPES[dtype].itemsize, (0, 0), {})


def steps(options: argparse.Namespace, size: int, words: dict[str, str]) -> list[Step]:
    """Decode steps of several batches, prefills of two lengths, in numbers of `size` bytes."""
    m, n = options.context, options.prompt
    loads: list[tuple[str, StepLoad]] = [
        (words["decode"].format(b=b, m=f"{m:,}"), decode_load(b, m)) for b in BATCHES
    ]
    loads += [
        (words["prefill"].format(n=f"{length:,}"), prefill_load(length))
        for length in sorted({max(1, n // 16), n})
    ]
    sizes = dict.fromkeys(("weight_size", "kv_size", "activation_size"), size)
    shape = SHAPES[options.geometry]
    return [
        Step("abcdefgh"[i], label, step_cost(shape, load, **sizes))
        for i, (label, load) in enumerate(loads)
    ]
