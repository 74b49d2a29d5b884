# SPDX-License-Identifier: MIT
# A committee from one run: cycles of the learning rate, whose best models answer together; killed and resumed.
source "$(dirname "$0")/expect.bash"

cycles=(--data "$tiny" --hidden 8 --layers 2 --dropout 0 --epochs 7 --snapshots 3 --seed 1 --checkpoint-seconds 0)
run "$l2r" train "${cycles[@]}" --out three
expect_code 0
expect_equal "$(ls three/members | tr '\n' ' ')" "cycle-1.safetensors cycle-2.safetensors "
expect_equal "$(json three/config.json 'x["lr-schedule"]')" cosine
python3 - <<'P' || fail "cycles of the learning rate"
import json
lr = [json.loads(line)["lr"] for line in open("three/metrics.jsonl")]
assert len(lr) == 7 and lr[0] == lr[2] == lr[4] == 0.001 and lr[1] < 0.001 and lr[6] < lr[5] < lr[4], lr
P
run "$l2r" eval three --part test --json
expect_code 0
expect_equal "$(json out 'round(x["metrics"]["accuracy"], 6)')" "$(json three/result.json 'round(x["test"], 6)')"

# The mean of the members is what they say one by one; the last cycle is what is left of the run's own.
run "$l2r" predict three --part test --no-applicability
expect_code 0
expect_equal "$(head -1 out | grep -c _sd)" 1
cp out together.csv
for k in 1 2; do
    run "$l2r" predict three/members/cycle-$k.safetensors --data "$tiny" --no-applicability
    expect_code 0
    cp out cycle-$k.csv
done
python3 - <<'P' || fail "the mean and spread of three cycles"
import csv
together, first, second = (list(csv.DictReader(open(f))) for f in ("together.csv", "cycle-1.csv", "cycle-2.csv"))
column = next(c for c in together[0] if c + "_sd" in together[0])
first, second = ({r["graph"]: float(r[column]) for r in rows} for rows in (first, second))
moved = 0
for row in together:
    mean, sd, a, b = float(row[column]), float(row[column + "_sd"]), first[row["graph"]], second[row["graph"]]
    last = 3 * mean - a - b
    spread = (sum((x - mean) ** 2 for x in (a, b, last)) / 2) ** 0.5
    assert abs(spread - sd) < 2e-5, (row, a, b, last, spread)
    moved += abs(a - b) > 1e-4
assert moved > 5, moved
P
run "$l2r" predict --ensemble three three/members/cycle-1.safetensors --data "$tiny" --no-applicability
expect_code 0

# Killed in its second cycle, long before the end.
cycles+=(--epochs 45)
run "$l2r" train "${cycles[@]}" --out whole
expect_code 0
signal_after KILL 1 '^epoch 16/' "$l2r" train "${cycles[@]}" --out half
expect_code 137
run "$l2r" train --resume --out half
expect_code 0
cmp whole/best.safetensors half/best.safetensors || fail "a resumed run of cycles differs"
cmp whole/members/cycle-1.safetensors half/members/cycle-1.safetensors || fail "its first cycle differs"

refused() { # option…, then the sentence
    run "$l2r" train --data "$tiny" --hidden 8 --layers 2 --epochs 4 --snapshots 2 --quiet --out bad "${@:1:$#-1}"
    expect_code 1
    expect_line err "${*: -1}"
    [[ ! -e bad/result.json ]] || fail "bad has a result"
    rm -rf bad
}
refused --members 2 '--members and --snapshots both make a committee; choose one of them'
refused --epochs 1 '1 epochs cannot be divided into 2 cycles \(--snapshots\)'
refused --method dfr '--snapshots does not go with method dfr, which has phases of its own'
finish
