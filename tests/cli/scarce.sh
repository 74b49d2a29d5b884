# SPDX-License-Identifier: MIT
# A full disk, a read-only folder, closed pipes and descriptors, limits on files, descriptors and memory: one sentence,
# a non-zero exit, no temporary file, and a run that can be resumed to the numbers of one that had all it needed.
source "$(dirname "$0")/expect.bash"
task=(--data "$tiny" --hidden 8 --layers 2 --epochs 6 --checkpoint-seconds 0)
numbers='[x[k] for k in ("train", "valid", "test", "best_epoch", "epochs")]'

run "$l2r" train "${task[@]}" --out whole
expect_code 0
whole=$(json whole/result.json "$numbers")

# One sentence on stderr that matches, exit code 1, nothing half written in the folder.
expect_refusal() {
    expect_code 1
    grep -v 'there is no checkpoint' err >said
    expect_equal "$(wc -l <said)" 1
    expect_line said "^l2r: .*$1"
    [[ -z $(find "$2" -name '*.tmp-*' 2>/dev/null) ]] || fail "'$ran' left $(find "$2" -name '*.tmp-*')"
}

# Resumed with all it needs, the run in this folder ends like the other.
expect_resumes() {
    run "$l2r" train "${task[@]}" --out "$1" --resume --quiet
    expect_code 0
    expect_equal "$(json "$1/result.json" "$numbers")" "$whole"
    cmp -s "$1/best.safetensors" whole/best.safetensors || fail "$1 has another best model"
}

# ---- Nobody reads any more ----
ran="l2r predict | true"
exec {pipe}> >(true)
wait $! # the reader is gone
"$l2r" predict whole >&"$pipe" 2>err
code=$?
exec {pipe}>&-
expect_code 141 # SIGPIPE, as any filter
expect_file err </dev/null
ran="l2r train | head -1"
"$l2r" train "${task[@]}" --epochs 400 --out piped 2>err | head -1 >out
code=${PIPESTATUS[0]}
expect_code 130
expect_line err '^l2r: interrupted in epoch [0-9]+ of 400; saved in piped, continue with:$'

# ---- Descriptors that are closed ----
ran="l2r predict >&-"
"$l2r" predict whole >&- 2>err
code=$?
expect_refusal 'cannot write to standard output: Bad file descriptor' whole
ran="l2r train >&- 2>&- <&-"
"$l2r" train "${task[@]}" --out closed >&- 2>&- <&-
code=$?
expect_code 1 # the run is complete; what it printed was lost
expect_resumes closed
ran="l2r train --quiet 2>&-"
"$l2r" train "${task[@]}" --quiet --out closed2 >out 2>&-
code=$?
expect_code 0
expect_resumes closed2

# ---- Limits of the shell ----
for blocks in 1 8 16; do # of 1024 bytes
    run bash -c "trap '' XFSZ; ulimit -f $blocks; exec \"\$0\" train \"\$@\" --quiet >/dev/null" "$l2r" "${task[@]}" \
        --out "size$blocks"
    expect_refusal 'cannot be written: File too large' "size$blocks"
    expect_resumes "size$blocks"
done
refused=0
for descriptors in 4 5 6 7 12; do
    run bash -c "ulimit -n $descriptors; exec \"\$0\" train \"\$@\" --quiet" "$l2r" "${task[@]}" --out \
        "files$descriptors"
    case $code in
    0) ;;
    127) continue ;; # the loader itself had too few
    *)
        expect_refusal 'Too many open files' "files$descriptors"
        refused=$((refused + 1))
        ;;
    esac
    expect_resumes "files$descriptors"
done
((refused > 0)) || fail "no limit on descriptors was felt"
# Sanitizers need terabytes of addresses.
if (ulimit -v 600000 && "$l2r" --version >/dev/null 2>&1); then
    refused=0
    for kilobytes in 90000 110000 115000 130000 300000; do
        run bash -c "ulimit -v $kilobytes; exec \"\$0\" train \"\$@\" --quiet" "$l2r" "${task[@]}" --out \
            "memory$kilobytes"
        case $code in
        0) ;;
        127) continue ;;
        *)
            expect_refusal 'out of memory' "memory$kilobytes"
            refused=$((refused + 1))
            ;;
        esac
        expect_resumes "memory$kilobytes"
    done
    for kilobytes in 140000 240000 400000; do # where memory runs out in the middle of a batch
        run bash -c "ulimit -v $kilobytes; exec \"\$0\" train --data motif:train=2000,valid=24,test=24 --epochs 1 \
            --hidden 300 --batch-size 2000 --layers 5 --method l2r --out large --quiet" "$l2r"
        expect_refusal 'out of memory' large
        rm -rf large
        refused=$((refused + 1))
    done
    ((refused > 3)) || fail "no limit on memory was felt"
else
    echo "skipped: limits on memory, which this build cannot run under"
fi

# ---- Where nothing can be written ----
echo text >occupied
run "$l2r" train "${task[@]}" --out occupied/run
expect_refusal 'occupied: cannot create the folder: Not a directory' .
run "$l2r" predict whole --out occupied/p.csv
expect_refusal 'occupied/p.csv: cannot be written: Not a directory' .
if [[ -w /dev/full ]]; then
    run "$l2r" predict whole --out /dev/full
    expect_refusal '/dev/full: cannot be written: No space left on device' .
    ran="l2r predict >/dev/full"
    "$l2r" predict whole >/dev/full 2>err
    code=$?
    expect_refusal 'cannot write to standard output: No space left on device' .
fi

# A disk of its own, in a namespace of its own so that nothing stays mounted. Sizes from too small for the folder to
# almost enough.
mkdir disk
if ! unshare -m true 2>/dev/null || ! unshare -m mount -t tmpfs -o size=64k tmpfs disk 2>/dev/null; then
    echo "skipped: full and read-only disks, which only root can make here"
    finish
fi
cat >on_disk.sh <<'SCRIPT'
l2r=$1 kilobytes=$2
shift 2
mount -t tmpfs -o size="${kilobytes}k" tmpfs disk
"$l2r" train "$@" --out disk/run --quiet >out 2>err
echo $? >code
cp -r disk/run after
SCRIPT
for kilobytes in 4 16 32 48 80; do
    rm -rf after code
    ran="l2r train on a disk of $kilobytes kB"
    unshare -m bash on_disk.sh "$l2r" "$kilobytes" "${task[@]}" 2>/dev/null
    code=$(<code)
    ((code == 0)) && ((kilobytes > 48)) && continue
    expect_refusal 'No space left on device' after
    [[ -d after ]] || mkdir after
    expect_resumes after
done
cat >read_only.sh <<'SCRIPT'
l2r=$1
shift
mount --bind "$PWD/protected" "$PWD/protected" && mount -o remount,ro,bind "$PWD/protected"
"$l2r" train "$@" --resume --out protected >out 2>err
echo $? >code
SCRIPT
ran="l2r train --resume in a read-only folder"
"$l2r" train "${task[@]}" --out protected 2>/dev/null | head -2 >/dev/null # stopped by the pipe, or finished
rm -f protected/result.json
unshare -m bash read_only.sh "$l2r" "${task[@]}" --quiet 2>/dev/null
code=$(<code)
expect_refusal 'Read-only file system' protected
expect_resumes protected
finish
