/* SPDX-License-Identifier: MIT
 * See measure.h. */
#include "bench/measure.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/memory.h"
#include "data/cache.h"
#include "data/dataset.h"
#include "io/file.h"
#include "io/source.h"
#include "io/staging.h"
#include "reweight/dependence.h"
#include "reweight/weights.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* ---- readings ---- */

struct l2r_spread l2r_spread_of(const double *values, int64_t n)
{
    double *sorted = l2r_alloc((size_t)n, sizeof *sorted);
    if (!sorted) return (struct l2r_spread){NAN, NAN, NAN};
    memcpy(sorted, values, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, l2r_compare_double);
    struct l2r_spread spread = {(sorted[(n - 1) / 2] + sorted[n / 2]) / 2, sorted[0], sorted[n - 1]};
    l2r_free(sorted);
    return spread;
}

int64_t l2r_peak_memory(void)
{
    char line[256];
    long kilobytes = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && kilobytes < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, "VmHWM:", 6) == 0) kilobytes = strtol(line + 6, NULL, 10);
    if (file) fclose(file);
    if (kilobytes < 0) { /* no /proc: the peak since the start */
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        kilobytes = usage.ru_maxrss;
    }
    return (int64_t)kilobytes * 1024;
}

void l2r_peak_memory_reset(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (!file) return;
    fputs("5", file); /* Linux: reset VmHWM */
    fclose(file);
}

double l2r_load_average(void)
{
    double load;
    return getloadavg(&load, 1) == 1 ? load : -1;
}

/* ---- loading ---- */

/* What lies on the disk. */
static enum l2r_status measure_source(int64_t *bytes, uint64_t *fingerprint, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_source *source = NULL;
    struct stat info;
    *bytes = 0;
    L2R_TRY(l2r_source_open(&source, path, error));
    *fingerprint = source->fingerprint;
    if (source->kind == L2R_SOURCE_ARCHIVE && stat(path, &info) == 0) *bytes = info.st_size;
    for (size_t i = 0; source->kind == L2R_SOURCE_FOLDER && i < source->n_entries; i++)
        if (source->entries[i].size > 0) *bytes += source->entries[i].size;
done:
    l2r_source_free(source);
    return status;
}

static void describe(struct l2r_load_time *time, const struct l2r_dataset *data)
{
    snprintf(time->name, sizeof time->name, "%s", data->name);
    time->graphs = data->n_graphs;
    time->nodes = data->n_nodes;
    time->arcs = data->n_arcs;
    time->data_bytes = (int64_t)data->block_size;
}

/* From the files; the last one read becomes the cache file. */
static enum l2r_status time_reading(struct l2r_load_time *time, double *seconds, const char *path, int64_t runs,
                                    const char *cache_file, uint64_t fingerprint, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dataset *data = NULL;
    l2r_peak_memory_reset();
    time->memory_before = l2r_peak_memory();
    for (int64_t i = 0; i < runs; i++) {
        l2r_dataset_free(data);
        double start = l2r_clock_seconds();
        L2R_TRY(l2r_dataset_load(&data, path, false, error));
        seconds[i] = l2r_clock_since(start);
        if (i == 0) time->peak_memory = l2r_peak_memory(); /* of one read: later ones find freed memory */
    }
    if (!data) L2R_FAIL(L2R_ERR_ARGUMENT, "%lld runs cannot be measured", (long long)runs);
    describe(time, data);
    if (!l2r_cache_store(data, cache_file, fingerprint))
        L2R_FAIL(L2R_ERR_IO,
                 "%s: the cache file of the measurement cannot be written; set TMPDIR to use another folder",
                 cache_file);
done:
    l2r_dataset_free(data);
    return status;
}

/* As a second start does it: look at the source, map the file, check it. */
static enum l2r_status time_cache(double *seconds, const char *path, int64_t runs, const char *cache_file,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    for (int64_t i = 0; i < runs; i++) {
        struct l2r_source *source = NULL;
        double start = l2r_clock_seconds();
        L2R_TRY(l2r_source_open(&source, path, error));
        struct l2r_dataset *data = l2r_cache_load(cache_file, source->fingerprint);
        seconds[i] = l2r_clock_since(start);
        bool found = data != NULL;
        l2r_dataset_free(data);
        l2r_source_free(source);
        if (!found) L2R_FAIL(L2R_ERR_IO, "%s: the cache file is not accepted: did %s change?", cache_file, path);
    }
done:
    return status;
}

enum l2r_status l2r_load_measure(struct l2r_load_time *time, const char *path, int64_t runs, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *temporary = getenv("TMPDIR");
    char folder[1024], file[1100];
    uint64_t fingerprint = 0;
    double *seconds = l2r_alloc((size_t)runs, sizeof *seconds);
    *time = (struct l2r_load_time){0};
    snprintf(folder, sizeof folder, "%s/l2r-load-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(folder)) {
        l2r_free(seconds);
        return l2r_fail(error, L2R_ERR_IO, "%s: cannot create a temporary folder; set TMPDIR to use another folder",
                        folder);
    }
    snprintf(file, sizeof file, "%s/data.l2rcache", folder);
    if (!seconds) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the times of %lld runs", (long long)runs);
    L2R_TRY(measure_source(&time->source_bytes, &fingerprint, path, error));
    L2R_TRY(time_reading(time, seconds, path, runs, file, fingerprint, error));
    time->read = l2r_spread_of(seconds, runs);
    L2R_TRY(time_cache(seconds, path, runs, file, error));
    time->cached = l2r_spread_of(seconds, runs);
done:
    l2r_remove_tree(folder);
    l2r_free(seconds);
    return status;
}

