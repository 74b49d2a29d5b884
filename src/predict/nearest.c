/* SPDX-License-Identifier: MIT
 *
 * See nearest.h. A block of rows stays in the cache while every row of a chunk of z passes over it:
 *
 *     for each block:  for each z:  sum[lane] = Σ_k (z_k − block[k][lane])²,  then the K smallest sums so far
 */
#include "predict/nearest.h"

#include "base/threads.h"
#include "kernels/real.h"

#include <math.h>

enum { LANES = L2R_DOMAIN_LANES, K = L2R_DOMAIN_NEAREST, ROWS = 32 /* of z in a chunk */ };

/* Eight columns at a time are added before the total, which keeps the rounding of long rows small. */
L2R_CLONES
static void squares(float *restrict sum /* [LANES] */, const float *restrict z, const float *restrict block, int64_t d)
{
    for (int lane = 0; lane < LANES; lane++) sum[lane] = 0;
    for (int64_t begin = 0; begin < d; begin += 8) {
        int64_t end = begin + 8 < d ? begin + 8 : d;
        float part[LANES] = {0};
        for (int64_t k = begin; k < end; k++)
            for (int lane = 0; lane < LANES; lane++) {
                float difference = z[k] - block[k * LANES + lane];
                part[lane] += difference * difference;
            }
        for (int lane = 0; lane < LANES; lane++) sum[lane] += part[lane];
    }
}

/* Keeps the K smallest, ascending. */
static void keep(float smallest[K], float value)
{
    if (!(value < smallest[K - 1])) return;
    int at = K - 1;
    for (; at > 0 && smallest[at - 1] > value; at--) smallest[at] = smallest[at - 1];
    smallest[at] = value;
}

struct job {
    float *distance;
    const struct l2r_domain *domain;
    const float *z;
    int64_t n;
    bool own;
};

static void chunk(void *context, int64_t number)
{
    const struct job *job = context;
    const struct l2r_domain *domain = job->domain;
    int64_t begin, end, d = domain->d;
    float smallest[ROWS][K], sum[LANES];
    l2r_chunk_range(&begin, &end, job->n, ROWS, number);
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < K; k++) smallest[i][k] = INFINITY;
    for (int64_t row = 0; row < domain->n_rows; row += LANES)
        for (int64_t i = begin; i < end; i++) {
            squares(sum, job->z + i * d, domain->blocks + row * d, d);
            for (int lane = 0; lane < LANES && row + lane < domain->n_rows; lane++)
                if (!job->own || row + lane != i) keep(smallest[i - begin], sum[lane]);
        }
    int64_t others = domain->n_rows - (job->own ? 1 : 0), count = others < K ? others : K;
    for (int64_t i = begin; i < end; i++) {
        double total = 0;
        for (int64_t k = 0; k < count; k++) total += sqrt((double)smallest[i - begin][k]);
        job->distance[i] = count > 0 ? (float)(total / (double)count / domain->scale) : 0;
    }
}

void l2r_nearest(float *distance, const struct l2r_domain *domain, const float *z, int64_t n, bool own)
{
    struct job job = {distance, domain, z, n, own};
    l2r_parallel(l2r_chunk_count(n, ROWS), chunk, &job);
}
