# SPDX-License-Identifier: MIT
# l2r explain on tables of molecules: lines, names, classes by their words, rows that were skipped, p as predict has it,
# and the fragments that matter over all graphs.
source "$(dirname "$0")/expect.bash"

python3 - <<'P'
acids = ["CC(=O)O", "CCC(=O)O", "OC(=O)c1ccccc1", "CCCC(=O)O", "OC(=O)Cc1ccccc1", "CC(C)C(=O)O"]
amines = ["CCN", "CCCN", "NCc1ccccc1", "CCCCN", "NCCc1ccccc1", "CC(C)CN"]
with open("my.csv", "w") as f:
    print("smiles,compound_id,y", file=f)
    for i in range(40):
        print(f"{acids[i % 6]},acid-{i},sour", f"{amines[i % 6]},amine-{i},bitter", sep="\n", file=f)
rows = open("my.csv").read().splitlines()
open("new.csv", "w").write("\n".join(rows[:4] + ["C(C,broken,sour", "*CC,dummy,sour"] + rows[4:9]) + "\n")
P
run "$l2r" train --data my.csv --model gin --epochs 12 --hidden 16 --layers 2 --split random --calibrate platt --quiet \
    --out run
grep -q librdkit-dev err && exit 77
expect_code 0

run "$l2r" explain run --data new.csv --explainer occlusion --fragments --format svg --out why
expect_code 0
expect_line err '^new.csv:5: skipped: not a valid SMILES$'
expect_line err '^new.csv:6: skipped: the SMILES has a wildcard atom '
expect_line out '^class sour +4 '
expect_line out '^[0-9]+ fragments of 8 molecules; contributions to the log-odds of class (sour|bitter)$'
expect_line out '^fragment +molecules +count +mean +sd$'
expect_equal "$(cut -d, -f1-6 why/graphs.csv | sed -n '1p;2p;5p')" "graph,line,name,smiles,label,target
0,2,acid-0,CC(=O)O,sour,sour
3,7,amine-1,CCCN,bitter,bitter"
grep -q 'line 8: p(' why/graph-4.svg || fail "the drawing's title has no line"
grep -q '>acid-2<' why/graph-4.svg || fail "the drawing's caption has no name"
expect_equal "$(json why/explanations.json '[x["line"] for x in x["skipped"]]')" "[5, 6]"
expect_equal "$(json why/explanations.json '[x["graphs"][4][k] for k in ("line", "name", "label")]')" \
    "[8, 'acid-2', 'sour']"

# p of a target is the p of l2r predict, which is calibrated; contributions are in log-odds of the same.
run "$l2r" predict run --data new.csv --no-applicability --json
expect_code 0
cp out said
run python3 - <<'P'
import csv, json, math
said = [x for x in map(json.loads, open("said")) if x["problem"] is None]
one = {x["class"]: x["p"] > 0.5 for x in said}
for row, x in zip(csv.DictReader(open("why/graphs.csv")), said):
    p = x["p"] if one[row["target"]] else 1 - x["p"]
    assert abs(p - float(row["p"])) < 1e-4, (row, x)
    assert row["target"] == x["class"] and row["name"] == x["compound_id"], (row, x)
    assert abs(float(row["value"]) - math.log(x["p"] / (1 - x["p"]))) < 1e-3, (row, x)
rows = list(csv.DictReader(open("why/fragments.csv")))
assert list(rows[0]) == ["fragment", "class", "molecules", "count", "mean", "sd", "min", "max"], rows[0]
assert sum(int(x["count"]) for x in rows if x["fragment"] == "*c1ccccc1") >= 1, rows
assert all(float(x["min"]) <= float(x["mean"]) + 1e-6 <= float(x["max"]) + 2e-6 for x in rows), rows
shared = [int(x["molecules"]) > 1 for x in rows]
assert shared == sorted(shared, reverse=True), rows
P
expect_code 0

# The same bits on one thread and as JSON; without --fragments those of the earlier call go.
run "$l2r" explain run --data new.csv --explainer occlusion --fragments --no-draw --threads 1 --json --out again
expect_code 0
cmp why/fragments.csv again/fragments.csv || fail "fragments depend on threads"
expect_equal "$(json out 'x["fragments"][0]["fragment"]')" "$(sed -n 2p why/fragments.csv | cut -d, -f1)"
run "$l2r" explain run --data new.csv --explainer occlusion --no-draw --out again
expect_code 0
[[ ! -e again/fragments.csv ]] || fail "fragments of an earlier call are left"

# Molecules are explained by contributions unless an option of masks is typed.
run "$l2r" explain run --data new.csv --no-draw --limit 2 --out plain
expect_code 0
expect_equal "$(json plain/explanations.json 'x["settings"]["explainer"]')" shapley

# Several classes are kept apart; trees have no fragments.
sed 's/\(acid-.*[02468]\),sour/\1,mild/' my.csv >three.csv
run "$l2r" train --data three.csv --model gin "${small[@]}" --split random --quiet --out classes
expect_code 0
run "$l2r" explain classes --limit 6 --steps 2 --restarts 1 --no-draw --fragments
expect_code 0
expect_line out '^fragment +class +molecules +count +mean +sd$'
if "$l2r" list models | grep -q '^boost'; then
    run "$l2r" train --data my.csv --model boost --split random --quiet --out boost
    run "$l2r" explain boost --limit 1 --fragments
    expect_error 1 '--fragments: boost reads features of whole molecules, so no fragment can be taken away from it'
fi
finish
