/* SPDX-License-Identifier: MIT
 *
 * A subcommand to copy: `l2r data degrees WHERE` counts the nodes of every degree.
 *
 *     $ l2r data degrees motif --top 3
 *     degree  nodes   share
 *     2       28105  0.5204
 *     …
 *
 * As app/cli/commands/data_degrees.c it stands in `l2r help`, has a help page, a section of docs/cli.md and shell
 * completion: all four are made from the struct at the end. An underscore in the file's name is the blank of a command
 * of two words. docs/adding.md says what else can be added.
 */
#include "base/memory.h"
#include "cli/command.h"
#include "data/dataset.h"
#include "data/reader.h"

#include <stdio.h>

static const struct l2r_option options[] = {{.name = "top",
                                             .kind = L2R_OPTION_INT,
                                             .fallback = "0",
                                             .max = 1000000,
                                             .group = "Output",
                                             .help = "only the first N degrees that occur; 0: all"},
                                            {0}};

static int64_t degree_of(const struct l2r_dataset *data, int64_t node)
{
    return data->arc_start[node + 1] - data->arc_start[node];
}

static void print_counts(const int64_t *count, int64_t n, int64_t n_nodes, int64_t most)
{
    printf("degree  nodes   share\n");
    for (int64_t d = 0, shown = 0; d < n && (most == 0 || shown < most); d++) {
        if (count[d] == 0) continue;
        printf("%-6lld %6lld  %.4f\n", (long long)d, (long long)count[d], (double)count[d] / (double)n_nodes);
        shown++;
    }
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dataset *data = NULL;
    int64_t *count = NULL, highest = 0;
    L2R_TRY(l2r_dataset_load_with(&data, call->arguments[0], call->options, true, error));
    for (int64_t v = 0; v < data->n_nodes; v++)
        if (degree_of(data, v) > highest) highest = degree_of(data, v);
    count = l2r_alloc((size_t)highest + 1, sizeof *count);
    if (!count) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: counts of %lld degrees", (long long)highest + 1);
    for (int64_t v = 0; v < data->n_nodes; v++) count[degree_of(data, v)]++;
    print_counts(count, highest + 1, data->n_nodes, l2r_config_int(call->options, "top"));
done:
    l2r_free(count);
    l2r_dataset_free(data);
    return status;
}

const struct l2r_command l2r_command_data_degrees = {
    .name = "data degrees",
    .summary = "count the nodes of every degree",
    .usage = "WHERE [OPTIONS]",
    .examples = "l2r data degrees motif:mu=0.9 --top 5",
    .section = CLI_SECTION_DATA,
    .min_arguments = 1,
    .max_arguments = 1,
    .options = {options, l2r_data_options},
    .run = run,
};
