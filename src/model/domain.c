/* SPDX-License-Identifier: MIT
 *
 * See domain.h: the distances and their calibration. A block of rows stays in the cache while every row of a chunk of z
 * passes over it:
 *
 *     for each block:  for each z:  sum[lane] = Σ_k (z_k − block[k][lane])²,  then the K smallest sums so far
 *
 * The search is exhaustive: at most L2R_DOMAIN_ROWS rows are kept, too few for an index to pay.
 */
#include "model/domain.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/threads.h"
#include "kernels/real.h"

#include <math.h>
#include <stdlib.h>

void l2r_domain_clear(struct l2r_domain *domain)
{
    l2r_free(domain->blocks);
    l2r_free(domain->checked);
    *domain = (struct l2r_domain){0};
}

static float *cell(const struct l2r_domain *domain, int64_t row, int64_t column)
{
    int64_t block = row / L2R_DOMAIN_LANES, lane = row % L2R_DOMAIN_LANES;
    return domain->blocks + (block * domain->d + column) * L2R_DOMAIN_LANES + lane;
}

enum l2r_status l2r_domain_keep(struct l2r_domain *domain, const float *z, int64_t n, int64_t d,
                                struct l2r_error *error)
{
    int64_t places = (n + L2R_DOMAIN_LANES - 1) / L2R_DOMAIN_LANES * L2R_DOMAIN_LANES;
    *domain = (struct l2r_domain){.d = (int32_t)d, .n_rows = (int32_t)n, .n_train = n, .scale = 1};
    for (int64_t i = 0; i < n * d; i++)
        if (!isfinite(z[i])) {
            *domain = (struct l2r_domain){0};
            return l2r_fail(error, L2R_ERR_DIVERGED,
                            "column %lld of the representation of training graph %lld is not finite",
                            (long long)(i % d), (long long)(i / d));
        }
    domain->blocks = l2r_alloc_raw((size_t)(places * d), sizeof *domain->blocks);
    if (!domain->blocks) {
        *domain = (struct l2r_domain){0};
        return l2r_fail_memory(error, (size_t)(places * d) * sizeof *domain->blocks, "an applicability domain");
    }
    for (int64_t row = 0; row < places; row++)
        for (int64_t k = 0; k < d; k++) *cell(domain, row, k) = row < n ? z[row * d + k] : INFINITY;
    return L2R_OK;
}

void l2r_domain_rows(float *z, const struct l2r_domain *domain)
{
    for (int64_t row = 0; row < domain->n_rows; row++)
        for (int64_t k = 0; k < domain->d; k++) z[row * domain->d + k] = *cell(domain, row, k);
}

enum { LANES = L2R_DOMAIN_LANES, K = L2R_DOMAIN_NEAREST, ROWS = 32 /* of z in a chunk */ };

/* Eight columns at a time are added before the total, which keeps the rounding of long rows small. */
L2R_CLONES(static, squares,
           (float *restrict sum /* [LANES] */, const float *restrict z, const float *restrict block, int64_t d),
           (sum, z, block, d))
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

/* distance [n] of z [n × d]. own: row i of z is the domain's row i and does not count as its own neighbour. With fewer
 * rows than K all of them count; without any, the distance is 0. */
static void nearest(float *distance, const struct l2r_domain *domain, const float *z, int64_t n, bool own)
{
    struct job job = {distance, domain, z, n, own};
    l2r_parallel(l2r_chunk_count(n, ROWS), chunk, &job);
}

/* The scale is the median distance. Where more than half of the training graphs have duplicates the median is 0, and
 * the smallest distance above 0 takes its place: a scale of 0 would put every other graph infinitely far away. */
enum l2r_status l2r_domain_measure(struct l2r_domain *domain, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t n = (size_t)domain->n_rows, d = (size_t)domain->d, middle = n / 2;
    float *z = l2r_alloc_raw(n * d, sizeof *z), *distance = l2r_alloc_raw(n, sizeof *distance);
    if (!z || !distance) {
        status = l2r_fail_memory(error, n * d * sizeof *z, "the distances between training graphs");
        goto done;
    }
    domain->scale = 1;
    l2r_domain_rows(z, domain);
    nearest(distance, domain, z, (int64_t)n, true);
    qsort(distance, n, sizeof *distance, l2r_compare_float);
    while (middle + 1 < n && !(distance[middle] > 0)) middle++;
    if (distance[middle] > 0 && isfinite(distance[middle])) domain->scale = (double)distance[middle];
done:
    l2r_free(z);
    l2r_free(distance);
    return status;
}

void l2r_domain_distances(float *distance, const struct l2r_domain *domain, const float *z, int64_t n)
{
    nearest(distance, domain, z, n, false);
}

enum l2r_status l2r_domain_calibrate(struct l2r_domain *domain, float *distance, int64_t n, struct l2r_error *error)
{
    int64_t kept = n < L2R_DOMAIN_CHECKED ? n : L2R_DOMAIN_CHECKED;
    float *checked = l2r_alloc((size_t)kept, sizeof *checked);
    if (!checked) return l2r_fail_memory(error, (size_t)kept * sizeof *checked, "the distances of validation graphs");
    qsort(distance, (size_t)n, sizeof *distance, l2r_compare_float);
    /* Evenly spaced quantiles, the nearest and the furthest among them. */
    for (int64_t k = 0; k < kept; k++) checked[k] = distance[kept > 1 ? k * (n - 1) / (kept - 1) : 0];
    l2r_free(domain->checked);
    domain->checked = checked;
    domain->n_checked = (int32_t)kept;
    domain->n_valid = n;
    return L2R_OK;
}

/* A binary search for the number of validation graphs that are nearer. */
float l2r_domain_applicability(const struct l2r_domain *domain, float distance)
{
    int32_t low = 0, high = domain->n_checked; /* checked[0 .. low) are nearer, checked[high ..) are not */
    if (high == 0 || isnan(distance)) return NAN;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (domain->checked[middle] < distance)
            low = middle + 1;
        else
            high = middle;
    }
    return (float)(domain->n_checked - low) / (float)domain->n_checked;
}

bool l2r_domain_is_sound(const struct l2r_domain *domain)
{
    if (!(domain->scale > 0) || !isfinite(domain->scale)) return false;
    for (int32_t k = 0; k < domain->n_checked; k++) {
        float before = k > 0 ? domain->checked[k - 1] : 0;
        if (!isfinite(domain->checked[k]) || !(domain->checked[k] >= before)) return false;
    }
    return true;
}
