/* SPDX-License-Identifier: MIT
 *
 * Feature space: F = H D_w U, S = F Fᵀ / (R−1) over all columns, masked to the pairs that count.
 *     L = ½ Σ over ordered pairs ‖S_ij‖²,   ∂L/∂F = 2/(R−1) · S F,   ∂L/∂w_n = Σ_k U_k(n) (H ∂L/∂F_k)(n)
 * With a second set of features F' it is S = F F'ᵀ / (R−1), ∂L/∂F = S F' / (R−1), ∂L/∂F' = Sᵀ F / (R−1).
 * U and F are stored by column, [columns × stride]. Also the gradient in Z, which the second-order term needs.
 */
#include "base/threads.h"
#include "kernels/gemm.h"
#include "reweight/decorrelation_forms.h"

#include <math.h>

struct scratch {
    l2r_real *f, *d_f;      /* [columns × stride] */
    l2r_real *f2, *d_f2;    /* the same of the second set; NULL: there is none */
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
    if (dep->u_other) {
        s->f2 = l2r_arena_alloc(dep->arena, size, sizeof *s->f2);
        s->d_f2 = l2r_arena_alloc(dep->arena, size, sizeof *s->d_f2);
        if (!s->f2 || !s->d_f2) return false;
    }
    s->s = l2r_arena_alloc(dep->arena, columns * columns, sizeof *s->s);
    s->fine = l2r_arena_alloc(dep->arena, columns, sizeof *s->fine);
    s->coarse = l2r_arena_alloc(dep->arena, columns, sizeof *s->coarse);
    if (!s->f || !s->d_f || !s->s || !s->fine || !s->coarse) return false;
    const struct l2r_blocks *b = &dep->blocks;
    for (int32_t outer = 0; outer < b->n_plus; outer++)
        for (int32_t inner = b->plus[outer]; inner < b->plus[outer + 1]; inner++)
            for (int32_t k = b->minus[inner]; k < b->minus[inner + 1]; k++) s->fine[k] = inner, s->coarse[k] = outer;
    dep->scratch = s;
    return true;
}

/* F = H D_w U. */
static void weigh(l2r_real *f, const l2r_real *features, const struct l2r_dependence *dep, const double *w)
{
    for (int64_t k = 0; k < dep->columns; k++) {
        const l2r_real *u = features + k * dep->stride;
        double mean = 0;
        for (int64_t n = 0; n < dep->n_rows; n++) mean += w[n] * (double)u[n];
        mean /= (double)dep->n_rows;
        for (int64_t n = 0; n < dep->stride; n++)
            f[k * dep->stride + n] = n < dep->n_rows ? (l2r_real)(w[n] * (double)u[n] - mean) : 0;
    }
}

/* Masks S to pairs in one coarse but different fine blocks, and sums its squares. */
static double mask_pairs(struct scratch *s, int64_t columns, double divisor)
{
    double sum = 0;
    for (int64_t i = 0; i < columns; i++)
        for (int64_t j = 0; j < columns; j++) {
            bool counts = s->coarse[i] == s->coarse[j] && s->fine[i] != s->fine[j];
            l2r_real value = counts ? (l2r_real)((double)s->s[i * columns + j] / divisor) : 0;
            s->s[i * columns + j] = value;
            sum += (double)value * (double)value;
        }
    return 0.5 * sum;
}

/* g ← factor · H g, column by column. */
static void centre(l2r_real *d_f, const struct l2r_dependence *dep, double factor)
{
    for (int64_t k = 0; k < dep->columns; k++) {
        l2r_real *g = d_f + k * dep->stride;
        double mean = 0;
        for (int64_t n = 0; n < dep->n_rows; n++) mean += (double)g[n];
        mean /= (double)dep->n_rows;
        for (int64_t n = 0; n < dep->n_rows; n++) g[n] = (l2r_real)(factor * ((double)g[n] - mean));
    }
}

/* L, and H ∂L/∂F in s->d_f (and s->d_f2) if wanted. */
static double evaluate(struct l2r_dependence *dep, const double *w, bool with_gradient)
{
    struct scratch *s = dep->scratch;
    int64_t columns = dep->columns, stride = dep->stride;
    double r = (double)dep->n_rows;
    l2r_real *right = s->f2 ? s->f2 : s->f; /* the other side of each pair */
    struct l2r_matrix f = {s->f, stride, false}, g = {right, stride, false}, g_transposed = {right, stride, true},
                      masked = {s->s, columns, false}, masked_transposed = {s->s, columns, true};
    weigh(s->f, dep->u, dep, w);
    if (s->f2) weigh(s->f2, dep->u_other, dep, w);
    l2r_gemm(s->s, columns, 0, f, g_transposed, columns, columns, stride);
    double value = mask_pairs(s, columns, r - 1);
    if (!with_gradient) return value;
    l2r_gemm(s->d_f, stride, 0, masked, g, columns, stride, columns);
    centre(s->d_f, dep, (s->f2 ? 1 : 2) / (r - 1));
    if (!s->f2) return value;
    l2r_gemm(s->d_f2, stride, 0, masked_transposed, f, columns, stride, columns);
    centre(s->d_f2, dep, 1 / (r - 1));
    return value;
}

/* gradient += Σ_k U_k ∘ ∂L/∂F_k. */
static void add_gradient(double *gradient, const l2r_real *u, const l2r_real *d_f, const struct l2r_dependence *dep)
{
    for (int64_t k = 0; k < dep->columns; k++)
        for (int64_t n = 0; n < dep->n_rows; n++)
            gradient[n] += (double)u[k * dep->stride + n] * (double)d_f[k * dep->stride + n];
}

double l2r_feature_form_value(struct l2r_dependence *dep, double *gradient, const double *w)
{
    double value = evaluate(dep, w, gradient != NULL);
    const struct scratch *s = dep->scratch;
    if (!gradient) return value;
    for (int64_t n = 0; n < dep->n_rows; n++) gradient[n] = 0;
    add_gradient(gradient, dep->u, s->d_f, dep);
    if (s->f2) add_gradient(gradient, dep->u_other, s->d_f2, dep);
    return value;
}

/* ∂L/∂x of the standardised variable at `place`, row r, through the cosines of one set. */
static double cosine_gradient(const struct l2r_dependence *dep, const l2r_real *omega, const l2r_real *phase,
                              const l2r_real *d_f, double w, int64_t place, int64_t r)
{
    double z = (double)dep->z[place * dep->stride + r], sum = 0;
    for (int64_t k = place * dep->options.n_f; k < (place + 1) * dep->options.n_f; k++) {
        double angle = (double)omega[k] * z + (double)phase[k];
        sum -= w * (double)d_f[k * dep->stride + r] * sqrt(2.0) * sin(angle) * (double)omega[k];
    }
    return sum;
}

/* ∂L/∂z of the variable at `place`: through the cosine, then through the standardisation (as in batch norm). */
static void variable_gradient(l2r_real *d_z, const struct l2r_dependence *dep, const struct scratch *s, const double *w,
                              int64_t place, double *d_x)
{
    const l2r_real *z = dep->z + place * dep->stride;
    double n = (double)dep->n_rows, mean = 0, cross = 0;
    for (int64_t r = 0; r < dep->n_rows; r++) {
        d_x[r] = cosine_gradient(dep, dep->omega, dep->phase, s->d_f, w[r], place, r);
        if (s->f2) d_x[r] += cosine_gradient(dep, dep->omega_other, dep->phase_other, s->d_f2, w[r], place, r);
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
