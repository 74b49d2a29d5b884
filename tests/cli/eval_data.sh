# SPDX-License-Identifier: MIT
# Which graphs l2r eval and l2r weights mean with --data: the run's own data wherever it lies, tables without parts.
source "$(dirname "$0")/expect.bash"

{
    echo name,smiles,y,set
    for i in {1..30}; do
        printf 'a%d,CCO%s,1,%s\nb%d,CCN%s,0,%s\n' $i "$(printf 'C%.0s' $(seq $i))" $((i % 3 ? 1 : 2)) $i \
            "$(printf 'C%.0s' $(seq $i))" $((i % 2 ? 1 : 2))
    done
} >my.csv
run "$l2r" train --data my.csv --target-columns y --model gin --method l2r --scope epoch --split random "${small[@]}" \
    --quiet --out run
grep -q librdkit-dev err && exit 77
expect_code 0
run "$l2r" eval run --json
own=$(json out 'x["metrics"]["rocauc"]')

# The same table under another name, and a copy of it, are the data of the run: --part test is its own test part.
mkdir elsewhere
cp my.csv elsewhere/copy.csv
for where in "$PWD/my.csv" elsewhere/copy.csv; do
    run "$l2r" eval run --data "$where" --part test --json
    expect_code 0
    expect_equal "$(json out '(x["graphs"], x["trained_on"], x["metrics"]["rocauc"])')" "(6, True, $own)"
done
run "$l2r" eval run --data elsewhere/copy.csv
expect_code 0
expect_line out '^data  elsewhere/copy.csv: all parts, 60 of 60 graphs$'
expect_line err '^note: elsewhere/copy.csv is the data that the model was trained on; --part test scores '

# Another table has rows, not parts, unless it is said how to split it.
{ head -21 my.csv && echo 'x,C(C,1,1'; } >new.csv
run "$l2r" eval run --data new.csv
expect_code 0
expect_line out '^data  new.csv: all 20 rows that hold a molecule; 1 do not$'
expect_equal "$(cat err)" ""
run "$l2r" eval run --data new.csv --json
expect_equal "$(json out '(x["part"], x["graphs"], x["trained_on"])')" "('all', 20, False)"
run "$l2r" eval run --data new.csv --part test
expect_error 1 "new.csv is not the data that run/best.safetensors was trained on, so it has no test part; leave out \
--part for all of it, or say how to split it with --split or --split-column"
run "$l2r" eval run --data new.csv --part test --split-column set
expect_code 0
expect_line out '^data  new.csv: test, [0-9]+ of 20 graphs$'
run "$l2r" eval run --data new.csv --part valid --split random
expect_code 0

# Weights are of training graphs alone.
run "$l2r" weights run --json
cp out weights.json
run "$l2r" weights run --data elsewhere/copy.csv --json
expect_code 0
cmp out weights.json || fail "weights of the same data under another name differ"
expect_equal "$(json out 'x[0]["n"]')" 48
run "$l2r" weights run --part test
expect_error 2 '--part test: only training graphs have weights'
run "$l2r" weights run --data new.csv --split random
expect_error 1 'new.csv is not the data that run was trained on, so its graphs have no weights'
finish
