# SPDX-License-Identifier: MIT
# Cross-validation and replicates: one command, a table with mean ± sd, resumable, grouped in the report, one ensemble.
source "$(dirname "$0")/expect.bash"

python3 - <<'end'
rings = ["c1ccccc1", "C1CCCCC1", "c1ccncc1", "C1CCCC1", "c1ccsc1", "C1CCNCC1", "c1ccoc1"]
with open("my.csv", "w") as f:
    f.write("smiles,year,active\n")
    for i in range(70):
        f.write(f"{rings[i % 7]}{'C' * (1 + i // 14)}{'O' if i % 3 else 'N'},{2000 + i % 4},{int(i % 3 == 0)}\n")
end
small=(--method erm --hidden 8 --layers 2 --epochs 1 --threads 1)

# tested DIR: how often each molecule is tested on, over the folds.
tested() {
    python3 -c 'import collections, glob, json, sys
count = collections.Counter(g for p in glob.glob(sys.argv[1] + "/*/split.json") for g in json.load(open(p))["test"])
print(len(count), set(count.values()))' "$1"
}
run "$l2r" train --data my.csv --model gin "${small[@]}" --folds 3 --out folds
expect_code 0
expect_line out '^fold  *train  *valid  *test  *best epoch  *time$'
expect_line out '^2  *[0-9.]+ '
expect_line out '^test rocauc [0-9.]+ ± [0-9.]+ over 3 folds$'
expect_line out '^split   scaffold-balanced: [0-9]* train, [0-9]* valid, [0-9]* test \(fold 1 of 3\)$'
expect_equal "$(tested folds)" '70 {1}'
# Molecules of a scaffold stay in one fold.
python3 - <<'end' || fail "scaffolds are torn apart"
import glob, json
rows = [line.split(",")[0] for line in open("my.csv").read().split("\n")[1:-1]]
for path in glob.glob("folds/*/split.json"):
    split = json.load(open(path))
    ring = {part: {rows[g].rstrip("ON").rstrip("C") for g in split[part]} for part in ("train", "valid", "test")}
    assert not ring["train"] & ring["test"] and not ring["train"] & ring["valid"], ring
end
for rule in random stratified; do
    run "$l2r" train --data my.csv --model gin "${small[@]}" --split $rule --folds 4 --out $rule --json
    expect_code 0
    expect_equal "$(json out '[r["fold"] for r in x["runs"]]')" '[0, 1, 2, 3]'
    expect_equal "$(json out 'abs(sum(r["test"] for r in x["runs"]) / 4 - x["mean"]["test"]) < 1e-12')" True
    expect_equal "$(tested $rule)" '70 {1}'
done
run "$l2r" train --data my.csv --model gin "${small[@]}" --split-column year --folds 4 --out years --quiet
expect_code 0
expect_equal "$(json years/fold-2/split.json 'x["rule"], {g % 4 for g in x["test"]}')" "('column', {2})"

# A fold by itself, and folds that cannot be.
run "$l2r" train --data my.csv --model gin "${small[@]}" --folds 3 --fold 2 --out single --quiet
expect_code 0
expect_equal "$(json single/split.json 'x["test"]')" "$(json folds/fold-2/split.json 'x["test"]')"
run "$l2r" train --data my.csv --model gin "${small[@]}" --folds 2 --out two
expect_code 1
expect_line err '^l2r: --folds = 2; expected 3 or more: one tests, one validates, the others train$'
run "$l2r" train --data my.csv --model gin "${small[@]}" --folds 3 --split size --out size
expect_line err 'makes no folds; random, stratified, scaffold-balanced and column do$'
run "$l2r" train --data my.csv --model gin "${small[@]}" --folds 3 --seeds 0-2 --out both
expect_code 2
expect_line err '^l2r: --seeds, --folds and --replicates exclude each other; --fold K trains one fold$'

# An interrupted cross-validation goes on where it stopped: the folds that are there stay.
cp -r folds resumed
rm -r resumed/fold-1 resumed/fold-2/result.json
run "$l2r" train --resume --out resumed
expect_code 0
expect_equal "$(json resumed/fold-1/result.json 'x["test"]')" "$(json folds/fold-1/result.json 'x["test"]')"
expect_equal "$(json resumed/fold-2/result.json 'x["valid"]')" "$(json folds/fold-2/result.json 'x["valid"]')"

