/* SPDX-License-Identifier: MIT
 *
 * l2r bench infer: how fast does a network score graphs? The path of `l2r predict`, with untrained parameters.
 */
#include "cli/bench.h"

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    return cli_bench_passes(call, l2r_passes_infer, "of the median pass over all graphs", error);
}

const struct l2r_command l2r_command_bench_infer = {
    .name = "bench infer",
    .summary = "time prediction",
    .usage = "[WORKLOAD] [--data WHERE] [--graphs N] [--json] [OPTIONS OF l2r train]",
    .about =
        "Times whole passes over the graphs as 'l2r predict' makes them: batches of --eval-batch-size graphs, forward "
        "without dropout. The network is not trained. --epochs sets the number of timed passes (default 5).",
    .examples = "l2r bench infer gcn-5x300\n"
                "l2r bench infer --data ogb/hiv --graphs 4096 --json",
    .section = CLI_SECTION_BENCH,
    .max_arguments = 1,
    .options = {cli_bench_pass_options, cli_bench_options},
    .declare = cli_bench_declare,
    .run = run,
};
