# SPDX-License-Identifier: MIT
# The folder of a stranger's run cannot put tags or scripts into a report: values are text, drawings only draw, and the
# page's policy names the only script and style that may act.
source "$(dirname "$0")/expect.bash"

run "$l2r" train --data "$tiny" "${small[@]}" --out run --quiet
expect_code 0
run "$l2r" explain run --limit 1 --steps 2 --restarts 1 --format svg
expect_code 0
drawing=$(echo run/explanations/graph-*.svg)

# ---- Tags in every text of every file ----
cat >spoil.py <<'PYTHON'
import json, sys
tag = "<img src=x onerror=alert(1)>\"'</script>]]>"
def spoil(x, key=""):
    if isinstance(x, dict):
        return {k: spoil(v, k) for k, v in x.items()}
    if isinstance(x, list):
        return [spoil(v, key) for v in x]
    return x + tag if isinstance(x, str) and key not in {"task", "version"} else x
for path in ["run/result.json", "run/config.json", "run/explanations/explanations.json"]:
    x = spoil(json.load(open(path)))
    x[tag] = tag
    for part in x.get("more", {}).values():
        part[tag] = 1
    json.dump(x, open(path, "w"))
lines = [json.loads(line) for line in open("run/metrics.jsonl")]
for line in lines:
    for part in ("train", "valid"):
        if part in line:
            line[part][tag] = 1
open("run/metrics.jsonl", "w").write("".join(json.dumps(line) + "\n" for line in lines))
PYTHON
run python3 spoil.py
expect_code 0

check_page() {
    python3 - page.html <<'PYTHON' || fail "$1"
import base64, hashlib, html.parser, re, sys
page = open(sys.argv[1]).read()
policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)"/>', page)
assert policy, "no policy"
assert "default-src 'none'" in policy[1] and "'unsafe-eval'" not in policy[1], policy[1]
def hash_of(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"
class Page(html.parser.HTMLParser):
    stack, scripts, styles = [], 0, 0
    def handle_starttag(self, tag, attributes):
        assert tag not in {"img", "image", "iframe", "object", "embed", "foreignobject"}, tag
        for name, value in attributes:
            assert not name.startswith("on"), (tag, name)
            assert name not in {"src", "href", "xlink:href"} or value.startswith("#"), (tag, name, value)
        self.stack.append(tag)
        self.kind = dict(attributes).get("type")
    def handle_data(self, text):
        if self.lasttag == "script" and self.stack[-1:] == ["script"] and self.kind is None:
            Page.scripts += 1
            assert f"script-src {hash_of(text)};" in policy[1], "the script is not the policy's"
        if self.stack[-1:] == ["style"]:
            Page.styles += 1
            assert policy[1].endswith(f"style-src-elem {hash_of(text)}"), "the style is not the policy's"
    def handle_endtag(self, tag):
        while self.stack and self.stack.pop() != tag: pass
Page().feed(page)
assert (Page.scripts, Page.styles) == (1, 1), (Page.scripts, Page.styles)
assert "onerror" in page, "the texts are not shown at all"
PYTHON
}
run "$l2r" report run --out page.html
expect_code 0
check_page "texts of files"
expect_line page.html 'class="l2r-figure"' # our own drawing is there

# ---- Drawings that act ----
cp "$drawing" good.svg
for change in 's/<svg /<svg onload="alert(1)" /' 's/role="img"/role="img" onload="alert(1)"/' \
    's/<title>/<a href="javascript:x"><title>/' \
    's/<title>/<image href="http:\/\/example.org\/x"\/><title>/' 's/<\/svg>/<script>alert(1)<\/script><\/svg>/' \
    's/<title>/<g style="fill:url(http:\/\/example.org)"\/><title>/' 's/<title>/<foreignObject\/><title>/'; do
    sed "$change" good.svg >"$drawing"
    cmp -s good.svg "$drawing" && fail "$change changed nothing"
    run "$l2r" report run --out page.html
    expect_code 0
    check_page "$change"
    expect_line page.html '1 SVG file was not drawn by l2r and left out'
done
finish
