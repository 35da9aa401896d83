"""What `simulate` says, and what its tables are called, in both languages."""

from __future__ import annotations

# The command: its options, what it says, what it refuses.
SIMULATE: dict[str, dict[str, str]] = {
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
        "논문에 나온 값이에요. 분포의 모양(감마)과 표준편차({sd_prompt}, {sd_output})는 논문에 "
        "숫자로 나와 있지 않아서 **짐작한 값**이에요. 뽑은 요청의 평균은 {mean_prompt}, "
        "{mean_output}이에요.",
        "common": "여기에는 모든 요청 앞에 붙인 공통 접두사 {prefix}토큰이 들어 있어요.",
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
        "broken": "{path}, {line}번째 줄: {why}",
        "broken.more": "{path}: 그 밖에 읽을 수 없는 줄이 {count}개 더 있어요",
        "broken.encoding": "UTF-8 텍스트가 아니에요",
        "broken.syntax": "형식에 맞지 않아요: {found}",
        "broken.columns": "열이 세 개여야 하는데 {found}개예요",
        "broken.length": "토큰 수는 1 이상의 정수여야 해요: {found}",
        "broken.content": "hash_ids가 512 토큰마다 하나씩인 정수 목록이 아니에요: {found}",
        "broken.cut": "gzip 데이터가 여기서 끊겼어요",
        "broken.long": "줄이 너무 길어요. {found}바이트까지 읽어요",
        "not a file": "{path}: 보통 파일이 아니에요 (폴더나 장치, 파이프)",
        "large": "{path}: 너무 큰 기록이에요. {lines:,}줄, 압축을 풀어서 {bytes:,}바이트까지만 "
        "읽어요",
        "unreadable": "{path} 파일을 읽을 수 없어요: {reason.ko}",
        "format": "{path} 파일은 Azure CSV도 Mooncake JSON-lines도 아니에요",
        "empty": "{path} 파일에 쓸 수 있는 요청이 없어요 (읽을 수 없는 줄: {broken})",
        "both": "함께 쓸 수 없는 옵션이에요: --trace, {option}",
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
        "common": "In that are the {prefix} tokens that all prompts begin with.",
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
        "broken": "{path}, line {line}: {why}",
        "broken.more": "{path}: {count} more lines that cannot be read",
        "broken.encoding": "not UTF-8 text",
        "broken.syntax": "not in the format: {found}",
        "broken.columns": "needs three columns, has {found}",
        "broken.length": "a number of tokens is a whole number from 1 on, not {found}",
        "broken.content": "hash_ids is not a list of whole numbers, one for each 512 tokens: "
        "{found}",
        "broken.cut": "the gzip data ends here",
        "broken.long": "a line has {found} bytes at the most",
        "not a file": "{path} is not an ordinary file (a folder, a device or a pipe)",
        "large": "{path} is too large: {lines:,} lines are read, {bytes:,} bytes unpacked",
        "unreadable": "cannot read {path}: {reason}",
        "format": "{path} is neither Azure CSV nor Mooncake JSON lines",
        "empty": "there is no request in {path} (lines that cannot be read: {broken})",
        "both": "--trace and {option} do not go together",
        "unknown": "there is no workload {name!r}; there are: {known}",
        "none": "no request has at most {longest} tokens",
        "small": "{slots} slots do not hold one block of {size}",
    },
}

# The tables and bars: where the memory went.
OUTCOMES: dict[str, dict[str, str]] = {
    "ko": {
        "slots": "슬롯이 쓰인 곳 (%)",
        "tokens": "토큰",
        "reserved": "예약",
        "internal": "내부 단편화",
        "other": "그 밖",
        "batch": "평균 배치",
        "paper": "논문",
        "longest": "연속, 최대 길이",
        "power of two": "연속, 2의 거듭제곱",
        "oracle": "연속, 길이를 아는 경우",
        "paged": "페이지드, 블록 {size}",
        "shared": "페이지드, 접두사 공유",
        "legend": "{tokens} 토큰이 든 슬롯  {reserved} 예약한 요청이 앞으로 쓸 슬롯  "
        "{internal} 예약했지만 끝까지 쓰지 않을 슬롯 (페이지드: 마지막 블록의 빈 슬롯)  "
        "{other} 그 밖 (빈 슬롯, 할당기가 더 내준 슬롯)",
        "saved": "공유로 아낀 블록 (%)",
        "parallel": "병렬 샘플링 n = {n}",
        "beam": "빔 서치 폭 {n}",
        "simulated": "시뮬레이션",
        "ends": "요청이 끝날 때 (%)",
        "ends.paged": "블록 {size}: 찬 슬롯, 요청별 평균",
        "ends.all": "블록 {size}: 찬 슬롯, 전체",
        "ends.fit": "길이가 {longest} 이하인 요청",
        "ends.contiguous": "{longest}개씩 예약: 찬 슬롯, 요청별 평균",
        "replay": "도착 순서대로, 이미 있던 블록 (%, 512 토큰 단위)",
        "replay.all": "캐시가 무한할 때",
        "replay.lru": "블록 {count}개, 오래 쓰지 않은 것부터 축출",
    },
    "en": {
        "slots": "where the slots are (%)",
        "tokens": "tokens",
        "reserved": "reserved",
        "internal": "internal",
        "other": "other",
        "batch": "batch",
        "paper": "paper",
        "longest": "contiguous, longest",
        "power of two": "contiguous, power of two",
        "oracle": "contiguous, oracle",
        "paged": "paged, block {size}",
        "shared": "paged, prefixes shared",
        "legend": "{tokens} holding tokens  {reserved} to be written by their request  "
        "{internal} reserved and never written (paged: empty in the last block)  "
        "{other} other (free, or added by the allocator)",
        "saved": "blocks saved by sharing (%)",
        "parallel": "parallel sampling, n = {n}",
        "beam": "beam search, width {n}",
        "simulated": "simulated",
        "ends": "when requests end (%)",
        "ends.paged": "block {size}: slots filled, mean of requests",
        "ends.all": "block {size}: slots filled, all together",
        "ends.fit": "requests of at most {longest} tokens",
        "ends.contiguous": "{longest} reserved: slots filled, mean of requests",
        "replay": "blocks that were there already, in order of arrival (%, 512 tokens each)",
        "replay.all": "cache without end",
        "replay.lru": "{count} blocks, least recently used evicted",
    },
}
