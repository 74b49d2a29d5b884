# SPDX-License-Identifier: MIT
# The layout of the ADMET group: the test table tests, scaffolds of the other are dealt out by the seed of the split.
source "$(dirname "$0")/expect.bash"

mkdir -p admet/small
python3 - <<'P'
parts = ["C", "CC", "CO", "CN", "C(=O)O", "S", "OC"]
rings = ["c1ccccc1", "C1CCCCC1", "c1ccncc1", "C1CCNCC1", "c1ccoc1", "C1CC1", "c1ccsc1", "C1CCC1"]
rows = [(a + r + b, len(a + b) / 2) for r in rings for a in parts[:3] for b in parts]
with open("admet/small/train_val.csv", "w") as f, open("admet/small/test.csv", "w") as g:
    for i, (file, some) in enumerate(((f, rows[:120]), (g, rows[120:]))):
        print("Drug_ID,Drug,Y", file=file)
        for k, (smiles, y) in enumerate(some):
            print(f"d{i}{k},{smiles},{y}", file=file)
P
run "$l2r" data info admet/small
grep -q librdkit-dev err && exit 77
expect_code 0
expect_line out '168 '
for seed in 1 2; do
    run "$l2r" train --data admet/small --split fixed-test --split-seed $seed --valid-fraction 0.125 --metric mae \
        --method erm "${small[@]}" --out run$seed
    expect_code 0
    expect_equal "$(json run$seed/split.json 'x["test"] == list(range(120, 168))')" True
    expect_equal "$(json run$seed/split.json 'len(x["train"]) + len(x["valid"])')" 120
    expect_equal "$(json run$seed/split.json '0 < len(x["valid"]) <= 40')" True
done
cmp -s run1/split.json run2/split.json && fail "both seeds give one split"
sed -i '1s/Drug,/Molecule,/' admet/small/test.csv
run "$l2r" train --data admet/small --split fixed-test "${small[@]}" --out other
expect_code 1
expect_line err 'test.csv:1: other columns than in train_val.csv: "Drug_ID,Molecule,Y"'
finish
