# SPDX-License-Identifier: MIT
# l2r predict on SMILES that are typed and on standard input: rows keep their names, JSON, what is refused.
source "$(dirname "$0")/expect.bash"

{
    echo key,smiles,y
    for i in {1..12}; do printf 'a%d,CCO%s,1\nb%d,c1ccccc1%s,0\n' $i "$(printf 'C%.0s' $(seq $i))" $i \
        "$(printf 'N%.0s' $(seq $((i % 3 + 1))))"; done
} >my.csv
run "$l2r" train --data my.csv --model gin "${small[@]}" --quiet --out mol
grep -q librdkit-dev err && exit 77
expect_code 0

# Typed: the column smiles, one row each; a bad one has a problem and the command succeeds.
run "$l2r" predict mol CCO c1ccccc1 'C(C'
expect_code 0
expect_line err '^3 rows: 2 predicted, 1 with a problem \(the first is number 3: not a valid SMILES\)$'
expect_equal "$(head -1 out)" smiles,class,p,distance,applicability,unseen,problem
expect_line out '^CCO,[01],0\.[0-9]+,[0-9.]+,[0-9.]+,,$'
expect_equal "$(tail -1 out)" 'C(C,,,,,,not a valid SMILES'
# A byte that no SMILES has, visible or not, is a problem and does not end the molecule; a name after it is any text.
run "$l2r" predict mol CCO CCOéN $'CC\u200bO' $'CC\x01' 'CCO café' --json --no-applicability
expect_code 0
expect_equal "$(python3 -c 'import json
for line in open("out"): x = json.loads(line); print(x["p"] is None, (x["problem"] or "").split(")")[0])')" \
    'False 
True byte 4 of the SMILES (0xc3
True byte 3 of the SMILES (0xe2
True byte 3 of the SMILES (0x01
False '
# No molecule at all is a failure, whose rows are there.
printf 'smiles\nC(C\n(\n' >none.csv
run "$l2r" predict mol --data none.csv --out none-pred.csv
expect_code 1
expect_line err 'none.csv: no row was predicted'
expect_equal "$(wc -l <none-pred.csv)" 3
run "$l2r" predict mol CCOéN
expect_code 2
expect_line err 'CCOéN is neither .* byte 4 of the SMILES \(0xc3\)'
run "$l2r" predict mol CCO 'C(C' --on-bad-smiles fail
expect_code 1
expect_line err '^l2r: the command line, SMILES 2: not a valid SMILES \(--on-bad-smiles skip '
run "$l2r" predict mol CCO 'C(C' --json --no-applicability
expect_code 0
expect_equal "$(python3 -c 'import json; print([sorted(json.loads(x)) for x in open("out")][0])')" \
    "['class', 'p', 'problem', 'smiles']"
expect_equal "$(python3 -c 'import json; a, b = map(json.loads, open("out")); print(a["problem"], b["p"])')" \
    "None None"
run "$l2r" predict mol CCO --json --out typed.json
expect_code 0
expect_equal "$(json typed.json 'x["smiles"]')" CCO

# Standard input: what a file gives, gzip too; several chunks of rows.
{
    cat my.csv
    for i in {1..4200}; do echo "c$i,CCO,"; done
} >many.csv
run "$l2r" predict mol --data many.csv
cp out from-file
for door in "-" "--data -"; do
    # shellcheck disable=SC2086
    "$l2r" predict mol $door <many.csv >out 2>err || fail "predict $door"
    cmp out from-file || fail "predict $door differs from the file"
done
gzip -c my.csv | "$l2r" predict mol - --out packed.csv 2>err || fail "gzip on standard input"
cmp <(head -25 from-file) packed.csv || fail "gzip on standard input"
cut -d, -f2 my.csv | "$l2r" fingerprint mol --data - --out z.csv 2>err || fail "fingerprint of standard input"
expect_equal "$(wc -l <z.csv)" 25

# A .smi line is a SMILES and a name, commas and blanks and all.
printf 'CCO ethanol\nCC(O)CO propane-1,2-diol\nCC(=O)O acetic acid\nCCN\nC(C bad one\n' >my.smi
run "$l2r" predict mol --data my.smi --no-applicability
expect_code 0
expect_line err '^no header; columns: smiles,name,class,p,problem$'
expect_equal "$(sed -E 's/[01],0\.[0-9]+/C,P/' out)" 'CCO,ethanol,C,P,
CC(O)CO,"propane-1,2-diol",C,P,
CC(=O)O,acetic acid,C,P,
CCN,,C,P,
C(C,bad one,,,not a valid SMILES'
"$l2r" predict mol - --no-applicability <my.smi >again 2>err
cmp out again || fail ".smi on standard input"
"$l2r" predict mol - --json <my.smi >out 2>err
expect_equal "$(head -2 out | python3 -c 'import json, sys; print([json.loads(x)["name"] for x in sys.stdin])')" \
    "['ethanol', 'propane-1,2-diol']"
run "$l2r" predict mol --part test --json
expect_code 0
expect_equal "$(head -1 out | python3 -c 'import json, sys; x = json.load(sys.stdin); print(list(x)[-6:])')" \
    "['class', 'p', 'distance', 'applicability', 'unseen', 'problem']"

# Nobody reads the predictions: the end of a filter, quietly, also where SIGPIPE was ignored.
cat >unread.py <<'END'
import os, subprocess, sys
for restore in (True, False):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(sys.argv[1:], stdout=writer, stderr=subprocess.PIPE, restore_signals=restore)
    os.close(writer)
    print(done.returncode, done.stderr.decode().count("ipe"))
END
run python3 unread.py "$l2r" predict mol --data many.csv
expect_file out <<END
-13 0
-13 0
END
run python3 unread.py "$l2r" predict mol CCO
expect_file out <<END
-13 0
-13 0
END

# A path that is not UTF-8 can be read; a run, whose options are JSON, refuses it before it makes a folder.
odd=$'caf\xe9.csv'
cp my.csv "$odd"
run "$l2r" predict mol --data "$odd" --no-applicability
expect_code 0
for command in train tune; do
    run "$l2r" $command --data "$odd" --out "odd-$command"
    [[ $code != 0 ]] || fail "$command took a path that is not UTF-8"
    expect_line err 'its byte 4 \(0xe9\) is not UTF-8'
    [[ ! -e odd-$command ]] || fail "$command made a folder"
done

# What cannot be.
run "$l2r" predict mol -
expect_error 1 'standard input is empty; expected a table of molecules, one SMILES a line'
run "$l2r" predict mol CCO -
expect_error 2 '- means standard input and does not go with SMILES that are typed'
run "$l2r" predict mol CCO --data my.csv
expect_error 2 'CCO is no model, and as a molecule it does not go with --data or --part'
run "$l2r" predict mol my.csv
expect_error 2 'my.csv is a table, not a model; use --data my.csv'
run "$l2r" predict mol runs/none
expect_error 2 'runs/none is neither the folder or file of a model nor a molecule: not a valid SMILES'
run "$l2r" eval mol --data -
expect_error 1 'standard input is read once, row by row, which `l2r predict` and `l2r fingerprint` without --part can '\
'do; save it to a file'
run "$l2r" train --data "$tiny" "${small[@]}" --quiet --out motif
run "$l2r" predict motif CCO
expect_error 1 "motif/best.safetensors was not trained on molecules (its data is $tiny), so it cannot predict \
SMILES"
finish
