/* SPDX-License-Identifier: MIT
 *
 * IRM (Arjovsky et al. 2019, IRMv1, eq. 4): a representation for which one classifier is optimal in all environments.
 * The distance of the classifier of environment e from its optimum is measured by the slope of the risk under a factor
 * w on the outputs:
 *
 *     D_e = d/dw R_e(w o) at w = 1 = (1/n_e) Σ_{n in e} Σ_k o_nk ∂ℓ_n/∂o_nk
 *     loss = (1/B) Σ ℓ_n + λ (1/E) Σ_e D_e²                                  over the E environments of the batch
 *
 * Its gradient needs second derivatives of ℓ in o, which the three losses have in closed form: with s = ∂ℓ/∂o and H the
 * Hessian,  ∂D_e/∂o_n = (s + H o_n) / n_e.
 *
 * λ = 100 from step 500 on, 1 before: the defaults of DomainBed (Gulrajani and Lopez-Paz 2021), like the range of the
 * search. λ = 0 is ERM bit for bit.
 */
#include "methods/groups/penalised.h"

#include <math.h>

static const struct l2r_option options[] = {
    PENALISED_WEIGHT("irm", "IRM", "100", "weight of the penalty on the environments' slopes; 0: ERM"),
    PENALISED_AFTER("irm", "500"),
    {0}};

/* Σ_k o_k s_k of one graph, and its derivative s + H o. */
static double classes_slope(double *d_o, const l2r_real *o, float label, const l2r_real *weight, int64_t k)
{
    double top = (double)o[0], sum = 0, mean = 0, c = weight ? (double)weight[(int64_t)label] : 1;
    for (int64_t j = 1; j < k; j++) top = fmax(top, (double)o[j]);
    for (int64_t j = 0; j < k; j++) sum += exp((double)o[j] - top);
    for (int64_t j = 0; j < k; j++) mean += exp((double)o[j] - top) / sum * (double)o[j];
    for (int64_t j = 0; j < k; j++) {
        double p = exp((double)o[j] - top) / sum;
        d_o[j] = c * (p - (j == (int64_t)label ? 1 : 0) + p * ((double)o[j] - mean));
    }
    return c * (mean - (double)o[(int64_t)label]);
}

static double tasks_slope(double *d_o, const l2r_real *o, const float *labels, const struct l2r_network *network,
                          int64_t k)
{
    const struct l2r_signature *s = &network->signature;
    double slope = 0, known = 0;
    for (int64_t j = 0; j < k; j++) known += !isnan(labels[j]);
    for (int64_t j = 0; j < k; j++) {
        double out = (double)o[j], y = (double)labels[j], p = 1 / (1 + exp(-out)), first, second;
        d_o[j] = 0;
        if (isnan(y)) continue;
        if (s->task == L2R_TASK_REGRESSION) {
            first = 2 * (out - l2r_target_scaled(&s->target, j, y)) / known;
            second = 2 / known;
        } else {
            double positive = network->class_weight ? (double)network->class_weight[j] : 1;
            first = (positive * y * (p - 1) + (1 - y) * p) / known;
            second = (positive * y + 1 - y) * p * (1 - p) / known;
        }
        slope += out * first;
        d_o[j] = first + second * out;
    }
    return slope;
}

double l2r_penalty_irm(l2r_real *d_x, struct l2r_tape *t, const l2r_real *x, int64_t n, int64_t cols,
                       const struct l2r_rows_known *rows)
{
    bool classes = rows->network->signature.task == L2R_TASK_MULTICLASS;
    double *slope = l2r_tape_alloc(t, rows->n_groups, sizeof *slope), *count = l2r_tape_alloc(t, rows->n_groups, 8);
    double *d = l2r_tape_alloc(t, n * cols, sizeof *d), present = 0, sum = 0;
    if (!slope || !count || !d) return 0;
    for (int32_t e = 0; e < rows->n_groups; e++) slope[e] = count[e] = 0;
    for (int64_t i = 0; i < n; i++) {
        const float *labels = rows->labels + i * (classes ? 1 : cols);
        const l2r_real *o = x + i * cols;
        for (int64_t k = 0; k < cols; k++) d[i * cols + k] = 0;
        count[rows->group[i]]++;
        if (!classes)
            slope[rows->group[i]] += tasks_slope(d + i * cols, o, labels, rows->network, cols);
        else if (!isnan(labels[0]))
            slope[rows->group[i]] += classes_slope(d + i * cols, o, labels[0], rows->network->class_weight, cols);
    }
    for (int32_t e = 0; e < rows->n_groups; e++) present += count[e] > 0;
    for (int32_t e = 0; e < rows->n_groups; e++)
        if (count[e] > 0) sum += slope[e] / count[e] * (slope[e] / count[e]) / present;
    for (int64_t i = 0; i < n * cols; i++) {
        int32_t e = rows->group[i / cols];
        d_x[i] = (l2r_real)(2 * slope[e] / (count[e] * count[e] * present) * d[i]);
    }
    return sum;
}

static enum l2r_status init(void *state, const struct l2r_config *config, const struct l2r_network *network,
                            const struct l2r_training_set *set, struct l2r_error *error)
{
    (void)network;
    return penalised_init(state, "irm", config, set, error);
}

static l2r_node extra_loss(void *state, const struct l2r_step *step, l2r_node z)
{
    (void)z;
    return penalised_loss(state, step, step->output, l2r_penalty_irm);
}

const struct l2r_method l2r_method_irm = {
    .name = "irm",
    .title = "Invariant risk minimisation",
    .paper = "Arjovsky et al. 2019",
    .objective = "(1/B) sum of loss_n + lambda times the mean over environments of (d risk(w outputs) / d w at 1)^2",
    .options = options,
    .off = "irm-weight=0",
    .space = "irm-weight=0.1..1e5:log,irm-after=1..10000:log",
    .environments = true,
    .size = sizeof(struct penalised),
    .init = init,
    .clear = penalised_clear,
    .extra_loss = extra_loss,
};
