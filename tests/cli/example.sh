#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The example program: built against the library beside the program under test, it loads a trained model and predicts.
set -euo pipefail
program=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
lib=$(cd "$(dirname "$program")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

lines=$(wc -l < "$root/examples/predict.c")
[[ $lines -lt 60 ]] || { echo "the example has $lines lines, not under 60"; exit 1; }
"$program" train --data motif:train=40,valid=10,test=10 --model gin --hidden 8 --layers 2 --epochs 2 --out "$work/run" \
    --quiet >/dev/null
# A sanitizer build of the library needs the same flags here; the run-time loader finds libl2r.so beside the program.
flags=()
needs=$(nm -D "$lib/libl2r.so")
if [[ $needs == *__tsan_init* ]]; then echo "skipped under the thread sanitizer"; exit 77; fi
if [[ $needs == *__asan_init* ]]; then flags+=(-fsanitize=address,undefined); fi
"${CC:-cc}" -std=c11 -Wall -Wextra -Werror "${flags[@]}" -I "$root/include" "$root/examples/predict.c" -L "$lib" -ll2r \
    -Wl,-rpath,"$lib" -o "$work/predict"
"$work/predict" "$work/run" motif:train=5,valid=2,test=2 > "$work/out"
[[ $(wc -l < "$work/out") -eq 4 ]] || { echo "expected 4 lines:"; cat "$work/out"; exit 1; }
if "$work/predict" "$work/nowhere" motif 2> "$work/err"; then echo "a missing model went unnoticed"; exit 1; fi
grep -q '^predict: .*nowhere.*no such model' "$work/err" || { cat "$work/err"; exit 1; }
