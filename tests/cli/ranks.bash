# SPDX-License-Identifier: MIT
# Sourced after expect.bash by the scripts that start several ranks; ends the script as skipped where that cannot be
# done.
#
#     ranks P command…      the command on P ranks of this machine, however few cores it has, as root too
for need in "$(dirname "$l2r")/modules/l2r_mpi.so" "$(command -v mpirun || echo mpirun)"; do
    [[ -e $need ]] || { echo "skipped: there is no $need (Debian: libopenmpi-dev, openmpi-bin)"; exit 77; }
done
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_plm_rsh_agent=/bin/false
# A sanitizer's dlopen does not know the program's run path.
LD_LIBRARY_PATH=$(dirname "$l2r")/modules${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
# Open MPI keeps memory to the end and unloads its parts before it, so that nobody can tell whose it was; the other
# tests look for leaks of ours.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0

ranks() {
    local n=$1
    shift
    mpirun -n "$n" "$@"
}

# Runs A and B, folders, agree: losses of all epochs and every final number, to 1e-5 relative.
expect_close_runs() {
    python3 - "$1" "$2" <<'PYTHON' || fail "$1 and $2 differ"
import json, sys

def numbers(run):
    for line in open(run + "/metrics.jsonl"):
        epoch = json.loads(line)
        yield f"epoch {epoch['epoch']} loss", epoch["loss"]
        yield f"epoch {epoch['epoch']} valid loss", epoch["valid"]["loss"]
    result = json.load(open(run + "/result.json"))
    yield "best epoch", result["best_epoch"]
    for part, metrics in result["more"].items():
        for name, value in metrics.items():
            if isinstance(value, (int, float)):  # tasks and groups have scores of their own
                yield f"{part} {name}", value

one, other = (list(numbers(run)) for run in sys.argv[1:])
assert len(one) == len(other) > 10, (len(one), len(other))
bad = [(name, a, b) for (name, a), (_, b) in zip(one, other) if not abs(a - b) <= 1e-5 * max(abs(a), abs(b))]
for name, a, b in bad:
    print(f"    {name}: {a} and {b}")
sys.exit(bool(bad))
PYTHON
}

# The bodies of two safetensors files are the same bytes.
expect_same_tensors() {
    python3 - "$1" "$2" <<'PYTHON' || fail "$1 and $2 are not the same bits"
import sys
bodies = []
for path in sys.argv[1:]:
    data = open(path, "rb").read()
    bodies.append(data[8 + int.from_bytes(data[:8], "little"):])
sys.exit(bodies[0] != bodies[1])
PYTHON
}
