# SPDX-License-Identifier: MIT
# docs/cli.md is what the program says about itself; after a change:  l2r help --markdown > docs/cli.md
source "$(dirname "$0")/expect.bash"

run "$l2r" help --markdown
expect_code 0
expect_file out <"$source_dir/docs/cli.md"
finish
