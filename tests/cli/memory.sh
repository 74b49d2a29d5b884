# SPDX-License-Identifier: MIT
# Too little memory for train, tune, predict and explain, on few and on many threads: success or one sentence, never a
# crash of a library (tools/memory-sweep with finer steps tries more), and no process left behind.
source "$(dirname "$0")/expect.bash"
# Sanitizers need terabytes of addresses.
if ! (ulimit -v 600000 && "$l2r" --version >/dev/null 2>&1); then
    echo "skipped: this build cannot run under ulimit -v"
    exit 77
fi
run "$source_dir/tools/memory-sweep" "$l2r" 110000 350000 60000 1 8
expect_code 0
expect_line out '^[0-9]+ runs, [1-9][0-9]* refused with a sentence, 0 otherwise$'
((code == 0)) || cat out

# Pictures need a process and threads of their own: without them the sentence says so, and what needs neither is made.
run "$l2r" train --data "$tiny" "${small[@]}" --out run --quiet
expect_code 0
run bash -c "ulimit -v 170000; exec \"\$0\" explain run --graph 0 --steps 2 --restarts 1 --threads 1 --out why" "$l2r"
if ((code != 0)); then
    expect_code 1
    expect_line err '^l2r: '
    run bash -c "ulimit -v 170000; exec \"\$0\" explain run --graph 0 --steps 2 --restarts 1 --threads 1 --format svg \
        --out why2" "$l2r"
    expect_code 0
fi
finish
