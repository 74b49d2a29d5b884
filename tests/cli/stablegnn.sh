# SPDX-License-Identifier: MIT
# A method that changes defaults: help and lists show them, typed options win, configs replay, and what cannot be is
# refused.
source "$(dirname "$0")/expect.bash"
shown='(x["method"], x["readout"], x["inner-steps"], x["reweight-after"], x["queues"])'

run "$l2r" train --data "$tiny" "${small[@]}" --method stablegnn --out first --json
expect_code 0
cp out first.json
expect_equal "$(json first/config.json "$shown")" "('stablegnn', 'diffpool', 50, '20%', 0)"
run "$l2r" weights first
expect_code 0
expect_line out '^all +48 +1\.0000 '
expect_line first/metrics.jsonl '"reweight":\{"dependence_before":'

# Replayed, the run is the same; another method keeps what the file says.
run "$l2r" train --config first --out again --json
expect_code 0
expect_equal "$(json out 'x["test"]')" "$(json first.json 'x["test"]')"
cmp first/config.json again/config.json || fail "the replayed run has another config"
run "$l2r" train --config first --method erm --out pooled --quiet
expect_code 0
expect_equal "$(json pooled/config.json '(x["method"], x["readout"])')" "('erm', 'diffpool')"
run "$l2r" eval pooled --json
expect_code 0

# The other way round, what the file holds by default only is left to the method; what was chosen is kept, and refused.
run "$l2r" train --data "$tiny" "${small[@]}" --method l2r --reweight-after 1 --out other --quiet
expect_code 0
run "$l2r" train --config other --method stablegnn --inner-steps 4 --out mixed --quiet
expect_code 0
expect_equal "$(json mixed/config.json "$shown")" "('stablegnn', 'diffpool', 4, '1', 0)"
run "$l2r" train --data "$tiny" "${small[@]}" --readout sum --out sum --quiet
expect_code 0
run "$l2r" train --config sum --method stablegnn --out refused
expect_error 1 "--method stablegnn needs the clusters of --readout diffpool, its default; --readout sum makes none"
run "$l2r" train --data "$tiny" --method stablegnn --readout max --out refused
expect_error 1 "--method stablegnn needs the clusters of --readout diffpool, its default; --readout max makes none"

# A stopped run goes on with its own options.
run "$l2r" train --data "$tiny" "${small[@]}" --method stablegnn --out short --quiet
expect_code 0
rm short/result.json
run "$l2r" train --resume --out short --json
expect_code 0
expect_equal "$(json out 'x["test"]')" "$(json first.json 'x["test"]')"

run "$l2r" train --method stablegnn --help
tr -s ' \n' ' ' <out >line # lines wrap
expect_line line ' --inner-steps N [^-]*default 50\)'
expect_line line ' --readout [a-z|]* [^-]*default diffpool\)'
run "$l2r" train --method oodgnn --help
tr -s ' \n' ' ' <out >line
expect_line line ' --inner-steps N [^-]*default 20\)'
run "$l2r" list methods
expect_line out '^  stablegnn  .*--readout diffpool --inner-steps 50'
run "$l2r" list methods --json
expect_equal "$(json out '[m["defaults"]["readout"] for m in x["methods"] if m["name"] == "stablegnn"]')" "['diffpool']"
run "$l2r" completion bash
expect_line out '--hsic-sigma'
expect_line out '--inner-steps'
finish
