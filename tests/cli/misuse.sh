# SPDX-License-Identifier: MIT
# Wrong calls: exit code 2, one sentence on stderr that names the mistake and, where there is one, the nearest right
# word.
source "$(dirname "$0")/expect.bash"

run "$l2r" trian
expect_error 2 "unknown command 'trian'; did you mean 'train'?"
run "$l2r" frobnicate
expect_error 2 "unknown command 'frobnicate'; 'l2r help' lists them"
run "$l2r" data ifno
expect_error 2 "unknown command 'data ifno'; did you mean 'data info'?"
run "$l2r" help trian
expect_error 2 "unknown command 'trian'; did you mean 'train'?"

run "$l2r" train --data "$tiny" --epoch 3
expect_error 2 "unknown option --epoch; did you mean --epochs?"
run "$l2r" train --data "$tiny" --xyzzy=3
expect_error 2 "unknown option --xyzzy; 'l2r train --help all' lists them"
run "$l2r" train -e 3
expect_error 2 "unknown option -e; options begin with two dashes ('l2r train --help all' lists them)"
run "$l2r" train --no-epochs
expect_error 2 "unknown option --no-epochs; did you mean --epochs?"
run "$l2r" eval --no-json=true x
expect_error 2 "--no-json takes no value, but 'true' was given"

run "$l2r" train --data "$tiny" --epochs three
expect_error 2 '--epochs: "three" is not a whole number'
run "$l2r" train --data "$tiny" --epochs=-1
expect_code 2
expect_line err '^l2r: --epochs: -1 is outside '
run "$l2r" eval x --part middle
expect_error 2 '--part: "middle" is not one of train, valid, test, id-valid, id-test or all'
run "$l2r" train --data
expect_code 2
expect_line err '^l2r: --data needs a value: '
run "$l2r" train
expect_error 2 "'l2r train' needs --data: a folder, a zip, a table of SMILES, or a generator such as motif:mu=0.8"
run "$l2r" train --data "$tiny" --model gim
expect_code 2
expect_error 2 "there is no model 'gim'; did you mean 'gin'?"
run "$l2r" train --data "$tiny" --method ermm
expect_code 2
expect_error 2 "there is no method 'ermm'; did you mean 'erm'?"
run "$l2r" train extra --data "$tiny"
expect_error 2 "'extra' is one argument too many: l2r train --data WHERE [--model NAME] [--method NAME] [OPTIONS]"

for list in 1-0:"the range 1-0 runs backwards" 2,2:"seed 2 appears twice" 0-3,2:"seed 2 appears twice" \
    0-5000:"more than 1000 seeds" 99999999999:"a seed is a whole number from 0 to 4294967295"; do
    run "$l2r" train --data "$tiny" --seeds "${list%%:*}"
    expect_error 2 "--seeds ${list%%:*}: ${list#*:}"
done
for list in a 1, ,1 1- -1 1--2 "1 2" ""; do
    run "$l2r" train --data "$tiny" --seeds "$list"
    expect_error 2 "--seeds $list: expected a list such as 0-9 or 0,3,5"
done

# Methods that compare environments need some.
run "$l2r" train --data molecules:graphs=40 --method irm --out none
some='--environments size, scaffold or kmeans makes some'
expect_error 1 "--method irm compares environments, but the training graphs of data set \"molecules\" have none; $some"

# An option of another method or model says whose it is.
run "$l2r" train --data "$tiny" --ess 0.5
expect_error 2 "--ess goes with --method headfit, l2r, oodgnn, stablegnn"
run "$l2r" train --data motif:train=20 --method l2r --pairs all --clusters 8 --out never
expect_error 1 "--clusters has no effect with --pairs all"
run "$l2r" train --data motif:train=20 --method l2r --scope epoch --queues 2 --out never
expect_error 1 "--queues has no effect with --scope epoch"
run "$l2r" train --data motif:train=20 --method dive --edge-budget-weight 3 --out never
expect_error 1 "--edge-budget-weight has no effect with --edge-budget 0"
run "$l2r" train --data "$tiny" --model gin --pool-ratio 0.5
expect_error 2 "--pool-ratio goes with --model sagpool, topkpool"

run "$l2r" eval
expect_code 2
expect_line err "^l2r: 'l2r eval' needs more arguments: l2r eval RUN "
run "$l2r" list model
expect_error 2 "cannot list 'model'; did you mean 'models'?"
run "$l2r" data make motiff --out x
expect_error 2 "unknown generator 'motiff'; did you mean 'motif'?"
run "$l2r" data make motif
expect_error 2 "'l2r data make' needs --out DIR"
run "$l2r" data make motif --mu 2 --out x
expect_error 2 "--mu: 2 is outside 0..1"
run "$l2r" data split "$tiny"
expect_error 2 "'l2r data split' needs --out FILE"
run "$l2r" completion fish
expect_error 2 "no completion for 'fish'; bash is supported"

# Nothing at all, and a family of commands without a member: the overview, on stderr.
run "$l2r"
expect_code 2
expect_line err '^Usage: l2r COMMAND'
run "$l2r" data
expect_code 2
expect_line err '^  data make '
finish
