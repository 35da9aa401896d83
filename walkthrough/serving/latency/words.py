"""What is said of requests in time, in both languages."""

from __future__ import annotations

WORDS: dict[str, dict[str, str]] = {
    "ko": {
        "latency": "메모리 대신 시간을 봐요: 요청마다 토큰이 언제 나오는지 보여 줘요. "
        "아래 옵션은 이것과 함께 쓰고, 분포는 openchat(기본)과 arxiv도 돼요",
        "rate": "1초에 오는 요청 수. 기록은 도착 간격을 이 값에 맞춰 늘이거나 줄여요",
        "rates": "쉼표로 이은 도착률마다 한도를 지킨 요청의 비율만 보여 줘요",
        "geometry": "모델: {names} (기본 llama3-8b)",
        "machine": "장치: {names}, 두 대를 하나로 보려면 2xa100처럼 (기본 a100)",
        "machines": "장치 수. 분리할 때는 프리필과 디코드를 나눠 맡아요 (기본 2)",
        "prefill-machines": "분리할 때 프리필을 맡는 장치 수 (기본 1)",
        "budget": "청크 프리필에서 한 단계에 넣는 토큰 수 (기본 512)",
        "link": "K/V를 보내는 링크: {names} (기본 400g)",
        "send-whole": "레이어마다 보내지 않고 프리필이 끝난 뒤에 한꺼번에 보내요",
        "efficiency": "루프라인의 몇 퍼센트까지 속도를 내는지 (기본 {n:g}, 가정)",
        "host": "단계마다 드는 호스트 시간, 밀리초 (기본 {n:g}, 가정)",
        "ttft": "첫 토큰까지의 시간(TTFT)의 한도, 밀리초 (기본 {n:g})",
        "tpot": "출력 토큰당 시간(TPOT)의 한도, 밀리초 (기본 {n:g})",
        "real": "{low:g}에서 {high:g} 사이의 수여야 해요: {value!r}",
        "list": "쉼표로 이은 0보다 큰 수여야 해요: {value!r}",
        "needs": "--latency 옵션과 함께 써야 하는 옵션이에요: {option}",
        "apart": "함께 쓸 수 없는 옵션이에요: --latency, {option}",
        "together": "함께 쓸 수 없는 옵션이에요: --rate, --rates",
        "few": "분리하려면 --prefill-machines 값이 --machines 값보다 작아야 해요",
        "unknown": "{name!r} 분포는 없어요. 있는 분포: {known}",
        "unknown-machine": "{name!r} 장치는 없어요. 있는 장치: {known}",
        "heavy": "가중치({weights:.1f} GB)가 메모리에 들어가지 않아요: {model}, {machine}",
        "timeless": "{path} 파일에서 도착 시각을 읽을 수 없어요",
        "none": "이 메모리에 들어가는 요청이 없어요",
        "long": "길이가 {longest} 토큰 이하인 요청이 거의 없어요",
        "drawn": "**{name}**: 요청 {count}개가 1초에 {rate:g}개꼴로 와요(푸아송 과정). "
        "프롬프트 평균 {prompt}, 출력 평균 {output} 토큰. 논문에 나온 값은 길이의 {known}뿐이에요. "
        "분포의 모양은 **짐작한 것**이에요.",
        "known.mean": "평균",
        "known.median": "중앙값과 90번째 백분위수",
        "read": "**{name}**: 요청 {count}개가 기록된 시각에 와요. 1초에 평균 {rate:.3g}개, "
        "프롬프트 평균 {prompt}, 출력 평균 {output} 토큰.",
        "read.stretched": "**{name}**: 요청 {count}개. 기록된 도착 간격을 1초에 평균 {rate:g}개가 "
        "되도록 같은 비율로 바꿨어요. 프롬프트 평균 {prompt}, 출력 평균 {output} 토큰.",
        "content": "프롬프트끼리 같은 앞부분도 매번 다시 계산해요(접두사 캐싱은 쓰지 않아요).",
        "left-out": "도착 시각을 읽을 수 없는 요청 {count}개는 뺐어요.",
        "setting": "{model} 모델, {machine} 장치 {machines}대. 단계마다 걸리는 시간은 루프라인에서 "
        "계산해요. 장치가 루프라인의 **{efficiency:g}퍼센트**까지 속도를 내고 단계마다 "
        "호스트가 **{host:g}밀리초**를 쓴다는 것은 계산이 아니라 **가정**이에요. K/V는 장치 하나에 "
        "{capacity} 토큰까지 들어가요. 요청은 온 순서대로, 토큰이 끝까지 들어갈 자리가 있을 때 "
        "시작해요.",
        "ways": "**{first}**: 기다리는 프롬프트가 있으면 디코드를 멈추고 먼저 계산해요. "
        "**{whole}**: 프롬프트를 자르지 않고 디코드와 한 단계에 넣어요. **{chunked}**: 디코드를 "
        "먼저 넣고, 한 단계가 {budget} 토큰이 될 때까지 프롬프트를 잘라 넣어요.",
        "ways.apart": "**{apart}**(프리필·디코드 분리): 장치 {first}대가 프롬프트와 첫 토큰을, "
        "{second}대가 나머지 토큰을 계산해요. K/V는 한 방향 {link:g} GB/s인 링크로 {how} 보내요.",
        "by-layer": "레이어마다",
        "at-end": "프리필이 끝난 뒤",
        "prefill-first": "프리필 먼저",
        "whole": "프리필 통째로",
        "chunked": "청크 프리필",
        "chunks alone": "청크만 따로",
        "disaggregated": "분리",
        "ttft.title": "첫 토큰까지의 시간(TTFT), 초",
        "gaps.title": "출력 토큰당 시간(TPOT)과 토큰 사이의 간격, 밀리초",
        "tpot.title": "출력 토큰당 시간(TPOT), 밀리초",
        "gaps.only": "토큰 사이의 간격, 밀리초",
        "page": "요청이 많을 때 토큰이 언제 나오는지",
        "kind.waits": "대기",
        "kind.prefill": "프리필",
        "kind.mixed": "프리필과 디코드",
        "kind.decode": "디코드",
        "request": "{number}번째 요청",
        "requests": "같은 때의 요청 {count}개, 온 순서대로: {name}",
        "drawn.note": "점선은 한도예요. 시간 그림에서는 막대의 두께도 종류를 알려 줘요: 프리필이 "
        "가장 두껍고 대기가 가장 얇아요. 요청의 프리필은 첫 단계의 시작부터 첫 토큰까지예요. "
        "청크로 나뉘면 그 사이에 다른 요청의 디코드도 들어 있어요.",
        "within": "한도 안 (%)",
        "goodput": "굿풋/초",
        "max": "최대",
        "gap": "간격",
        "limits": "한도: TTFT {ttft:g}ms, TPOT {tpot:g}ms. 굿풋은 두 한도를 모두 지킨 요청의 수를 "
        "걸린 시간으로 나눈 값이에요. TPOT는 요청 하나의 평균이라서 한 번의 긴 멈춤을 숨겨요. "
        "멈춤은 간격의 P99와 최댓값에서 드러나요.",
        "refused": "메모리가 비어 있어도 들어가지 못해 거절한 요청: {counts}.",
        "transfers": "K/V 전송 가운데 프리필이 끝난 뒤까지 남은 시간: 중앙값 {median:.2f}ms, "
        "P95 {p95:.2f}ms.",
        "histogram": "토큰 사이의 간격(밀리초)이 어떻게 퍼져 있는지, %",
        "timeline": "가장 긴 간격({gap:.0f}ms, {name}) 전후의 장치들",
        "legend": "`#` 프리필만, `+` 프리필과 디코드 함께, `-` 디코드만, `.` 쉬는 중. 한 칸은 "
        "{cell:.0f}ms이고, 그동안 가장 오래 한 일을 나타내요.",
        "lane": "{name}, 장치 {i}",
        "lane.prefill": "{name}, 프리필 {i}",
        "lane.decode": "{name}, 디코드 {i}",
        "serving": "처리하고 있어요: {name}",
        "attainment": "두 한도를 모두 지킨 요청 (%)",
        "per-second": "요청/초",
        "best": "90% 이상인 가장 높은 도착률(굿풋, 표에 있는 것 가운데): {rates}.",
        "none-good": "없음",
        "paper": "논문",
        "simulated": "시뮬레이션",
        "distserve": "DistServe 논문의 표 2: 한도를 지킨 비율 (%, 실제)",
        "distserve.note": "모델도 장치 수도 한도도 다르니 **값은 비교할 수 없어요**. 모양만 "
        "보세요. 프리필을 먼저 하는 vLLM은 일찍 무너지고, 분리한 쪽은 천천히 떨어져요. 여기서 "
        "그렇게 되는지는 TPOT의 한도와 두 장치의 부하가 고른지에 달려 있어요. 그때의 vLLM에는 청크 "
        "프리필이 없었어요.",
        "sarathi": "Sarathi-Serve 논문의 표 4, 초",
        "sarathi.note": "논문은 Yi-34B, A100 두 장(텐서 병렬), 예산 1,024, 요청 128개예요. "
        "도착률은 나와 있지 않아요. 값이 아니라 **순서**를 비교하세요. 가장 가까운 설정: "
        "`--geometry yi-34b --machine 2xa100 --machines 1 --budget 1024 --requests 128 --rate "
        "0.9`.",
    },
    "en": {
        "latency": "time in place of memory: when each request's tokens come; the options below go "
        "with it, and --workload also knows openchat (the default) and arxiv",
        "rate": "requests a second; a trace's times are stretched to it",
        "rates": "rates with commas: for each, only the share of requests within the limits",
        "geometry": "a model: {names} (default llama3-8b)",
        "machine": "a machine: {names}; 2xa100 for two as one (default a100)",
        "machines": "how many machines; disaggregated, they are split between the phases "
        "(default 2)",
        "prefill-machines": "of these, the ones that prefill when disaggregated (default 1)",
        "budget": "tokens of a step with chunked prefill (default 512)",
        "link": "what K/V is sent over: {names} (default 400g)",
        "send-whole": "send K/V when the prefill is done, not layer by layer",
        "efficiency": "percent of the roofline that is reached (default {n:g}, an assumption)",
        "host": "the host's time in each step, ms (default {n:g}, an assumption)",
        "ttft": "limit of the time to first token (TTFT), ms (default {n:g})",
        "tpot": "limit of the time per output token (TPOT), ms (default {n:g})",
        "real": "must be a number from {low:g} to {high:g}, not {value!r}",
        "list": "must be numbers above 0 with commas between them, not {value!r}",
        "needs": "{option} needs --latency",
        "apart": "--latency and {option} do not go together",
        "together": "--rate and --rates do not go together",
        "few": "to disaggregate, --prefill-machines must be fewer than --machines",
        "unknown": "there is no workload {name!r}; there are: {known}",
        "unknown-machine": "there is no machine {name!r}; there are: {known}",
        "heavy": "the weights of {model} ({weights:.1f} GB) do not fit into the memory of "
        "{machine}",
        "timeless": "no time of arrival can be read in {path}",
        "none": "no request fits into this memory",
        "long": "hardly a request has at most {longest} tokens",
        "drawn": "**{name}**: {count} requests come at {rate:g} a second (a Poisson process), "
        "{prompt} tokens in and {output} out on average. The {known} of the lengths are "
        "published, the shape of the distribution is **a guess**.",
        "known.mean": "means",
        "known.median": "medians and 90th percentiles",
        "read": "**{name}**: {count} requests come when the trace says, {rate:.3g} a second on "
        "average, {prompt} tokens in and {output} out.",
        "read.stretched": "**{name}**: {count} requests, the gaps between the trace's arrivals "
        "stretched alike so that {rate:g} come in a second on average; {prompt} tokens in and "
        "{output} out.",
        "content": "What prompts have in common is computed each time: there is no prefix caching "
        "here.",
        "left-out": "Left out, because their times of arrival cannot be read: {count}.",
        "setting": "{model} on {machines} × {machine}. How long a step takes is computed from the "
        "roofline. That machines reach **{efficiency:g} %** of it, and that the host takes "
        "**{host:g} ms** in each step, is not computed: these are **assumptions**. A machine holds "
        "K/V of {capacity} tokens. Requests start first come, first served, when there is room "
        "for all of their tokens to the last.",
        "ways": "**{first}**: decodes stop while a prompt is waiting. **{whole}**: prompts and "
        "decodes share a step, prompts are not cut. **{chunked}**: decodes first, then as much of "
        "the prompts as brings the step to {budget} tokens.",
        "ways.apart": "**{apart}**: prompts and first tokens on {first} of the machines, all "
        "further tokens on {second}; K/V goes over a link of {link:g} GB/s one way, {how}.",
        "by-layer": "layer by layer",
        "at-end": "when the prefill is done",
        "prefill-first": "prefill first",
        "whole": "whole prefill",
        "chunked": "chunked",
        "chunks alone": "chunks alone",
        "disaggregated": "disaggregated",
        "ttft.title": "time to first token (TTFT), s",
        "gaps.title": "time per output token (TPOT), and the gaps between tokens, ms",
        "tpot.title": "time per output token (TPOT), ms",
        "gaps.only": "gaps between tokens, ms",
        "page": "When the tokens of many requests come",
        "kind.waits": "waiting",
        "kind.prefill": "prefill",
        "kind.mixed": "prefill and decode",
        "kind.decode": "decode",
        "request": "request {number}",
        "requests": "{count} requests at that time, in order of arrival: {name}",
        "drawn.note": "The dotted line is the limit. In the pictures over time a bar's thickness "
        "says its kind, too: prefill is thickest, waiting thinnest. A request's prefill is from "
        "its first step to its first token; in chunks, others decode meanwhile.",
        "within": "within (%)",
        "goodput": "goodput/s",
        "max": "max",
        "gap": "gap",
        "limits": "Limits: TTFT {ttft:g} ms, TPOT {tpot:g} ms. Goodput is the requests within "
        "both, over the time that all took. TPOT is a request's mean, which hides a long stall; "
        "P99 and maximum of the gaps show it.",
        "refused": "Refused, because they would not fit even into an empty memory: {counts}.",
        "transfers": "What was left of the transfer of K/V when the prefill was done: median "
        "{median:.2f} ms, P95 {p95:.2f} ms.",
        "histogram": "how the gaps between tokens (ms) are spread, %",
        "timeline": "machines around the longest gap ({gap:.0f} ms, {name})",
        "legend": "`#` prefill alone, `+` prefill and decode, `-` decode alone, `.` idle. A "
        "character is {cell:.0f} ms, and shows what was done for the most of it.",
        "lane": "{name}, machine {i}",
        "lane.prefill": "{name}, prefill {i}",
        "lane.decode": "{name}, decode {i}",
        "serving": "serving: {name}",
        "attainment": "requests within both limits (%)",
        "per-second": "requests/s",
        "best": "The highest rate with 90 % or more (goodput, of those in the table): {rates}.",
        "none-good": "none",
        "paper": "paper",
        "simulated": "simulated",
        "distserve": "DistServe's table 2: within the limits (%, measured)",
        "distserve.note": "Model, number of machines and limits are others: **do not compare the "
        "values**, look at the shape. vLLM, which computed prompts first, breaks early, the "
        "disaggregated one falls slowly. Whether it does so here depends on the limit of TPOT, and "
        "on whether both machines are equally busy. The vLLM of then had no chunked prefill.",
        "sarathi": "Sarathi-Serve's table 4, s",
        "sarathi.note": "The paper has Yi-34B, two A100 (tensor parallel), a budget of 1,024 and "
        "128 requests; it does not give the rate. Compare the **order**, not the values. Nearest "
        "to it: `--geometry yi-34b --machine 2xa100 --machines 1 --budget 1024 --requests 128 "
        "--rate 0.9`.",
    },
}
