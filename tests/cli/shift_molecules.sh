# SPDX-License-Identifier: MIT
# Molecules with environments: DrugOOD's JSON with its five parts and domains, --environment-column of a table, and the
# five parts by a column. Every row is accounted for.
source "$(dirname "$0")/expect.bash"

python3 - <<'END'
import gzip, json
smiles = ["CCO", "c1ccccc1O", "CC(=O)O", "C1CCCCC1", "CCN", "CCCl", "c1ccncc1", "CCCC", "C(C", "CO"]
names = ["train", "iid_val", "iid_test", "ood_val", "ood_test"]
split = {name: [{"smiles": s, "cls_label": (i + k) % 2, "reg_label": i / 2, "assay_id": 7, "domain_id": 10 * k + i % 3}
                for i, s in enumerate(smiles[: 10 - k])] for k, name in enumerate(names)}
set = {"cfg": {}, "split": split, "statistics": {}}
gzip.open("lbap.json.gz", "wt").write(json.dumps(set))
json.dump(set, open("lbap.json", "w"))
for name, row in (("label", {"smiles": "C", "cls_label": 2, "domain_id": 1}),
                  ("domain", {"smiles": "C", "cls_label": 1}),
                  ("smiles", {"cls_label": 1, "domain_id": 1})):
    json.dump({"split": {"train": [row]}}, open(f"{name}.json", "w"))
json.dump({"split": {"training_set": []}}, open("part.json", "w"))
json.dump({"rows": []}, open("other.json", "w"))
with open("my.csv", "w") as out:
    print("smiles,y,lab,part", file=out)
    for i in range(30):
        print(f"{'C' * (i + 1)},{i % 2},{'north' if i % 3 else 'south'},"
              f"{['train', 'valid', 'test', 'id-valid', 'id-test'][i % 5]}", file=out)
END

for file in lbap.json.gz lbap.json; do
    run "$l2r" data info $file --json
    expect_code 0
    expect_equal "$(json out 'x["name"], x["graphs"], x["task"], len(x["environments"])')" "('lbap', 38, 'binary', 15)"
    expect_equal "$(json out '[x["split"][p] for p in ("train", "valid", "test", "id-valid", "id-test")]')" \
        "[9, 7, 6, 8, 8]"
    # 40 rows, of which the two that are no molecule are named.
    expect_equal "$(json out '[n.split(": ", 1)[1] for n in x["notes"] if "skipped" in n][0]')" \
        "2 of 40 rows were skipped"
    expect_equal "$(json out '[e["name"] for e in x["environments"]][:4]')" "['0', '1', '2', '10']"
done
run "$l2r" data info lbap.json --task-type regression
expect_line out '^task +regression, 1 task$'
run "$l2r" train --data lbap.json "${small[@]}" --out run
expect_code 0
expect_equal "$(json run/result.json 'sorted(x["more"]["groups"])')" "['id-test', 'id-valid', 'test', 'train', 'valid']"
expect_equal "$(json run/result.json 'x["more"]["groups"]["test"]["score"]')" accuracy

run "$l2r" data info label.json
expect_error 1 'label.json: "train" number 0: "cls_label" is not 0 or 1'
run "$l2r" data info domain.json
expect_error 1 'domain.json: "train" number 0: "domain_id" is not a whole number'
run "$l2r" data info smiles.json
expect_error 1 'smiles.json: "train" number 0 has no "smiles"'
run "$l2r" data info other.json
expect_error 1 'other.json: is not DrugOOD'"'"'s: expected an object with "split", which holds lists of rows'
run "$l2r" data info part.json
expect_code 1
echo '{"split": {"train": [' >cut.json
run "$l2r" data info cut.json
expect_code 1

# A byte that no SMILES has makes a row none.
echo '{"split": {"train": [{"smiles": "CCO", "domain_id": 1}, {"smiles": "CCO\u00e9N", "domain_id": 1},
    {"smiles": "CC\u200b", "domain_id": 1}, {"smiles": "N caf\u00e9", "domain_id": 1}]}}' >odd.json
