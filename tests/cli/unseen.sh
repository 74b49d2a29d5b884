# SPDX-License-Identifier: MIT
# What training never saw is outside of the domain, and the reason is named: an element, a charge, a bond type, a label.
source "$(dirname "$0")/expect.bash"

python3 - <<'end'
atoms = ["C", "O", "N", "C(C)", "C(=O)", "C(F)"]
with open("train.csv", "w") as f:
    f.write("smiles,value\n")
    for i in range(80):
        s = "C" + "".join(atoms[(i * k + k * k) % 6] for k in range(1, 3 + i % 5)) + "C" * (i // 16)
        f.write(f"{s},{len(s)}\n")
end
cat >new.csv <<'end'
smiles,name
CCO,ethanol
CC[Pb](CC)(CC)CC,tetraethyl lead
[U],uranium
CC[NH3+],ethylammonium
CC#CC,butyne
end
run "$l2r" train --data train.csv --model gin \
    --split random --method erm --hidden 8 --layers 2 --epochs 2 --threads 1 --out run
expect_code 0
run "$l2r" predict run --data new.csv --out new-out.csv
expect_code 0
unseen() {
    python3 -c 'import csv, sys
row = next(r for r in csv.DictReader(open(sys.argv[1])) if r["name"] == sys.argv[2])
print(row["unseen"], row["applicability"] == "0", row["problem"] == "", row["value"] != "")' "$1" "$2"
}
expect_equal "$(unseen new-out.csv 'tetraethyl lead')" 'element Pb True True True'
expect_equal "$(unseen new-out.csv uranium)" 'element U True True True'
expect_equal "$(unseen new-out.csv ethylammonium)" 'charge +1 True True True'
expect_equal "$(unseen new-out.csv butyne | cut -d' ' -f1,2)" 'hybridisation sp'
expect_equal "$(unseen new-out.csv ethanol | cut -c1)" ' '
# An ensemble is as careful.
run "$l2r" predict --ensemble run run/best.safetensors --data new.csv --out both.csv
expect_equal "$(unseen both.csv uranium)" 'element U True True True'

# Training graphs have seen themselves.
run "$l2r" train --data motif:train=30,valid=10,test=10 --hidden 8 --layers 2 --epochs 1 --threads 1 --out motif
expect_code 0
run "$l2r" predict motif --part train --out train-out.csv
expect_equal "$(python3 -c 'import csv; print({r["unseen"] for r in csv.DictReader(open("train-out.csv"))})')" "{''}"
finish
