#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# l2r explain: which graphs, its files and scores, equal calls giving equal files, and what it refuses.
source "$(dirname "$0")/expect.bash"
quick=(--steps 3 --restarts 2)

run "$l2r" train --data "$tiny" "${small[@]}" --out run --quiet
expect_code 0

# A whole part, by class; the files hold a row an edge and a row a node.
run "$l2r" explain run --part test "${quick[@]}" --no-draw
expect_code 0
expect_line out '^graphs +n +p +fidelity\+ +fidelity- +sparsity +node AUC +node prec@k +edge AUC +edge prec@k$'
expect_line out '^all +24 '
expect_line out '^class 1 +12 '
expect_line err '^24 explanations in run/explanations$'
expect_json run/explanations/explanations.json
expect_equal "$(json run/explanations/explanations.json 'len(x["graphs"])')" 24
expect_equal "$(json run/explanations/explanations.json 'x["settings"]["steps"]')" 3
expect_equal "$(head -1 run/explanations/edges.csv)" graph,u,v,importance,important,contribution
expect_equal "$(head -1 run/explanations/nodes.csv)" graph,node,importance,mark,contribution
expect_equal "$(tail -n +2 run/explanations/edges.csv | wc -l)" \
    "$(json run/explanations/explanations.json 'sum(len(g["edges"]) for g in x["graphs"])')"
expect_equal "$(tail -n +2 run/explanations/nodes.csv | wc -l)" \
    "$(json run/explanations/explanations.json 'sum(len(g["nodes"]) for g in x["graphs"])')"
[[ ! -e run/explanations/graph-72.svg ]] || fail "--no-draw has drawn"

# Single graphs, with drawings; the same numbers alone as among others, on one thread as on two, and the same files
# twice.
run "$l2r" explain run --graph 75,73 "${quick[@]}" --threads 1 --out one
expect_code 0
expect_line out '^all +2 '
[[ -s one/graph-73.svg && -s one/graph-75.png ]] || fail "drawings are missing: $(ls one)"
run "$l2r" explain run --graph 75,73 "${quick[@]}" --threads 2 --out two
expect_code 0
diff -r one two || fail "two calls differ"
diff <(grep '^73,' run/explanations/edges.csv) <(grep '^73,' one/edges.csv) || fail "graph 73 alone differs"
run "$l2r" explain run --graph 75,73 "${quick[@]}" --seed 1 --out three --no-draw
cmp -s one/edges.csv three/edges.csv && fail "--seed changes nothing"

# Drawings of an earlier call go, other files stay.
touch one/graph-99.svg
run "$l2r" explain run --graph 74 "${quick[@]}" --format svg --out one
expect_code 0
expect_equal "$(cd one && echo *)" "edges.csv explanations.json graph-74.svg graph-99.svg graphs.csv nodes.csv"

# What others wrote is refused by name and stays.
touch one/graph-75.svg
run "$l2r" explain run --graph 75 "${quick[@]}" --format svg --out one
expect_error 1 "one/graph-75.svg exists and was not written by l2r explain; move it or choose another folder with \
--out"
mkdir mine
echo from,to >mine/edges.csv
run "$l2r" explain run --graph 75 "${quick[@]}" --no-draw --out mine
expect_error 1 "mine/edges.csv exists and was not written by l2r explain; move it or choose another folder with \
--out"
expect_equal "$(cd mine && echo * "$(cat edges.csv)")" "edges.csv from,to"
echo '{}' >mine/explanations.json
rm mine/edges.csv
run "$l2r" explain run --graph 75 "${quick[@]}" --no-draw --out mine
expect_code 1
expect_line err '^l2r: mine/explanations.json .*not written by l2r explain'

run "$l2r" explain run --label 1 --limit 3 --important 4 "${quick[@]}" --no-draw --json
expect_code 0
expect_json out
expect_equal "$(json out 'x[0]["n"]')" 3
expect_equal "$(json run/explanations/explanations.json '[sum(e[3] for e in g["edges"]) for g in x["graphs"]]')" \
    "[4, 4, 4]"
