/* SPDX-License-Identifier: MIT
 *
 * See trainer.h. One step, from the end of this file upwards:
 *
 *     l2r_trainer_step       forward ──► backward, its two halves
 *     l2r_trainer_forward    next batch
 *                            method.before_batch              e.g. a look-ahead pass that learns weights
 *                            Z, outputs, losses               [B × d], [B × k], [B × 1]
 *     l2r_trainer_backward   differentiate ──► clip ──► optimiser ──► averages ──► `at` moves on
 *     differentiate          total = (1/B) Σ w_n ℓ_n          w: method.sample_weights
 *                                  + the model's own loss + method.extra_loss
 *                            backward, while the ranks sum the gradients that are already complete
 *
 * Every random number is drawn from a stream chosen by (seed, purpose, position): shuffling by epoch, dropout by step.
 * So a run that resumes at any step goes on with the same bits, and nothing but `at` and the arrays has to be saved.
 */
#include "fit/trainer.h"

#include "batch/batch.h"
#include "metrics/probability.h"
#include "model/scored.h"

#include <math.h>
#include <string.h>
#include <xxhash.h>

/* ---- several ranks ---- */

void l2r_trainer_divide(struct l2r_trainer *t, struct l2r_comm *comm)
{
    t->comm = t->tape.pass.ranks = comm;
    l2r_batches_divide(t->batches, comm);
    l2r_gradients_init(&t->gradients, comm, &t->network.params);
}

enum l2r_status l2r_trainer_compare(const struct l2r_trainer *t, struct l2r_error *error)
{
    const struct l2r_params *p = &t->network.params;
    if (!t->comm) return L2R_OK;
    uint64_t hash = XXH3_64bits(p->value, (size_t)p->n_trainable * sizeof *p->value);
    hash = XXH3_64bits_withSeed(p->buffer, (size_t)p->n_buffer * sizeof *p->buffer, hash);
    return l2r_comm_agree(
        t->comm, hash,
        "has different parameters than rank 0; does it have a different processor or different libraries?", error);
}

double l2r_trainer_rate(const struct l2r_trainer *t)
{
    return isnan(t->rate) ? l2r_schedule_rate(&t->schedule, t->at.epoch - t->at.phase_epoch) : t->rate;
}

int64_t l2r_trainer_batches(const struct l2r_trainer *t)
{
    if (t->network.type->fit) return 1; /* an epoch is one step */
    return (t->n_active + t->options.batch_size - 1) / t->options.batch_size;
}

void l2r_trainer_shuffle(struct l2r_trainer *t)
{
    size_t n = (size_t)l2r_split_size(t->split, L2R_PART_TRAIN);
    struct l2r_rng rng = l2r_rng_at(t->seed, L2R_RANDOM_SHUFFLE, (uint64_t)t->at.epoch);
    memcpy(t->order, l2r_split_part(t->split, L2R_PART_TRAIN), n * sizeof *t->order);
    l2r_rng_shuffle(&rng, t->order, n);
    t->n_active = (int64_t)n;
    if (t->method->epoch_order)
        t->n_active = t->method->epoch_order(t->method_state, t->order, (int64_t)n, t->at.epoch);
}

/* ---- one step ---- */

/* Names the first value of the tape that holds NaN or infinity: where the trouble began. */
static enum l2r_status diverged(const struct l2r_trainer *t, double loss, struct l2r_error *error)
{
    const char *where = "the loss";
    for (size_t i = 0; i < t->tape.count; i++) {
        const struct l2r_value *value = &t->tape.values[i];
        int64_t k = 0, n = value->data ? value->rows * value->cols : 0; /* a value that was never needed has none */
        while (k < n && isfinite((double)value->data[k])) k++;
        if (k == n) continue;
        where = value->op;
        for (size_t p = 0; p < t->network.params.count; p++)
            if (t->network.params.items[p]->value == value->data) where = t->network.params.items[p]->name;
        break;
    }
    return l2r_fail(error, L2R_ERR_DIVERGED,
                    "epoch %lld, batch %lld: the loss is %g; the first tensor that is not finite is \"%s\"; try a "
                    "smaller `lr` or `clip=1`",
                    (long long)t->at.epoch + 1, (long long)t->at.batch + 1, loss, where);
}

/* Losses are sums over the ranks' parts. Stop requests travel in the same message, so that all ranks stop after the
 * same step and none waits for another. */
static void add_ranks(double *loss, double *objective, struct l2r_trainer *t)
{
    double sums[3] = {*loss, *objective, t->stop_requested ? 1 : 0};
    l2r_comm_sum(t->comm, sums, 3, sizeof *sums);
    *loss = sums[0];
    *objective = sums[1];
    t->stop = sums[2] > 0;
}

