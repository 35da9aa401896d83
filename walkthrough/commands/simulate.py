"""`walkthrough simulate`: a workload under each policy, and where the memory went."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from walkthrough.commands import latency
from walkthrough.commands.arguments import UsageError, whole
from walkthrough.commands.console import complain, progress

if TYPE_CHECKING:
    from walkthrough.commands.arguments import Parser
    from walkthrough.display.screen import Screen
    from walkthrough.serving.memory import Memory
    from walkthrough.serving.queue import Outcome
    from walkthrough.serving.traces import Trace
    from walkthrough.serving.workloads import Lengths, Workload

WORDS: dict[str, dict[str, str]] = {
    "ko": {
        "help": "요청을 많이 처리해 보고 메모리가 어디에 쓰였는지 보여 줘요",
        "workload": "길이를 뽑을 분포: sharegpt 또는 alpaca (기본 sharegpt)",
        "trace": "Azure CSV나 Mooncake JSON-lines 형식의 기록 (gzip도 돼요)",
        "requests": "요청 수 (기본: 분포는 1000, 기록은 전부)",
        "slots": "메모리의 슬롯 수, 토큰 단위 (기본 15728, Mooncake 5120000)",
        "longest": "요청 하나의 최대 길이 (기본 2048, Mooncake 131072)",
        "block-size": "블록 하나의 슬롯 수 (기본 16, Mooncake 512)",
        "prefix": "모든 요청의 앞에 붙는 공통 접두사의 토큰 수 (기본 0)",
        "seed": "난수의 씨앗 (기본 0)",
        "reading": "기록을 읽어요",
        "forking": "갈래끼리 공유하는 블록을 세요",
        "replaying": "캐시에 다시 돌려요",
        "drawn": "**{name}**: 요청 {count}개. 프롬프트 평균 {prompt}, 출력 평균 {output} 토큰은 "
        "논문에 나온 값이에요. 분포의 모양(감마)과 표준편차 {sd_prompt}, {sd_output}은 논문에 "
        "숫자로 나와 있지 않아서 **짐작한 값**이에요. 뽑은 요청의 평균은 {mean_prompt}, "
        "{mean_output}이에요.",
        "read": "**{name}** ({form} 형식): 요청 {count}개, 프롬프트 평균 {mean_prompt}, 출력 평균 "
        "{mean_output} 토큰. 도착 시각은 쓰지 않고, 파일에 적힌 순서대로 처리해요.",
        "setting": "슬롯 {slots}개, 요청 하나에 최대 {longest} 토큰, 씨앗 {seed}. 요청은 처음부터 "
        "모두 줄을 서 있고, 한 단계마다 실행 중인 요청이 토큰을 하나씩 얻어요. 표는 다음 요청이 "
        "들어갈 자리가 없는 단계들의 평균이에요.",
        "left-out": "최대 길이를 넘는 요청 {count}개는 뺐어요.",
        "roomy": "메모리가 꽉 찬 적이 없어서 표에 없어요: {names}. 요청을 늘리거나 슬롯을 "
        "줄여 보세요.",
        "unfit": "메모리가 비어 있어도 들어가지 못해 거절한 요청 수: {counts}.",
        "sample": "아래는 앞의 요청 {count}개로 계산했어요. 요청 하나의 샘플은 모두 출력 길이가 "
        "같아요. 빔 서치에서 어느 빔이 어느 빔에서 나오는지는 모형을 따라요. 단계마다 빔은 저마다 "
        "{replaced}% 확률로 버려지고, 모든 빔 가운데 무작위로 고른 하나가 그 자리를 이어받아요. 이 "
        "확률 하나를 논문의 Alpaca 숫자에 맞춰 정했어요.",
        "shared": "접두사 공유: 프롬프트 토큰의 {hits}%가 이미 캐시에 있었어요. 공유로 아낀 "
        "블록은 {saved}%예요.",
        "no-content": "이 기록에는 프롬프트의 내용이 없어서 접두사 공유는 계산할 수 없어요.",
        "ends": "요청이 끝날 때 (%)",
        "ends.paged": "블록 {size}: 찬 슬롯, 요청별 평균",
        "ends.all": "블록 {size}: 찬 슬롯, 전체",
        "ends.fit": "길이가 {longest} 이하인 요청",
        "ends.contiguous": "{longest}개씩 예약: 찬 슬롯, 요청별 평균",
        "replay": "도착 순서대로, 이미 있던 블록 (%, 512 토큰 단위)",
        "replay.all": "캐시가 무한할 때",
        "replay.lru": "블록 {count}개, 오래 쓰지 않은 것부터 축출",
        "broken": "{path}, {line}번째 줄: {why}",
        "broken.more": "{path}: 그 밖에 읽을 수 없는 줄이 {count}개 더 있어요",
        "broken.encoding": "UTF-8 텍스트가 아니에요",
        "broken.syntax": "형식에 맞지 않아요: {found}",
        "broken.columns": "열이 세 개여야 하는데 {found}개예요",
        "broken.length": "토큰 수는 1 이상의 정수여야 해요: {found}",
        "broken.content": "hash_ids가 512 토큰마다 하나씩인 정수 목록이 아니에요: {found}",
        "broken.cut": "gzip 데이터가 여기서 끊겼어요",
        "unreadable": "{path} 파일을 읽을 수 없어요: {reason}",
        "format": "{path} 파일은 Azure CSV도 Mooncake JSON-lines도 아니에요",
        "empty": "{path} 파일에 쓸 수 있는 요청이 없어요 (읽을 수 없는 줄: {broken})",
        "both": "--trace와 {option}은 함께 쓸 수 없어요",
        "unknown": "{name!r} 분포는 없어요. 있는 분포: {known}",
        "none": "최대 길이 {longest} 토큰에 맞는 요청이 없어요",
        "small": "슬롯 {slots}개에는 크기 {size}인 블록이 하나도 안 들어가요",
    },
    "en": {
        "help": "serve many requests, and show where the memory went",
        "workload": "where lengths are drawn from: sharegpt or alpaca (default sharegpt)",
        "trace": "a record in the Azure CSV or Mooncake JSON-lines format, gzipped or not",
        "requests": "how many requests (default: 1000 drawn, all of a trace)",
        "slots": "the memory in slots, one a token (default 15728, Mooncake 5120000)",
        "longest": "the longest request in tokens (default 2048, Mooncake 131072)",
        "block-size": "slots in a block (default 16, Mooncake 512)",
        "prefix": "tokens that all requests begin with (default 0)",
        "seed": "seed of the random numbers (default 0)",
        "reading": "reading the trace",
        "forking": "counting what forks share",
        "replaying": "replaying through the cache",
        "drawn": "**{name}**: {count} requests. The paper gives the means, {prompt} tokens in and "
        "{output} out. It gives no figures for the shape (gamma) and the standard deviations "
        "{sd_prompt} and {sd_output}: they are **a guess**. The requests drawn have {mean_prompt} "
        "and {mean_output} on average.",
        "read": "**{name}** ({form} format): {count} requests, {mean_prompt} tokens in and "
        "{mean_output} out on average. Times of arrival are not used: requests come in the file's "
        "order.",
        "setting": "{slots} slots, at most {longest} tokens a request, seed {seed}. All "
        "requests stand in the queue from the start, and each running one gets a token in each "
        "step. The table is the mean over the steps in which there is no room for the next one.",
        "left-out": "{count} requests are longer than that and were left out.",
        "roomy": "Not in the table, for the memory was never full: {names}. Try more requests, or "
        "fewer slots.",
        "unfit": "Refused, because they would not fit even into an empty memory: {counts}.",
        "sample": "What follows is computed with the first {count} requests. All samples of a "
        "request have outputs of the same length. Which beam comes from which is a model: in each "
        "step each beam is given up with a probability of {replaced} %, and a beam drawn at random "
        "goes on in its place. This one number was chosen to fit the paper's figures for Alpaca.",
        "shared": "Prefix sharing: {hits} % of the prompts' tokens were in the cache already; it "
        "saved {saved} % of the blocks.",
        "no-content": "This trace says nothing of what the prompts contain, so prefix sharing "
        "cannot be computed.",
        "ends": "when requests end (%)",
        "ends.paged": "block {size}: slots filled, mean of requests",
        "ends.all": "block {size}: slots filled, all together",
        "ends.fit": "requests of at most {longest} tokens",
        "ends.contiguous": "{longest} reserved: slots filled, mean of requests",
        "replay": "blocks that were there already, in order of arrival (%, 512 tokens each)",
        "replay.all": "cache without end",
        "replay.lru": "{count} blocks, least recently used evicted",
        "broken": "{path}, line {line}: {why}",
        "broken.more": "{path}: {count} more lines that cannot be read",
        "broken.encoding": "not UTF-8 text",
        "broken.syntax": "not in the format: {found}",
        "broken.columns": "needs three columns, has {found}",
        "broken.length": "a number of tokens is a whole number from 1 on, not {found}",
        "broken.content": "hash_ids is not a list of whole numbers, one for each 512 tokens: "
        "{found}",
        "broken.cut": "the gzip data ends here",
        "unreadable": "cannot read {path}: {reason}",
        "format": "{path} is neither Azure CSV nor Mooncake JSON lines",
        "empty": "there is no request in {path} (lines that cannot be read: {broken})",
        "both": "--trace and {option} do not go together",
        "unknown": "there is no workload {name!r}; there are: {known}",
        "none": "no request has at most {longest} tokens",
        "small": "{slots} slots do not hold one block of {size}",
    },
}
SAMPLED = 40_000  # output tokens of the requests that the sharing figures are computed with
REPLACED = 0.1  # how often a beam is given up for another
CACHE_BLOCKS = 10_000  # of the replay
BROKEN_LINES_SHOWN = 5  # broken lines that are named one by one


def add_arguments(parser: Parser, words: dict[str, str]) -> None:
    """The workload, the memory, the seed."""
    add = parser.options.add_argument
    add("--workload", metavar="NAME", help=words["workload"])
    add("--trace", metavar="FILE", type=Path, help=words["trace"])
    for name, low, high in (
        ("requests", 1, 10_000_000),
        ("slots", 1, 99_999_999),
        ("longest", 2, 99_999_999),
        ("block-size", 1, 1_000_000),
        ("prefix", 0, 1_000_000),
    ):
        add(f"--{name}", metavar="N", type=whole(low, high, words), help=words[name])
    add("--seed", metavar="N", type=whole(0, 99_999_999, words), default=0, help=words["seed"])
    latency.add_arguments(parser, words)


def main(options: argparse.Namespace, screen: Screen, language: str) -> int:
    """Draw or read the requests, serve them under each policy, print what came of it."""
    from walkthrough.serving.workloads import WORKLOADS

    words = WORDS[language]
    in_time = latency.asked(options, language)
    if options.trace is not None:
        for option in ("workload", "prefix"):
            if getattr(options, option) is not None:
                raise UsageError(words["both"].format(option=f"--{option}"))
        trace = _read(options.trace, words)
        if in_time:
            return latency.main(options, screen, language, trace)
        _simulate_trace(trace, options, screen, language)
        return 0
    if in_time:
        return latency.main(options, screen, language)
    name = options.workload or "sharegpt"
    if name not in WORKLOADS:
        known = ", ".join(WORKLOADS)
        raise UsageError(words["unknown"].format(name=name, known=known))
    _simulate_workload(WORKLOADS[name], name, options, screen, language)
    return 0


def _simulate_workload(
    workload: Workload, name: str, options: argparse.Namespace, screen: Screen, language: str
) -> None:
    import random  # not for every command's start

    from walkthrough.serving import sharing
    from walkthrough.serving.outcome_tables import saved_table, show_outcomes

    words = WORDS[language]
    slots, longest = options.slots or 15_728, options.longest or 2_048
    block_size, prefix = options.block_size or 16, options.prefix or 0
    rng = random.Random(options.seed)
    try:
        requests = workload.draw(options.requests or 1_000, rng, longest, prefix)
    except ValueError as error:
        raise UsageError(words["none"].format(longest=longest)) from error
    screen.prose(
        words["drawn"].format(
            name=workload.name,
            count=f"{len(requests):,}",
            prompt=workload.mean_prompt,
            output=workload.mean_output,
            sd_prompt=workload.sd_prompt,
            sd_output=workload.sd_output,
            **_means(requests),
        )
    )
    screen.text()
    screen.prose(_setting(slots, longest, options.seed, words))
    screen.text()
    outcomes, hits = _serve(requests, slots, longest, block_size, prefix > 0, language)
    usual = (slots, longest, block_size, prefix) == (15_728, 2_048, 16, 0)
    show_outcomes(outcomes, screen, language, block_size, paper=name == "sharegpt" and usual)
    _say_what_else(requests, outcomes, hits, screen, language, block_size)
    if prefix:
        return
    sampled: list[Lengths] = []
    while len(sampled) < len(requests) and sum(r.output for r in sampled) < SAMPLED:
        sampled.append(requests[len(sampled)])
    rows: list[tuple[str, int, float]] = []
    with progress(words["forking"], 6 * len(sampled)) as advance:
        for n in (2, 4, 6):
            saved = sharing.saved_by_sampling(sampled, n, block_size, lambda: advance(1))
            rows.append(("parallel", n, saved.share))
        for n in (2, 4, 6):
            saved = sharing.saved_by_beam_search(
                sampled, n, block_size, REPLACED, rng, lambda: advance(1)
            )
            rows.append(("beam", n, saved.share))
    screen.text()
    sample = words["sample"].format(count=len(sampled), replaced=round(100 * REPLACED))
    screen.prose(sample)
    screen.text()
    screen.table(saved_table(rows, name, language))


def _simulate_trace(
    trace: Trace, options: argparse.Namespace, screen: Screen, language: str
) -> None:
    from walkthrough.serving.outcome_tables import show_outcomes

    words = WORDS[language]
    mooncake = trace.form == "mooncake"
    slots = options.slots or (5_120_000 if mooncake else 15_728)
    longest = options.longest or (131_072 if mooncake else 2_048)
    block_size = options.block_size or (512 if mooncake else 16)
    everyone = trace.requests[: options.requests]
    requests = [request for request in everyone if request.prompt + request.output <= longest]
    if not requests:
        raise UsageError(words["none"].format(longest=longest))
    about = words["read"].format(
        name=options.trace.name,
        form=trace.form.capitalize(),
        count=f"{len(everyone):,}",
        **_means(everyone),
    )
    screen.prose(about)
    screen.text()
    setting = _setting(slots, longest, options.seed, words)
    if left_out := len(everyone) - len(requests):
        setting += " " + words["left-out"].format(count=f"{left_out:,}")
    screen.prose(setting)
    screen.text()
    known = any(request.content for request in requests)
    outcomes, hits = _serve(requests, slots, longest, block_size, known, language)
    show_outcomes(outcomes, screen, language, block_size)
    _say_what_else(requests, outcomes, hits, screen, language, block_size)
    screen.text()
    if known:
        _replay(everyone, screen, words)
    else:
        screen.prose(words["no-content"])
    screen.text()
    _at_the_end(everyone, longest, block_size, screen, words)


def _means(requests: Sequence[Lengths]) -> dict[str, str]:
    return {
        "mean_prompt": f"{sum(r.prompt for r in requests) / len(requests):,.1f}",
        "mean_output": f"{sum(r.output for r in requests) / len(requests):,.1f}",
    }


def _setting(slots: int, longest: int, seed: int, words: dict[str, str]) -> str:
    return words["setting"].format(slots=f"{slots:,}", longest=f"{longest:,}", seed=seed)


def _serve(
    requests: Sequence[Lengths],
    slots: int,
    longest: int,
    block_size: int,
    sharing: bool,
    language: str,
) -> tuple[dict[str, Outcome], int]:
    """What came of each policy, and how many prompt tokens were hits where prefixes are shared."""
    from walkthrough.serving.memory import POLICIES, ContiguousMemory, PagedMemory
    from walkthrough.serving.outcome_tables import WORDS as NAMES
    from walkthrough.serving.queue import serve_queue

    words = WORDS[language]
    if slots < block_size:
        raise UsageError(words["small"].format(slots=slots, size=block_size))
    memories: dict[str, Memory] = {
        name: ContiguousMemory(slots, longest, policy) for name, policy in POLICIES.items()
    }
    memories["paged"] = PagedMemory(slots, block_size)
    shared = PagedMemory(slots, block_size, sharing=True)
    if sharing:
        memories["shared"] = shared
    outcomes = {}
    for name, memory in memories.items():
        policy = NAMES[language][name].format(size=block_size)
        with progress(policy, len(requests)) as advance:
            outcomes[name] = serve_queue(requests, memory, _each(advance))
    return outcomes, shared.hits


def _each(advance: Callable[[float], None]) -> Callable[[], None]:
    return lambda: advance(1)


def _say_what_else(
    requests: Sequence[Lengths],
    outcomes: dict[str, Outcome],
    hits: int,
    screen: Screen,
    language: str,
    block_size: int,
) -> None:
    """Who was refused, where the memory was never full, and what sharing prefixes brought."""
    from walkthrough.serving.outcome_tables import WORDS as NAMES

    words = WORDS[language]
    names = {name: NAMES[language][name].format(size=block_size) for name in outcomes}
    refused = [f"{names[name]} {o.refused:,}" for name, o in outcomes.items() if o.refused]
    if refused:
        screen.text()
        screen.prose(words["unfit"].format(counts=", ".join(refused)))
    roomy = [names[name] for name, outcome in outcomes.items() if not outcome.steps]
    if roomy:
        screen.text()
        screen.prose(words["roomy"].format(names=", ".join(roomy)))
    if "shared" in outcomes and outcomes["shared"].steps:
        prompts = sum(request.prompt for request in requests)
        saved = f"{100 * outcomes['shared'].blocks_saved:.1f}"
        screen.text()
        screen.prose(words["shared"].format(hits=f"{100 * hits / prompts:.1f}", saved=saved))


def _replay(requests: Sequence[Lengths], screen: Screen, words: dict[str, str]) -> None:
    """Prefix hits in order of arrival, with and without an end to the cache."""
    from walkthrough.display.table import Table
    from walkthrough.serving.replay import replay

    blocks = sum(len(request.content) for request in requests)
    labels = [words["replay.all"], words["replay.lru"].format(count=f"{CACHE_BLOCKS:,}")]
    cells = []
    with progress(words["replaying"], 2 * len(requests)) as advance:
        for size in (blocks + 1, CACHE_BLOCKS):
            cells.append([100 * replay(requests, size, _each(advance)).share])
    screen.table(Table(words["replay"], cells, labels, digits=[1]))


def _at_the_end(
    requests: Sequence[Lengths], longest: int, size: int, screen: Screen, words: dict[str, str]
) -> None:
    """How full each request's own memory is when it ends, its last token counted as stored."""
    from walkthrough.display.table import Table

    tokens = [request.prompt + request.output for request in requests]
    slots = [-(-count // size) * size for count in tokens]
    fit = [count for count in tokens if count <= longest]
    rows = {
        "paged": sum(a / b for a, b in zip(tokens, slots, strict=True)) / len(tokens),
        "all": sum(tokens) / sum(slots),
        "fit": len(fit) / len(tokens),
        "contiguous": sum(fit) / len(fit) / longest,
    }
    labels = [words[f"ends.{name}"].format(size=size, longest=f"{longest:,}") for name in rows]
    cells = [[100 * share] for share in rows.values()]
    screen.table(Table(words["ends"], cells, labels, digits=[2]))


def _read(path: Path, words: dict[str, str]) -> Trace:
    """Read a trace; names the lines that are broken, and uses the rest."""
    from walkthrough.serving.traces import TraceError, read_trace

    try:
        size = path.stat().st_size
    except OSError:
        size = 0
    position = 0.0
    try:
        with progress(words["reading"], size) as advance:

            def at(read: int) -> None:
                nonlocal position
                advance(read - position)
                position = read

            trace = read_trace(path, at)
    except TraceError as error:
        raise UsageError(words[error.kind].format(**error.fields)) from error
    for broken in trace.broken[:BROKEN_LINES_SHOWN]:
        why = words[f"broken.{broken.kind}"].format(found=broken.found)
        complain(words["broken"].format(path=path, line=broken.line, why=why))
    more = len(trace.broken) - BROKEN_LINES_SHOWN
    if more > 0:
        complain(words["broken.more"].format(path=path, count=more))
    return trace
