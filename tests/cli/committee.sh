# SPDX-License-Identifier: MIT
# What `l2r train --data my.csv` does when nothing else is said: a committee, which every command takes for one model.
source "$(dirname "$0")/expect.bash"

python3 - <<'P'
import random
random.seed(5)
parts = ["C", "CC", "CO", "CN", "C(=O)O", "c1ccccc1", "C1CCCCC1", "C(F)(F)F", "S", "OC"]
with open("my.csv", "w") as f, open("values.csv", "w") as g, open("three.csv", "w") as h:
    print("smiles,y", file=f)
    print("smiles,v,w", file=g)
    print("smiles,c", file=h)
    for i in range(90):
        smiles = "".join(random.choice(parts) for _ in range(random.randint(2, 5)))
        print(f"{smiles},{int(smiles.count('O') > 1)}", file=f)
        print(f"{smiles},{'>' if i % 9 == 0 else ''}{len(smiles) / 3:.2f},{1 + i % 2}", file=g)
        print(f"{smiles},{'few' if i % 15 == 0 else 'some' if 'N' in smiles else 'many'}", file=h)
P
fast=(--epochs 2 --hidden 8 --layers 2 --split random --checkpoint-seconds 0)
run "$l2r" train --data my.csv "${fast[@]}" --out my
grep -q librdkit-dev err && exit 77
expect_code 0
models=$(json my/result.json '" ".join(m["model"] for m in x["more"]["members"])')
if [[ $models == *boost* ]]; then
    expect_line out '^chosen .* dmpnn, forest, boost and 3 mlp'
    expect_equal "$models" "dmpnn forest boost mlp mlp mlp"
    mlp=3
else # a build without XGBoost
    expect_line out '^chosen .* dmpnn, forest and 3 mlp'
    mlp=2
fi
(($(ls my | wc -l) <= 12)) || fail "a run folder of $(ls my | wc -l) files"
expect_equal "$(grep -c '^split ' out)" 1 # said once, not for each member

# What the user sets holds for every member; what the user does not set is the committee's.
forest=forest.safetensors
"$MEMBER" my 2 "$forest" || fail "member 2"
expect_equal "$(json my/config.json 'x["hidden"], x["head-layers"], x["batch-size"]')" "(8, 1, 64)"
options='x["config"]["hidden"], x["config"]["layers"], x["config"]["features"]'
expect_equal "$(member_field my/chosen.safetensors $mlp "$options")" "(8, 2, 'morgan,pairs,torsion,erg,descriptors')"
expect_equal "$(member_field my/chosen.safetensors 1 'x["config"]["epochs"], x["config"]["trees"]')" "(2, 200)"
# A model file holds what builds the model, and nothing of training.
expect_equal "$(member_field my/best.safetensors 0 '{"lr", "early-stop", "refit"} & set(x["config"])')" "set()"
# Who set an option is kept, also when the run is resumed or replayed.
origins='[x["origin"].get(k, "default") for k in ("epochs", "early-stop", "seed", "out")]'
expect_equal "$(json my/config.json "$origins")" "['user', 'recipe', 'default', 'default']"
expect_equal "$(json my/config.json 'x["early-stop"], x["steps"], x["refit"]')" "(20, 4000, True)"

# Every command takes the folder for one model; the file alone is enough.
run "$l2r" eval my --part test --json
expect_code 0
expect_equal "$(json out 'round(x["metrics"]["rocauc"], 6)')" "$(json my/result.json 'round(x["test"], 6)')"
# What each member scores by itself, the first included.
cp out scores.json
run "$l2r" eval "$forest" --data my.csv --split file --split-file my/split.json --part test --json
expect_equal "$(json scores.json 'round(x["metrics"]["members"][1]["rocauc"], 6)')" \
    "$(json out 'round(x["metrics"]["rocauc"], 6)')"
expect_equal "$(json scores.json '[x["metrics"]["members"][0][k] for k in ("member", "model")]')" "[1, 'dmpnn']"
expect_equal "$(json my/result.json 'x["more"]["test"]["members"][0]["rocauc"]')" \
    "$(json scores.json 'x["metrics"]["members"][0]["rocauc"]')"
