/* SPDX-License-Identifier: MIT
 *
 * l2r-bench: how fast the library is, as one JSON object on standard output. Medians come with the fastest and the
 * slowest pass, and a busy machine is reported: a number without its spread cannot be compared.
 *
 *     train, infer    whole passes of the workloads (passes.h); every option of `l2r train` changes them
 *     reweight        one set of sample weights (measure.h)
 *     load WHERE      a data set from its files and from the cache (measure.h)
 *     export          the graphs of a workload as a folder, for the measurements of other programs (workload.h)
 *     workloads       the table of workloads
 */
#include "base/threads.h"
#include "bench/passes.h"
#include "jobs/shared_data.h"
#include "results/results.h"

#include <stdio.h>
#include <string.h>

static const char usage[] =
    "l2r-bench train|infer [WORKLOAD] [--warm-up N] [--graphs N] [--threads N] [OPTIONS OF l2r train]\n"
    "l2r-bench reweight [--rows R] [--width D] [--clusters C] [--runs N] [--threads N]\n"
    "l2r-bench load WHERE [--runs N] [--threads N]\n"
    "l2r-bench export WORKLOAD --out DIR [--data WHERE] [--graphs N]\n"
    "l2r-bench workloads\n";

static const double busy = 0.5; /* load average above which other programs are at work */

#define COUNT(NAME, FALLBACK, MIN)                                                                                     \
    {                                                                                                                  \
        .name = NAME, .kind = L2R_OPTION_INT, .fallback = FALLBACK, .min = MIN, .max = 1e9                             \
    }
static const struct l2r_option of_passes[] = {
    COUNT("warm-up", "1", 0), COUNT("graphs", "0", 0), COUNT("threads", "0", 0), {0}};
static const struct l2r_option of_reweight[] = {COUNT("rows", "256", 2),   COUNT("width", "128", 2),
                                                COUNT("clusters", "0", 0), COUNT("runs", "7", 1),
                                                COUNT("threads", "0", 0),  {0}};
static const struct l2r_option of_load[] = {COUNT("runs", "5", 1), COUNT("threads", "0", 0), {0}};
static const struct l2r_option of_export[] = {{.name = "out", .kind = L2R_OPTION_TEXT},
                                              {.name = "data", .kind = L2R_OPTION_TEXT},
                                              COUNT("graphs", "0", 0),
                                              COUNT("threads", "0", 0),
                                              {0}};

/* What was typed: MODE [ARGUMENT] --name value … */
struct call {
    const char *mode, *argument; /* argument: NULL: none */
    int n_words;
    char **words;                   /* the options */
    const struct l2r_option *table; /* of the mode */
};

/* The value of --name at words[i], or after it; *next: where the following option stands. NULL: there is none. */
static const char *value_at(int *next, const struct call *call, int i)
{
    const char *equals = strchr(call->words[i], '=');
    *next = i + (equals ? 1 : 2);
    if (equals) return equals + 1;
    return i + 1 < call->n_words ? call->words[i + 1] : NULL;
}

static enum l2r_status parse(struct l2r_config *config, const struct call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    for (int i = 0, next; i < call->n_words; i = next) {
        char name[64];
        const char *value = value_at(&next, call, i);
        snprintf(name, sizeof name, "%.*s", (int)strcspn(call->words[i], "="), call->words[i]);
        if (strncmp(name, "--", 2) != 0 || !value)
            L2R_FAIL(L2R_ERR_ARGUMENT, "'%s' is no option with a value; expected --name value", call->words[i]);
        L2R_TRY(l2r_config_set(config, name + 2, value, error));
    }
done:
    return status;
}

static enum l2r_status options_of(struct l2r_config **config, const struct call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(l2r_config_new(config, error));
    L2R_TRY(l2r_config_declare(*config, call->table, error));
    L2R_TRY(parse(*config, call, error));
    l2r_threads_set((int)l2r_config_int(*config, "threads"));
done:
    return status;
}

