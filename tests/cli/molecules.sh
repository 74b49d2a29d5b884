# SPDX-License-Identifier: MIT
# From a table of SMILES to predictions: training without options, rows passed through byte by byte, bad rows in their
# place.
source "$(dirname "$0")/expect.bash"

python3 - <<'P'
import random
random.seed(1)
parts = ["C", "CC", "CO", "CN", "C(=O)O", "c1ccccc1", "C1CCCCC1", "C(F)(F)F", "S", "OC"]
with open("my.csv", "w") as f, open("values.csv", "w") as g, open("two-tasks.csv", "w") as h:
    print("smiles,name,active", file=f)
    print("mol;logp", file=g)
    print("smiles,rare,often", file=h)
    for i in range(120):
        smiles = "".join(random.choice(parts) for _ in range(random.randint(2, 5)))
        print(f'{smiles},"compound {i}, ""x""",{int(smiles.count("c1") > 1)}', file=f)
        print(f"{smiles},{int(i % 12 == 0)},{i % 2 if i % 7 else ''}", file=h)
        print(f"{smiles};{len(smiles) / 3 - smiles.count('O'):.3f}", file=g)
P
run "$l2r" train --data my.csv --model gin "${small[@]}" --out model
grep -q librdkit-dev err && exit 77
expect_code 0
expect_line out '^chosen  gin trained with erm; it stops after 20 epochs without improvement'
expect_line out '^labels  the rarer class has [0-9.]+ % of the training labels: '
expect_equal "$(json model/config.json '(x["method"], x["class-weights"], x["model"])')" "('erm', 'auto', 'gin')"
run "$l2r" train --data my.csv --model gin "${small[@]}" --method erm --class-weights none --early-stop 0 --out plain
expect_code 0
expect_line out '^chosen  gin trained with erm$'
expect_equal "$(json plain/config.json '(x["method"], x["class-weights"])')" "('erm', 'none')"
run "$l2r" train --data values.csv --model gin "${small[@]}" --seeds 0-1 --out values
expect_code 0
expect_line out '^labels  standardised for training: mean [0-9.-]+, sd [0-9.]+$'

run "$l2r" train --data two-tasks.csv --model gin "${small[@]}" --out two
expect_code 0
expect_line out '^labels  the rarest class has [0-9.]+ % of the training labels: classes are balanced by weights '
printf 'smiles\nCCO\n' >ethanol.csv
run "$l2r" predict two --data ethanol.csv --no-applicability
expect_equal "$(head -1 out)" "smiles,class_rare,class_often,p_rare,p_often,problem"
run "$l2r" predict two --part test --no-applicability
expect_equal "$(head -1 out)" "$(head -1 two-tasks.csv),class_rare,class_often,p_rare,p_often,problem"

# Every byte of every row stays, answers stand behind it; rows without a molecule stay in their place and say why.
{
    printf 'id,smiles,note\r\n1,CCO,"a, b"\r\n2,C(C,"say ""no"""\r\n3,,\r\n\r\n4,c1ccccc1\r\n5,*CC,w\r\n'
    printf '6,"CC(=O)O","two\nlines"\r\n7,C\xff,z\r\n8,CCN, keep \r\n9,CC,"open\r\n10,CCC,last'
} >new.csv
run "$l2r" predict model --data new.csv --out pred.csv
expect_code 0
expect_file out </dev/null
problems='6 with a problem \(the first in line 3: not a valid SMILES\)'
expect_line err "^10 rows in pred.csv: 4 predicted, $problems\$"
python3 - <<'P' || fail "pred.csv"
import csv
raw = open("pred.csv", "rb").read()
starts = [b"id,smiles,note,class,p,distance,applicability,unseen,problem\n", b'1,CCO,"a, b",',
          b'2,C(C,"say ""no""",,,,,,not a valid SMILES\n', b"3,,,,,,,,the SMILES is empty\n",
          b"4,c1ccccc1,,,,,,,\"it has 2 fields", b"5,*CC,w,,,,", b'6,"CC(=O)O","two\nlines",', b"7,C\xff,z,,,,",
          b"8,CCN, keep ,", b'9,CC,"open",,,,', b"10,CCC,last,"]
