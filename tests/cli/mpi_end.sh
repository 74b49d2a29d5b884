#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How a job of several ranks ends before its time: a rank is killed, the user interrupts, ranks were not started alike.
# Within seconds, with one sentence that names the rank, and nothing is lost.
source "$(dirname "$0")/expect.bash"
source "$source_dir/tests/cli/ranks.bash"

# Starts a run on two ranks in folder $1 and waits until it has come to its third epoch; $job is mpirun.
start_long() {
    mpirun -n 2 "$l2r" train "${options[@]}" --out "$1" >out 2>err </dev/null &
    job=$!
    for _ in $(seq 600); do
        [[ -s $1/last.safetensors && $(wc -l <"$1/metrics.jsonl") -ge 2 ]] && return
        sleep 0.05
    done
    fail "no third epoch in 30 s"
    sed 's/^/    /' err
    kill -TERM "$job"
    finish
}

# The process of rank $1 of the job.
pid_of_rank() {
    for pid in $(pgrep -P "$job"); do
        tr '\0' '\n' <"/proc/$pid/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$1" && echo "$pid"
    done
}

# Waits at most $1 seconds for the job; its exit code goes to $code.
expect_end_within() {
    for _ in $(seq $(($1 * 20))); do
        kill -0 "$job" 2>/dev/null || break
        sleep 0.05
    done
    kill -0 "$job" 2>/dev/null && { fail "'$ran': still there after $1 s"; kill -KILL "$job"; }
    wait "$job"
    code=$?
}

# The run in folder $1 goes on with P = $2 and ends as one that nobody disturbed.
expect_same_end() {
    (($(wc -l <"$1/metrics.jsonl") < epochs)) || fail "'$ran': the run had ended before"
    run ranks "$2" "$l2r" train --resume --out "$1" --quiet
    expect_code 0
    expect_close_runs whole "$1"
}

# Small steps: where a ReLU is decided by rounding, the runs must not drift apart.
epochs=12
options=(--data motif:train=1200,valid=24,test=24,seed=3 --model gin --hidden 32 --layers 2 --batch-size 400
    --optimiser sgd --lr 0.00001 --seed 2 --epochs "$epochs" --checkpoint-seconds 0 --quiet)
run "$l2r" train "${options[@]}" --threads 1 --out whole
expect_code 0

ran="kill -9 of rank 1"
start_long killed
kill -KILL "$(pid_of_rank 1)"
expect_end_within 10
((code != 0)) || fail "'$ran' looks like success"
expect_line err 'rank 1 .* exited on signal 9'
expect_same_end killed 3

ran="SIGUSR1"
start_long stopped
kill -USR1 "$job"
expect_end_within 10
((code != 0)) || fail "'$ran' looks like success"
expect_equal "$(grep -c 'l2r: interrupted in epoch' err)" 1
expect_same_end stopped 1

# Not started alike.
options=(--data "$tiny" "${small[@]}" --quiet)
run mpirun -n 1 "$l2r" train "${options[@]}" --out alike : -n 1 "$l2r" train "${options[@]}" --epochs 3 --out alike
((code != 0)) || fail "other options look like success"
expect_line err '^l2r: rank 1 of 2 was given a different --epochs than rank 0$'
expect_equal "$(grep -c 'l2r:' err)" 1
cp "$l2r" other
echo >>other
run mpirun -n 1 "$l2r" train "${options[@]}" --out alike : -n 1 ./other train "${options[@]}" --out alike
((code != 0)) || fail "another build looks like success"
expect_line err '^l2r: rank 1 of 2 runs a different build of l2r than rank 0$'
for k in 1 2; do
    mkdir "at-$k"
    "$l2r" data make motif --train 20 --valid 10 --test 10 --seed "$k" --out "at-$k/set" >/dev/null
done
run mpirun -n 1 -wdir "$work/at-1" "$l2r" train "${options[@]}" --data set --out "$work/alike" : \
    -n 1 -wdir "$work/at-2" "$l2r" train "${options[@]}" --data set --out "$work/alike"
((code != 0)) || fail "other data look like success"
expect_line err '^l2r: rank 1 of 2 has different data than rank 0$'
[[ ! -e alike/config.json ]] || fail "a job that never began has left a run behind"

# A run that has ended, which only one of the ranks can see: nobody waits for the other.
run "$l2r" train "${options[@]}" --out at-1/ended
expect_code 0
for other in 2 1; do
    run timeout -s KILL 30 mpirun -n 1 -wdir "$work/at-$((3 - other))" "$l2r" train "${options[@]}" --resume --out \
        ended : \
        -n 1 -wdir "$work/at-$other" "$l2r" train "${options[@]}" --resume --out ended
    expect_code 1
    expect_line err '^l2r: rank 1 of 2 finds a different run in the folder than rank 0'
done
[[ ! -e at-2/ended ]] || fail "a job that never began has left a run behind"

# An error of all is told once; one of a single rank ends the others, with its number.
run ranks 2 "$l2r" train --data missing.zip --out alike
expect_equal "$(grep -c 'l2r:' err)" 1
expect_line err '^l2r: missing.zip: '
mkdir empty
run mpirun -n 1 -wdir "$work/at-1" "$l2r" train "${options[@]}" --data set --out "$work/alike" : \
    -n 1 -wdir "$work/empty" "$l2r" train "${options[@]}" --data set --out "$work/alike"
expect_equal "$(grep -c 'l2r:' err)" 1
expect_line err '^l2r: rank 1 of 2: set: '

# Ranks that were given different commands, whatever these do, hear of it instead of waiting for each other.
train=("$l2r" train "${options[@]}" --data "$tiny" --out never)
for other in "list models" "data info $tiny" "train --help" "--version" "predict nothing" "--help"; do
    run timeout 60 mpirun -n 1 "${train[@]}" : -n 1 "$l2r" $other # words
    expect_code 1
    expect_line err '^l2r: rank 1 of 2 runs a different command than rank 0'
    run timeout 60 mpirun -n 1 "$l2r" $other : -n 1 "${train[@]}"
    expect_code 1
    expect_line err '^l2r: rank 1 of 2 runs a different command than rank 0'
done
[[ ! -e never ]] || fail "a job that never began has left a run behind"
run ranks 2 "$l2r" --version
expect_code 0
expect_equal "$(wc -l <out)" 1
run ranks 2 "$l2r" train --help
expect_code 0
expect_equal "$(grep -c '^Usage' out)" 1

finish
