# SPDX-License-Identifier: MIT
# Tables of molecules on the report page: tasks and classes by name with a chooser, a score for each task, all targets
# of a regression, the classes of `l2r predict`, folds together, committees, fragments; and, where there is a browser,
# what it shows.
source "$(dirname "$0")/expect.bash"
small=(--layers 1 --hidden 8 --epochs 3 --quiet --threads 1)

{
    echo "smiles,potency,toxic,rare,logS,Tm,class"
    for i in $(seq 1 60); do
        chain=$(printf 'C%.0s' $(seq 1 $((1 + i % 13))))
        ring=$([[ $((i % 2)) == 0 ]] && echo c1ccccc1 || echo "")
        active=$([[ $((i % 2)) == 0 ]] && echo active || echo inactive)
        toxic=$([[ $((i % 3)) == 0 ]] && echo yes || echo no)
        three=$([[ $((i % 6)) == 0 ]] && echo high || { [[ $((i % 2)) == 0 ]] && echo medium || echo low; })
        echo "$chain${ring}O,$active,$toxic,$([[ $i == 7 ]] && echo 1 || echo 0),-$((i % 5)).25,$((100 + i)).5,$three"
    done
} >assay.csv
cat >page.py <<'PYTHON'
import csv, json, re
import xml.etree.ElementTree as tree

html = "{http://www.w3.org/1999/xhtml}"


def read(path):
    root = tree.parse(path).getroot()
    return root, json.loads(root.find(f".//{html}script[@id='charts']").text)


def words(element):
    return re.sub(r"\s+", " ", "".join(element.itertext())).strip()


def matrices(place):
    tables = [t for t in place.iter(f"{html}table") if t.get("class") == "matrix"]
    return [[int(td.text) for td in t.iter(f"{html}td")] for t in tables]
PYTHON

# Three binary tasks: a table with a row for each, matrices and curves of each, chosen by name.
run "$l2r" train --data assay.csv --model gin \
    --target-columns potency,toxic,rare --split random --class-weights balanced \
    "${small[@]}" --out runs/tasks
grep -q librdkit-dev err && exit 77
expect_code 0
run "$l2r" predict runs/tasks --part test --no-applicability --out said.csv
expect_code 0
run "$l2r" report runs/tasks --out tasks.html
expect_code 0
cat >tasks.py <<'PYTHON'
from page import *
root, charts = read("tasks.html")
result = json.load(open("runs/tasks/result.json"))["more"]
table = [t for t in root.iter(f"{html}table") if t.get("class") == "stack"][-1]
heads = [words(th) for th in table.iter(f"{html}th")]
rows = [dict(zip(heads, [words(td) for td in tr.iter(f"{html}td")])) for tr in table.iter(f"{html}tr")][1:]
assert [row["task"] for row in rows] == ["potency", "toxic", "rare"], rows
for row, task in zip(rows, result["test"]["tasks"]):
    assert row["labels"] == str(task["n"]) and row["positive"] == str(task["positives"]), (row, task)
    for metric in ["accuracy", "rocauc", "ece"]:
        value = task[metric]
        assert row[metric] == ("–" if value is None else f"{value:.4f}".replace("-", "−")), (row, task)
set = charts["predictions-1"]
assert [choice["name"] for choice in set["choices"]] == ["potency", "toxic", "rare"] and set["what"] == "task"
titles = [[chart["title"] for chart in choice["charts"]] for choice in set["choices"]]
assert titles[0] == ["ROC", "precision and recall", "reliability"], titles
scores = words(root.find(f".//{html}section[@id='group-1']"))
assert "tasks –" not in scores and "rmse" not in scores

# The matrices are those of the classes that predict gives: class weights are undone in p.
said = list(csv.DictReader(open("said.csv")))
places = [d for d in root.iter(f"{html}div") if d.get("data-choice")]
assert [d.get("data-choice") for d in places] == ["0", "1", "2"]
for place, name, classes in zip(places, ["potency", "toxic"], [("inactive", "active"), ("no", "yes")]):
    pairs = [(row[name].lower(), row[f"class_{name}"].lower()) for row in said]
    expected = [sum(pair == (truth, guess) for pair in pairs) for truth in classes for guess in classes]
    assert matrices(place)[0] == expected and sum(expected) == len(said), (matrices(place), expected)
    assert f"predicted {classes[1]}" in words(place) and f"label {classes[0]}" in words(place)
assert "a graph counts as positive at another p for each task" in scores, scores
PYTHON
run python3 tasks.py
expect_code 0

# One column of words is several classes; weights count in the choice, here as in predict.
run "$l2r" train --data assay.csv --model gin --target-columns class --classes low,medium,high --split random \
    --class-weights balanced --calibrate temperature "${small[@]}" --out runs/class
expect_code 0
run "$l2r" predict runs/class --part test --no-applicability --out said.csv
run "$l2r" report runs/class --out class.html
expect_code 0
cat >class.py <<'PYTHON'
from page import *
root, charts = read("class.html")
classes = ["low", "medium", "high"]
said = list(csv.DictReader(open("said.csv")))
pairs = [(row["class"], row["l2r_class"]) for row in said]
expected = [sum(pair == (truth, guess) for pair in pairs) for truth in classes for guess in classes]
assert matrices(root)[0] == expected and sum(expected) == len(said), (matrices(root), expected)
set = charts["predictions-1"]
assert [choice["name"] for choice in set["choices"]] == classes and set["what"] == "class"
assert "where weight · p is largest" in words(root.find(f".//{html}main"))
PYTHON
run python3 class.py
expect_code 0

