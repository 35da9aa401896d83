"""Lines of trace files, and the files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

AZURE = "TIMESTAMP,ContextTokens,GeneratedTokens\n"


def write(path: Path, text: str | bytes, zipped: bool = False) -> Path:
    data = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(data) if zipped else data)
    return path


def line(prompt: object = 600, output: object = 3, ids: object = (1, 2)) -> str:
    return json.dumps(
        {"timestamp": 0, "input_length": prompt, "output_length": output, "hash_ids": ids}
    )
