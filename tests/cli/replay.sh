# SPDX-License-Identifier: MIT
# --config replays a run: the same metrics; typed options win; another model leaves the old one's own options out.
source "$(dirname "$0")/expect.bash"
scores='[x[k] for k in ("metric", "train", "valid", "test", "best_epoch")]'

run "$l2r" train --data "$tiny" "${small[@]}" --dropout 0.3 --seed 4 --out first --json
expect_code 0
cp out first.json
run "$l2r" train --config first/config.json --out again --json
expect_code 0
expect_equal "$(json out "$scores")" "$(json first.json "$scores")"
cmp first/config.json again/config.json || fail "the replayed run has another config"
cmp first/split.json again/split.json || fail "the replayed run has another split"

# The folder stands for its config.json; the command line overrides.
run "$l2r" train --config first --epochs 1 --seed=6 --out other --json
expect_code 0
expect_equal "$(json other/config.json '(x["epochs"], x["seed"], x["dropout"], x["data"])')" "(1, 6, 0.3, '$tiny')"
run "$l2r" train --config=first --model gcn --out gcn --quiet
expect_code 0
expect_equal "$(json gcn/config.json '(x["model"], x["epochs"], x["seed"])')" "('gcn', 2, 4)"
finish