/* The mean loss as reports have it (metrics/probability.h): without weights of classes or graphs and without extra
 * terms. */
static l2r_node plain_loss(struct l2r_trainer *t, const struct l2r_step *step)
{
    struct l2r_network bare = t->network;
    l2r_node losses = step->losses;
    bare.class_weight = NULL;
    if (t->network.class_weight)
        losses = l2r_network_losses(&bare, &t->tape, step->batch,
                                    l2r_network_unweighted(&t->network, &t->tape, step->output));
    return l2r_weighted_mean(&t->tape, losses, NULL);
}

/* The first parameter whose gradient holds NaN or infinity. */
static const char *wild_gradient(const struct l2r_params *params)
{
    for (size_t i = 0; i < params->count; i++) {
        const struct l2r_param *p = params->items[i];
        const l2r_real *grad = p->trainable ? params->grad + (p->value - params->value) : NULL;
        for (int64_t k = 0; grad && k < p->rows * p->cols; k++)
            if (!isfinite((double)grad[k])) return p->name;
    }
    return "their norm";
}

/* Z of the batch. A frozen backbone runs as in prediction and gets no gradient. */
static l2r_node represent(struct l2r_trainer *t, const struct l2r_batch *batch)
{
    l2r_node z = L2R_NO_NODE;
    l2r_tape_mode_predict(&t->tape);
    if (t->phase.head_only) z = l2r_network_represent(&t->network, &t->tape, batch);
    l2r_tape_mode_train(&t->tape, t->seed, (uint64_t)t->at.step);
    return t->phase.head_only ? z : l2r_network_represent(&t->network, &t->tape, batch);
}

/* The next batch; the one after it is named too, so that a thread can prepare it meanwhile. */
static enum l2r_status next_batch(const struct l2r_batch **batch, struct l2r_trainer *t, struct l2r_error *error)
{
    int64_t begin = t->at.batch * t->options.batch_size, end = begin + t->options.batch_size,
            after = end + t->options.batch_size;
    if (end > t->n_active) end = t->n_active;
    if (after > t->n_active) after = t->n_active;
    return l2r_batches_next(batch, t->batches, t->order + begin, end - begin, t->order + end, after - end, error);
}

enum l2r_status l2r_trainer_forward(struct l2r_half *half, struct l2r_trainer *t, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_method *m = t->method;
    const struct l2r_batch *batch;
    double lr = l2r_trainer_rate(t);
    *half = (struct l2r_half){.rate = lr, .z = L2R_NO_NODE, .losses = L2R_NO_NODE};
    l2r_tape_reset(&t->tape);
    L2R_TRY(next_batch(&batch, t, error));
    half->step = (struct l2r_step){&t->network, &t->tape, batch,   t->data,     t->seed,    t->at.epoch,
                                   t->at.step,  lr,       &t->set, L2R_NO_NODE, L2R_NO_NODE};
    struct l2r_step *step = &half->step;
    if (m->before_batch) L2R_TRY(m->before_batch(t->method_state, step, error));
    half->z = represent(t, batch);
    step->output = l2r_network_output(&t->network, &t->tape, batch, half->z);
    step->losses = l2r_network_losses(&t->network, &t->tape, batch, step->output);
    if (!t->phase.head_only) l2r_masking_loss(&t->network, &t->tape, batch, t->seed, (uint64_t)t->at.step);
    half->losses = m->graph_losses ? m->graph_losses(t->method_state, step, half->z) : step->losses;
    half->weights = m->sample_weights ? m->sample_weights(t->method_state, step, half->z) : NULL;
done:
    return status;
}

/* The gradients are in network.params.grad afterwards. */
static enum l2r_status differentiate(struct l2r_trainer *t, struct l2r_half *half, double *loss, double *objective,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_method *m = t->method;
    const struct l2r_step *step = &half->step;
    l2r_node total = l2r_weighted_mean(&t->tape, half->losses, half->weights), plain = total;
    if (half->weights || t->network.class_weight || half->losses.id != step->losses.id) plain = plain_loss(t, step);
    if (t->tape.model_loss.id >= 0) total = l2r_add(&t->tape, total, t->tape.model_loss);
    l2r_node extra = m->extra_loss ? m->extra_loss(t->method_state, step, half->z) : L2R_NO_NODE;
    if (extra.id >= 0) total = l2r_add(&t->tape, total, extra);
    l2r_params_zero_grad(&t->network.params);
    l2r_gradients_begin(&t->gradients, &t->tape);
    if (half->d_z) l2r_tape_add_gradient(&t->tape, half->z, half->d_z);
    l2r_tape_backward(&t->tape, total);
    l2r_gradients_finish(&t->gradients, &t->tape);
    if (t->tape.status != L2R_OK) L2R_FAIL(t->tape.status, "%s", t->tape.error.message);
    *loss = (double)l2r_value_of(&t->tape, plain)->data[0];
    *objective = (double)l2r_value_of(&t->tape, total)->data[0];
    if (t->comm) add_ranks(loss, objective, t);
    if (!isfinite(*objective)) status = diverged(t, *objective, error);
done:
    return status;
}

