# SPDX-License-Identifier: MIT
# Several models asked together, the distance to what they were trained on, and the representations themselves.
source "$(dirname "$0")/expect.bash"

run "$l2r" train --data "$tiny" "${small[@]}" --seeds 0-2 --out many --quiet
expect_code 0
run "$l2r" train --data molecules:graphs=60 "${small[@]}" --out other --quiet

# The mean and spread of an ensemble are those of its models' own predictions.
for seed in 0 1 2; do
    run "$l2r" predict many/seed-$seed --part all --out p$seed.csv
    expect_code 0
done
run "$l2r" predict many --ensemble --part all --out all.csv
expect_code 0
expect_line err '^96 predictions in all.csv$'
run "$l2r" predict many/seed-0 many/seed-1/best.safetensors many/seed-2 --ensemble --part all --out listed.csv
expect_code 0
cmp all.csv listed.csv || fail "a folder of seeds and its runs differ"
expect_equal "$(head -1 all.csv)" "graph,class,p_0,p_1,p_0_sd,p_1_sd,label,distance,applicability,unseen,problem"
python3 - <<'P' || fail "mean and spread"
import csv, statistics
rows = [list(csv.DictReader(open(f))) for f in ("p0.csv", "p1.csv", "p2.csv", "all.csv")]
for a, b, c, mean in zip(*rows):
    for key in ("p_0", "p_1", "distance", "applicability"):
        x = [float(r[key]) for r in (a, b, c)]
        assert abs(float(mean[key]) - statistics.mean(x)) < 1e-6, (key, x, mean)
        if key + "_sd" in mean:
            assert abs(float(mean[key + "_sd"]) - statistics.stdev(x)) < 1e-6, (key, x, mean)
    assert mean["class"] == str(int(float(mean["p_1"]) > float(mean["p_0"]))) and mean["label"] == a["label"]
P
run "$l2r" predict many/seed-0 many/seed-0 --ensemble --part test --no-applicability
expect_code 0
expect_equal "$(head -1 out)" "graph,class,p_0,p_1,p_0_sd,p_1_sd,label,problem"
expect_equal "$(tail -n +2 out | cut -d, -f5,6 | sort -u)" "0,0"

run "$l2r" predict many
expect_error 2 "many holds 3 models; use --ensemble for their mean and spread, or name one of them"
run "$l2r" predict many/seed-0 many/seed-1
expect_error 2 "many/seed-0 and the others are 2 models; use --ensemble for their mean and spread"
run "$l2r" predict many/seed-0 --ensemble
expect_error 2 "--ensemble needs at least two models, many/seed-0 is one"
run "$l2r" predict many/seed-0 other --ensemble
expect_error 1 "many/seed-0 has a multiclass task, other a binary task; an ensemble needs models of the same task"

# Distances: graphs of another kind are further out; validation graphs are spread evenly over 0..1 by definition.
python3 - <<'P' || fail "distances"
import csv, json
rows = list(csv.DictReader(open("p0.csv")))
split = json.load(open("many/seed-0/split.json"))
valid = sorted(float(rows[g]["applicability"]) for g in split["valid"])
assert max(abs(a - (i + 1) / len(valid)) for i, a in enumerate(valid)) < 0.2, valid
assert all(float(r["distance"]) >= 0 for r in rows)
train = sorted(float(rows[g]["distance"]) for g in split["train"])
assert train[0] <= train[-1] <= 100, train
P
# The domain is part of the model: alone, far from its run and its data, the file gives the same columns.
cp many/seed-0/best.safetensors alone.safetensors
run "$l2r" predict alone.safetensors --data "$tiny" --out p.csv
expect_code 0
run "$l2r" predict many/seed-0 --data "$tiny" --out p0.csv
cmp p.csv p0.csv || fail "the file alone predicts otherwise"
expect_equal "$(head -1 p.csv | grep -c distance,applicability)" 1

# Representations: rows in order, numbers that agree between the formats.
run "$l2r" fingerprint many/seed-0 --part test --out z.npy
expect_code 0
expect_line err '^24 rows of 8 numbers in z.npy$'
run "$l2r" fingerprint many/seed-0 --part test
expect_code 0
expect_equal "$(head -1 out)" "graph,z_0,z_1,z_2,z_3,z_4,z_5,z_6,z_7,problem"
python3 - <<'P' || fail "z.npy"
import ast, csv, json, struct
raw = open("z.npy", "rb").read()
assert raw[:8] == b"\x93NUMPY\x01\x00"
length = struct.unpack("<H", raw[8:10])[0]
head = ast.literal_eval(raw[10:10 + length].decode())
assert (10 + length) % 64 == 0 and raw[9 + length:10 + length] == b"\n"
assert head == {"descr": "<f4", "fortran_order": False, "shape": (24, 8)}, head
numbers = struct.unpack(f"<{24 * 8}f", raw[10 + length:])
rows = list(csv.reader(open("out")))[1:]
assert [int(r[0]) for r in rows] == json.load(open("many/seed-0/split.json"))["test"]
text = [struct.unpack("<f", struct.pack("<f", float(x)))[0] for r in rows for x in r[1:-1]]
assert list(numbers) == text
P
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    expect_equal "$(/usr/bin/python3 -c 'import numpy; z = numpy.load("z.npy"); print(z.shape, z.dtype)')" \
        "(24, 8) float32"
fi
# The classifier on them gives the logits of predict.
run "$l2r" predict many/seed-0 --part test --logits --out logits.csv
python3 - <<'P' || fail "head"
import csv, json, struct
raw = open("many/seed-0/best.safetensors", "rb").read()
n = struct.unpack("<Q", raw[:8])[0]
head = json.loads(raw[8:8 + n])
def tensor(name):
    a, b = head[name]["data_offsets"]
    return struct.unpack(f"<{(b - a) // 4}f", raw[8 + n + a:8 + n + b])
w, bias = tensor("1.head.weight"), tensor("1.head.bias")
for z, y in zip(list(csv.reader(open("out")))[1:], csv.DictReader(open("logits.csv"))):
    for k in range(2):
        value = bias[k] + sum(w[8 * k + j] * float(z[1 + j]) for j in range(8))
        assert abs(value - float(y[f"logit_{k}"])) < 1e-4 * (1 + abs(value)), (z, y)
P
run "$l2r" fingerprint many/seed-0 --out /dev/full
expect_code 1
expect_line err 'cannot be written'
finish
