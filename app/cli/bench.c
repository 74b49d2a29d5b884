/* SPDX-License-Identifier: MIT
 *
 * See bench.h. Medians are shown with the slowest and the fastest pass, and a busy machine is reported: a number
 * without its spread cannot be compared.
 */
#include "cli/bench.h"

#include "base/threads.h"
#include "cli/command.h"
#include "cli/runs.h"
#include "cli/terminal.h"
#include "methods/method.h"
#include "train/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double busy = 0.5; /* load average above which other programs are at work */

const struct l2r_option cli_bench_options[] = {
    {.name = "graphs",
     .kind = L2R_OPTION_INT,
     .fallback = "0",
     .min = 0,
     .max = 1e9,
     .group = "Measurement",
     .help = "the first N graphs; 0: all of --data, or as many as the workload has"},
    CLI_OPTION_THREADS,
    CLI_OPTION_JSON,
    {0}};

const struct l2r_option cli_bench_pass_options[] = {{.name = "warm-up",
                                                     .kind = L2R_OPTION_INT,
                                                     .fallback = "1",
                                                     .min = 0,
                                                     .max = 1e6,
                                                     .group = "Measurement",
                                                     .help = "warm-up passes, which are not counted"},
                                                    {0}};

static bool asks_for_help_only(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--help") != 0 && strcmp(argv[i], "-h") != 0) return false;
    return true;
}

enum l2r_status cli_bench_declare(struct cli_call *call, int argc, char **argv, struct l2r_error *error)
{
    const struct l2r_workload *workload = NULL;
    const char *method = cli_arguments_peek(argc, argv, "method", L2R_OPTION_TEXT);
    if (asks_for_help_only(argc, argv)) return L2R_OK;
    for (int i = 0; i < argc && workload == NULL; i++) workload = l2r_workload_find(argv[i]);
    if (workload == NULL) workload = &l2r_workloads[0]; /* a model without options of its own */
    enum l2r_status status =
        l2r_workload_configure(call->subject, workload, method != NULL ? method : "erm", NULL, error);
    if (status == L2R_ERR_ARGUMENT) call->misuse = true;
    return status;
}

enum l2r_status cli_bench_workload(const struct l2r_workload **workload, struct cli_call *call, struct l2r_error *error)
{
    *workload = NULL;
    if (call->n_arguments == 0) return L2R_OK;
    const char *name = call->arguments[0];
    struct cli_nearest nearest = {.word = name};
    *workload = l2r_workload_find(name);
    if (*workload != NULL) return L2R_OK;
    for (const struct l2r_workload *w = l2r_workloads; w->name != NULL; w++) cli_nearest_try(&nearest, w->name);
    if (nearest.best != NULL)
        return cli_misuse(call, error, "there is no workload '%s'; did you mean '%s'?", name, nearest.best);
    return cli_misuse(call, error, "there is no workload '%s'; 'l2r list workloads' shows them", name);
}

double cli_bench_check_load(void)
{
    double load = l2r_load_average();
    if (load > busy)
        fprintf(stderr,
                "l2r: the machine is busy (load %.2f): elapsed times cannot be compared now, processor times only "
                "roughly\n",
                load);
    return load;
}

json_t *cli_bench_result(const char *what, json_t *measurements, double load)
{
    return json_pack("{s:s, s:s, s:s, s:i, s:s, s:f, s:f, s:o}", "program", "l2r", "version", l2r_version(), "measured",
                     what, "threads", l2r_threads_get(), "vector", l2r_vector_width(), "load_before", load,
                     "load_after", l2r_load_average(), "measurements", measurements);
}

static void add_row(struct cli_table *table, const char *name, const char *value, const char *meaning)
{
    cli_table_add(table, "%s", name);
    cli_table_add(table, "%s", value);
    cli_table_add(table, "%s", meaning);
}

#define ROW(NAME, MEANING, ...)                                                                                        \
    do {                                                                                                               \
        char value[96];                                                                                                \
        snprintf(value, sizeof value, __VA_ARGS__);                                                                    \
        add_row(&table, NAME, value, MEANING);                                                                         \
    } while (0)

