# SPDX-License-Identifier: MIT
# An output that is not finite is a problem and never a class: for tables, data sets, ensembles, scores, explanations.
source "$(dirname "$0")/expect.bash"

# The embedding of bromine is made infinite; molecules without it stay as they are.
cat >spoil.py <<'PYTHON'
import json, os, struct, subprocess, sys
source, target, element = sys.argv[1:]
data = open(source + "/best.safetensors", "rb").read()
size = struct.unpack("<Q", data[:8])[0]
header, body = json.loads(data[8:8 + size]), bytearray(data[8 + size:])
begin = header["1.node_embedding.0.weight"]["data_offsets"][0]
width = header["1.node_embedding.0.weight"]["shape"][1]
at = begin + 4 * width * (int(element) - 1)
body[at:at + 4 * width] = struct.pack("<f", float("inf")) * width
text = json.dumps(header, separators=(",", ":")).encode()
text += b" " * (-len(text) % 8)
os.makedirs(target, exist_ok=True)
with open(target + "/best.safetensors", "wb") as out:
    out.write(struct.pack("<Q", len(text)) + text + body)
subprocess.run([os.environ["SEAL"], target + "/best.safetensors"], check=True)
for name in ("split.json", "config.json"):
    open(target + "/" + name, "wb").write(open(source + "/" + name, "rb").read())
PYTHON
{
    echo 'smiles,y'
    for i in 1 2 3; do printf '%s,%d\n' CCO 0 CCN 1 CCC 0 c1ccccc1 1 CCOC 0 CNC 1 CCBr 0 CC=O 1 BrCCO 1 CCF 0; done
} >molecules.csv
run "$l2r" train --data molecules.csv --model gin "${small[@]}" --seeds 0,1 --out runs --quiet
if ((code != 0)) && grep -q RDKit err; then exit 77; fi
expect_code 0
run python3 spoil.py runs/seed-0 bad 35
expect_code 0
printf 'name,smiles\na,CCO\nb,CCBr\nc,CCC\n' >new.csv

expect_problem() { # FILE ROW-OF-THE-GOOD ROW-OF-THE-BAD: the bad row has nothing but its own columns and the problem
    expect_equal "$(sed -n "$2p" "$1" | grep -c "finite number")" 0
    expect_line <(sed -n "$3p" "$1") "^[^,]*(,CCBr)?(,[01])?,+[01]?,+the model's output for it is not a finite number\$"
    grep -qiE 'nan|inf[^o]' "$1" && fail "$1 has a number that is not finite"
}
check_graphs() { # molecules with bromine have no prediction
    python3 - "$1" <<'PYTHON' || fail "$1"
import csv, math, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert any(row["problem"] for row in rows) and not all(row["problem"] for row in rows)
for row in rows:
    own = ("graph", "line", "name", "smiles", "y", "label", "unseen", "problem")
    numbers = [v for k, v in row.items() if k not in own]
    bad = "Br" in row["smiles"] if "smiles" in row else int(row["graph"]) % 10 in (6, 8)
    assert bool(row["problem"]) == bad, row
    assert all(v == "" for v in numbers) if row["problem"] else all(math.isfinite(float(v)) for v in numbers), row
PYTHON
}
for more in "" --logits --no-applicability; do
    # shellcheck disable=SC2086 # none or one
    run "$l2r" predict bad --data new.csv --out table.csv $more
    expect_code 0
    expect_line err '^3 rows in table.csv: 2 predicted, 1 with a problem \(the first in line 3: the model.s output '
    expect_problem table.csv 2 3
    # shellcheck disable=SC2086
    run "$l2r" predict bad --data molecules.csv --part train --out graphs.csv $more
    expect_code 0
    expect_line err '^[0-9]+ rows in graphs.csv: [0-9]+ predicted, [1-6] with a problem'
    check_graphs graphs.csv
done
run "$l2r" predict bad runs/seed-1 --ensemble --data new.csv --out table.csv
expect_code 0
expect_problem table.csv 2 3
run "$l2r" predict bad --data new.csv --on-bad-smiles fail --out refused.csv
expect_code 1
expect_line err "^l2r: new.csv:3: the model's output for it is not a finite number"
[[ ! -e refused.csv ]] || fail "a file in spite of the refusal"

# Scores, representations, explanations
run "$l2r" eval bad --data molecules.csv --part train
[[ $code != 0 ]] || fail "a score of outputs that are not finite"
expect_line err 'not a finite number'
run "$l2r" fingerprint bad --data new.csv --out z.csv
expect_code 0
expect_problem z.csv 2 3
run "$l2r" fingerprint bad --data molecules.csv --part train --out z.csv
expect_code 0
check_graphs z.csv
run "$l2r" explain bad --data molecules.csv --graph 6 --steps 2 --restarts 1 --out why
[[ $code != 0 ]] || fail "an explanation of an output that is not finite"
expect_line err 'graph 6 cannot be explained: output 0 of the model is .*, not a finite number'
finish
