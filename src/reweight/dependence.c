/* SPDX-License-Identifier: MIT
 *
 * See dependence.h. Here: Z is standardised, variables are put in the order of their clusters, random features are
 * drawn, and the cheaper of the two exact forms is chosen by counting operations. The forms themselves are in
 * dependence_feature.c and dependence_sample.c.
 *
 * Features are drawn in the order of the variables, not of their places, so that moving a variable to another cluster
 * changes no random number.
 */
#include "reweight/dependence.h"

#include <math.h>
#include <string.h>

double l2r_dependence_flops(enum l2r_dependence_form form, int64_t rows, int64_t columns, int64_t steps)
{
    double r = (double)rows, k = (double)columns, t = (double)steps;
    if (form == L2R_FORM_FEATURE) return t * 4 * r * k * k;
    return r * r * k + t * (6 * r * r + 8 * r * k);
}

/* Variables in the order of their clusters, otherwise as they are. */
static void order_variables(int32_t *variable, int32_t *cluster_end, const int32_t *cluster, int32_t n_clusters,
                            int64_t d)
{
    int32_t at = 0;
    for (int32_t c = 0; c < n_clusters; c++) {
        for (int32_t i = 0; i < d; i++)
            if (cluster[i] == c) variable[at++] = i;
        cluster_end[c] = at;
    }
}

/* Fine and coarse blocks for the kind of pairs; cluster_end counts variables. */
static bool make_blocks(struct l2r_dependence *dep, const int32_t *cluster_end, int32_t n_clusters)
{
    int32_t n_f = (int32_t)dep->options.n_f, d = (int32_t)dep->d;
    bool by_variable = dep->options.pairs != L2R_PAIRS_ACROSS, whole = dep->options.pairs != L2R_PAIRS_WITHIN;
    int32_t n_minus = by_variable ? d : n_clusters, n_plus = whole ? 1 : n_clusters;
    int32_t *minus = l2r_arena_zeroed(dep->arena, (size_t)n_minus + 1, sizeof *minus);
    int32_t *plus = l2r_arena_zeroed(dep->arena, (size_t)n_plus + 1, sizeof *plus);
    if (!minus || !plus) return false;
    for (int32_t b = 0; b < n_minus; b++) minus[b + 1] = n_f * (by_variable ? b + 1 : cluster_end[b]);
    for (int32_t b = 0; b < n_plus; b++) plus[b + 1] = whole ? n_minus : cluster_end[b];
    dep->blocks = (struct l2r_blocks){n_minus, n_plus, minus, plus};
    return true;
}

/* ω and φ by variable, stored by place. */
static void draw_features(l2r_real *omega, l2r_real *phase, const struct l2r_dependence *dep, struct l2r_rng *rng,
                          double *drawn)
{
    int64_t n_f = dep->options.n_f;
    for (int64_t k = 0; k < dep->columns; k++) drawn[k] = l2r_rng_normal(rng);
    for (int64_t place = 0; place < dep->d; place++)
        for (int64_t f = 0; f < n_f; f++) omega[place * n_f + f] = (l2r_real)drawn[dep->variable[place] * n_f + f];
    for (int64_t k = 0; k < dep->columns; k++) drawn[k] = 2 * 3.14159265358979323846 * l2r_rng_uniform(rng);
    for (int64_t place = 0; place < dep->d; place++)
        for (int64_t f = 0; f < n_f; f++) phase[place * n_f + f] = (l2r_real)drawn[dep->variable[place] * n_f + f];
}

static bool init_form(struct l2r_dependence *dep)
{
    return dep->sample_space ? l2r_sample_form_init(dep) : l2r_feature_form_init(dep);
}

static void choose_form(struct l2r_dependence *dep)
{
    const struct l2r_dependence_options *o = &dep->options;
    double feature = l2r_dependence_flops(L2R_FORM_FEATURE, dep->n_rows, dep->columns, o->expected_steps);
    double sample = l2r_dependence_flops(L2R_FORM_SAMPLE, dep->n_rows, dep->columns, o->expected_steps);
    dep->sample_space = o->form == L2R_FORM_SAMPLE || (o->form == L2R_FORM_AUTO && sample <= feature);
}

enum l2r_status l2r_dependence_init(struct l2r_dependence *dep, struct l2r_arena *arena, const l2r_real *z,
                                    const int32_t *cluster, int32_t n_clusters, int64_t n_rows, int64_t d,
                                    const struct l2r_dependence_options *options, struct l2r_rng *rng,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t columns = (size_t)(d * options->n_f), stride = (size_t)l2r_padded_rows(n_rows);
    *dep = (struct l2r_dependence){.options = *options,
                                   .n_rows = n_rows,
                                   .stride = (int64_t)stride,
                                   .d = d,
                                   .columns = (int64_t)columns,
                                   .arena = arena};
    int32_t *end = l2r_arena_alloc(arena, (size_t)n_clusters + 1, sizeof *end);
    double *drawn = l2r_arena_alloc(arena, columns, sizeof *drawn);
    int32_t *place = l2r_arena_alloc(arena, (size_t)d, sizeof *place);
    dep->variable = l2r_arena_alloc(arena, (size_t)d, sizeof *dep->variable);
    dep->z = l2r_arena_alloc(arena, (size_t)d * stride, sizeof *dep->z);
    dep->inverse_sd = l2r_arena_alloc(arena, (size_t)d, sizeof *dep->inverse_sd);
    dep->factor = l2r_arena_alloc(arena, (size_t)d, sizeof *dep->factor);
    dep->omega = l2r_arena_alloc(arena, columns, sizeof *dep->omega);
    dep->phase = l2r_arena_alloc(arena, columns, sizeof *dep->phase);
    dep->u = l2r_arena_alloc(arena, columns * stride, sizeof *dep->u);
    if (!end || !drawn || !place || !dep->variable || !dep->z || !dep->inverse_sd || !dep->factor || !dep->omega ||
        !dep->phase || !dep->u)
        goto memory;
    if (options->pairs == L2R_PAIRS_ALL)
        for (int32_t i = 0; i < d; i++) dep->variable[i] = i;
    else
        order_variables(dep->variable, end, cluster, n_clusters, d);
    for (int32_t i = 0; i < d; i++) place[dep->variable[i]] = i;
    l2r_standardise(dep->z, dep->inverse_sd, z, place, n_rows, dep->stride, d);
    for (int64_t i = 0; i < d; i++) {
        l2r_real importance = options->importance ? options->importance[dep->variable[i]] : 1;
        dep->factor[i] = dep->inverse_sd[i] != 0 ? importance : 0;
    }
    draw_features(dep->omega, dep->phase, dep, rng, drawn);
    l2r_fourier_forward(dep->u, dep->z, dep->omega, dep->phase, dep->factor, n_rows, dep->stride, d, options->n_f);
    choose_form(dep);
    if (!make_blocks(dep, end, n_clusters)) goto memory;
    if (!init_form(dep)) goto memory;
    return status;
memory:
    return l2r_fail_memory(error, 3 * columns * stride * sizeof(l2r_real),
                           "the dependence between variables; try a smaller batch");
}

double l2r_dependence_value(struct l2r_dependence *dep, double *gradient, const double *w)
{
    return dep->sample_space ? l2r_sample_form_value(dep, gradient, w) : l2r_feature_form_value(dep, gradient, w);
}

static double objective_value(void *state, double *gradient, const double *w)
{
    return l2r_dependence_value(state, gradient, w);
}

struct l2r_objective l2r_dependence_objective(struct l2r_dependence *dep)
{
    return (struct l2r_objective){objective_value, dep, dep->n_rows};
}
