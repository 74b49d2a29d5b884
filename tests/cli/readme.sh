# SPDX-License-Identifier: MIT
# The README's commands work as typed: all its `sh` blocks but those that call make, one after the other, in a copy of
# what the README expects around it. Epochs are cut, which changes numbers, not commands.
source "$(dirname "$0")/expect.bash"
build=$(dirname "$l2r")
[[ $(nm -D "$build/libl2r.so" 2>/dev/null) != *__[at]san_init* ]] || { echo "skipped under a sanitizer"; exit 77; }
printf 'smiles\nCCO\n' >one.csv
run "$l2r" data info one.csv
grep -q librdkit-dev err && exit 77

awk '/^```sh$/ {inside = 1; block = ""; next}
     /^```$/ && inside {inside = 0; if (block !~ /^make /) printf "%s", block; next}
     inside {block = block $0 "\n"}' "$source_dir/README.md" >commands.sh
expect_line commands.sh '^l2r train '
sed -Ei 's/--epochs [0-9]+/--epochs 2/' commands.sh
ln -s "$build" build
ln -s "$source_dir/examples" examples
ln -s "$source_dir/include" include
# -Lbuild and $PWD/build lead through the link; the compiled example must not land in the real build folder.
sed -i 's|build/predict|./predict|' commands.sh
run bash -eu commands.sh
expect_code 0
expect_line out '^test accuracy '
expect_line out '^pentanol,'
expect_line out '^graph 2: '
for file in weights.csv compare.html predictions.csv runs/motif/seed-0/explanations/edges.csv; do
    [[ -s $file ]] || fail "$file was not written"
done
finish
