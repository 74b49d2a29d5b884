# SPDX-License-Identifier: MIT
# p is a probability: class weights are undone, calibration is stored with the model and applied by every command, and a
# regression says between which values its answer lies.
source "$(dirname "$0")/expect.bash"

# One molecule in ten is active; values with noise.
python3 - <<'end'
import random
random.seed(2)
atoms = ["C", "O", "N", "C(C)", "C(=O)", "C(F)"]
with open("rare.csv", "w") as rare, open("values.csv", "w") as values:
    rare.write("smiles,active\n")
    values.write("smiles,value\n")
    for i in range(300):
        s = "C" + "".join(random.choice(atoms) for _ in range(random.randint(2, 8)))
        rare.write(f"{s},{int(random.random() < (0.4 if 'F' in s and 'N' in s else 0.02))}\n")
        values.write(f"{s},{len(s) + random.gauss(0, 1):.3f}\n")
end
small=(--split random --valid-fraction 0.3 --method erm --hidden 16 --layers 2 --epochs 8 --threads 1)

# mean CSV COLUMN: the mean of a column.
mean() {
    python3 -c 'import csv, sys; v = [float(r[sys.argv[2]]) for r in csv.DictReader(open(sys.argv[1]))]
print(sum(v) / len(v))' "$1" "$2"
}
near() {
    python3 -c 'import sys; a, b, d = map(float, sys.argv[1:]); print(abs(a - b) <= d)' "$@"
}

share=$(mean rare.csv active)
for how in none platt isotonic temperature; do
    run "$l2r" train --data rare.csv --model gin "${small[@]}" --class-weights balanced --calibrate $how --out $how
    expect_code 0
    run "$l2r" predict $how --data rare.csv --no-applicability --out $how.csv
    expect_code 0
    expect_equal "$how $(near "$(mean $how.csv p)" "$share" 0.05)" "$how True"
    run "$l2r" eval $how --json
    expect_equal "$(json out 'x["metrics"]')" "$(json $how/result.json 'x["more"]["test"]')"
done
expect_equal "$(cmp -s none.csv platt.csv && echo same)" ''
# The order of the molecules, and with it ROC-AUC, stays.
expect_equal "$(json none/result.json 'x["test"]')" "$(json platt/result.json 'x["test"]')"
expect_equal "$(json platt/config.json 'x["calibrate"]')" platt

# Intervals: nine of ten validation molecules lie inside, as the quantile promises.
run "$l2r" train --data values.csv --model gin "${small[@]}" --out values
expect_code 0
run "$l2r" predict values --part valid --no-applicability --out inside.csv
expect_code 0
expect_equal "$(head -1 inside.csv)" smiles,value,l2r_value,l2r_value_low,l2r_value_high,l2r_problem
expect_equal "$(python3 -c 'import csv
rows = list(csv.DictReader(open("inside.csv")))
inside = sum(float(r["l2r_value_low"]) <= float(r["value"]) <= float(r["l2r_value_high"]) for r in rows) / len(rows)
print(0.9 <= inside <= 0.92)')" True
run "$l2r" predict values --part valid --no-applicability --coverage 0.5 --out half.csv
expect_equal "$(python3 -c 'import csv
width = [float(r["l2r_value_high"]) - float(r["l2r_value_low"]) for r in csv.DictReader(open("half.csv"))]
wide = [float(r["l2r_value_high"]) - float(r["l2r_value_low"]) for r in csv.DictReader(open("inside.csv"))]
print(max(width) < min(wide))')" True
run "$l2r" predict values --data values.csv --no-applicability --coverage 0.999
expect_code 0
expect_line err '^l2r: too few validation graphs for intervals of this coverage: their fields stay empty$'

# Committees are calibrated as a whole: predict, eval and the run agree, and p is a probability again.
for how in none platt; do
    run "$l2r" train --data rare.csv --model gin "${small[@]}" --class-weights balanced --members 2 --calibrate $how \
        --out both-$how
    expect_code 0
    run "$l2r" predict both-$how --part valid --no-applicability --out both-$how.csv
    expect_code 0
    run "$l2r" eval both-$how --part valid --json
    expect_equal "$(json out 'x["metrics"]')" "$(json both-$how/result.json 'x["more"]["valid"]')"
    expect_equal "$how $(near "$(python3 -c 'import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
print(sum((float(r["p"]) - float(r["active"])) ** 2 for r in rows) / len(rows))' both-$how.csv)" \
        "$(json out 'x["metrics"]["brier"]')" 1e-6)" "$how True"
done
expect_equal "$(cmp -s both-none.csv both-platt.csv && echo same)" ''
expect_equal "$(near "$(mean both-platt.csv p)" "$(mean both-platt.csv active)" 0.02)" True

# Intervals by spread: they cover as many validation molecules, and are wide where the members disagree.
run "$l2r" train --data values.csv "${small[@]}" --members 3 --out committee
expect_code 0
run "$l2r" predict committee --part valid --no-applicability --intervals spread --out spread.csv
expect_code 0
expect_equal "$(head -1 spread.csv)" smiles,value,l2r_value,l2r_value_sd,l2r_value_low,l2r_value_high,l2r_problem
run python3 - <<'end'
import csv
rows = [{k.replace("l2r_value", "answer"): float(v) for k, v in r.items() if v and k != "smiles"}
        for r in csv.DictReader(open("spread.csv"))]
inside = sum(r["answer_low"] <= r["value"] <= r["answer_high"] for r in rows) / len(rows)
assert 0.9 <= inside <= 0.92, inside
rows.sort(key=lambda r: r["answer_sd"])
width = [r["answer_high"] - r["answer_low"] for r in rows]
assert all(a <= b + 1e-4 for a, b in zip(width, width[1:])) and width[0] > 0 and width[-1] > 2 * width[0], width
median = rows[len(rows) // 2]["answer_sd"]
ratio = {round(w / (r["answer_sd"] + 0.1 * median), 2) for w, r in zip(width, rows)}
assert max(ratio) - min(ratio) <= 0.05, ratio
end
expect_code 0
run "$l2r" train --data values.csv --model gin "${small[@]}" --seeds 0-1 --quiet --out seeds
run "$l2r" predict seeds --ensemble --data values.csv --intervals spread --no-applicability --json
expect_code 0
expect_equal "$(head -1 out | python3 -c 'import json, sys; x = json.load(sys.stdin)
print(x["l2r_value_low"] < x["l2r_value"] < x["l2r_value_high"])')" True
run "$l2r" predict values --data values.csv --intervals spread
expect_error 1 '--intervals: one model has no spread; intervals that follow it need several, or a committee (--members)'
run "$l2r" train --data values.csv --model gin "${small[@]}" --replicates 2 --quiet --out replicates
run "$l2r" predict replicates --ensemble --data values.csv --intervals spread
expect_code 1
expect_line err '^l2r: --intervals: .* different splits'
run "$l2r" predict none --data rare.csv --coverage 0.9
expect_code 1
expect_line err '^l2r: --coverage: a binary task has probabilities, not intervals$'
run "$l2r" train --data rare.csv --model gin "${small[@]}" --calibrate beta --out beta
expect_code 2
finish
