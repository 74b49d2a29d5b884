/* SPDX-License-Identifier: MIT
 * See clusters.h. */
#include "reweight/clusters.h"

#include "base/memory.h"
#include "base/rng.h"
#include "kernels/gemm.h"
#include "reweight/kmeans.h"

#include <math.h>
#include <string.h>

enum l2r_status l2r_clusters_init(struct l2r_clusters *c, int64_t d, int32_t n_clusters, int64_t window,
                                  struct l2r_error *error)
{
    if (n_clusters > d) n_clusters = (int32_t)d;
    size_t square = n_clusters > 1 ? (size_t)d * (size_t)d : 0; /* one cluster never looks at correlations */
    size_t centres = (size_t)n_clusters * (size_t)d;
    *c = (struct l2r_clusters){.d = d,
                               .window = window,
                               .n_clusters = n_clusters,
                               .correlations = l2r_alloc((size_t)window * square, sizeof(l2r_real)),
                               .centres = l2r_alloc(centres, sizeof(l2r_real)),
                               .cluster = l2r_alloc((size_t)d, sizeof(int32_t)),
                               .dissimilarity = l2r_alloc(square, sizeof(double)),
                               .scratch = l2r_alloc(2 * (size_t)d + centres + (size_t)n_clusters, sizeof(double))};
    if (c->correlations && c->centres && c->cluster && c->dissimilarity && c->scratch) return L2R_OK;
    l2r_clusters_clear(c);
    return l2r_fail_memory(error, (size_t)window * square * sizeof(l2r_real), "the correlations of the variables");
}

void l2r_clusters_clear(struct l2r_clusters *c)
{
    l2r_free(c->correlations);
    l2r_free(c->centres);
    l2r_free(c->cluster);
    l2r_free(c->dissimilarity);
    l2r_free(c->scratch);
    *c = (struct l2r_clusters){0};
}

/* Means of the columns, and what brings each to mean 0 and length 1; a constant column gets 0. */
static void moments(double *mean, double *inverse, const l2r_real *z, int64_t rows, int64_t d)
{
    memset(mean, 0, (size_t)d * sizeof *mean);
    memset(inverse, 0, (size_t)d * sizeof *inverse);
    for (int64_t n = 0; n < rows; n++)
        for (int64_t i = 0; i < d; i++) mean[i] += (double)z[n * d + i] / (double)rows;
    for (int64_t n = 0; n < rows; n++)
        for (int64_t i = 0; i < d; i++) {
            double x = (double)z[n * d + i] - mean[i];
            inverse[i] += x * x;
        }
    for (int64_t i = 0; i < d; i++) inverse[i] = inverse[i] > 0 ? 1 / sqrt(inverse[i]) : 0;
}

void l2r_clusters_observe(struct l2r_clusters *c, const l2r_real *z, int64_t rows)
{
    int64_t d = c->d;
    double *mean = c->scratch, *inverse = mean + d;
    l2r_real *x = (l2r_real *)(void *)c->dissimilarity; /* rebuilt at every refresh: room for d rows until then */
    l2r_real *out = c->correlations + (c->seen % c->window) * d * d;
    if (rows < 2 || c->n_clusters < 2) return;
    moments(mean, inverse, z, rows, d);
    for (int64_t first = 0; first < rows; first += d) {
        int64_t n = rows - first < d ? rows - first : d;
        for (int64_t r = 0; r < n; r++)
            for (int64_t i = 0; i < d; i++)
                x[r * d + i] = (l2r_real)(((double)z[(first + r) * d + i] - mean[i]) * inverse[i]);
        l2r_gemm(out, d, first == 0 ? 0 : 1, (struct l2r_matrix){x, d, true}, (struct l2r_matrix){x, d, false}, d, d,
                 n);
    }
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < i; j++) out[j * d + i] = out[i * d + j]; /* the same bits on both sides */
    c->seen++;
}

static void measure(struct l2r_clusters *c, int64_t n)
{
    int64_t d = c->d;
    for (int64_t e = 0; e < d * d; e++) {
        double mean = 0, square = 0;
        for (int64_t l = 0; l < n; l++) mean += (double)c->correlations[l * d * d + e] / (double)n;
        for (int64_t l = 0; l < n; l++) {
            double x = (double)c->correlations[l * d * d + e] - mean;
            square += x * x;
        }
        c->dissimilarity[e] = sqrt(square / (double)(n - 1));
    }
}

int64_t l2r_clusters_refresh(struct l2r_clusters *c, uint64_t seed, uint64_t place)
{
    int64_t n = c->seen < c->window ? c->seen : c->window, changed = 0;
    struct l2r_rng rng = l2r_rng_at(seed, L2R_RANDOM_CLUSTER, place);
    if (n < 2 || c->n_clusters < 2) return 0;
    double *before = c->scratch; /* [d] */
    struct l2r_kmeans kmeans = {.n = c->d,
                                .d = c->d,
                                .k = c->n_clusters,
                                .rows = c->dissimilarity,
                                .centres = c->centres,
                                .cluster = c->cluster,
                                .scratch = before + c->d};
    measure(c, n);
    if (c->started == 0) l2r_kmeans_seed(&kmeans, &rng);
    c->started = 1;
    for (int64_t i = 0; i < c->d; i++) before[i] = c->cluster[i];
    l2r_kmeans_run(&kmeans);
    for (int64_t i = 0; i < c->d; i++) changed += (int32_t)before[i] != c->cluster[i];
    return changed;
}
