/* SPDX-License-Identifier: MIT
 * The public calls of l2r/train.h for what a loop of one's own minimises: a step in two halves, and weights. See
 * training.h. */
#include <l2r/train.h>

#include "api/training.h"
#include "base/misuse.h"

#include <math.h>
#include <string.h>

/* ---- weights ---- */

static bool is_weight(float w)
{
    return isfinite((double)w) && w >= 0;
}

enum l2r_status l2r_training_check_weights(const struct l2r_training *training, const float *weights,
                                           struct l2r_error *error)
{
    const struct l2r_training_set *set = &training->fit.trainer.set;
    for (int64_t i = 0; i < set->n; i++) {
        int64_t g = set->graphs[i];
        if (is_weight(weights[g])) continue;
        enum l2r_status status = l2r_fail(error, L2R_ERR_ARGUMENT, "weights[%lld] = %g; expected 0 or more",
                                          (long long)g, (double)weights[g]);
        if (error) error->graph = g;
        return status;
    }
    return L2R_OK;
}

static enum l2r_status need_gradients(const struct l2r_training *training, struct l2r_error *error)
{
    const struct l2r_model_type *type = training->fit.trainer.network.type;
    if (!type->fit) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT,
                    "model %s is not trained by gradients: its steps have no halves, and its weights are those of the "
                    "data (l2r_dataset_relabel)",
                    type->name);
}

enum l2r_status l2r_training_set_weights(struct l2r_training *training, const float *weights, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(training);
    L2R_TRY(need_gradients(training, error));
    int64_t n = training->fit.trainer.data->n_graphs;
    if (weights) {
        L2R_TRY(l2r_training_check_weights(training, weights, error));
        if (!training->weights) training->weights = l2r_alloc((size_t)n, sizeof *weights);
        if (!training->weights) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the weights of %lld graphs", (long long)n);
        memcpy(training->weights, weights, (size_t)n * sizeof *weights);
    } else {
        l2r_free(training->weights);
        training->weights = NULL;
    }
done:
    return status;
}

/* ---- what is lent ---- */

static enum l2r_status no_memory(struct l2r_error *error)
{
    return l2r_fail(error, L2R_ERR_MEMORY, "out of memory for the arrays of a batch");
}

/* The graphs of the next batch, once for each. */
static enum l2r_status name_graphs(struct l2r_training *training, struct l2r_error *error)
{
    const struct l2r_trainer *t = &training->fit.trainer;
    struct l2r_forward *pass = &training->pass;
    if (pass->graphs) return L2R_OK;
    bool whole = t->network.type->fit != NULL;
    int64_t begin = t->at.batch * t->options.batch_size, left = t->n_active - begin;
    int64_t n = whole || left < t->options.batch_size ? left : t->options.batch_size, *graphs;
    if (n < 0) n = 0; /* an epoch whose end has failed */
    l2r_arena_reset(&training->lent);
    graphs = l2r_arena_alloc(&training->lent, (size_t)n, sizeof *graphs);
    if (!graphs) return no_memory(error);
    for (int64_t i = 0; i < n; i++) graphs[i] = t->order[begin + i];
    *pass = (struct l2r_forward){.n = n, .graphs = graphs};
    return L2R_OK;
}

enum l2r_status l2r_training_next(const int64_t **graphs, int64_t *n, struct l2r_training *training,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(graphs);
    L2R_NEED(n);
    *graphs = NULL;
    *n = 0;
    L2R_NEED(training);
    L2R_TRY(l2r_training_begin(training, error));
    L2R_TRY(name_graphs(training, error));
    *graphs = training->pass.graphs;
    *n = training->pass.n;
done:
    return status;
}

/* A copy, which is a float in the double-precision build, too. */
static const float *lend(struct l2r_training *training, const l2r_real *numbers, int64_t n)
{
    float *copy = l2r_arena_alloc(&training->lent, (size_t)n, sizeof *copy);
    for (int64_t i = 0; copy && i < n; i++) copy[i] = (float)numbers[i];
    return copy;
}

static const float *lend_value(struct l2r_training *training, l2r_node node)
{
    const struct l2r_value *value = l2r_value_of(&training->fit.trainer.tape, node);
    return value->data ? lend(training, value->data, value->rows * value->cols) : NULL;
}

