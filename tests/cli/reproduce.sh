# SPDX-License-Identifier: MIT
# Tables and the case study in their quick forms: outcome, finished runs kept, kills at any moment, what is refused.
source "$(dirname "$0")/expect.bash"

run "$l2r" reproduce
expect_code 0
expect_line out '^fig-cases  +three motif graphs'
expect_line out '^table1  +Six molecule sets'
expect_line out '^table2  +Trained on small graphs'
cp out listed
run "$l2r" reproduce table1 --list
expect_file out <listed

# ---- Tables ----
run "$l2r" reproduce table1 table2 --quick --out whole
expect_code 0
expect_line out '^96 runs, 0 done already, 6 the same as others; 90 to do, [0-9]+ at a time, about '
expect_line out '^\[90/90\] '
expect_line out '^\| L2R-GNN \| '
expect_line out '^\| L2R-GNN − GIN \| [+-]'
expect_line out '^\| a threshold on the number of nodes, fitted in training \| [0-9.]+, balanced [0-9.]+ \|$'
expect_line out '^table2 in whole$'
expect_line whole/table1.tex '^L2R-GNN \$-\$ GIN & '
expect_equal "$(wc -l <whole/results.jsonl)" 91 # and the baselines of one data set
expect_equal "$(find whole -name state | wc -l)" 0
# Mean and standard deviation are those of the lines.
cat >check.py <<'PYTHON'
import csv, json, statistics, sys
lines = [json.loads(line) for line in open("whole/results.jsonl")]
runs = [line for line in lines if line["kind"] == "run"]
assert len({run["id"] for run in runs}) == 90, len(runs)
for line in lines: # where a number comes from
    wanted = {"version", "commit", "vector", "processor", "date", "data", "config"}
    missing = wanted - {key for key in line if line[key]}
    assert not missing, (line["kind"], missing)
assert all(run["threads"] >= 1 for run in runs)
rows = list(csv.DictReader(open("whole/table1.csv"))) + list(csv.DictReader(open("whole/table2.csv")))
assert len(rows) == 48, len(rows)
for row in rows:
    def tests(system):
        # The quick version has no settings of one system on one data set: these are the runs of GIN.
        system = "GIN" if system.startswith("GIN set") else system
        return {r["seed"]: 100 * r["test"] for r in runs if (r["system"], r["set"]) == (system, row["set"])}
    own = tests(row["system"])
    assert list(own) == [0, 1] and row["seeds"] == "2", row
    assert abs(float(row["mean"]) - statistics.mean(own.values())) < 1e-9, row
    assert abs(float(row["sd"]) - statistics.stdev(own.values())) < 1e-9, row
    if row["backbone"]:
        plain = tests(row["backbone"])
        gains = [own[s] - plain[s] for s in own]
        half = 12.706204736 * statistics.stdev(gains) / 2 ** 0.5
        assert abs(float(row["gain"]) - statistics.mean(gains)) < 1e-9, row
        assert abs(float(row["gain_high"]) - statistics.mean(gains) - half) < 1e-6, row
    assert (row["ess"] == "") == (row["method"] == "erm"), row
PYTHON
run python3 check.py
expect_code 0

# Nothing is repeated; --show needs neither data nor runs.
cp whole/results.jsonl before.jsonl
run "$l2r" reproduce table1 --quick --out whole
expect_code 0
expect_line out '^64 runs, 64 done already$'
cmp before.jsonl whole/results.jsonl || fail "a finished run was done again"
mkdir shown && run "$l2r" reproduce table2 --quick --show --out shown --results whole/results.jsonl
expect_code 0
cmp shown/table2.csv whole/table2.csv || fail "--show makes another table"
run "$l2r" reproduce table1 --quick --only gin,l2r-gnn --sets "motif 0.9" --seeds 1 --out part --results \
    whole/results.jsonl --quiet
expect_line out '^\| GIN \| [0-9.]+ \|$'
grep -q PNA out && fail "--only shows other systems"
cmp before.jsonl whole/results.jsonl || fail "a part of the table was done again"

# Changed options are other runs; the order of typing and the number of jobs change nothing.
run "$l2r" reproduce table1 --quick --only GIN --sets "motif 0.9" --seeds 0 --epochs 2 --set ess=0.5 --out changed \
    --quiet
expect_error 1 "--set: no system of table1 has an option --ess"
run "$l2r" reproduce table1 --quick --only GIN,OOD-GNN --seeds 0 --epochs 2 --set ess=0.5 --jobs 1 --out changed --quiet
expect_code 0
expect_line out 'overridden on the command line: `epochs=2,ess=0.5`\.$'
run "$l2r" reproduce table1 --quick --only GIN,OOD-GNN --seeds 0 --set ess=0.5,epochs=2 --jobs 3 --out changed
expect_line out '^4 runs, 4 done already$'

# ---- Killed after some of the runs, again and again ----
same_table() {
    local name
    for name in table1 table2; do
        cut -d, -f1-21 "$1/$name.csv" >left # the last column is the time
        cut -d, -f1-21 "$2/$name.csv" >right
        cmp left right || fail "$name after $3 differs"
    done
    expect_equal "$(python3 -c '
import json, sys
ids = [x["id"] for x in map(json.loads, filter(str.strip, open(sys.argv[1]))) if x["kind"] == "run"]
print(len(ids), len(set(ids)))' "$2/results.jsonl")" "90 90"
}
for done in 0 4 1 2 0 7 3 1 5 2; do
    signal_after KILL $done '^\[[0-9]+/[0-9]+\]' "$l2r" reproduce table1 table2 --quick --out killed --jobs 2 \
        --set checkpoint-seconds=0
    expect_code 137