/* ---- reweighting: variable i of Z is a hidden cause, one of CAUSES, plus noise of the same size ---- */

enum { FEATURES = 5, STEPS = 20, CAUSES = 8, WARM_UP = 2 };

struct work {
    struct l2r_arena arena;
    l2r_real *z;      /* [rows × width] */
    int32_t *cluster; /* [width] */
    double *w, *logits, *scratch;
};

static void draw_rows(l2r_real *z, const struct l2r_reweight_shape *shape)
{
    struct l2r_rng rng = l2r_rng_at(1, L2R_RANDOM_TEST, 0);
    for (int64_t n = 0; n < shape->rows; n++) {
        double cause[CAUSES];
        for (int i = 0; i < CAUSES; i++) cause[i] = l2r_rng_normal(&rng);
        for (int64_t i = 0; i < shape->width; i++)
            z[n * shape->width + i] = (l2r_real)(cause[i % CAUSES] + l2r_rng_normal(&rng));
    }
}

static enum l2r_status work_init(struct work *k, const struct l2r_reweight_shape *shape, struct l2r_error *error)
{
    size_t rows = (size_t)shape->rows, width = (size_t)shape->width;
    l2r_arena_init(&k->arena);
    k->z = l2r_alloc(rows * width, sizeof *k->z);
    k->cluster = l2r_alloc(width, sizeof *k->cluster);
    k->w = l2r_alloc(rows, sizeof *k->w);
    k->logits = l2r_alloc(rows, sizeof *k->logits);
    k->scratch = l2r_alloc((size_t)l2r_learn_weights_scratch(shape->rows, shape->rows), sizeof *k->scratch);
    if (!k->z || !k->cluster || !k->w || !k->logits || !k->scratch)
        return l2r_fail_memory(error, rows * width * sizeof *k->z, "rows to weigh");
    draw_rows(k->z, shape);
    for (int64_t i = 0; i < shape->width; i++) k->cluster[i] = shape->clusters ? (int32_t)(i % shape->clusters) : 0;
    return L2R_OK;
}

static void work_clear(struct work *k)
{
    l2r_arena_clear(&k->arena);
    l2r_free(k->z), l2r_free(k->cluster), l2r_free(k->w), l2r_free(k->logits), l2r_free(k->scratch);
}

static enum l2r_status learn(struct l2r_inner_report *report, struct work *k, const struct l2r_reweight_shape *shape,
                             struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dependence dep;
    struct l2r_rng rng = l2r_rng_at(2, L2R_RANDOM_FOURIER, 0);
    struct l2r_inner_options inner = {.steps = STEPS, .lr = 0.1};
    struct l2r_dependence_options options = {.n_f = FEATURES,
                                             .pairs = shape->clusters == 0 ? L2R_PAIRS_ALL : L2R_PAIRS_ACROSS,
                                             .scaled = true, /* as the peer */
                                             .expected_steps = STEPS + 2};
    int32_t n_clusters = shape->clusters == 0 ? 1 : (int32_t)shape->clusters;
    for (int64_t i = 0; i < shape->rows; i++) k->logits[i] = 0;
    l2r_arena_reset(&k->arena);
    L2R_TRY(l2r_dependence_init(&dep, &k->arena, k->z, k->cluster, n_clusters, shape->rows, shape->width, &options,
                                &rng, error));
    double sums[2];
    struct l2r_strata one_class = {1, NULL, sums};
    struct l2r_objective objective = l2r_dependence_objective(&dep);
    l2r_learn_weights(k->w, k->logits, report, &objective, NULL, NULL, &one_class, shape->rows, &inner, k->scratch);
done:
    return status;
}

enum l2r_status l2r_reweight_measure(struct l2r_reweight_time *time, const struct l2r_reweight_shape *shape,
                                     int64_t runs, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct work work = {0};
    struct l2r_inner_report report;
    double *seconds = l2r_alloc((size_t)runs, sizeof *seconds), *processor = l2r_alloc((size_t)runs, sizeof *processor);
    *time = (struct l2r_reweight_time){0};
    if (!seconds || !processor || runs < 1) L2R_FAIL(L2R_ERR_ARGUMENT, "%lld runs cannot be measured", (long long)runs);
    if (shape->clusters > shape->width)
        L2R_FAIL(L2R_ERR_ARGUMENT, "--clusters: %lld clusters of %lld variables; expected at most as many",
                 (long long)shape->clusters, (long long)shape->width);
    L2R_TRY(work_init(&work, shape, error));
    for (int64_t i = -WARM_UP; i < runs; i++) {
        double start = l2r_clock_seconds(), processor_start = l2r_clock_process_seconds();
        L2R_TRY(learn(&report, &work, shape, error));
        if (i < 0) continue;
        seconds[i] = l2r_clock_since(start);
        processor[i] = l2r_clock_process_seconds() - processor_start;
    }
    *time = (struct l2r_reweight_time){l2r_spread_of(seconds, runs), l2r_spread_of(processor, runs),
                                       report.after / report.before};
done:
    work_clear(&work);
    l2r_free(seconds);
    l2r_free(processor);
    return status;
}