static enum l2r_status workload_of(const struct l2r_workload **workload, const struct call *call,
                                   struct l2r_error *error)
{
    *workload = call->argument ? l2r_workload_find(call->argument) : NULL;
    if (*workload || !call->argument) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "there is no workload '%s'; 'l2r-bench workloads' lists them",
                    call->argument);
}

/* ---- modes: each appends its measurements to the list ---- */

/* Its own options and those of a run, whose models and methods bring more. */
static enum l2r_status configure(struct l2r_config *config, const struct l2r_workload *w, const struct call *call,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *method = "erm";
    for (int i = 0, next; i < call->n_words; i = next) {
        const char *value = value_at(&next, call, i);
        if (value && strncmp(call->words[i], "--method", strcspn(call->words[i], "=")) == 0) method = value;
    }
    L2R_TRY(l2r_config_declare(config, call->table, error));
    L2R_TRY(l2r_workload_configure(config, w, method, error));
    L2R_TRY(parse(config, call, error));
    if (!l2r_config_is(config, "model", w->model))
        L2R_FAIL(L2R_ERR_ARGUMENT, "the workload determines the model; --model %s cannot be used",
                 l2r_config_text(config, "model"));
    l2r_threads_set((int)l2r_config_int(config, "threads"));
done:
    return status;
}

static enum l2r_status measure_passes(json_t *list, const struct l2r_workload *w, const struct call *call,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    static struct l2r_passes passes;
    struct l2r_config *config = NULL;
    struct l2r_workload_data load = {0};
    char fingerprint[17];
    l2r_peak_memory_reset(); /* each workload has its own */
    L2R_TRY(l2r_config_new(&config, error));
    L2R_TRY(configure(config, w, call, error));
    int64_t warm_up = l2r_config_int(config, "warm-up");
    L2R_TRY(l2r_workload_load(&load, w, l2r_config_text(config, "data"), l2r_config_int(config, "graphs"),
                              l2r_config_flag(config, "cache"), error));
    L2R_TRY(l2r_data_fingerprint(fingerprint, &load.data, error));
    if (strcmp(call->mode, "train") == 0)
        L2R_TRY(l2r_passes_train(&passes, config, &load, warm_up, error));
    else
        L2R_TRY(l2r_passes_infer(&passes, config, &load, warm_up, error));
    json_t *row = l2r_passes_to_json(&passes);
    json_object_set_new(row, "workload", json_string(w->name));
    json_object_set_new(row, "set", json_string(load.data.name));
    json_object_set_new(row, "data", json_string(fingerprint));
    json_object_set_new(row, "config", l2r_config_to_json(config));
    if (json_array_append_new(list, row) != 0) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the measurements");
done:
    l2r_workload_data_clear(&load);
    l2r_config_free(config);
    return status;
}

static enum l2r_status passes(json_t *list, const struct call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_workload *only;
    L2R_TRY(workload_of(&only, call, error));
    for (const struct l2r_workload *w = l2r_workloads; w->name; w++)
        if (!only || only == w) L2R_TRY(measure_passes(list, w, call, error));
done:
    return status;
}

static enum l2r_status reweight(json_t *list, const struct call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *typed = NULL;
    struct l2r_reweight_time time;
    L2R_TRY(options_of(&typed, call, error));
    const struct l2r_reweight_shape shape = {l2r_config_int(typed, "rows"), l2r_config_int(typed, "width"),
                                             l2r_config_int(typed, "clusters")};
    L2R_TRY(l2r_reweight_measure(&time, &shape, l2r_config_int(typed, "runs"), error));
    json_array_append_new(list, l2r_reweight_to_json(&time, &shape));
done:
    l2r_config_free(typed);
    return status;
}

