/* SPDX-License-Identifier: MIT
 *
 * l2r bench train: how fast does training run? Whole epochs of the workloads of bench/workload.h.
 */
#include "cli/bench.h"

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    return cli_bench_passes(call, l2r_passes_train, "of the median epoch", error);
}

const struct l2r_command l2r_command_bench_train = {
    .name = "bench train",
    .summary = "time training",
    .usage = "[WORKLOAD] [--data WHERE] [--graphs N] [--json] [OPTIONS OF l2r train]",
    .about = "Times whole epochs: shuffling, batching, forward with dropout, backward, optimiser; no scoring and no "
             "checkpoints. Without WORKLOAD all of them are run; 'l2r list workloads' shows them. Every option of 'l2r "
             "train' changes the workload: --epochs sets the number of timed epochs (default 5). Graphs are generated "
             "unless --data names others.",
    .examples = "l2r bench train gin-5x300\n"
                "l2r bench train gin-5x300 --data ogb/hiv --batch-size 256 --json\n"
                "l2r bench train gin-3x128 --method l2r --threads 1",
    .section = CLI_SECTION_BENCH,
    .max_arguments = 1,
    .options = {cli_bench_pass_options, cli_bench_options},
    .declare = cli_bench_declare,
    .run = run,
};
