/* SPDX-License-Identifier: MIT
 *
 * A data set read from its own files and from the cache: see measure.h. */
#include "base/clock.h"
#include "base/memory.h"
#include "bench/measure.h"
#include "data/cache.h"
#include "data/dataset.h"
#include "io/file.h"
#include "io/source.h"
#include "io/staging.h"
#include "jobs/shared_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

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
    L2R_TRY(l2r_data_fingerprint(time->fingerprint, data, error));
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

static double per_second(double amount, const struct l2r_spread *seconds)
{
    return amount / seconds->median;
}

json_t *l2r_load_to_json(const struct l2r_load_time *t)
{
    return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:f, s:f, s:f, s:I, s:I}", "set", t->name, "data",
                     t->fingerprint, "graphs", (json_int_t)t->graphs, "nodes", (json_int_t)t->nodes, "arcs",
                     (json_int_t)t->arcs, "source_bytes", (json_int_t)t->source_bytes, "data_bytes",
                     (json_int_t)t->data_bytes, "seconds", l2r_spread_to_json(t->read), "cached_seconds",
                     l2r_spread_to_json(t->cached), "graphs_per_second", per_second((double)t->graphs, &t->read),
                     "source_mb_per_second", per_second(1e-6 * (double)t->source_bytes, &t->read), "data_mb_per_second",
                     per_second(1e-6 * (double)t->data_bytes, &t->read), "memory_before", (json_int_t)t->memory_before,
                     "peak_memory", (json_int_t)t->peak_memory);
}
