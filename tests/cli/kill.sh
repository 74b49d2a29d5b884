#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SIGKILL at any moment, then --resume: the run ends with the very numbers of one that nobody killed.
source "$(dirname "$0")/expect.bash"

options=(--data "$tiny" --method l2r --ess 0.6 --hidden 16 --layers 2 --epochs 40 --batch-size 16 --checkpoint-seconds 0 --quiet)
run "$l2r" train "${options[@]}" --out whole
expect_code 0

kills=0
for wait in 0.06 0.15 0.1 0.2 0.12 0.3; do
    "$l2r" train "${options[@]}" --out pieces --resume >/dev/null 2>&1 &
    pid=$!
    sleep "$wait"
    kill -KILL "$pid" 2>/dev/null && kills=$((kills + 1))
    wait "$pid" 2>/dev/null
done
((kills > 0)) || fail "every run ended before it could be killed"
run "$l2r" train --out pieces --resume --quiet
if [[ $code != 0 ]]; then # killed before the first checkpoint every time: nothing to continue
    run "$l2r" train "${options[@]}" --out pieces --resume
fi
expect_code 0
numbers='{k: x[k] for k in ("train", "valid", "test", "best_epoch", "epochs", "more")}'
expect_equal "$(json pieces/result.json "$numbers")" "$(json whole/result.json "$numbers")"
expect_equal "$(wc -l <pieces/metrics.jsonl)" 40
for file in best last; do
    python3 - "whole/$file.safetensors" "pieces/$file.safetensors" <<'PYTHON' || fail "$file.safetensors differs"
import sys
bodies = []
for path in sys.argv[1:]:
    data = open(path, "rb").read()
    bodies.append(data[8 + int.from_bytes(data[:8], "little"):])
sys.exit(bodies[0] != bodies[1])
PYTHON
done

finish
