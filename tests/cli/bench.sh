# SPDX-License-Identifier: MIT
# bench/l2r-bench: every mode on a few graphs gives its fields and says where they come from; wrong calls are refused.
source "$(dirname "$0")/expect.bash"
bench=$(dirname "$l2r")/bench/l2r-bench
few=(--hidden 8 --layers 2 --epochs 2 --batch-size 8 --threads 1)

for mode in train infer; do
    run "$bench" $mode gin-3x128 --graphs 20 "${few[@]}"
    expect_code 0
    expect_equal "$(json out '(x["kind"], x["measured"], x["threads"], len(x["measurements"]))')" \
        "('speed', '$mode', 1, 1)"
    expect_equal "$(json out '[k for k in ("version", "commit", "vector", "processor", "date") if not x[k]]')" "[]"
    expect_equal "$(json out '[x["measurements"][0][k] for k in ("workload", "set", "graphs")]')" \
        "['gin-3x128', 'molecules', 20]"
    expect_equal \
        "$(json out '[(len(m["data"]), m["config"]["hidden"], len(m["seconds"])) for m in x["measurements"]]')" \
        "[(16, 8, 2)]"
    expect_equal \
        "$(json out '[k for k in ("nodes", "arcs", "batch_size", "parameters", "seconds_per_epoch", "cpu_seconds",
                                  "flops", "gflops", "product_gflops_before", "product_gflops_after",
                                  "share_of_products", "batch_bytes", "peak_memory", "memory_before")
                      if not x["measurements"][0][k] > 0]')" "[]"
done
expect_equal "$(json out 'x["measurements"][0]["loss"]')" None
"$l2r" version --json >version
expect_equal "$(json out 'x["commit"]')" "$(json version 'x["commit"]')"

# Without a workload: all of them, on the data named, by the method named.
run "$bench" train --data molecules:graphs=9 --graphs 5 "${few[@]}" --method=l2r
expect_code 0
"$bench" workloads >workloads
expect_equal "$(json out '[(m["workload"], m["graphs"], m["config"]["method"]) for m in x["measurements"]]')" \
    "$(json workloads '[(w["name"], 5, "l2r") for w in x["measurements"]]')"

run "$bench" reweight --rows 32 --width 20 --clusters 4 --runs 2
expect_code 0
expect_equal "$(json out '[(m["rows"], m["clusters"], 0 < m["dependence_left"] < 1) for m in x["measurements"]]')" \
    "[(32, 4, True)]"

run env TMPDIR="$PWD" "$bench" load "$source_dir/tests/data/ogb/mini" --runs 1
expect_code 0
expect_equal "$(json out '[k for k in ("source_bytes", "data_bytes", "graphs_per_second", "peak_memory")
                           if not x["measurements"][0][k] > 0]')" "[]"
expect_equal "$(ls -d l2r-* 2>/dev/null)" "" # nothing is left behind

run "$bench" export gin-5x300 --graphs 7 --out made
expect_code 0
expect_equal "$(json made/data.json '(x["graphs"], x["task"], x["outputs"], x["node_columns"][0])')" \
    "(7, 'binary', 1, 119)"

for wrong in "train gin-4x300" "train gin-3x128 --model gcn" "train gin-3x128 --method ermm" "train --epochs" \
    "infer gin-3x128 --graphs 4 --epochs 0" "reweight --rows 8 --width 4 --clusters 5" "export gin-5x300" \
    load nothing; do
    # shellcheck disable=SC2086
    run "$bench" $wrong
    expect_code 2
done
run "$bench" infer --data nowhere
expect_code 1
run "$bench" load nowhere
expect_code 1

# A table that is no part of the program, and explanations of runs as lines beside them, each made once.
run "$l2r" reproduce "$source_dir/bench/pretraining.json" --show --out pretraining
expect_code 0
"$l2r" reproduce motif --quick --seeds 0 --only GCN --out motif --quiet >/dev/null
for _ in 1 2; do
    run "$source_dir/bench/explain-runs" motif --l2r "$l2r" --add test-mu=1 -- --part test --label 1 --limit 2
    expect_code 0
done
expect_equal "$(wc -l <motif/results.jsonl)" 2
tail -n 1 motif/results.jsonl >line
expect_equal "$(json line '[k for k in ("id", "data", "of", "options", "scores", "version", "commit", "vector",
                                        "processor", "threads", "date", "config") if not x[k]]')" "[]"

# The files of the peer are Python that compiles.
python3 -c 'import sys; [compile(open(file).read(), file, "exec") for file in sys.argv[1:]]' \
    "$source_dir"/bench/{scaling,explain-runs,nested-refit} \
    "$source_dir"/bench/peer/{chemprop,compare,decorrelation,memory,reading,*.py} ||
    fail "a script of bench/ does not compile"
finish
