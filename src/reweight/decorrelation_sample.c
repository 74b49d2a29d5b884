/* SPDX-License-Identifier: MIT
 *
 * Sample space: A once, then per evaluation one product with A and sweeps over the features (decorrelation.h). The blocks are
 * dealt to a fixed number of accumulators, which are added in order: the same bits for any number of threads.
 */
#include "base/threads.h"
#include "reweight/decorrelation_forms.h"

#include <string.h>

enum { ACCUMULATORS = 16 };

struct scratch {
    l2r_real *w, *v, *product, *p, *weighted; /* [stride] each */
    l2r_real *lane;                           /* [ACCUMULATORS × 5 × stride] */
    struct l2r_block_sums sums[ACCUMULATORS];
    const struct l2r_dependence *dep;
};

bool l2r_sample_form_init(struct l2r_dependence *dep)
{
    size_t stride = (size_t)dep->stride, square = stride * stride;
    struct scratch *s = l2r_arena_zeroed(dep->arena, 1, sizeof *s);
    l2r_real *vectors = l2r_arena_zeroed(dep->arena, 5 * stride, sizeof *vectors);
    l2r_real *repacked = l2r_arena_alloc(dep->arena, 2 * (size_t)dep->columns * stride, sizeof *repacked);
    bool keep_g = dep->blocks.n_plus == 1 && dep->stride <= dep->columns; /* else two sweeps are cheaper than G twice */
    dep->a = l2r_arena_alloc(dep->arena, square, sizeof *dep->a);
    if (keep_g) dep->g = l2r_arena_alloc(dep->arena, square, sizeof *dep->g);
    if (!s || !vectors || !repacked || !dep->a || (keep_g && !dep->g)) return false;
    s->lane = l2r_arena_alloc(dep->arena, ACCUMULATORS * 5 * stride, sizeof *s->lane);
    if (!s->lane) return false;
    s->dep = dep;
    s->w = vectors, s->v = s->w + stride, s->product = s->v + stride, s->p = s->product + stride,
    s->weighted = s->p + stride;
    dep->scratch = s;
    l2r_pair_matrices(dep->a, dep->g, dep->u, &dep->blocks, repacked, dep->columns, dep->stride);
    for (int64_t n = 0; dep->options.unbiased && n < dep->stride; n++) dep->a[n * dep->stride + n] = 0;
    return true;
}

/* Accumulator `lane` takes every ACCUMULATORS-th block, first of the fine ones, then of the coarse ones. */
static void take_blocks(void *context, int64_t lane)
{
    struct scratch *s = context;
    const struct l2r_dependence *dep = s->dep;
    const struct l2r_blocks *b = &dep->blocks;
    l2r_real *base = s->lane + lane * 5 * dep->stride;
    memset(base, 0, 3 * (size_t)dep->stride * sizeof *base);
    s->sums[lane] = (struct l2r_block_sums){base, base + dep->stride, base + 2 * dep->stride, {0, 0}};
    for (int64_t i = lane; i < b->n_minus; i += ACCUMULATORS)
        l2r_block_terms(&s->sums[lane], -1, dep->u, s->w, s->v, base + 3 * dep->stride, b->minus[i], b->minus[i + 1],
                        dep->stride);
    for (int64_t i = lane; !dep->g && i < b->n_plus; i += ACCUMULATORS)
        l2r_block_terms(&s->sums[lane], 1, dep->u, s->w, s->v, base + 3 * dep->stride, b->minus[b->plus[i]],
                        b->minus[b->plus[i + 1]], dep->stride);
}

/* The one coarse block through G: p = G w, q = G (v∘p). */
static void take_whole(struct scratch *s, struct l2r_block_sums *into)
{
    const struct l2r_dependence *dep = s->dep;
    double cross = 0, square = 0;
    l2r_symmetric_times(s->p, dep->g, s->w, dep->stride);
    for (int64_t n = 0; n < dep->stride; n++) {
        s->weighted[n] = s->v[n] * s->p[n];
        cross += (double)s->w[n] * (double)s->p[n];
        square += (double)s->weighted[n] * (double)s->p[n];
    }
    l2r_real *q = into->square; /* free until the sums below */
    l2r_symmetric_times(q, dep->g, s->weighted, dep->stride);
    for (int64_t n = 0; n < dep->stride; n++) {
        into->linear[n] = q[n];
        into->square[n] = s->p[n] * s->p[n];
        into->cross[n] = (l2r_real)(cross * (double)s->p[n]);
    }
    into->sums[0] = square;
    into->sums[1] = cross * cross;
}

double l2r_sample_form_value(struct l2r_dependence *dep, double *gradient, const double *w)
{
    struct scratch *s = dep->scratch;
    double r = (double)dep->n_rows, scale = 0.5 / ((r - 1) * (r - 1)), lead = 0, sums[2] = {0, 0};
    struct l2r_block_sums whole = {0};
    for (int64_t n = 0; n < dep->n_rows; n++) {
        s->w[n] = (l2r_real)w[n];
        s->v[n] = (l2r_real)(w[n] * w[n]);
    }
    l2r_parallel(ACCUMULATORS, take_blocks, s);
    if (dep->g) {
        l2r_real *base = s->lane + 3 * dep->stride; /* the first accumulator's scratch is free again */
        whole = (struct l2r_block_sums){base, base + dep->stride, s->product, {0, 0}};
        take_whole(s, &whole);
        for (int64_t n = 0; n < dep->stride; n++) s->p[n] = whole.cross[n];
        whole.cross = s->p;
        sums[0] = whole.sums[0], sums[1] = whole.sums[1];
    }
    l2r_symmetric_times(s->product, dep->a, s->v, dep->stride);
    for (int64_t lane = 0; lane < ACCUMULATORS; lane++)
        for (int k = 0; k < 2; k++) sums[k] += s->sums[lane].sums[k];
    for (int64_t n = 0; n < dep->n_rows; n++) {
        lead += (double)s->v[n] * (double)s->product[n];
        if (!gradient) continue;
        double square = 0, linear = 0, cross = 0;
        for (int64_t lane = 0; lane < ACCUMULATORS; lane++) {
            square += (double)s->sums[lane].square[n];
            linear += (double)s->sums[lane].linear[n];
            cross += (double)s->sums[lane].cross[n];
        }
        if (dep->g) {
            square += (double)whole.square[n];
            linear += (double)whole.linear[n];
            cross += (double)whole.cross[n];
        }
        gradient[n] = 4 * scale * (w[n] * (double)s->product[n] - (w[n] * square + linear) / r + cross / (r * r));
    }
    return scale * (lead - 2 / r * sums[0] + sums[1] / (r * r));
}
