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
finish