static enum l2r_status load(json_t *list, const struct call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *typed = NULL;
    struct l2r_load_time time;
    if (!call->argument) return l2r_fail(error, L2R_ERR_ARGUMENT, "which data set? l2r-bench load FOLDER-OR-ARCHIVE");
    L2R_TRY(options_of(&typed, call, error));
    L2R_TRY(l2r_load_measure(&time, call->argument, l2r_config_int(typed, "runs"), error));
    json_array_append_new(list, l2r_load_to_json(&time));
done:
    l2r_config_free(typed);
    return status;
}

static enum l2r_status export(json_t *list, const struct call *call, struct l2r_error *error) {
    enum l2r_status status = L2R_OK; struct l2r_config *typed = NULL; struct l2r_workload_data data = {0};
    const struct l2r_workload * w;
    L2R_TRY(workload_of(&w, call, error));
    L2R_TRY(options_of(&typed, call, error));
    const char *out = l2r_config_text(typed, "out");
    if (!w || !out) L2R_FAIL(L2R_ERR_ARGUMENT, "expected l2r-bench export WORKLOAD --out DIR");
    L2R_TRY(l2r_workload_load(&data, w, l2r_config_text(typed, "data"), l2r_config_int(typed, "graphs"), true, error));
    L2R_TRY(l2r_workload_export(&data, out, error));
    json_array_append_new(list, json_pack("{s:s, s:I}", "out", out, "graphs", (json_int_t)data.data.n_graphs));
    done : l2r_workload_data_clear(&data);
    l2r_config_free(typed);
    return status;
}

static enum l2r_status workloads(json_t *list, const struct call *call, struct l2r_error *error)
{
    (void)call, (void)error;
    for (const struct l2r_workload *w = l2r_workloads; w->name; w++)
        json_array_append_new(list, l2r_workload_to_json(w));
    return L2R_OK;
}

static const struct mode {
    const char *name;
    const struct l2r_option *table;
    enum l2r_status (*run)(json_t *list, const struct call *call, struct l2r_error *error);
} modes[] = {{"train", of_passes, passes},
             {"infer", of_passes, passes},
             {"reweight", of_reweight, reweight},
             {"load", of_load, load},
             {"export", of_export, export},
             {"workloads", NULL, workloads},
             {0}};

/* ---- the program ---- */

static double check_load(void)
{
    double average = l2r_load_average();
    if (average > busy)
        fprintf(
            stderr,
            "l2r-bench: the machine is busy (load %.2f): elapsed times cannot be compared now, processor times only "
            "roughly\n",
            average);
    return average;
}

static enum l2r_status run(const struct mode *mode, const struct call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *list = json_array(), *result = NULL;
    double before = check_load();
    L2R_TRY(mode->run(list, call, error));
    result = json_pack("{s:s, s:s, s:f, s:f, s:i}", "kind", "speed", "measured", mode->name, "load_before", before,
                       "load_after", l2r_load_average(), "threads", l2r_threads_get());
    if (l2r_line_origin(result) != 0 || json_object_set(result, "measurements", list) != 0 ||
        json_dumpf(result, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) != 0 || printf("\n") < 0 ||
        fflush(stdout) != 0)
        L2R_FAIL(L2R_ERR_IO, "the measurements cannot be written to standard output");
done:
    json_decref(result);
    json_decref(list);
    return status;
}

int main(int argc, char **argv)
{
    struct l2r_error error = {0};
    const struct mode *mode = modes;
    while (argc > 1 && mode->name && strcmp(mode->name, argv[1]) != 0) mode++;
    if (argc < 2 || !mode->name) {
        fputs(usage, stderr);
        return 2;
    }
    int first = argc > 2 && argv[2][0] != '-' ? 3 : 2;
    const struct call call = {.mode = mode->name,
                              .argument = first == 3 ? argv[2] : NULL,
                              .n_words = argc - first,
                              .words = argv + first,
                              .table = mode->table};
    enum l2r_status status = run(mode, &call, &error);
    if (status != L2R_OK) fprintf(stderr, "l2r-bench: %s\n", error.message);
    return status == L2R_OK ? 0 : status == L2R_ERR_ARGUMENT ? 2 : 1;
}
