# SPDX-License-Identifier: MIT
# l2r import: checkpoints become models that predict alone and beside each other; l2r export: a graph; what both refuse.
# That predictions are chemprop's is tested in unit/model/chemprop.c, graphs in contract/onnx.c.
source "$(dirname "$0")/expect.bash"

# checkpoint PICKLE FILE: the file around a pickle of tests/fuzz/corpus/checkpoint.
checkpoint() {
    mkdir -p "$(dirname "$2")"
    python3 - "$source_dir/tests/fuzz/corpus/checkpoint/$1" "$2" <<'END'
import struct, sys, zipfile
with zipfile.ZipFile(sys.argv[2], "w") as archive:
    archive.writestr("m/data.pkl", open(sys.argv[1], "rb").read())
    for k in range(20):
        archive.writestr(f"m/data/{k}", b"".join(struct.pack("<f", ((i + k) % 17 + 1) / 64) for i in range(700)))
END
}

run "$l2r" export nothing --out x.onnx
expect_code 1
expect_line err 'nothing'
run "$l2r" train --data "$tiny" --model gin "${small[@]}" --quiet --out gin
expect_code 0
run "$l2r" export gin
expect_code 2
expect_line err '[-]-out'
run "$l2r" export gin --out gin.onnx
expect_code 0
grep -q ScatterND gin.onnx || fail "gin.onnx has no sums over neighbours"
run "$l2r" export gin --member 2 --out second.onnx
expect_code 1
expect_line err '[-]-member 2'
run "$l2r" train --data "$tiny" --model pna "${small[@]}" --quiet --out pna
run "$l2r" export pna --out pna.onnx
expect_code 1
expect_line err 'pna cannot be written as ONNX'
[[ ! -e pna.onnx ]] || fail "pna.onnx was written"

run "$l2r" import nothing.pt --out m
expect_code 1
expect_line err 'nothing.pt'
echo no >text.pt
run "$l2r" import text.pt --out m
expect_code 1
expect_line err 'text.pt: .*zip'
run "$l2r" import text.pt
expect_code 2
expect_line err '[-]-out'
checkpoint call bad.pt
run "$l2r" import bad.pt --out m
expect_code 1
expect_line err 'bad.pt: .*state_dict'

checkpoint binary zoo/tox/0.pt
checkpoint binary zoo/tox/1.pt
checkpoint regression zoo/clearance/0.pt
run "$l2r" import zoo/tox/0.pt --out one.safetensors
grep -q librdkit-dev err && exit 77
grep -q 'without it' err && exit 77
expect_code 0
expect_equal "$(head -1 out)" 'one.safetensors: binary, 3 targets; 1 member'
run "$l2r" predict one.safetensors CCO
expect_code 0
expect_equal "$(head -1 out)" 'smiles,class_tox,class_clearance,class_half life,p_tox,p_clearance,p_half life,problem'
run "$l2r" import zoo --out models
expect_code 0
expect_line out '^models/tox: binary, 3 targets; 2 members$'
expect_line out '^models/clearance: regression, 2 targets; 1 member$'
run "$l2r" import zoo --out models
expect_code 1
expect_line err 'models: is there already'
printf 'smiles,p_tox\nCCO,1\nC(C,2\n[13CH4],3\n' >my.csv
run "$l2r" predict models --data my.csv
expect_code 0
expect_equal "$(head -1 out)" "smiles,p_tox,l2r_value_tox,l2r_value_clearance,l2r_class_tox,\
l2r_class_clearance,l2r_class_half life,l2r_p_tox,l2r_p_clearance,l2r_p_half life,l2r_p_tox_sd,l2r_p_clearance_sd,\
l2r_p_half life_sd,l2r_problem"
expect_line out '^C\(C,2,,,,,,,,,,,,not a valid SMILES$'
run "$l2r" predict models CCO --json
expect_code 0
python3 -c 'import json
row = json.load(open("out"))
assert row["value_tox"] is not None and row["p_half life_sd"] == 0' ||
    fail "JSON of two models"
run "$l2r" predict models --data my.csv --part test
expect_code 1
expect_line err 'models holds 2 models'
run "$l2r" export models/tox --out tox.onnx
expect_code 0

finish
