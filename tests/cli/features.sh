# SPDX-License-Identifier: MIT
# Numbers about whole molecules beside the graph, and trees that read them: training, predicting, evaluating, resuming;
# columns of the user's table; what is missing gets a sentence.
source "$(dirname "$0")/expect.bash"

python3 - <<'P'
import random
random.seed(2)
parts = ["C", "CC", "CO", "CN", "C(=O)O", "c1ccccc1", "C1CCCCC1", "C(F)(F)F", "S", "OC"]
with open("my.csv", "w") as f:
    print("smiles,dose,name,y", file=f)
    for i in range(90):
        smiles = "".join(random.choice(parts) for _ in range(random.randint(2, 5)))
        dose = random.randint(1, 9)
        print(f"{smiles},{dose if i != 4 else ''},m{i},{len(smiles) / 3 + dose:.3f}", file=f)
P
run "$l2r" train --data my.csv --target-columns y --method erm --model gin "${small[@]}" --features morgan,descriptors \
    --feature-columns dose --out gin
grep -q librdkit-dev err && exit 77
expect_code 0
expect_line out '^beside  [0-9]+ features beside the graph; left out: [0-9]+ counts that hardly vary; [0-9]+ the same '
run "$l2r" eval gin --part test --json
expect_code 0
cp out eval.json

# The same numbers come back from a table with other columns; a table without the column is refused.
awk -F, 'NR == 1 { print "dose,extra,smiles" } NR > 1 { print $2 ",x," $1 }' my.csv >new.csv
run "$l2r" predict gin --data new.csv --no-applicability
expect_code 0
expect_line out '^dose,extra,smiles,value,value_low,value_high,problem$'
cut -d, -f1 my.csv >bare.csv
run "$l2r" predict gin --data bare.csv
expect_code 1
expect_line err '`?-?-?feature-columns`?: there is no column "dose"; the columns are: smiles'
sed '3s/^[^,]*,[^,]*/CCO,much/' my.csv >words.csv
run "$l2r" predict gin --data words.csv --no-applicability --out answers.csv
expect_code 0
expect_line answers.csv '"""much"" in column ""dose"", a feature, is not a number"$'

# What it reads cannot come from graphs without SMILES; a model of features needs some.
run "$l2r" train --data "$tiny" --features morgan "${small[@]}" --out none
expect_code 1
expect_line err 'are computed from SMILES, but data set "motif" has none$'
run "$l2r" train --data my.csv --target-columns y --method erm --model mlp --features none --out none
expect_code 1
expect_line err 'model mlp reads numbers about whole molecules, but none are chosen'
run "$l2r" train --data my.csv --features morgan,colour --out none
expect_line err '"colour" is not one of none, morgan, pairs, torsion, erg or descriptors'

# A forest, which is our own: one that is stopped between two portions of trees ends with the same bits.
forest=(--data my.csv --target-columns y --feature-columns dose --model forest --features descriptors --trees 21)
forest+=(--epochs 4 --checkpoint-seconds 0)
run "$l2r" train "${forest[@]}" --out forest
expect_code 0
run "$l2r" train "${forest[@]}" --threads 3 --out forest3
cmp forest/best.safetensors forest3/best.safetensors || fail "the forest depends on the number of threads"
killed_run half "$l2r" train "${forest[@]}"
run "$l2r" train "${forest[@]}" --resume --out half
expect_code 0
cmp forest/best.safetensors half/best.safetensors || fail "a resumed forest has other trees"
run "$l2r" explain forest --part test --limit 2
expect_code 0
expect_line out '^graph [0-9]+: [A-Za-z0-9_]+ [+-][0-9.e+-]+, '

# Boosted trees: the same files, scores and predictions as for networks; a run that was stopped ends with the same bits.
boost=(--data my.csv --target-columns y --feature-columns dose --method erm --model boost --features descriptors)
boost+=(--epochs 4 --checkpoint-seconds 0)
run "$l2r" train "${boost[@]}" --out boost
if grep -q libxgboost-dev err; then
    finish
fi
expect_code 0
expect_line out '^model   boost'
run "$l2r" train --resume --out boost
expect_code 0
killed_run early "$l2r" train "${boost[@]}"
run "$l2r" train "${boost[@]}" --resume --out early
expect_code 0
cmp boost/best.safetensors early/best.safetensors || fail "trees that go on from an earlier epoch differ"
run "$l2r" eval boost --part train
expect_code 0
run "$l2r" predict boost --data new.csv
expect_code 0
expect_line out '^dose,extra,smiles,value,value_low,value_high,distance,applicability(,[a-z]+)*,problem$'
run "$l2r" explain boost --part test --limit 3
expect_code 0
expect_line out '^graph [0-9]+: [A-Za-z0-9_]+ [+-][0-9.e+-]+, '
run "$l2r" predict boost --part test --json --no-applicability
expect_code 0
python3 - <<'P' || fail "contributions.csv"
import csv, collections, json
sums = collections.defaultdict(float)
for row in csv.DictReader(open("boost/explanations/contributions.csv")):
    assert row["member"] == "boost" and row["unit"] == "value" and not row["task"].isdigit(), row
    sums[int(row["graph"])] += float(row["contribution"])
tested = json.load(open("boost/split.json"))["test"]
said = dict(zip(tested, (json.loads(x)["value"] for x in open("out")), strict=True))
assert 1 <= len(sums) <= 3 and all(abs(x - said[graph]) < 1e-3 for graph, x in sums.items()), (sums, said)
P
run "$l2r" eval gin --data my.csv
expect_code 0

# Descriptors of a chain of 300 atoms overflow (its Ipc is no float): unknown numbers, and a finite answer. Beyond
# 1,000 atoms there is a sentence.
python3 -c 'print("smiles,dose"); print("C" * 300 + ",3"); print("C" * 1001 + ",3"); print("CCO,3")' >long.csv
for model in boost gin forest; do
    run "$l2r" predict $model --data long.csv --no-applicability
    expect_code 0
    expect_line out '^C{300},3,-?[0-9.e+-]+,[^,]+,[^,]+,$'
    expect_line out '^C{1001},3,,,,the molecule has more than 1000 atoms$'
done
run "$l2r" predict --ensemble boost forest gin --data new.csv --no-applicability
expect_code 0
expect_line out '^dose,extra,smiles,value,value_sd,value_low,value_high,problem$'
run "$l2r" train "${boost[@]}" --method l2r --out weighed
expect_code 1
expect_line err 'model boost goes with method erm'
printf 'x' | dd of=half/best.safetensors bs=1 seek=3000 conv=notrunc 2>/dev/null
run "$l2r" predict half --data new.csv
expect_code 1
expect_line err 'half/best.safetensors'
finish
