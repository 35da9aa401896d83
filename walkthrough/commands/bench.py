"""`walkthrough bench`: paged attention beside contiguous, timed on this machine."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from walkthrough.commands.arguments import CommandError, whole
from walkthrough.commands.console import complain
from walkthrough.commands.torch_arguments import add_torch_arguments, prepare

if TYPE_CHECKING:
    from gpu.bench import BenchOptions, BenchResult
    from walkthrough.commands.arguments import Parser
    from walkthrough.display.screen import Screen

TOKENS, BATCH, RUNS = 2048, 1, 11

WORDS: dict[str, dict[str, str]] = {
    "ko": {
        "help": "페이지드 어텐션과 연속 메모리 어텐션의 시간을 이 컴퓨터에서 나란히 재요",
        "tokens": "시퀀스 하나의 토큰 수 (기본 {n})",
        "batch": "디코드할 시퀀스 수 (기본 {n})",
        "runs": "재는 횟수. 중앙값을 써요 (기본 {n})",
        "json": "JSON으로 출력해요",
        "memory": "메모리가 모자라요. {device}에 {needed}가 필요한데 {free}만 비어 있어요. "
        "--tokens나 --batch를 줄여 보세요",
        "sizes": "{name}의 레이어 하나, 토큰 {tokens:,}개, {dtype}, 블록 크기 {block_size}. "
        "{runs}번 재어 중앙값을 써요. 입력 {sets}벌을 번갈아 써요.",
        "best": "이번 실행에서 잰 최고 속도: 복사 {copy:.1f} GB/s, 행렬 곱 {matmul:.2f} TFLOP/s.",
        "decode": "디코드, 시퀀스 {batch}개",
        "prefill": "프리필, 시퀀스 1개",
        "decode-columns": "밀리초,연속 대비,GB/s,복사 대역폭의 %",
        "prefill-columns": "밀리초,연속 대비,TFLOP/s,행렬 곱의 %",
        "graph": "디코드는 CUDA 그래프로 쟀어요.",
    },
    "en": {
        "help": "time paged attention beside contiguous attention on this machine",
        "tokens": "tokens of a sequence (default {n})",
        "batch": "sequences to decode (default {n})",
        "runs": "how often each is timed; medians are shown (default {n})",
        "json": "print JSON",
        "memory": "not enough memory: {needed} needed on {device}, {free} free; "
        "try fewer --tokens or a smaller --batch",
        "sizes": "One layer of {name}, {tokens:,} tokens, {dtype}, block size {block_size}; "
        "medians of {runs}, over {sets} sets of inputs in turn.",
        "best": "The best of this run: copy {copy:.1f} GB/s, matrix product {matmul:.2f} TFLOP/s.",
        "decode": "decode, {batch} sequences",
        "prefill": "prefill, 1 sequence",
        "decode-columns": "ms,to contiguous,GB/s,% of copy",
        "prefill-columns": "ms,to contiguous,TFLOP/s,% of matmul",
        "graph": "Decode was timed in CUDA graphs.",
    },
}


def add_arguments(parser: Parser, words: dict[str, str]) -> None:
    """Device, sizes, backends, --json."""
    add_torch_arguments(parser, words)
    option = parser.options.add_argument
    for name, high, default in (
        ("tokens", 10_000_000, TOKENS),
        ("batch", 4096, BATCH),
        ("runs", 10_000, RUNS),
    ):
        text = words[name].format(n=default)
        option(f"--{name}", metavar="N", default=default, type=whole(1, high, words), help=text)
    option("--json", action="store_true", help=words["json"])


def main(options: argparse.Namespace, screen: Screen, language: str) -> int:
    """Time, and print a table a phase."""
    words = WORDS[language]
    setting = prepare(options, language)
    from gpu import bench
    from gpu.memory import NotEnoughMemoryError, size

    asked = bench.BenchOptions(
        setting.device,
        setting.geometry,
        options.tokens,
        options.batch,
        setting.dtype,
        setting.block_size,
        setting.backends,
        options.runs,
    )
    terminal = sys.stderr is not None and sys.stderr.isatty()
    if not options.json:
        for note in setting.notes:
            screen.text(note)
        screen.flush()
    try:
        result = bench.bench(asked, complain if terminal else None)
    except NotEnoughMemoryError as error:
        sizes = {"needed": size(error.needed), "free": size(error.free), "device": error.device}
        raise CommandError(words["memory"].format(**sizes)) from error
    if options.json:
        _print_json(result, asked, setting.name, screen)
    else:
        _show(result, asked, setting.name, screen, words)
    return 0


def _print_json(result: BenchResult, asked: BenchOptions, name: str, screen: Screen) -> None:
    import json

    from gpu.devices import device_name

    about = {
        "device": device_name(asked.device),
        "geometry": name,
        "tokens": asked.tokens,
        "batch": asked.batch,
        "dtype": asked.dtype,
        "block_size": asked.block_size,
        "runs": asked.runs,
    }
    screen.text(json.dumps(about | result.as_json(), indent=2))


def _show(
    result: BenchResult, asked: BenchOptions, name: str, screen: Screen, words: dict[str, str]
) -> None:
    from gpu.devices import device_name
    from walkthrough.display.table import Table

    screen.text(device_name(asked.device))
    screen.text(words["sizes"].format(**{**vars(asked), "name": name, "sets": result.sets}))
    copy, matmul = result.copy_bytes_per_second / 1e9, result.matmul_flops_per_second / 1e12
    screen.text(words["best"].format(copy=copy, matmul=matmul))
    if any(row.graph for row in result.rows):
        screen.text(words["graph"])
    for phase in ("decode", "prefill"):
        rows = [row for row in result.rows if row.phase == phase]
        cells = []
        for row in rows:
            rate = (row.bytes_per_second or 0) / 1e9 or (row.flops_per_second or 0) / 1e12
            cells.append(
                [
                    f"{row.seconds * 1e3:.3f}",
                    f"{row.relative:.2f}",
                    f"{rate:.3g}",
                    f"{row.share * 100:.0f}",
                ]
            )
        screen.text()
        title = words[phase].format(batch=asked.batch)
        columns = words[f"{phase}-columns"].split(",")
        screen.table(Table(title, cells, [row.backend for row in rows], columns))
