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

expect_equal "$(ls whole | grep -v '^events' | tr '\n' ' ')" \
    "best.safetensors chosen.safetensors config.json data.json fits.jsonl metrics.jsonl result.json split.json "

# ---- what a finished run left: models and the result are made again, config.json is written again ----
while read -r harm name; do
    rm -rf mixed && cp -r whole mixed
    case $harm in
    foreign) cp "other/$name" "mixed/$name" ;;
    edited) printf 'x' | dd of="mixed/$name" bs=1 seek=1 conv=notrunc status=none ;;
    missing) rm "mixed/$name" ;;
    esac
    run "$l2r" train --resume --out mixed
    expect_code 0
    expect_line err "$name"
    run python3 "$source_dir/tools/compare-runs" whole mixed
    expect_code 0
    expect_file out </dev/null
done <<'E'
foreign chosen.safetensors
missing chosen.safetensors
foreign best.safetensors
edited best.safetensors
missing best.safetensors
edited result.json
missing config.json
missing data.json
edited data.json
missing split.json
E
for name in metrics.jsonl fits.jsonl; do # no other file has what was in them
    rm -rf mixed && cp -r whole mixed && rm "mixed/$name"
    run "$l2r" train --resume --out mixed
    expect_code 0
    expect_line err "$name is missing, or not as the run left it"
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
rm -rf half
"$l2r" train --data my.csv "${options[@]}" --epochs 4000 --checkpoint-seconds 0 --out half >/dev/null 2>&1 &
job=$!
await "$job" test -s half/state/1-gin.safetensors && kill -INT "$job"
wait "$job" || true
for command in predict eval explain fingerprint; do
    run "$l2r" $command half --data my.csv
    expect_code 1
    expect_line err '^l2r: half: the run is not finished'
done
[[ ! -e half/best.safetensors ]] || fail "a run that was stopped leaves a model"

# ---- what is not ours ----
for name in data.json chosen.safetensors state; do
    for way in "" --resume; do
        rm -rf mine && mkdir mine
        [[ $name == *.* ]] && echo precious >mine/$name || { mkdir mine/$name && echo precious >mine/$name/file; }
        run "$l2r" train --data my.csv "${options[@]}" --out mine $way
        expect_code 1
        expect_line err "^l2r: mine/$name (is already there|exists)"
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
        expect_line err "^l2r: mine/$name (is already there|exists)"
        expect_equal "$(cat mine/$name)" "$text"
    done
done
for name in table1.md table1.csv table1.tex results.jsonl; do
    for text in "# precious" '{"a": 1}'; do
        rm -rf mine && mkdir mine && echo "$text" >mine/$name
        run "$l2r" reproduce table1 --quick --out mine
        expect_code 1
        expect_line err "^l2r: mine/$name (is already there|exists)"
        expect_equal "$(cat mine/$name)" "$text"
    done
done

# ---- links ----
for name in state config.json metrics.jsonl chosen.safetensors; do
    rm -rf linked elsewhere && cp -r half linked
    [[ -e linked/$name ]] || cp "whole/$name" "linked/$name"
    mv linked/$name elsewhere && ln -s "$PWD/elsewhere" linked/$name
    cp -r elsewhere before
    run "$l2r" train --resume --out linked
    expect_code 1
    expect_line err "linked/$name"
    diff -r before elsewhere >/dev/null || fail "written through linked/$name"
    rm -r before
done

# ---- a run that an older version began ----
for name in last.safetensors members; do
    rm -rf old && cp -r whole old && rm old/result.json && touch "old/$name"
    run "$l2r" train --resume --out old
    expect_code 1
    expect_line err "^l2r: old/$name .*older version"
done
finish
