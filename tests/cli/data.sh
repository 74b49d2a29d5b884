# SPDX-License-Identifier: MIT
# Data commands: make a folder, look at it, split it, train on the split; fetch from a server on this machine.
source "$(dirname "$0")/expect.bash"

run "$l2r" data make motif --train 48 --valid 24 --test 24 --seed 3 --out made
expect_code 0
expect_line out '^made: 96 graphs, [0-9]+ nodes, [0-9]+ edges; use it with --data made$'
run "$l2r" data make motif --out made
expect_code 1
expect_line err '^l2r: made'

run "$l2r" data info made --json
expect_code 0
expect_json out
cp out made.json
run "$l2r" data info "$tiny" --json
expect_code 0
expect_equal "$(json out '(x["graphs"], x["nodes"], x["edges"])')" \
    "$(json made.json '(x["graphs"], x["nodes"], x["edges"])')"
expect_equal "$(json made.json 'x["graphs"]')" 96
run "$l2r" data info made
expect_code 0
expect_line out '96'

run "$l2r" data split made --split random --split-seed 2 --out split.json
expect_code 0
expect_json split.json
expect_line out '^split.json: random split, [0-9]+ train, [0-9]+ valid, [0-9]+ test$'
expect_equal "$(json split.json 'sorted(x["train"] + x["valid"] + x["test"]) == list(range(96))')" True
run "$l2r" train --data made --split-file split.json "${small[@]}" --quiet --out run
expect_code 0
expect_equal "$(json run/split.json '[x["train"], x["valid"], x["test"]]')" \
    "$(json split.json '[x["train"], x["valid"], x["test"]]')"

# A server on a free port of this machine.
mkdir served
(cd made/.. && python3 -m zipfile -c served/MADE.zip made/) || fail "cannot pack"
python3 -u -m http.server --bind 127.0.0.1 --directory served 0 >server.log 2>&1 &
server=$! ran="http.server"
await $server grep -q ' port [0-9]* ' server.log
port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' server.log)
sum=$(sha256sum served/MADE.zip | cut -d' ' -f1)
run "$l2r" data fetch MADE --base-url "http://127.0.0.1:$port" --out got --sha256 "$sum"
expect_code 0
expect_file out <<<"got/MADE.zip; use it with --data got/MADE.zip
SHA-256 of the zip: $sum, as expected"
run "$l2r" data fetch MADE --base-url "http://127.0.0.1:$port" --out got --sha256 "$sum"
expect_file out <<<"got/MADE.zip is already there; use it with --data got/MADE.zip
SHA-256 of the zip: $sum, as expected"
run "$l2r" data fetch MADE --base-url "http://127.0.0.1:$port" --out other --sha256 "${sum//[0-8]/9}"
expect_code 1
[[ -e other/MADE.zip ]] && fail "a zip with the wrong checksum was kept"
# A pipe would have to be read twice.
mkfifo pipe.csv
run timeout 20 "$l2r" data info pipe.csv
expect_error 1 "pipe.csv: this is neither a regular file nor a folder; save its contents to a file first"
finish
