# SPDX-License-Identifier: MIT
# Tables of SMILES in every command that reads data: their options, rows left out with their lines, splits, models of
# OGB's folders.
source "$(dirname "$0")/expect.bash"

python3 - <<'P'
import random
random.seed(2)
parts = ["C", "CC", "CO", "CN", "C(=O)O", "c1ccccc1", "C1CCCCC1", "C1CCNCC1", "c1ccncc1", "S", "OC"]
with open("my.csv", "w") as f:
    print("key,structure,year,y,z", file=f)
    for i in range(150):
        smiles = "".join(random.choice(parts) for _ in range(random.randint(2, 5)))
        print(f"{i},{smiles},{1990 + i // 10},{i % 2},{i % 7 / 4}", file=f)
rows = open("my.csv").read().splitlines()
endless = "x,C" + "C" * 5000000 + ",1990,1,0"
bad = rows[:31] + ["x,C(C,1990,1,0", "x,*CC,1990,1,0", "x,,1990,1,0", "x,CCO,1990", endless] + rows[31:]
with open("bad.csv", "wb") as f:
    f.write("\n".join(bad).encode() + b"\nx,C\xff,1990,1,0\n")
    f.write(b"x," + b"(" * 100000 + b",1990,1,0\nx," + b"C" * 5000 + b",1990,1,0\n")
P
run "$l2r" data info my.csv --target-columns y
grep -q librdkit-dev err && exit 77
expect_code 0
expect_line out '^table +my.csv: 150 molecules of column "structure"; binary labels of column "y"$'
expect_line out '^task +binary, 1 task$'
run "$l2r" data info my.csv --target-columns y --json
expect_json out
expect_equal "$(json out 'x["notes"][:1]')" \
    "['my.csv: 150 molecules of column \"structure\"; binary labels of column \"y\"']"

# Bad rows: all listed by info, the first ten by train, in their place by predict.
lines=("32: not a valid SMILES"
    "33: the SMILES has a wildcard atom (*), which is not an element"
    "34: the SMILES is empty"
    "35: it has 3 fields, the first record 5"
    "36: it is longer than 4194304 bytes"
    "157: its byte 4 (0xff) is not UTF-8"
    "158: the SMILES is longer than 16384 characters"
    "159: the molecule has more than 1000 atoms")
run "$l2r" data info bad.csv --target-columns y
expect_code 0
for line in "${lines[@]}"; do grep -qF "bad.csv:$line" out || fail "data info does not say: $line"; done
expect_line out '^table +bad.csv: 8 of 158 rows were skipped$'
run "$l2r" train --data bad.csv --model gin --target-columns y --split-column year "${small[@]}" --out bad
expect_code 0
for line in "${lines[@]}"; do grep -qF "table   bad.csv:$line" out || fail "train does not say: $line"; done
expect_line out '^split   column: 1[0-9]0 train, [0-9]+ valid, [0-9]+ test$'
run "$l2r" predict bad --data bad.csv --out pred.csv
expect_code 0
expect_line err '^158 rows in pred.csv: 150 predicted, 8 with a problem \(the first in line 32: not a valid SMILES\)'
expect_equal "$(tail -n +2 pred.csv | grep -c ',$')" 150
run "$l2r" train --data bad.csv --model gin --target-columns y --on-bad-smiles fail --quiet --out no
expect_error 1 'bad.csv:32: not a valid SMILES; --on-bad-smiles skip skips such rows'

# A run keeps how its table was read; other tables have the same columns, or others are named.
run "$l2r" train --data my.csv --model gin \
    --target-columns y --split scaffold-balanced --split-seed 3 --smiles-column structure \
    "${small[@]}" --out model
expect_code 0
expect_line out '^split   scaffold-balanced: 120 train, '
expect_equal "$(json model/config.json '(x["target-columns"], x["smiles-column"])')" "('y', 'structure')"
run "$l2r" eval model
expect_code 0
head -50 my.csv | sed '1s/,y,/,Y,/' >other.csv
run "$l2r" eval model --data other.csv --json
expect_equal "$(json out 'x["graphs"]')" 49
sed -i '1s/,Y,/,why,/' other.csv
run "$l2r" eval model --data other.csv
expect_error 1 'other.csv: --target-columns: there is no column "y"; the columns are: key, structure, year, why, z '\
"($label_columns_hint)"
run "$l2r" eval model --data other.csv --target-columns why
expect_code 0
run "$l2r" train --config model --seed 1 --out again
expect_code 0
run "$l2r" train --data my.csv --model gin --split column --quiet --out no
expect_error 1 '--split column needs --split-column NAME'
run "$l2r" train --data my.csv --model gin --split-column when --quiet --out no
expect_error 1 'my.csv: --split-column: there is no column "when"; the columns are: key, structure, year, y, z'
run "$l2r" train --data "$tiny" --split scaffold --out no
expect_error 1 \
    '--split scaffold: data set "motif" is not a table of SMILES, so its scaffolds are unknown; use another rule'
cut -d, -f1,2 my.csv | sed 's/^[0-9]*/word/' >words.csv
run "$l2r" train --data words.csv --model gin --quiet --out no
expect_error 1 \
    'no training graph of data set "words" has a label; labels are columns of numbers or of a few words, '`
        `'which --target-columns can name'

# Drawings of molecules know their SMILES.
run "$l2r" explain model --graph 3 --steps 2 --out drawn
expect_code 0

# A model of OGB's folder says the same about the table, and tables without labels are fine.
data=${L2R_DATA:-$source_dir/../shared/data}
if [[ -e $data/smiles/esol.csv && -d $data/ogb/esol ]]; then
    run "$l2r" train --data "$data/ogb/esol" "${small[@]}" --quiet --out folder
    expect_code 0
    run "$l2r" train --data "$data/smiles/esol.csv" --model gin --method erm "${small[@]}" --quiet --out table
    expect_code 0
    expect_equal "$(json folder/result.json 'x["test"]')" "$(json table/result.json 'x["test"]')"
    run "$l2r" predict folder --part all --no-applicability --out a.csv
    run "$l2r" predict folder --data "$data/smiles/esol.csv" --no-applicability --out b.csv
    # The same numbers up to rounding: batches differ, and a CPU's matrix products may add in another order for other
    # shapes.
    expect_equal "$(paste -d, <(cut -d, -f2 a.csv) <(cut -d, -f3 b.csv) |
        awk -F, 'NR > 1 && ($1 - $2) ^ 2 > 1e-10 {far++} END {print NR - 1, far + 0}')" "1128 0"
elif [[ -n ${L2R_REQUIRE_DATA:-} ]]; then
    fail "$data/smiles/esol.csv is not there"
fi
finish
