# SPDX-License-Identifier: MIT
# The page of l2r serve in a browser: a molecule that is typed, a bad one, ten thousand rows, by keyboard alone; no
# complaint in the console, no request to anywhere else, no scrolling sideways. Skipped without Chromium.
source "$(dirname "$0")/expect.bash"
source "$(dirname "$0")/server.bash"
python3 "$source_dir/tests/support/browser.py" || exit 77

molecule_tables
run "$l2r" train --data values.csv --model gin "${small[@]}" --out values --quiet
grep -q librdkit-dev err && exit 77
expect_code 0
run "$l2r" train --data classes.csv --model gin "${small[@]}" --out classes --quiet
expect_code 0
mkdir runs
run "$l2r" train --data "$tiny" "${small[@]}" --model gin --method l2r --out runs/first --quiet
run "$l2r" train --data "$tiny" "${small[@]}" --model gin --out graphs --quiet
mkdir tables
cp values.csv tables/
# In place of JSME: what it is told it draws, and adds an atom.
mkdir sketcher
cat >sketcher/jsme.nocache.js <<'SCRIPT'
var JSApplet = { JSME: function () {
  var smiles = "", changed = null;
  this.setCallBack = function (what, act) { changed = act; };
  this.smiles = function () { return smiles; };
  this.reset = function () { smiles = ""; };
  this.setSize = function () {};
  this.readGenericMolecularInput = function (text) {
    smiles = text;
    if (!/N$/.test(text)) setTimeout(function () { smiles = text + "N"; changed(); }, 20);
  };
} };
setTimeout(function () { jsmeOnLoad(); }, 20);
SCRIPT
start_server values classes graphs --sketcher sketcher --runs runs --allow-train tables

cat >look.py <<'PYTHON'
import base64, os, subprocess, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from browser import Browser
url = sys.argv[2] + "/"

def focus_text():
    return browser.value("(document.activeElement.textContent || document.activeElement.id || '').trim()")

def tab_to(what, most=60):
    """By Tab alone, at most so many times."""
    for _ in range(most):
        browser.press("Tab")
        if browser.value(f"document.activeElement.matches({what!r})"):
            return
    raise AssertionError(f"the keyboard does not reach {what}; it is at {focus_text()}")

shots = os.environ.get("L2R_SHOTS")

def picture(name, width, dark=False):
    """For people to look at, where L2R_SHOTS names a folder."""
    assert browser.value("document.documentElement.scrollWidth") <= width, (name, width, dark)
    if shots:
        data = browser.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
        with open(f"{shots}/{name}-{width}-{'dark' if dark else 'light'}.png", "wb") as out:
            out.write(base64.b64decode(data))

