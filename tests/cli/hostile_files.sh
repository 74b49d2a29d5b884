# SPDX-License-Identifier: MIT
# Pipes and devices in place of files end with a sentence, not with a wait; links that lead nowhere are not passed over.
source "$(dirname "$0")/expect.bash"

run "$l2r" train --data "$tiny" "${small[@]}" --out run --quiet
expect_code 0
run "$l2r" explain run --limit 1 --steps 2 --restarts 1 --format svg
expect_code 0
drawing=$(echo run/explanations/graph-*.svg)
run "$l2r" data make motif --out set
expect_code 0

refused='it is a pipe, a socket or a device; expected a file|no such model|points outside|'
refused+='neither a regular file nor a folder|expected the config.json'
refuses() { # FILE COMMAND…: with a pipe, then a device that never ends, in place of FILE
    local file=$1
    shift
    for kind in pipe device; do
        rm -rf copy other && cp -r run copy && cp -r set other
        rm -f "$file"
        if [[ $kind == pipe ]]; then mkfifo "$file"; else ln -s /dev/zero "$file"; fi
        run timeout -s KILL 20 "$@"
        [[ $code == 1 || $code == 2 ]] || fail "$kind $file: '$*' ended with $code"
        expect_line err "$refused"
        rm -f "$file"
    done
}
refuses split "$l2r" train --data "$tiny" "${small[@]}" --split file --split-file split --out new
refuses spec.json "$l2r" reproduce spec.json --out new
refuses c.json "$l2r" train --config c.json --out new
refuses table.csv "$l2r" train --data table.csv --model gin --out new
refuses set.zip "$l2r" train --data set.zip --out new
refuses copy/metrics.jsonl "$l2r" report copy --out page.html
refuses copy/result.json "$l2r" report copy --out page.html
refuses copy/config.json "$l2r" report copy --out page.html
refuses "copy/${drawing#run/}" "$l2r" report copy --out page.html
refuses copy/best.safetensors "$l2r" eval copy
refuses copy/split.json "$l2r" eval copy
refuses m.safetensors "$l2r" predict m.safetensors --data "$tiny"
refuses results.jsonl "$l2r" reproduce table1 --quick --show --results results.jsonl --out new
refuses "other/$(find set -name '*_A.txt' -printf '%P\n' | head -1)" "$l2r" data info other

# ---- Links that lead nowhere ----
rm -rf other && cp -r set other
file=$(find other -name '*_labels.txt' | head -1)
rm "$file" && ln -s nowhere "$file"
run "$l2r" data info other
expect_code 1
expect_line err 'No such file or directory \(a link that leads nowhere\); restore its target or remove it$'
rm -rf copy && cp -r run copy && rm copy/metrics.jsonl && ln -s nowhere copy/metrics.jsonl
run "$l2r" report copy --out page.html
expect_code 1
expect_line err 'copy/metrics.jsonl: cannot be opened: No such file or directory'
finish
