#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Folders are shared with their owner: nothing is deleted or overwritten that l2r has not written, nothing is reached
# through links, and what a killed process left is removed by the next one.
source "$(dirname "$0")/expect.bash"

# Files of the user that look like temporaries stay, whatever the command.
thesis() {
    mkdir -p "$1/thesis.tmp-20241117" && echo chapter >"$1/thesis.tmp-20241117/one.tex"
}
kept() {
    [[ -s $1/thesis.tmp-20241117/one.tex ]] || fail "'$ran' has deleted $1/thesis.tmp-20241117"
}
thesis lit
run "$l2r" data make motif --train 48 --out lit/motif
expect_code 0
kept lit
thesis here
run env -C here "$l2r" train --data "$tiny" "${small[@]}" --out new --quiet
expect_code 0
kept here
run env -C here/new "$l2r" train --resume --out . --quiet
expect_code 0
kept here
thesis here/new
run env -C here/new "$l2r" train --resume --out . --quiet
expect_code 0
kept here/new

# A process killed while it writes leaves something behind; the next command there removes it.
litter() {
    find "$1" -name '*.tmp-*' | grep -v thesis
}
kill_writing() { # FOLDER COMMAND…: until a kill has hit the moment
    local where=$1 tries=0
    shift
    while [[ -z $(litter "$where") ]] && ((tries++ < 60)); do
        "$@" >/dev/null 2>&1 &
        local process=$!
        while kill -0 $process 2>/dev/null && [[ -z $(litter "$where") ]]; do :; done
        kill -KILL $process 2>/dev/null
        wait $process 2>/dev/null
    done
    [[ -n $(litter "$where") ]] || echo "no kill hit '$*' while it was writing"
}
mkdir answers
kill_writing answers "$l2r" predict here/new --data "$tiny" --out answers/a.csv
suffix=$(litter answers | sed -n '1s/.*\(\.tmp-[0-9a-f]*\)$/\1/p') # a name that fits
[[ ! -e answers/a.csv || $(wc -l <answers/a.csv) == 97 ]] || fail "a killed predict left half of its rows"
run "$l2r" predict here/new --data "$tiny" --out answers/a.csv
expect_code 0
expect_equal "$(litter answers)" ""
kill_writing lit "$l2r" data make motif --out lit/more
rm -rf lit/more
run "$l2r" data make motif --train 48 --out lit/more
expect_code 0
expect_equal "$(litter lit)" ""

# Whatever the command, litter goes from where it reads and writes; what only looks like litter stays.
"$l2r" train --data "$tiny" "${small[@]}" --method l2r --out reweighted --quiet >out
clears() { # FOLDER COMMAND…
    mkdir -p "$1" && touch "$1/half$suffix" && mkdir "$1/halves$suffix" && touch "$1/mine.tmp-1"
    run "$l2r" "${@:2}"
    expect_code 0
    expect_equal "$(litter "$1" | grep -v 'mine.tmp-1$')" ""
    rm "$1/mine.tmp-1" || fail "'$ran' has deleted a file of the user"
}
if [[ -n $suffix ]]; then
    clears here/new eval here/new
    clears answers predict here/new --out answers/b.csv
    clears answers fingerprint here/new --data "$tiny" --out answers/f.csv
    clears reweighted report reweighted
    clears reweighted weights reweighted
    clears why explain here/new --graph 1 --steps 2 --no-draw --out why
    clears answers data split "$tiny" --out answers/split.json
    clears answers data make motif --train 8 --out answers/motif
    clears here train --data "$tiny" "${small[@]}" --out here/second
    clears here/second train --resume --out here/second
    clears study tune --data "$tiny" "${small[@]}" --space "lr=1e-3|1e-2" --trials 1 --seeds 0 --out study
fi

# l2r explain, killed while it writes over an earlier call's files: scores and drawings of one call, or a folder
# that says it is incomplete, and the next call makes it whole.
quick=(--steps 2 --restarts 1 --format svg --threads 1)
run "$l2r" explain here/new --graph 1,2,3,4,5,6,7,8 "${quick[@]}" --out why
expect_code 0
echo mine >why/notes.txt
state() {
    python3 - <<'P'
import json, os
about = json.load(open("why/explanations.json"))
drawn = {int(n[6:-4]) for n in os.listdir("why") if n.startswith("graph-")}
named = {g["graph"] for g in about["graphs"]}
print("incomplete" if about.get("incomplete") and drawn <= named else "whole" if drawn == named else "mixed")
P
}
for ((i = 0; i < 12; i++)); do
    before=$(ls -i why)
    "$l2r" explain here/new --graph $((10 + i)),2,$((30 + i)),70,71,72 "${quick[@]}" --out why >/dev/null 2>&1 &
    process=$!
    while kill -0 $process 2>/dev/null && [[ $(ls -i why) == "$before" ]]; do :; done
    sleep 0.00$((i % 6))
    kill -KILL $process 2>/dev/null
    wait $process 2>/dev/null
    [[ $(state) == mixed ]] && fail "a killed explain left $(ls why) for $(json why/explanations.json 'x["graphs"][0]')"
