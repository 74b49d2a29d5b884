# SPDX-License-Identifier: MIT
# A spec of a stranger is data: none of its texts is run, ends a string of gnuplot, TeX or Markdown, or leaves --out.
source "$(dirname "$0")/expect.bash"

spec() { # NAME TITLE LABEL FIGURE-X
    python3 - "$@" <<'PYTHON' >own.json
import json, sys
name, title, label, x = sys.argv[1:]
print(json.dumps({"name": name, "title": title, "options": {"hidden": 4, "layers": 1, "epochs": 1},
                  "figure": {"chart": "lines", "x": x, "y": x},
                  "rows": [{"label": label, "model": "gcn", "method": "erm",
                            "figure": [{"panel": x, "series": x, "x": x},
                                       {"panel": "b", "series": "other", "x": "50% %s %n"}]}],
                  "columns": [{"label": label + " set", "data": "motif:train=48,valid=24,test=24,seed=3"}]}))
PYTHON
}

# ---- Commands in every text of a figure: all ways in which gnuplot runs some ----
# shellcheck disable=SC2016 # nothing is meant to expand
hostile='`touch pwned1` $(touch pwned2) "; system("touch pwned3"); ! touch pwned4 @x '
# shellcheck disable=SC2016
hostile+="'"'`touch pwned5`'"'"' %s \` {} ^ ~'
spec own 'a title' 'GCN' "$hostile"
run "$l2r" reproduce own.json --out drawn --quiet
expect_code 0
[[ -z $(find . -name 'pwned*') ]] || fail "a text of a spec was run: $(find . -name 'pwned*')"
if command -v gnuplot >/dev/null; then
    # shellcheck disable=SC2016
    expect_line drawn/own.svg '`touch pwned1` \$\(touch pwned2\)' # drawn as it stands
    expect_line drawn/own.svg '50% %s %n'
fi
# shellcheck disable=SC2016
grep -q '`' drawn/own.gp && fail "back quotes in the script"

# ---- Tables ----
spec own 'a title' '\input{x}^^5c~ & | <b> `x` [l](u)' plain
run "$l2r" reproduce own.json --out drawn --quiet
expect_code 0
caret='\\textasciicircum\{\}'
expect_line drawn/own.tex '^\\textbackslash\{\}input\\\{x\\\}'"$caret$caret"'5c\\textasciitilde\{\} \\& '
expect_line drawn/own.md '^\| \\\\input\{x\}\^\^5c~ & \\\| \\<b\\> \\`x\\` \\\[l\\\]\(u\) \| '

# ---- Names and line breaks ----
for name in ../escaped /tmp/escaped a/b .. .hidden -option 'a b' ''; do
    spec "$name" title GCN plain
    run "$l2r" reproduce own.json --out sub/folder --quiet
    expect_code 1
    [[ -z $name ]] || expect_line err '^l2r: own.json: the name ".*" cannot name files: expected at most 100 letters'
done
spec own $'a\n\\input{x}' GCN plain
run "$l2r" reproduce own.json --out drawn --quiet
expect_error 1 'own.json: the text "a?\input{x}" has a line break in it'
spec own title $'G\e[31mCN' plain
run "$l2r" reproduce own.json --out drawn --quiet
expect_error 1 'own.json: the text "G?[31mCN" has a control character in it'
[[ -z $(find . -name '*escaped*') ]] || fail "a file outside --out"
finish
