/* SPDX-License-Identifier: MIT
 *
 * Feature space: F of all columns, S = Σ masked to the pairs that count, L = ½ Σ over ordered pairs ‖S_ij‖².
 *
 *     scaled    F = H D_w U    S = F Fᵀ / (R−1)       D = 2/(R−1) · H S F    ∂L/∂w_n = Σ_k U_k(n) D_k(n)
 *     weighted  F = U − m 1ᵀ   S = F D_w Fᵀ / (R−1)   D = 2/(R−1) · S F      ∂L/∂w_n = ½ Σ_k F_k(n) D_k(n) − c
 *
 * and ∂L/∂U_k(n) = w_n D_k(n) in both (scaled: D = ∂L/∂(D_w U)). c = mᵀS m / (R−1) and a term (Σw − R) m mᵀ of S make
 * it exact for weights of any sum. U, F and D are stored by column, [columns × stride]. Also the gradient in Z, which
 * the second-order term needs.
 */
#include "base/threads.h"
#include "kernels/gemm.h"
#include "reweight/dependence.h"

#include <math.h>

struct scratch {
    l2r_real *f, *d_f;      /* [columns × stride] */
    double *mean;           /* [columns]: m */
    l2r_real *s;            /* [columns × columns] */
    int32_t *fine, *coarse; /* [columns]: the blocks of a column */
};

bool l2r_feature_form_init(struct l2r_dependence *dep)
{
    size_t columns = (size_t)dep->columns, size = columns * (size_t)dep->stride;
    struct scratch *s = l2r_arena_zeroed(dep->arena, 1, sizeof *s);
    if (!s) return false;
    s->f = l2r_arena_alloc(dep->arena, size, sizeof *s->f);
    s->d_f = l2r_arena_alloc(dep->arena, size, sizeof *s->d_f);
    s->mean = l2r_arena_alloc(dep->arena, columns, sizeof *s->mean);
    s->s = l2r_arena_alloc(dep->arena, columns * columns, sizeof *s->s);
    s->fine = l2r_arena_alloc(dep->arena, columns, sizeof *s->fine);
    s->coarse = l2r_arena_alloc(dep->arena, columns, sizeof *s->coarse);
    if (!s->f || !s->d_f || !s->mean || !s->s || !s->fine || !s->coarse) return false;
    const struct l2r_blocks *b = &dep->blocks;
    for (int32_t outer = 0; outer < b->n_plus; outer++)
        for (int32_t inner = b->plus[outer]; inner < b->plus[outer + 1]; inner++)
            for (int32_t k = b->minus[inner]; k < b->minus[inner + 1]; k++) s->fine[k] = inner, s->coarse[k] = outer;
    dep->scratch = s;
    return true;
}

/* F; mean [columns]: m. */
static void weigh(l2r_real *f, double *mean, const struct l2r_dependence *dep, const double *w)
{
    for (int64_t k = 0; k < dep->columns; k++) {
        const l2r_real *u = dep->u + k * dep->stride;
        double m = 0;
        for (int64_t n = 0; n < dep->n_rows; n++) m += w[n] * (double)u[n];
        mean[k] = m /= (double)dep->n_rows;
        for (int64_t n = 0; n < dep->stride; n++)
            f[k * dep->stride + n] =
                n >= dep->n_rows ? 0 : (l2r_real)((dep->options.scaled ? w[n] : 1) * (double)u[n] - m);
    }
}

/* out = f D_w. */
static void times_weights(l2r_real *out, const l2r_real *f, const struct l2r_dependence *dep, const double *w)
{
    for (int64_t k = 0; k < dep->columns; k++)
        for (int64_t n = 0; n < dep->stride; n++)
            out[k * dep->stride + n] = n < dep->n_rows ? (l2r_real)(w[n] * (double)f[k * dep->stride + n]) : 0;
}

/* S of the pairs in one coarse but different fine blocks, less `excess` times the product of the means; returns half
 * the sum of its squares. */
static double mask_pairs(struct scratch *s, int64_t columns, double excess, double divisor)
{
    double sum = 0;
    for (int64_t i = 0; i < columns; i++)
        for (int64_t j = 0; j < columns; j++) {
            bool counts = s->coarse[i] == s->coarse[j] && s->fine[i] != s->fine[j];
            double product = (double)s->s[i * columns + j] - excess * s->mean[i] * s->mean[j];
            l2r_real value = counts ? (l2r_real)(product / divisor) : 0;
            s->s[i * columns + j] = value;
            sum += (double)value * (double)value;
        }
    return 0.5 * sum;
}