at = 0
for start in starts:
    here = raw.find(start, at)
    assert here >= at, (start, raw[at:at + 200])
    assert here == 0 or raw[here - 1:here] == b"\n", start
    at = here + 1
rows = list(csv.DictReader(raw.decode("latin-1").splitlines(keepends=True)))
assert [r["id"] for r in rows] == [str(i) for i in range(1, 11)], rows
for r in rows:
    good = r["problem"] == ""
    assert good == (r["p"] != "") == (r["distance"] != ""), r
    if good:
        assert 0 < float(r["p"]) < 1 and float(r["distance"]) >= 0 and 0 <= float(r["applicability"]) <= 1
P
# Without the bad rows the same numbers; one thread gives the same bytes.
printf 'smiles\nCCO\nCC(=O)O\nCCN\nCCC\n' >good.csv
run "$l2r" predict model --data good.csv
expect_code 0
expect_equal "$(tail -n +2 out | cut -d, -f3)" \
    "$(python3 -c 'import csv
rows = csv.DictReader(open("pred.csv", encoding="latin-1"))
print("\n".join(r["p"] for r in rows if r["p"]))')"
# Blanks around a SMILES do not count, as in training.
p_of() { tail -n +2 out | cut -d, -f2,3; }
plain=$(p_of)
printf 'smiles\n CCO\nCC(=O)O \n  CCN x\nCCC\n' >blanks.csv
run "$l2r" predict model --data blanks.csv
expect_equal "$(p_of)" "$plain"
run "$l2r" predict model --data new.csv --threads 1 --out one.csv
cmp one.csv pred.csv || fail "the number of threads changes predictions"
# A part of a table is a data set; all of it, given as the run's own data, is passed through.
run "$l2r" predict model --data my.csv --no-applicability
expect_equal "$(head -1 out)" "smiles,name,active,class,p,problem"
expect_equal "$(wc -l <out)" 121
cut -d, -f1-4 out | tail -n +2 | diff -q - <(tail -n +2 my.csv | cut -d, -f1-4) >/dev/null || fail \
    "my.csv changed on its way"

# Other tables: no header, tabs, gzip, names that are taken, a column of SMILES that has to be named.
printf 'CCO\t1\nCCN\t2\nc1ccccc1\t3\nC1CC\t4\n' | gzip >bare.tsv.gz
run "$l2r" predict model --data bare.tsv.gz --no-applicability
expect_code 0
expect_equal "$(wc -l <out) $(head -1 out | cut -f1,2)" "$(printf '4 CCO\t1')"
expect_line out "$(printf '^C1CC\t4\t\t\tnot a valid SMILES')"
printf 'smiles;p;problem\nCCO;a;b\n' >taken.csv
run "$l2r" predict model --data taken.csv --no-applicability
expect_equal "$(head -1 out)" "smiles;p;problem;l2r_class;l2r_p;l2r_problem"
printf 'first,second\nCCO,CCN\nCCC,c1ccccc1\n' >two.csv
run "$l2r" predict model --data two.csv --smiles-column second --no-applicability --out b.csv
expect_code 0
printf 'smiles\nCCN\nc1ccccc1\n' >second.csv
run "$l2r" predict model --data second.csv --no-applicability --out c.csv
expect_equal "$(cut -d, -f3,4 b.csv)" "$(cut -d, -f2,3 c.csv)"
run "$l2r" predict model --data two.csv --smiles-column third
expect_code 1
expect_line err 'third'
run "$l2r" predict model --data new.csv --on-bad-smiles fail --out bad.csv
expect_code 1
expect_line err '^l2r: new.csv:3: not a valid SMILES'
[[ ! -e bad.csv ]] || fail "a refused table left a file"
printf 'smiles\n' >empty.csv
run "$l2r" predict model --data empty.csv --out e.csv
expect_line err '.'

