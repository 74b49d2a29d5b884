# SPDX-License-Identifier: MIT
# l2r tune: chosen on validation alone, the same draws for all methods, killed at any moment and continued, clear
# refusals.
source "$(dirname "$0")/expect.bash"

both=(--data "$tiny" --epochs 3 --hidden 8 --layers 2 --methods erm,l2r
    --space 'lr=1e-3..1e-1:log,dropout=0..0.5,clusters=2|4')
run "$l2r" tune "${both[@]}" --trials 6 --seeds 0,2 --out whole
expect_code 0
expect_line out '^budget  erm 6 trials, l2r 6 trials × 3 epochs × 2 seeds$'
expect_line out '^runs    24, 0 of them done before; in whole$'
expect_line out '^\[24/24\] (erm|l2r) trial [0-5] seed [02]: valid accuracy [0-9.]+ @ [1-3], [0-9:]+$'
expect_line out '^rank +trial +valid accuracy +lr +dropout$'
expect_line out '^rank +trial +valid accuracy +lr +dropout +clusters$'
expect_line out '^method +trials +best valid accuracy +median +time$'
expect_line out '^The test graphs have not been used'
searched='--epochs 3 --lr [0-9.e-]+ --hidden 8 --layers 2 --dropout [0-9.]+'
expect_line out "^  l2r train --data $tiny --model gin --method erm $searched --seeds 0,2 --out whole/erm\$"
expect_line out '^  l2r train .* --method l2r .* --clusters [24] --seeds 0,2 --out whole/l2r$'
expect_equal "$(wc -l <whole/trials.jsonl)" 24
expect_equal "$(ls -A whole/work)" ""
expect_equal "$(grep -c '"test"' whole/trials.jsonl)" 0
expect_equal "$(grep '"commit":"' whole/trials.jsonl | grep '"version":"' | grep '"processor":"' | grep '"data":"' |
    grep '"vector":"' | grep -c '"config":{')" 24
cat >same_draws.py <<'PYTHON'
import json
runs = [json.loads(line) for line in open("whole/trials.jsonl")]
draws = {}
for r in runs:
    draws.setdefault(r["trial"], set()).add((r["config"]["lr"], r["config"]["dropout"]))
assert len(draws) == 6 and all(len(d) == 1 for d in draws.values()), draws
assert len({next(iter(d)) for d in draws.values()}) == 6
PYTHON
run python3 same_draws.py
expect_code 0

# Without --space: what the model and the methods name, but for what is typed.
run "$l2r" tune --data "$tiny" --model jknet --methods l2r,vrex --epochs 1 --hidden 8 --layers 2 --trials 2 --out named
expect_code 0
named='lr=1e-4..1e-2:log,dropout=0..0.5,jk=concat|max|last,ess=0.5..0.95,clusters=2|4|8'
expect_line out "^search  random, ${named//|/\\|},vrex-weight=0.1..1e5:log,vrex-after=1..10000:log\$"
run "$l2r" list methods
expect_line out '^  vrex       V-REx, Krueger et al. 2021; compares environments$'
expect_line out 'plain training with --vrex-weight 0; l2r tune searches vrex-weight=0.1..1e5:log'
expect_line out 'vrex-after=1..10000:log$'
run "$l2r" list methods --json
off=$(json out '[m["off"] for m in x["methods"] if m["environments"] and m["name"] == "irm"]')
expect_equal "$off" "['irm-weight=0']"

# The winner, trained by the command that was printed and by --final: the same scores.
run "$l2r" tune "${both[@]}" --trials 6 --seeds 0,2 --out whole --json --quiet
expect_code 0
expect_json out
json out '[m["command"] for m in x["methods"] if m["method"] == "l2r"][0]' | sed \
    "s#^l2r #'$l2r' #; s#whole/l2r#by-hand#" >command.sh
run bash command.sh
expect_code 0
run "$l2r" tune "${both[@]}" --trials 6 --seeds 0,2 --out whole --final
expect_code 0
expect_line out '^runs    24, 24 of them done before; in whole$'
expect_line out '^method .* test accuracy$'
for seed in 0 2; do
    expect_equal "$(json whole/l2r/seed-$seed/result.json 'x["test"], x["valid"]')" \
        "$(json by-hand/seed-$seed/result.json 'x["test"], x["valid"]')"
done
expect_equal "$(json whole/tune.json '[sorted(m["final"]["test"]) for m in x["methods"]]')" \
    "[['mean', 'sd'], ['mean', 'sd']]"

