"""Reading a GGUF file: its metadata here, its quantised numbers by the library `gguf`.

The library's own reader makes a NumPy view of each of the tokens and merges, a hundred thousand,
which takes longer than everything else together; a struct at a time is some 20 times quicker.
Source of the layout: the GGUF specification, version 3 (ggml, docs/gguf.md).
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy as np
from numpy.typing import NDArray

from walkthrough.llm.words import MODEL_FILE_ERRORS
from walkthrough.reference.work import Array

READABLE = ("F32", "F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q4_K", "Q6_K")
SCALARS = dict(enumerate(["B", "b", "H", "h", "I", "i", "f", "?", "", "", "Q", "q", "d"]))
STRING, ARRAY = 8, 9
LENGTH = struct.Struct("<Q")
NUMBERS_AT_ONCE = 1 << 17  # dequantised together: they stay in the processor's cache


def _numbers(blocks: NDArray[np.uint8], kind: str) -> Array:
    """Blocks as stored, (n, bytes of a block), as numbers: (n, numbers of a block).

    The library's `dequantize` cuts a tensor into 16 rows at a time, for five times the time.
    """
    if kind in ("F32", "F16"):
        return blocks.view({"F32": "<f4", "F16": "<f2"}[kind])
    from gguf import quants

    with np.errstate(invalid="ignore", over="ignore"):  # what is not finite is told by the reader
        numbers: Array = getattr(quants, kind).dequantize_blocks(blocks)
    return numbers


class ModelFileError(Exception):
    """A file that is not a model that can be read here: names the file and what is wrong.

    `kind` and `fields` say the same in a form that can be put into another language.
    """

    def __init__(self, file: Path, kind: str, **fields: object) -> None:
        self.file, self.kind, self.fields = file, kind, fields
        super().__init__(self.text("en"))

    def text(self, language: str) -> str:
        """The sentence in a language."""
        return f"{self.file}: {MODEL_FILE_ERRORS[language][self.kind].format(**self.fields)}"


@dataclass(frozen=True)
class Tensor:
    """Where a tensor's numbers lie, and how they are stored."""

    shape: tuple[int, ...]  # as NumPy has it: rows first
    type: int  # a GGMLQuantizationType
    offset: int  # bytes from the start of the file


class GGUFFile:
    """A GGUF file's metadata, and its tensors by name."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.metadata: dict[str, Any] = {}
        self.tensors: dict[str, Tensor] = {}
        try:
            self.size = path.stat().st_size
            with path.open("rb") as file:
                self._read_header(file)
        except OSError as error:
            raise ModelFileError(path, "unreadable", reason=error.strerror or error) from error
        except UnicodeDecodeError as error:
            raise ModelFileError(path, "damaged", what="a text is not UTF-8") from error

    def read(self, name: str, *, transposed: bool = False) -> Array:
        """A tensor's numbers as float32; a matrix also transposed, without a second copy.

        Raises `ModelFileError` where they are not all there, not readable or not finite.
        """
        from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

        tensor = self.tensors[name]
        known = {int(kind): kind for kind in GGMLQuantizationType}
        kind = known.get(tensor.type)
        if kind is None or kind.name not in READABLE:
            type_name = kind.name if kind else f"type {tensor.type}"
            self._fail("type", tensor=name, type=type_name, known=", ".join(READABLE))
        width, rows = tensor.shape[-1], math.prod(tensor.shape[:-1])
        per_block, block_bytes = GGML_QUANT_SIZES[kind]
        if width % per_block:
            self._fail("damaged", what=f"{name} has rows of {width}, not of whole {kind.name}")
        row_bytes = width // per_block * block_bytes
        self._check_end(name, tensor.offset + rows * row_bytes)
        out = np.empty((width, rows) if transposed else (rows, width), np.float32)
        as_stored = out.T if transposed else out  # (rows, width), a view
        at_once = max(1, NUMBERS_AT_ONCE // width)
        with self.path.open("rb") as file:
            file.seek(tensor.offset)
            for start in range(0, rows, at_once):
                count = min(at_once, rows - start)
                raw = np.frombuffer(file.read(count * row_bytes), np.uint8)
                numbers = _numbers(raw.reshape(-1, block_bytes), kind.name)
                as_stored[start : start + count] = numbers.reshape(count, width)
        if not np.isfinite(out).all():
            self._fail("finite", tensor=name)
        return out if transposed else out.reshape(tensor.shape)

    def _fail(self, kind: str, **fields: object) -> NoReturn:
        raise ModelFileError(self.path, kind, **fields)

    def _check_end(self, what: str, end: int) -> None:
        if end > self.size:
            self._fail("cut", what=what, end=end, size=self.size)

    def _read_header(self, file: BinaryIO) -> None:
        self._at = 0  # bytes read so far; asking the file each time would double the time
        if self._bytes(file, min(4, self.size)) != b"GGUF":
            self._fail("foreign")
        (version,) = self._unpack(file, "I")
        if version not in (2, 3):
            self._fail("version", version=version)
        tensor_count, key_count = self._unpack(file, "QQ")
        for _ in range(key_count):
            key = self._string(file)
            self.metadata[key] = self._value(file, self._unpack(file, "I")[0])
        for _ in range(tensor_count):
            name = self._string(file)
            (axes,) = self._unpack(file, "I")
            if not 1 <= axes <= 4:
                self._fail("damaged", what=f"{name} has {axes} axes")
            shape = self._unpack(file, f"{axes}Q")[::-1]
            self.tensors[name] = Tensor(shape, *self._unpack(file, "IQ"))
        step = self.metadata.get("general.alignment", 32)
        data = -(-self._at // step) * step  # tensors begin behind the header, aligned
        self.tensors = {
            name: Tensor(t.shape, t.type, data + t.offset) for name, t in self.tensors.items()
        }

    def _bytes(self, file: BinaryIO, count: int) -> bytes:
        self._at += count
        if self._at > self.size:  # before room for it is asked for
            self._fail("cut", what="the header", end=self._at, size=self.size)
        return file.read(count)

    def _unpack(self, file: BinaryIO, form: str) -> tuple[Any, ...]:
        return struct.unpack("<" + form, self._bytes(file, struct.calcsize("<" + form)))

    def _string(self, file: BinaryIO) -> str:
        (length,) = LENGTH.unpack(self._bytes(file, 8))
        return self._bytes(file, length).decode("utf-8")

    def _value(self, file: BinaryIO, kind: int) -> Any:
        if kind == STRING:
            return self._string(file)
        if kind == ARRAY:
            item, count = self._unpack(file, "IQ")
            if form := SCALARS.get(item):
                return list(self._unpack(file, f"{count}{form}"))
            if item == STRING:
                return [self._string(file) for _ in range(count)]
            return [self._value(file, item) for _ in range(count)]
        form = SCALARS.get(kind, "")
        if not form:
            self._fail("damaged", what=f"metadata of an unknown type {kind}")
        return self._unpack(file, form)[0]
