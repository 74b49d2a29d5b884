/* SPDX-License-Identifier: MIT
 *
 * V-REx (Krueger et al. 2021, eq. 8): risks that differ little between environments.
 *
 *     R_e = mean of ℓ_n over the graphs n of environment e in the batch
 *     loss = (1/B) Σ ℓ_n + λ Var_e(R_e),      Var = (1/E) Σ_e (R_e − mean)²  over the E environments of the batch
 *
 * λ = 10 from step 500 on, 1 before: the defaults of DomainBed (Gulrajani and Lopez-Paz 2021), like the range of the
 * search. λ = 0 is ERM bit for bit.
 */
#include "methods/groups/penalised.h"

static const struct l2r_option options[] = {
    PENALISED_WEIGHT("vrex", "V-REx", "10", "weight of the variance of the environments' risks; 0: ERM"),
    PENALISED_AFTER("vrex", "500"),
    {0}};

double l2r_penalty_vrex(l2r_real *d_x, struct l2r_tape *t, const l2r_real *x, int64_t n, int64_t cols,
                        const struct l2r_rows_known *rows)
{
    double *risk = l2r_tape_alloc(t, rows->n_groups, sizeof *risk), *count = l2r_tape_alloc(t, rows->n_groups, 8);
    double present = 0, mean = 0, variance = 0;
    (void)cols;
    if (!risk || !count) return 0;
    for (int32_t e = 0; e < rows->n_groups; e++) risk[e] = count[e] = 0;
    for (int64_t i = 0; i < n; i++) risk[rows->group[i]] += (double)x[i], count[rows->group[i]]++;
    for (int32_t e = 0; e < rows->n_groups; e++) {
        if (count[e] == 0) continue;
        risk[e] /= count[e];
        mean += risk[e];
        present++;
    }
    mean /= present;
    for (int32_t e = 0; e < rows->n_groups; e++)
        if (count[e] > 0) variance += (risk[e] - mean) * (risk[e] - mean) / present;
    for (int64_t i = 0; i < n; i++) { /* the derivative by the mean vanishes */
        int32_t e = rows->group[i];
        d_x[i] = (l2r_real)(2 * (risk[e] - mean) / (present * count[e]));
    }
    return variance;
}

static enum l2r_status init(void *state, const struct l2r_config *config, const struct l2r_network *network,
                            const struct l2r_training_set *set, struct l2r_error *error)
{
    (void)network;
    return penalised_init(state, "vrex", config, set, error);
}

static l2r_node extra_loss(void *state, const struct l2r_step *step, l2r_node z)
{
    (void)z;
    return penalised_loss(state, step, step->losses, l2r_penalty_vrex);
}

const struct l2r_method l2r_method_vrex = {
    .name = "vrex",
    .title = "V-REx",
    .paper = "Krueger et al. 2021",
    .objective = "(1/B) sum of loss_n + lambda times the variance of the environments' mean losses",
    .options = options,
    .off = "vrex-weight=0",
    .space = "vrex-weight=0.1..1e5:log,vrex-after=1..10000:log",
    .environments = true,
    .size = sizeof(struct penalised),
    .init = init,
    .clear = penalised_clear,
    .extra_loss = extra_loss,
};
