"""What `walkthrough roofline` says, in both languages."""

from __future__ import annotations

WORDS: dict[str, dict[str, str]] = {
    "ko": {
        "help": "이 컴퓨터의 루프라인을 재고, 모델의 프리필과 디코드가 어디에 놓이는지 보여 줘요",
        "geometry": "모델: {names} (기본 smollm2-135m)",
        "machine": "재는 대신 데이터시트의 장치로: {names}, 두 대를 하나로 보려면 2xa100처럼",
        "device": "NumPy 대신 torch로 재요: cpu, cuda, … (torch가 있어야 해요)",
        "context": "디코드하는 요청 하나의 문맥 길이, 토큰 (기본 {n})",
        "prompt": "프롬프트의 길이, 토큰 (기본 {n})",
        "json": "JSON으로 출력해요",
        "both": "함께 쓸 수 없는 옵션이에요: --machine, --device",
        "both.json": "함께 쓸 수 없는 옵션이에요: --json, --html",
        "unknown-machine": "{name!r} 장치는 없어요. 있는 장치: {known}",
        "unknown": "torch가 모르는 장치예요: {name}",
        "absent": "torch가 쓸 수 없는 장치예요: {name}",
        "cuda": "CUDA를 쓸 수 없어요. NVIDIA 드라이버와 CUDA용 torch를 확인하세요",
        "memory": "재는 데 필요한 메모리가 모자라요",
        "measuring": "재고 있어요",
        "here": "이 컴퓨터 (NumPy, float32)",
        "here.torch": "{device}, {dtype}",
        "measured": "**{name}**: 복사 {copy:.1f} GB/s, 행렬 곱 {rate}. 여러 번 재서 얻은 "
        "가장 빠른 값이에요. 다른 일을 하는 컴퓨터에서는 더 낮게 나와요.",
        "numpy": "NumPy의 복사는 코어 하나로, 행렬 곱은 여러 코어로 돌아요.",
        "sheet": "**{name}**: {bandwidth:,.0f} GB/s, {rate}. 데이터시트의 값이에요: {source}.",
        "ridge": "**꺾이는 점**은 {ridge:.1f} FLOP/바이트예요. 연산 집약도가 이보다 낮은 단계는 "
        "메모리를 기다리고, 높은 단계는 연산을 기다려요. 선형 레이어는 한 단계에 {batch:.0f}행부터 "
        "연산 병목이 돼요.",
        "title": "루프라인: {name}, 모델 {model}",
        "unit": "FLOP/바이트 (연산 집약도), ^ 꺾이는 점",
        "legend.dots": "`.` 지붕. ",
        "legend": "글자는 아래 표의 단계이고, 이론적 하한대로 걸린다고 보고 지붕에 놓았어요.",
        "legend.measured": "`*`는 LLaMA-2 7B의 행렬 하나({d_in}×{d_out})를 정말로 곱해 본 "
        "결과예요. 왼쪽부터 {rows}행이에요. 1행만은 행렬과 벡터의 곱이라서 다른 커널이 계산해요.",
        "steps": "{model}: 단계마다 적어도 걸리는 시간 ({bytes}바이트 숫자, 디코드는 요청 × 문맥)",
        "decode": "디코드 {b} × {m}",
        "prefill": "프리필 {n}",
        "columns": "FLOP/바이트,GFLOP,GB,밀리초,기다리는 것",
        "compute": "연산",
        "bytes": "메모리",
        "rows": "행렬 하나({d_in}×{d_out})에 곱한 행의 수와 잰 시간",
        "rows.columns": "밀리초,지붕의 시간,GFLOP/s,FLOP/바이트",
        "sheets": "데이터시트의 장치와 {model} (fp16, 이론적 하한을 밀리초로)",
        "sheets.columns": "TFLOP/s;GB/s;꺾이는 점;디코드 1;디코드 {b};프리필 {n}",
        "sheets.note": "연산 속도는 희소성(sparsity)을 쓰지 않을 때의 값이에요. 데이터시트에는 "
        "두 배인 값만 적혀 있을 때가 많아요. `-`는 가중치나 K/V가 메모리에 들어가지 않는다는 "
        "뜻이에요. 출처:",
    },
    "en": {
        "help": "measure this machine's roofline, and where prefill and decode of a model lie",
        "geometry": "a model: {names} (default smollm2-135m)",
        "machine": "a data sheet's machine in place of measuring: {names}; 2xa100 for two as one",
        "device": "measure with torch, not NumPy: cpu, cuda, … (torch must be installed)",
        "context": "context of each request that decodes, in tokens (default {n})",
        "prompt": "length of a prompt in tokens (default {n})",
        "json": "print JSON",
        "both": "--machine and --device do not go together",
        "both.json": "--json and --html do not go together",
        "unknown-machine": "there is no machine {name!r}; there are: {known}",
        "unknown": "torch knows no device {name}",
        "absent": "torch cannot use the device {name}",
        "cuda": "there is no CUDA here: check the NVIDIA driver and that torch is a CUDA build",
        "memory": "there is not enough memory to measure with",
        "measuring": "measuring",
        "here": "this machine (NumPy, float32)",
        "here.torch": "{device}, {dtype}",
        "measured": "**{name}**: copy {copy:.1f} GB/s, matrix product {rate}, the best of "
        "several runs. A machine that is busy with other things shows less.",
        "numpy": "NumPy copies on one core, and multiplies on several.",
        "sheet": "**{name}**: {bandwidth:,.0f} GB/s, {rate}, by its data sheet: {source}.",
        "ridge": "The **ridge point** is at {ridge:.1f} FLOP per byte: a step with less arithmetic "
        "intensity waits for memory, one with more for arithmetic. Linear layers are compute-bound "
        "from {batch:.0f} rows in a step on.",
        "title": "roofline: {name}, model {model}",
        "unit": "FLOP per byte (arithmetic intensity), ^ ridge point",
        "legend.dots": "`.` the roof. ",
        "legend": "Letters are the steps of the table below, on the roof, as if they "
        "took no longer than their lower bound.",
        "legend.measured": "`*` is one matrix of LLaMA-2 7B ({d_in}×{d_out}), really multiplied, "
        "with {rows} rows from the left on. One row alone is a matrix times a vector, which is "
        "another kernel.",
        "steps": "{model}: how long a step takes at least ({bytes}-byte numbers, decode: requests "
        "× context)",
        "decode": "decode {b} × {m}",
        "prefill": "prefill {n}",
        "columns": "FLOP/byte,GFLOP,GB,ms,waits for",
        "compute": "arithmetic",
        "bytes": "memory",
        "rows": "rows times one matrix of {d_in}×{d_out}, as measured",
        "rows.columns": "ms,roof's ms,GFLOP/s,FLOP/byte",
        "sheets": "machines by their data sheets, and {model} (fp16, lower bounds in ms)",
        "sheets.columns": "TFLOP/s;GB/s;ridge;decode 1;decode {b};prefill {n}",
        "sheets.note": "FLOP/s are dense: data sheets often print the sparse value alone, which is "
        "twice that. `-`: weights or K/V do not fit into the memory. Sources:",
    },
}
