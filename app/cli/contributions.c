/* SPDX-License-Identifier: MIT
 * See contributions.h. */
#include "cli/contributions.h"

#include "base/memory.h"
#include "io/csv.h"
#include "io/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 20, SHOWN = 5 /* features of a graph, in the file and on a line */ };

struct ranked {
    int32_t feature;
    float share;
};

static int by_size(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    float left = fabsf(x->share), right = fabsf(y->share);
    return left > right ? -1 : left < right ? 1 : x->feature - y->feature;
}

/* One output of one graph; share [features + 1] becomes `sorted`. */
static void write_output(FILE *file, FILE *out, const struct l2r_feature_scale *scale, const l2r_real *row,
                         const float *share, struct ranked *sorted, int32_t graph, int32_t k)
{
    char name[256];
    for (int32_t i = 0; i < scale->n; i++) sorted[i] = (struct ranked){i, share[i]};
    qsort(sorted, (size_t)scale->n, sizeof *sorted, by_size);
    if (out) fprintf(out, "graph %d", (int)graph);
    for (int32_t i = 0; i < scale->n && i < MOST && sorted[i].share != 0; i++) {
        l2r_feature_name(name, sizeof name, scale, sorted[i].feature);
        fprintf(file, "%d,%d", (int)graph, (int)k);
        l2r_csv_write_text(file, ',', name);
        fprintf(file, ",%.6g,%.6g\n", (double)row[sorted[i].feature], (double)sorted[i].share);
        if (out && i < SHOWN) fprintf(out, "%s %s %+.3g", i ? "," : ":", name, (double)sorted[i].share);
    }
    fprintf(file, "%d,%d,constant,,%.6g\n", (int)graph, (int)k, (double)share[scale->n]);
    if (out) fputc('\n', out);
}

enum l2r_status cli_contributions_write(const char *dir, FILE *out, const struct l2r_predictor *predictor,
                                        const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                        struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_network *network = l2r_predictor_network(predictor);
    const struct l2r_feature_scale *scale = &network->signature.features;
    int32_t outputs = l2r_signature_outputs(&network->signature);
    struct l2r_atomic file = {0};
    struct l2r_dataset view;
    struct l2r_arena arena;
    char path[4400];
    l2r_arena_init(&arena);
    size_t width = (size_t)scale->n + 1;
    float *share = l2r_alloc((size_t)outputs * width, sizeof *share);
    l2r_real *row = l2r_alloc(width, sizeof *row);
    struct ranked *sorted = l2r_alloc(width, sizeof *sorted);
    if (!share || !row || !sorted) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: contributions of features");
    L2R_TRY(l2r_signature_view(&view, &arena, &network->signature, data, error));
    L2R_TRY(l2r_features_fill(&view, graphs, n, error));
    L2R_TRY(l2r_path_join(path, sizeof path, dir, "contributions.csv", error));
    L2R_TRY(l2r_atomic_open(&file, path, error));
    fputs("graph,task,feature,value,contribution\n", file.stream);
    for (int64_t i = 0; i < n; i++) {
        L2R_TRY(network->type->contributions(share, network->model, &view, graphs[i], error));
        l2r_feature_row(row, &view, graphs[i]);
        for (int32_t k = 0; k < outputs; k++)
            write_output(file.stream, k == 0 ? out : NULL, scale, row, share + (size_t)k * width, sorted, graphs[i], k);
    }
done:
    if (file.stream) status = l2r_atomic_close(&file, status, error);
    l2r_free(share);
    l2r_free(row);
    l2r_free(sorted);
    l2r_arena_clear(&arena);
    return status;
}
