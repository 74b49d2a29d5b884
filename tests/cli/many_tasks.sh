# SPDX-License-Identifier: MIT
# Tables of many tasks: boosted trees grow task by task, so that memory is that of one task and the trees.
source "$(dirname "$0")/expect.bash"
if ! (ulimit -v 2000000 && "$l2r" --version >/dev/null 2>&1); then
    echo "skipped: a sanitizer multiplies memory"
    exit 77
fi
python3 - <<'P'
import random
random.seed(4)
parts = ["C", "CC", "CO", "CN", "C(=O)O", "c1ccccc1", "C1CCCCC1", "C1CCNCC1", "c1ccncc1", "S", "OC", "F", "Cl"]
with open("many.csv", "w") as f:
    print("smiles," + ",".join(f"{'long name of assay ' * 5}{k}" for k in range(60)), file=f)
    for i in range(150):
        smiles = "C" + "".join(random.choice(parts[:6]) for _ in range(random.randint(3, 8)))
        print(smiles + "," + ",".join(random.choice(["0", "1", "1", ""]) for _ in range(60)), file=f)
P
run "$l2r" data info many.csv
grep -q librdkit-dev err && exit 77
expect_code 0
expect_line out '^task +binary, 60 tasks$'
cat >peak.py <<'P'
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
print("peak", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
sys.exit(code)
P
run python3 peak.py "$l2r" train --data many.csv --model boost --epochs 3 --features morgan,descriptors --quiet \
    --split random --out run
grep -q libxgboost-dev err && exit 77
expect_code 0
peak=$(sed -n 's/^peak //p' out)
((peak < 250)) || fail "training 60 tasks took $peak MB"
run "$l2r" eval run --json
expect_code 0
expect_equal "$(json out 'len(x["metrics"]["tasks"])')" 60

# In the default committee many tasks share the trees: 60 tasks have a fifth of those of 12.
cut -d, -f1-61 many.csv | head -50 >few.csv
run "$l2r" train --data few.csv --epochs 1 --hidden 8 --layers 1 --split random --quiet --no-refit --out shared
expect_code 0
expect_equal "$(json shared/result.json '[x["model"] for x in x["more"]["members"]]')" \
    "['dmpnn', 'forest', 'boost', 'mlp', 'mlp', 'mlp']"
expect_equal "$(member_field shared/best.safetensors 1 'x["config"]["trees"]')" 40

# Another table has its labels in columns of the same names, however many there are and whatever they hold.
awk -F, 'BEGIN {OFS = ","} NR > 1 {$2 = 0; $3 = 1} NR < 41' many.csv >other.csv
run "$l2r" eval run --data other.csv --json
expect_code 0
expect_equal "$(json out 'len(x["metrics"]["tasks"])')" 60
finish
