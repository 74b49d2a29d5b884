# SPDX-License-Identifier: MIT
# l2r bench: every mode on a few graphs; the JSON has its fields, the text its lines, and wrong calls are told.
source "$(dirname "$0")/expect.bash"
few=(--hidden 8 --layers 2 --epochs 2 --batch-size 8)

for mode in train infer; do
    run "$l2r" bench $mode gin-3x128 --graphs 20 "${few[@]}" --threads 1 --json
    expect_code 0
    expect_json out
    expect_equal "$(json out '(x["program"], x["measured"], x["threads"], len(x["measurements"]))')" \
        "('l2r', 'bench $mode', 1, 1)"
    expect_equal "$(json out '[x["measurements"][0][k] for k in ("workload", "data", "graphs")]')" \
        "['gin-3x128', 'molecules', 20]"
    expect_equal \
        "$(json out '[k for k in ("nodes", "arcs", "batch_size", "parameters", "seconds_per_epoch", "cpu_seconds",
                                  "flops", "gflops", "product_gflops_before", "product_gflops_after",
                                  "share_of_products", "batch_bytes", "peak_memory", "memory_before")
                      if not x["measurements"][0][k] > 0]')" "[]"
    expect_equal "$(json out 'len(x["measurements"][0]["seconds"])')" 2
    expect_equal \
        "$(json out '(lambda s: s["min"] <= s["median"] <= s["max"])(x["measurements"][0]["graphs_per_second"])')" True
done
expect_equal "$(json out 'x["measurements"][0]["loss"]')" None

run "$l2r" bench train dd-gcn-3x128 --graphs 3 "${few[@]}" --method l2r
expect_code 0
expect_line out '^dd-gcn-3x128: GCN, 3 layers of 128, graphs as large as proteins$'
expect_line out '^proteins: 3 graphs, [0-9]+ nodes, [0-9]+ arcs; batches of 8; [0-9]+ parameters; [0-9]+ threads$'
expect_line out '^  graphs/s +[0-9]+ \([0-9]+–[0-9]+\)  median, slowest and fastest pass$'
expect_line out '^  share +[0-9.]+ %  of the products alone$'
expect_line out '^  on the tape +[0-9.]+ MB  values and gradients of a batch'

# Without a workload: all of them, on the data named.
run "$l2r" bench infer --data molecules:graphs=9 --graphs 5 "${few[@]}" --json
expect_code 0
"$l2r" list workloads --json >workloads
expect_equal "$(json out '[m["workload"] for m in x["measurements"]]')" \
    "$(json workloads '[w["name"] for w in x["workloads"]]')"
expect_equal "$(json out '{m["graphs"] for m in x["measurements"]}')" "{5}"
expect_equal \
    "$(json workloads '[(w["model"], w["layers"], w["hidden"], w["batch-size"], w["dropout"], w["edge-features"])
                        for w in x["workloads"] if w["name"] == "gin-5x300"]')" \
    "[('gin', 5, 300, 128, 0.5, True)]"

run "$l2r" bench reweight --rows 32 --width 6 --runs 2 --threads 1 --json
expect_code 0
expect_json out
expect_equal "$(json out '[m["clusters"] for m in x["measurements"]]')" "[0, 4]"
run "$l2r" bench reweight --rows 32 --width 20 --runs 2 --json
expect_code 0
expect_equal "$(json out '[(m["rows"], m["width"], m["clusters"]) for m in x["measurements"]]')" \
    "[(32, 20, 0), (32, 20, 4), (32, 20, 16)]"
expect_equal \
    "$(json out 'all(0 < m["seconds"]["median"] and 0 < m["dependence_left"] < 1 for m in x["measurements"])')" True
run "$l2r" bench reweight --rows 32 --width 20 --clusters 4 --runs 2
expect_code 0
expect_line out '^ +32 +20  4 clusters '

run env TMPDIR="$PWD" "$l2r" bench load --graphs 30 --runs 2 --json
expect_code 0
expect_json out
expect_equal "$(json out '(x["measurements"][0]["data"], x["measurements"][0]["graphs"])')" "('molecules', 30)"
expect_equal \
    "$(json out '[k for k in ("source_bytes", "data_bytes", "graphs_per_second", "source_mb_per_second", "peak_memory")
                  if not x["measurements"][0][k] > 0]')" "[]"
expect_equal "$(ls -d l2r-* 2>/dev/null)" "" # nothing is left behind
run "$l2r" bench load "$source_dir/tests/data/ogb/mini" --runs 1
expect_code 0
expect_line out '^  from its files +[0-9]'
expect_line out '^  from the cache +[0-9]'

run "$l2r" bench export gin-5x300 --graphs 7 --out made
expect_code 0
expect_line out '^made: 7 graphs, [0-9]+ nodes, [0-9]+ arcs$'
expect_equal "$(json made/data.json '(x["graphs"], x["task"], x["outputs"], x["node_columns"][0])')" \
    "(7, 'binary', 1, 119)"
run "$l2r" bench export dd-gcn-3x128 --data "$source_dir/tests/data/tu/MINI.zip" --out mini
expect_code 0
expect_equal "$(json mini/data.json 'len(x["node_values"]) == len(x["node_columns"])')" True

run "$l2r" bench train gin-4x300
expect_error 2 "there is no workload 'gin-4x300'; did you mean 'gin-5x300'?"
run "$l2r" bench train gin-3x128 --model gcn
expect_error 2 "the workload determines the model; --model gcn cannot be used"
run "$l2r" bench train gin-3x128 --method ermm
expect_code 2
run "$l2r" bench train gin-3x128 --graphs 4 --epochs 0
expect_code 1
expect_line err '^l2r: --epochs: 0 passes cannot be measured; expected 1 to 1000$'
run "$l2r" bench infer --data nowhere
expect_code 1
expect_line err '^l2r: nowhere: no such file or folder'
run "$l2r" bench load nowhere
expect_error 1 "nowhere: no such file or folder; only reading from files can be timed"
run "$l2r" bench reweight --rows 8 --width 4 --clusters 5
expect_code 2
expect_line err '^l2r: --clusters: 5 clusters of 4 variables; expected at most as many$'
run "$l2r" bench export gin-5x300
expect_error 2 "'l2r bench export' needs --out DIR"
run "$l2r" bench
expect_code 2
expect_line err '^  bench train '

# The files of the peer are Python that compiles.
python3 -c 'import sys; [compile(open(file).read(), file, "exec") for file in sys.argv[1:]]' \
    "$source_dir"/bench/scaling \
    "$source_dir"/bench/peer/{compare,decorrelation,memory,reading,*.py} || fail "a script of bench/ does not compile"
finish
