#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Training on 1, 2 and 4 ranks: the same losses and metrics to 1e-5, the same bits when repeated, one voice, checkpoints
# that know nothing of ranks.
source "$(dirname "$0")/expect.bash"
source "$source_dir/tests/cli/ranks.bash"

for method in erm l2r; do
    for norm in --batch-norm --no-batch-norm; do
        options=(--data "$tiny" --model gin --method "$method" "$norm" --hidden 8 --layers 2 --epochs 3 --batch-size 20
            --optimiser sgd --lr 0.02 --seed 2 --ema 0.9)
        run "$l2r" train "${options[@]}" --threads 1 --quiet --out "1$method$norm"
        expect_code 0
        for n in 2 4; do
            run ranks "$n" "$l2r" train "${options[@]}" --out "$n$method$norm"
            expect_code 0
            expect_line out "^ranks   $n × 1 thread"
            expect_equal "$(grep -c '^data ' out)" 1
            expect_close_runs "1$method$norm" "$n$method$norm"
        done
    done
done
run ranks 4 "$l2r" train --config 4l2r--batch-norm --quiet --out again
expect_code 0
expect_same_tensors again/best.safetensors 4l2r--batch-norm/best.safetensors
expect_equal "$(json again/result.json 'x["more"]')" "$(json 4l2r--batch-norm/result.json 'x["more"]')"
expect_equal "$(python3 -c 'import json; print(json.loads(open("again/metrics.jsonl").readline())["ranks"]["n"])')" 4

# A finished run, continued on other ranks, is what it is; and plain commands do not mind the launcher.
run ranks 2 "$l2r" train --resume --out again --quiet
expect_code 0
run ranks 2 "$l2r" eval again
expect_code 0
expect_equal "$(grep -c '^accuracy ' out)" 1
run ranks 1 "$l2r" train --data "$tiny" "${small[@]}" --quiet --out one
expect_code 0

finish
