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

from walkthrough.display.charset import cut_short
from walkthrough.llm.file_words import MODEL_FILE_ERRORS
from walkthrough.reasons import Reason
from walkthrough.reference.work import Array

READABLE = ("F32", "F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q4_K", "Q6_K")
SCALARS = dict(enumerate(["B", "b", "H", "h", "I", "i", "f", "?", "", "", "Q", "q", "d"]))
STRING, ARRAY = 8, 9
LENGTH = struct.Struct("<Q")
NUMBERS_AT_ONCE = 1 << 17  # dequantised together: they stay in the processor's cache
MOST_HEADER = 1 << 26  # bytes; a vocabulary of 262,144 tokens with its merges takes 16 million


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
        fields = {k: cut_short(v) if isinstance(v, str) else v for k, v in self.fields.items()}
        return f"{self.file}: {MODEL_FILE_ERRORS[language][self.kind].format(**fields)}"


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
            if path.exists() and not path.is_file():  # opening a pipe would wait for its writer
                self._fail("not a file")
            self.size = path.stat().st_size
            with path.open("rb") as file:
                self._read_header(file)
        except OSError as error:
            raise ModelFileError(path, "unreadable", reason=Reason(error)) from error
        except UnicodeDecodeError as error:
            raise ModelFileError(path, "utf-8") from error

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
            self._fail("row", tensor=name, width=width, type=kind.name)
        row_bytes = width // per_block * block_bytes
        if (end := tensor.offset + rows * row_bytes) > self.size:
            self._fail("cut tensor", tensor=name, end=end, size=self.size)
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

    def _read_header(self, file: BinaryIO) -> None:
        self._at = 0  # bytes read so far; asking the file each time would double the time
        if self._bytes(file, min(4, self.size)) != b"GGUF":
            self._fail("foreign")
        (version,) = self._unpack(file, "I")
        if version not in (2, 3):
            self._fail("version", version=version)
        tensor_count, key_count = self._unpack(file, "QQ")
        for _ in range(key_count):
            if (key := self._string(file)) in self.metadata:
                self._fail("twice", key=key)
            self.metadata[key] = self._value(file, key, self._unpack(file, "I")[0])
        for _ in range(tensor_count):
            if (name := self._string(file)) in self.tensors:
                self._fail("twice", key=name)
            (axes,) = self._unpack(file, "I")
            shape = self._unpack(file, f"{axes}Q")[::-1] if axes <= 4 else ()
            if not shape or 0 in shape:
                self._fail("axes", tensor=name, shape=shape or f"{axes} axes")
            self.tensors[name] = Tensor(shape, *self._unpack(file, "IQ"))
        step = self._alignment()
        data = -(-self._at // step) * step  # tensors begin behind the header, aligned
        self.tensors = {
            name: Tensor(t.shape, t.type, data + t.offset) for name, t in self.tensors.items()
        }

    def _alignment(self) -> int:
        key = "general.alignment"
        step = self.metadata.get(key, 32)
        if type(step) is not int or step < 1 or step & (step - 1):  # also what llama.cpp asks for
            self._fail("power", key=key, got=shortened(step))
        return int(step)

    def _bytes(self, file: BinaryIO, count: int) -> bytes:
        self._at += count
        if self._at > self.size:  # before room for it is asked for
            self._fail("cut", end=self._at, size=self.size)
        if self._at > MOST_HEADER:
            self._fail("header", most=MOST_HEADER)
        return file.read(count)

    def _unpack(self, file: BinaryIO, form: str) -> tuple[Any, ...]:
        return struct.unpack("<" + form, self._bytes(file, struct.calcsize("<" + form)))

    def _string(self, file: BinaryIO) -> str:
        (length,) = LENGTH.unpack(self._bytes(file, 8))
        return self._bytes(file, length).decode("utf-8")

    def _value(self, file: BinaryIO, key: str, kind: int) -> Any:
        if kind == STRING:
            return self._string(file)
        if kind == ARRAY:
            item, count = self._unpack(file, "IQ")
            if form := SCALARS.get(item):
                content = self._bytes(file, count * struct.calcsize(form))
                return list(struct.unpack(f"<{count}{form}", content))
            if item == STRING:
                return [self._string(file) for _ in range(count)]
            if item == ARRAY:
                self._fail("nested", key=key)
            self._fail("value type", key=key, type=item)
        form = SCALARS.get(kind, "")
        if not form:
            self._fail("value type", key=key, type=kind)
        return self._unpack(file, form)[0]


def shortened(value: object, most: int = 40) -> str:
    """A value as it is told in a sentence, however long it is."""
    if isinstance(value, list):
        return f"[{', '.join(shortened(item, 9) for item in value[:3])}{', …' * (len(value) > 3)}]"
    shown = repr(value[: most + 1] if isinstance(value, str) else value)
    return shown if len(shown) <= most + 2 else f"{shown[:most]}…"
