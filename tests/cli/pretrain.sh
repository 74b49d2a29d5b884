# SPDX-License-Identifier: MIT
# l2r pretrain: descriptors and hidden atoms of molecules without labels, with molecules left out; killed and resumed;
# the backbone is taken over by l2r train; what is refused in which words.
source "$(dirname "$0")/expect.bash"

python3 - <<'P'
import random
random.seed(5)
parts, ends = ["C", "CO", "CN", "CS", "C(O)", "C(C)", "C1CCCCC1"], ["c1ccccc1", "C(F)(F)F", "C#N", "CCl", "C(=O)O"]
def molecule():
    return "".join(["C"] + [random.choice(parts) for _ in range(random.randint(1, 5))] + [random.choice(ends)])
big = sorted({molecule() for _ in range(130)})
with open("big.csv", "w") as f:
    print("smiles,assay", file=f)
    for i, smiles in enumerate(big):
        print(f"{smiles},{i % 3}", file=f)
with open("test.csv", "w") as f: # the same molecules, the first written otherwise, and one that big.csv has not
    print("name,SMILES\nOCC,C(C)Br", file=f)
    for i, smiles in enumerate(big[:4]):
        print(f"m{i},{'[CH3]' + smiles[1:] if i == 0 else smiles}", file=f)
with open("small.csv", "w") as f:
    print("smiles,y", file=f)
    for i in range(50):
        print(f"{big[4 + i]},{big[4 + i].count('O') + i % 2 / 5}", file=f)
print(len(big), file=open("count", "w"))
P
size=(--model gin --hidden 8 --layers 2)
run "$l2r" pretrain --data big.csv --exclude test.csv "${size[@]}" --epochs 4 --checkpoint-seconds 0 --out first
grep -q librdkit-dev err && exit 77
expect_code 0
expect_line out "^table   big.csv: $(($(cat count) - 4)) molecules of column \"smiles\"; no labels"
expect_line out '^table   big.csv: 4 rows are left out, whose molecules are among the 5 excluded ones'
expect_line out '^table   big: labels are [0-9]+ of RDKit.s 241 descriptors, as asinh\(x\); the others hardly vary'
expect_line out '^split   random: [0-9]+ train, [0-9]+ valid, 0 test'
expect_line out '^used by: l2r train --data my.csv --from first --reset head'
expect_equal "$(json first/config.json '[x[k] for k in ("targets", "mask-atoms", "early-stop", "exclude")]')" \
    "['descriptors', 0.15, 5, 'test.csv']"
python3 - <<'P' || fail "the loss of hidden atoms is part of the objective"
import json
lines = [json.loads(line) for line in open("first/metrics.jsonl")]
assert len(lines) == 4 and all(l["objective"] > l["loss"] + 0.5 for l in lines), lines
assert lines[-1]["objective"] < lines[0]["objective"], lines
P

# Killed long before its end and resumed: the same bits. As JSON: one object.
long=(--data big.csv --exclude test.csv "${size[@]}" --epochs 30 --early-stop 0 --checkpoint-seconds 0)
run "$l2r" pretrain "${long[@]}" --quiet --out whole
expect_code 0
signal_after KILL 1 '^epoch +3/' "$l2r" pretrain "${long[@]}" --out half
expect_code 137
run "$l2r" pretrain --resume --out half --json
expect_code 0
expect_json out
expect_equal "$(json out 'x["metric"]')" nrmse
cmp whole/best.safetensors half/best.safetensors || fail "a resumed pretraining differs"

# The backbone is taken over, trained further or as it is.
run "$l2r" train --data small.csv --from first --reset head --epochs 3 --quiet --out tuned
expect_code 0
expect_equal "$(json tuned/config.json '[x[k] for k in ("model", "hidden", "layers", "targets", "mask-atoms")]')" \
    "['gin', 8, 2, 'columns', 0.0]"
run "$l2r" train --data small.csv --from first --reset head --freeze backbone --epochs 3 --quiet --out frozen
expect_code 0
run "$l2r" fingerprint first --data small.csv --out one.csv
expect_code 0
run "$l2r" fingerprint frozen --data small.csv --out other.csv
expect_equal "$(cut -d, -f4- <one.csv | md5sum)" "$(cut -d, -f4- <other.csv | md5sum)"
run "$l2r" train --data small.csv --from first --epochs 3 --quiet --out bad
expect_code 1
expect_line err 'its model has [0-9]+ outputs for regression, this data needs 1 for regression; --reset head'
# Predictions of a pretrained model are descriptors; its own labels are made again for a score.
run "$l2r" predict first --data small.csv --no-applicability
expect_code 0
expect_line out '^smiles,y,BalabanJ|^smiles,y,[A-Za-z0-9_]+'
run "$l2r" eval first --part valid --json
expect_code 0
expect_equal "$(json out 'round(x["metrics"]["nrmse"], 5)')" "$(json first/result.json 'round(x["valid"], 5)')"

run "$l2r" eval first --data small.csv --json # descriptors of other molecules
expect_code 0
expect_line out '"nrmse"'

run "$l2r" pretrain --out bad
expect_code 2
expect_line err "'l2r pretrain' needs --data: a table of SMILES"
run "$l2r" pretrain --data "$tiny" --out bad
expect_code 1
expect_line err '--targets descriptors computes labels from SMILES, but data set "motif" has none'
run "$l2r" pretrain --data big.csv --exclude nowhere.csv --out bad
expect_code 1
expect_line err '--exclude: nowhere.csv'
run "$l2r" pretrain --data big.csv --exclude big.csv --out bad
expect_code 1
expect_line err 'big.csv: --exclude leaves no molecule: all [0-9]+ are in the other tables'
run "$l2r" pretrain --data big.csv --target-columns assay --out bad
expect_code 1
expect_line err '--target-columns: RDKit has no descriptor "assay"; with --targets descriptors'
run "$l2r" pretrain --data big.csv "${size[@]}" --epochs 1 --target-columns tpsa,NumHBD --quiet --out two
expect_code 0
run "$l2r" predict two CCO --no-applicability
expect_code 0
expect_line out 'value_tpsa,.*value_NumHBD'
run "$l2r" pretrain --data big.csv --model mlp --out bad
expect_code 1
run "$l2r" pretrain --help
expect_code 0
expect_line out 'l2r pretrain --data big.csv --out runs/pretrained'
finish
