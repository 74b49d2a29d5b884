# SPDX-License-Identifier: MIT
# L2R_VECTOR pins the width of vectors of our loops and of oneDNN: it is told, it is in every record, results of two
# widths stay apart, training at each gives nearly the same numbers, and words that it does not know are refused.
source "$(dirname "$0")/expect.bash"
unset L2R_VECTOR DNNL_MAX_CPU_ISA

# The widths that processor and build have. A build with one copy of the loops (clang, coverage) has them in oneDNN.
widths=()
for width in baseline avx2 avx512; do
    if L2R_VECTOR=$width "$l2r" version >told 2>err; then
        widths+=("$width")
        grep -Eq "^vector +(baseline/)?$width\$" told || fail "L2R_VECTOR=$width: version says $(grep vector told)"
    else
        grep -Eq "^l2r: L2R_VECTOR=$width in the environment: this processor has (baseline|avx2) at most" err ||
            fail "L2R_VECTOR=$width: $(cat err)"
    fi
done
[[ ${widths[0]} == baseline ]] || fail "no baseline"
widest=${widths[-1]}
run "$l2r" version --json
expect_json out
expect_equal "$(json out 'x["vector"].split("/")[-1]')" "$widest"

for word in avx AVX2 avx512f 512 ' avx2' avx3; do
    run env L2R_VECTOR="$word" "$l2r" list models
    expect_error 1 "L2R_VECTOR=$word in the environment: expected avx512, avx2 or baseline"
done
run env L2R_VECTOR= "$l2r" version
expect_code 0

# Losses of the first epochs differ by rounding alone; l2r has the fused loops.
cat >near.py <<'P'
import json, math, sys
first = None
for width in sys.argv[2:]:
    lines = [json.loads(line) for line in open(f"{sys.argv[1]}-{width}/metrics.jsonl")]
    losses = [line["loss"] for line in lines]
    assert losses and all(math.isfinite(x) for x in losses), (width, losses)
    first = first or losses
    assert all(math.isclose(x, y, rel_tol=1e-3) for x, y in zip(losses, first)), (width, losses, first)
P
for method in erm l2r; do
    for width in "${widths[@]}"; do
        run env L2R_VECTOR="$width" "$l2r" train --data "$tiny" --model gin --method $method "${small[@]}" \
            --out "$method-$width"
        expect_code 0
        expect_equal "$(json "$method-$width/result.json" 'x["vector"].split("/")[-1]')" "$width"
    done
    run python3 near.py $method "${widths[@]}"
    expect_code 0
done

# A study begun at one width finds nothing done at another, and everything at its own.
study=("$l2r" tune --data "$tiny" --methods erm "${small[@]}" --space 'lr=1e-3|1e-2' --search grid --seeds 0
    --out study)
for width in "${widths[@]}" "${widths[@]}"; do
    run env L2R_VECTOR="$width" "${study[@]}"
    expect_code 0
done
expect_line out '^runs    2, 2 of them done before'
expect_equal "$(python3 -c 'import json
print(sorted(json.loads(line)["vector"].split("/")[-1] for line in open("study/trials.jsonl")))')" \
    "$(python3 -c 'import sys; print(sorted(2 * sys.argv[1:]))' "${widths[@]}")"

run env L2R_VECTOR=baseline "$(dirname "$l2r")/bench/l2r-bench" infer gcn-3x128 --graphs 4 --hidden 8 \
    --layers 2 --epochs 1
expect_code 0
expect_equal "$(json out 'x["vector"]')" baseline

# A table is made of the lines of one width: those of this run, or, when they are shown alone, of the newest.
cat >mini.json <<'J'
{"name": "mini", "title": "Widths", "seeds": 1, "options": {"epochs": "1", "hidden": "8", "layers": "2"},
 "rows": [{"label": "GIN", "model": "gin", "method": "erm"}],
 "columns": [{"label": "motif", "data": "motif:train=48,valid=24,test=24,seed=3"}]}
J
for width in "${widths[@]}"; do
    run env L2R_VECTOR="$width" "$l2r" reproduce mini.json --out tables
    expect_code 0
    expect_line tables/mini.md "1 of 1 runs are done, .*[, /]$width\\.\$"
done
expect_equal "$(wc -l <tables/results.jsonl)" "${#widths[@]}"
finish