run "$l2r" data info odd.json --json
expect_code 0
expect_equal "$(json out 'x["graphs"]')" 2
expect_equal "$(json out '[n.split(":", 2)[1] for n in x["notes"] if "printable ASCII" in n]')" "['2', '3']"

run "$l2r" data info my.csv --environment-column lab --split-column part --json
expect_code 0
expect_equal "$(json out '[(e["name"], e["graphs"]) for e in x["environments"]]')" "[('north', 20), ('south', 10)]"
expect_equal "$(json out '[x["split"][p] for p in ("train", "valid", "test", "id-valid", "id-test")]')" \
    "[6, 6, 6, 6, 6]"
run "$l2r" train --data my.csv --model gin --environment-column lab --method groupdro "${small[@]}" --out dro
expect_code 0
run "$l2r" train --data my.csv --model gin \
    --target-columns y --environments scaffold --split random "${small[@]}" --out scaffold
expect_code 0
run "$l2r" data info my.csv --environment-column nowhere
expect_code 1

# GOOD's split hands out environments, which a run keeps in its split.json: methods compare them, eval scores by them.
sizes=(--data molecules:graphs=300 --split good --good-domain size)
run "$l2r" train "${sizes[@]}" --method groupdro "${small[@]}" --out good
expect_code 0
expect_equal "$(json good/split.json 'x["environments"]["names"][-3:]')" "['train 9', 'valid', 'test']"
run "$l2r" eval good --part train --json
expect_equal "$(json out 'sorted({g["environment"] for g in x["metrics"]["groups"]["groups"]})[0]')" "train 0"
run "$l2r" train "${sizes[@]}" --environments size --n-environments 3 "${small[@]}" --out bins
run "$l2r" eval bins --part train --json
expect_equal "$(json out 'len({g["environment"] for g in x["metrics"]["groups"]["groups"]})')" 3
run "$l2r" train --data molecules:graphs=60 --environments split "${small[@]}" --out none
expect_line err 'the .* split has none; `?--split=?'
python3 -c 'import json
split = json.load(open("good/split.json"))
split["environments"]["of_graph"][3] = 12
json.dump(split, open("wrong.json", "w"))'
run "$l2r" train --data molecules:graphs=300 --split-file wrong.json "${small[@]}" --out wrong
expect_error 1 'wrong.json: the environment of graph 3 is not one of 0..11'
python3 -c 'import json
split = json.load(open("good/split.json"))
split["environments"] = {"names": []}
json.dump(split, open("none.json", "w"))'
run "$l2r" train --data molecules:graphs=300 --split-file none.json "${small[@]}" --out wrong
expect_error 1 'none.json: "environments" must have "names", and "of_graph" a number for each graph'

# Both validation parts choose: the other choice is told too, and is the same run's under the other --select.
five=(--data goodmotif:graphs=200 --hidden 8 --layers 2 --epochs 8 --batch-size 16 --lr 0.02)
run "$l2r" train "${five[@]}" --out ood
expect_line out '^chosen by id-valid instead: epoch [0-9]+, valid [0-9.]+, test [0-9.]+, id-valid [0-9.]+, id-test'
run "$l2r" train "${five[@]}" --select id-valid --out id
expect_line out '^chosen by ood-valid instead: '
expect_equal "$(json ood/result.json 'x["more"]["selections"]')" "$(json id/result.json 'x["more"]["selections"]')"
expect_equal "$(json id/result.json 'x["more"]["selections"]["id-valid"]["test"] == x["test"]')" True
expect_equal "$(json ood/result.json 'x["more"]["selections"]["ood-valid"]["best_epoch"] == x["best_epoch"]')" True
run "$l2r" train "${five[@]}" --epochs 3 --out part
expect_code 0
finish
