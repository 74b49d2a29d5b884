# SPDX-License-Identifier: MIT
# On a terminal (a pseudo-terminal of python's): one line that is redrawn and fits, colour unless NO_COLOR.
source "$(dirname "$0")/expect.bash"

cat >terminal.py <<'P'
"""terminal.py COLUMNS COMMAND…: runs on a terminal of that width, copies what it shows."""
import fcntl, os, pty, struct, sys, termios
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
while True:
    try:
        block = os.read(fd, 65536)
    except OSError:
        break
    if not block:
        break
    sys.stdout.buffer.write(block)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
P
cat >check.py <<'P'
"""check.py FILE COLUMNS: every redrawn line is narrower than the terminal; prints how many there were."""
import re, sys
text = open(sys.argv[1], encoding="utf-8", newline="").read()
drawn = [re.sub(r"\x1b\[[0-9;]*[mK]", "", line) for line in re.findall(r"\r(epoch [^\r\n]*)\x1b\[K", text)]
assert drawn and all(len(line) < int(sys.argv[2]) for line in drawn), drawn
assert all(re.match(r"epoch +\d+/40", line) for line in drawn), drawn
print(len(drawn))
P
export TERM=xterm
for columns in 160 80 40; do
    run python3 terminal.py $columns "$l2r" train --data "$tiny" --epochs 40 --hidden 16 --layers 3 --out t$columns
    expect_code 0
    python3 check.py out $columns >count || fail "the live line at $columns columns"
    grep -q '^epoch' out && fail "plain lines on a terminal"
    grep -q $'\r\033\[K' out || fail "the live line was not taken off"
done
grep -q $'\033\[1m' out || fail "no bold heading on a terminal"

NO_COLOR=1 run python3 terminal.py 80 "$l2r" train --data "$tiny" --epochs 40 --hidden 16 --out plain
expect_code 0
grep -q $'\033\[[0-9]*m' out && fail "colour in spite of NO_COLOR"
TERM=dumb run python3 terminal.py 80 "$l2r" train --data "$tiny" "${small[@]}" --out dumb
grep -q $'\033' out && fail "sequences on a dumb terminal"
expect_line out '^epoch 2/2 '
finish
