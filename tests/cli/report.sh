# SPDX-License-Identifier: MIT
# The report page: well-formed, alone (no network, no scripts), with scores, options and the gallery of explanations.
source "$(dirname "$0")/expect.bash"

run "$l2r" train --data "$tiny" "${small[@]}" --model gcn --out 'runs/a <&> b' --quiet
expect_code 0
run "$l2r" train --data "$tiny" "${small[@]}" --model gcn --seeds 1-2 --out runs/seeds --quiet
expect_code 0

# A page without explanations.
run "$l2r" report runs/seeds/seed-1
expect_code 0
expect_file out <<<'1 run and 0 drawings in runs/seeds/seed-1/report.html'
expect_equal "$(grep -c '<figure>' runs/seeds/seed-1/report.html)" 0

# With a gallery, of several runs; a name that would be markup stays a name.
run "$l2r" explain 'runs/a <&> b' --part test --limit 3 --steps 5 --restarts 1 --format svg
expect_code 0
run "$l2r" report 'runs/a <&> b' runs/seeds --out page.html
expect_code 0
expect_file out <<<'3 runs and 3 drawings in page.html'
cat >check.py <<'PYTHON'
import re, sys
import xml.etree.ElementTree as tree

text = open("page.html", encoding="utf-8").read()
root = tree.fromstring(text)  # every tag is closed
html, svg = "{http://www.w3.org/1999/xhtml}", "{http://www.w3.org/2000/svg}"
assert root.find(f".//{html}meta[@name='viewport']") is not None
figures = root.findall(f".//{html}figure")
assert len(figures) == 3 and all(figure.find(f"{svg}svg") is not None for figure in figures)
heads = [head.text for head in root.iter(f"{html}h2")]
assert heads == ["All runs", "runs/a <&> b", "runs/seeds/seed-1", "runs/seeds/seed-2"], heads
cells = [cell.text for cell in root.iter(f"{html}td")]
assert "accuracy" in cells and "graphs" in cells and "class 0" in cells, cells
assert "batch-size" in [name.text for name in root.iter(f"{html}b")]
links = re.findall(r'(?:href|src)="([^"]*)"', text)
assert links and all(link.startswith("#run-") for link in links), links
assert not list(root.iter(f"{html}script")) and "url(" not in text and "@import" not in text
assert "prefers-color-scheme:dark" in text
PYTHON
run python3 check.py
expect_code 0

# The same page twice.
cp page.html first.html
run "$l2r" report 'runs/a <&> b' runs/seeds --out page.html
cmp first.html page.html || fail "two pages of the same runs differ"

# A drawing that is not ours stays outside; a run that has not finished says so.
echo '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>' >'runs/a <&> b/explanations/graph-7.svg'
rm 'runs/a <&> b/result.json'
run "$l2r" report 'runs/a <&> b' --out page.html
expect_code 0
expect_file out <<<'1 run and 3 drawings in page.html'
expect_line page.html '1 SVG files were not drawn by l2r and are left out'
expect_line page.html 'has not finished'
grep -q 'alert' page.html && fail "a foreign script is on the page"

run "$l2r" report
expect_error 2 "'l2r report' needs more arguments: l2r report RUN… [--out FILE]"
run "$l2r" report nowhere
expect_error 1 "nowhere: no config.json; expected the folder of a run, or of runs of several seeds"
run "$l2r" report runs/seeds --out no/such/folder/page.html
expect_code 1
expect_line err '^l2r: no/such/folder/page.html'
finish
