#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Predictions and reproductions on several ranks: the same bytes as alone, whatever is divided.
source "$(dirname "$0")/expect.bash"
source "$source_dir/tests/cli/ranks.bash"

run "$l2r" train --data molecules:graphs=120 "${small[@]}" --eval-batch-size 7 --quiet --out model
expect_code 0
# Few graphs: batches are divided; many: blocks of them.
for data in molecules:graphs=45 molecules:graphs=9000; do
    run "$l2r" predict model --data "$data" --out alone.csv
    expect_code 0
    run ranks 2 "$l2r" predict model --data "$data" --out ranks.csv
    expect_code 0
    cmp alone.csv ranks.csv || fail "predictions for $data differ"
done
run "$l2r" predict model --part test
expect_code 0
mv out alone.csv
run ranks 3 "$l2r" predict model --part test
expect_code 0
cmp alone.csv out || fail "predictions on standard output differ"

# A table: three chunks, some rows without a molecule, one in the last chunk. Without RDKit there is nothing to divide.
python3 - <<'PYTHON'
with open("labels.csv", "w") as labels, open("table.csv", "w") as table:
    print("smiles,y", file=labels)
    for i in range(60):
        print("C" * (1 + i % 7) + "ON"[i % 2] + "C" * (i % 5), i % 2, sep=",", file=labels)
    print("name,smiles", file=table)
    for i in range(9000):
        print(f'"molecule, {i}",' + ("C" * (1 + i % 7) + "O" if i % 2999 != 2998 else "C(C"), file=table)
PYTHON
run "$l2r" train --data labels.csv --model gin "${small[@]}" --quiet --out molecules
if ! grep -q librdkit-dev err; then
    expect_code 0
    run "$l2r" predict molecules --data table.csv --out alone.csv
    expect_code 0
    run ranks 2 "$l2r" predict molecules --data table.csv --out ranks.csv
    expect_code 0
    cmp alone.csv ranks.csv || fail "predictions for a table differ"
    expect_line err '9000 rows in ranks.csv: 8997 predicted, 3 with a problem \(the first in line 3000'
    run ranks 2 "$l2r" predict molecules --data table.csv --on-bad-smiles fail --out refused.csv
    expect_line err 'table.csv:3000: '
    [[ ! -e refused.csv ]] || fail "a refused table was written"
fi

# Runs are divided, rank 0 collects them: the same lines but for order and times.
lines() {
    python3 -c '
import json, sys
free = ("seconds", "cpu_seconds", "date", "threads", "config", "graphs_per_second")
rows = [json.loads(line) for line in open(sys.argv[1])]
print("\n".join(sorted(json.dumps({k: v for k, v in row.items() if k not in free}, sort_keys=True) for row in rows)))' \
    "$1"
}
run "$l2r" reproduce fig-mu --quick --seeds 0-1 --quiet --out alone
expect_code 0
run ranks 2 "$l2r" reproduce fig-mu --quick --seeds 0-1 --quiet --out ranks
expect_code 0
lines alone/results.jsonl >alone.txt
lines ranks/results.jsonl >ranks.txt
expect_equal "$(($(wc -l <alone.txt) > 3))" 1
cmp alone.txt ranks.txt || fail "results differ"
cp ranks/results.jsonl before
run ranks 2 "$l2r" reproduce fig-mu --quick --seeds 0-1 --quiet --out ranks
expect_code 0
cmp before ranks/results.jsonl || fail "finished runs were done again"

finish
