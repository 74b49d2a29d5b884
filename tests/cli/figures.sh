# SPDX-License-Identifier: MIT
# The paper's figures in their quick form: from training to pictures, the same bytes again, and what is written without
# gnuplot.
source "$(dirname "$0")/expect.bash"

figures=(fig-mu fig-loss fig-weights fig-ablation fig-sensitivity fig-bias fig-spmotif-ablation fig-spmotif-weights)
run "$l2r" reproduce "${figures[@]}" --quick --out out1 --quiet
expect_code 0
for name in "${figures[@]}"; do
    expect_line out "^$name in out1$"
    for kind in dat gp md csv; do [[ -s out1/$name.$kind ]] || fail "no $name.$kind"; done
done
expect_line out1/fig-mu.dat '^# block 0: panel "GCN", plain$'
# A rule for plain training in every panel, and the default of each factor in bold between its neighbours.
expect_equal "$(grep -c 'plain$' out1/fig-sensitivity.dat)" 5
expect_line out1/fig-sensitivity.gp 'set xtics \("2" 0.0, "\{/:Bold 4\}" 1.0, "8" 2.0, "16" 3.0\)'
expect_equal "$(grep -c '^[0-9]' <(sed -n '/block 0/,/block 1/p' out1/fig-loss.dat))" 8 # epochs
# The heads of one run are rows of their own: as many trainings as seeds and columns.
expect_equal "$(grep -c '"table":"fig-bias"' out1/results.jsonl)" 4
expect_line out1/fig-weights.gp 'median [0-9.]+\\nsd 0\.50"'

cat >check.py <<'PYTHON'
import sys, xml.etree.ElementTree as tree
wanted = {"fig-mu": ["GCN", "GIN", "plain", "learned weights", "shuffled weights", "0.9", "test accuracy (%)"],
          "fig-loss": ["training loss", "validation loss", "no bi-level", "first order", "second order", "epoch"],
          "fig-weights": ["motif, μ = 0.25", "motif, μ = 0.8", "weight w"],
          "fig-ablation": ["full", "without bi-level", "without clusters", "without decorrelation",
                           "shuffled weights", "plain"],
          "fig-sensitivity": ["clusters C", "queues Q", "inner steps", "0.005", "learned weights"],
          "fig-bias": ["plain", "learned weights", "equal weights", "known groups", "0.95"],
          "fig-spmotif-ablation": ["penalty 0.01", "penalty 0.0001", "learned weights", "shuffled weights"],
          "fig-spmotif-weights": ["bias 1/3", "bias 0.95", "weight w"]}
for name, words in wanted.items():
    root = tree.parse(f"out1/{name}.svg").getroot()
    text = ["".join(node.itertext()).strip() for node in root.iter("{http://www.w3.org/2000/svg}text")]
    for word in words:
        assert word in text, (name, word, text)
    sizes = [float(node.get("font-size")) for node in root.iter() if node.get("font-size")]
    # Lowered characters may be smaller; 12 pixels are 9 points.
    assert sizes and max(sizes) >= 13 and sum(size < 12 for size in sizes) <= 4, (name, sorted(set(sizes)))
    assert open(f"out1/{name}.pdf", "rb").read(4) == b"%PDF"
PYTHON
if command -v gnuplot >/dev/null; then
    run python3 check.py
    expect_code 0
    mkdir first && cp out1/*.svg out1/*.dat out1/*.gp first/
    run "$l2r" reproduce "${figures[@]}" --quick --out out1 --quiet --show
    expect_code 0
    for file in first/*; do cmp "$file" "out1/${file#first/}" || fail "${file#first/} differs"; done
    rm out1/fig-mu.svg
fi

# Nothing in PATH: numbers and script are written, a sentence says how to go on.
mkdir empty
run env PATH="$work/empty" "$l2r" reproduce fig-mu --quick --out out1 --quiet --show
expect_code 0
expect_line out \
    '^gnuplot is not installed, so fig-mu was not drawn \(Debian: gnuplot-nox\); its numbers are in out1/fig-mu\.dat'
[[ ! -e out1/fig-mu.svg ]] || fail "a picture without gnuplot"

# A figure of one's own, and mistakes in it.
figure() {
    cat >own.json <<JSON
{"name": "own", "title": "mine", "options": {"hidden": 4, "layers": 1, "epochs": 1},
 "figure": $1, "rows": [{"label": "GCN", "model": "gcn", "method": "erm", "figure": $2}],
 "columns": [{"label": "motif", "data": "$tiny"}]}
JSON
}
figure '{"chart": "dots", "x": "accuracy"}' '{"panel": "one"}'
run "$l2r" reproduce own.json --out own --quiet
expect_code 0
expect_line own/own.dat '^# block 0: panel "one", unnamed$'
refuses_figure() { # FIGURE FIGURE-OF-THE-ROW MESSAGE
    figure "$1" "$2"
    run "$l2r" reproduce own.json --out own --quiet
    expect_code 1
    expect_line err "$3\$"
}
refuses_figure '{"chart": "pie"}' '{}' '"chart" must be one of curves, dots, lines, violins'
refuses_figure '{"chart": "dots"}' '{"colour": "red"}' '"figure" of GCN has no "colour"'
refuses_figure '{"chart": "dots"}' '[{"default": "yes"}]' '"default" in "figure" of GCN must be true or false'
refuses_figure '{"chart": "violins"}' '{}' '"needs_folders" must be true'
finish
