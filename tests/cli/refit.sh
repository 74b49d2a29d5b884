# SPDX-License-Identifier: MIT
# --refit: when validation has chosen, the model trains once more with the validation graphs.
source "$(dirname "$0")/expect.bash"

write_molecules v.csv 7 120 v 'round(len(smiles) / 3 + smiles.count("O") + random.random(), 2)'
small=(--hidden 8 --layers 2 --epochs 6 --batch-size 16 --seed 3 --split random)
run "$l2r" train --data v.csv --model gin "${small[@]}" --refit --out again
grep -q librdkit-dev err && exit 77
expect_code 0
expect_line err '^l2r: refit on training and validation graphs together: 108 graphs, [0-9]+ epochs$'
expect_line out '^refit on 108 .* before the refit \(test [0-9.]+\)$'

# Without it: the same choice, and the scores that the run remembers.
run "$l2r" train --data v.csv --model gin "${small[@]}" --out plain
expect_equal "$(json again/result.json 'x["valid"], x["best_epoch"], x["more"]["refit"]["before"]["test"]')" \
    "$(json plain/result.json 'x["valid"], x["best_epoch"], x["test"]')"
[[ "$(json again/result.json 'x["test"]')" != "$(json plain/result.json 'x["test"]')" ]] || fail "nothing was learned"

# By hand: as many epochs on both parts together give the same model.
python3 - <<'P'
import json
s = json.load(open("again/split.json"))
s["train"], s["valid"] = sorted(s["train"] + s["valid"]), []
json.dump(s, open("joined.json", "w"))
P
epochs=$(json again/result.json 'x["best_epoch"]')
run "$l2r" train --data v.csv --model gin "${small[@]}" --epochs "$epochs" --split file --split-file joined.json \
    --out joined
expect_code 0
for run in again joined; do
    run "$l2r" predict $run --part test --json --no-applicability
    python3 -c 'import json, sys; print([json.loads(x)["value"] for x in open("out")])' >$run.values
done
cmp again.values joined.values || fail "the second training is not the one that it says"

# Validation graphs are asked of the model that they chose; so are intervals that follow the spread.
run "$l2r" eval again --part valid --json
expect_code 0
expect_line err '^note: .* validation graphs \(--refit\)'
expect_equal "$(json out 'round(x["metrics"]["rmse"], 9)')" "$(json plain/result.json 'round(x["valid"], 9)')"
run "$l2r" eval again --json
expect_equal "$(json out 'round(x["metrics"]["rmse"], 9)')" "$(json again/result.json 'round(x["test"], 9)')"
run "$l2r" predict again --part valid
expect_code 0
for run in again plain; do # half the width is the chosen model's in both
    run "$l2r" predict $run --part test --json
    python3 -c 'import json; x = json.loads(next(open("out")))
print(round(x["value_high"] - x["value_low"], 4))' >$run.width
done
cmp again.width plain.width || fail "intervals are not those of the model that validation chose"
run "$l2r" report again --out page
expect_code 0
before=$(json plain/result.json '"%.4f" % x["test"]')
grep -q "trained once more with the validation graphs.*, which has $before on test" page || fail "the page is silent"

cp -r again lost && rm lost/chosen.safetensors
run "$l2r" eval lost --part valid
expect_code 0
expect_line err '^note: .* validation graphs \(--refit\)'

# A committee; a stop at any place; the same model in the end.
list=(--members gin,forest:features=descriptors,mlp:features=descriptors "${small[@]}" --refit
    --checkpoint-seconds 0)
run "$l2r" train --data v.csv "${list[@]}" --out all
expect_code 0
expect_equal "$(python3 -c 'import json; print(*sorted({json.loads(x)["fit"] for x in open("all/fits.jsonl")}))')" \
    "1-gin-refit 2-forest 2-forest-refit 3-mlp 3-mlp-refit"
run "$l2r" predict all --data v.csv --intervals spread --no-applicability
expect_code 0
rm all/chosen.safetensors
run "$l2r" predict all --data v.csv --intervals spread --no-applicability
expect_code 1
expect_line err '\(--refit\), and chosen.safetensors of its run'
run "$l2r" train --data v.csv "${list[@]}" --threads 1 --out one
cmp all/best.safetensors one/best.safetensors || fail "a committee depends on threads"
for lines in "2" "5" "8" "11" "14" "3 1 2 4"; do # wherever it is stopped, and as often
    rm -rf part
    resume=()
    for n in $lines; do
        signal_after INT "$n" '^epoch' "$l2r" train --data v.csv "${list[@]}" --threads 1 \
            "${resume[@]}" --out part
        [[ -d part ]] && resume=(--resume)
    done
    run "$l2r" train --data v.csv "${list[@]}" "${resume[@]}" --out part
    expect_code 0
    cmp one/best.safetensors part/best.safetensors || fail "stopped after $lines epochs: another model"
    cmp one/chosen.safetensors part/chosen.safetensors || fail "stopped after $lines epochs: another choice"
    [[ ! -e part/state ]] || fail "a finished run keeps its state"
done

# A class that is rare among the training graphs and less so among all: the second training weighs it like the first.
python3 - <<'P'
import json
lines = open("v.csv").read().split()[1:]
with open("c.csv", "w") as f:
    print("smiles,y", file=f)
    for i, line in enumerate(lines): # 16 of 96 in training, 12 of 12 in validation
        print(line.split(",")[0] + f",{int(i % 6 == 0 if i < 96 else i < 108)}", file=f)
parts = {"train": range(96), "valid": range(96, 108), "test": range(108, 120)}
json.dump({"format": "l2r-split", "version": 1, "rule": "file", "seed": 0, "n_graphs": 120,
           **{k: list(v) for k, v in parts.items()}}, open("c.json", "w"))
P
run "$l2r" train --data c.csv --model gin "${small[@]}" --split file --split-file c.json --class-weights auto --refit \
    --out rare
expect_code 0
expect_equal "$(member_field rare/best.safetensors 0 'len(x["signature"]["class_weights"])')" 1

# What cannot be.
run "$l2r" train --data v.csv --model gin "${small[@]}" --refit --swa --out no
expect_code 1
expect_line err '^l2r: --refit .* --swa needs'
run "$l2r" train --data v.csv --model gin "${small[@]}" --refit --method jtt --out no
expect_code 1
expect_line err 'method jtt needs'
run "$l2r" train --data v.csv --model gin "${small[@]}" --refit --valid-fraction 0 --out none
expect_code 0
expect_line err 'there are no validation graphs to refit on: the model stays as it is'
[[ ! -e none/chosen.safetensors ]] || fail "refitted without validation graphs"
finish
