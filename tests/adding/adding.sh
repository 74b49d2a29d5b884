# SPDX-License-Identifier: MIT
# One of each kind that can be added, each a file of examples/adding put into its folder and nothing else
# (CMakeLists.txt): it is found by name, its options are known, and it works.
source "$(dirname "$0")/../cli/expect.bash"

run "$l2r" list
expect_code 0
cp out list
expect_listed() {
    expect_line list "^  $1 "
}

# backbone
expect_listed graphconv
run "$l2r" train --data $tiny --model graphconv --aggregate normalised "${small[@]}" --out graphconv --quiet
expect_code 0
run "$l2r" eval graphconv
expect_line out '^accuracy '

# method
expect_listed size_balance
run "$l2r" train --data $tiny --method size_balance --strength 0.5 "${small[@]}" --out size_balance --quiet
expect_code 0
expect_line size_balance/metrics.jsonl '"ess":'

# reader
expect_listed edge_table
mkdir pairs
printf '3,0\n3,1\n' >pairs/graphs.csv
printf '0,0,1\n0,1,2\n1,0,1\n1,1,2\n1,2,0\n' >pairs/edges.csv
run "$l2r" data info pairs
expect_line out '^edges +5 undirected'

# generator: message passing cannot tell one ring from two
expect_listed rings
run "$l2r" train --data rings:size=12,graphs=60 --split random "${small[@]}" --out rings --quiet
expect_code 0
run "$l2r" predict rings --no-applicability
expect_equal "$(tail -n +2 out | cut -d, -f3 | sort -u | wc -l)" 1

# split rule
expect_listed density
run "$l2r" data split $tiny --split density --densest train --out split.json
expect_line out '^split.json: density split, 77 train, 9 valid, 10 test$'

# readout, activation, optimiser, schedule: together in one run, each with its own option
for name in deepset silu lion polynomial; do expect_listed $name; done
run "$l2r" train --data $tiny "${small[@]}" --readout deepset --deepset-width 5 --activation silu --optimiser lion \
    --lion-beta2 0.98 \
    --lr-schedule polynomial --decay-power 2 --lr 0.0004 --out together --quiet
expect_code 0
expect_equal "$(python3 -c 'import json; print([json.loads(line)["lr"] for line in open("together/metrics.jsonl")])')" \
    '[0.0004, 0.0001]'
run "$l2r" fingerprint together --out z.csv
expect_line z.csv '^graph,z_0,z_1,z_2,z_3,z_4,problem$'

# metric: on rings every graph gets the same answer, which MCC calls worthless
expect_listed kappa
run "$l2r" eval rings --part all
expect_line out '^kappa  *0\.0000$'
run "$l2r" train --data $tiny "${small[@]}" --metric kappa --out kappa --quiet
expect_code 0
expect_equal "$(json kappa/result.json 'x["metric"]')" kappa

# command
run "$l2r" help
expect_line out '^  data degrees  +count the nodes of every degree'
run "$l2r" data degrees rings:size=8,graphs=10
expect_file out <<'END'
degree  nodes   share
2          80  1.0000
END

# chart and reproduction
run "$l2r" reproduce "$source_dir/examples/adding/motif-ranges.json" --quick --out again --quiet
expect_code 0
expect_line again/motif-ranges.dat '^# block 0'
expect_line again/motif-ranges.gp 'GIN'
finish
