# SPDX-License-Identifier: MIT
# The files of a run of several models: foreign, edited and missing ones are found, nothing that l2r has not written is
# overwritten or appended to, and no link is followed.
source "$(dirname "$0")/expect.bash"

write_molecules my.csv 5 80 y 'int(smiles.count("O") > 1)'
options=(--members "gin,forest,mlp:features=descriptors" --refit --split random --epochs 4 --hidden 8 --layers 2
    --quiet)
run "$l2r" train --data my.csv "${options[@]}" --out whole
grep -q librdkit-dev err && exit 77
expect_code 0
run "$l2r" train --data my.csv "${options[@]}" --seed 7 --out other
expect_code 0
sed 's/,1$/,0/;t;s/,0$/,1/' my.csv >turned.csv
run "$l2r" train --data turned.csv "${options[@]}" --out turned
expect_code 0

# ---- what a finished run left ----
while read -r harm name; do
    rm -rf mixed && cp -r whole mixed
    case $harm in
    foreign) cp "other/$name" "mixed/$name" ;;
    edited) printf 'x' | dd of="mixed/$name" bs=1 seek=1 conv=notrunc status=none ;;
    missing) rm "mixed/$name" ;;
    esac
    run "$l2r" train --resume --out mixed
    expect_code 0
    expect_line err "mixed/$name: is missing, or not as the run left it"
    run python3 "$source_dir/tools/compare-runs" whole mixed
    expect_code 0
    expect_file out </dev/null
done <<'E'
foreign chosen.safetensors
missing chosen.safetensors
edited data.json
missing data.json
foreign refit/best.safetensors
edited refit/result.json
foreign members/2-forest/best.safetensors
missing members/2-forest/chosen.safetensors
edited members/3-mlp/result.json
missing members/3-mlp/refit/best.safetensors
E

# Whole runs of others in the place of its own.
for part in refit members/2-forest; do
    rm -rf mixed && cp -r whole mixed && rm -r mixed/result.json "mixed/$part" && cp -r "turned/$part" "mixed/$part"
    run "$l2r" train --resume --out mixed
    expect_code 1
    expect_line err "^l2r: mixed/$part holds a run on (data|a split) other than here"
done

# Readers notice, too.
rm -rf mixed && cp -r whole mixed && cp other/chosen.safetensors mixed
for command in "eval mixed --part valid" "predict mixed/chosen.safetensors --data my.csv"; do
    # shellcheck disable=SC2086
    run "$l2r" $command
    expect_code 1
    expect_line err 'mixed/chosen.safetensors: is not the model that validation chose'
done

# ---- no model before all is done ----
rm -rf half && cp -r whole half && rm half/best.safetensors half/result.json
for command in predict eval explain fingerprint; do
    run "$l2r" $command half --data my.csv
    expect_code 1
    expect_line err '^l2r: half: the run is not finished: 4 of .*4 epochs'
done
rm -rf half/members/3-mlp half/refit && echo blocked >half/members/3-mlp
run "$l2r" train --resume --out half
expect_code 1
[[ ! -e half/best.safetensors ]] || fail "a resume that failed leaves a model"
rm half/members/3-mlp
run "$l2r" train --resume --out half
expect_code 0
cmp whole/best.safetensors half/best.safetensors || fail "a resumed committee differs"

# ---- what is not ours ----
for name in data.json chosen.safetensors members refit; do
    for way in "" --resume; do
        rm -rf mine && mkdir mine
        [[ $name == *.* ]] && echo precious >mine/$name || { mkdir mine/$name && echo precious >mine/$name/file; }
        run "$l2r" train --data my.csv "${options[@]}" --out mine $way
        expect_code 1
        expect_line err "^l2r: mine/$name is already there"
        expect_equal "$(cat mine/$name 2>/dev/null || cat mine/$name/file)" precious
        expect_equal "$(ls mine)" "$name"
    done
done
tune=(tune --data "$tiny" --methods erm --trials 1 --epochs 1 --hidden 8 --layers 2 --space lr=1e-3..1e-2)
for name in tune.json trials.jsonl; do
    for text in precious '{"a": 1}'; do
        rm -rf mine && mkdir mine && echo "$text" >mine/$name
        run "$l2r" "${tune[@]}" --out mine
        expect_code 1
        expect_line err "^l2r: mine/$name is already there"
        expect_equal "$(cat mine/$name)" "$text"
    done
done
for name in table1.md table1.csv table1.tex results.jsonl; do
    for text in "# precious" '{"a": 1}'; do
        rm -rf mine && mkdir mine && echo "$text" >mine/$name
        run "$l2r" reproduce table1 --quick --out mine
        expect_code 1
        expect_line err "^l2r: mine/$name is already there"
        expect_equal "$(cat mine/$name)" "$text"
    done
done

# ---- links ----
for name in members refit members/2-forest members/2-forest/refit refit/result.json members/3-mlp/last.safetensors; do
    rm -rf linked elsewhere && cp -r whole linked && rm linked/result.json linked/members/*/result.json
    mv linked/$name elsewhere && ln -s "$PWD/elsewhere" linked/$name
    cp -r elsewhere before
    run "$l2r" train --resume --out linked
    expect_code 1
    expect_line err "linked/$name"
    diff -r before elsewhere >/dev/null || fail "written through linked/$name"
    rm -r before
done
finish