# SIGKILL after some of the runs, several times; then the same choice as if nobody had.
for done in 0 2 1 0 3 1 2; do
    signal_after KILL $done '^\[[0-9]+/[0-9]+\]' "$l2r" tune "${both[@]}" --trials 6 --seeds 0,2 --out pieces --jobs 2
    expect_code 137
done
printf '{"kind": "trial", "id": "cut' >>pieces/trials.jsonl # as a power failure leaves it
run "$l2r" tune "${both[@]}" --trials 6 --seeds 0,2 --out pieces --quiet
expect_code 0
scores='[[(t["trial"], t["valid"], t["options"]) for t in m["trials"]] for m in x["methods"]]'
expect_equal "$(json pieces/tune.json "$scores")" "$(json whole/tune.json "$scores")"
expect_equal "$(ls -A pieces/work)" ""

# A grid; one run at a time; the folder has a name of its own.
run "$l2r" tune --data "$tiny" "${small[@]}" --space 'lr=0.01|0.001,dropout=0..0.4:3' --search grid --jobs 1 --json
expect_code 0
expect_json out
expect_equal "$(json out 'x["folder"], len(x["methods"][0]["trials"])')" "('runs/motif-gin-tune', 6)"
expect_equal "$(json out 'sorted((t["options"]["lr"], t["options"]["dropout"]) for t in x["methods"][0]["trials"])')" \
    "[(0.001, 0.0), (0.001, 0.2), (0.001, 0.4), (0.01, 0.0), (0.01, 0.2), (0.01, 0.4)]"
expect_line err '^budget  erm 6 trials × 2 epochs × 1 seed$'

# The median rule ends some runs early and never the winner.
run "$l2r" tune --data "$tiny" --epochs 8 --hidden 8 --layers 2 --space lr=1e-5..1e-1:log --trials 15 --median-stop 2 \
    --out median
expect_code 0
expect_line out '^\[[0-9]+/15\] erm trial [0-9]+ seed 0: stopped at valid accuracy'
expect_line out 'the best of 15 trials \([0-9]+ stopped early or failed\)$'

# Two combinations are two trials, however many were asked for.
run "$l2r" tune --data "$tiny" "${small[@]}" --space 'lr=0.01|0.001' --trials 9 --jobs 2 --out few
expect_code 0
expect_line out 'the best of 2 trials'

# A trial that diverges is a result; when all do, there is nothing to choose from.
run "$l2r" tune --data "$tiny" "${small[@]}" --optimiser sgd --space 'lr=0.01|1e3' --search grid --out one --quiet
expect_code 0
expect_line out 'the best of 2 trials \(1 stopped early or failed\)$'
run "$l2r" tune --data "$tiny" "${small[@]}" --optimiser sgd --space lr=1e3 --trials 1 --out none --quiet
expect_code 1
expect_line err '^l2r: no trial of erm finished; trial 0, seed 0: '

needs=(--data "$tiny")
run "$l2r" tune --space lr=0.1
expect_error 2 "'l2r tune' needs --data: a folder, a zip, or a generator such as motif:mu=0.8"
run "$l2r" tune "${needs[@]}" --model sgc --lr 0.01 --hidden 8 --layers 2 --dropout 0
expect_error 2 "every option that is searched by default is given; say what to search with --space"
run "$l2r" tune "${needs[@]}" --space 'hiden=8|16'
expect_error 2 "--space: there is no option --hiden here; did you mean --hidden?"
run "$l2r" tune "${needs[@]}" --space dropout=0..2
expect_error 2 "--space: --dropout: 2 is outside 0..0.99"
run "$l2r" tune "${needs[@]}" --space lr=0.1..0.2 --search grid
expect_error 2 "--space: a grid needs to know how many values of --lr to try; write lr=0.1..0.2:5 for five"
run "$l2r" tune "${needs[@]}" --space lr=0.1 --lr 0.2
expect_error 2 "--lr is given and is also in --space; only one of them can set its value"
run "$l2r" tune "${needs[@]}" --space lr=0.1 --methods erm,l2rr
expect_error 2 "there is no method 'l2rr'; did you mean 'l2r'?"
run "$l2r" tune "${needs[@]}" --space lr=0.1 --methods erm,erm
expect_error 2 "--methods erm,erm: erm is listed twice"
run "$l2r" tune "${needs[@]}" --space lr=0.1 --methods erm --method l2r
expect_error 2 "--method and --methods cannot be combined; name all of them with --methods"
run "$l2r" tune "${needs[@]}" --space lr=0.1 --ess 0.5
expect_error 2 "--ess goes with --method headfit, l2r, oodgnn, stablegnn"
run "$l2r" tune --data nowhere --space lr=0.1
expect_code 1
finish
