/* SPDX-License-Identifier: MIT
 *
 * Sample space: A once, then per evaluation one product with A and sweeps over the features (dependence.h). With Σ±
 * over the blocks, coarse ones minus fine ones,
 *
 *     ∂L/∂w = 2/(R−1)² · ( ½v'∘(A v − Σ± p_b² / R) + (1/R) Σ± ( (wᵀp_b) p_b / R − k_b (v∘p_b) ) ),   v' = dv/dw
 *
 * Where there is one coarse block, p = Σ_b p_b needs no sweep, and k = G is kept beside A if that is less to read than
 * the features. The blocks are dealt to a fixed number of lanes, which are added in order: the same bits for any number
 * of threads.
 */
#include "base/threads.h"
#include "reweight/dependence.h"

#include <string.h>

enum { LANES = 8, REALS_OF_LANE = 4, DOUBLES_OF_LANE = 4 };

struct scratch {
    l2r_real *w, *v, *from_one, *weighted;            /* [stride] each; weighted: v∘p of the whole */
    double *whole, *square, *linear, *product, *back; /* [stride] each: p, Σ±p², the sum over blocks, A v, G (v∘p) */
    double *row_sums[2];                              /* [stride] each: A 1, G 1 */
    l2r_real *lane_reals;                             /* [LANES × REALS_OF_LANE × stride] */
    double *lane_doubles;                             /* [LANES × DOUBLES_OF_LANE × stride] */
    l2r_real *partial;                                /* of the products */
    struct l2r_block_step step[LANES];
    const struct l2r_dependence *dep;
    bool with_gradient;
};

static bool take_vectors(struct scratch *s, struct l2r_arena *arena, size_t stride)
{
    l2r_real *reals = l2r_arena_zeroed(arena, 4 * stride, sizeof *reals);
    double *doubles = l2r_arena_alloc(arena, 7 * stride, sizeof *doubles);
    s->lane_reals = l2r_arena_alloc(arena, LANES * REALS_OF_LANE * stride, sizeof *s->lane_reals);
    s->lane_doubles = l2r_arena_alloc(arena, LANES * DOUBLES_OF_LANE * stride, sizeof *s->lane_doubles);
    s->partial = l2r_arena_alloc(arena, 2 * (size_t)L2R_SYMMETRIC_CHUNKS * stride, sizeof *s->partial);
    if (!reals || !doubles || !s->lane_reals || !s->lane_doubles || !s->partial) return false;
    s->w = reals, s->v = reals + stride, s->from_one = reals + 2 * stride, s->weighted = reals + 3 * stride;
    s->whole = doubles, s->square = doubles + stride, s->linear = doubles + 2 * stride;
    s->product = doubles + 3 * stride, s->back = doubles + 4 * stride;
    s->row_sums[0] = doubles + 5 * stride, s->row_sums[1] = doubles + 6 * stride;
    return true;
}

bool l2r_sample_form_init(struct l2r_dependence *dep)
{
    size_t stride = (size_t)dep->stride, square = stride * stride;
    struct scratch *s = l2r_arena_zeroed(dep->arena, 1, sizeof *s);
    l2r_real *repacked = l2r_arena_alloc(dep->arena, 2 * (size_t)dep->columns * stride, sizeof *repacked);
    bool keep_g = dep->blocks.n_plus == 1 && dep->stride <= 2 * dep->columns; /* half of G is read, all of U */
    dep->a = l2r_arena_alloc(dep->arena, square, sizeof *dep->a);
    if (keep_g) dep->g = l2r_arena_alloc(dep->arena, square, sizeof *dep->g);
    if (!s || !repacked || !dep->a || (keep_g && !dep->g) || !take_vectors(s, dep->arena, stride)) return false;
    s->dep = dep;
    dep->scratch = s;
    l2r_pair_matrices(dep->a, dep->g, dep->u, &dep->blocks, repacked, dep->columns, dep->stride);
    l2r_symmetric_row_sums(s->row_sums[0], dep->a, s->lane_doubles, dep->stride);
    if (dep->g) l2r_symmetric_row_sums(s->row_sums[1], dep->g, s->lane_doubles, dep->stride);
    return true;
}

/* Lane `lane` takes every LANES-th block, first of the fine ones, then of the coarse ones where they are not kept as
 * G. */
