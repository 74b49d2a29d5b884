/* SPDX-License-Identifier: MIT
 *
 * Sample space with two sets of features (--rff separate). What dependence_sample.c squares, this one multiplies over
 * the two sets. With A = Σ_B k_B∘k'_B − Σ_b k_b∘k'_b, p = k w, p' = k' w, and v as in dependence.h,
 *
 *     (R−1)² 2 L = vᵀAv − (2/R) Σ± v p p' + (1/R²) Σ± (wᵀp)(wᵀp')        Σ±: coarse blocks minus fine ones
 *
 * Both sets are swept in every evaluation: the sums over a whole are not kept as matrices.
 */
#include "base/threads.h"
#include "reweight/dependence.h"

#include <string.h>

enum { ACCUMULATORS = 16, VECTORS_OF_LANE = 6 };

struct scratch {
    l2r_real *w, *v, *from_one; /* [stride] each: w, v, v − 1 */
    double *product, *row_sums; /* [stride] each: A v, A 1 */
    l2r_real *partial;          /* of the product */
    l2r_real *lane;             /* [ACCUMULATORS × VECTORS_OF_LANE × stride] */
    struct l2r_block_sums sums[ACCUMULATORS];
    const struct l2r_dependence *dep;
};

bool l2r_separate_form_init(struct l2r_dependence *dep)
{
    size_t stride = (size_t)dep->stride;
    struct scratch *s = l2r_arena_zeroed(dep->arena, 1, sizeof *s);
    l2r_real *vectors = l2r_arena_zeroed(dep->arena, 3 * stride, sizeof *vectors);
    double *doubles = l2r_arena_alloc(dep->arena, (2 + (size_t)L2R_SYMMETRIC_CHUNKS) * stride, sizeof *doubles);
    l2r_real *partial = l2r_arena_alloc(dep->arena, (size_t)L2R_SYMMETRIC_CHUNKS * stride, sizeof *partial);
    l2r_real *lane = l2r_arena_alloc(dep->arena, ACCUMULATORS * VECTORS_OF_LANE * stride, sizeof *lane);
    dep->a = l2r_arena_alloc(dep->arena, stride * stride, sizeof *dep->a);
    if (!s || !vectors || !doubles || !partial || !lane || !dep->a) return false;
    *s = (struct scratch){.w = vectors,
                          .v = vectors + stride,
                          .from_one = vectors + 2 * stride,
                          .product = doubles,
                          .row_sums = doubles + stride,
                          .partial = partial,
                          .lane = lane,
                          .dep = dep};
    dep->scratch = s;
    l2r_pair_matrix_separate(dep->a, dep->u, dep->u_other, &dep->blocks, dep->stride);
    for (int64_t n = 0; dep->options.unbiased && n < dep->stride; n++) dep->a[n * dep->stride + n] = 0;
    l2r_symmetric_row_sums(s->row_sums, dep->a, doubles + 2 * stride, dep->stride);
    return true;
}

/* Accumulator `lane` takes every ACCUMULATORS-th block, first of the fine ones, then of the coarse ones. */
static void take_blocks(void *context, int64_t lane)
{
    struct scratch *s = context;
    const struct l2r_dependence *dep = s->dep;
    const struct l2r_blocks *b = &dep->blocks;
    l2r_real *base = s->lane + lane * VECTORS_OF_LANE * dep->stride, *scratch = base + 3 * dep->stride;
    memset(base, 0, 3 * (size_t)dep->stride * sizeof *base);
    s->sums[lane] = (struct l2r_block_sums){base, base + dep->stride, base + 2 * dep->stride, {0, 0}};
    for (int64_t i = lane; i < b->n_minus; i += ACCUMULATORS)
        l2r_block_terms_separate(&s->sums[lane], -1, dep->u, dep->u_other, s->w, s->v, scratch, b->minus[i],
                                 b->minus[i + 1], dep->stride);
    for (int64_t i = lane; i < b->n_plus; i += ACCUMULATORS)
        l2r_block_terms_separate(&s->sums[lane], 1, dep->u, dep->u_other, s->w, s->v, scratch, b->minus[b->plus[i]],
                                 b->minus[b->plus[i + 1]], dep->stride);
}

double l2r_separate_form_value(struct l2r_dependence *dep, double *gradient, const double *w)
{
    struct scratch *s = dep->scratch;
    double r = (double)dep->n_rows, scale = 0.5 / ((r - 1) * (r - 1)), lead = 0, sums[2] = {0, 0};
    for (int64_t n = 0; n < dep->n_rows; n++) {
        s->w[n] = (l2r_real)w[n];
        s->v[n] = (l2r_real)l2r_measure(dep, w[n]);
        s->from_one[n] = (l2r_real)(l2r_measure(dep, w[n]) - 1);
    }
    l2r_parallel(ACCUMULATORS, take_blocks, s);
    l2r_symmetric_products(s->product, NULL, dep->a, NULL, s->from_one, NULL, s->partial, dep->stride);
    for (int64_t lane = 0; lane < ACCUMULATORS; lane++)
        for (int k = 0; k < 2; k++) sums[k] += s->sums[lane].sums[k];
    for (int64_t n = 0; n < dep->n_rows; n++) {
        s->product[n] += s->row_sums[n];
        lead += l2r_measure(dep, w[n]) * s->product[n];
        double square = 0, linear = 0, cross = 0;
        for (int64_t lane = 0; gradient && lane < ACCUMULATORS; lane++) {
            square += (double)s->sums[lane].square[n];
            linear += (double)s->sums[lane].linear[n];
            cross += (double)s->sums[lane].cross[n];
        }
        double half = dep->options.scaled ? w[n] : 0.5;
        if (gradient) gradient[n] = 4 * scale * (half * (s->product[n] - square / r) - linear / r + cross / (r * r));
    }
    return scale * (lead - 2 / r * sums[0] + sums[1] / (r * r));
}
