/* SPDX-License-Identifier: MIT
 * See dependence.h: from a representation to its random Fourier features. */
#include "base/threads.h"
#include "kernels/dependence.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- standardised columns ---- */

enum { COLUMNS = 8 }; /* columns that are read side by side: half a cache line of floats */

struct columns {
    l2r_real *out, *inverse_sd;
    const l2r_real *z;
    const int32_t *place;
    int64_t n_rows, stride, d;
};

/* Columns first .. first + n of z: one after the other in the sums' order, side by side in memory. */
static L2R_CLONES void moments(double *mean, double *sd, const l2r_real *z, int64_t n_rows, int64_t d, int64_t n)
{
    double sum[COLUMNS] = {0}, square[COLUMNS] = {0};
    for (int64_t r = 0; r < n_rows; r++)
        for (int64_t j = 0; j < n; j++) sum[j] += (double)z[r * d + j];
    for (int64_t j = 0; j < n; j++) mean[j] = sum[j] / (double)n_rows;
    for (int64_t r = 0; r < n_rows; r++)
        for (int64_t j = 0; j < n; j++) {
            double x = (double)z[r * d + j] - mean[j];
            square[j] += x * x;
        }
    for (int64_t j = 0; j < n; j++) sd[j] = sqrt(square[j] / (double)n_rows);
}

static void standardise_chunk(void *context, int64_t chunk)
{
    const struct columns *p = context;
    double mean[COLUMNS] = {0}, sd[COLUMNS] = {0};
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, p->d, COLUMNS, chunk);
    moments(mean, sd, p->z + begin, p->n_rows, p->d, end - begin);
    for (int64_t i = begin; i < end; i++) {
        l2r_real *out = p->out + p->place[i] * p->stride;
        bool constant = !(sd[i - begin] > 1e-7 * (1 + fabs(mean[i - begin])));
        double scale = constant ? 0 : 1 / sd[i - begin], shift = mean[i - begin];
        p->inverse_sd[p->place[i]] = (l2r_real)scale;
        for (int64_t r = 0; r < p->n_rows; r++)
            out[r] = constant ? 0 : (l2r_real)(((double)p->z[r * p->d + i] - shift) * scale);
        memset(out + p->n_rows, 0, (size_t)(p->stride - p->n_rows) * sizeof *out);
    }
}

void l2r_standardise(l2r_real *out, l2r_real *inverse_sd, const l2r_real *z, const int32_t *place, int64_t n_rows,
                     int64_t stride, int64_t d)
{
    struct columns p = {out, inverse_sd, z, place, n_rows, stride, d};
    l2r_parallel(l2r_chunk_count(d, COLUMNS), standardise_chunk, &p);
}

/* ---- random Fourier features ---- */

#ifdef L2R_REAL_DOUBLE
L2R_INLINE l2r_real cosine(l2r_real x)
{
    return cos(x);
}
#else
/* cos x = 1 − 2 sin²(x'/2) with x' = x minus whole turns: plain arithmetic, so that the compiler makes vectors of it.
 * Adding and taking away 1.5·2²³ rounds to the nearest integer. Absolute error below 3e-7 for |x| up to some thousands. */
L2R_INLINE l2r_real cosine(l2r_real x)
{
    l2r_real turns = x * 0.15915494309189535f + 12582912.0f;
    turns -= 12582912.0f;
    l2r_real half = 0.5f * ((x - turns * 6.28125f) - turns * 1.9353071795864769e-3f);
    l2r_real square = half * half;
    l2r_real series = -2.3889859e-08f;
    series = series * square + 2.7525562e-06f;
    series = series * square - 1.9840874e-04f;
    series = series * square + 8.3333310e-03f;
    series = series * square - 1.6666667e-01f;
    l2r_real sine = half + half * square * series;
    return 1.0f - 2.0f * sine * sine;
}
#endif

struct fourier {
    l2r_real *u;
    const l2r_real *z, *omega, *phase;
    const uint8_t *alive;
    int64_t n_rows, stride, n_f;
};

static L2R_CLONES void fourier_column(l2r_real *u, const l2r_real *z, l2r_real omega, l2r_real phase, int64_t n)
{
    for (int64_t i = 0; i < n; i++) u[i] = (l2r_real)1.41421356237309505 * cosine(omega * z[i] + phase);
}

static void fourier_variable(void *context, int64_t i)
{
    const struct fourier *f = context;
    for (int64_t k = i * f->n_f; k < (i + 1) * f->n_f; k++) {
        l2r_real *u = f->u + k * f->stride;
        int64_t n = f->alive[i] ? f->n_rows : 0;
        fourier_column(u, f->z + i * f->stride, f->omega[k], f->phase[k], n);
        memset(u + n, 0, (size_t)(f->stride - n) * sizeof *u);
    }
}

void l2r_fourier_forward(l2r_real *u, const l2r_real *z, const l2r_real *omega, const l2r_real *phase,
                         const uint8_t *alive, int64_t n_rows, int64_t stride, int64_t d, int64_t n_f)
{
    struct fourier f = {u, z, omega, phase, alive, n_rows, stride, n_f};
    l2r_parallel(d, fourier_variable, &f);
}
