# SPDX-License-Identifier: MIT
# Sourced after expect.bash by scripts that need `l2r serve`:
#     start_server MODEL… OPTIONS…      $url is its address without the slash, $pid the process
#     stop_server                       expects that it ends well
start_server() {
    ran="l2r serve $*"
    : >served
    "$l2r" serve "$@" --port 0 >served 2>serve.err &
    pid=$!
    await "$pid" has_lines served 1
    url=$(grep -o 'http://[^ ]*' served)
    token=${url#*token=}
    url=${url%%/\?*}
    url=${url%/}
}

stop_server() {
    kill -TERM "$pid"
    wait "$pid"
    code=$?
    [[ $code == 0 ]] || { fail "'$ran' ended with $code"; sed 's/^/    /' serve.err; }
}

# Two small tables, of values and of classes, in values.csv and classes.csv.
molecule_tables() {
    python3 - <<'P'
import random
random.seed(1)
parts = ["C", "CC", "CO", "CN", "C(=O)O", "c1ccccc1", "C1CCCCC1", "C(F)(F)F", "S", "OC"]
with open("values.csv", "w") as f, open("classes.csv", "w") as g:
    print("smiles,logS (mol/L)", file=f)
    print("smiles,active", file=g)
    for i in range(120):
        smiles = "".join(random.choice(parts) for _ in range(random.randint(2, 5)))
        print(f"{smiles},{len(smiles) / 3 - smiles.count('O'):.3f}", file=f)
        print(f"{smiles},{int(smiles.count('c1') > 1)}", file=g)
P
}
