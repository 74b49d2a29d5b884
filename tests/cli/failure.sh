# SPDX-License-Identifier: MIT
# Right calls that cannot be carried out: exit code 1, one sentence on stderr, nothing left behind.
source "$(dirname "$0")/expect.bash"

for command in "train --data nowhere/set" "data info nowhere/set" "data split nowhere/set --out s.json"; do
    run "$l2r" $command
    expect_code 1
    expect_line err '^l2r: .*nowhere/set'
    expect_equal "$(wc -l <err)" 1
done
[[ -e s.json ]] && fail "a split of missing data was written"

run "$l2r" eval nowhere/run
expect_code 1
expect_line err '^l2r: .*nowhere/run'
run "$l2r" predict nowhere/run --out p.csv
expect_code 1
[[ -e p.csv ]] && fail "predictions of a missing run were written"
run "$l2r" train --config nowhere.json
expect_error 1 "--config nowhere.json: expected the config.json of a run, or a folder that holds one"

echo '{"model": "gin", "method": "erm", "epochs": "many"}' >bad.json
run "$l2r" train --data "$tiny" --config bad.json
expect_line err '^l2r: .*bad.json.*epochs'
echo '{"model": "gin", "method": "erm", "epohcs": 3}' >bad.json
run "$l2r" train --data "$tiny" --config bad.json
expect_line err '^l2r: .*bad.json.*epohcs.*epochs'
echo '{"a": 1}' >bad.json
run "$l2r" train --data "$tiny" --config bad.json
expect_error 1 'bad.json: no "model" and "method"; expected the config.json of a run'
printf '{"model": "gin",\n oops' >bad.json
run "$l2r" train --data "$tiny" --config bad.json
expect_code 1
expect_line err '^l2r: bad.json:2'

run "$l2r" data fetch SOMETHING --base-url http://127.0.0.1:9 --out fetched
expect_code 1
expect_line err '^l2r: .*127.0.0.1'

# Output that cannot be written is a failure, not silence.
if [[ -w /dev/full ]]; then
    ran="l2r list >/dev/full"
    "$l2r" list >/dev/full 2>err
    code=$?
    expect_code 1
    expect_line err '^l2r: cannot write to standard output'
fi
[[ -d runs ]] && fail "a failed call left $(ls runs)"
finish
