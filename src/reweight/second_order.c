/* SPDX-License-Identifier: MIT
 *
 * See reweighting.h. The network's parameters are moved along v and put back from a copy, never by subtracting: θ must
 * have the same bits afterwards. Every rank sums the same gradients and gathers the same losses, so all of them end
 * with the same term.
 */
#include "reweight/reweighting.h"

#include "base/memory.h"
#include "batch/batch.h"

#include <math.h>
#include <string.h>

enum l2r_status l2r_second_order_init(struct l2r_second_order *s, const struct l2r_network *network, int64_t batch_rows,
                                      struct l2r_error *error)
{
    size_t n = (size_t)network->params.n_trainable, rows = (size_t)batch_rows;
    *s = (struct l2r_second_order){.reach = 0.01,
                                   .direction = l2r_alloc(n, sizeof(l2r_real)),
                                   .kept = l2r_alloc(n, sizeof(l2r_real)),
                                   .d_z = l2r_alloc(rows * (size_t)network->width, sizeof(l2r_real)),
                                   .losses = l2r_alloc(rows, sizeof(double)),
                                   .extra = l2r_alloc(rows, sizeof(double))};
    if (s->direction && s->kept && s->d_z && s->losses && s->extra) return L2R_OK;
    l2r_second_order_clear(s);
    return l2r_fail_memory(error, 2 * n * sizeof(l2r_real), "the second-order term");
}

void l2r_second_order_clear(struct l2r_second_order *s)
{
    l2r_free(s->direction);
    l2r_free(s->kept);
    l2r_free(s->d_z);
    l2r_free(s->losses);
    l2r_free(s->extra);
    *s = (struct l2r_second_order){0};
}

static enum l2r_status tape_status(const struct l2r_tape *tape, struct l2r_error *error)
{
    return tape->status == L2R_OK ? L2R_OK : l2r_fail(error, tape->status, "%s", tape->error.message);
}

/* v = ∇_θ L from ∂L/∂Z; returns its norm. */
static enum l2r_status find_direction(double *norm, struct l2r_second_order *s, struct l2r_tape *tape,
                                      const struct l2r_network *network, const struct l2r_batch *batch,
                                      struct l2r_error *error)
{
    const struct l2r_params *params = &network->params;
    double square = 0;
    l2r_tape_reset(tape);
    l2r_tape_mode_predict(tape);
    tape->pass.record = tape->pass.batch_statistics = true;
    memset(params->grad, 0, (size_t)params->n_trainable * sizeof *params->grad);
    int64_t first = batch->division ? l2r_division_first(batch->division) : 0;
    l2r_tape_backward_from(tape, l2r_network_represent(network, tape, batch), s->d_z + first * network->width);
    if (tape->status == L2R_OK)
        l2r_comm_sum(tape->pass.share.comm, params->grad, params->n_trainable, sizeof *params->grad);
    for (int64_t i = 0; i < params->n_trainable; i++) {
        s->direction[i] = params->grad[i];
        square += (double)params->grad[i] * (double)params->grad[i];
    }
    *norm = sqrt(square);
    return tape_status(tape, error);
}

/* Losses per graph of the whole batch, as in the coming training step. */
static enum l2r_status losses_of(double *losses, struct l2r_tape *tape, const struct l2r_network *network,
                                 const struct l2r_batch *batch, uint64_t seed, int64_t step, struct l2r_error *error)
{
    l2r_tape_reset(tape);
    l2r_tape_mode_train(tape, seed, (uint64_t)step);
    tape->pass.record = tape->pass.update_statistics = false;
    l2r_node out = l2r_network_output(network, tape, batch, l2r_network_represent(network, tape, batch));
    l2r_node node = l2r_network_losses(network, tape, batch, out);
    double *mine = losses + (batch->division ? l2r_division_first(batch->division) : 0);
    for (int64_t i = 0; tape->status == L2R_OK && i < batch->n_graphs; i++)
        mine[i] = (double)l2r_value_of(tape, node)->data[i];
    if (tape->status == L2R_OK && batch->division) l2r_division_gather(batch->division, losses, mine, sizeof *losses);
    return tape_status(tape, error);
}

enum l2r_status l2r_second_order_term(const double **extra, struct l2r_second_order *s, struct l2r_learner *learner,
                                      struct l2r_tape *tape, const struct l2r_network *network,
                                      const struct l2r_batch *batch, const l2r_real *z, double learning_rate,
                                      uint64_t seed, int64_t epoch, int64_t step, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_params *params = &network->params;
    size_t size = (size_t)params->n_trainable * sizeof *params->value;
    double value = 0, norm = 0;
    bool counts;
    int64_t n = batch->division ? batch->division->n_graphs : batch->n_graphs;
    *extra = NULL;
    L2R_TRY(l2r_learner_slope(learner, s->d_z, &value, &counts, z, n, epoch, (uint64_t)step, error));
    if (!counts || !(value > 0)) goto done;
    L2R_TRY(find_direction(&norm, s, tape, network, batch, error));
    if (!(norm > 0) || !isfinite(norm)) goto done;
    double epsilon = s->reach / norm;
    L2R_TRY(losses_of(s->losses, tape, network, batch, seed, step, error));
    memcpy(s->kept, params->value, size);
    for (int64_t i = 0; i < params->n_trainable; i++)
        params->value[i] = (l2r_real)((double)params->value[i] + epsilon * (double)s->direction[i]);
    status = losses_of(s->extra, tape, network, batch, seed, step, error);
    memcpy(params->value, s->kept, size);
    if (status != L2R_OK) goto done;
    for (int64_t i = 0; i < n; i++) s->extra[i] = -learning_rate * (s->extra[i] - s->losses[i]) / epsilon / value;
    *extra = s->extra;
done:
    return status;
}
