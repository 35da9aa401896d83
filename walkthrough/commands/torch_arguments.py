"""What the commands that need torch share: the device, a geometry, a dtype, backends."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from walkthrough.commands.arguments import Parser, UsageError, whole
from walkthrough.reference.cost import GEOMETRIES, Geometry

if TYPE_CHECKING:
    import torch

BACKEND_NAMES = ("auto", "all", "gather", "compiled", "triton", "flex", "varlen")
DTYPE_NAMES = ("float32", "float16", "bfloat16")
NAMES = tuple(name for name, found in GEOMETRIES.items() if found.latent is None)

WORDS: dict[str, dict[str, str]] = {
    "ko": {
        "device": "torch 장치 (cuda, cpu, …). 기본값 auto는 CUDA, 없으면 CPU",
        "geometry": "모델의 크기: {names} (기본 llama2-7b)",
        "dtype": "float32, float16, bfloat16 (기본값은 CPU에서 float32, CUDA에서 bfloat16)",
        "block_size": "블록 하나의 슬롯 수 (기본 16)",
        "backend": "쉼표로 이은 백엔드: {names}. 기본값 auto는 gather와 이 장치에서 빠른 것",
        "no_torch": "이 명령에는 torch가 필요해요. pip install '.[gpu]'로 설치하세요",
        "unknown": "torch가 모르는 장치예요: {name}",
        "absent": "torch가 쓸 수 없는 장치예요: {name}",
        "cuda_absent": "CUDA를 쓸 수 없어요. NVIDIA 드라이버와 CUDA용 torch를 확인하거나 "
        "--device cpu로 실행하세요",
        "on_cpu": "CUDA가 없어서 CPU에서 실행해요.",
        "float16": "이 GPU에는 bfloat16이 없어서 float16을 써요.",
        "backend_unknown": "모르는 백엔드예요: {name} (쓸 수 있는 것: {known})",
        "left_out": "{name} 백엔드는 빼요: {reason}.",
        "not_here": "{name} 백엔드를 쓸 수 없어요: {reason}",
        "instead": "C++ 컴파일러가 없어서 compiled 대신 gather를 써요.",
        "compiler": "C++ 컴파일러가 없어요",
        "no_triton": "triton이 설치되어 있지 않아요",
        "interpreter": "Triton의 인터프리터는 bfloat16을 잘못 계산해요",
        "matrix": "이 GPU에서는 Triton이 16비트 행렬 명령을 쓰지 못해요 (sm_80부터 돼요)",
        "cuda": "CUDA에서만 돌아요",
        "old_torch": "torch 2.12 이상이 필요해요",
        "page": "블록 크기가 256의 배수여야 해요",
        "wide": "16비트 자료형만 돼요",
    },
    "en": {
        "device": "torch device (cuda, cpu, …); the default, auto, is CUDA, else the CPU",
        "geometry": "a model's sizes: {names} (default llama2-7b)",
        "dtype": "float32, float16, bfloat16 (default: float32 on a CPU, bfloat16 on CUDA)",
        "block_size": "slots in a block (default 16)",
        "backend": "backends, with commas: {names}; the default, auto, is gather and the fast one "
        "of the device",
        "no_torch": "this needs torch; from the project's folder: pip install '.[gpu]'",
        "unknown": "torch knows no device {name}",
        "absent": "torch cannot use the device {name}",
        "cuda_absent": "there is no CUDA here: check the NVIDIA driver and that torch is a CUDA "
        "build, or run with --device cpu",
        "on_cpu": "There is no CUDA here: running on the CPU.",
        "float16": "This GPU has no bfloat16: taking float16.",
        "backend_unknown": "unknown backend {name}; known: {known}",
        "left_out": "Leaving out {name}: {reason}.",
        "not_here": "the backend {name} cannot run here: {reason}",
        "instead": "There is no C++ compiler: gather stands in for compiled.",
        "compiler": "there is no C++ compiler",
        "no_triton": "triton is not installed",
        "interpreter": "Triton's interpreter computes bfloat16 wrongly",
        "matrix": "Triton makes no 16-bit matrix instructions for this GPU (from sm_80 it does)",
        "cuda": "it runs on CUDA alone",
        "old_torch": "it takes torch 2.12",
        "page": "it takes a block size that is a multiple of 256",
        "wide": "it takes 16-bit dtypes alone",
    },
}


@dataclass(frozen=True)
class TorchSetting:
    """What the options come to here, and what is to be said about it, a line each."""

    device: torch.device
    name: str  # of the geometry
    geometry: Geometry
    dtype: str
    block_size: int
    backends: tuple[str, ...]
    notes: tuple[str, ...]


def add_torch_arguments(parser: Parser, words: dict[str, str]) -> None:
    """--device, --geometry, --dtype, --block-size, --backend."""
    own = WORDS[parser.language]
    option = parser.options.add_argument
    option("--device", default="auto", metavar="DEVICE", help=own["device"])
    option(
        "--geometry",
        default="llama2-7b",
        choices=NAMES,
        metavar="MODEL",
        help=own["geometry"].format(names=", ".join(NAMES)),
    )
    option("--dtype", choices=DTYPE_NAMES, metavar="DTYPE", help=own["dtype"])
    option(
        "--block-size",
        default=16,
        metavar="N",
        type=whole(1, 65536, words),
        help=own["block_size"],
    )
    option(
        "--backend",
        default="auto",
        metavar="NAMES",
        help=own["backend"].format(names=", ".join(BACKEND_NAMES)),
    )


def require_torch(language: str) -> None:
    """Raise UsageError, with what to install, where torch is missing."""
    if find_spec("torch") is None:
        raise UsageError(WORDS[language]["no_torch"])


def prepare(options: argparse.Namespace, language: str, dtype: str | None = None) -> TorchSetting:
    """The setting that these options ask for; `dtype` is the default in place of the device's."""
    require_torch(language)
    from gpu.devices import DeviceError, choose_device, fitting_dtype

    words, notes = WORDS[language], []
    try:
        device = choose_device(options.device)
    except DeviceError as error:
        kind = "cuda_absent" if error.kind == "cuda" else error.kind
        raise UsageError(words[kind].format(name=error.name)) from error
    if options.device == "auto" and device.type == "cpu":
        notes.append(words["on_cpu"])
    wanted = options.dtype or dtype or ("float32" if device.type == "cpu" else "bfloat16")
    if (found := fitting_dtype(wanted, device)) != wanted:
        notes.append(words["float16"])
    backends = _backends(options, device, found, words, notes)
    name = options.geometry
    return TorchSetting(
        device, name, GEOMETRIES[name], found, options.block_size, backends, tuple(notes)
    )