/* D ← factor · D, and for scaled covariances H of it, column by column. */
static void finish_slope(l2r_real *d_f, const struct l2r_dependence *dep, double factor)
{
    for (int64_t k = 0; k < dep->columns; k++) {
        l2r_real *g = d_f + k * dep->stride;
        double mean = 0;
        for (int64_t n = 0; dep->options.scaled && n < dep->n_rows; n++) mean += (double)g[n];
        mean /= (double)dep->n_rows;
        for (int64_t n = 0; n < dep->n_rows; n++) g[n] = (l2r_real)(factor * ((double)g[n] - mean));
    }
}

/* L, and D in s->d_f if wanted. */
static double evaluate(struct l2r_dependence *dep, const double *w, bool with_gradient)
{
    struct scratch *s = dep->scratch;
    int64_t columns = dep->columns, stride = dep->stride;
    double r = (double)dep->n_rows, excess = 0;
    struct l2r_matrix f = {s->f, stride, false}, f_transposed = {s->f, stride, true},
                      left = {dep->options.scaled ? s->f : s->d_f, stride, false}, masked = {s->s, columns, false};
    weigh(s->f, s->mean, dep, w);
    if (!dep->options.scaled) {
        times_weights(s->d_f, s->f, dep, w); /* free until the slopes */
        for (int64_t n = 0; n < dep->n_rows; n++) excess += w[n] - 1;
    }
    l2r_gemm(s->s, columns, 0, left, f_transposed, columns, columns, stride);
    double value = mask_pairs(s, columns, excess, r - 1);
    if (!with_gradient) return value;
    l2r_gemm(s->d_f, stride, 0, masked, f, columns, stride, columns);
    finish_slope(s->d_f, dep, 2 / (r - 1));
    return value;
}

/* gradient += factor · Σ_k x_k ∘ D_k. */
static void add_gradient(double *gradient, double factor, const l2r_real *x, const l2r_real *d_f,
                         const struct l2r_dependence *dep)
{
    for (int64_t k = 0; k < dep->columns; k++)
        for (int64_t n = 0; n < dep->n_rows; n++)
            gradient[n] += factor * (double)x[k * dep->stride + n] * (double)d_f[k * dep->stride + n];
}

double l2r_feature_form_value(struct l2r_dependence *dep, double *gradient, const double *w)
{
    double value = evaluate(dep, w, gradient != NULL), shift = 0;
    const struct scratch *s = dep->scratch;
    bool scaled = dep->options.scaled;
    if (!gradient) return value;
    for (int64_t i = 0; !scaled && i < dep->columns; i++)
        for (int64_t j = 0; j < dep->columns; j++)
            shift += s->mean[i] * (double)s->s[i * dep->columns + j] * s->mean[j] / (double)(dep->n_rows - 1);
    for (int64_t n = 0; n < dep->n_rows; n++) gradient[n] = -shift;
    add_gradient(gradient, scaled ? 1 : 0.5, scaled ? dep->u : s->f, s->d_f, dep);
    return value;
}

/* ∂L/∂x of the standardised variable at `place`, row r, through the cosines. */
static double cosine_gradient(const struct l2r_dependence *dep, const l2r_real *d_f, double w, int64_t place, int64_t r)
{
    double z = (double)dep->z[place * dep->stride + r], sum = 0;
    for (int64_t k = place * dep->options.n_f; k < (place + 1) * dep->options.n_f; k++) {
        double angle = (double)dep->omega[k] * z + (double)dep->phase[k];
        sum -= w * (double)d_f[k * dep->stride + r] * sqrt(2.0) * sin(angle) * (double)dep->omega[k];
    }
    return (double)dep->factor[place] * sum;
}

/* ∂L/∂z of the variable at `place`: through the cosine, then through the standardisation (as in batch norm). */
static void variable_gradient(l2r_real *d_z, const struct l2r_dependence *dep, const struct scratch *s, const double *w,
                              int64_t place, double *d_x)
{
    const l2r_real *z = dep->z + place * dep->stride;
    double n = (double)dep->n_rows, mean = 0, cross = 0;
    for (int64_t r = 0; r < dep->n_rows; r++) {
        d_x[r] = cosine_gradient(dep, s->d_f, w[r], place, r);
        mean += d_x[r] / n;
        cross += d_x[r] * (double)z[r] / n;
    }
    for (int64_t r = 0; r < dep->n_rows; r++)
        d_z[r * dep->d + dep->variable[place]] =
            (l2r_real)((double)dep->inverse_sd[place] * (d_x[r] - mean - (double)z[r] * cross));
}

bool l2r_dependence_gradient_z(struct l2r_dependence *dep, l2r_real *d_z, const double *w)
{
    void *kept = dep->scratch;
    double *d_x = l2r_arena_alloc(dep->arena, (size_t)dep->n_rows, sizeof *d_x);
    if (!d_x || (dep->sample_space && !l2r_feature_form_init(dep))) return false;
    evaluate(dep, w, true);
    for (int64_t place = 0; place < dep->d; place++) variable_gradient(d_z, dep, dep->scratch, w, place, d_x);
    dep->scratch = kept;
    return true;
}