with Browser(url) as browser:
    browser.open(url, 1280, False)
    browser.wait("document.querySelectorAll('#models input:checked').length === 2")

    # By keyboard alone, nothing is focused or clicked by script: a molecule typed, its drawing, the answers.
    tab_to("#molecules", 5)
    browser.type("CC(=O)Oc1ccccc1C(=O)O aspirin")
    browser.wait("document.querySelectorAll('#drawing svg path').length > 10")
    tab_to("#go", 3)
    browser.press("Enter")
    browser.wait("document.querySelectorAll('#detail .card .number').length === 2")
    browser.wait("document.querySelectorAll('#detail .drawing svg ellipse').length > 3")
    assert browser.value("document.querySelector('#detail h2').textContent") == "aspirin"
    words = browser.value("document.querySelector('#detail .card').textContent")
    assert "logS" in words and "mol/L" in words and "percentile of" in words and "% interval" in words, words
    assert browser.value("document.querySelectorAll('#detail .histogram .bin').length") > 5
    assert browser.value("document.querySelectorAll('#detail .gallery svg').length") == 4
    word = browser.value("document.querySelector('#detail .domain .word').textContent")
    assert word in ("inside", "at the edge", "outside"), word
    assert "predicted" in browser.value("document.getElementById('status').textContent")
    assert "aspirin" in browser.value("decodeURIComponent(location.hash).replaceAll('+', ' ')")

    # Another output is explained, and a changed molecule compared.
    tab_to("#detail .card:nth-child(2) button", 10)
    browser.press("Enter")
    browser.wait("document.querySelector('#detail .card:nth-child(2)').classList.contains('chosen')")
    browser.wait("document.querySelectorAll('#detail .drawing svg').length === 1")
    browser.wait("document.querySelector('#detail .strongest') !== null")  # what a pointer finds at the atoms, in words
    assert focus_text() == "explained", focus_text()
    tab_to("#what-if", 3)
    browser.press("a", modifiers=2)
    browser.type("CC(=O)Oc1ccccc1C(=O)N")
    browser.press("Enter")
    browser.wait("document.querySelectorAll('#detail .change').length === 2")
    browser.press("a", modifiers=2)
    browser.type("CC(=O")
    browser.press("Enter")
    browser.wait("!document.getElementById('what-if-problem').hidden")
    tab_to("#theme", 20)
    browser.press(" ")
    assert browser.value("document.documentElement.dataset.theme") == "light"
    # Back to the box, with another molecule in it.
    tab_to("#molecules", 3)
    browser.press("a", modifiers=2)
    browser.type("CCO ethanol")
    browser.press("Enter", modifiers=2)
    browser.wait("document.querySelector('#detail h2').textContent === 'ethanol'")
    browser.value("localStorage.clear(); setTheme('auto')")

    # A bad SMILES: a sentence at the box, while typing and when predicting.
    browser.value("document.getElementById('molecules').focus(); document.getElementById('molecules').select()")
    browser.type("C1CC(")
    browser.wait("!document.getElementById('problem').hidden")
    assert browser.value("document.getElementById('problem').textContent").startswith("C1CC(: ")
    assert browser.value("document.getElementById('molecules').getAttribute('aria-invalid')") == "true"
    browser.press("Enter", modifiers=2)
    browser.wait("document.getElementById('problem').textContent === 'not a valid SMILES'")

    # Names and labels are text, whatever they hold.
    browser.value("document.getElementById('molecules').select()")
    browser.type("CCO <img src=x onerror=alert(1)>")
    browser.press("Enter", modifiers=2)
    browser.wait("document.querySelector('#detail h2').textContent === '<img src=x onerror=alert(1)>'")

    # Ten thousand rows dropped: progress, a table that sorts and filters, a download with everything kept.
    browser.value("""(() => {
        const lines = ["name,smiles,dose"];
        for (let i = 0; i < 10000; i++) lines.push(`m${i},${i === 7 ? "C(" : "C".repeat(1 + (i % 40)) + "O"},${i}`);
        const data = new DataTransfer();
        data.items.add(new File([lines.join("\\n") + "\\n"], "many.csv", { type: "text/csv" }));
        window.seen = new Set();
        const text = document.getElementById("progress-text");
        const watch = new MutationObserver(() => seen.add(text.textContent));
        watch.observe(text, { childList: true, characterData: true, subtree: true });
        document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    })()""")
    browser.wait("!document.getElementById('table').hidden && document.getElementById('progress').hidden")
    assert browser.value("seen.size") >= 2, browser.value("[...seen]")
    assert browser.value("document.getElementById('count').textContent") == "10,000 molecules"
    assert browser.value("document.querySelectorAll('#table tbody tr').length") == 50
    assert "not a valid SMILES" in browser.value("document.querySelectorAll('#table tbody tr')[7].textContent")
    browser.value("document.querySelector('#table thead button.sort').click()")
    cells = browser.value("[...document.querySelectorAll('#table tbody tr td:nth-child(2)')].map(t => t.textContent)")
    numbers = [float(cell.replace("\u2212", "-")) for cell in cells]
    assert numbers == sorted(numbers, reverse=True) and len(numbers) == 50, numbers
    browser.value("document.querySelector('#table thead button.sort').click()")
    order = browser.value("document.querySelector('#table thead th:nth-child(2)').getAttribute('aria-sort')")
    assert order == "ascending", order
    browser.value("(f => { f.value = 'm77'; f.dispatchEvent(new Event('input')); })(document.getElementById('filter'))")
    assert browser.value("document.getElementById('count').textContent") == "111 of 10,000 molecules"
    csv = browser.value("toCsv()").splitlines()
    assert len(csv) == 10001 and csv[0].startswith("name,smiles,dose,values_value,"), csv[0]
    assert csv[8].startswith("m7,C(,7,,") and csv[8].endswith(",not a valid SMILES"), csv[8]
    assert csv[10000].startswith("m9999,")
    browser.value("document.querySelector('#table tbody button.pick').click()")
    browser.wait("document.querySelector('#detail h2') === document.activeElement")

    # The sketcher, in a frame of another origin: it is told the line at the cursor, and what it draws comes back.
    browser.value("document.getElementById('molecules').value = 'CCO ethanol'")
    browser.value("document.getElementById('molecules').setSelectionRange(0, 0)")
    browser.own += (url.replace("127.0.0.1", "localhost"),)
    tab_to("#sketch")
    browser.press("Enter")
    browser.wait("document.getElementById('molecules').value === 'CCON ethanol'")
    assert browser.value("document.querySelector('#sketcher iframe').contentDocument") is None
    browser.press("Enter")
    assert browser.value("document.querySelectorAll('iframe').length") == 0

    # Structural alerts, where they are chosen.
    browser.value("document.getElementById('molecules').focus(); document.getElementById('molecules').select()")
    browser.type("O=C(O)c1ccc(N=Nc2ccc(O)c(O)c2)cc1")
    browser.press("Enter", modifiers=2)
    browser.wait("document.querySelector('#detail code.smiles').textContent.startsWith('O=C(O)c1ccc')")
    assert browser.value("document.querySelectorAll('#detail .alerts').length") == 0
    tab_to("#alerts")
    browser.press(" ")
    browser.wait("document.querySelectorAll('#detail .alerts svg').length === 4")
    assert "PAINS" in browser.value("document.querySelector('#detail .alerts').textContent")
    browser.press(" ")

    # A graph of a model that reads no molecules, by keyboard: its drawing, prediction and label.
    browser.value("document.getElementById('graph-number').focus(); document.getElementById('graph-number').select()")
    browser.type("7")
    browser.press("Enter")
    browser.wait("(document.querySelector('#graph-view h2') || {}).textContent === 'Graph 7'")
    assert browser.value("document.querySelectorAll('#graph-view svg circle').length") > 5
    assert "measured" in browser.value("document.querySelector('#graph-view .card').textContent")
    tab_to("#graphs button + button")
    browser.press("Enter")
    browser.wait("document.querySelector('#graph-view h2').textContent === 'Graph 8'")

    # The weights of a run that has learned them: a histogram, and the graphs at both ends.
    browser.value("location.hash = '#runs'")
    browser.wait("document.querySelectorAll('#run-list tbody tr').length === 1")
    tab_to("#run-list input[value=first]")
    browser.press(" ")
    # In one look: an event of the runs may draw all of it again.
    browser.wait("""(place => {
        const labels = [...place.querySelectorAll('.gallery .label')];
        window.weights = labels.map(t => Number(t.textContent.replace('weight ', '')));
        return labels.length === 8 && place.querySelectorAll('rect.bar').length > 1
            && place.querySelectorAll('.gallery svg circle').length > 40;
    })(document.getElementById('run-weights') || document.createElement('div'))""")
    weights = browser.value("window.weights")
    assert weights[:4] == sorted(weights[:4]) and weights[4:] == sorted(weights[4:], reverse=True), weights
    assert weights[3] < weights[7], weights
    browser.press(" ")
    browser.wait("document.getElementById('run-compare').hidden")

    # A run that is started elsewhere appears, and its curves grow while they are looked at.
    browser.value("location.hash = '#runs'")
    browser.wait("document.querySelectorAll('#run-list tbody tr').length === 1")
    train = [sys.argv[3], "train", "--data", sys.argv[4], "--model", "gin", "--hidden", "8", "--layers", "2",
             "--epochs", "100000", "--early-stop", "0", "--out", "runs/second", "--quiet"]
    second = subprocess.Popen(train, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        browser.wait("document.querySelectorAll('#run-list tbody tr').length === 2")
        browser.wait("document.querySelector('#run-list .state.running') !== null")
        browser.value("document.querySelector('#run-list input[value=second]').focus()")
        browser.press(" ")
        last = """Math.max(0, ...[...document.querySelectorAll('#run-compare .plot .tick')]
            .map(t => Number(t.textContent)).filter(Number.isInteger))"""
        browser.wait("document.querySelectorAll('#run-compare .plot svg path').length > 1")
        before = browser.value(last)
        browser.wait(f"{last} > {before}")
        browser.value("document.querySelector('#run-list input[value=first]').click()")
        browser.wait("document.querySelectorAll('#run-compare tbody tr').length >= 2")
        browser.value("document.querySelector('#run-compare .plot svg').focus()")
        browser.press("End")
        browser.wait("document.querySelector('#run-compare .tip:not([hidden])').textContent.startsWith('epoch ')")
    finally:
        second.terminate()
        second.wait()
    browser.wait("location.hash.includes('second') && location.hash.includes('first')")

    # A training from the page: the command as it is typed, its checks, its end, and a prediction with what it made.
    browser.wait("document.getElementById('train-command').textContent.includes('--data=tables/values.csv')")
    browser.value("document.getElementById('train-more').focus()")
    browser.type("--model gin --epochs 2 --hidden 8 --layers none")
    browser.wait("document.getElementById('train-problem').textContent.includes('layers')")
    assert browser.value("document.getElementById('train-go').disabled")
    browser.value("document.activeElement.select()")
    browser.type("--model gin --epochs 2 --hidden 8 --layers 2")
    browser.wait("document.getElementById('train-command').textContent.endsWith('--hidden=8 --layers=2')")
    browser.wait("!document.getElementById('train-go').disabled")
    tab_to("#train-go")
    browser.press("Enter")
    browser.wait("document.querySelector('#train-list .state.finished') !== null")
    picture("train", 1280)
    browser.value("document.querySelector('#train-list button[aria-label^=Predict]').focus()")
    browser.press("Enter")
    browser.wait("document.querySelectorAll('#models input:checked').length === 1 && location.hash === '#predict'")
    # One that runs is stopped, and says how it goes on.
    browser.value("location.hash = '#runs'")
    browser.value("document.getElementById('train-more').focus(); document.activeElement.select()")
    browser.type("--model gin --epochs 1000000 --early-stop 0 --hidden 8 --layers 2 --checkpoint-seconds 0")
    browser.wait("document.getElementById('train-command').textContent.endsWith('--checkpoint-seconds=0')")
    browser.wait("!document.getElementById('train-go').disabled")
    browser.value("document.getElementById('train-go').click()")
    browser.wait("/epoch [1-9]/.test(document.getElementById('train-list').textContent)")
    browser.value("[...document.querySelectorAll('#train-list button')].find(b => b.textContent === 'Stop').click()")
    browser.wait("[...document.querySelectorAll('#train-list button')].some(b => b.textContent === 'Continue')")

    # A link shows what was seen: the row, the output, the comparison, the table's order and filter.
    same = ("#predict?models=values,classes&molecules=CCO+ethanol%0ACCCO+propanol%0AC1CCCCC1+ring&row=2"
            "&explain=classes:0&what-if=CCCCO&sort=-values+value&filter=anol&alerts=1")
    browser.open("about:blank", 1280, False)
    browser.open(url + same, 1280, False)
    browser.wait("document.querySelectorAll('#detail .change').length === 2")
    browser.wait("location.hash.includes('explain=classes%3A0')")  # the page's own way to write it: it has ended
    assert browser.value("document.querySelector('#detail h2').textContent") == "propanol"
    assert browser.value("document.querySelectorAll('#table tbody tr').length") == 2
    order = browser.value("document.querySelector('#table thead th:nth-child(2)').getAttribute('aria-sort')")
    assert order == "descending", order
    browser.wait("document.getElementById('no-alerts') !== null")
    for part in ["row=2", "explain=classes%3A0", "filter=anol", "alerts=1", "sort=-values"]:
        assert part in browser.value("location.hash"), (part, browser.value("location.hash"))

    # A link shows the same again, at every width, in light and dark, and fits.
    link = "#predict?models=values,classes&molecules=CC(%3DO)Oc1ccccc1C(%3DO)O+aspirin%0ACCO+ethanol"
    for width in (390, 1280):
        for dark in (False, True):
            browser.open("about:blank", width, dark)
            browser.open(url + link, width, dark)
            browser.wait("document.querySelectorAll('#detail .card .number').length === 2")
            browser.wait("document.querySelectorAll('#table tbody tr').length === 2")
            browser.wait("document.querySelectorAll('#detail .gallery svg').length === 4")
            picture("predict", width, dark)
            browser.value("location.hash = '#runs?runs=first'")
            browser.wait("document.querySelectorAll('#run-list tbody tr').length > 1")
            browser.wait("document.querySelectorAll('#run-weights .gallery figure').length === 8")
            browser.wait("(document.getElementById('train-command') || {}).textContent")
            picture("runs", width, dark)
            browser.open("about:blank", width, dark)
            browser.open(url + "#predict?model=graphs&graph=3", width, dark)
            browser.wait("document.querySelectorAll('#graph-view svg circle').length > 5")
            picture("graphs", width, dark)
    assert not browser.complaints, browser.complaints
PYTHON
run timeout 280 python3 look.py "$source_dir/tests/support" "$url" "$l2r" "$tiny"
expect_code 0
stop_server
finish
