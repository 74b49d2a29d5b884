/* SPDX-License-Identifier: MIT
 *
 * CORAL (Sun and Saenko 2016): representations with the same mean and covariance in all environments. With μ_e [d] and
 * C_e [d × d] of the rows of Z of environment e in the batch (C divided by n_e − 1),
 *
 *     P = 2 / (E (E − 1)) Σ_{e<f} ( ‖μ_e − μ_f‖² / d + ‖C_e − C_f‖² / d² ),     loss = (1/B) Σ ℓ_n + λ P
 *
 * over the E environments with at least two graphs in the batch; with fewer than two of them P = 0. The mean is
 * DomainBed's addition (Gulrajani and Lopez-Paz 2021), as are λ = 1 and the range of the search. λ = 0 is ERM bit for
 * bit.
 */
#include "methods/groups/penalised.h"

#include "kernels/gemm.h"

#include <string.h>

static const struct l2r_option options[] = {
    PENALISED_WEIGHT("coral", "CORAL", "1",
                     "weight of the distance between the environments' means and covariances; 0: ERM"),
    {0}};

/* Moments of all environments, and the derivatives of P by them. */
struct moments {
    int64_t d;
    int32_t n; /* environments */
    double *count, present;
    l2r_real *mean, *covariance;     /* [n × d], [n × d × d] */
    l2r_real *d_mean, *d_covariance; /* the same */
    l2r_real *centred;               /* [rows × d], rows of one environment together, in their order */
    int64_t *start;                  /* [n + 1]: where they begin */
};

static bool allocate(struct moments *m, struct l2r_tape *t, int64_t rows)
{
    int64_t square = m->n * m->d * m->d;
    m->count = l2r_tape_alloc(t, m->n, sizeof *m->count);
    m->start = l2r_tape_alloc(t, m->n + 1, sizeof *m->start);
    m->mean = l2r_tape_alloc(t, m->n * m->d, sizeof *m->mean);
    m->d_mean = l2r_tape_alloc(t, m->n * m->d, sizeof *m->mean);
    m->covariance = l2r_tape_alloc(t, square, sizeof *m->mean);
    m->d_covariance = l2r_tape_alloc(t, square, sizeof *m->mean);
    m->centred = l2r_tape_alloc(t, rows * m->d, sizeof *m->mean);
    return m->count && m->start && m->mean && m->d_mean && m->covariance && m->d_covariance && m->centred;
}

static struct l2r_matrix plain(const l2r_real *x, int64_t stride)
{
    return (struct l2r_matrix){x, stride, false};
}

static void measure(struct moments *m, const l2r_real *x, const int32_t *group, int64_t rows)
{
    int64_t d = m->d;
    memset(m->mean, 0, (size_t)(m->n * d) * sizeof *m->mean);
    for (int32_t e = 0; e < m->n; e++) m->count[e] = 0;
    for (int64_t i = 0; i < rows; i++) m->count[group[i]]++;
    m->start[0] = 0;
    for (int32_t e = 0; e < m->n; e++) m->start[e + 1] = m->start[e] + (int64_t)m->count[e];
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < d; k++) m->mean[group[i] * d + k] += x[i * d + k] / (l2r_real)m->count[group[i]];
    for (int64_t i = 0; i < rows; i++) {
        l2r_real *to = m->centred + m->start[group[i]]++ * d; /* start moves to the end of its rows, and back below */
        for (int64_t k = 0; k < d; k++) to[k] = x[i * d + k] - m->mean[group[i] * d + k];
    }
    for (int32_t e = m->n; e > 0; e--) m->start[e] = m->start[e - 1];
    m->start[0] = 0;
    m->present = 0;
    for (int32_t e = 0; e < m->n; e++) {
        if (m->count[e] < 2) continue;
        const l2r_real *own = m->centred + m->start[e] * d;
        l2r_real *c = m->covariance + e * d * d;
        l2r_gemm(c, d, 0, (struct l2r_matrix){own, d, true}, plain(own, d), d, d, (int64_t)m->count[e]);
        for (int64_t k = 0; k < d * d; k++) c[k] /= (l2r_real)(m->count[e] - 1);
        m->present++;
    }
}

