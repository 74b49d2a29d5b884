# SPDX-License-Identifier: MIT
# Sourced by the scripts of this folder:  source "$(dirname "$0")/expect.bash"
#
# $l2r is the program, the working directory a fresh folder in TMPDIR that is removed at the end, with the jobs that a
# failure has left behind; programs put their temporary files there, too. `run` keeps what a command did in $code, out
# and err; the expect functions compare and count, so that one script reports every difference; `finish` ends it. Scripts
# wait for events, by `await` and `signal_after`, never for times.
set -u
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
l2r=$(realpath "$1")
export SEAL=${l2r%/*}/tests/seal # makes the checksums of an edited model file right again
MEMBER=${l2r%/*}/tests/member    # MODEL K OUT: member K of a committee, from 1, as a model of its own
work=$(mktemp -d)
trap 'clean_up' EXIT
cd "$work" || exit 1
export XDG_CACHE_HOME=$work/cache TMPDIR=$work LC_ALL=C.UTF-8
unset NO_COLOR COLUMNS
failures=0
# A task that trains in a moment.
tiny=motif:train=48,valid=24,test=24,seed=3
small=(--epochs 2 --hidden 8 --layers 2)

clean_up() {
    local jobs
    jobs=$(jobs -p)
    [[ -z $jobs ]] || { kill -KILL $jobs; wait; } 2>/dev/null
    rm -rf "$work"
}

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

run() {
    ran="$*"
    "$@" >out 2>err </dev/null
    code=$?
}

# await PID command…: until the command, a test of files for example, succeeds. It is a failure if the job ends before,
# or if that takes two minutes. It starts no process while it waits: on a busy machine that takes longer than a small run.
await() {
    local pid=$1 polls=0 never
    shift
    exec {never}<> <(:) # a pipe that nobody writes to
    until "$@" 2>/dev/null; do
        if ! kill -0 "$pid" 2>/dev/null; then
            "$@" 2>/dev/null && break
            fail "'$ran' ended before: $*"
            return 1
        elif ((++polls > 6000)); then
            fail "'$ran': two minutes without: $*"
            return 1
        fi
        read -rt 0.02 -u "$never"
    done
    exec {never}<&-
}

# signal_after SIGNAL N PATTERN command…: as `run`; the signal is sent when the command has printed N lines that match.
signal_after() {
    run python3 "$source_dir/tests/support/signal_after.py" "$@"
}

# killed_run FOLDER command…: kills it when it has saved a checkpoint and not ended yet.
killed_run() {
    local folder=$1 tries=0 pid
    shift
    while ((tries++ < 50)); do
        rm -rf "$folder"
        "$@" --out "$folder" >/dev/null 2>&1 &
        pid=$!
        while kill -0 $pid 2>/dev/null && [[ ! -e $folder/state ]]; do :; done
        while kill -0 $pid 2>/dev/null && [[ -z $(ls "$folder/state" 2>/dev/null) ]]; do :; done
        kill -KILL $pid 2>/dev/null
        wait $pid 2>/dev/null
        [[ ! -e $folder/result.json && -e $folder/state ]] && return
    done
    fail "'$*' was never killed between its first checkpoint and its end"
}

# Has the file N lines or more? For await.
has_lines() {
    local lines
    mapfile -t lines <"$1" && ((${#lines[@]} >= $2))
}

expect_code() {
    [[ $code == "$1" ]] || { fail "'$ran' ended with $code instead of $1"; sed 's/^/    /' err; }
}

# The file is exactly what stands on standard input.
expect_file() {
    diff -u --label expected --label "$1 of '$ran'" - "$1" || fail "$1 of '$ran'"
}

# The file has a line that matches the (extended) pattern.
expect_line() {
    grep -Eq -- "$2" "$1" || { fail "'$ran': no line in $1 matches: $2"; head -20 "$1" | sed 's/^/    /'; }
}

# Of member K of a model file, from 0, as x: member_field FILE K EXPRESSION
member_field() {
    python3 - "$@" <<'P'
import json, sys
content = open(sys.argv[1], "rb").read()
header = json.loads(content[8:8 + int.from_bytes(content[:8], "little")])
x = json.loads(header["__metadata__"]["members"])[int(sys.argv[2])]
print(eval(sys.argv[3]))
P
}

# Does the file hold a message like this sentence? It must have the sentence's keys (options, paths, numbers, quoted
# names, capitals) and half of its words of five letters or more, so that wording can change without its tests;
# tests/support/messages.h is the same in C.
has_message() {
    local text word bare words=0 found=0 mark="[][\"'\`(),;:.{}!?]"
    text=$(<"$1")
    for word in $2; do
        bare=$word
        while [[ $bare == $mark* ]]; do bare=${bare:1}; done
        while [[ $bare == *$mark ]]; do bare=${bare%?}; done
        [[ -n $bare ]] || continue
        if [[ $word == *[\"\'\`0-9/_=\<\>\|]* || $bare == --* || ${bare:1} == *[A-Z]* ]]; then
            [[ $text == *"$bare"* ]] || return 1
        elif ((${#bare} >= 5)); then
            words=$((words + 1))
            [[ ${text,,} != *"${bare,,}"* ]] || found=$((found + 1))
        fi
    done
    ((2 * found >= words))
}

# Misuse or failure: code, one message like this sentence on stderr, nothing on stdout.
expect_error() {
    local lines
    expect_code "$1"
    mapfile -t lines <err
    set -f
    [[ ${lines[0]-} == "l2r: "* ]] && has_message err "$2" || {
        fail "'$ran': this is not like: $2"
        sed 's/^/    /' err
    }
    set +f
    expect_file out </dev/null
}

# How a refusal for want of a label column ends.
label_columns_hint='labels are looked up under the column names that the model was trained with; --target-columns names others'

expect_json() {
    python3 -m json.tool "$1" >/dev/null || fail "$1 of '$ran' is not JSON"
}

# A value out of a JSON file: json FILE 'x["metrics"]["rocauc"]'
json() {
    python3 -c 'import json, sys; x = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}

expect_equal() {
    [[ $1 == "$2" ]] || fail "'$ran': '$1' is not '$2'"
}

# write_molecules FILE SEED N COLUMN EXPRESSION: a table of made-up molecules; the expression makes a label of `smiles`.
write_molecules() {
    python3 - "$@" <<'P'
import random, sys
path, seed, n, column, expression = sys.argv[1:]
random.seed(int(seed))
parts = ["C", "CC", "CO", "CN", "C(=O)O", "c1ccccc1", "C1CCCCC1", "S", "OC"]
with open(path, "w") as file:
    print(f"smiles,{column}", file=file)
    for _ in range(int(n)):
        smiles = "".join(random.choice(parts) for _ in range(random.randint(2, 5)))
        print(f"{smiles},{eval(expression)}", file=file)
P
}

finish() {
    ((failures == 0)) && echo "all as expected"
    exit $((failures > 0))
}
