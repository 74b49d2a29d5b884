# SPDX-License-Identifier: MIT
# The report page: well-formed, alone (no network), with scores, paired differences, weights, predictions, explanations
# and options; what cannot be shown is said.
source "$(dirname "$0")/expect.bash"

run "$l2r" train --data "$tiny" "${small[@]}" --model gcn --out 'runs/a <&> b' --quiet
expect_code 0
run "$l2r" train --data "$tiny" "${small[@]}" --model gcn --method l2r --seeds 0-2 \
    --out runs/l2r --quiet
expect_code 0
run "$l2r" train --data "$tiny" "${small[@]}" --model gcn --seeds 1-2 --out runs/erm --quiet
expect_code 0
cat >page.py <<'PYTHON'
import json, re, sys
import xml.etree.ElementTree as tree

html, svg = "{http://www.w3.org/1999/xhtml}", "{http://www.w3.org/2000/svg}"


def read(path):
    """The page as a tree, its charts as JSON; what holds of every page is checked."""
    text = open(path, encoding="utf-8").read()
    root = tree.fromstring(text)  # every tag is closed
    assert root.find(f".//{html}meta[@name='viewport']") is not None
    outside = re.sub(r'"http://www\.w3\.org/(2000/svg|1999/xhtml|1999/xlink)"', "", text)
    assert "://" not in outside and "url(" not in text and "@import" not in text, "something outside of the page"
    ids = {e.get("id") for e in root.iter()}
    links = [e.get("href") for e in root.iter() if e.get("href")]
    assert links and all(link[0] == "#" and link[1:] in ids for link in links), links
    assert not [e for e in root.iter() if e.get("src")]
    assert "prefers-color-scheme: dark" in text and "@media print" in text
    charts = json.loads(root.find(f".//{html}script[@id='charts']").text)
    for place in root.iter(f"{html}div"):
        if place.get("data-set"):
            assert charts[place.get("data-set")]["charts"], place.get("data-set")
    return root, charts


def words(element):
    return re.sub(r"\s+", " ", "".join(element.itertext())).strip()
PYTHON

# One run: no weights, no explanations.
run "$l2r" report runs/erm/seed-1
expect_code 0
expect_file out <<<'report of 1 run in runs/erm/seed-1/report.html'
cat >one.py <<'PYTHON'
from page import *
root, charts = read("runs/erm/seed-1/report.html")
assert [h.text for h in root.iter(f"{html}h2")] == ["Summary", "Curves", "gcn · erm", "Options"]
assert set(charts) == {"curves", "predictions-1"}, set(charts)
curves = {c["title"]: c["lines"] for c in charts["curves"]["charts"]}
epochs = [json.loads(line) for line in open("runs/erm/seed-1/metrics.jsonl")]
flat = epochs[0]["valid"]["accuracy"] == epochs[1]["valid"]["accuracy"]
assert set(curves) == {"training loss", "validation loss"} | (set() if flat else {"validation accuracy"}), curves
said = words(root.find(f".//{html}section[@id='curves']"))
assert "The same in all epochs, and not drawn: " in said and "learning rate (0.001)" in said, said
assert flat == ("validation accuracy (" in said), said
line = curves["training loss"][0]
assert line["x"] == [1, 2] and len(line["y"]) == 2 and line["mark"] in (1, 2), line
result = json.load(open("runs/erm/seed-1/result.json"))
matrices = [t for t in root.iter(f"{html}table") if t.get("class") == "matrix"]
counts = [[int(td.text) for td in t.iter(f"{html}td")] for t in matrices]
assert [sum(c) for c in counts] == [24, 24], counts
for (right0, _, _, right1), part in zip(counts, ["test", "valid"]):
    assert abs((right0 + right1) / 24 - result[part]) < 1e-6, (counts, part)
roc = charts["predictions-1"]
assert roc["series"][0] == f"test: ROC-AUC {result['more']['test']['rocauc']:.4f}", roc["series"]
assert [c["title"] for c in roc["charts"]] == ["ROC", "precision and recall", "reliability"]
assert sum(roc["charts"][2]["lines"][0]["n"]) == 24
assert [line["x"][0] for line in roc["charts"][0]["lines"]] == [0, 0] and roc["charts"][0]["lines"][0]["y"][-1] == 1
PYTHON
run python3 one.py
expect_code 0

# Several runs in two groups; a name that would be markup stays a name.
run "$l2r" explain 'runs/a <&> b' --part test --limit 3 --steps 5 --restarts 1 --format svg
expect_code 0
run "$l2r" report 'runs/a <&> b' runs/l2r runs/erm --extremes 2 --title 'A </script> & more' --out page.html
expect_code 0
expect_file out <<<'report of 6 runs in page.html'
cat >many.py <<'PYTHON'
from page import *
root, charts = read("page.html")
assert words(root.find(f".//{html}h1")) == "A </script> & more"
assert [h.text for h in root.iter(f"{html}h2")] == ["Summary", "Curves", "gcn · erm", "gcn · l2r", "Options"]
tests = {}
for run in ["runs/a <&> b", "runs/l2r/seed-0", "runs/l2r/seed-1", "runs/l2r/seed-2",
            "runs/erm/seed-1", "runs/erm/seed-2"]:
    tests[run] = json.load(open(f"{run}/result.json"))["test"]
