#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# l2r weights: a row a training graph, a summary by class, and a clear word where there are no weights.
source "$(dirname "$0")/expect.bash"

run "$l2r" train --data "$tiny" --method l2r --scope epoch --ess 0.5 "${small[@]}" --out run --quiet
expect_code 0
run "$l2r" weights run --out weights.csv
expect_code 0
expect_line out '^all +48 +1\.0000 '
expect_line out '^label 0 +24 '
expect_line out '^label 1 +24 '
[[ $(head -1 weights.csv) == graph,weight,label ]] || fail "the heading is $(head -1 weights.csv)"
[[ $(wc -l <weights.csv) -eq 49 ]] || fail "weights.csv has $(wc -l <weights.csv) lines instead of 49"
run "$l2r" weights run --json
expect_code 0
python3 -m json.tool <out >/dev/null || fail "--json is not JSON"

# Weights that do nothing, and weights that do harm, are said to.
run "$l2r" train --data "$tiny" --method l2r --scope epoch --ess auto --inner-lr 1e-9 "${small[@]}" --out idle
expect_code 0
expect_line err 'the weights hardly move .*try --ess 0\.8'
run "$l2r" train --data "$tiny" --method l2r --scope epoch --ess 0.1 --covariance scaled "${small[@]}" --out harm
expect_code 0
expect_line err 'the weights raise the dependence .*try a larger --ess'

run "$l2r" train --data "$tiny" --method l2r --batch-size 4 "${small[@]}" --out few
expect_code 0
expect_line err 'no weights are learned from fewer than 8 graphs at once; try a larger --batch-size'

run "$l2r" train --data "$tiny" "${small[@]}" --out plain --quiet
expect_code 0
run "$l2r" weights plain
expect_code 1
expect_line err '^l2r: plain/best.safetensors has no weights: '

finish