# Replicates: a seed and a split each.
run "$l2r" train --data my.csv --model gin "${small[@]}" --split random --replicates 3 --seed 5 --out replicates
expect_code 0
expect_line out '^replicate  *train '
expect_equal "$(json replicates/replicate-2/config.json '(x["seed"], x["split-seed"])')" '(7, 2)'
expect_equal "$(cmp -s replicates/replicate-0/split.json replicates/replicate-1/split.json && echo same)" ''

# Their models are one ensemble.
run "$l2r" predict folds --ensemble --data my.csv --no-applicability --out p.csv
expect_code 0
expect_equal "$(head -1 p.csv)" smiles,year,active,class,p,p_sd,problem
# Each test molecule is predicted by the model that has not seen it: the accuracy of each fold follows from the file,
# which is also what training leaves.
run "$l2r" predict folds --ensemble --part test --out tested.csv
expect_code 0
cmp tested.csv folds/out-of-fold.csv || fail "out-of-fold.csv"
run python3 - <<'end'
import csv, json
rows = list(csv.DictReader(open("tested.csv")))
assert len(rows) == 70 and "p_sd" not in rows[0], rows[0]
for k in range(3):
    tested = json.load(open(f"folds/fold-{k}/split.json"))["test"]
    scores = json.load(open(f"folds/fold-{k}/result.json"))["more"]["test"]
    right = [rows[g]["class"] == rows[g]["active"] for g in tested]
    above = [(float(rows[g]["p"]) > scores["thresholds"][0]) == (rows[g]["class"] == "1") for g in tested]
    assert abs(sum(right) / len(right) - scores["accuracy"]) < 1e-6 and all(above), (k, scores)
end
expect_code 0
run "$l2r" predict folds --ensemble --part all --no-applicability
expect_line err '^note: .*--part test'
run "$l2r" eval folds --ensemble
expect_code 2
expect_line err '^l2r: the models of folds have different splits: .*--data'
run "$l2r" eval folds --ensemble --data my.csv --json
expect_code 0
expect_equal "$(json out '(x["models"], x["graphs"])')" '(3, 70)'
run "$l2r" train --data my.csv --model gin "${small[@]}" --seeds 0,1 --out seeds --quiet
run "$l2r" eval seeds --ensemble
expect_code 0
expect_line out '^run   seeds: 2 models$'
run "$l2r" eval seeds
expect_code 2

# Two groups of the report, of three runs each.
run "$l2r" report folds replicates --out page.html
expect_code 0
expect_line out '6 runs'
grep -q '3 folds' page.html || fail "folds are not called so"
grep -q '3 replicates' page.html || fail "replicates are not called so"

# Side by side: the same models and numbers; the folders are the user's, continued or refused as ever.
run "$l2r" train --data my.csv --model gin "${small[@]}" --folds 3 --jobs 2 --out beside --quiet --json
expect_code 0
expect_equal "$(json out '[r["fold"] for r in x["runs"]]')" '[0, 1, 2]'
for k in 0 1 2; do
    for file in best.safetensors split.json config.json data.json; do
        cmp folds/fold-$k/$file beside/fold-$k/$file || fail "--jobs changes fold-$k/$file"
    done
    expect_equal "$(json out "x['runs'][$k]['test']")" "$(json folds/fold-$k/result.json 'x["test"]')"
done
run "$l2r" train --data my.csv --model gin "${small[@]}" --folds 3 --jobs 2 --out beside --quiet
expect_code 1
expect_line err '^l2r: fold [0-2]: beside/fold-[0-2] already holds a run'
expect_line err '^l2r: 3 of 3 runs failed$'
rm -r beside/fold-1
run "$l2r" train --resume --folds 3 --jobs 0 --out beside
expect_code 0
expect_line out '^test rocauc [0-9.]+ ± [0-9.]+ over 3 folds$'
cmp folds/fold-1/best.safetensors beside/fold-1/best.safetensors || fail "a fold that was missing differs"
run "$l2r" train --data my.csv --model gin "${small[@]}" --seeds 0-1 --jobs 2 --out two --quiet
expect_code 0
expect_line out '^test rocauc [0-9.]+ ± [0-9.]+ over 2 seeds$'
run "$l2r" train --data my.csv --model gin "${small[@]}" --jobs 2 --out none
expect_error 2 '--jobs is for several runs: --seeds, --folds or --replicates'
finish
