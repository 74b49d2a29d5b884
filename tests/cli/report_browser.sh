# SPDX-License-Identifier: MIT
# The report page in a browser: no complaints, every chart drawn, cursors by pointer and keyboard, legends, both themes,
# no scrolling sideways on a phone. Skipped without Chromium.
source "$(dirname "$0")/expect.bash"
python3 "$source_dir/tests/support/browser.py" || exit 77

run "$l2r" train --data "$tiny" "${small[@]}" --epochs 6 --model gcn --method l2r --seeds 0-1 \
    --out runs/l2r --quiet
expect_code 0
run "$l2r" train --data "$tiny" "${small[@]}" --epochs 6 --model gcn --seeds 0-1 --out runs/erm --quiet
expect_code 0
run "$l2r" explain runs/l2r/seed-0 --part test --limit 2 --steps 5 --restarts 1 --format svg
expect_code 0
run "$l2r" report runs/erm runs/l2r --title 'one <b>&</b> two' --out page.html
expect_code 0

cat >look.py <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from browser import Browser

DRAWN = """[...document.querySelectorAll('.plot svg')].map(svg =>
  [svg.querySelectorAll('path, rect.bar, .point').length, svg.getBoundingClientRect().width,
   svg.querySelectorAll('.tick').length])"""
WIDEST = """Math.max(...[...document.querySelectorAll('section, header, nav, figure')].map(e =>
  e.getBoundingClientRect().right))"""
BACK = "getComputedStyle(document.body).backgroundColor"
TIP = "[...document.querySelectorAll('.tip')].filter(t => !t.hidden).map(t => t.textContent)"

with Browser() as browser:
    seen = {}
    for width in (360, 1280):
        for dark in (False, True):
            browser.open("page.html", width, dark)
            charts = browser.value(DRAWN)
            assert len(charts) >= 6, charts
            assert all(marks > 0 and size > 200 and ticks > 3 for marks, size, ticks in charts), charts
            assert browser.value("document.documentElement.scrollWidth") <= width, (width, dark)
            assert browser.value(WIDEST) <= width, (width, dark)
            seen[width, dark] = browser.value(BACK)
    assert seen[360, False] == seen[1280, False] != seen[1280, True] == seen[360, True], seen
    assert browser.value("document.title") == "one <b>&</b> two"

    # The switch goes from the system's colours to light to dark and is kept.
    browser.open("page.html", 1280, True)
    back = []
    for _ in range(3):
        browser.value("document.getElementById('theme').click()")
        back.append(browser.value(BACK))
    assert back == [seen[1280, False], seen[1280, True], seen[1280, True]], (back, seen)
    browser.value("document.getElementById('theme').click()")
    browser.print_media()
    assert browser.value(BACK) == "rgb(255, 255, 255)"

    # The pointer finds an epoch and shows both groups; leaving hides it.
    browser.open("page.html", 1280, False)
    browser.value("document.querySelector('.plot svg').scrollIntoView({block: 'center', behavior: 'instant'})")
    box = browser.value("""(b => [b.x, b.y, b.width, b.height])(
        document.querySelector('.plot svg').getBoundingClientRect())""")
    browser.point(box[0] + box[2] * 0.5, box[1] + box[3] * 0.5)
    tips = browser.value(TIP)
    assert len(tips) == 1 and tips[0].startswith("epoch "), tips
    assert "gcn · erm: " in tips[0] and "gcn · l2r: " in tips[0], tips
    browser.point(2, 2)
    assert browser.value(TIP) == []

    # So do keys.
    browser.value("document.querySelector('.plot svg').focus()")
    for key, epoch in [("End", 6), ("ArrowLeft", 5), ("Home", 1), ("ArrowLeft", 1), ("ArrowRight", 2)]:
        browser.press(key)
        assert browser.value(TIP)[0].startswith(f"epoch {epoch}"), (key, browser.value(TIP))
    browser.press("Escape")
    assert browser.value(TIP) == []

    # A legend hides a series in every chart of its set, and the logarithmic axis draws, too.
    lines = "document.querySelectorAll('[data-set=curves] path.bold[stroke=\"var(--s0)\"]').length"
    before = browser.value(lines)
    browser.value("document.querySelector('[data-set=curves] .legend button').click()")
    assert before >= 3 and browser.value(lines) == 1, (before, browser.value(lines))  # the legend's own sample
    browser.value("document.querySelector('[data-set=curves] .legend button').click()")
    assert browser.value(lines) == before
    browser.value("document.querySelectorAll('button.small').forEach(b => b.click())")
    assert all(marks > 0 for marks, _, _ in browser.value(DRAWN))
    assert "NaN" not in browser.value("document.querySelector('main').innerHTML")

    # Another width, another drawing.
    browser.call("Emulation.setDeviceMetricsOverride", width=500, height=800, deviceScaleFactor=1, mobile=False)
    browser.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert browser.value("document.querySelector('.plot svg').viewBox.baseVal.width") > 400
    assert not browser.complaints, browser.complaints
PYTHON
run timeout 250 python3 look.py "$source_dir/tests/support"
expect_code 0
finish