# Ensembles and values in the targets' own units.
for seed in 0 1; do
    run "$l2r" predict values/seed-$seed --data good.csv --out v$seed.csv
    expect_code 0
done
run "$l2r" predict values --ensemble --data good.csv --out v.csv
expect_code 0
expect_equal "$(head -1 v.csv)" "smiles,value,value_sd,value_low,value_high,distance,applicability,unseen,problem"
python3 - <<'P' || fail "ensemble of a table"
import csv, statistics
for a, b, c in zip(*(list(csv.DictReader(open(f))) for f in ("v0.csv", "v1.csv", "v.csv"))):
    x = [float(a["value"]), float(b["value"])]
    assert abs(statistics.mean(x) - float(c["value"])) < 1e-6 and abs(statistics.stdev(x) - float(c["value_sd"])) < 1e-6
    assert -20 < x[0] < 20
P

# Representations: NaN where there is no molecule, so that rows still fit the table.
run "$l2r" fingerprint model --data new.csv --out z.npy
expect_code 0
expect_line err '^10 rows in z.npy: 4 with a representation, 6 with a problem'
run "$l2r" fingerprint model --data new.csv --out z.csv
expect_code 0
python3 - <<'P' || fail "z.npy of a table"
import ast, csv, struct
raw = open("z.npy", "rb").read()
head = ast.literal_eval(raw[10:128].decode())
assert head["shape"] == (10, 8) and len(raw) == 128 + 10 * 8 * 4, head
numbers = struct.unpack("<80f", raw[128:])
for i, row in enumerate(csv.DictReader(open("z.csv", encoding="latin-1"))):
    z = numbers[8 * i:8 * i + 8]
    if row["problem"]:
        assert all(x != x for x in z) and row["z_0"] == "", row
    else:
        assert [struct.unpack("<f", struct.pack("<f", float(row[f"z_{k}"])))[0] for k in range(8)] == list(z)
P

# Nothing half written: a full disk, an interrupt, a kill. Memory does not grow with the table.
run "$l2r" predict model --data new.csv --out /dev/full
expect_code 1
expect_line err '^l2r: /dev/full: cannot be written: No space left on device$'
python3 - "$l2r" <<'P' || fail "a long table"
import os, resource, signal, subprocess, sys, time
rows = open("my.csv").read().splitlines()
def table(name, n):
    with open(name, "w") as f:
        f.write(rows[0] + "\n")
        for i in range(n):
            f.write(rows[1 + i % 120] + "\n")
def memory(name):
    pid = os.spawnv(os.P_NOWAIT, sys.argv[1], [sys.argv[1], "predict", "model", "--data", name, "--out", "big.csv"])
    _, status, usage = os.wait4(pid, 0)
    assert status == 0
    return usage.ru_maxrss
table("short.csv", 9000)
table("long.csv", 30000)
short, long = memory("short.csv"), memory("long.csv")
assert sum(1 for _ in open("big.csv")) == 30001
# A sanitizer keeps traces of what was freed: its memory says nothing.
assert long < short + 20000 or "L2R_SANITIZE" in os.environ, (short, long)
os.remove("big.csv")
for how, code in ((signal.SIGINT, 130), (signal.SIGKILL, -9)):
    p = subprocess.Popen([sys.argv[1], "predict", "model", "--data", "long.csv", "--out", "big.csv"],
                         stderr=subprocess.PIPE)
    while not any(n.startswith("big.csv.tmp") for n in os.listdir(".")):
        time.sleep(0.01)
    p.send_signal(how)
    p.wait()
    assert p.returncode == code and not os.path.exists("big.csv"), (how, p.returncode)
    if how == signal.SIGINT:
        assert not any(n.startswith("big.csv") for n in os.listdir("."))
P
finish
