# SPDX-License-Identifier: MIT
# --from: a run starts from another's model and takes its backbone's options; --freeze, --reset, and what is refused.
source "$(dirname "$0")/expect.bash"

run "$l2r" train --data "$tiny" --epochs 2 --hidden 9 --layers 2 --model gcn --quiet --out first
expect_code 0
run "$l2r" train --data "$tiny" --from first --freeze backbone --reset head --epochs 2 --quiet --out second
expect_code 0
expect_equal "$(json second/config.json '[x[k] for k in ("model", "hidden", "layers", "freeze", "reset")]')" \
    "['gcn', 9, 2, 'backbone', 'head']"
run "$l2r" fingerprint first --data "$tiny" --out one.csv
run "$l2r" fingerprint second --data "$tiny" --out other.csv
expect_equal "$(md5sum <one.csv)" "$(md5sum <other.csv)"
run "$l2r" train --config second --quiet --out again
expect_code 0
expect_equal "$(json second/result.json 'x["valid"]')" "$(json again/result.json 'x["valid"]')"

run "$l2r" train --data "$tiny" --from first --hidden 8 --epochs 1 --quiet --out bad
expect_code 1
expect_line err '^l2r: --from first: its [a-z_.0-9]+ is [0-9]+ × [0-9]+, this run.s [0-9]+ × [0-9]+; give the options'
run "$l2r" train --data "$tiny" --from nowhere --quiet --out bad
expect_line err 'nowhere'
expect_equal "$([[ $code != 0 ]] && echo refused)" refused
run "$l2r" train --data "$tiny" --freeze backbone --quiet --out bad
expect_line err 'l2r: --freeze needs --from'
finish
