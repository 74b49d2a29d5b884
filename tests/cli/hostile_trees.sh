# SPDX-License-Identifier: MIT
# Files of trees made to do harm: each is refused with a sentence at once; trees in XGBoost's own format, too.
source "$(dirname "$0")/expect.bash"

cat >spoil.py <<'PYTHON'
"""spoil.py SOURCE TARGET TENSOR PLACE VALUE: changes one number of a model file. TENSOR old: bytes, no trees."""
import json, os, struct, subprocess, sys
source, target, tensor, place, value = sys.argv[1:]
data = open(source + "/best.safetensors", "rb").read()
size = struct.unpack("<Q", data[:8])[0]
header, body = json.loads(data[8:8 + size]), bytearray(data[8 + size:])
if tensor == "old":
    rounds = header["1.rounds"]
    begin, end = rounds["data_offsets"]
    rounds["data_offsets"] = [0, end - begin]
    body = body[begin:end] + b"\x00" * 40
    header = {"__metadata__": header["__metadata__"], "1.rounds": rounds,
              "1.learned": {"dtype": "U8", "shape": [40], "data_offsets": [end - begin, end - begin + 40]}}
else:
    tensor = "1." + tensor
    kind, width = {"F32": ("<f", 4), "I32": ("<i", 4), "U8": ("<B", 1)}[header[tensor]["dtype"]]
    at = header[tensor]["data_offsets"][0] + int(place) * width
    body[at:at + width] = struct.pack(kind, float(value) if kind == "<f" else int(value))
text = json.dumps(header, separators=(",", ":")).encode()
text += b" " * (-len(text) % 8)
os.makedirs(target, exist_ok=True)
with open(target + "/best.safetensors", "wb") as out:
    out.write(struct.pack("<Q", len(text)) + text + body)
subprocess.run([os.environ["SEAL"], target + "/best.safetensors"], check=True)
PYTHON

{
    echo 'smiles,y'
    for i in 1 2 3 4 5 6; do
        printf '%s\n' CCO,1.2 CCN,0.4 CCC,0.1 c1ccccc1,2.5 CCOC,1.4 CNC,0.3 CCBr,1.9 CC=O,1.1 BrCCO,2.2 CCF,0.8
    done
} >molecules.csv

refuse() { # MODEL TENSOR PLACE VALUE WORDS
    run python3 spoil.py "$1" bad "$2" "$3" "$4"
    expect_code 0
    run timeout 60 "$l2r" predict bad --data molecules.csv --out out.csv
    expect_code 1
    expect_equal "$(wc -l <err)" 1
    expect_line err '^l2r: bad/best.safetensors: '
    grep -q -- "$5" err || fail "$1 with $2[$3] = $4: $(cat err)"
}

for model in boost forest; do
    run "$l2r" train --data molecules.csv --model "$model" --members 1 --features morgan,descriptors --split random \
        --epochs 2 --leaf 1 --out "$model" --quiet
    if ((code != 0)) && grep -Eq 'RDKit|XGBoost' err; then
        grep -q XGBoost err && continue
        exit 77
    fi
    expect_code 0
    refuse "$model" rounds 0 9e18 'counts'
    refuse "$model" rounds 0 nan 'counts'
    refuse "$model" rounds 0 -1 'counts'
    refuse "$model" trees.left 0 0 'children'
    refuse "$model" trees.left 0 2000000000 'children'
    refuse "$model" trees.column 0 2000000000 'column'
    refuse "$model" trees.column 0 -7 'column'
    refuse "$model" trees.threshold 0 nan 'threshold'
    refuse "$model" trees.value 0 inf 'value'
    refuse "$model" trees.size 0 2000000000 'nodes'
    refuse "$model" old 0 0 'train the model again'
done
if [[ -d boost ]]; then
    refuse boost trees.base 0 nan 'base'
    refuse boost trees.zero_left 0 9 'zeros'
fi
finish
