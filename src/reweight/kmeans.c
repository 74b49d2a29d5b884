/* SPDX-License-Identifier: MIT
 * See kmeans.h. */
#include "reweight/kmeans.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 100 };

/* In a fixed number of running sums, so that the compiler makes vectors of them. */
L2R_CLONES_OF(double, distance, (const double *row, const l2r_real *centre, int64_t d), (row, centre, d))
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
void l2r_kmeans_seed(struct l2r_kmeans *m, struct l2r_rng *rng)
{
    int64_t d = m->d;
    double *nearest = m->scratch;
    copy_row(m->centres, m->rows + (int64_t)l2r_rng_below(rng, (uint64_t)m->n) * d, d);
    for (int64_t i = 0; i < m->n; i++) nearest[i] = INFINITY;
    for (int32_t k = 1; k < m->k; k++) {
        double total = 0;
        for (int64_t i = 0; i < m->n; i++) {
            nearest[i] = fmin(nearest[i], distance(m->rows + i * d, m->centres + (k - 1) * d, d));
            total += nearest[i];
        }
        double left = l2r_rng_uniform(rng) * total;
        int64_t pick = 0;
        while (pick < m->n - 1 && (left -= nearest[pick]) >= 0) pick++;
        copy_row(m->centres + k * d, m->rows + pick * d, d);
    }
}

/* A cluster that lost all its members takes the row that is farthest from its own centre: else the clusters would
 * melt into one as the rows come closer to each other. False: every row lies on its centre. */
static bool revive(struct l2r_kmeans *m, int32_t empty, double *count)
{
    double most = 1e-12; /* more than what rounding leaves */
    int64_t pick = -1;
    for (int64_t i = 0; i < m->n; i++) {
        if (count[m->cluster[i]] < 2) continue;
        double here = distance(m->rows + i * m->d, m->centres + m->cluster[i] * m->d, m->d);
        if (here > most) most = here, pick = i;
    }
    if (pick < 0) return false;
    count[m->cluster[pick]]--;
    count[empty]++;
    m->cluster[pick] = empty;
    copy_row(m->centres + empty * m->d, m->rows + pick * m->d, m->d);
    return true;
}

/* One round of Lloyd's algorithm; returns how many rows moved. */
static int64_t assign(struct l2r_kmeans *m)
{
    int64_t d = m->d, moved = 0;
    double *sum = m->scratch + m->n, *count = sum + m->k * d;
    memset(sum, 0, (size_t)(m->k * d + m->k) * sizeof *sum);
    for (int64_t i = 0; i < m->n; i++) {
        const double *row = m->rows + i * d;
        int32_t best = l2r_kmeans_nearest(m, row);
        moved += m->cluster[i] != best;
        m->cluster[i] = best;
        count[best]++;
        for (int64_t j = 0; j < d; j++) sum[best * d + j] += row[j];
    }
    for (int32_t k = 0; k < m->k; k++)
        for (int64_t j = 0; j < d && count[k] > 0; j++) m->centres[k * d + j] = (l2r_real)(sum[k * d + j] / count[k]);
    for (int32_t k = 0; k < m->k; k++)
        if (count[k] == 0) moved += revive(m, k, count);
    return moved;
}

void l2r_kmeans_run(struct l2r_kmeans *m)
{
    for (int round = 0; round < MOST_ROUNDS && assign(m) > 0; round++) continue;
}

int32_t l2r_kmeans_nearest(const struct l2r_kmeans *m, const double *row)
{
    int32_t best = 0;
    double least = distance(row, m->centres, m->d);
    for (int32_t k = 1; k < m->k; k++) {
        double here = distance(row, m->centres + k * m->d, m->d);
        if (here < least) least = here, best = k;
    }
    return best;
}
