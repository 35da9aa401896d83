"""`walkthrough verify`: the paged cache in torch, compared with NumPy at every step."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from walkthrough.commands.arguments import CommandError, UsageError, whole
from walkthrough.commands.console import progress
from walkthrough.commands.torch_arguments import add_torch_arguments, prepare, require_torch

if TYPE_CHECKING:
    from gpu.verification.ranks import Ranks
    from gpu.verification.verify import Report, VerifyOptions
    from walkthrough.commands.arguments import Parser
    from walkthrough.display.screen import Screen

FAULT_NAMES = ("wrong-block", "drop-last", "stale-copy", "wrong-head")
TOKENS, LAYERS, BATCH = 256, 2, 3  # well under a minute on two cores
MISMATCHES_SHOWN = 5  # mismatches that are written out

WORDS: dict[str, dict[str, str]] = {
    "ko": {
        "help": "같은 블록 테이블 위에서 NumPy와 torch를 나란히 돌려 한 단계마다 비교해요",
        "tokens": "가장 긴 시퀀스의 토큰 수 (기본 {n})",
        "batch": "시퀀스 수 (기본 {n})",
        "layers-help": "레이어 수 (기본 {n})",
        "seed": "난수의 씨앗 (기본 0)",
        "break": "torch 쪽을 일부러 고장 내요. 검사가 잡아내는지 보세요",
        "full": "모델의 가장 긴 길이와 모든 레이어로 검사해요 (자료형은 float16)",
        "sizes": "{name}: 레이어 {layers}개, 쿼리 헤드 {h}개, K/V 헤드 {h_kv}개, d_k {d_k}. "
        "{dtype}, 블록 크기 {block_size}, 시퀀스 {batch}개, 가장 긴 것은 토큰 {tokens}개.",
        "need": "필요한 메모리: {device}에 torch {torch}, NumPy {numpy}. 비어 있는 메모리: {free}.",
        "memory": "메모리가 모자라요. {device}에 {needed}가 필요한데 {free}만 비어 있어요. "
        "--tokens나 --layers를 줄여 보세요",
        "share": "이번에 검사하는 시퀀스는 전체 크기(토큰 {tokens}개 × 레이어 {layers}개, "
        "{dtype} 기준 {bytes})의 1/{share}이에요. 모두 검사하려면 --full을 붙이세요.",
        "fit": "메모리에 맞춰 레이어 {all}개 중 {layers}개만 검사해요.",
        "schedule": "이 크기로는 모든 일이 한 번씩 일어나는 일정을 짤 수 없어요(토큰 {tokens}개, "
        "시퀀스 {batch}개, 블록 크기 {block_size}). 시퀀스는 2개 이상, 블록은 슬롯 2개 이상, "
        "토큰은 블록 네 개를 채울 만큼 필요해요",
        "heads": "K/V 헤드 {h_kv}개를 프로세스 {world}개에 고르게 나눌 수 없어요",
        "phases": "prefill=프리필,prefix hit=접두사 적중,decode=디코드,fork=갈래 만들기,"
        "swapped=스왑 뒤",
        "table": "상대 오차 (가장 나쁜 시퀀스와 헤드)",
        "columns": "비교한 행,오차,허용 오차,log-sum-exp,판정",
        "holds": "일치",
        "fails": "불일치",
        "stored": "저장된 K와 V의 숫자 {count}개를 {steps}단계에 걸쳐 비트 단위로 비교했어요.",
        "sampled": "긴 청크에서는 고르게 뽑은 {rows}행을 NumPy로 다시 계산했어요.",
        "ranks": "프로세스 {world}개의 출력과 프로세스 하나의 출력의 상대 오차: {error}.",
        "mismatch": "{what} 불일치: 백엔드 {backend}, {phase}, 레이어 {layer}, 시퀀스 {sequence}, "
        "헤드 {head}, 위치 {position} (오차 {error}, 허용 오차 {tolerance})",
        "more": "그 밖에 {count}곳이 더 달라요.",
        "good": "모두 일치해요.",
    },
    "en": {
        "help": "run NumPy and torch side by side under the same block tables, and compare",
        "tokens": "tokens of the longest sequence (default {n})",
        "batch": "sequences (default {n})",
        "layers-help": "layers (default {n})",
        "seed": "seed of the random numbers (default 0)",
        "break": "damage the torch side on purpose, to see the check catch it",
        "full": "the model's longest context and all of its layers, in float16",
        "sizes": "{name}: {layers} layers, {h} query heads, {h_kv} K/V heads, d_k {d_k}; {dtype}, "
        "block size {block_size}, {batch} sequences, the longest of {tokens} tokens.",
        "need": "Memory needed: {torch} for torch on {device}, {numpy} for NumPy; free: {free}.",
        "memory": "not enough memory: {needed} needed on {device}, {free} free; "
        "try fewer --tokens or --layers",
        "share": "The longest sequence has 1/{share} of the full size ({tokens} tokens, {layers} "
        "layers, {bytes} in {dtype}). For all of it, add --full.",
        "fit": "To fit the memory, {layers} of {all} layers are verified.",
        "schedule": "no schedule in which everything happens once fits {tokens} tokens, {batch} "
        "sequences, block size {block_size}: it takes 2 sequences, blocks of 2 slots, and tokens "
        "for four blocks",
        "heads": "{h_kv} K/V heads do not split evenly over {world} processes",
        "phases": "prefill=prefill,prefix hit=prefix hit,decode=decode,fork=fork,"
        "swapped=after a swap",
        "table": "relative error (of the worst sequence and head)",
        "columns": "rows,error,tolerance,log-sum-exp,verdict",
        "holds": "equal",
        "fails": "differs",
        "stored": "{count} numbers of stored K and V compared bit for bit, over {steps} steps.",
        "sampled": "Of a long chunk, {rows} rows spread over it were computed again in NumPy.",
        "ranks": "The outputs of {world} processes beside those of one: relative error {error}.",
        "mismatch": "{what} differs: backend {backend}, {phase}, layer {layer}, sequence "
        "{sequence}, head {head}, position {position} (error {error}, tolerance {tolerance})",
        "more": "{count} more differences.",
        "good": "Everything agrees.",
    },
}


def add_arguments(parser: Parser, words: dict[str, str]) -> None:
    """Device, sizes, backends, --break."""
    add_torch_arguments(parser, words)
    option = parser.options.add_argument
    for name, high, default, text in (
        ("tokens", 10_000_000, TOKENS, "tokens"),
        ("batch", 4096, BATCH, "batch"),
        ("layers", 1000, LAYERS, "layers-help"),
    ):
        kind = whole(1, high, words)
        option(f"--{name}", metavar="N", type=kind, help=words[text].format(n=default))
    option("--seed", metavar="N", type=whole(0, 9_999_999, words), default=0, help=words["seed"])
    option("--break", dest="fault", choices=FAULT_NAMES, help=words["break"])
    option("--full", action="store_true", help=words["full"])


def main(options: argparse.Namespace, screen: Screen, language: str) -> int:
    """1 where something differs."""
    require_torch(language)
    from gpu.verification import ranks

    group = ranks.start()
    try:
        status = _verify(options, screen, language, group)
    finally:
        ranks.stop(group)
    return status


def _verify(options: argparse.Namespace, screen: Screen, language: str, group: Ranks) -> int:
    words = WORDS[language]
    setting = prepare(options, language, "float16" if options.full else None)
    from gpu.memory import NotEnoughMemoryError
    from gpu.verification import verify
    from gpu.verification.ranks import HeadsError
    from gpu.verification.workload import ScheduleError

    g = setting.geometry
    asked = verify.VerifyOptions(
        group.device(setting.device),
        g,
        options.tokens or (g.max_tokens if options.full else TOKENS),
        options.batch or BATCH,
        setting.dtype,
        setting.block_size,
        setting.backends,
        options.layers or (g.layers if options.full else min(LAYERS, g.layers)),
        options.seed,
        options.fault,
        group,
    )
    try:
        if options.full and not options.layers:
            asked = replace(asked, layers=verify.fitting_layers(asked))
        if group.rank:
            return 1 if verify.verify(asked).mismatches else 0
        for note in setting.notes:
            screen.text(note)
        _announce(asked, setting.name, screen, words)
        with progress(setting.name, 1) as advance:
            report = verify.verify(asked, lambda done, total: advance(1 / total))
    except NotEnoughMemoryError as error:
        from gpu.memory import size

        sizes = {"needed": size(error.needed), "free": size(error.free), "device": error.device}
        raise CommandError(words["memory"].format(**sizes)) from error
    except ScheduleError as error:
        sizes = {
            "tokens": asked.tokens,
            "batch": asked.batch,
            "block_size": asked.block_size,
        }
        raise UsageError(words["schedule"].format(**sizes)) from error
    except HeadsError as error:
        raise UsageError(words["heads"].format(h_kv=g.h_kv, world=group.world)) from error
    _show(report, asked, screen, words)
    return 1 if report.mismatches else 0


def _announce(asked: VerifyOptions, name: str, screen: Screen, words: dict[str, str]) -> None:
    """The sizes, the memory, and how far from the full size this is, before anything is taken."""
    from gpu.devices import device_name
    from gpu.memory import free_bytes, size
    from gpu.verification import verify

    g = asked.geometry
    screen.text(device_name(asked.device))
    sizes = {**vars(g), **vars(asked), "name": name}
    screen.text(words["sizes"].format(**sizes))
    of_torch, of_numpy = verify.verify_bytes(asked)
    free = free_bytes(asked.device)
    screen.text(
        words["need"].format(
            torch=size(of_torch),
            numpy=size(of_numpy),
            device=asked.device,
            free="?" if free is None else size(free),
        )
    )
    verify.require_memory(asked)
    share = round(g.layers * g.max_tokens / (asked.layers * asked.tokens))
    if asked.tokens < g.max_tokens or (share > 1 and not asked.layers < g.layers):
        full = size(g.cache_bytes(g.max_tokens, asked.dtype))
        screen.text(
            words["share"].format(
                share=f"{share:,}",
                tokens=f"{g.max_tokens:,}",
                layers=g.layers,
                bytes=full,
                dtype=asked.dtype,
            )
        )
    elif asked.layers < g.layers:
        screen.text(words["fit"].format(layers=asked.layers, all=g.layers))
    screen.text()
    screen.flush()


def _show(report: Report, asked: VerifyOptions, screen: Screen, words: dict[str, str]) -> None:
    """A row a backend and phase; then what differs, or that nothing does."""
    from gpu.verification.compare import TOLERANCES
    from gpu.verification.sides import ROWS
    from gpu.verification.workload import PHASES
    from walkthrough.display.table import Table

    phases = dict(entry.split("=") for entry in words["phases"].split(","))
    rows, cells, marks = [], [], []
    for backend in asked.backends:
        for phase in PHASES:
            cell = report.cells[backend, phase]
            rows.append(f"{backend} {phases[phase]}")
            lse = "-" if cell.lse_error is None else f"{cell.lse_error:.1e}"
            verdict = words["fails" if cell.failed else "holds"]
            tolerance = f"{TOLERANCES[asked.dtype]:.1e}"
            cells.append([f"{cell.compared:,}", f"{cell.error:.1e}", tolerance, lse, verdict])
            marks.append(["bad" if cell.failed else ""] * len(cells[-1]))
    table = Table(words["table"], cells, rows, words["columns"].split(","), marks=marks)
    screen.table(table)
    screen.text()
    screen.text(words["stored"].format(count=f"{report.stored:,}", steps=report.steps))
    if report.plan.token_budget > ROWS:
        screen.text(words["sampled"].format(rows=ROWS))
    if report.ranks_error is not None:
        error = f"{report.ranks_error:.1e}"
        screen.text(words["ranks"].format(world=asked.ranks.world, error=error))
    for mismatch in report.mismatches[:MISMATCHES_SHOWN]:
        fields = {
            **mismatch._asdict(),
            "phase": phases.get(mismatch.phase, "-"),
            "error": f"{mismatch.error:.1e}",
            "tolerance": f"{mismatch.tolerance:.1e}",
        }
        screen.text(words["mismatch"].format(**fields), "bad")
    if len(report.mismatches) > MISMATCHES_SHOWN:
        screen.text(words["more"].format(count=f"{len(report.mismatches) - MISMATCHES_SHOWN:,}"))
    if not report.mismatches:
        screen.text(words["good"])
