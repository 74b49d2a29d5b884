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
    await "$job" test -s "$1/state/1-gin.safetensors" && await "$job" has_lines "$1/metrics.jsonl" 2 && return
    sed 's/^/    /' err
    finish
}

# The process of rank $1 of the job.
pid_of_rank() {
    for pid in $(pgrep -P "$job"); do
        tr '\0' '\n' <"/proc/$pid/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$1" && echo "$pid"
    done
}

# Waits for the end of the job; its exit code goes to $code.
expect_end() {
    gone() { ! kill -0 "$job"; }
    await "$job" gone || kill -KILL "$job"
    wait "$job"
    code=$?
}

# What a rank says; also with its number before it, as on a machine so busy that ranks end more than a second apart.
expect_said() {
    expect_line err "^l2r: (rank [0-9]+ of [0-9]+: )?$1"
}

# The run in folder $1 goes on with P = $2 and ends as one that nobody disturbed.
expect_same_end() {
    (($(wc -l <"$1/metrics.jsonl") < epochs)) || fail "'$ran': the run had ended before"
    run ranks "$2" "$l2r" train --resume --out "$1" --quiet
    expect_code 0
    expect_close_runs whole "$1"
}

# Small steps: where a ReLU is decided by rounding, the runs must not drift apart.
epochs=24
options=(--data motif:train=1200,valid=24,test=24,seed=3 --model gin --hidden 32 --layers 2 --batch-size 400
    --optimiser sgd --lr 0.00001 --seed 2 --epochs "$epochs" --checkpoint-seconds 0 --quiet)
run "$l2r" train "${options[@]}" --threads 1 --out whole
expect_code 0

ran="kill -9 of rank 1"
start_long killed
kill -KILL "$(pid_of_rank 1)"
expect_end
((code != 0)) || fail "'$ran' looks like success"
expect_line err 'rank 1 .* exited on signal 9'
expect_same_end killed 3

ran="SIGUSR1"
start_long stopped
kill -USR1 "$job"
expect_end
((code != 0)) || fail "'$ran' looks like success"
expect_said 'interrupted in epoch'
expect_same_end stopped 1

# Not started alike: other options; other data; a run that has ended, which only one of the ranks can see; data that one
# rank alone lacks. What ranks compare is the same code for all of these, so that one launch of each is enough.
options=(--data "$tiny" "${small[@]}" --quiet)
run mpirun -n 1 "$l2r" train "${options[@]}" --out alike : -n 1 "$l2r" train "${options[@]}" --epochs 3 --out alike
((code != 0)) || fail "other options look like success"
expect_said 'rank 1 of 2 was given a different --epochs than rank 0$'
for k in 1 2; do
    mkdir "at-$k"
    "$l2r" data make motif --train 20 --valid 10 --test 10 --seed "$k" --out "at-$k/set" >/dev/null
done
run mpirun -n 1 -wdir "$work/at-1" "$l2r" train "${options[@]}" --data set --out "$work/alike" : \
    -n 1 -wdir "$work/at-2" "$l2r" train "${options[@]}" --data set --out "$work/alike"
((code != 0)) || fail "other data look like success"
expect_said 'rank 1 of 2 has different data than rank 0$'
run "$l2r" train "${options[@]}" --out at-1/ended
expect_code 0
run timeout -s KILL 120 mpirun -n 1 -wdir "$work/at-1" "$l2r" train "${options[@]}" --resume --out ended : \
    -n 1 -wdir "$work/at-2" "$l2r" train "${options[@]}" --resume --out ended
expect_code 1
expect_said 'rank 1 of 2 finds a different run in the folder than rank 0'
mkdir empty
run mpirun -n 1 -wdir "$work/at-1" "$l2r" train "${options[@]}" --data set --out "$work/alike" : \
    -n 1 -wdir "$work/empty" "$l2r" train "${options[@]}" --data set --out "$work/alike"
((code != 0)) || fail "data that one rank lacks look like success"
expect_line err '^l2r: rank 1 of 2: set: '

# Different commands are said, too, instead of being waited for: one that is divided against one that is not, and the
# shortest against the longest.
train=("$l2r" train "${options[@]}" --data "$tiny" --out never)
run timeout -s KILL 120 mpirun -n 1 "${train[@]}" : -n 1 "$l2r" list models
expect_code 1
expect_said 'rank 1 of 2 runs a different command than rank 0'
run timeout -s KILL 120 mpirun -n 1 "$l2r" --version : -n 1 "${train[@]}"
expect_code 1
expect_said 'rank 1 of 2 runs a different command than rank 0'
for folder in alike never at-2/ended; do
    [[ ! -e $folder/config.json ]] || fail "a job that never began has left a run in $folder"
done
run ranks 2 "$l2r" --version
expect_code 0
expect_equal "$(wc -l <out)" 1
finish
