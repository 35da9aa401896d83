"""A device that is not there: tensors that say cuda:0, with real numbers on the CPU.

What a CUDA build would refuse is refused (tensors of two devices in one operation), and what
would make the processor wait for the device is counted. torch's own FakeTensorMode has no numbers,
and in a CPU build fails for reasons of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_flatten, tree_map

from gpu import memory
from gpu.attention import kernels, paged_triton
from gpu.attention.paged_triton import Card

CUDA = torch.device("cuda", 0)
HOPPER = Card((9, 0), 132)
WAITS = {"item", "tolist", "__bool__", "__int__", "__float__", "__index__", "nonzero", "numpy"}
WAITS |= {"equal", "unique", "masked_select", "cpu", "is_nonzero", "isin", "__contains__"}


class Pretended(torch.Tensor):
    """A tensor on the device."""

    __torch_function__ = torch._C._disabled_torch_function_impl


def is_cuda(device: object) -> bool:
    return device is not None and torch.device(device).type == "cuda"  # type: ignore[arg-type]


class PretendCuda(TorchFunctionMode):
    """As long as it is entered, `device="cuda"` works."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[str] = []  # what made the processor wait for the device
        self.cpu_indices = 0  # on the CPU, into a tensor on the device: copied at every call

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        name = getattr(func, "__name__", "")
        here = bool(args) and isinstance(args[0], Pretended)
        if func == torch.Tensor.device.__get__:  # type: ignore[attr-defined]
            return CUDA if here else func(*args)
        if func == torch.Tensor.is_cuda.__get__:  # type: ignore[attr-defined]
            return here
        if func is torch.Tensor.to:
            return self._to(*args, **kwargs)
        tensors = [t for t in tree_flatten((args, kwargs))[0] if isinstance(t, torch.Tensor)]
        on_device = any(isinstance(t, Pretended) for t in tensors)
        if is_cuda(kwargs.get("device")):
            kwargs["device"], on_device = "cpu", True
        kwargs.pop("pin_memory", None)
        if any(isinstance(t, Pretended) for t in tensors):
            if name in ("__getitem__", "__setitem__"):
                self._index(args[1])
                tensors = [args[0], *(t for t in args[2:] if isinstance(t, torch.Tensor))]
            if any(not isinstance(t, Pretended) and t.dim() for t in tensors):
                raise RuntimeError(f"{name}: tensors are on two devices, cuda:0 and cpu")
            if name in WAITS:
                self.waits.append(name)
        done = func(*args, **kwargs)
        if name == "cpu":
            return done.as_subclass(torch.Tensor)
        if not on_device:
            return done
        return tree_map(lambda t: wrapped(t) if isinstance(t, torch.Tensor) else t, done)

    def _to(self, tensor: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        kwargs.pop("non_blocking", None)
        places = [
            a for a in (*args, kwargs.pop("device", None)) if isinstance(a, str | torch.device)
        ]
        rest = [a for a in args if not isinstance(a, str | torch.device)]
        cuda = is_cuda(places[0]) if places else isinstance(tensor, Pretended)
        if isinstance(tensor, Pretended) and not cuda:
            self.waits.append("to")
        plain = tensor.as_subclass(torch.Tensor)
        if cuda != isinstance(tensor, Pretended):
            plain = plain.clone()
        plain = plain.to(*rest, **kwargs) if rest or kwargs else plain
        return wrapped(plain) if cuda else plain

    def _index(self, index: Any) -> None:
        for one in index if isinstance(index, tuple) else (index,):
            if isinstance(one, torch.Tensor) and one.dim():
                self.cpu_indices += not isinstance(one, Pretended)
                if one.dtype == torch.bool:
                    self.waits.append("boolean index")


def wrapped(tensor: torch.Tensor) -> torch.Tensor:
    """The same tensor, on the device."""
    return tensor if isinstance(tensor, Pretended) else tensor.as_subclass(Pretended)


class OnDevice:
    """A kernel that takes tensors of the device alone, as a launch would."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel

    def __getitem__(self, grid: tuple[int, ...]) -> Callable[..., None]:
        def launch(*args: Any, **kwargs: Any) -> None:
            with torch._C.DisableTorchFunction():
                for i, arg in enumerate(args):
                    if isinstance(arg, torch.Tensor) and not isinstance(arg, Pretended):
                        raise RuntimeError(f"argument {i} of a kernel is on the CPU")
                plain = [
                    arg.as_subclass(torch.Tensor) if isinstance(arg, torch.Tensor) else arg
                    for arg in args
                ]
                self.kernel[grid](*plain, **kwargs)

        return launch


@contextmanager
def pretend_cuda(card: Card = HOPPER) -> Iterator[PretendCuda]:
    """The device, of this kind."""
    with pytest.MonkeyPatch.context() as patch, PretendCuda() as device:
        patch.setattr(memory, "free_bytes", lambda device: None)
        patch.setattr(paged_triton, "card", lambda device: card)
        patch.setattr(kernels, "decode_kernel", OnDevice(kernels.decode_kernel))
        patch.setattr(kernels, "merge_splits_kernel", OnDevice(kernels.merge_splits_kernel))
        patch.setattr(paged_triton, "prefill_kernel", OnDevice(paged_triton.prefill_kernel))
        yield device
