# SPDX-License-Identifier: MIT
# Trees and the rows that they learn from: weights of rows count, and bounds are left out, which is said once.
source "$(dirname "$0")/expect.bash"

python3 - <<'P'
with open("my.csv", "w") as f:
    print("smiles,y,w", file=f)
    for i in range(1, 25):
        for part, value in (("O", 1.25), ("N", 9.5)):
            print(f"{'C' * i}{part},{value},{1 if part == 'O' else 0.01}", file=f)
            print(f"{'C' * i}{part}C,>{value},1", file=f)
P
trees=(--target-columns y --censored --split random --features morgan --epochs 3 --quiet)
for model in boost forest; do
    for how in plain weighted; do
        more=(--model $model)
        [[ $how == weighted ]] && more+=(--weight-column w)
        run "$l2r" train --data my.csv "${trees[@]}" "${more[@]}" --out $model-$how
        grep -Eq 'librdkit-dev|libxgboost-dev' err && exit 77
        expect_code 0
        run "$l2r" predict $model-$how CCCCO CCCCN --no-applicability --json
        expect_code 0
        cp out $model-$how.json
    done
    # Rows of weight 0.01 hardly pull the answers away from those of weight 1.
    expect_equal "$(python3 - $model <<'P'
import json, sys
plain, weighted = ([json.loads(x)["value"] for x in open(f"{sys.argv[1]}-{how}.json")] for how in ("plain", "weighted"))
print(sum(weighted) < sum(plain) - 0.2)
P
)" True
done
run "$l2r" train --data my.csv "${trees[@]:0:7}" --epochs 1 --model boost --out said
expect_code 0
expect_line out '^table   my.csv: column "y" has 48 bounds among its labels: '
expect_line out '^labels  boost learns from exact labels only: [0-9]+ training labels are a bound and left out'
run "$l2r" train --data my.csv --target-columns y --censored --weight-column w "${small[@]}" --model gin \
    --split random --out net
expect_code 0
expect_line out '^table   my.csv: rows count in training by the weights of column "w"$'
expect_equal "$(grep -c 'learns from exact labels only' out)" 0
finish
