/* SPDX-License-Identifier: MIT
 *
 * l2r bench export: the graphs of a workload as a folder, for the measurements of other programs.
 */
#include "cli/bench.h"

#include <stdio.h>

static const struct l2r_option options[] = {
    {.name = "out", .kind = L2R_OPTION_TEXT, .value = "DIR", .group = "Output", .help = "folder to create"},
    {.name = "data",
     .kind = L2R_OPTION_TEXT,
     .value = "WHERE",
     .help = "take the graphs from here instead of the workload's generator"},
    {.name = "graphs",
     .kind = L2R_OPTION_INT,
     .fallback = "0",
     .min = 0,
     .max = 1e9,
     .help = "the first N graphs; 0: all of --data, or as many as the workload has"},
    CLI_OPTION_CACHE,
    {0}};

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_workload_data load = {0};
    const struct l2r_workload *workload;
    const char *out = l2r_config_text(call->options, "out");
    L2R_TRY(cli_bench_workload(&workload, call, error));
    if (out == NULL) return cli_misuse(call, error, "'l2r bench export' needs --out DIR");
    L2R_TRY(l2r_workload_load(&load, workload, l2r_config_text(call->options, "data"),
                              l2r_config_int(call->options, "graphs"), l2r_config_flag(call->options, "cache"), error));
    L2R_TRY(l2r_workload_export(&load, out, error));
    printf("%s: %lld graphs, %lld nodes, %lld arcs\n", out, (long long)load.data.n_graphs, (long long)load.data.n_nodes,
           (long long)load.data.n_arcs);
done:
    l2r_workload_data_clear(&load);
    return status;
}

const struct l2r_command l2r_command_bench_export = {
    .name = "bench export",
    .summary = "write the graphs of a workload to a folder",
    .usage = "WORKLOAD --out DIR [--data WHERE] [--graphs N]",
    .about =
        "Writes TU layout and data.json, which holds the vocabularies and the task: all that another program needs "
        "to run the same network on the same graphs.",
    .examples = "l2r bench export gin-5x300 --out molecules",
    .section = CLI_SECTION_BENCH,
    .min_arguments = 1,
    .max_arguments = 1,
    .options = {options},
    .run = run,
};
