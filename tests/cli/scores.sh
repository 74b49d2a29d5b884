# SPDX-License-Identifier: MIT
# Scores of several tasks, in the terminal, in result.json and in eval --json; units are never averaged.
source "$(dirname "$0")/expect.bash"

# Two targets of unlike units, and two tasks of which the second has one class only.
python3 - <<'end'
atoms = ["C", "O", "N", "C(C)", "C(=O)", "C(F)"]
with open("targets.csv", "w") as targets, open("tasks.csv", "w") as tasks:
    targets.write("smiles,boiling,mass\n")
    tasks.write("smiles,toxic,always\n")
    for i in range(60):
        s = "C" + "".join(atoms[(i * k + k * k) % 6] for k in range(1, 3 + i % 5)) + "C" * (i // 12)
        targets.write(f"{s},{100 + 10 * len(s) + i % 7},{0.01 * len(s)}\n")
        tasks.write(f"{s},{'' if i % 10 == 9 else int('O' in s)},1\n")
end
small=(--split random --method erm --hidden 8 --layers 2 --epochs 2 --threads 1)

run "$l2r" train --data targets.csv --target-columns boiling,mass --model gin "${small[@]}" --out targets
expect_code 0
expect_line out '^nrmse of each task  *train  *valid  *test$'
expect_line out '^boiling  *[0-9.]*  *[0-9.]*  *[0-9.]*$'
expect_equal "$(json targets/result.json 'x["metric"]')" nrmse
expect_equal "$(json targets/result.json '[x["more"]["test"][m] for m in ("rmse", "mae")]')" '[None, None]'
test=targets/test.json
json targets/result.json 'json.dumps(x["more"]["test"])' >$test
expect_equal "$(json $test 'abs(sum(t["nrmse"] for t in x["tasks"]) / 2 - x["nrmse"]) < 1e-12')" True
expect_equal "$(json $test '[(t["task"], t["name"], t["n"]) for t in x["tasks"]]')" \
    "[(0, 'boiling', 6), (1, 'mass', 6)]"
run "$l2r" eval targets
expect_line out '^task  *graphs  *rmse  *mae  *r2  *spearman$'
run "$l2r" eval targets --json
expect_equal "$(json out 'x["metrics"]["tasks"]')" "$(json targets/result.json 'x["more"]["test"]["tasks"]')"
run "$l2r" train --data targets.csv --target-columns boiling,mass --model gin "${small[@]}" --metric rmse --out units
expect_code 1
expect_line err '^l2r: --metric: rmse has the unit of its target, so it has no mean over 2 targets; nrmse has$'

run "$l2r" train --data tasks.csv --target-columns toxic,always --model gin "${small[@]}" --class-weights balanced \
  --out tasks
expect_code 0
expect_equal "$(json tasks/result.json 'x["metric"]')" rocauc
expect_equal "$(json tasks/result.json '[x["more"]["train"]["tasks"][1][k] for k in ("rocauc", "positives")]')" \
    '[None, 48]'
# One loss: the same from the run and from the model file, and in a run without weights the objective.
run "$l2r" eval tasks --json
expect_equal "$(json out 'x["metrics"]["loss"]')" "$(json tasks/result.json 'x["more"]["test"]["loss"]')"
run "$l2r" eval tasks --metrics mcc,ece
expect_line out '^task  *graphs  *positive  *threshold  *mcc  *ece$'
expect_equal "$(grep -c rocauc out)" 0
run "$l2r" eval tasks --metrics mcc,auc
expect_code 2
expect_line err '^l2r: --metrics: there is no metric "auc"$'
for run in targets tasks; do head -1 $run/metrics.jsonl >$run/epoch.json; done
expect_equal "$(json targets/epoch.json 'x["loss"] == x["objective"]')" True
expect_equal "$(json tasks/epoch.json 'x["loss"] == x["objective"]')" False
finish
