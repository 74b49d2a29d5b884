/* SPDX-License-Identifier: MIT
 *
 * How fast does training run?     bench_train DATA WORKLOAD [--threads N] [--graphs N] [--epochs N] [--OPTION VALUE]…
 *
 * Times whole epochs of the train loop: shuffling, putting batches together, forward with dropout, backward, Adam, and what
 * the method does (--method, plain training unless given).
 * Reading the data, scoring and checkpoints are not part of it. The first epochs (--warm-up) are run and not counted.
 * WORKLOAD is a name in workloads.json, which the measurement of the peer reads too; any option of `l2r train` may
 * follow to change it. One line of JSON comes out:
 *
 *     {"program": "l2r", "workload": "gin-3x128", …, "seconds": [0.11, 0.10], "cpu_seconds": 0.2, "graphs_per_second": 14410.0, "loss": 0.61}
 *
 * seconds: each counted epoch; graphs_per_second: of the median epoch; loss: mean over the graphs of the last epoch;
 * cpu_seconds: what all threads used in a counted epoch on average, which means something on a busy machine too.
 */
#include "base/json.h"
#include "base/memory.h"
#include "base/threads.h"
#include "train/run.h"
#include "train/trainer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct l2r_option bench_options[] = {
    {.name = "threads", .kind = L2R_OPTION_INT, .fallback = "0", .min = 0, .max = 1024, .help = "0: one per core"},
    {.name = "graphs", .kind = L2R_OPTION_INT, .fallback = "0", .min = 0, .max = 1e9, .help = "the first N; 0: all"},
    {.name = "warm-up", .kind = L2R_OPTION_INT, .fallback = "1", .min = 0, .max = 1e6, .help = "epochs not counted"},
    {0}};

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Sorts the values. */
static double median(double *values, int64_t n)
{
    qsort(values, (size_t)n, sizeof *values, ascending);
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

static const char *method_of(char **arguments)
{
    for (; arguments[0] && arguments[1]; arguments++)
        if (strcmp(arguments[0], "--method") == 0) return arguments[1];
    return "erm";
}

/* What the method does between epochs, such as forming clusters. */
static enum l2r_status end_epoch(struct l2r_trainer *t, struct l2r_error *error)
{
    char note[256];
    if (!t->method->after_epoch) return L2R_OK;
    json_t *log = json_object();
    enum l2r_status status = t->method->after_epoch(t->method_state, t->at.epoch, log, note, error);
    json_decref(log);
    return status;
}

/* The workload's options, then those of the command line. */
static enum l2r_status read_config(struct l2r_config *config, const char *workload, char **arguments,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *all = NULL;
    L2R_TRY(l2r_json_read(&all, L2R_WORKLOADS, error));
    const json_t *one = json_object_get(all, workload);
    const char *model = json_string_value(json_object_get(one, "model"));
    if (!model) L2R_FAIL(L2R_ERR_ARGUMENT, "there is no workload \"%s\" in %s", workload, L2R_WORKLOADS);
    L2R_TRY(l2r_run_declare(config, model, method_of(arguments), error));
    L2R_TRY(l2r_config_declare(config, bench_options, error));
    L2R_TRY(l2r_config_from_json(config, one, L2R_WORKLOADS, error));
    L2R_TRY(l2r_config_set(config, "epochs", "5", error));
    for (; *arguments; arguments += 2) {
        if (strncmp(*arguments, "--", 2) != 0) L2R_FAIL(L2R_ERR_ARGUMENT, "\"%s\": expected --OPTION", *arguments);
        L2R_TRY(l2r_config_set(config, *arguments + 2, arguments[1], error));
        if (!arguments[1]) break;
    }
done:
    json_decref(all);
    return status;
}

/* Every graph (or the first ones) is for training. */
static enum l2r_status split_first(struct l2r_split *split, const struct l2r_dataset *data, int64_t limit,
                                   struct l2r_error *error)
{
    int64_t n = limit > 0 && limit < data->n_graphs ? limit : data->n_graphs;
    *split = (struct l2r_split){.rule = "first", .n_graphs = data->n_graphs, .start = {0, n, n, n}};
    split->graphs = l2r_alloc((size_t)n, sizeof *split->graphs);
    if (!split->graphs) return l2r_fail_memory(error, (size_t)n * sizeof *split->graphs, "the split");
    for (int64_t i = 0; i < n; i++) split->graphs[i] = (int32_t)i;
    return L2R_OK;
}

static enum l2r_status run_epoch(double *seconds, double *loss, struct l2r_trainer *t, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    double start = now(CLOCK_MONOTONIC);
    l2r_trainer_shuffle(t);
    while (t->at.batch < l2r_trainer_batches(t)) L2R_TRY(l2r_trainer_step(t, error));
    L2R_TRY(end_epoch(t, error));
    *seconds = now(CLOCK_MONOTONIC) - start;
    *loss = t->at.loss_sum / (double)l2r_split_size(t->split, L2R_PART_TRAIN);
    t->at.loss_sum = 0;
    t->at.batch = 0;
    t->at.epoch++;
done:
    return status;
}

static void print_result(const struct l2r_trainer *t, const char *workload, double *seconds, int64_t n,
                         double cpu_seconds, double loss)
{
    int64_t graphs = l2r_split_size(t->split, L2R_PART_TRAIN);
    json_t *list = json_array();
    for (int64_t i = 0; i < n; i++) json_array_append_new(list, json_real(seconds[i]));
    json_t *result = json_pack("{s:s,s:s,s:s,s:s,s:I,s:i,s:I,s:I,s:o,s:f,s:f,s:f}", "program", "l2r", "version",
                               l2r_version(), "workload", workload, "data", t->data->name, "graphs", (json_int_t)graphs,
                               "threads", l2r_threads_get(), "batch_size", (json_int_t)t->batch_size, "parameters",
                               (json_int_t)t->network.params.n_trainable, "seconds", list, "cpu_seconds", cpu_seconds,
                               "graphs_per_second", (double)graphs / median(seconds, n), "loss", loss);
    json_dumpf(result, stdout, JSON_REAL_PRECISION(6));
    printf("\n");
    json_decref(result);
}

static enum l2r_status measure(const struct l2r_config *config, const char *path, const char *workload,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dataset *data = NULL;
    struct l2r_split split = {0};
    struct l2r_trainer trainer = {0};
    int64_t warm_up = l2r_config_int(config, "warm-up"), epochs = l2r_config_int(config, "epochs");
    double loss = 0, ignored, *seconds = l2r_alloc((size_t)epochs, sizeof *seconds);
    if (!seconds || epochs < 1 || epochs > 1000) L2R_FAIL(L2R_ERR_ARGUMENT, "--epochs: 1 to 1000 can be measured");
    L2R_TRY(l2r_dataset_load(&data, path, l2r_config_flag(config, "cache"), error));
    L2R_TRY(split_first(&split, data, l2r_config_int(config, "graphs"), error));
    L2R_TRY(l2r_trainer_init(&trainer, config, data, &split, error));
    for (int64_t i = 0; i < warm_up; i++) L2R_TRY(run_epoch(&ignored, &loss, &trainer, error));
    double cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    for (int64_t i = 0; i < epochs; i++) L2R_TRY(run_epoch(&seconds[i], &loss, &trainer, error));
    print_result(&trainer, workload, seconds, epochs, (now(CLOCK_PROCESS_CPUTIME_ID) - cpu) / (double)epochs, loss);
done:
    l2r_trainer_clear(&trainer);
    l2r_split_clear(&split);
    l2r_dataset_free(data);
    l2r_free(seconds);
    return status;
}

int main(int argc, char **argv)
{
    enum l2r_status status = L2R_OK;
    struct l2r_error message = {0}, *error = &message;
    struct l2r_config *config = NULL;
    if (argc < 3) {
        fprintf(stderr,
                "usage: bench_train DATA WORKLOAD [--threads N] [--graphs N] [--epochs N] [--OPTION VALUE]...\n");
        return 2;
    }
    L2R_TRY(l2r_config_new(&config, error));
    L2R_TRY(read_config(config, argv[2], argv + 3, error));
    l2r_threads_set((int)l2r_config_int(config, "threads"));
    L2R_TRY(measure(config, argv[1], argv[2], error));
done:
    if (status != L2R_OK) fprintf(stderr, "bench_train: %s\n", message.message);
    l2r_config_free(config);
    return status == L2R_OK ? 0 : 1;
}
