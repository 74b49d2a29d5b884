# SPDX-License-Identifier: MIT
# Classes are what their words say. Models whose classes have other words, or the same in another order, are no
# ensemble; labels in other words are not scored by number.
source "$(dirname "$0")/expect.bash"

python3 - <<'P'
import random
random.seed(3)
parts = ["C", "CC", "CO", "CN", "C(=O)O", "c1ccccc1", "C1CCCCC1", "S", "OC"]
words = {"plain.csv": ("inactive", "active"), "other.csv": ("dull", "bright"), "third.csv": ("inactive", "unclear")}
files = {name: open(name, "w") for name in words}
numbers = open("numbers.csv", "w")
for file in [*files.values(), numbers]:
    print("smiles,y", file=file)
for _ in range(80):
    smiles = "".join(random.choice(parts) for _ in range(random.randint(2, 5)))
    for name, file in files.items():
        print(f"{smiles},{words[name]['O' in smiles]}", file=file)
    print(f"{smiles},{int('O' in smiles)}", file=numbers)
P
small=(--model gin --split random --epochs 8 --hidden 16 --layers 2 --quiet)
run "$l2r" train --data plain.csv "${small[@]}" --out one
grep -q librdkit-dev err && exit 77
expect_code 0
run "$l2r" train --data plain.csv "${small[@]}" --seed 1 --out two
expect_code 0
run "$l2r" train --data plain.csv "${small[@]}" --classes active,inactive --out turned
expect_code 0
run "$l2r" train --data other.csv "${small[@]}" --out other
expect_code 0
run "$l2r" train --data numbers.csv "${small[@]}" --out numbers
expect_code 0
expect_equal "$(json one/config.json 'x["data"]')" plain.csv

printf 'smiles\nCCO\nCCCC\n' >new.csv
run "$l2r" predict one two --ensemble --data new.csv --no-applicability
expect_code 0
for model in turned other numbers; do
    for command in predict eval; do
        run "$l2r" $command one "$model" --ensemble --data plain.csv
        expect_code 1
        expect_line err '^l2r: class 0 is "inactive" in one and .* in '"$model"
        expect_file out </dev/null
    done
done

# The same labels in either order of numbers: the same score. Words that the model does not have: none.
for model in one turned; do
    run "$l2r" eval $model --data plain.csv --part all --json
    expect_code 0
    cp out scores.json
    for order in active,inactive inactive,active; do
        run "$l2r" eval $model --data plain.csv --part all --classes $order --json
        expect_code 0
        expect_equal "$(json out 'x["metrics"]["accuracy"], x["metrics"]["rocauc"]')" \
            "$(json scores.json 'x["metrics"]["accuracy"], x["metrics"]["rocauc"]')"
    done
    for table in other third; do
        run "$l2r" eval $model --data $table.csv --part all
        expect_code 1
        expect_line err '^l2r: "(dull|bright|unclear)" is no class of the model, which has "(in)?active", "(in)?active"'
        run "$l2r" predict $model --data $table.csv --no-applicability
        expect_code 0
    done
done
finish