# Every target of a regression can be chosen; points know their line.
run "$l2r" train --data assay.csv --model gin --target-columns logS,Tm --split random "${small[@]}" --out runs/values
expect_code 0
run "$l2r" report runs/values --out values.html
expect_code 0
cat >values.py <<'PYTHON'
from page import *
root, charts = read("values.html")
set = charts["predictions-1"]
assert [choice["name"] for choice in set["choices"]] == ["logS", "Tm"]
for choice in set["choices"]:
    (chart,) = choice["charts"]
    assert chart["kind"] == "points" and sum(len(line["x"]) for line in chart["lines"]) == 12
    assert all(re.match("line [0-9]+: C", set["names"][str(g)]) for line in chart["lines"] for g in line["g"])
text = words(root.find(f".//{html}section[@id='group-1']"))
assert "Each of 2 tasks" in text and "valid nrmse" in text, text
PYTHON
run python3 values.py
expect_code 0

# Folds are one group, and its matrix has every molecule once. A committee lists its members; fragments are shown.
run "$l2r" train --data assay.csv --model gin \
    --target-columns potency --folds 3 --split random "${small[@]}" --out runs/folds
expect_code 0
run "$l2r" report runs/folds --out folds.html
expect_code 0
run python3 -c '
from page import *
root, charts = read("folds.html")
assert [sum(m) for m in matrices(root)] == [60, 60], matrices(root)
text = words(root.find(f".//{html}main"))
assert "3 folds" in text and "Of all 3 folds together" in text and "fold" in text'
expect_code 0
run "$l2r" train --data assay.csv --target-columns potency --members 2 --split random "${small[@]}" --out runs/two
expect_code 0
mkdir runs/two/explanations
printf 'fragment,class,molecules,mean\n*c1ccccc1,,12,0.4123456\n"C(=O)<b>",,7,-2.2e-05\n' \
    >runs/two/explanations/fragments.csv
run "$l2r" report runs/two --out two.html
expect_code 0
run python3 -c '
from page import *
root, charts = read("two.html")
text = words(root.find(f".//{html}main"))
assert "Committee of 2" in text and "of a committee they are the curves of its first member" in text.lower()
cells = [words(td) for td in root.iter(f"{html}td")]
at = cells.index("*c1ccccc1")
assert cells[at:at + 6] == ["*c1ccccc1", "12", "0.4123", "C(=O)<b>", "7", "−2.200e-5"], cells[at:at + 6]
assert sum(matrices(root)[0]) == 6, matrices(root)'
expect_code 0

python3 "$source_dir/tests/support/browser.py" || { finish; exit 0; }
run "$l2r" explain runs/tasks --task toxic --explainer occlusion --part test --limit 1 --format svg
expect_code 0
run "$l2r" report runs/tasks --out tasks.html
cat >look.py <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from browser import Browser

SHOWN = "[...document.querySelectorAll('[data-choice]')].filter(d => !d.hidden).map(d => d.dataset.choice)"
CUT = """[...document.querySelectorAll('.wide, table.stack, section')].filter(e =>
  e.scrollWidth > e.clientWidth + 1 && !e.querySelector('.config, .matrix')).length"""
with Browser() as browser:
    for width in (390, 1280):
        for dark in (False, True):
            browser.open("tasks.html", width, dark)
            assert browser.value("document.documentElement.scrollWidth") <= width
            assert width > 390 or browser.value(CUT) == 0, browser.value(CUT)
            assert browser.value(SHOWN) == ["0"]
            filter = browser.value("getComputedStyle(document.querySelector('svg.l2r-figure > svg')).filter")
            assert (filter != "none") == dark, (filter, dark)
            ground = browser.value("getComputedStyle(document.querySelector('svg.l2r-figure > svg > rect')).fill")
            assert ground == "none", ground
    # The chooser changes charts and matrices; so does a name in the table of tasks.
    charts = "document.querySelectorAll('[data-set=predictions-1] .plot svg').length"
    before = browser.value("document.querySelector('[data-set=predictions-1] .legend').textContent")
    browser.value("""(s => { s.value = '1'; s.dispatchEvent(new Event('change')); })(
        document.querySelector('.chooser select'))""")
    assert browser.value(SHOWN) == ["1"] and browser.value(charts) == 3
    assert browser.value("document.querySelector('[data-set=predictions-1] .legend').textContent") != before
    browser.value("document.querySelectorAll('button.pick')[2].click()")
    assert browser.value(SHOWN) == ["2"] and browser.value("document.querySelector('.chooser select').value") == "2"
    assert "NaN" not in browser.value("document.querySelector('main').innerHTML")
    assert not browser.complaints, browser.complaints
PYTHON
run timeout 200 python3 look.py "$source_dir/tests/support"
expect_code 0
finish
