# SPDX-License-Identifier: MIT
# --transform: targets over decades are trained on as logarithms, and come back in their unit. --loss.
source "$(dirname "$0")/expect.bash"

write_molecules half_life.csv 7 150 hours \
    '"%.4g" % 10 ** (len(smiles) / 8 + smiles.count("O") / 2 - 2 + 0.2 * random.random())'
few=(--model mlp --features descriptors --hidden 16 --layers 1 --epochs 6 --batch-size 16 --seed 3 --split random)
run "$l2r" train --data half_life.csv "${few[@]}" --out auto
grep -q librdkit-dev err && exit 77
expect_code 0
expect_line out '^labels +log10 \(--transform\), standardised '
expect_equal "$(json auto/result.json 'x["metric"]')" nrmse

# The same as a table of logarithms, and the same as the explicit option.
python3 - <<'P'
import csv, math
rows = list(csv.reader(open("half_life.csv")))
column = rows[0].index("hours")
for row in rows[1:]:
    row[column] = repr(math.log10(float(row[column])))
csv.writer(open("logs.csv", "w")).writerows(rows)
P
run "$l2r" train --data logs.csv "${few[@]}" --metric nrmse --out logs
expect_code 0
run "$l2r" train --data half_life.csv "${few[@]}" --transform log10 --out explicit
expect_code 0
run "$l2r" train --data half_life.csv "${few[@]}" --transform none --out none
expect_code 0
expect_equal "$(json none/result.json 'x["metric"]')" rmse
for run in auto logs explicit none; do
    run "$l2r" predict $run --part test --json
    expect_code 0
    mv out $run.json
done
expect_equal "$(python3 - <<'P'
import json, math
read = lambda name: [json.loads(line) for line in open(name + ".json")]
auto, logs, explicit, none = map(read, ("auto", "logs", "explicit", "none"))
print([a["value"] for a in auto] == [e["value"] for e in explicit], auto != none,
      all(abs(math.log10(a["value"]) - l["value"]) < 1e-3 for a, l in zip(auto, logs)),
      all(a["value_low"] > 0 and abs(a["value_high"] / a["value"] * a["value_low"] / a["value"] - 1) < 1e-4 and
          abs(math.log10(a["value_high"]) - l["value_high"]) < 1e-3 for a, l in zip(auto, logs)))
P
)" "True True True True"
expect_equal "$(json auto/result.json 'round(x["test"], 3)')" "$(json logs/result.json 'round(x["test"], 3)')"
run "$l2r" eval auto --json
expect_equal "$(json out 'round(x["metrics"]["nrmse"], 6)')" "$(json auto/result.json 'round(x["test"], 6)')"

# Ranks: within the training labels, whatever their unit; auto takes them where MAE chooses.
run "$l2r" train --data logs.csv "${few[@]}" --transform rank --out ranks
expect_code 0
expect_line out '^labels +ranks \(--transform\), standardised '
run "$l2r" predict ranks --part test --json
expect_equal "$(python3 - <<'P'
import csv, json
rows = [json.loads(line) for line in open("out")]
labels = [float(row["hours"]) for row in csv.DictReader(open("logs.csv"))]
print(all(min(labels) - 1e-6 <= r["value_low"] <= r["value"] <= r["value_high"] <= max(labels) + 1e-6 for r in rows),
      len({r["value"] for r in rows}) > 3)
P
)" "True True"
run "$l2r" eval ranks --json
expect_equal "$(json out 'round(x["metrics"]["nrmse"], 6)')" "$(json ranks/result.json 'round(x["test"], 6)')"
python3 - <<'P'
import csv
rows = list(csv.reader(open("logs.csv")))
csv.writer(open("skewed.csv", "w")).writerows([rows[0]] + [[s, str(-10 ** float(y))] for s, y in rows[1:]])
P
for metric in mae rmse; do
    run "$l2r" train --data skewed.csv "${few[@]}" --metric $metric --out $metric
    expect_code 0
    grep -c '^labels  ranks' out >$metric.ranks
done
expect_equal "$(cat mae.ranks rmse.ranks | tr '\n' ' ')" "1 0 "

# Members average their logarithms, trees learn them too, and a refit keeps the scale.
run "$l2r" train --data half_life.csv "${few[@]}" --members mlp,forest:trees=10 --refit --out both
expect_code 0
run "$l2r" predict both --part test
expect_code 0
expect_line out ',value_sd,'
run "$l2r" explain both --graph 0 --out shown
expect_code 0

# Two targets: one over decades, one not. Labels that have no logarithm.
python3 - <<'P'
import csv
rows = list(csv.reader(open("half_life.csv")))
column = rows[0].index("hours")
csv.writer(open("two.csv", "w")).writerows(
    [rows[0] + ["other"]] + [row + [len(row[0]) % 7 - 3] for row in rows[1:]])
rows[3][column] = "0"
csv.writer(open("zero.csv", "w")).writerows(rows)
P
run "$l2r" train --data two.csv "${few[@]}" --target-columns hours,other --out two
expect_code 0
run "$l2r" predict two --part test --json
expect_equal "$(python3 -c 'import json; rows = [json.loads(x) for x in open("out")]
print(len(rows) > 0, all(r["value_hours"] > 0 and r["value_hours_low"] > 0 for r in rows))')" "True True"
run "$l2r" train --data zero.csv "${few[@]}" --transform log10 --out zero
expect_code 1
expect_line err 'transform.*log10.* 1 of [0-9]+ labels of hours are not above 0'
run "$l2r" train --data zero.csv "${few[@]}" --out zero
expect_code 0
expect_equal "$(json zero/result.json 'x["metric"]')" rmse

# The loss follows the metric only where asked.
run "$l2r" train --data logs.csv "${few[@]}" --metric mae --loss auto --out follows
run "$l2r" train --data logs.csv "${few[@]}" --metric mae --loss absolute --out absolute
run "$l2r" train --data logs.csv "${few[@]}" --metric mae --loss huber --out huber
run "$l2r" train --data logs.csv "${few[@]}" --metric mae --loss squared --out squared
expect_equal "$(json follows/result.json 'x["test"]')" "$(json absolute/result.json 'x["test"]')"
expect_equal "$(for run in absolute huber squared; do json $run/result.json 'x["test"]'; done | sort -u | wc -l)" 3
run "$l2r" train --data $tiny --method irm --model gin "${small[@]}" --out irm --loss huber
expect_code 0 # classes have no distance
run "$l2r" train --data logs.csv --method groupdro --model gin "${small[@]}" --split random --loss huber --out refused
expect_code 1
expect_line err 'loss.*huber.*method erm'
finish
