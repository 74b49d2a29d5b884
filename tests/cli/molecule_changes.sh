# SPDX-License-Identifier: MIT
# Tables of SMILES that change or move after training, that have no labels, or labels that teach nothing: told, never
# passed over.
source "$(dirname "$0")/expect.bash"

python3 - <<'P'
import random
random.seed(2)
parts = ["C", "CC", "CO", "CN", "C(=O)O", "c1ccccc1", "C1CCCCC1", "S", "OC"]
rows = ["".join(random.choice(parts) for _ in range(random.randint(2, 5))) for _ in range(60)]
with open("my.csv", "w") as f, open("same.csv", "w") as g:
    print("smiles,active", file=f)
    print("smiles,active", file=g)
    for i, smiles in enumerate(rows):
        print(f"{smiles},{i % 2}", file=f)
        print(f"{smiles},1", file=g)
P
printf 'name,smiles,mass\na,CCO,46\nb,c1ccccc1,78\n' >new.csv
run "$l2r" train --data my.csv --model gin "${small[@]}" --method l2r --seeds 0-1 --out seeds
grep -q librdkit-dev err && exit 77
expect_code 0

# A folder of several seeds is no model; the sentence names one that is.
for command in explain fingerprint weights; do
    run "$l2r" $command seeds
    expect_error 1 'seeds holds several runs; name one of them, such as seeds/seed-0'
done

run "$l2r" eval seeds
expect_code 2
expect_line err '^l2r: seeds holds [0-9]+ models; use --ensemble for their mean and spread, or name one of them$'

# Explaining needs no labels; measuring does.
no_labels='new.csv: --target-columns: there is no column "active"; the columns are: name, smiles, mass '
no_labels+="($label_columns_hint)"
run "$l2r" explain seeds/seed-0 --data new.csv --steps 2 --restarts 1 --no-draw --out why
expect_code 0
expect_line err '^2 explanations in why$'
run "$l2r" explain seeds/seed-0 --data new.csv --target label --out why
expect_error 1 "$no_labels"
run "$l2r" eval seeds/seed-0 --data new.csv
expect_error 1 "$no_labels"
run "$l2r" eval seeds/seed-0 --data new.csv --target-columns none
expect_error 1 "new.csv: no graph (part: all) has a label to compare with; 'l2r predict' needs none"

# The rows in another order: split.json means other molecules.
run "$l2r" eval seeds/seed-0
expect_code 0
expect_file err </dev/null
ran="l2r train, stopped"
"$l2r" train --data my.csv --model gin --epochs 100000 --early-stop 0 --hidden 8 --layers 2 --checkpoint-seconds 0 \
    --out stopped --quiet >log 2>&1 &
stopped=$!
is_there() { [[ -e stopped/state/1-gin.safetensors ]]; }
await $stopped is_there
kill -USR1 $stopped
wait $stopped
expect_equal $? 130
cp my.csv kept.csv
{ head -1 kept.csv && tail -n +2 kept.csv | tac; } >my.csv
run "$l2r" train --resume --out stopped
expect_code 1
expect_line err \
    '^l2r: --resume: the graphs or labels of data set "my" have changed since stopped/state/1-gin.* was written; '
for command in eval weights; do
    run "$l2r" $command seeds/seed-0
    expect_code 0
    expect_line err '^l2r: my.csv: its graphs or labels have changed since seeds/seed-0/best.safetensors was trained'
done
run "$l2r" eval seeds/seed-0 --split scaffold
expect_code 0
expect_file err </dev/null
run "$l2r" report seeds/seed-0 --out page.html
expect_code 0
grep -q 'its graphs or labels have changed since' page.html || fail "the page shows predictions of other molecules"
rm my.csv
run "$l2r" predict seeds/seed-0
expect_error 1 \
    'my.csv: No such file or directory (the data that the run was trained on; if it has moved, name it with --data)'

# One class only: nothing to learn, nothing to choose the best epoch by.
run "$l2r" train --data same.csv --target-columns active --model gin "${small[@]}" --out same
expect_code 0
expect_line err '^l2r: all training labels are the same: there is nothing to learn from them$'
expect_line err \
    '^l2r: rocauc is not defined for the labels of the validation graphs: the last epoch is kept, not the best$'
run "$l2r" train --data same.csv --target-columns active --model gin \
    "${small[@]}" --split random --valid-fraction 0 --metric accuracy --out none
expect_line err '^l2r: there are no validation graphs: the last epoch is kept, not the best$'
finish
