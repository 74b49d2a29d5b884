# SPDX-License-Identifier: MIT
# Names that are no UTF-8, rows with more fields than columns, private files, and numbers that look odd.
source "$(dirname "$0")/expect.bash"

# ---- Names of any bytes ----
name=$'run\xff'
run "$l2r" train --data "$tiny" "${small[@]}" --out "$name" --quiet --json
expect_code 0
expect_json out
for command in eval "explain --limit 1 --steps 1 --restarts 1"; do
    # shellcheck disable=SC2086 # options
    run "$l2r" $command "$name" --json
    expect_code 0
    expect_json out
done
expect_equal "$(json "$name/explanations/explanations.json" 'x["run"]')" $'run\xef\xbf\xbd'
run "$l2r" report "$name" --out page.html
expect_code 0

# ---- A share of 0, or of more than all, is a mistake of the command line ----
for share in 0 -1 nan x 1.5; do
    run "$l2r" train --data "$tiny" "${small[@]}" --method l2r --ess "$share" --out never
    expect_error 2 "--ess: \"$share\" is neither auto nor a number above 0 and at most 1"
done

# ---- A label of any size ----
run "$l2r" explain "$name" --label -2e+30
expect_line err 'has the label -2e\+30$'

# ---- Rows with too many fields keep the columns of the answers; a file keeps its mode ----
{
    echo 'smiles,y'
    for i in 1 2 3 4; do printf '%s,%s\n' CCO 0 CCN -2e+30 CCC 0.5 c1ccccc1 1; done
} >molecules.csv
run "$l2r" train --data molecules.csv --model gin "${small[@]}" --out mol --quiet
if ((code != 0)) && grep -q RDKit err; then finish; fi
expect_code 0
printf 'smiles,name\nCCO,a\nCCC,b,c,"d,e"\nCCC,"x,y",z\nCCN,"open\n' >many.csv
: >answers.csv
chmod 600 answers.csv
run "$l2r" predict mol --data many.csv --out answers.csv
expect_code 0
expect_equal "$(stat -c %a answers.csv)" 600
python3 - <<'PYTHON' || fail "columns of answers.csv"
import csv
rows = list(csv.reader(open("answers.csv")))
assert len({len(row) for row in rows}) == 1, rows
assert rows[2][1] == 'b,c,"d,e"' and "4 fields" in rows[2][-1], rows[2]
assert rows[3][1] == '"x,y",z' and "3 fields" in rows[3][-1], rows[3]
PYTHON
finish
