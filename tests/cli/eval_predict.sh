# SPDX-License-Identifier: MIT
# A trained model used again: eval repeats the numbers of the run, predict writes one row per graph.
source "$(dirname "$0")/expect.bash"

run "$l2r" train --data "$tiny" "${small[@]}" --out model --json
expect_code 0
cp out train.json
metric=$(json train.json 'x["metric"]')

for part in train valid test; do
    run "$l2r" eval model --part $part --json
    expect_code 0
    expect_json out
    expect_equal "$(json out "abs(x['metrics']['$metric'] - $(json train.json "x['$part']")) < 1e-9")" True
done
run "$l2r" eval model --json
expect_equal "$(json out '(x["part"], x["graphs"])')" "('test', 24)"
run "$l2r" eval model/best.safetensors
expect_code 0
expect_line out '^data  .*: test, 24 of 96 graphs$'
expect_line out "^$metric +[0-9.]+$"
run "$l2r" eval model --data "$tiny,mu=0.3" --json
expect_equal "$(json out '(x["part"], x["graphs"])')" "('all', 96)"

# CSV: head, rows, probabilities that sum to one, labels of the data.
run "$l2r" predict model --part all
expect_code 0
expect_equal "$(head -1 out)" "graph,class,p_0,p_1,label,distance,applicability,unseen,problem"
expect_equal "$(wc -l <out)" 97
python3 - out <<'P' || fail "rows of '$ran'"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert [int(r["graph"]) for r in rows] == list(range(96))
for r in rows:
    p = [float(r["p_0"]), float(r["p_1"])]
    assert abs(sum(p) - 1) < 1e-5 and r["class"] == str(int(p[1] > p[0])), r
assert {r["label"] for r in rows} == {"0", "1"}
P
run "$l2r" predict model --part test --out test.csv --logits
expect_code 0
run "$l2r" predict model --out tested.csv --logits --quiet
expect_code 0
expect_file err </dev/null
cmp test.csv tested.csv || fail "without --part the test graphs are predicted"
run "$l2r" predict model --part test --out test.csv --logits
expect_file out </dev/null
expect_equal "$(head -1 test.csv)" "graph,class,logit_0,logit_1,label,distance,applicability,unseen,problem"
expect_equal "$(wc -l <test.csv)" 25
run "$l2r" eval model --part test --json
expect_equal "$(json out 'round(x["metrics"]["accuracy"], 9)')" \
    "$(python3 -c 'import csv
r = list(csv.DictReader(open("test.csv")))
print(round(sum(x["class"] == x["label"] for x in r) / len(r), 9))')"

# An old file survives a failed call.
run "$l2r" predict model --data nowhere --out test.csv
expect_code 1
expect_equal "$(wc -l <test.csv)" 25
finish
