/* SPDX-License-Identifier: MIT
 *
 * Bins of a forest (forest.h). Edges come from at most SAMPLE graphs: a column with few values has a bin for each and
 * edges halfway between them, others have bins of about as many graphs each.
 */
#include "nn/forest.h"

#include "base/memory.h"
#include "base/threads.h"
#include "data/features.h"

#include <string.h>

enum { SAMPLE = 4096, ROWS = 64 /* graphs that a thread takes at a time */ };

void l2r_bins_clear(struct l2r_bins *bins)
{
    l2r_free(bins->code);
    l2r_free(bins->edge);
    l2r_free(bins->n_bins);
    *bins = (struct l2r_bins){0};
}

struct work {
    struct l2r_bins *bins;
    const struct l2r_dataset *data;
    const int32_t *graphs;
    float *sample; /* [columns × n_sample] */
    int64_t n_sample;
};

/* Sorted values to edges; returns the number of bins. */
static int32_t cut(float *edge, float *value, int64_t n)
{
    int32_t bins = 1;
    int64_t distinct = 1;
    qsort(value, (size_t)n, sizeof *value, l2r_compare_float);
    for (int64_t i = 1; i < n; i++) distinct += value[i] > value[i - 1];
    for (int64_t i = 1, last = 0; i < n && bins < L2R_FOREST_BINS; i++) {
        bool full = distinct <= L2R_FOREST_BINS || i - last >= n / L2R_FOREST_BINS;
        if (!(value[i] > value[i - 1]) || !full) continue;
        edge[bins - 1] = value[i - 1] + (value[i] - value[i - 1]) / 2;
        bins++;
        last = i;
    }
    return bins;
}

static void cut_column(void *context, int64_t j)
{
    const struct work *w = context;
    w->bins->n_bins[j] = cut(w->bins->edge + j * L2R_FOREST_BINS, w->sample + j * w->n_sample, w->n_sample);
}

static uint8_t code_of(const float *edge, int32_t n_bins, float x)
{
    int32_t low = 0, high = n_bins - 1;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (x <= edge[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return (uint8_t)low;
}

/* Rows of features become columns of the sample or, once there are edges, of codes. */
static void read_rows(void *context, int64_t chunk)
{
    const struct work *w = context;
    struct l2r_bins *bins = w->bins;
    int32_t columns = bins->n_columns;
    bool coding = w->sample == NULL;
    int64_t begin, end, n = coding ? bins->n_rows : w->n_sample;
    l2r_real *row = l2r_alloc((size_t)columns, sizeof *row);
    if (!row) {
        l2r_work_fail();
        return;
    }
    l2r_chunk_range(&begin, &end, n, ROWS, chunk);
    for (int64_t i = begin; i < end; i++) {
        l2r_feature_row(row, w->data, w->graphs[coding ? i : i * bins->n_rows / n]);
        for (int32_t j = 0; j < columns; j++)
            if (!coding)
                w->sample[j * n + i] = (float)row[j];
            else if (bins->n_bins[j] > 1)
                bins->code[j * n + i] =
                    code_of(bins->edge + (int64_t)j * L2R_FOREST_BINS, bins->n_bins[j], (float)row[j]);
    }
    l2r_free(row);
}

enum l2r_status l2r_bins_make(struct l2r_bins *bins, const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                              struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int32_t columns = data->scale->n;
    struct work w = {.bins = bins, .data = data, .graphs = graphs, .n_sample = n < SAMPLE ? n : SAMPLE};
    float *sample = w.sample = l2r_alloc((size_t)(w.n_sample * columns), sizeof *sample);
    *bins = (struct l2r_bins){.n_rows = n, .n_columns = columns};
    bins->code = l2r_alloc((size_t)columns * (size_t)n, 1);
    bins->edge = l2r_alloc((size_t)columns * L2R_FOREST_BINS, sizeof *bins->edge);
    bins->n_bins = l2r_alloc((size_t)columns, sizeof *bins->n_bins);
    if (!sample || !bins->code || !bins->edge || !bins->n_bins)
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the features of the training graphs");
    (void)l2r_work_failed();
    l2r_parallel(l2r_chunk_count(w.n_sample, ROWS), read_rows, &w);
    l2r_parallel(columns, cut_column, &w);
    w.sample = NULL;
    l2r_parallel(l2r_chunk_count(n, ROWS), read_rows, &w);
    if (l2r_work_failed()) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a row of features");
done:
    l2r_free(sample);
    if (status != L2R_OK) l2r_bins_clear(bins);
    return status;
}