static void print_passes(const struct l2r_workload *w, const struct l2r_workload_data *load, const struct l2r_passes *p,
                         const char *pass)
{
    struct cli_table table;
    struct l2r_spread speed = l2r_passes_speed(p);
    const double mb = 1e-6;
    printf("%s%s%s: %s\n%s: %lld graphs, %lld nodes, %lld arcs; batches of %lld; %lld parameters; %d threads\n",
           cli_bold(stdout), w->name, cli_plain(stdout), w->title, load->data.name, (long long)p->graphs,
           (long long)p->nodes, (long long)p->arcs, (long long)p->batch_size, (long long)p->parameters, p->threads);
    cli_table_init(&table, "lrl");
    table.no_heading = true;
    ROW("graphs/s", "median, slowest and fastest pass", "%.0f (%.0f–%.0f)", speed.median, speed.least, speed.most);
    ROW("seconds", pass, "%.4f", (double)p->graphs / speed.median);
    ROW("processor seconds", "the same over all threads", "%.4f", p->processor_seconds);
    ROW("GFLOP/s", "matrix products as the plain algorithm does them, counted from the shapes", "%.1f",
        1e-9 * l2r_passes_rate(p));
    ROW("products alone", "GFLOP/s of the same shapes through the library, right before and after", "%.1f, %.1f",
        1e-9 * p->peak_before, 1e-9 * p->peak_after);
    ROW("share", "of the products alone", "%.1f %%", 100 * l2r_passes_share(p));
    if (p->tape_bytes > 0)
        ROW("on the tape", "values and gradients of a batch; each is written once and read at least once", "%.1f MB",
            mb * p->tape_bytes);
    ROW("a batch", "the largest, with its graphs and scratch", "%.1f MB", mb * (double)p->batch_bytes);
    ROW("peak memory", "resident, of the whole program", "%.1f MB", mb * (double)p->peak_memory);
    ROW("vectors", "width of the loops, and of the products where theirs is another", "%s", l2r_vector_width());
    if (!isnan(p->loss)) ROW("loss", "mean of the last epoch", "%.4f", p->loss);
    cli_table_print(&table, stdout, "  ");
    cli_table_clear(&table);
}

static enum l2r_status measure_one(json_t *list, struct cli_call *call, const struct l2r_workload *w,
                                   cli_bench_fn *measure, const char *pass, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *config = NULL;
    struct l2r_workload_data load = {0};
    struct l2r_passes passes;
    l2r_peak_memory_reset(); /* each workload has its own */
    L2R_TRY(l2r_config_new(&config, error));
    L2R_TRY(l2r_workload_configure(config, w, l2r_config_text(call->subject, "method"), call->subject, error));
    L2R_TRY(l2r_workload_load(&load, w, l2r_config_text(config, "data"), l2r_config_int(call->options, "graphs"),
                              l2r_config_flag(config, "cache"), error));
    L2R_TRY(measure(&passes, config, &load, l2r_config_int(call->options, "warm-up"), error));
    json_t *row = json_pack("{s:s, s:s}", "workload", w->name, "data", load.data.name), *rest;
    if (row == NULL || (rest = l2r_passes_to_json(&passes)) == NULL)
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the result");
    json_object_update(row, rest);
    json_decref(rest);
    if (!l2r_config_flag(call->options, "json")) {
        printf("%s", json_array_size(list) > 0 ? "\n" : "");
        print_passes(w, &load, &passes, pass);
        fflush(stdout);
    }
    json_array_append_new(list, row);
done:
    l2r_workload_data_clear(&load);
    l2r_config_free(config);
    return status;
}

enum l2r_status cli_bench_passes(struct cli_call *call, cli_bench_fn *measure, const char *pass,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_workload *only;
    json_t *list = json_array();
    const char *model = l2r_config_text(call->subject, "model");
    L2R_TRY(cli_bench_workload(&only, call, error));
    if (strcmp(model, only != NULL ? only->model : l2r_workloads[0].model) != 0) {
        status = cli_misuse(call, error, "the workload determines the model; --model %s cannot be used", model);
        goto done;
    }
    double load = cli_bench_check_load();
    l2r_threads_set((int)l2r_config_int(call->options, "threads"));
    for (const struct l2r_workload *w = l2r_workloads; w->name != NULL; w++)
        if (only == NULL || only == w) L2R_TRY(measure_one(list, call, w, measure, pass, error));
    if (l2r_config_flag(call->options, "json"))
        L2R_TRY(cli_json_print(stdout, cli_bench_result(call->command->name, json_incref(list), load), error));
done:
    json_decref(list);
    return status;
}
