/* SPDX-License-Identifier: MIT
 *
 * l2r bench reweight: how long does one set of sample weights take? See bench/measure.h for what is timed.
 */
#include "base/json.h"
#include "base/threads.h"
#include "bench/measure.h"
#include "cli/bench.h"
#include "cli/runs.h"
#include "cli/terminal.h"

#include <stdio.h>

static const struct l2r_option options[] = {
    {.name = "rows",
     .kind = L2R_OPTION_INT,
     .value = "R",
     .fallback = "0",
     .min = 0,
     .max = 100000,
     .group = "Measurement",
     .help = "graphs weighted together; 0: 256 and 1024"},
    {.name = "width",
     .kind = L2R_OPTION_INT,
     .value = "D",
     .fallback = "0",
     .min = 0,
     .max = 100000,
     .help = "variables per graph; 0: 128 and 300"},
    {.name = "clusters",
     .kind = L2R_OPTION_INT,
     .value = "C",
     .fallback = "-1",
     .min = -1,
     .max = 100000,
     .help = "clusters of variables; 0: all pairs; -1: all pairs, 4 and 16"},
    {.name = "runs", .kind = L2R_OPTION_INT, .fallback = "7", .min = 1, .max = 10000, .help = "number of timed runs"},
    CLI_OPTION_THREADS,
    CLI_OPTION_JSON,
    {0}};

static json_t *spread_to_json(const struct l2r_spread *s)
{
    return json_pack("{s:f, s:f, s:f}", "median", s->median, "min", s->least, "max", s->most);
}

static void print_time(struct cli_table *table, const struct l2r_reweight_shape *shape,
                       const struct l2r_reweight_time *time)
{
    cli_table_add(table, "%lld", (long long)shape->rows);
    cli_table_add(table, "%lld", (long long)shape->width);
    cli_table_add(table, shape->clusters > 0 ? "%lld clusters" : "all", (long long)shape->clusters);
    cli_table_add(table, "%.2f", 1e3 * time->seconds.median);
    cli_table_add(table, "%.2f–%.2f", 1e3 * time->seconds.least, 1e3 * time->seconds.most);
    cli_table_add(table, "%.2f", 1e3 * time->processor_seconds.median);
    cli_table_add(table, "%.3f", time->left);
}

static enum l2r_status measure(json_t *list, struct cli_table *table, const struct l2r_reweight_shape *shape,
                               int64_t runs, struct l2r_error *error)
{
    struct l2r_reweight_time time;
    enum l2r_status status = l2r_reweight_measure(&time, shape, runs, error);
    if (status != L2R_OK) return status;
    print_time(table, shape, &time);
    json_array_append_new(list, json_pack("{s:I, s:I, s:I, s:o, s:o, s:f}", "rows", (json_int_t)shape->rows, "width",
                                          (json_int_t)shape->width, "clusters", (json_int_t)shape->clusters, "seconds",
                                          spread_to_json(&time.seconds), "cpu_seconds",
                                          spread_to_json(&time.processor_seconds), "dependence_left", time.left));
    return L2R_OK;
}

/* The value typed, or a list of usual ones. */
static int choices(int64_t out[3], int64_t typed, int64_t otherwise, const int64_t *usual, int n)
{
    if (typed != otherwise) out[0] = typed;
    for (int i = 0; typed == otherwise && i < n; i++) out[i] = usual[i];
    return typed != otherwise ? 1 : n;
}

static enum l2r_status measure_all(json_t *list, struct cli_table *table, const struct l2r_config *typed,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t rows[3], widths[3], clusters[3];
    int n_rows = choices(rows, l2r_config_int(typed, "rows"), 0, (const int64_t[]){256, 1024}, 2);
    int n_widths = choices(widths, l2r_config_int(typed, "width"), 0, (const int64_t[]){128, 300}, 2);
    int n_clusters = choices(clusters, l2r_config_int(typed, "clusters"), -1, (const int64_t[]){0, 4, 16}, 3);
    for (int i = 0; i < n_rows; i++)
        for (int j = 0; j < n_widths; j++)
            for (int k = 0; k < n_clusters; k++) {
                struct l2r_reweight_shape shape = {rows[i], widths[j], clusters[k]};
                if (n_clusters > 1 && shape.clusters > shape.width)
                    continue; /* only a typed number is worth an error */
                if (shape.rows < 2 || shape.width < 2)
                    L2R_FAIL(L2R_ERR_ARGUMENT,
                             "--rows and --width must be at least 2: weights need something to compare");
                L2R_TRY(measure(list, table, &shape, l2r_config_int(typed, "runs"), error));
            }
done:
    return status;
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    static const char *const head[] = {"rows",         "width",          "pairs", "ms", "fastest–slowest",
                                       "processor ms", "dependence left"};
    enum l2r_status status = L2R_OK;
    struct cli_table table;
    json_t *list = json_array();
    cli_table_init(&table, "rrlrrrr");
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) cli_table_add(&table, "%s", head[i]);
    double load = cli_bench_check_load();
    l2r_threads_set((int)l2r_config_int(call->options, "threads"));
    status = measure_all(list, &table, call->options, error);
    if (status == L2R_ERR_ARGUMENT) call->misuse = true;
    if (status != L2R_OK) goto done;
    if (l2r_config_flag(call->options, "json"))
        L2R_TRY(cli_json_print(stdout, cli_bench_result(call->command->name, json_incref(list), load), error));
    else
        cli_table_print(&table, stdout, "");
done:
    cli_table_clear(&table);
    json_decref(list);
    return status;
}

const struct l2r_command l2r_command_bench_reweight = {
    .name = "bench reweight",
    .summary = "time one set of learned sample weights",
    .usage = "[--rows R] [--width D] [--clusters C] [--json]",
    .about = "Times what training does for a mini-batch with its queues: standardise Z, draw 5 random features of each "
             "variable, prepare the dependence, 20 steps of Adam on the weights, the dependence before and after. The "
             "last column is the share of the dependence that remains.",
    .examples = "l2r bench reweight\n"
                "l2r bench reweight --rows 1024 --width 300 --clusters 0 --threads 1 --json",
    .section = CLI_SECTION_BENCH,
    .options = {options},
    .run = run,
};
