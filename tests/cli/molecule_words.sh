# SPDX-License-Identifier: MIT
# Tables of molecules as people write them, from data info to explain: classes with names, several tasks by name, SD
# files, salts, weights, bounds; a run finds its data after both have moved; tune and train share their defaults.
source "$(dirname "$0")/expect.bash"
small=(--layers 1 --hidden 8 --epochs 2 --quiet)

mkdir -p study/runs
{
    echo "smiles;potency;toxic;dose;w"
    for i in $(seq 1 40); do
        chain=$(printf 'C%.0s' $(seq 1 $((1 + i % 13))))
        ring=$([[ $((i % 2)) == 0 ]] && echo c1ccccc1 || echo "")
        active=$([[ $((i % 2)) == 0 ]] && echo Active || echo Inactive)
        toxic=$([[ $((i % 3)) == 0 ]] && echo yes || echo no)
        echo "$chain${ring}O;$active;$toxic;$((i % 7)),5;$((i % 4))"
    done
} >study/assay.csv

# What is understood, and what is not.
cd study || exit 1
run "$l2r" data info assay.csv --target-columns potency,toxic
grep -q librdkit-dev err && exit 77
expect_code 0
expect_line out '^  potency          20 Active of 40 \(50\.0 %\)$'
expect_line out '^  toxic            13 yes of 40'
expect_line out '^table .*column "potency" has the classes 0 = Inactive, 1 = Active$'
run "$l2r" data info assay.csv
expect_error 1 'assay.csv: 4 columns may be labels and are not alike: "potency", "toxic", "dose", "w"; choose with '\
'--target-columns potency or, for all of them, --target-columns potency,toxic,dose,w'
run "$l2r" data info assay.csv --target-columns dose
expect_line out '^  dose             mean '
expect_line out '^table .*column "dose" has decimal commas: "1,5" in line 2 is read as a number$'
expect_line out '^table .*[0-9]+ rows repeat a molecule of an earlier row .*; --duplicates drop or --duplicates mean '
run "$l2r" data info assay.csv --json --target-columns potency
expect_equal "$(json out '(x["labels"][0]["name"], x["labels"][0]["classes"])')" "('potency', ['Inactive', 'Active'])"

# Names of tasks and classes stay in predictions.
run "$l2r" train --data assay.csv --model gin \
    --target-columns potency,toxic --weight-column w "${small[@]}" --split random \
    --out runs/two
expect_code 0
expect_equal "$(json runs/two/config.json '(x["method"], x["class-weights"], x["early-stop"])')" "('erm', 'auto', 20)"
echo "smiles
CCO" >new.csv
run "$l2r" predict runs/two --data new.csv --no-applicability
expect_equal "$(head -1 out)" "smiles,class_potency,class_toxic,p_potency,p_toxic,problem"
expect_line out '^CCO,(Inactive|Active),(no|yes),[0-9]'
run "$l2r" predict runs/two --part test --no-applicability
expect_line out '^C+(c1ccccc1)?O;(Inactive|Active);(no|yes);.*;(Inactive|Active);(no|yes);[0-9.e-]+;[0-9.e-]+;$'

# One rule for classes, in predictions, scores and explanations: with class weights 1 where weight · p > 1 − p.
cp out test.csv
run "$l2r" eval runs/two --json
cp out scores.json
run "$l2r" explain runs/two --task toxic --explainer occlusion --no-draw --out targets
expect_code 0
run python3 - <<'P'
import csv, json
rows = list(csv.DictReader(open("test.csv"), delimiter=";"))
for task in json.load(open("scores.json"))["metrics"]["tasks"]:
    right = [x["class_" + task["name"]] == x[task["name"]] for x in rows]
    assert abs(sum(right) / len(right) - task["accuracy"]) < 1e-6, (task, rows)
targets = [x["target"] for x in csv.DictReader(open("targets/graphs.csv"))]
assert targets == [x["class_toxic"] for x in rows], (targets, rows)
assert any((float(x["p_toxic"]) > 0.5) != (x["class_toxic"] == "yes") for x in rows), rows
P
expect_code 0
run "$l2r" explain runs/two --task toxic --limit 1 --steps 2 --no-draw --out why
expect_code 0
run "$l2r" explain runs/two --task dose --limit 1 --steps 2 --no-draw --out why
expect_code 1
expect_line err 'there is no task dose, the model has 2 \(0 to 1\): potency, toxic'
run "$l2r" explain runs/two --explainer occlusion --limit 1 --no-draw --out why
expect_error 1 'contributions are to one task, and the model has 2; choose one with --task: potency, toxic'
run "$l2r" explain runs/two --label active --limit 1 --steps 2 --no-draw --out why
expect_code 0
run "$l2r" eval runs/two --data assay.csv
expect_code 0

