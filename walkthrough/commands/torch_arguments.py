"""What the commands that need torch share: the device, a geometry, a dtype, backends."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from walkthrough.commands.arguments import Parser, UsageError, whole
from walkthrough.commands.torch_words import TORCH as WORDS
from walkthrough.installation import install_command
from walkthrough.reference.cost import GEOMETRIES, Geometry

if TYPE_CHECKING:
    import torch

BACKEND_NAMES = ("auto", "all", "gather", "compiled", "triton", "flex", "varlen")
DTYPE_NAMES = ("float32", "float16", "bfloat16")
GEOMETRY_NAMES = tuple(name for name, found in GEOMETRIES.items() if found.latent is None)


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
        choices=GEOMETRY_NAMES,
        metavar="MODEL",
        help=own["geometry"].format(names=", ".join(GEOMETRY_NAMES)),
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
        raise UsageError(WORDS[language]["no_torch"].format(command=install_command("gpu")))


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