expect_equal "$(json run/explanations/explanations.json '{g["label"] for g in x["graphs"]}')" "{1}"

# Gates that a model has on its edges are explanations at once: the same for any seed, one for every edge, in 0 .. 1.
run "$l2r" train --data "$tiny" --method gsat "${small[@]}" --out gated --quiet
expect_code 0
run "$l2r" explain gated --explainer gates --part test --no-draw --out gates
expect_code 0
expect_line out '^all +24 '
expect_equal "$(json gates/explanations.json 'x["settings"]["explainer"]')" gates
expect_equal "$(json gates/explanations.json 'all(0 < e[2] < 1 for g in x["graphs"] for e in g["edges"])')" True
run "$l2r" explain gated --explainer gates --part test --no-draw --out again --seed 5
diff gates/edges.csv again/edges.csv || fail "gates depend on a seed"
run "$l2r" explain gated --graph 73 "${quick[@]}" --no-draw --out masked
expect_code 0
run "$l2r" explain run --explainer gates --limit 1
expect_error 1 '--explainer gates: the model has no gates on its edges; train with --method gsat for some'
run "$l2r" train --data "$tiny" --method gsat --model pna "${small[@]}" --out refused
expect_code 1
expect_line err '^l2r: --gates: model pna cannot have gates on its edges: maximum, minimum'

# A model that has no edge masks, and wrong calls.
run "$l2r" train --data "$tiny" --model pna "${small[@]}" --out pna --quiet
run "$l2r" explain pna --limit 1
expect_code 1
expect_line err '^l2r: pna cannot be explained by masks on edges: .*; --explainer occlusion and --explainer shapley'
run "$l2r" explain pna --limit 1 --explainer occlusion --format svg
expect_code 0
expect_equal "$(cut -d, -f11 pna/explanations/graphs.csv)" "sum" # contributions of occlusion need not add up
grep -q 'shades: the change without one node or edge;' pna/explanations/*.svg || fail "what shades are is not said"
run "$l2r" list models
expect_line out 'l2r explain explains it by occlusion and shapley only: '
run "$l2r" explain run --graph 96
expect_error 1 "--graph: there is no graph 96 in $tiny, which has 0 to 95"
run "$l2r" explain run --graph 1,x
expect_error 2 "--graph: 'x' is not the number of a graph; expected a list such as 7 or 7,12,40"
run "$l2r" explain run --graph 1 --part test
expect_error 2 "--graph names the graphs; it cannot be combined with --part or --label"
run "$l2r" explain run --label 7
expect_error 1 "no graph of the test part of $tiny has the label 7"
run "$l2r" explain run --task 4 --limit 1
expect_error 1 "--task: there is no task 4, the model has 1 (0 to 0)"
run "$l2r" explain run --limit 1 --steps 2 --no-draw --fragments
expect_error 1 'data set "motif" has no SMILES, so its graphs have no fragments of molecules'
run "$l2r" explain nowhere
expect_code 1
expect_line err '^l2r: nowhere'

# Contributions have a sign, and Shapley values add up to what the answer is above the baseline.
run "$l2r" explain run --graph 73 --explainer shapley --samples 4 --out shapley
expect_code 0
run python3 - shapley/explanations.json <<'EOF'
import json, sys
graph = json.load(open(sys.argv[1]))["graphs"][0]
assert abs(graph["sum"] - (graph["value"] - graph["baseline"])) < 1e-4, graph
assert min(graph["node_contributions"]) < 0 or max(graph["node_contributions"]) > 0, graph
EOF
expect_code 0
grep -q 'raises, lowers' shapley/graph-73.svg || fail "no legend of the signs"
run "$l2r" explain run --graph 73 --explainer occlusion --format svg --out occlusion
expect_code 0
cmp -s shapley/nodes.csv occlusion/nodes.csv && fail "occlusion and shapley are the same"
finish
