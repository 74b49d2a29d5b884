# SPDX-License-Identifier: MIT
# l2r reproduce shift in its quick form: every method runs, and weights that are all one change nothing.
source "$(dirname "$0")/expect.bash"

run "$l2r" reproduce shift --quick --out shift --quiet
expect_code 0
expect_line shift/shift.md '^Seeds: .* 98 of 98 runs are done'
expect_line shift/shift.md '^\| L2R-GNN ones − GIN \| \+0.00 \(\+0.00 to \+0.00\).* \| \+0.00 \(\+0.00 to \+0.00\)'
expect_line shift/shift.md '^## Worst group$'
expect_line shift/shift.md '^## Either selection$'
expect_equal "$(head -1 shift/shift.csv | tr , '\n' | grep -c worst_group)" 2
for row in GroupDRO IRM V-REx CORAL Mixup AFR DFR EVaLS JTT GSAT DIVE-2 DIVE-3 OOD-GNN StableGNN "head fit learned" \
    "L2R-GNN recommended" "L2R-GNN to the letter"; do
    expect_line shift/shift.md "^\\| $row − GIN \\| "
done
run "$l2r" list methods --json
# Plain training is what the head fit starts from.
known=$(json out 'sorted(m["name"] for m in x["methods"] if m["name"] != "erm")')
expect_equal "$(python3 -c 'import json
print(sorted({json.loads(line)["config"]["method"] for line in open("shift/results.jsonl")}))')" "$known"
finish