def _backends(
    options: argparse.Namespace,
    device: torch.device,
    dtype: str,
    words: dict[str, str],
    notes: list[str],
) -> tuple[str, ...]:
    """The backends asked for that can run here; a note for each that cannot."""
    from gpu.attention import why_not
    from gpu.devices import DTYPES as TORCH_DTYPES

    names = [name.strip() for name in options.backend.split(",")]
    for name in names:
        if name not in BACKEND_NAMES:
            known = ", ".join(BACKEND_NAMES)
            raise UsageError(words["backend_unknown"].format(name=name, known=known))
    asked = [name for name in names if name not in ("auto", "all")]
    if "all" in names:
        names = [*BACKEND_NAMES[2:]]
    elif "auto" in names:
        names = ["gather", "triton" if device.type == "cuda" else "compiled", *asked]
    kept: dict[str, None] = {}
    for name in names:
        reason = why_not(name, device, TORCH_DTYPES[dtype], options.block_size)
        if reason is None:
            kept[name] = None
        elif name == "compiled" and "all" not in names:
            notes.append(words["instead"])
            kept["gather"] = None
        elif name in asked:
            raise UsageError(words["not_here"].format(name=name, reason=words[reason]))
        else:
            notes.append(words["left_out"].format(name=name, reason=words[reason]))
    return tuple(kept)