/* scale ‖a − b‖², and its derivatives. */
static double distance(l2r_real *d_a, l2r_real *d_b, const l2r_real *a, const l2r_real *b, int64_t n, double scale)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++) {
        double difference = (double)a[k] - (double)b[k];
        sum += difference * difference;
        d_a[k] += (l2r_real)(2 * scale * difference);
        d_b[k] -= (l2r_real)(2 * scale * difference);
    }
    return scale * sum;
}

double l2r_penalty_coral(l2r_real *d_x, struct l2r_tape *t, const l2r_real *x, int64_t n, int64_t cols,
                         const struct l2r_rows_known *rows)
{
    struct moments m = {.d = cols, .n = rows->n_groups};
    double sum = 0;
    if (!allocate(&m, t, n)) return 0;
    measure(&m, x, rows->group, n);
    if (m.present < 2) return 0;
    memset(m.d_mean, 0, (size_t)(m.n * cols) * sizeof *m.d_mean);
    memset(m.d_covariance, 0, (size_t)(m.n * cols * cols) * sizeof *m.d_covariance);
    double pairs = m.present * (m.present - 1) / 2, d = (double)cols;
    for (int32_t e = 0; e < m.n; e++)
        for (int32_t f = e + 1; f < m.n; f++) {
            int64_t a = e * cols, b = f * cols;
            if (m.count[e] < 2 || m.count[f] < 2) continue;
            sum += distance(m.d_mean + a, m.d_mean + b, m.mean + a, m.mean + b, cols, 1 / (pairs * d));
            sum += distance(m.d_covariance + a * cols, m.d_covariance + b * cols, m.covariance + a * cols,
                            m.covariance + b * cols, cols * cols, 1 / (pairs * d * d));
        }
    /* d x_i = d μ / n + 2 (d C) (x_i − μ) / (n − 1): d C is symmetric, and centred rows sum to 0. */
    for (int32_t e = 0; e < m.n; e++) {
        int64_t count = (int64_t)m.count[e];
        if (count < 2) continue;
        l2r_real *own = m.centred + m.start[e] * cols, *moved = l2r_tape_alloc(t, count * cols, sizeof *moved);
        if (!moved) return 0;
        l2r_gemm(moved, cols, 0, plain(own, cols), plain(m.d_covariance + e * cols * cols, cols), count, cols, cols);
        memcpy(own, moved, (size_t)(count * cols) * sizeof *own);
    }
    for (int64_t i = 0; i < n; i++) {
        int32_t e = rows->group[i];
        if (m.count[e] < 2) continue;
        const l2r_real *own = m.centred + m.start[e]++ * cols;
        for (int64_t k = 0; k < cols; k++)
            d_x[i * cols + k] =
                (l2r_real)((double)m.d_mean[e * cols + k] / m.count[e] + 2 * (double)own[k] / (m.count[e] - 1));
    }
    return sum;
}

static enum l2r_status init(void *state, const struct l2r_config *config, const struct l2r_network *network,
                            const struct l2r_training_set *set, struct l2r_error *error)
{
    (void)network;
    return penalised_init(state, "coral", config, set, error);
}

static l2r_node extra_loss(void *state, const struct l2r_step *step, l2r_node z)
{
    return penalised_loss(state, step, z, l2r_penalty_coral);
}

const struct l2r_method l2r_method_coral = {
    .name = "coral",
    .title = "CORAL",
    .paper = "Sun and Saenko 2016",
    .objective = "(1/B) sum of loss_n + lambda times the distance between environments' means and covariances of Z",
    .options = options,
    .off = "coral-weight=0",
    .space = "coral-weight=0.1..10:log",
    .environments = true,
    .size = sizeof(struct penalised),
    .init = init,
    .clear = penalised_clear,
    .extra_loss = extra_loss,
};