/* The step of a model that is not trained by gradients, on all training graphs. */
static enum l2r_status fit(struct l2r_trainer *t, struct l2r_error *error)
{
    double loss = 0;
    const struct l2r_fit_data fit = {.data = t->data,
                                     .train = l2r_split_part(t->split, L2R_PART_TRAIN),
                                     .n_train = l2r_split_size(t->split, L2R_PART_TRAIN),
                                     .epoch = t->at.epoch,
                                     .n_epochs = t->epochs,
                                     .class_weight = t->network.class_weight,
                                     .stop = t->comm ? NULL : t->stop_between,
                                     .context = t->stop_context};
    enum l2r_status status = t->network.type->fit(l2r_network_copy(&t->network)->model, &loss, &fit, error);
    if (status != L2R_OK) return status;
    t->at.step++;
    t->at.batch++;
    t->at.loss_sum += loss * (double)t->n_active;
    return L2R_OK;
}

enum l2r_status l2r_trainer_backward(struct l2r_trainer *t, struct l2r_half *half, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_batch *batch = half->step.batch;
    double loss = 0, objective = 0;
    L2R_TRY(differentiate(t, half, &loss, &objective, error));
    struct l2r_params *params = &t->network.params;
    double norm = t->options.clip > 0 ? l2r_grad_clip(params->grad, params->n_trainable, t->options.clip) : 0;
    if (!isfinite(norm))
        L2R_FAIL(L2R_ERR_DIVERGED, "epoch %lld, batch %lld: the gradient of \"%s\" is not finite; try a smaller `lr`",
                 (long long)t->at.epoch + 1, (long long)t->at.batch + 1, wild_gradient(params));
    l2r_optimiser_step_from(&t->optimiser, params->value, params->grad, t->phase.head_only ? t->network.n_backbone : 0,
                            params->n_trainable, half->rate);
    l2r_averaging_step(&t->averaging, params, t->at.step - t->at.phase_step);
    t->at.step++;
    t->at.batch++;
    /* The mean of an epoch weighs batches by their graphs: the last one may be short. */
    double n = (double)(batch->division ? batch->division->n_graphs : batch->n_graphs);
    t->at.loss_sum += loss * n;
    t->at.objective_sum += objective * n;
done:
    return status;
}

enum l2r_status l2r_trainer_step(struct l2r_trainer *t, struct l2r_error *error)
{
    struct l2r_half half;
    if (t->network.type->fit) return fit(t, error);
    enum l2r_status status = l2r_trainer_forward(&half, t, error);
    return status == L2R_OK ? l2r_trainer_backward(t, &half, error) : status;
}

enum l2r_status l2r_trainer_average(struct l2r_trainer *t, struct l2r_error *error)
{
    struct l2r_scored scored = {0};
    if (t->averaging.kind != L2R_AVERAGE_VALLEY) return L2R_OK;
    enum l2r_status status =
        l2r_scored_network(&scored, &t->network, &t->tape, t->data, l2r_split_part(t->split, t->selector),
                           l2r_split_size(t->split, t->selector), t->options.eval_batch_size, error);
    if (status == L2R_OK) l2r_averaging_epoch(&t->averaging, l2r_scores_loss(&scored.scores));
    l2r_scored_clear(&scored);
    return status;
}

enum l2r_status l2r_trainer_check(const struct l2r_trainer *t, struct l2r_error *error)
{
    for (size_t i = 0; i < t->network.params.count; i++) {
        const struct l2r_param *p = t->network.params.items[i];
        for (int64_t k = 0; k < p->rows * p->cols; k++)
            if (!isfinite((double)p->value[k]))
                return l2r_fail(error, L2R_ERR_DIVERGED,
                                "epoch %lld: parameter \"%s\" is no longer finite; try a smaller `lr` or `clip=1`",
                                (long long)t->at.epoch + 1, p->name);
    }
    return L2R_OK;
}
