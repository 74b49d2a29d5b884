/* SPDX-License-Identifier: MIT
 *
 * See trainer.h. One step, from the end of this file upwards:
 *
 *     l2r_trainer_step   next batch ──► differentiate ──► clip ──► optimiser ──► averages ──► `at` moves on
 *     differentiate      method.before_batch              e.g. a look-ahead pass that learns weights
 *                        forward:  Z, outputs, losses     [B × d], [B × k], [B × 1]
 *                        total = (1/B) Σ w_n ℓ_n          w: method.sample_weights
 *                              + the model's own loss + method.extra_loss
 *                        backward, while the ranks sum the gradients that are already complete
 *
 * Every random number is drawn from a stream chosen by (seed, purpose, position): shuffling by epoch, dropout by step.
 * So a run that resumes at any step goes on with the same bits, and nothing but `at` and the arrays has to be saved.
 */
#include "train/trainer.h"

#include "base/memory.h"
#include "batch/batch.h"
#include "metrics/probability.h"
#include "predict/predictor.h"
#include "predict/score.h"
#include "train/environments.h"
#include "train/phases.h"
#include "train/transfer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

/* Graphs of output k among the training graphs with a known label: of class k, or positive in task k. */
static void count_labels(int64_t *positive, int64_t *known, const struct l2r_trainer *t, int32_t k)
{
    const int32_t *train = l2r_split_part(t->split, L2R_PART_TRAIN);
    bool classes = t->data->task == L2R_TASK_MULTICLASS;
    *positive = *known = 0;
    for (int64_t i = 0; i < l2r_split_size(t->split, L2R_PART_TRAIN); i++) {
        float label = t->data->labels[(int64_t)train[i] * t->data->n_tasks + (classes ? 0 : k)];
        *known += !isnan(label);
        *positive += classes ? label == (float)k : label == 1;
    }
}

/* ---- what a trainer is made of ---- */

/* Of n classes, one with less than 0.4/n of the labels is rare: a fifth of two. The share of the rarest that occurs is
 * kept. */
static bool is_rare(struct l2r_trainer *t, int64_t positive, int64_t known, int32_t n)
{
    bool classes = t->data->task == L2R_TASK_MULTICLASS;
    int64_t fewer = classes || positive < known - positive ? positive : known - positive;
    if (fewer <= 0) return false;
    double share = (double)fewer / (double)known;
    if (!(share >= t->rarest)) t->rarest = share;
    return share < 0.4 / (classes ? n : 2);
}

/* "balanced": classes by n / (K n_k); positives of a binary task by negatives / positives. From training labels alone.
 * "auto": the same for tasks and classes where one is rare. */
static enum l2r_status class_weights(struct l2r_trainer *t, struct l2r_error *error)
{
    bool classes = t->data->task == L2R_TASK_MULTICLASS, chosen = l2r_config_is(t->config, "class-weights", "auto");
    bool any = false;
    t->rarest = NAN;
    if (l2r_config_is(t->config, "class-weights", "none") || t->data->task == L2R_TASK_REGRESSION) return L2R_OK;
    int32_t n = l2r_signature_outputs(&t->network.signature);
    l2r_real *weight = l2r_arena_alloc(&t->network.params.arena, (size_t)n, sizeof *weight);
    double *known_weight = l2r_arena_alloc(&t->network.params.arena, (size_t)n, sizeof *known_weight);
    if (!weight || !known_weight) return l2r_fail_memory(error, (size_t)n * sizeof *weight, "class weights");
    for (int32_t k = 0; k < n; k++) {
        int64_t positive, known;
        count_labels(&positive, &known, t, k);
        double ratio = classes ? (double)known / (n * (double)positive) : (double)(known - positive) / (double)positive;
        bool rare = is_rare(t, positive, known, n);
        weight[k] = positive > 0 && ratio > 0 && (rare || classes || !chosen) ? (l2r_real)ratio : 1;
        known_weight[k] = (double)weight[k];
        any = any || rare;
    }
    if (!any && chosen) return L2R_OK;
    t->network.class_weight = weight;
    t->network.signature.class_weight = known_weight; /* scores know what to undo */
    return L2R_OK;
}

