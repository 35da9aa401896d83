"""What the commands that need torch say, in both languages."""

from __future__ import annotations

# What they share: options, and what a device has or lacks.
TORCH: dict[str, dict[str, str]] = {
    "ko": {
        "device": "torch 장치 (cuda, cpu, …). 기본값 auto는 CUDA, 없으면 CPU",
        "geometry": "모델의 크기: {names} (기본 llama2-7b)",
        "dtype": "float32, float16, bfloat16 (기본값은 CPU에서 float32, CUDA에서 bfloat16)",
        "block_size": "블록 하나의 슬롯 수 (기본 16)",
        "backend": "쉼표로 이은 백엔드: {names}. 기본값 auto는 gather와 이 장치에서 빠른 것",
        "no_torch": "이 명령에는 torch가 필요해요. 이렇게 설치하세요: {command}",
        "unknown": "torch가 모르는 장치예요: {name}",
        "absent": "torch가 쓸 수 없는 장치예요: {name}",
        "cuda_absent": "CUDA를 쓸 수 없어요. NVIDIA 드라이버와 CUDA용 torch를 확인하거나 "
        "--device cpu로 실행하세요",
        "on_cpu": "CUDA가 없어서 CPU에서 실행해요.",
        "float16": "이 GPU에는 bfloat16이 없어서 float16을 써요.",
        "backend_unknown": "모르는 백엔드예요: {name} (쓸 수 있는 것: {known})",
        "left_out": "{name} 백엔드는 빼요: {reason}.",
        "not_here": "{name} 백엔드를 쓸 수 없어요: {reason}",
        "instead": "C++ 컴파일러가 없어서 compiled 대신 gather를 써요.",
        "compiler": "C++ 컴파일러가 없어요",
        "codes": "8비트로 저장한 K와 V는 읽지 않아요",
        "no_triton": "triton이 설치되어 있지 않아요",
        "interpreter": "Triton의 인터프리터는 bfloat16을 잘못 계산해요",
        "matrix": "이 GPU에서는 Triton이 16비트 행렬 명령을 쓰지 못해요 (sm_80부터 돼요)",
        "cuda": "CUDA에서만 돌아요",
        "old_torch": "torch 2.12 이상이 필요해요",
        "page": "블록 크기가 256의 배수여야 해요",
        "wide": "16비트 자료형만 돼요",
    },
    "en": {
        "device": "torch device (cuda, cpu, …); the default, auto, is CUDA, else the CPU",
        "geometry": "a model's sizes: {names} (default llama2-7b)",
        "dtype": "float32, float16, bfloat16 (default: float32 on a CPU, bfloat16 on CUDA)",
        "block_size": "slots in a block (default 16)",
        "backend": "backends, with commas: {names}; the default, auto, is gather and the fast one "
        "of the device",
        "no_torch": "this needs torch; install it with: {command}",
        "unknown": "torch knows no device {name}",
        "absent": "torch cannot use the device {name}",
        "cuda_absent": "there is no CUDA here: check the NVIDIA driver and that torch is a CUDA "
        "build, or run with --device cpu",
        "on_cpu": "There is no CUDA here: running on the CPU.",
        "float16": "This GPU has no bfloat16: taking float16.",
        "backend_unknown": "unknown backend {name}; known: {known}",
        "left_out": "Leaving out {name}: {reason}.",
        "not_here": "the backend {name} cannot run here: {reason}",
        "instead": "There is no C++ compiler: gather stands in for compiled.",
        "compiler": "there is no C++ compiler",
        "codes": "it reads no K and V stored in 8 bits",
        "no_triton": "triton is not installed",
        "interpreter": "Triton's interpreter computes bfloat16 wrongly",
        "matrix": "Triton makes no 16-bit matrix instructions for this GPU (from sm_80 it does)",
        "cuda": "it runs on CUDA alone",
        "old_torch": "it takes torch 2.12",
        "page": "it takes a block size that is a multiple of 256",
        "wide": "it takes 16-bit dtypes alone",
    },
}

# The command `verify`.
VERIFY: dict[str, dict[str, str]] = {
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
        "memory": "메모리가 모자라요. {device}: 필요한 양 {needed}, 비어 있는 양 {free}. "
        "--tokens 값이나 --layers 값을 줄여 보세요",
        "share": "이번에 검사하는 시퀀스는 전체 크기(토큰 {tokens}개 × 레이어 {layers}개, "
        "{dtype} 기준 {bytes})의 1/{share}이에요. 모두 검사하려면 --full 옵션을 붙이세요.",
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

# The command `bench`.
BENCH: dict[str, dict[str, str]] = {
    "ko": {
        "help": "페이지드 어텐션과 연속 메모리 어텐션의 시간을 이 컴퓨터에서 나란히 재요",
        "tokens": "시퀀스 하나의 토큰 수 (기본 {n})",
        "batch": "디코드할 시퀀스 수 (기본 {n})",
        "runs": "재는 횟수. 중앙값을 써요 (기본 {n})",
        "json": "JSON으로 출력해요",
        "compare": "--json으로 저장해 둔 다른 실행(다른 GPU나 다른 커밋)을 나란히 보여 줘요",
        "both": "함께 쓸 수 없는 옵션이에요: --json, --compare",
        "unreadable": "파일을 읽을 수 없어요: {path} ({reason.ko})",
        "foreign": "bench --json이 출력한 파일이 아니에요: {path}",
        "sizes differ": "크기가 다른 실행이라 비교할 수 없어요. {size}: 여기 {here}, 파일 {there}",
        "beside": "나란히 놓은 실행: {file} ({device})",
        "compare-columns": "여기 밀리초,파일 밀리초,몇 배 빠른지",
        "compare-decode": "디코드",
        "compare-prefill": "프리필",
        "memory": "메모리가 모자라요. {device}: 필요한 양 {needed}, 비어 있는 양 {free}. "
        "--tokens 값이나 --batch 값을 줄여 보세요",
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
        "compare": "set another run that --json has kept (another card, another commit) beside it",
        "both": "these options do not go together: --json, --compare",
        "unreadable": "cannot read {path}: {reason}",
        "foreign": "{path} is not what bench --json prints",
        "sizes differ": "the runs are of different sizes, {size}: here {here}, in the file {there}",
        "beside": "Beside it: {file} ({device})",
        "compare-columns": "ms here,ms in the file,times as fast here",
        "compare-decode": "decode",
        "compare-prefill": "prefill",
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
