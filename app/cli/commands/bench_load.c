/* SPDX-License-Identifier: MIT
 *
 * l2r bench load: how long does it take to have a data set in memory? See bench/measure.h.
 */
#include "base/threads.h"
#include "bench/measure.h"
#include "cli/bench.h"
#include "cli/runs.h"
#include "cli/terminal.h"
#include "data/formats/tu/tu.h"
#include "io/file.h"
#include "io/staging.h"

#include <stdio.h>
#include <stdlib.h>

static const struct l2r_option options[] = {{.name = "runs",
                                             .kind = L2R_OPTION_INT,
                                             .fallback = "5",
                                             .min = 1,
                                             .max = 10000,
                                             .group = "Measurement",
                                             .help = "number of times it is read each way"},
                                            {.name = "graphs",
                                             .kind = L2R_OPTION_INT,
                                             .fallback = "2000",
                                             .min = 1,
                                             .max = 1e7,
                                             .help = "without WHERE: molecules to generate"},
                                            CLI_OPTION_THREADS,
                                            CLI_OPTION_JSON,
                                            {0}};

/* Generated molecules in a temporary folder, which the caller removes. */
static enum l2r_status write_molecules(char folder[1024], char data[1100], int64_t graphs, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dataset *made = NULL;
    char where[64];
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, 1024, "%s/l2r-bench-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(folder)) {
        status = l2r_fail(error, L2R_ERR_IO, "%s: cannot create a temporary folder; set TMPDIR to use another folder",
                          folder);
        folder[0] = '\0';
        return status;
    }
    snprintf(data, 1100, "%s/molecules", folder);
    snprintf(where, sizeof where, "molecules:graphs=%lld", (long long)graphs);
    L2R_TRY(l2r_dataset_load(&made, where, false, error));
    L2R_TRY(l2r_tu_write(made, data, error));
done:
    l2r_dataset_free(made);
    return status;
}

static double per_second(double amount, const struct l2r_spread *seconds)
{
    return amount / seconds->median;
}

static json_t *to_json(const struct l2r_load_time *t)
{
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:{s:f, s:f, s:f}, s:{s:f, s:f, s:f}, s:f, s:f, s:f, s:I, s:I}",
                     "data", t->name, "graphs", (json_int_t)t->graphs, "nodes", (json_int_t)t->nodes, "arcs",
                     (json_int_t)t->arcs, "source_bytes", (json_int_t)t->source_bytes, "data_bytes",
                     (json_int_t)t->data_bytes, "seconds", "median", t->read.median, "min", t->read.least, "max",
                     t->read.most, "cached_seconds", "median", t->cached.median, "min", t->cached.least, "max",
                     t->cached.most, "graphs_per_second", per_second((double)t->graphs, &t->read),
                     "source_mb_per_second", per_second(1e-6 * (double)t->source_bytes, &t->read), "data_mb_per_second",
                     per_second(1e-6 * (double)t->data_bytes, &t->read), "memory_before", (json_int_t)t->memory_before,
                     "peak_memory", (json_int_t)t->peak_memory);
}

static void print(const struct l2r_load_time *t)
{
    struct cli_table table;
    const struct {
        const char *name;
        const struct l2r_spread *seconds;
    } ways[] = {{"from its files", &t->read}, {"from the cache", &t->cached}};
    printf("%s: %lld graphs, %lld nodes, %lld arcs; %.1f MB of files, %.1f MB in memory\n", t->name,
           (long long)t->graphs, (long long)t->nodes, (long long)t->arcs, 1e-6 * (double)t->source_bytes,
           1e-6 * (double)t->data_bytes);
    cli_table_init(&table, "lrrrr");
    cli_table_add(&table, "%s", ""), cli_table_add(&table, "seconds"), cli_table_add(&table, "fastest–slowest");
    cli_table_add(&table, "graphs/s"), cli_table_add(&table, "MB/s of memory filled");
    for (int i = 0; i < 2; i++) {
        cli_table_add(&table, "%s", ways[i].name);
        cli_table_add(&table, "%.4f", ways[i].seconds->median);
        cli_table_add(&table, "%.4f–%.4f", ways[i].seconds->least, ways[i].seconds->most);
        cli_table_add(&table, "%.0f", per_second((double)t->graphs, ways[i].seconds));
        cli_table_add(&table, "%.1f", per_second(1e-6 * (double)t->data_bytes, ways[i].seconds));
    }
    cli_table_print(&table, stdout, "  ");
    cli_table_clear(&table);
    printf("peak memory while reading %.1f MB, %.1f MB before\n", 1e-6 * (double)t->peak_memory,
           1e-6 * (double)t->memory_before);
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_load_time time;
    char folder[1024] = "", made[1100];
    const char *where = call->n_arguments > 0 ? call->arguments[0] : made;
    if (call->n_arguments > 0 && !l2r_path_is_dir(where) && !l2r_path_is_file(where))
        return l2r_fail(error, L2R_ERR_IO, "%s: no such file or folder; only reading from files can be timed", where);
    double load = cli_bench_check_load();
    l2r_threads_set((int)l2r_config_int(call->options, "threads"));
    if (call->n_arguments == 0) L2R_TRY(write_molecules(folder, made, l2r_config_int(call->options, "graphs"), error));
    L2R_TRY(l2r_load_measure(&time, where, l2r_config_int(call->options, "runs"), error));
    if (l2r_config_flag(call->options, "json"))
        L2R_TRY(cli_json_print(stdout, cli_bench_result(call->command->name, json_pack("[o]", to_json(&time)), load),
                               error));
    else
        print(&time);
done:
    if (folder[0] != '\0') l2r_remove_tree(folder);
    return status;
}

const struct l2r_command l2r_command_bench_load = {
    .name = "bench load",
    .summary = "time reading a data set",
    .usage = "[WHERE] [--runs N] [--json]",
    .about = "Reads WHERE, a folder or archive, from its own files without the cache, then from a cache file in a "
             "temporary folder. From the first run on, the files are in the page cache. Without WHERE, molecules are "
             "generated and written to a temporary folder in TU layout first.",
    .examples = "l2r bench load ogb/hiv\n"
                "l2r bench load DD.zip --runs 3 --json",
    .section = CLI_SECTION_BENCH,
    .max_arguments = 1,
    .options = {options},
    .run = run,
};
