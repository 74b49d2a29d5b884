# SPDX-License-Identifier: MIT
# Help: every command explains itself, the overview names every command, and pipes see neither colour nor long lines.
source "$(dirname "$0")/expect.bash"

run "$l2r" --version
expect_code 0
expect_line out '^l2r [0-9]+\.[0-9]+\.[0-9]+$'

run "$l2r" help
expect_code 0
cp out overview
run "$l2r" --help
expect_file out <overview

for file in "$source_dir"/app/cli/commands/*.c; do
    name=$(basename "$file" .c)
    name=${name/_/ }
    grep -q "^  $name  " overview || fail "the overview does not name '$name'"
    run "$l2r" $name --help
    expect_code 0
    expect_line out "^l2r $name: "
    expect_line out "^Usage: l2r $name"
    expect_line out '^Examples$'
    cp out page
    run "$l2r" help $name
    expect_file out <page
    run "$l2r" $name -h
    expect_file out <page
    grep -q $'\033' page && fail "the page of '$name' has escape sequences in a pipe"
    awk -v name="$name" 'length($0) > 115 { print "too long in " name ": " $0; bad = 1 } END { exit bad }' page ||
        fail "long lines in the page of '$name'"
done

# Options of the model and of the generator that was named, not of others.
run "$l2r" help data make motif
expect_line out '^  --mu X '
run "$l2r" train --model gcn --help
expect_code 0
expect_line out '^  --epochs N '

run "$l2r" version --json
expect_code 0
expect_json out
expect_equal "$(json out 'sorted(x)')" \
    "['commit', 'compiler', 'cpu', 'libraries', 'processor', 'threads', 'vector', 'version']"
run "$l2r" version
expect_line out '^oneDNN +[0-9]'

run "$l2r" list
expect_code 0
expect_line out '^  gin  '
expect_line out '^  gcn  '
expect_line out '^  motif  '
expect_line out '^  rocauc  '
run "$l2r" list models --json
expect_json out
expect_equal "$(json out '[m["name"] for m in x["models"] if m["name"] in ("gcn", "gin")]')" "['gcn', 'gin']"
expect_equal "$(json out 'list(x)')" "['models']"
expect_equal \
    "$(json out '[m["name"] for m in x["models"] if not (m["paper"] and m["equation"])]')" \
    "[]"
expect_equal "$(json out '[m["name"] for m in x["models"] if (m["parameters"] or 2000) < 1000]')" \
    "[]"
expect_equal "$(json out '[(m["parameters"], m["options"]) for m in x["models"] if m["name"] == "gin"]')" \
    "[(1885506, ['mlp-factor'])]"
run "$l2r" list models
expect_line out '^  gcn +Graph convolutional network, Kipf and Welling 2017; 528001 parameters$'
expect_line out "^ +h'_v = MLP\(\(1 \+ eps\) h_v"
expect_line out '^ +--mlp-factor N$'
expect_line out '^ +--aggregators .*, --residual by default$'

run "$l2r" help train all
expect_line out '--residual  '
cp out page
run "$l2r" train --help all
expect_file out <page
run "$l2r" train --help
expect_equal "$(grep -c -e '--residual  ' out)" 0
expect_line out '^[0-9]+ more options:  l2r train --help all$'
expect_line out '--epochs N .*default 100'
(($(wc -l <out) < 110)) || fail "the short page has $(wc -l <out) lines"
run "$l2r" train --data my.csv --help
expect_line out '--epochs N .*default 50'
run "$l2r" train --model pna --help
expect_code 0
expect_line out '--\[no-\]residual  '
expect_line out '--aggregators A,B,…'
run "$l2r" train --data motif: --model pna --aggregators mean,median
expect_code 2
expect_line err '--aggregators: "median" is not one of mean, max, min or std; separate several by commas'
finish
