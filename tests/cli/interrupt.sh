# SPDX-License-Identifier: MIT
# Ctrl-C: saves, exits with 130 and says how to go on; what goes on ends with the numbers of a run that was never
# stopped.
source "$(dirname "$0")/expect.bash"
long=(--data motif:train=128,valid=32,test=32 --epochs 24 --hidden 16 --layers 2)
scores='[x[k] for k in ("train", "valid", "test", "best_epoch", "epochs")]'

run "$l2r" train "${long[@]}" --out whole --json
expect_code 0
cp out whole.json

ran="l2r train, interrupted"
# A background job of a script ignores SIGINT from birth; python gives the program a clean start.
python3 - "$l2r" train "${long[@]}" --out "a run" >out 2>err <<'P'
import signal, subprocess, sys
p = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True,
                     preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
for line in p.stdout:
    print(line, end="")
    if line.startswith("epoch  3/"):
        p.send_signal(signal.SIGINT)
sys.exit(p.wait())
P
code=$?
expect_code 130
expect_line err "^l2r: interrupted in epoch [0-9]+ of 24; saved in a run, continue with:$"
command=$(sed -n 's/^  l2r //p' err)
expect_equal "$command" "train --resume --out 'a run'"
eval "run \"\$l2r\" $command --json"
expect_code 0
expect_equal "$(json out "$scores")" "$(json whole.json "$scores")"

# The terminal is closed: two SIGHUPs arrive, and the run is saved. Under nohup it goes on.
for way in plain nohup; do
    ran="l2r train, SIGHUP, $way"
    python3 - $way "$l2r" train "${long[@]}" --out "hup-$way" >out 2>err <<'P'
import signal, subprocess, sys
what = signal.SIG_IGN if sys.argv[1] == "nohup" else signal.SIG_DFL
p = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, text=True,
                     preexec_fn=lambda: signal.signal(signal.SIGHUP, what))
for line in p.stdout:
    if line.startswith("epoch  3/"):
        p.send_signal(signal.SIGHUP)
        p.send_signal(signal.SIGHUP)
sys.exit(p.wait() & 255)
P
    code=$?
    expect_code $([[ $way == nohup ]] && echo 0 || echo 130)
done
run "$l2r" train --resume --out hup-plain --json
expect_code 0
expect_equal "$(json out "$scores")" "$(json whole.json "$scores")"
finish
