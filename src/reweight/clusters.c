/* SPDX-License-Identifier: MIT
 * See clusters.h. */
#include "reweight/clusters.h"

#include "base/memory.h"
#include "base/rng.h"
#include "kernels/gemm.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 100 };

enum l2r_status l2r_clusters_init(struct l2r_clusters *c, int64_t d, int32_t n_clusters, int64_t window,
                                  struct l2r_error *error)
{
    size_t square = n_clusters > 1 ? (size_t)d * (size_t)d : 0; /* one cluster never looks at correlations */
    if (n_clusters > d) n_clusters = (int32_t)d;
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
    if (rows < 2) return;
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

/* In a fixed number of running sums, so that the compiler makes vectors of them. */
static L2R_CLONES double distance(const double *row, const l2r_real *centre, int64_t d)
{
    enum { SUMS = 8 };
    double sum[SUMS] = {0};
    int64_t j = 0;
    for (; j + SUMS <= d; j += SUMS)
        for (int k = 0; k < SUMS; k++) {
            double x = row[j + k] - (double)centre[j + k];
            sum[k] += x * x;
        }
    for (; j < d; j++) sum[0] += (row[j] - (double)centre[j]) * (row[j] - (double)centre[j]);
    for (int k = SUMS / 2; k > 0; k /= 2)
        for (int i = 0; i < k; i++) sum[i] += sum[i + k];
    return sum[0];
}

static void copy_row(l2r_real *centre, const double *row, int64_t d)
{
    for (int64_t j = 0; j < d; j++) centre[j] = (l2r_real)row[j];
}

/* k-means++: each further centre is a row drawn with probability proportional to its distance from the centres so
 * far. */
static void seed_centres(struct l2r_clusters *c, struct l2r_rng *rng)
{
    int64_t d = c->d;
    double *nearest = c->scratch;
    copy_row(c->centres, c->dissimilarity + (int64_t)l2r_rng_below(rng, (uint64_t)d) * d, d);
    for (int64_t i = 0; i < d; i++) nearest[i] = INFINITY;
    for (int32_t k = 1; k < c->n_clusters; k++) {
        double total = 0;
        for (int64_t i = 0; i < d; i++) {
            nearest[i] = fmin(nearest[i], distance(c->dissimilarity + i * d, c->centres + (k - 1) * d, d));
            total += nearest[i];
        }
        double left = l2r_rng_uniform(rng) * total;
        int64_t pick = 0;
        while (pick < d - 1 && (left -= nearest[pick]) >= 0) pick++;
        copy_row(c->centres + k * d, c->dissimilarity + pick * d, d);
    }
}

/* A cluster that lost all its members takes the variable that is farthest from its own centre: else the clusters would
 * melt into one as the correlations settle, and no pair would be left. False: every variable lies on its centre. */
static bool revive(struct l2r_clusters *c, int32_t empty, double *count)
{
    double most = 1e-12; /* more than what rounding leaves */
    int64_t pick = -1;
    for (int64_t i = 0; i < c->d; i++) {
        if (count[c->cluster[i]] < 2) continue;
        double here = distance(c->dissimilarity + i * c->d, c->centres + c->cluster[i] * c->d, c->d);
        if (here > most) most = here, pick = i;
    }
    if (pick < 0) return false;
    count[c->cluster[pick]]--;
    count[empty]++;
    c->cluster[pick] = empty;
    copy_row(c->centres + empty * c->d, c->dissimilarity + pick * c->d, c->d);
    return true;
}

/* One round of Lloyd's algorithm; returns how many variables moved. */
static int64_t assign(struct l2r_clusters *c)
{
    int64_t d = c->d, moved = 0;
    double *sum = c->scratch + 2 * d, *count = sum + c->n_clusters * d;
    memset(sum, 0, (size_t)(c->n_clusters * d + c->n_clusters) * sizeof *sum);
    for (int64_t i = 0; i < d; i++) {
        const double *row = c->dissimilarity + i * d;
        int32_t best = 0;
        double least = distance(row, c->centres, d);
        for (int32_t k = 1; k < c->n_clusters; k++) {
            double here = distance(row, c->centres + k * d, d);
            if (here < least) least = here, best = k;
        }
        moved += c->cluster[i] != best;
        c->cluster[i] = best;
        count[best]++;
        for (int64_t j = 0; j < d; j++) sum[best * d + j] += row[j];
    }
    for (int32_t k = 0; k < c->n_clusters; k++)
        for (int64_t j = 0; j < d && count[k] > 0; j++) c->centres[k * d + j] = (l2r_real)(sum[k * d + j] / count[k]);
    for (int32_t k = 0; k < c->n_clusters; k++)
        if (count[k] == 0) moved += revive(c, k, count);
    return moved;
}

int64_t l2r_clusters_refresh(struct l2r_clusters *c, uint64_t seed, uint64_t place)
{
    int64_t n = c->seen < c->window ? c->seen : c->window, changed = 0;
    struct l2r_rng rng = l2r_rng_at(seed, L2R_RANDOM_CLUSTER, place);
    if (n < 2 || c->n_clusters < 2) return 0;
    double *before = c->scratch; /* [d], kept through the rounds: they use what lies behind */
    measure(c, n);
    if (c->started == 0) seed_centres(c, &rng);
    c->started = 1;
    for (int64_t i = 0; i < c->d; i++) before[i] = c->cluster[i];
    for (int round = 0; round < MOST_ROUNDS && assign(c) > 0; round++) continue;
    for (int64_t i = 0; i < c->d; i++) changed += (int32_t)before[i] != c->cluster[i];
    return changed;
}
