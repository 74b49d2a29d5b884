# SPDX-License-Identifier: MIT
# SIGKILL at random moments while the default committee trains, then --resume: the files of a run that nobody killed.
# tools/kill-committee kills a hundred times.
source "$(dirname "$0")/expect.bash"

printf 'smiles,y\nCCO,1\nCCC,0\n' >probe.csv
run "$l2r" train --data probe.csv --epochs 1 --out probe
grep -q librdkit-dev err && exit 77
mkdir kills
run env L2R="$l2r" WORK="$work/kills" LONGEST=700 SEED=$RANDOM \
    "$source_dir/tools/kill-committee" 5 --epochs 4 --hidden 8
expect_code 0
expect_line out '^killed 5 times, [1-9][0-9]* finished runs? equal to the undisturbed one'
((code == 0)) || cat out err
finish
