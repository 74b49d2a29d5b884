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
finish