# Scores by group have the words of the classes.
run "$l2r" train --data assay.csv --model gin --target-columns toxic --environment-column potency "${small[@]}" \
    --split random --out runs/groups
expect_code 0
run "$l2r" eval runs/groups --part train
expect_line out '^ *class +environment +graphs +accuracy$'
expect_line out '^ *yes +(Active|Inactive) +[0-9]+ +'
run "$l2r" eval runs/groups --part train --json
expect_equal "$(json out 'sorted({x["class"] for x in x["metrics"]["groups"]["groups"]})')" "['no', 'yes']"

# One column of three words.
sed 's/;Active;yes;/;high;yes;/; s/;Active;no;/;low;no;/; s/;Inactive;/;medium;/' assay.csv >three.csv
run "$l2r" train --data three.csv --model gin \
    --target-columns potency --classes low,medium,high "${small[@]}" --split random \
    --method l2r --out runs/three
expect_code 0
run "$l2r" predict runs/three --data new.csv --no-applicability
expect_equal "$(head -1 out)" "smiles,class,p_low,p_medium,p_high,problem"
expect_line out '^CCO,(low|medium|high),'
run "$l2r" weights runs/three
expect_line out '^label medium '

# Bounds cost nothing beyond them, and are not scored.
printf 'smiles,y\nCCO,>10\nCCN,<0.1\nCCC,5\nCCF,3\nCCCl,4\nCCBr,>9\nCCI,2\nCCCC,1\nCCCO,7\nCCCN,8\n' >bounds.csv
run "$l2r" data info bounds.csv --censored
expect_line out 'bounds.csv: column "y" has 3 bounds among its labels: a prediction beyond one costs nothing, '
run "$l2r" train --data bounds.csv --model gin --censored "${small[@]}" --split random --out runs/bounds
expect_code 0
run "$l2r" eval runs/bounds --part all
expect_code 0
run "$l2r" predict runs/bounds --part train --no-applicability
grep -E '^CC[ON],[<>][0-9.]+,' out >signs
run "$l2r" predict runs/bounds --part train --no-applicability --json
expect_equal "$(grep -c '"y":"[<>]' out)" "$(grep -c '[<>]' signs)"
expect_line out '"y":"[0-9]'
[[ -s signs ]] || fail "no bound has its sign"

# SD files give and take tables.
cat >mols.sdf <<'END'
methanol


  2  1  0  0  0  0            999 V2000
    0.0000    0.0000    0.0000 C   0  0
    1.4000    0.0000    0.0000 O   0  0
  1  2  1  0
M  END
> <batch>
7, 8

$$$$
END
run "$l2r" predict runs/two --data mols.sdf --no-applicability
expect_equal "$(head -1 out)" "smiles,name,batch,class_potency,class_toxic,p_potency,p_toxic,problem"
expect_line out '^CO,"methanol","7, 8",'

# What a molecule is stays with the run.
run "$l2r" train --data assay.csv --model gin --target-columns potency --largest-fragment "${small[@]}" --split random \
    --out runs/salts
expect_code 0
printf 'smiles\nCCO\nCCO.Cl\n' >salts.csv
run "$l2r" predict runs/salts --data salts.csv --no-applicability
expect_equal "$(sed -n 2p out | cut -d, -f3)" "$(sed -n 3p out | cut -d, -f3)"

# The run and its data move together, and are used from another folder.
cd .. || exit 1
run "$l2r" eval study/runs/two
expect_code 0
mv study moved
run "$l2r" eval moved/runs/two
expect_code 0
run "$l2r" train --resume --out moved/runs/two
expect_code 0
rm moved/assay.csv
run "$l2r" eval moved/runs/two
expect_code 1
expect_line err 'if it has moved, name it with --data'

# tune has the defaults of train.
cp moved/three.csv my.csv
run "$l2r" tune --data my.csv --target-columns potency --space lr=0.01 --search grid "${small[@]}" --split random \
    --out tuned
expect_code 0
expect_line out '^  l2r train .*--data my.csv '
line=$(grep '^  l2r train' out | sed 's/^  l2r //')
run eval "\"$l2r\" $line --quiet"
expect_code 0
run "$l2r" tune --data my.csv --target-columns toxic --space lr=0.01 --search grid --layers 1 --hidden 8 --epochs 1 \
    --split random --out told
expect_line out '^table   my.csv: [0-9]+ molecules of column "smiles"; binary labels of column "toxic"$'
expect_line out '^budget  erm 1 trial × 1 epoch × 1 seed$'
run "$l2r" data info book.xlsx
expect_code 1
touch book.xlsx
run "$l2r" data info book.xlsx
expect_line err 'book.xlsx: this is a spreadsheet, which cannot be read; save the sheet as CSV'
finish
