# SPDX-License-Identifier: MIT
# Committees: several networks and trees in one run folder, which trains, resumes, evaluates and predicts as one model.
source "$(dirname "$0")/expect.bash"

write_molecules my.csv 3 80 y 'int(smiles.count("O") > 1)'
plain=(--data my.csv --method erm --class-weights none)
run "$l2r" train "${plain[@]}" --model gin "${small[@]}" --members 2 --out twins
grep -q librdkit-dev err && exit 77
expect_code 0
"$MEMBER" twins 2 second.safetensors || fail "member 2"
run "$l2r" predict twins --part test --no-applicability
expect_code 0
expect_equal "$(head -1 out)" "smiles,y,class,p,p_sd,problem"

# The mean of the members is what they say one by one.
cp out together.csv
run "$l2r" predict --ensemble second.safetensors second.safetensors --data my.csv --split file \
    --split-file twins/split.json --part test --no-applicability
expect_code 0
cp out second.csv
python3 - <<'P' || fail "the mean and spread of two members"
import csv
together, second = (list(csv.DictReader(open(f))) for f in ("together.csv", "second.csv"))
assert len(together) == len(second) > 3
for a, b in zip(together, second):
    first = 2 * float(a["p"]) - float(b["p"])
    assert abs(abs(first - float(b["p"])) / 2 ** 0.5 - float(a["p_sd"])) < 1e-5, (a, b)
P
run "$l2r" train "${plain[@]}" --model gin "${small[@]}" --members gcn,gin --out wrong
expect_code 1
expect_line err '`?-?-?members`? begins with "gcn", but the model is gin'
run "$l2r" train "${plain[@]}" "${small[@]}" --members gin,gcn:colour=red --out wrong2
expect_code 1
expect_line err 'model gcn has no option "colour"'

list=gin,mlp:features=descriptors:hidden=8:epochs=3,boost:features=descriptors+morgan:epochs=2
run "$l2r" train "${plain[@]}" "${small[@]}" --members "$list" --out mixed
if grep -q libxgboost-dev err; then
    finish
fi
expect_code 0
expect_equal "$(json mixed/result.json '[m["model"] for m in x["more"]["members"]]')" "['gin', 'mlp', 'boost']"
run "$l2r" eval mixed --part test --json
expect_code 0
expect_equal "$(json out 'round(x["metrics"]["rocauc"], 6)')" "$(json mixed/result.json 'round(x["test"], 6)')"

# The model file alone is the whole committee.
mkdir alone && cp mixed/best.safetensors alone/
printf 'smiles\nCCO\nC(C\n' >new.csv
run "$l2r" predict mixed --data new.csv --no-applicability
expect_code 0
cp out first
run "$l2r" predict alone/best.safetensors --data new.csv --no-applicability
expect_code 0
expect_file out <first
finish
