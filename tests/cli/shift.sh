# SPDX-License-Identifier: MIT
# Splits of five parts: shown by data info and split, trained with, selected by, scored, and kept in every file.
source "$(dirname "$0")/expect.bash"

data=goodmotif:graphs=200
run "$l2r" data info $data
expect_code 0
expect_line out '^official split +120 train, 20 valid, 20 test, 20 id-valid, 20 id-test$'
expect_line out '^split +official: 120 train, 20 valid, 20 test, 20 id-valid, 20 id-test$'
expect_line out '^  star +20 graphs'
run "$l2r" data info $data --json
expect_equal "$(json out '[x["split"][p] for p in ("train", "valid", "test", "id-valid", "id-test")]')" \
    "[120, 20, 20, 20, 20]"
expect_equal "$(json out 'x["official_split"]["id-test"], x["official_split"]["unused"]')" "(20, 0)"
run "$l2r" data split $data --out five.json
expect_line out '^five.json: official split, 120 train, 20 valid, 20 test, 20 id-valid, 20 id-test$'
expect_equal "$(json five.json 'sorted(len(x[p]) for p in ("id-valid", "id-test"))')" "[20, 20]"

# A folder in TU layout keeps parts and environments.
run "$l2r" data make goodmotif --graphs 200 --out made
expect_code 0
run "$l2r" data info made
expect_line out '^split +official: 120 train, 20 valid, 20 test, 20 id-valid, 20 id-test$'
expect_line out '^  path +20 graphs'

run "$l2r" train --data $data "${small[@]}" --epochs 3 --select id-valid --out run
expect_code 0
expect_line out '^ +train +valid +test +id-valid +id-test$'
for part in train valid test id-valid id-test; do
    expect_equal "$(json run/result.json "x['$part'] == x['more']['$part']['accuracy']")" True
done
expect_equal "$(json run/result.json 'x["select"]')" id-valid
python3 - <<'END' || fail "the best epoch is not the one that id-valid picks, or an epoch lacks a score"
import json
lines = [json.loads(line) for line in open("run/metrics.jsonl")]
assert len(lines) == 3 and all("valid" in line and "id-valid" in line for line in lines)
result = json.load(open("run/result.json"))
scores = [line["id-valid"]["accuracy"] for line in lines]
assert result["best_epoch"] == scores.index(max(scores)) + 1, (result["best_epoch"], scores)
assert abs(result["id-valid"] - max(scores)) < 1e-9
END
run "$l2r" eval run --part id-test --json
expect_equal "$(json out 'x["part"], x["graphs"]')" "('id-test', 20)"
expect_equal "$(json out 'x["metrics"]["accuracy"]')" "$(json run/result.json 'x["id-test"]')"

run "$l2r" train --data $data "${small[@]}" --epochs 2 --seeds 0,1 --out seeds
expect_line out '^seed +train +valid +test +id-valid +id-test +best epoch +time$'
expect_line out '^mean +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+$'

# By class and environment: the groups make up the part, the worst and the mean follow, and eval and report agree.
run "$l2r" train --data spmotif:train=90,valid=30,test=90 "${small[@]}" --seeds 0,1 --out groups
expect_code 0
run "$l2r" train --data spmotif:train=90,valid=30,test=90 "${small[@]}" --out one
expect_line out '^class +environment +test graphs +accuracy$'
expect_line out '^ +[012] +(tree|ladder|wheel) +[0-9]+ +[01]\.[0-9]+$'
expect_line out '^worst of 9 groups [01]\.[0-9]+, mean over groups [01]\.[0-9]+ \(test accuracy\)$'
run "$l2r" eval one --json
cp out eval.json
python3 - <<'END' || fail "scores by group do not add up"
import json
result = json.load(open("one/result.json"))["more"]
groups = result["groups"]["test"]
scores = [g["accuracy"] for g in groups["groups"]]
assert len(scores) == groups["n"] == 9 and groups["score"] == "accuracy"
assert sum(g["n"] for g in groups["groups"]) == 90
assert abs(sum(g["n"] * g["accuracy"] for g in groups["groups"]) / 90 - result["test"]["accuracy"]) < 1e-9
assert groups["worst"] == min(scores) == groups["worst_group"]["accuracy"]
assert abs(groups["mean"] - sum(scores) / 9) < 1e-12
assert json.load(open("eval.json"))["metrics"]["groups"] == groups
assert set(result["groups"]) == {"train", "valid", "test"}
END
run "$l2r" report groups run --out report.html
expect_code 0
for text in 'Test graphs by class and environment' 'worst group' 'class 2, wheel' 'test, in distribution'; do
    grep -q "$text" report.html || fail "the report does not say: $text"
done

# Three parts have no id-valid to select by, and their files say nothing of it.
run "$l2r" train --data "$tiny" "${small[@]}" --select id-valid --out none
expect_error 1 '--select id-valid: the official split of data set "motif" has no such part'
run "$l2r" eval run --data "$tiny" --part id-valid
expect_code 1
run "$l2r" train --data "$tiny" "${small[@]}" --out three
grep -q id-valid three/split.json three/result.json three/metrics.jsonl && fail "three parts tell of id-valid"
finish
