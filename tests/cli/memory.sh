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

# No second process and no second thread: a user with nobody else's processes and a limit of one. Root has no limit.
# (GCOV_PREFIX: where a build that counts lines may write as that user.)
if ((EUID == 0)) && setpriv --reuid=65534 --regid=65534 --clear-groups "$l2r" --version >/dev/null 2>&1; then
    alone=(env GCOV_PREFIX="$PWD/alone" setpriv --reuid=65534 --regid=65534 --clear-groups prlimit --nproc=1 "$l2r")
    chmod 711 . && mkdir -m 777 alone
    run "${alone[@]}" train --data "$tiny" "${small[@]}" --threads 4 --out alone/run --quiet
    expect_code 0
    run "${alone[@]}" predict alone/run --part test
    expect_code 0
    run "${alone[@]}" explain alone/run --graph 0 --steps 2 --restarts 1 --format png --out alone/why
    expect_error 1 "no process can be started that paints PNG files: Resource temporarily unavailable; \
SVG files need none"
    run "${alone[@]}" explain alone/run --graph 0 --steps 2 --restarts 1 --format svg --out alone/drawings
    expect_code 0
    run "${alone[@]}" tune --data "$tiny" "${small[@]}" --space lr=0.01..0.1 --trials 2 --out alone/tuned --quiet
    expect_error 1 "cannot start a thread for the runs"
fi
finish