static void take_blocks(void *context, int64_t lane)
{
    struct scratch *s = context;
    const struct l2r_dependence *dep = s->dep;
    const struct l2r_blocks *b = &dep->blocks;
    l2r_real *reals = s->lane_reals + lane * REALS_OF_LANE * dep->stride;
    double *doubles = s->lane_doubles + lane * DOUBLES_OF_LANE * dep->stride;
    struct l2r_block_step *step = &s->step[lane];
    memset(reals, 0, 3 * (size_t)dep->stride * sizeof *reals);
    memset(doubles, 0, 3 * (size_t)dep->stride * sizeof *doubles);
    *step = (struct l2r_block_step){.u = dep->u,
                                    .w = s->w,
                                    .v = s->v,
                                    .whole = reals,
                                    .square = reals + dep->stride,
                                    .linear = s->with_gradient ? reals + 2 * dep->stride : NULL,
                                    .exact_whole = doubles,
                                    .exact_square = doubles + dep->stride,
                                    .exact_linear = doubles + 2 * dep->stride,
                                    .products = doubles + 3 * dep->stride,
                                    .weighted = reals + 3 * dep->stride,
                                    .rows = (double)dep->n_rows,
                                    .stride = dep->stride};
    for (int64_t i = lane; i < b->n_minus; i += LANES) l2r_block_terms(step, -1, b->minus[i], b->minus[i + 1]);
    for (int64_t i = lane; !dep->g && i < b->n_plus; i += LANES)
        l2r_block_terms(step, 1, b->minus[b->plus[i]], b->minus[b->plus[i + 1]]);
}

L2R_CLONES(static, add_lane, (double *sum, const l2r_real *lane, const double *exact, int64_t n), (sum, lane, exact, n))
{
    for (int64_t i = 0; i < n; i++) sum[i] += (double)lane[i] + exact[i];
}

/* Sums over the lanes that `n` blocks have reached. */
static void add_lanes(struct scratch *s, double sums[2], int64_t n)
{
    int64_t rows = s->dep->n_rows;
    for (double *sum[] = {s->whole, s->square, s->linear}, **at = sum; at < sum + 3; at++)
        memset(*at, 0, (size_t)rows * sizeof **at);
    for (int64_t lane = 0; lane < LANES && lane < n; lane++) {
        const struct l2r_block_step *step = &s->step[lane];
        sums[0] += step->sums[0], sums[1] += step->sums[1];
        add_lane(s->square, step->square, step->exact_square, rows);
        if (s->dep->g) add_lane(s->whole, step->whole, step->exact_whole, rows);
        if (step->linear) add_lane(s->linear, step->linear, step->exact_linear, rows);
    }
}

/* The one coarse block, but for G (v∘p): adds to the sums and to linear and square. */
static void take_whole(struct scratch *s, double sums[2], const double *w)
{
    int64_t rows = s->dep->n_rows;
    double cross = 0, along = 0, mean = 0;
    for (int64_t n = 0; n < rows; n++) {
        double p = s->whole[n], weighted = l2r_measure(s->dep, w[n]) * p;
        mean += weighted / (double)rows;
        s->square[n] += p * p;
        cross += w[n] * p;
        along += weighted * p;
    }
    for (int64_t n = 0; n < rows; n++) {
        s->weighted[n] = (l2r_real)(l2r_measure(s->dep, w[n]) * s->whole[n] - mean);
        s->linear[n] += cross / (double)rows * s->whole[n] - mean * s->row_sums[1][n];
    }
    sums[0] += along;
    sums[1] += cross * cross;
}

L2R_CLONES(static, combine_terms, (double *gradient, const struct scratch *s, const double *w, double scale),
           (gradient, s, w, scale))
{
    int64_t rows = s->dep->n_rows;
    double r = (double)rows;
    const double *back = s->dep->g ? s->back : NULL;
    bool scaled = s->dep->options.scaled;
    for (int64_t n = 0; n < rows; n++) {
        double linear = s->linear[n] - (back ? back[n] : 0);
        double half = scaled ? w[n] : 0.5;
        gradient[n] = 4 * scale * (half * (s->product[n] - s->square[n] / r) + linear / r);
    }
}

double l2r_sample_form_value(struct l2r_dependence *dep, double *gradient, const double *w)
{
    struct scratch *s = dep->scratch;
    double r = (double)dep->n_rows, scale = 0.5 / ((r - 1) * (r - 1)), lead = 0, sums[2] = {0, 0};
    int64_t n_blocks = dep->blocks.n_minus > dep->blocks.n_plus ? dep->blocks.n_minus : dep->blocks.n_plus;
    for (int64_t n = 0; n < dep->n_rows; n++) {
        s->w[n] = (l2r_real)w[n];
        s->v[n] = (l2r_real)l2r_measure(dep, w[n]);
        s->from_one[n] = (l2r_real)(l2r_measure(dep, w[n]) - 1);
    }
    s->with_gradient = gradient != NULL;
    l2r_parallel(n_blocks < LANES ? n_blocks : LANES, take_blocks, s);
    add_lanes(s, sums, n_blocks);
    if (dep->g) take_whole(s, sums, w);
    l2r_symmetric_products(s->product, s->back, dep->a, gradient ? dep->g : NULL, s->from_one, s->weighted, s->partial,
                           dep->stride);
    for (int64_t n = 0; n < dep->n_rows; n++) {
        s->product[n] += s->row_sums[0][n];
        lead += l2r_measure(dep, w[n]) * s->product[n];
    }
    if (gradient) combine_terms(gradient, s, w, scale);
    return scale * (lead - 2 / r * sums[0] + sums[1] / (r * r));
}
