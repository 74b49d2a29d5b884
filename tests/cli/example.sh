#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The example programs, each built as C and as C++ against the library beside the program under test, and run: predict
# with a trained model, train in memory, a committee and its bytes, score SMILES, loops of one's own, real edge
# features, weights for a matrix, a pool of threads; arrays in C++; and C++ includes the headers.
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
build() { # build NAME LIBRARY...: NAME and NAME++
    local warn=(-Wall -Wextra -Wpedantic -Werror) libraries=(-L "$lib" -ll2r "${@:2}" -Wl,-rpath,"$lib")
    local source=$root/examples/$1.c
    "${CC:-cc}" -std=c11 -D_GNU_SOURCE "${warn[@]}" "${flags[@]}" -I "$root/include" "$source" "${libraries[@]}" \
        -o "$work/$1"
    "${CXX:-c++}" -std=c++11 "${warn[@]}" "${flags[@]}" -I "$root/include" -x c++ "$source" -x none "${libraries[@]}" \
        -o "$work/$1++"
}
run() { # run NAME ARGUMENT...: both, which print the same
    "$work/$1" "${@:2}" > "$work/out"
    "$work/$1++" "${@:2}" > "$work/out++"
    cmp "$work/out" "$work/out++" || { echo "$1: C++ prints something else than C"; exit 1; }
}
expect() { grep -q -- "$1" "$work/out" || { echo "expected $1:"; cat "$work/out"; exit 1; }; }
build predict
run predict "$work/run" motif:train=5,valid=2,test=2
[[ $(wc -l < "$work/out") -eq 4 ]] || { echo "expected 4 lines:"; cat "$work/out"; exit 1; }
if "$work/predict" "$work/nowhere" motif 2> "$work/err"; then echo "a missing model went unnoticed"; exit 1; fi
grep -q '^predict: .*nowhere.*no such model' "$work/err" || { cat "$work/err"; exit 1; }

build train
run train motif:train=24,valid=12,test=12
expect '^epoch 3: loss'
expect '^accuracy 0\.'
build own_loop -lm
run own_loop motif:train=64,valid=12,test=12
expect '^step 6: loss'
build committee
run committee motif:train=24,valid=12,test=12
[[ $(sed -n 1p "$work/out") == "$(sed -n 2p "$work/out")" ]] || { echo "bytes changed it:"; cat "$work/out"; exit 1; }
expect '^3 members in [0-9]* bytes; the second alone is a model of 1$'
build own_weights -lm
run own_weights motif:train=64,valid=12,test=12
expect '^epoch 4: loss'
expect '^epoch [1-4]: test accuracy 0\.\|^epoch [1-4]: test accuracy 1\.'
build edge_lengths
run edge_lengths
expect '^r2 of new graphs: \(1.00\|0.9\)'
build decorrelate -lm
run decorrelate
expect '^effective sample size 0.500'
awk '/^dependence/ { exit !($4 < 0.6 * $2) }' "$work/out" || { cat "$work/out"; exit 1; }
for standard in 11 20; do # the oldest and the newest C++ that the headers are for
    "${CXX:-c++}" "-std=c++$standard" -Wall -Wextra -Wpedantic -Werror "${flags[@]}" -I "$root/include" \
        "$root/examples/arrays.cpp" -L "$lib" -ll2r -Wl,-rpath,"$lib" -o "$work/arrays"
    "$work/arrays" > "$work/out"
    expect '^2 graphs, 18 arcs, the last one 8 -> 7$'
    expect '^mean absolute error 1.0$'
    expect '^refused: n = -1; expected 1'
done
build thread_pool -lpthread
run thread_pool "$work/run" motif:train=5,valid=2,test=2
[[ $(wc -l < "$work/out") -eq 9 ]] || { echo "expected 9 lines:"; cat "$work/out"; exit 1; }
build score_smiles
if [[ -e $lib/modules/l2r_chem.so ]]; then
    printf '%s\n' smiles,y CCO,0 CCN,1 CCC,0 c1ccccc1,1 c1ccccc1O,0 'CC(=O)O,1' CCCl,0 CCBr,1 CCCC,0 CCF,1 \
        > "$work/my.csv"
    "$program" train --data "$work/my.csv" --no-cache --split random --hidden 8 --layers 2 --epochs 1 --quiet \
        --out "$work/molecules" >/dev/null 2>&1
    run score_smiles "$work/molecules" CCO 'C(C'
    expect '^CCO 0\.'
    expect '^C(C: '
fi

# Every header stands alone, in C and in C++.
for header in "$root"/include/l2r/*.h; do
    for compiler in "${CC:-cc} -std=c11 -x c" "${CXX:-c++} -std=c++17 -x c++"; do
        echo "#include <l2r/$(basename "$header")>" | $compiler -Wall -Wextra -Wpedantic -Werror -I "$root/include" \
            -fsyntax-only - || { echo "$header does not stand alone for $compiler"; exit 1; }
    done
done
