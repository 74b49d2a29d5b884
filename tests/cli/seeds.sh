# SPDX-License-Identifier: MIT
# --seeds: a run for each, a table, mean ± standard deviation; the numbers are those of single runs.
source "$(dirname "$0")/expect.bash"

run "$l2r" train --data "$tiny" "${small[@]}" --seeds 1,3 --out two
expect_code 0
expect_line out '^seed 1  epoch 2/2 '
expect_line out '^seed +train +valid +test +best epoch +time$'
expect_line out '^1 +[0-9.]+ +[0-9.]+ +[0-9.]+ +[12] +[0-9:]+$'
expect_line out '^3 +[0-9.]+ '
expect_line out '^mean +[0-9.]+ +[0-9.]+ +[0-9.]+$'
expect_line out '^sd +[0-9.]+ +[0-9.]+ +[0-9.]+$'
expect_line out '^test [a-z]+ [0-9.]+ ± [0-9.]+ over 2 seeds$'
expect_equal "$(echo $(ls two))" "seed-1 seed-3"

run "$l2r" train --data "$tiny" "${small[@]}" --seed 3 --out alone --json
cp out alone.json
run "$l2r" train --resume --seeds 1,3 --out two --json
expect_code 0
expect_json out
expect_equal "$(json out '[r["seed"] for r in x["runs"]]')" "[1, 3]"
expect_equal "$(json out 'x["runs"][1]["test"]')" "$(json alone.json 'x["test"]')"
expect_equal "$(json out 'abs(x["mean"]["test"] - sum(r["test"] for r in x["runs"]) / 2) < 1e-12')" True
expect_equal \
    "$(json out 'abs(x["sd"]["valid"] - abs(x["runs"][0]["valid"] - x["runs"][1]["valid"]) / 2 ** 0.5) < 1e-12')" True
finish