static const float *lend_weights(struct l2r_training *training)
{
    const struct l2r_forward *pass = &training->pass;
    if (!training->weights) return training->half.weights ? lend(training, training->half.weights, pass->n) : NULL;
    float *own = l2r_arena_alloc(&training->lent, (size_t)pass->n, sizeof *own);
    for (int64_t i = 0; own && i < pass->n; i++) own[i] = training->weights[pass->graphs[i]];
    return own;
}

/* The pass that was made, as arrays. */
static enum l2r_status fill_pass(struct l2r_training *training, struct l2r_error *error)
{
    struct l2r_forward *pass = &training->pass;
    const struct l2r_network *network = &training->fit.trainer.network;
    pass->width = network->width;
    pass->n_outputs = l2r_signature_outputs(&network->signature);
    pass->z = lend_value(training, training->half.z);
    pass->output = lend_value(training, training->half.step.output);
    pass->losses = lend_value(training, training->half.step.losses);
    pass->weights = lend_weights(training);
    bool weighted = training->weights || training->half.weights;
    return pass->z && pass->output && pass->losses && (pass->weights || !weighted) ? L2R_OK : no_memory(error);
}

/* ---- the halves ---- */

static enum l2r_status make_pass(struct l2r_training *training, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &training->fit.trainer;
    if (t->at.batch == l2r_trainer_batches(t))
        L2R_FAIL(L2R_ERR_ARGUMENT, "the end of the epoch has failed; l2r_training_step tries it again");
    L2R_TRY(name_graphs(training, error));
    L2R_TRY(l2r_trainer_forward(&training->half, t, error));
    if (t->tape.status != L2R_OK) L2R_FAIL(t->tape.status, "%s", t->tape.error.message);
    L2R_TRY(fill_pass(training, error));
    training->is_halfway = true;
done:
    return status;
}

enum l2r_status l2r_training_forward(struct l2r_forward *forward, struct l2r_training *training,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(forward);
    L2R_NEED(training);
    L2R_TRY(need_gradients(training, error));
    L2R_TRY(l2r_training_begin(training, error));
    if (!training->is_halfway) L2R_TRY(make_pass(training, error));
    L2R_TRY(l2r_struct_give(forward, &training->pass, sizeof training->pass, "forward", error));
done:
    return status;
}

/* The caller's numbers on the tape, where they stay until the step is done. */
static enum l2r_status take(const l2r_real **own, const float *given, int64_t n, struct l2r_training *training,
                            struct l2r_error *error)
{
    struct l2r_tape *tape = &training->fit.trainer.tape;
    l2r_real *copy = l2r_tape_alloc(tape, n, sizeof *copy);
    if (!copy) return l2r_fail(error, tape->status, "%s", tape->error.message);
    for (int64_t i = 0; i < n; i++) copy[i] = (l2r_real)given[i];
    *own = copy;
    return L2R_OK;
}

static enum l2r_status check_given(const struct l2r_training *training, const float *weights, const float *d_z,
                                   struct l2r_error *error)
{
    const struct l2r_forward *pass = &training->pass;
    for (int64_t i = 0; weights && i < pass->n; i++)
        if (!is_weight(weights[i]))
            return l2r_fail(error, L2R_ERR_ARGUMENT, "weights[%lld] = %g; expected 0 or more", (long long)i,
                            (double)weights[i]);
    if (d_z && training->fit.trainer.phase.head_only)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "d_z: the backbone is frozen, and Z receives no gradient");
    for (int64_t i = 0; d_z && i < pass->n * pass->width; i++)
        if (!isfinite((double)d_z[i]))
            return l2r_fail(error, L2R_ERR_ARGUMENT, "d_z[%lld] = %g; expected a finite number", (long long)i,
                            (double)d_z[i]);
    return L2R_OK;
}

enum l2r_status l2r_training_backward(double *loss, struct l2r_training *training, const float *weights,
                                      const float *d_z, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(training);
    if (!training->is_halfway) L2R_FAIL(L2R_ERR_ARGUMENT, "l2r_training_forward comes before l2r_training_backward");
    L2R_TRY(check_given(training, weights, d_z, error));
    const struct l2r_forward *pass = &training->pass;
    if (weights)
        L2R_TRY(take(&training->half.weights, weights, pass->n, training, error));
    else
        L2R_TRY(l2r_training_weigh(training, error));
    if (d_z) L2R_TRY(take(&training->half.d_z, d_z, pass->n * pass->width, training, error));
    L2R_TRY(l2r_training_move(loss, training, error));
done:
    return status;
}
