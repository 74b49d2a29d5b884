# SPDX-License-Identifier: MIT
# Training end to end on a tiny task: plain lines in a pipe, the folder of the run, JSON, refusal to overwrite, a
# finished run resumed.
source "$(dirname "$0")/expect.bash"

run "$l2r" train --data "$tiny" "${small[@]}" --out first
expect_code 0
expect_equal \
    "$(grep -c '^epoch [12]/2  loss [0-9.]*  .*valid accuracy\|^epoch [12]/2  loss [0-9.]*  .*valid rocauc' out)" 2
expect_line out '^ +train +valid +test$'
expect_line out '^best epoch [12] of 2, '
expect_line out '^saved in first$'
grep -q $'\033\|\r' out && fail "a pipe saw terminal sequences"
expect_file err </dev/null
for file in config.json split.json metrics.jsonl best.safetensors result.json; do
    [[ -s first/$file ]] || fail "first/$file is missing"
done
expect_json first/config.json
expect_json first/split.json
expect_json first/result.json
expect_equal "$(wc -l <first/metrics.jsonl)" 2

# The same again: the same numbers. JSON alone on stdout, progress on stderr.
run "$l2r" train --data "$tiny" "${small[@]}" --out second --json --threads 1
expect_code 0
expect_json out
expect_line err '^epoch 2/2 '
cp out second.json
expect_equal "$(json second.json 'x["run"]')" second
numbers='s/"\(seconds\|graphs_per_second\|time\|check\)[^,}]*//g' # without times and what follows from them
cmp <(sed "$numbers" first/metrics.jsonl) <(sed "$numbers" second/metrics.jsonl) || fail "a re-run has other metrics"

# A folder that holds a run is refused; --resume of a finished run gives its result at once.
cp -r second kept
run "$l2r" train --data "$tiny" "${small[@]}" --out second
expect_code 1
expect_line err '^l2r: .*second'
diff -r second kept || fail "a refused run changed the folder"
run "$l2r" train --data "$tiny" "${small[@]}" --method headfit --epochs 2 --out fitted
expect_code 0
expect_line out "^Head fit (with .* weights: |rejected, .* plain training: )"
expect_equal "$(json fitted/result.json 'len(x["conclusion"]["head"]["candidates"])')" 15
run "$l2r" weights fitted
expect_code 0
run "$l2r" train --data "$tiny" "${small[@]}" --method headfit --queues 2 --out never
expect_error 2 "--queues goes with --method l2r, oodgnn, stablegnn"
run "$l2r" train --data "$tiny" "${small[@]}" --method l2r --compare-controls --out never
expect_error 2 "--compare-controls goes with --method headfit"
run "$l2r" train --data "$tiny" "${small[@]}" --method l2r --weigh network --out never
expect_code 2
expect_line err '^l2r: unknown option --weigh\b'
run "$l2r" train --data "$tiny" "${small[@]}" --method l2r --epochs 2 --out weighted
expect_code 0
expect_line out "^method +the recommended form: .*--covariance weighted"
expect_line out "^The learned weights left .* --method erm\\.$"
run "$l2r" train --data "$tiny" "${small[@]}" --method l2r --form paper --epochs 2 --out literal
expect_code 0
expect_line out "^method +the paper's form: .*--covariance scaled, --ess auto, .*--no-keep-classes, --holdout 0\.2"

run "$l2r" train --resume --out second --json
expect_code 0
expect_line err 'the run is already finished'
expect_equal "$(json out '[x[k] for k in ("train", "valid", "test", "best_epoch", "epochs")]')" \
    "$(json second.json '[x[k] for k in ("train", "valid", "test", "best_epoch", "epochs")]')"
run "$l2r" train --resume --out second --hidden 9
expect_code 1
expect_line err '^l2r: --resume: --hidden is 9 here but 8 in the run; a run continues with its own options'

# --quiet leaves the result alone; the default folder tells data, model, method and seed, and is never overwritten.
run "$l2r" train --data "$tiny" "${small[@]}" --quiet --seed 5
expect_code 0
grep -q '^epoch' out && fail "--quiet printed progress"
run "$l2r" train --data "$tiny" "${small[@]}" --quiet --seed 5 --model gcn
run "$l2r" train --data "$tiny" "${small[@]}" --quiet --seed 5
expect_line out '^saved in runs/motif-gin-erm-5\.2$'
expect_equal "$(echo $(ls runs))" "motif-gcn-erm-5 motif-gin-erm-5 motif-gin-erm-5.2"
finish
