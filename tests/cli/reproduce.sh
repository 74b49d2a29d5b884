# SPDX-License-Identifier: MIT
# The case study in its quick form: figure, scores, finished runs kept, the same bytes again.
source "$(dirname "$0")/expect.bash"

run "$l2r" reproduce
expect_code 0
expect_line out '^fig-cases  +three motif graphs'

run "$l2r" reproduce fig-cases --quick --out cases --quiet
expect_code 0
expect_line out '^GCN +graph [0-9]+: p\(label\) '
expect_line out '^L2R-GCN +graph [0-9]+: p\(label\) '
expect_line out '^fig-cases in cases$'
expect_equal "$(head -c 8 cases/fig-cases.png | od -An -tx1 | tr -d ' \n')" 89504e470d0a1a0a
expect_json cases/fig-cases.json
expect_equal "$(json cases/fig-cases.json '[(m["model"], len(m["graphs"])) for m in x["models"]]')" "[('GCN', 3), ('L2R-GCN', 3)]"
cat >check.py <<'PYTHON'
import xml.etree.ElementTree as tree
root = tree.parse("cases/fig-cases.svg").getroot()
words = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
for wanted in ("GCN", "L2R-GCN", "wheel (planted)", "star (planted)", "important subgraph"):
    assert words.count(wanted) == 1, (wanted, words)
assert sum(word.startswith("graph ") for word in words) == 3, words
PYTHON
run python3 check.py
expect_code 0

# Once more: the runs are not repeated, the figure is the same.
cp cases/fig-cases.svg first.svg
before=$(stat -c %Y.%s cases/gcn/result.json cases/l2r-gcn/result.json)
run "$l2r" reproduce fig-cases --quick --out cases --quiet --threads 1
expect_code 0
cmp first.svg cases/fig-cases.svg || fail "the second figure differs"
expect_equal "$(stat -c %Y.%s cases/gcn/result.json cases/l2r-gcn/result.json)" "$before"

run "$l2r" reproduce fig-case
expect_error 2 "there is no 'fig-case' to reproduce; did you mean 'fig-cases'?"
run "$l2r" reproduce everything
expect_error 2 "there is no 'everything' to reproduce; 'l2r reproduce' lists what there is"
finish
