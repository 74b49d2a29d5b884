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
run "$l2r" train --data "$tiny" "${small[@]}" --model gin --out runs/first --quiet
start_server values classes --runs runs

cat >look.py <<'PYTHON'
import base64, os, subprocess, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from browser import Browser
url = sys.argv[2] + "/"

def focus_text():
    return browser.value("(document.activeElement.textContent || document.activeElement.id || '').trim()")

def tab_to(what):
    for _ in range(60):
        browser.press("Tab")
        if browser.value(f"document.activeElement.matches({what!r})"):
            return
    raise AssertionError(f"the keyboard does not reach {what}; it is at {focus_text()}")

with Browser(url) as browser:
    browser.open(url, 1280, False)
    browser.wait("document.querySelectorAll('#models input:checked').length === 2")

    # By keyboard alone: a molecule typed, its drawing, Ctrl+Enter, the answers.
    tab_to("#molecules")
    browser.type("CC(=O)Oc1ccccc1C(=O)O aspirin")
    browser.wait("document.querySelectorAll('#drawing svg path').length > 10")
    browser.press("Enter", modifiers=2)
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
    tab_to("#detail .card:nth-child(2) button")
    browser.press("Enter")
    browser.wait("document.querySelector('#detail .card:nth-child(2)').classList.contains('chosen')")
    browser.wait("document.querySelectorAll('#detail .drawing svg').length === 1")
    tab_to("#what-if")
    browser.value("document.activeElement.select()")
    browser.type("CC(=O)Oc1ccccc1C(=O)N")
    browser.press("Enter")
    browser.wait("document.querySelectorAll('#detail .change').length === 2")
    browser.value("document.activeElement.select()")
    browser.type("CC(=O")
    browser.press("Enter")
    browser.wait("!document.getElementById('what-if-problem').hidden")
    tab_to("#theme")
    browser.press(" ")
    assert browser.value("document.documentElement.dataset.theme") == "light"
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

    # A link shows the same again, at every width, in light and dark, and fits.
    shots = os.environ.get("L2R_SHOTS")
    link = "#predict?models=values,classes&molecules=CC(%3DO)Oc1ccccc1C(%3DO)O+aspirin%0ACCO+ethanol"
    for width in (390, 1280):
        for dark in (False, True):
            browser.open("about:blank", width, dark)
            browser.open(url + link, width, dark)
            browser.wait("document.querySelectorAll('#detail .card .number').length === 2")
            browser.wait("document.querySelectorAll('#table tbody tr').length === 2")
            browser.wait("document.querySelectorAll('#detail .gallery svg').length === 4")
            assert browser.value("document.documentElement.scrollWidth") <= width, (width, dark)
            if shots:
                picture = browser.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
                with open(f"{shots}/predict-{width}-{'dark' if dark else 'light'}.png", "wb") as out:
                    out.write(base64.b64decode(picture))
    assert not browser.complaints, browser.complaints
PYTHON
run timeout 280 python3 look.py "$source_dir/tests/support" "$url" "$l2r" "$tiny"
expect_code 0
stop_server
finish