/* Weights of the data count relative to each other: over the training graphs they have mean 1. */
static enum l2r_status graph_weights(struct l2r_trainer *t, struct l2r_error *error)
{
    const int32_t *train = l2r_split_part(t->split, L2R_PART_TRAIN);
    int64_t n = l2r_split_size(t->split, L2R_PART_TRAIN);
    double sum = 0;
    if (!t->data->weight) return L2R_OK;
    for (int64_t i = 0; i < n; i++) sum += (double)t->data->weight[train[i]];
    if (sum <= 0) return l2r_fail(error, L2R_ERR_ARGUMENT, "all training graphs have the weight 0");
    t->network.weight_scale = (double)n / sum;
    return L2R_OK;
}

static enum l2r_status pick_metric(struct l2r_trainer *t, struct l2r_error *error)
{
    const char *name = l2r_config_text(t->config, "metric");
    t->metric = name ? l2r_metric_find(name) : l2r_metric_default(t->data->task, t->data->n_tasks);
    if (!t->metric) {
        char names[512] = "";
        for (size_t i = 0; l2r_metrics[i]; i++) l2r_name_add(names, sizeof names, l2r_metrics[i]->name);
        return l2r_fail(error, L2R_ERR_ARGUMENT, "`metric`: there is no metric \"%.100s\"; there are %s", name, names);
    }
    struct l2r_error reason = {0};
    if (l2r_metric_check(t->metric, t->data->task, t->data->n_tasks, &reason) == L2R_OK) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "`metric`: %s", reason.message);
}

static enum l2r_status start_method(struct l2r_trainer *t, struct l2r_error *error)
{
    t->method_state = l2r_alloc(1, t->method->size + 1); /* never 0 bytes: NULL means out of memory */
    if (!t->method_state) return l2r_fail_memory(error, t->method->size, "the method");
    if (t->method->environments &&
        l2r_environments_need(&t->environments, t->data, t->set.graphs, t->set.n, t->method->name, error) != L2R_OK)
        return L2R_ERR_ARGUMENT;
    if (!t->method->init) return L2R_OK;
    return t->method->init(t->method_state, t->config, &t->network, &t->set, error);
}

/* What the head reads beside Z: --features, and the columns that the data brings. All graphs are described at
 * once, so that batches find their rows and the next run finds a file. */
static enum l2r_status read_features(struct l2r_trainer *t, struct l2r_signature *signature, struct l2r_arena *arena,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const int32_t *train = l2r_split_part(t->split, L2R_PART_TRAIN);
    struct l2r_dataset view = t->view;
    struct l2r_text note = {0};
    unsigned blocks = l2r_config_list(t->config, "features") >> 1;
    const struct l2r_feature_scale all = {.blocks = blocks};
    view.scale = &all;
    if (view.smiles) L2R_TRY(l2r_features_fill(&view, NULL, view.n_graphs, error));
    L2R_TRY(l2r_signature_add_features(signature, arena, &note, t->data, train,
                                       l2r_split_size(t->split, L2R_PART_TRAIN), blocks, error));
    snprintf(t->features, sizeof t->features, "%s", note.text ? note.text : "");
done:
    l2r_text_clear(&note);
    return status;
}