done
run "$l2r" explain here/new --graph 1,3 "${quick[@]}" --out why
expect_code 0
expect_equal "$(cd why && echo *)" "edges.csv explanations.json graph-1.svg graph-3.svg graphs.csv nodes.csv notes.txt"

# A new run overwrites nothing: what is in the way is refused by its name, and stays as it was.
for name in config.json split.json metrics.jsonl best.safetensors result.json events.out.tfevents.1.x.l2r; do
    rm -rf mine && mkdir mine && echo precious >"mine/$name"
    run "$l2r" train --data "$tiny" "${small[@]}" --out mine --quiet
    expect_code 1
    expect_line err '^l2r: mine(/'"$name"' is already there, and a new run would overwrite it| already holds a run)'
    expect_equal "$(cat "mine/$name")" precious
    [[ $name == result.json ]] && continue
    run "$l2r" train --data "$tiny" "${small[@]}" --out mine --resume --quiet
    expect_code 1
    expect_equal "$(cat "mine/$name")" precious
    expect_equal "$(ls mine)" "$name"
done
# A run that was killed before its first checkpoint begins again.
rm -rf mine && mkdir mine && cp here/new/config.json mine
run "$l2r" train --out mine --resume --quiet
expect_code 0
cmp mine/best.safetensors here/new/best.safetensors || fail "the run that began again differs"

# --resume writes through no link.
echo precious >elsewhere
for name in metrics.jsonl best.safetensors split.json config.json result.json event; do
    rm -rf linked && cp -r here/new linked && rm -f linked/result.json
    [[ $name == event ]] && name=$(cd linked && echo events.out.*)
    rm -f "linked/$name" && ln -s ../elsewhere "linked/$name"
    run "$l2r" train --data "$tiny" "${small[@]}" --resume --out linked --quiet
    expect_code 1
    expect_line err "linked/$name"
    expect_equal "$(cat elsewhere)" precious
done

# A file of another run is found out, whichever it is, and so is an edit.
run "$l2r" train --data "$tiny" "${small[@]}" --seed 5 --split random --out other --quiet
expect_code 0
foreign() { # FILE: a copy of the run with this file of the other one
    rm -rf mixed && cp -r here/new mixed && cp "other/$1" "mixed/$1"
}
mended() {
    expect_code 0
    run python3 "$source_dir/tools/compare-runs" here/new mixed
    expect_code 0
    expect_file out </dev/null
}
for name in best.safetensors split.json metrics.jsonl result.json; do
    foreign $name
    run "$l2r" train --resume --out mixed
    expect_line err "($name|best.safetensors).*(is missing, or not as the run left it|is not the model of this run)"
    [[ $name == metrics.jsonl ]] && { # whose lines no other file knows
        expect_code 0
        expect_line err 'metrics.jsonl is missing, or not as the run left it'
        cmp mixed/metrics.jsonl other/metrics.jsonl || fail "the foreign lines are lost"
        continue
    }
    mended
done
foreign best.safetensors
rm mixed/result.json
run "$l2r" train --resume --out mixed --quiet
mended
foreign config.json
run "$l2r" train --resume --out mixed --quiet
expect_code 1
expect_line err '^l2r: --resume: --(split is .random. here but .auto.|seed is 5 here but 0) in the run; .*mixed/'
rm -rf mixed && cp -r here/new mixed
sed -i 's/^  "test": [0-9.]*/  "test": 0.987654/' mixed/result.json
run "$l2r" train --resume --out mixed
expect_line err 'mixed/result.json: is not as the run wrote it: it was changed or .*; it is made again'
grep -q 0.9877 out && fail "an edited score is printed"
mended

# A report of a mixture says so.
foreign metrics.jsonl
sed -i 's/^  "test": [0-9.]*/  "test": 0.987654/' mixed/result.json
run "$l2r" report mixed --no-predictions
expect_code 0
expect_line err '^l2r: mixed/result.json: is not as the run wrote it'
expect_line err '^l2r: mixed/metrics.jsonl: 2 lines are damaged or not of this run$'
run "$l2r" report here/new --no-predictions
expect_file err </dev/null

# Graphs are scored as the part that they were to the model, whatever split.json lies beside it.
foreign split.json
for command in eval "predict --part test --out p.csv" "explain --part test --no-draw" weights; do
    # shellcheck disable=SC2086
    run "$l2r" ${command%% *} mixed $([[ $command == *' '* ]] && echo "${command#* }")
    [[ $command == weights ]] && continue
    expect_code 1
    expect_line err '^l2r: mixed/split.json: not the split that mixed/best.safetensors was trained with'
done
run "$l2r" eval mixed --split random
expect_code 0
finish
