# SPDX-License-Identifier: MIT
# The bash completion script completes commands, options and choices.
source "$(dirname "$0")/expect.bash"

run "$l2r" completion bash
expect_code 0
source ./out

complete_words() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _l2r
    echo "${COMPREPLY[*]}"
}
ran="completion"
expect_equal "$(complete_words l2r tr)" train
expect_equal "$(complete_words l2r data ma)" make
expect_equal "$(complete_words l2r eval run --pa)" --part
expect_equal "$(complete_words l2r eval run --part v)" valid
expect_equal "$(complete_words l2r train --model gi)" gin
expect_equal "$(complete_words l2r train --epo)" --epochs
expect_equal "$(complete_words l2r data make --wh)" --wheel
expect_equal "$(complete_words l2r data make --out x --no-)" ""
expect_equal "$(complete_words l2r nonsense --x)" ""
finish