enum l2r_status l2r_trainer_init(struct l2r_trainer *t, const struct l2r_config *config, const struct l2r_dataset *data,
                                 const struct l2r_split *split, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const int32_t *train = l2r_split_part(split, L2R_PART_TRAIN);
    int64_t n_train = l2r_split_size(split, L2R_PART_TRAIN);
    struct l2r_arena scratch;
    struct l2r_signature signature;
    struct l2r_predictor *origin = NULL;
    l2r_arena_init(&scratch);
    *t = (struct l2r_trainer){.config = config,
                              .view = *data,
                              .data = &t->view,
                              .split = split,
                              .seed = (uint64_t)l2r_config_int(config, "seed"),
                              .batch_size = l2r_config_int(config, "batch-size"),
                              .eval_batch_size = l2r_config_int(config, "eval-batch-size"),
                              .clip = l2r_config_real(config, "clip"),
                              .rate = NAN,
                              .at = {.best_valid = NAN, .other_valid = NAN}};
    l2r_tape_init(&t->tape);
    if (n_train == 0) L2R_FAIL(L2R_ERR_ARGUMENT, "the split leaves no graph to train on");
    const struct l2r_model_type *type = l2r_model_find(l2r_config_text(config, "model"));
    t->method = l2r_method_find(l2r_config_text(config, "method"));
    t->epochs = l2r_phase_epochs(config, t->method, type, n_train);
    L2R_TRY(pick_metric(t, error));
    t->selector = l2r_config_is(config, "select", "id-valid") ? L2R_PART_ID_VALID : L2R_PART_VALID;
    if (t->selector == L2R_PART_ID_VALID && l2r_split_size(split, t->selector) == 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`select=id-valid`: the %s split of data set \"%s\" has no such part", split->rule,
                 data->name);
    L2R_TRY(l2r_signature_make(&signature, &scratch, data, train, n_train, error));
    L2R_TRY(read_features(t, &signature, &scratch, error));
    L2R_TRY(l2r_transfer_open(&origin, &signature, config, error));
    L2R_TRY(l2r_network_init(&t->network, type, config, &signature, t->seed, error));
    L2R_TRY(l2r_transfer_take(&t->network, origin, config, error));
    t->view.scale = t->network.signature.features.n > 0 ? &t->network.signature.features : NULL;
    data = t->data;
    L2R_TRY(class_weights(t, error));
    L2R_TRY(graph_weights(t, error));
    L2R_TRY(l2r_optimiser_start(&t->optimiser, config, t->network.params.n_trainable, error));
    if (!type->fit)
        L2R_TRY(l2r_averaging_start(&t->averaging, config, &t->network.params, error)); /* trees are whole */
    if (t->averaging.kind == L2R_AVERAGE_VALLEY && l2r_split_size(split, t->selector) == 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`swa`: the split leaves no validation graphs, whose loss says when to average");
    if (type->fit && strcmp(l2r_config_text(config, "method"), "erm") != 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`method` %s trains networks by gradients; model %s goes with method erm",
                 l2r_config_text(config, "method"), type->name);
    L2R_TRY(l2r_run_environments(&t->environments, config, data, split, error));
    t->set = (struct l2r_training_set){data, train, n_train, &t->environments};
    L2R_TRY(start_method(t, error));
    L2R_TRY(l2r_phase_enter(t, 0, error));
    struct l2r_sharing sharing = t->network.sharing;
    if (!t->method->before_batch) sharing.depth = sharing.train_depth; /* a look-ahead has no dropout */
    L2R_TRY(l2r_batches_new(&t->batches, data, &sharing, error));
    t->order = l2r_alloc((size_t)n_train, sizeof *t->order);
    if (t->order)
        l2r_trainer_shuffle(t);
    else
        status = l2r_fail_memory(error, (size_t)n_train * sizeof *t->order, "the order of graphs");
done:
    l2r_predictor_free(origin);
    l2r_arena_clear(&scratch);
    return status;
}

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

void l2r_trainer_clear(struct l2r_trainer *t)
{
    l2r_batches_free(t->batches);
    if (t->method && t->method->clear && t->method_state) t->method->clear(t->method_state);
    l2r_free(t->method_state);
    l2r_environments_clear(&t->environments);
    l2r_free(t->order);
    l2r_optimiser_clear(&t->optimiser);
    l2r_averaging_clear(&t->averaging);
    l2r_tape_clear(&t->tape);
    l2r_network_clear(&t->network);
    *t = (struct l2r_trainer){0};
}

double l2r_trainer_rate(const struct l2r_trainer *t)
{
    return isnan(t->rate) ? l2r_schedule_rate(&t->schedule, t->at.epoch - t->at.phase_epoch) : t->rate;
}

int64_t l2r_trainer_batches(const struct l2r_trainer *t)
{
    if (t->network.type->fit) return 1; /* an epoch is one step */
    return (t->n_active + t->batch_size - 1) / t->batch_size;
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
        int64_t k = 0, n = value->data ? value->rows * value->cols : 0; /* what was never asked for has none */
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

/* Losses are sums over the ranks' parts. The wish to stop travels in the same message, so that all ranks stop after
 * the same step and none waits for another. */
static void add_ranks(double *loss, double *objective, struct l2r_trainer *t)
{
    double sums[3] = {*loss, *objective, t->stop_asked ? 1 : 0};
    l2r_comm_sum(t->comm, sums, 3, sizeof *sums);
    *loss = sums[0];
    *objective = sums[1];
    t->stop = sums[2] > 0;
}

/* The mean loss as reports know it (metrics/probability.h): no weights of classes or graphs, no extra terms. */
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

/* Forward and backward; the gradients are in network.params.grad afterwards. */
static enum l2r_status differentiate(struct l2r_trainer *t, struct l2r_step *step, double *loss, double *objective,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_method *m = t->method;
    if (m->before_batch) L2R_TRY(m->before_batch(t->method_state, step, error));
    l2r_node z = represent(t, step->batch);
    step->output = l2r_network_output(&t->network, &t->tape, step->batch, z);
    step->losses = l2r_network_losses(&t->network, &t->tape, step->batch, step->output);
    if (!t->phase.head_only) l2r_masking_loss(&t->network, &t->tape, step->batch, t->seed, (uint64_t)t->at.step);
    l2r_node losses = m->graph_losses ? m->graph_losses(t->method_state, step, z) : step->losses;
    const l2r_real *weights = m->sample_weights ? m->sample_weights(t->method_state, step, z) : NULL;
    l2r_node total = l2r_weighted_mean(&t->tape, losses, weights), plain = total;
    if (weights || t->network.class_weight || losses.id != step->losses.id) plain = plain_loss(t, step);
    if (t->tape.model_loss.id >= 0) total = l2r_add(&t->tape, total, t->tape.model_loss);
    l2r_node extra = m->extra_loss ? m->extra_loss(t->method_state, step, z) : L2R_NO_NODE;
    if (extra.id >= 0) total = l2r_add(&t->tape, total, extra);
    l2r_params_zero_grad(&t->network.params);
    l2r_gradients_begin(&t->gradients, &t->tape);
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

/* The next batch; the one after it is named too, so that a thread can prepare it meanwhile. */
static enum l2r_status next_batch(const struct l2r_batch **batch, struct l2r_trainer *t, struct l2r_error *error)
{
    int64_t begin = t->at.batch * t->batch_size, end = begin + t->batch_size, after = end + t->batch_size;
    if (end > t->n_active) end = t->n_active;
    if (after > t->n_active) after = t->n_active;
    return l2r_batches_next(batch, t->batches, t->order + begin, end - begin, t->order + end, after - end, error);
}

/* The step of a model that is not trained by gradients, on all training graphs. */
static enum l2r_status fit(struct l2r_trainer *t, struct l2r_error *error)
{
    double loss = 0;
    const struct l2r_fit fit = {.data = t->data,
                                .train = l2r_split_part(t->split, L2R_PART_TRAIN),
                                .n_train = l2r_split_size(t->split, L2R_PART_TRAIN),
                                .epoch = t->at.epoch,
                                .class_weight = t->network.class_weight};
    enum l2r_status status = t->network.type->fit(t->network.model, &loss, &fit, error);
    if (status != L2R_OK) return status;
    t->at.step++;
    t->at.batch++;
    t->at.loss_sum += loss * (double)t->n_active;
    return L2R_OK;
}

enum l2r_status l2r_trainer_step(struct l2r_trainer *t, struct l2r_error *error)
{
    if (t->network.type->fit) return fit(t, error);
    enum l2r_status status = L2R_OK;
    const struct l2r_batch *batch;
    double loss = 0, objective = 0, lr = l2r_trainer_rate(t);
    l2r_tape_reset(&t->tape);
    L2R_TRY(next_batch(&batch, t, error));
    struct l2r_step step = {&t->network, &t->tape, batch,   t->data,     t->seed,    t->at.epoch,
                            t->at.step,  lr,       &t->set, L2R_NO_NODE, L2R_NO_NODE};
    L2R_TRY(differentiate(t, &step, &loss, &objective, error));
    struct l2r_params *params = &t->network.params;
    double norm = t->clip > 0 ? l2r_grad_clip(params->grad, params->n_trainable, t->clip) : 0;
    if (!isfinite(norm))
        L2R_FAIL(L2R_ERR_DIVERGED, "epoch %lld, batch %lld: the gradient of \"%s\" is not finite; try a smaller `lr`",
                 (long long)t->at.epoch + 1, (long long)t->at.batch + 1, wild_gradient(params));
    l2r_optimiser_step_from(&t->optimiser, params->value, params->grad, t->phase.head_only ? t->network.n_backbone : 0,
                            params->n_trainable, lr);
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

enum l2r_status l2r_trainer_average(struct l2r_trainer *t, struct l2r_error *error)
{
    struct l2r_scored scored = {0};
    if (t->averaging.kind != L2R_AVERAGE_VALLEY) return L2R_OK;
    enum l2r_status status =
        l2r_scored_make(&scored, &t->network, &t->tape, t->data, l2r_split_part(t->split, t->selector),
                        l2r_split_size(t->split, t->selector), t->eval_batch_size, error);
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
