# SPDX-License-Identifier: MIT
# Nothing that a file says is obeyed by a terminal: escape sequences in names, labels, rows and JSON appear as text.
source "$(dirname "$0")/expect.bash"

cat >watch.py <<'PYTHON'
"""watch.py COMMAND…: what it writes to a terminal, with the program's own sequences taken out."""
import os, pty, re, sys
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    os.execv(sys.argv[1], sys.argv[1:])
seen = b""
while True:
    try:
        part = os.read(fd, 65536)
    except OSError:
        break
    if not part:
        break
    seen += part
os.waitpid(pid, 0)
sys.stdout.buffer.write(re.sub(rb"\x1b\[(0|1|2|31|32)m|\x1b\[K", b"", seen))
PYTHON
watch() {
    run python3 watch.py "$@"
    expect_code 0
    expect_line out "${marker:-evil}"
    python3 - <<'PYTHON' || fail "'$ran': a control character reached the terminal"
text = open("out", "rb").read()
assert not [b for b in text if b < 32 and b not in b"\r\n\t" or b == 127], text
assert not [c for c in text.decode("utf-8") if 0x80 <= ord(c) < 0xA0], text
PYTHON
}
evil=$'evil\e]0;title\a\e[2J\e[8m\xc2\x9b2J\x9b\x7f\x08'

run "$l2r" train --data "$tiny" "${small[@]}" --out "run" --quiet
expect_code 0
mkdir "$evil" && cp -r run/. "$evil" # the name of a folder
watch "$l2r" eval "$evil"
watch "$l2r" predict "$evil" --part test --out "$evil.csv"
watch "$l2r" data make motif --out "$evil.set"
watch "$l2r" train --data "$tiny" "${small[@]}" --out "$evil-2"
{
    printf 'smiles,%s,y\n' "$evil"
    for i in 1 2 3 4; do printf '%s,"%s",%d\n' CCO "$evil" 0 CCN "$evil" 1 CCC "$evil" 0 c1ccccc1 "$evil" 1; done
} >table.csv
run "$l2r" train --data table.csv --model gin --smiles-column smiles --target-columns y "${small[@]}" --out mol --quiet
if ((code == 0)); then watch "$l2r" predict mol --data table.csv; fi # rows as they stand

# A pipe gets every character; a row that is not UTF-8 comes out as UTF-8.
run "$l2r" predict mol --data table.csv
utf8=$(iconv -f WINDOWS-1252 -t UTF-8 <<<"$evil")
if ((code == 0)); then grep -qF "$utf8" out || fail "bytes of a row are lost in a pipe"; fi
finish
