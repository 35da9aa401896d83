#!/usr/bin/env bash
# Everything that only a machine with a CUDA GPU can show, in under nine minutes: all kernels
# compiled, and against float64; a sweep of launch parameters, verify at full size, bench; a short
# table last.
#
#     gpu/device_check.sh            on a GPU; needs torch, triton, numpy and rich, no installation
#     gpu/device_check.sh --quick    a rehearsal on a CPU, with small sizes
#
# Logs go to $OUT, or to a folder that is made for them. Exit status 1 where a part failed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

python=${PYTHON:-python3}
quick=()
full=(--full)
verify=(--geometry llama2-7b --batch 2)
long=(--tokens 4096 --runs 21)
patience=1
if [[ ${1:-} == --quick ]]; then
    quick=(--quick)
    full=()
    verify=(--geometry smollm2-135m --tokens 64 --layers 1)
    long=(--tokens 64 --runs 2 --geometry smollm2-135m)
    patience=5 # Triton's interpreter is slow
elif [[ $# -gt 0 ]]; then
    echo "usage: gpu/device_check.sh [--quick]" >&2
    exit 2
fi
out=${OUT:-$(mktemp -d)}
mkdir -p "$out"
export PYTHONPATH=$PWD${PYTHONPATH:+:$PYTHONPATH} PYTHONUNBUFFERED=1

missing=$("$python" - <<'PY'
from importlib.util import find_spec

print(" ".join(name for name in ("torch", "triton", "numpy", "rich") if find_spec(name) is None))
PY
) || exit 2
if [[ -n $missing ]]; then
    echo "missing: $missing" >&2
    exit 2
fi

names=() results=() seconds=()
# part NAME LIMIT COMMAND…: run it under a time limit, keep its output, go on whatever happens.
part() {
    local name=$1 limit=$(($2 * patience)) start=$SECONDS status
    shift 2
    echo "== $name"
    timeout "$limit" "$@" 2>&1 | tee "$out/$name.log"
    status=${PIPESTATUS[0]}
    case $status in
        0) results+=(ok) ;;
        124) results+=("over ${limit} s") ;;
        *) results+=("status $status") ;;
    esac
    names+=("$name")
    seconds+=($((SECONDS - start)))
}

walkthrough=("$python" -m walkthrough)
part compile 150 "$python" -m gpu.compile_check "${quick[@]}"
part kernels 90 "$python" -m gpu.device_check kernels "${quick[@]}" --json "$out/device.json"
part sweep 90 "$python" -m gpu.device_check sweep "${quick[@]}" --json "$out/device.json"
part verify 220 "${walkthrough[@]}" verify "${verify[@]}" "${full[@]}" --lang en
part bench-1 25 "${walkthrough[@]}" bench "${long[@]}" --batch 1 --lang en
part bench-8 25 "${walkthrough[@]}" bench "${long[@]}" --batch 8 --lang en
part bench-pages 25 "${walkthrough[@]}" bench "${long[@]}" --batch 8 --block-size 256 \
    --backend all --lang en

echo
"$python" - <<'PY'
import torch

card = torch.cuda.get_device_name() if torch.cuda.is_available() else "no CUDA device"
print(f"{card}, CUDA {torch.version.cuda}, torch {torch.__version__}")
PY
command -v nvidia-smi > /dev/null && nvidia-smi --query-gpu=driver_version --format=csv,noheader
date -u +%F
failed=0
for i in "${!names[@]}"; do
    printf '%-12s %-12s %4s s\n' "${names[i]}" "${results[i]}" "${seconds[i]}"
    [[ ${results[i]} == ok ]] || failed=1
done
grep -hE '^(contiguous|gather|compiled|triton|flex|varlen|decode|prefill|The best)' "$out"/bench-*.log
echo "logs: $out, numbers: $out/device.json"
exit "$failed"
