#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SIGKILL at random moments, then --resume: the run ends with the very files of one that nobody killed. tools/kill-soak
# kills a hundred times.
source "$(dirname "$0")/expect.bash"

options=(--data "$tiny" --method l2r --ess 0.6 --hidden 16 --layers 2 --epochs 40 --batch-size 16)
run env L2R="$l2r" WORK="$work/kills" LONGEST=350 SEED=$RANDOM "$source_dir/tools/kill-soak" 8 "${options[@]}"
expect_code 0
expect_line out '^killed 8 times, [1-9][0-9]* finished runs? equal to the undisturbed one'
((code == 0)) || cat out

# What a kill can do to other files, and disks: each is found out, and the run ends the same.
same() {
    run "$l2r" train --resume --out kills/pieces
    expect_code 0
    run python3 "$source_dir/tools/compare-runs" kills/whole kills/pieces
    expect_code 0
    expect_file out </dev/null
}
rm -rf kills/pieces && cp -r kills/whole kills/pieces
head -c 100 kills/whole/config.json >kills/pieces/config.json # result.json has the options, too
same
rm kills/pieces/config.json
same
rm kills/pieces/result.json
same
rm kills/pieces/result.json # neither of them
head -c 100 kills/whole/config.json >kills/pieces/config.json
run "$l2r" train --resume --out kills/pieces
expect_code 1
expect_line err '^l2r: kills/pieces/config.json:[0-9]+: not valid JSON'
cp kills/whole/config.json kills/pieces/config.json
same
head -c 30 kills/whole/result.json >kills/pieces/result.json
same
expect_json kills/pieces/config.json
rm kills/pieces/result.json
printf '{"epoch": 39, "lo' >>kills/pieces/metrics.jsonl # a line cut off
printf 'cut off' >>"$(echo kills/pieces/events.out.*)"
same
# A model that is damaged is not used.
size=$(stat -c %s kills/pieces/best.safetensors)
printf 'xyz' | dd of=kills/pieces/best.safetensors bs=1 seek=$((size - 10)) conv=notrunc status=none
run "$l2r" predict kills/pieces
expect_code 1
expect_line err '^l2r: kills/pieces/best.safetensors: .* is damaged'
same
finish