run "$l2r" eval my
expect_line out '^ +1 +dmpnn +[0-9.]+ '
printf 'smiles\nCCO\nc1ccccc1\nC1CC\n' >new.csv
run "$l2r" predict my --data new.csv
expect_code 0
expect_equal "$(head -1 out)" "smiles,class,p,p_sd,distance,applicability,unseen,problem"
expect_line out '^C1CC,,,,,,,not a valid SMILES$'
cp out answers.csv
cp my/best.safetensors alone.safetensors
run "$l2r" predict alone.safetensors --data new.csv --no-applicability
expect_code 0
expect_equal "$(sed -n 2p out | cut -d, -f2,3)" "$(sed -n 2p answers.csv | cut -d, -f2,3)"

# Explanations say whose they are: the networks' that read the graph, or one network's. What all say stands beside.
run "$l2r" explain my --part test --limit 3 --explainer shapley --format svg --fragments --out shapley
expect_code 0
expect_line err '^explained: member 1 \(dmpnn\) of the committee alone; not 2 \(forest\).* features'
expect_line err '^contributions .* members? .*\(forest\).*: shapley/contributions.csv$'
expect_line out '^graphs +n +answer +p +fidelity\+'
grep -q '>explained: 1 of [0-9] members, prediction p = ' shapley/*.svg || fail "what a drawing explains"
run "$l2r" train --data my.csv "${fast[@]}" --members gin,dmpnn,forest:features=descriptors --out two
expect_code 0
run "$l2r" explain two --part test --limit 3 --explainer shapley --format svg --fragments --out two/why
expect_line err '^explained: the mean of members 1 \(gin\) and 2 \(dmpnn\) of the committee; not 3 \(forest\)'
grep -q '>explained: 2 of 3 members, prediction p = ' two/why/*.svg || fail "what a drawing of two explains"
run "$l2r" explain two --member 2 --part test --limit 2 --explainer occlusion --no-draw --out two/second
expect_code 0
expect_equal "$(grep -c committee err)" 0
run "$l2r" explain two --member 4 --part test --out two/fourth
expect_code 1
expect_line err '^l2r: --member 4: the model has 3 members'
run "$l2r" explain two --part test --limit 3 --steps 2 --no-draw --fragments --out two/masks
expect_line err '^explained: member 1 \(gin\) of the committee alone; not 2 \(dmpnn\), because masks are learned'
expect_line err '^fragments explained: the mean of members 1 \(gin\) and 2 '
run "$l2r" explain my --part test --limit 3 --steps 2 --no-draw --fragments --out masks
expect_code 0
expect_line err '^explained: member 1 \(dmpnn\) of the committee alone; not 2 \(forest\), '
cmp shapley/fragments.csv masks/fragments.csv || fail "fragments depend on the explainer"
run "$l2r" predict my --part test --json --no-applicability
cp out all.json
run "$l2r" predict "$forest" --data my.csv --split file --split-file my/split.json --part test --json --no-applicability
cp out forest.json
run python3 - 2-forest <<'P'
import collections, csv, json, sys
tested = json.load(open("my/split.json"))["test"]
files = ("all.json", "forest.json")
said, forest = (dict(zip(tested, (json.loads(x)["p"] for x in open(f)), strict=True)) for f in files)
for folder in "shapley", "masks":
    rows = list(csv.DictReader(open(folder + "/graphs.csv")))
    assert len(rows) == 3 and all(abs(float(x["answer"]) - said[int(x["graph"])]) < 1e-5 for x in rows), (rows, said)
    members = json.load(open(folder + "/explanations.json"))["members"]
    assert [x["explained"] for x in members][:3] == [True, False, False], members
for x in csv.DictReader(open("shapley/graphs.csv")):
    assert abs(float(x["value"]) - float(x["baseline"]) - float(x["sum"])) < 1e-4, x
sums = collections.Counter()
for x in csv.DictReader(open("shapley/contributions.csv")):
    if x["member"] == sys.argv[1]:
        assert x["unit"] == "probability" and x["task"] == "y", x
        sums[int(x["graph"])] += float(x["contribution"])
assert len(sums) == 3 and all(abs(x - forest[graph]) < 2e-4 for graph, x in sums.items()), (sums, forest)
P
expect_code 0
run "$l2r" fingerprint my --data new.csv --out z.csv
expect_code 0
mv shapley my/explanations
run "$l2r" report my --out page
expect_code 0
grep -q '>explained: member 1 (dmpnn) of the committee alone; not 2' page || fail "who is explained"
score=$(json my/result.json '"%.4f" % x["more"]["test"]["members"][0]["rocauc"]')
grep -q "<td>dmpnn</td><td class=\"n\">0</td><td class=\"n\">$score</td>" page || fail "a test score of member 1"

# Asked for by name it is the same, and calibrated as a whole: one temperature divides the logit of the mean.
run "$l2r" train --data my.csv "${fast[@]}" --members auto --calibrate temperature --out hot
expect_code 0
expect_line out '^chosen  a committee of dmpnn, forest'
expect_equal "$(json hot/result.json '" ".join(m["model"] for m in x["more"]["members"])')" "$models"
run "$l2r" predict hot --part test --json --no-applicability
expect_code 0
cp out hot.json
run "$l2r" explain hot --part test --limit 2 --explainer occlusion --no-draw --out hot/why
expect_code 0
run python3 - <<'P'
import csv, json, math
logit = lambda p: math.log(p / (1 - p))
plain, hot = ([logit(json.loads(x)["p"]) for x in open(f)] for f in ("all.json", "hot.json"))
ratios = [b / a for a, b in zip(plain, hot) if abs(a) > 0.1]
assert len(ratios) > 3 and max(ratios) - min(ratios) < 1e-3 * abs(ratios[0]) and abs(ratios[0] - 1) > 1e-4, ratios
for x, a in zip(csv.DictReader(open("hot/why/graphs.csv")), hot):
    assert abs(float(x["answer"]) - 1 / (1 + math.exp(-a))) < 1e-5, (x, a)
P
expect_code 0

# A run that was stopped among its members ends with the same file.
signal_after INT 3 '^epoch' "$l2r" train --data my.csv "${fast[@]}" --out half
run "$l2r" train --data my.csv "${fast[@]}" --resume --out half
expect_code 0
cmp my/best.safetensors half/best.safetensors || fail "a resumed committee differs"

# A member that cannot be is told before anything trains, wherever it stands in the list.
for list in dmpnn,nosuch dmpnn,mlp:hiden=8,forest dmpnn,forest,mlp:hidden=-1 dmpnn,mlp:refit=false; do
    run "$l2r" train --data my.csv "${fast[@]}" --model dmpnn --members "$list" --refit --out refused
    expect_code 1
    expect_line err '^l2r: '
    expect_equal "$(grep -c '^epoch' out)" 0
    [[ ! -e refused ]] || fail "$list: a folder of a run that never began"
done

# Bounds and weights, several classes with a rare one.
run "$l2r" train --data values.csv --target-columns v --weight-column w --censored "${fast[@]}" --out values
expect_code 0
run "$l2r" predict values --data new.csv --no-applicability
expect_equal "$(head -1 out)" "smiles,value,value_sd,value_low,value_high,problem"
run "$l2r" train --data three.csv "${fast[@]}" --out three
expect_code 0

# Where something else is asked for, one network is trained.
run "$l2r" train --data my.csv "${fast[@]}" --method l2r --out weighed
expect_code 0
expect_line out '^chosen  dmpnn trained with l2r'
run "$l2r" train --data my.csv "${fast[@]}" --model gcn --out gcn
expect_line out '^chosen  gcn trained with erm; it stops after 20 epochs'
[[ ! -e weighed/fits.jsonl && ! -e gcn/fits.jsonl ]] || fail "members of one network"

# --steps: fewer epochs where they have many batches.
run "$l2r" train --data my.csv --model gin "${fast[@]}" --epochs 9 --batch-size 8 --steps 20 --out steps
expect_code 0
expect_equal "$(json steps/result.json 'x["epochs"]')" 2
finish