done
run "$l2r" reproduce table1 table2 --quick --out killed --quiet
expect_code 0
same_table whole killed "ten kills"

# Ctrl-C stops cleanly, and a cut line is repaired.
signal_after INT 2 '^\[[0-9]+/[0-9]+\]' "$l2r" reproduce table1 table2 --quick --out stopped --jobs 2
expect_code 130
expect_line err '^l2r: interrupted; the same command continues where it stopped$'
printf '{"kind":"run","id":"cut' >>stopped/results.jsonl
run "$l2r" reproduce table1 table2 --quick --out stopped --quiet
expect_code 0
sed -i '/"id":"cut$/d' stopped/results.jsonl
same_table whole stopped "a stop"

# ---- A table of one's own ----
cat >own.json <<'JSON'
{"name": "own", "title": "A table of one's own", "seeds": 2,
 "options": {"epochs": 2, "hidden": 8, "layers": 2},
 "rows": [{"label": "plain", "model": "gcn", "method": "erm"},
          {"label": "again", "model": "gcn", "method": "erm", "backbone": "plain", "options": {"dropout": "0.1"}}],
 "columns": [{"label": "motif", "data": "motif:train=40,valid=20,test=20,seed={seed}"},
             {"label": "once", "data": "motif:train=40,valid=20,test=20", "seeds": 1}]}
JSON
run "$l2r" reproduce own.json --out own
expect_code 0
expect_line out '^6 runs, 0 done already; 6 to do'
expect_line out '^own.json in own$'
expect_equal "$(wc -l <own/results.jsonl)" 6
run "$l2r" reproduce own.json --quick --out own
expect_error 1 "own.json: there is no quick version"
sed 's/"model": "gcn", "method": "erm"}/"modell": "gcn", "method": "erm"}/' own.json >wrong.json
run "$l2r" reproduce wrong.json --out own
expect_error 1 'wrong.json: a row: there is no key "modell"'

# A run that fails is told, the others are kept.
sed 's/"motif:train=40,valid=20,test=20"/"motif:train=40,valid=20,test=20,mu=2"/' own.json >failing.json
run "$l2r" reproduce failing.json --out failing --quiet
expect_code 1
expect_line err '^l2r: once plain 0: motif:.*mu'
expect_line err '^l2r: 2 runs failed; run the same command again to retry them$'
expect_equal "$(wc -l <failing/results.jsonl)" 4

# ---- The case study ----
run "$l2r" reproduce fig-spmotif-cases --quick --out cases --quiet
expect_code 0
expect_line out '^L2R-GIN +graph [0-9]+: p\(label\) '
expect_json cases/fig-spmotif-cases.json
run "$l2r" reproduce fig-cases --quick --out cases --quiet
expect_code 0
expect_line out '^GCN +graph [0-9]+: p\(label\) '
expect_line out '^L2R-GCN +graph [0-9]+: p\(label\) '
expect_line out '^fig-cases in cases$'
expect_equal "$(head -c 8 cases/fig-cases.png | od -An -tx1 | tr -d ' \n')" 89504e470d0a1a0a
expect_json cases/fig-cases.json
expect_equal "$(json cases/fig-cases.json '[(m["model"], len(m["graphs"])) for m in x["models"]]')" \
    "[('GCN', 3), ('L2R-GCN', 3)]"
cat >check.py <<'PYTHON'
import xml.etree.ElementTree as tree
root = tree.parse("cases/fig-cases.svg").getroot()
words = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
for wanted in ("GCN", "L2R-GCN", "wheel (planted)", "star (planted)", "important subgraph"):
    assert words.count(wanted) == 1, (wanted, words)
assert sum(word.startswith("graph ") for word in words) == 3, words
PYTHON
run python3 check.py
expect_code 0

# Once more: the runs are not repeated, the figure is the same; without their folders they are.
cp cases/fig-cases.svg first.svg
before=$(stat -c %Y.%s cases/runs/*/result.json)
run "$l2r" reproduce fig-cases --quick --out cases --quiet --jobs 1
expect_code 0
cmp first.svg cases/fig-cases.svg || fail "the second figure differs"
expect_equal "$(stat -c %Y.%s cases/runs/*/result.json)" "$before"
rm -r cases/runs
run "$l2r" reproduce fig-cases --quick --out cases
expect_code 0
expect_line out '^2 runs, 0 done already'
cmp first.svg cases/fig-cases.svg || fail "the third figure differs"

# ---- Refusals ----
run "$l2r" reproduce fig-case
expect_error 2 "cannot reproduce 'fig-case'; did you mean 'fig-cases'?"
run "$l2r" reproduce everything
expect_error 2 "cannot reproduce 'everything'; 'l2r reproduce' lists what can be reproduced"
run "$l2r" reproduce table1 table1
expect_error 2 "'table1' is named twice"
run "$l2r" reproduce table1 --quick --only MLP --out whole
expect_error 1 "--only: table1 has no system 'MLP'; it has 'GIN', for example"
run "$l2r" reproduce table1 --quick --seeds 3-1 --out whole
expect_error 2 "--seeds 3-1: the range 3-1 runs backwards"
run "$l2r" reproduce table1 --data-root nowhere --out missing
expect_code 1
expect_line err '^l2r: nowhere/ogb/tox21: no such file or folder'
(
    failures=0
    flock 9
    run "$l2r" reproduce table1 --quick --out whole --quiet
    expect_error 1 "whole/results.jsonl: another process is writing results there; wait, or choose another file"
    exit "$failures"
) 9<whole/results.jsonl || fail "the lock"
finish