erm = [tests["runs/a <&> b"], tests["runs/erm/seed-1"], tests["runs/erm/seed-2"]]
l2r = [tests[f"runs/l2r/seed-{k}"] for k in range(3)]
rows = [[words(td) for td in tr.iter(f"{html}td")] for tr in root.find(f".//{html}table").iter(f"{html}tr")][1:]
number = lambda text: float(text.split()[0].replace("−", "-").replace("+", ""))
mean = lambda v: sum(v) / len(v)
sd = lambda v: (sum((x - mean(v)) ** 2 for x in v) / (len(v) - 1)) ** 0.5
assert rows[0][:3] == ["gcn · erm", "3 seeds", "accuracy"] and rows[0][6] == "–", rows
assert abs(number(rows[0][3]) - mean(erm)) < 6e-5 and abs(number(rows[0][3].split("± ")[1]) - sd(erm)) < 6e-5
changes = [b - a for a, b in zip(erm, l2r)]
assert abs(number(rows[1][6]) - mean(changes)) < 6e-5, rows[1]
assert "against gcn · erm" in rows[1][6] and "3 pairs" in rows[1][6], rows[1]
half = 4.303 * sd(changes) / 3**0.5
ends = [number(end) for end in rows[1][6].split("95 %: ")[1].split(",")[0].split(" to ")]
assert abs(ends[0] - mean(changes) + half) < 2e-4 and abs(ends[1] - mean(changes) - half) < 2e-4, (rows[1], half)

assert charts["curves"]["series"] == ["gcn · erm", "gcn · l2r"]
titles = [c["title"] for c in charts["curves"]["charts"]]
assert "effective sample size of the weights" in titles, titles
assert len(charts["curves"]["charts"][0]["lines"]) == 6
weights = charts["weights-2"]
assert weights["series"] == ["label 0", "label 1"] and "weights-1" not in charts
assert sum(sum(stack["n"]) for stack in weights["charts"][0]["stacks"]) == 48
galleries = [d for d in root.iter(f"{html}div") if "gallery" in (d.get("class") or "")]
assert [len(g.findall(f"{html}figure/{svg}svg")) for g in galleries] == [3, 2, 2]
captions = [float(b.text.split()[1]) for g in galleries[1:] for b in g.iter(f"{html}b")]
assert captions[0] <= captions[1] <= captions[3] <= captions[2], captions
differs = [tr for tr in root.iter(f"{html}tr") if tr.get("class") == "differs"]
assert [[words(cell) for cell in tr] for tr in differs] == [["method", "erm", "l2r"]]
PYTHON
run python3 many.py
expect_code 0
[[ $(stat -c %s page.html) -lt 1000000 ]] || fail "the page is large"

# The same page twice, with any number of threads.
cp page.html first.html
run "$l2r" report 'runs/a <&> b' runs/l2r runs/erm --extremes 2 --title 'A </script> & more' --out page.html --threads 1
cmp first.html page.html || fail "two pages of the same runs differ"

# A drawing that is not ours stays outside; a run that has not finished, and has half a line, says so.
echo '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>' >'runs/a <&> b/explanations/graph-7.svg'
rm 'runs/a <&> b/result.json'
printf '{"epoch":3,"lo' >>'runs/a <&> b/metrics.jsonl'
run "$l2r" report 'runs/a <&> b' --out page.html
expect_code 0
run python3 -c 'from page import *; read("page.html")'
expect_code 0
expect_line page.html '1 SVG file was not drawn by l2r and left out'
expect_line page.html '1 of 1 runs has not finished'
grep -q 'alert(1)' page.html && fail "a foreign script is on the page"

# Test graphs that a run must not look at stay unseen.
run "$l2r" train --data "$tiny" "${small[@]}" --model gcn --no-eval-test --out runs/unseen --quiet
expect_code 0
run "$l2r" report runs/unseen --out page.html
expect_code 0
run python3 -c 'from page import *; _, charts = read("page.html"); assert len(charts["predictions-1"]["series"]) == 1'
expect_code 0
grep -q 'test graphs</caption>' page.html && fail "test graphs are shown"

# Data or models that are gone leave a note in their place.
rm runs/erm/seed-1/best.safetensors
run "$l2r" report runs/erm/seed-1
expect_code 0
expect_line runs/erm/seed-1/report.html 'Weights and predictions are not shown: .*safetensors'
run "$l2r" report runs/erm/seed-2 --data moved/away
expect_code 0
expect_line runs/erm/seed-2/report.html 'Weights and predictions are not shown: .*moved/away'
run "$l2r" report runs/erm/seed-2 --no-predictions
expect_code 0
grep -Eq '<h3>Predictions|not shown' runs/erm/seed-2/report.html && fail "predictions although switched off"

echo '{"epoch":1' >runs/erm/seed-2/metrics.jsonl
run "$l2r" report runs/erm/seed-2
expect_code 1
expect_line err '^l2r: runs/erm/seed-2/metrics.jsonl'
run "$l2r" report
expect_error 2 "'l2r report' needs more arguments: l2r report RUN… [--out FILE] [OPTIONS]"
run "$l2r" report nowhere
expect_error 1 "nowhere: no config.json; expected the folder of a run, or of runs of several seeds, folds or replicates"
run "$l2r" report runs/l2r --out no/such/folder/page.html
expect_code 1
expect_line err '^l2r: no/such/folder/page.html'
finish
