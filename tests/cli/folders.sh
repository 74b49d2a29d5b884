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
run "$l2r" predict here/new --data "$tiny" --out answers/a.csv
expect_code 0
expect_equal "$(litter answers)" ""
kill_writing lit "$l2r" data make motif --out lit/more
rm -rf lit/more
run "$l2r" data make motif --train 48 --out lit/more
expect_code 0
expect_equal "$(litter lit)" ""

# A new run overwrites nothing: what is in the way is refused by its name, and stays as it was.
for name in config.json split.json metrics.jsonl {best,domain}.safetensors result.json events.out.tfevents.1.x.l2r; do
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
for name in metrics.jsonl {best,last,previous}.safetensors split.json config.json result.json event; do
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
for name in best.safetensors split.json metrics.jsonl domain.safetensors result.json; do
    foreign $name
    run "$l2r" train --resume --out mixed
    expect_line err "($name|best.safetensors).*(is missing, or not as the run left it|is not the model of this run)"
    [[ $name == metrics.jsonl ]] && { # whose lines no other file knows
        expect_code 0
        expect_line err 'metrics.jsonl: 2 lines are damaged or not of this run'
        cmp mixed/metrics.jsonl.damaged other/metrics.jsonl || fail "the foreign lines are lost"
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
expect_line err 'mixed/result.json: is not as the run wrote it: it was changed or .*; it is written again'
grep -q 0.9877 out && fail "an edited score is printed"
mended

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
