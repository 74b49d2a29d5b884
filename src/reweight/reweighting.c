/* SPDX-License-Identifier: MIT
 *
 * See reweighting.h. How a batch gets its weights, by mode:
 *
 *     bilevel first    prepare:  look_ahead ──► weigh_batch                           then the step uses r->w
 *     bilevel second   prepare:  look_ahead ──► second-order term ──► weigh_batch
 *     bilevel none     weights:  weigh_now, from the Z of the training pass itself
 *     scope epoch      prepare:  weigh_epoch, at the first batch of each epoch        then graph_weight by graph
 *     holdout          prepare:  weigh_held_out, the held-out batches due now         then graph_weight · factor
 *
 * With `pair-weights=head` the importance of variables is computed first (read_head). On several ranks every rank
 * gathers Z of the whole batch and learns the same weights from it.
 */
#include "reweight/reweighting.h"

#include "base/memory.h"
#include "batch/batch.h"
#include "batch/batches.h"
#include "reweight/groups.h"

#include <math.h>
#include <string.h>

enum l2r_status l2r_holdout_init(struct l2r_holdout *h, double share, int64_t n, int64_t batch_size,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t held = (int64_t)llround(share * (double)n);
    *h = (struct l2r_holdout){.n_train = n - held, .n_held = held, .factor = 1};
    if (held < L2R_FEWEST_GRAPHS)
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "`holdout=%g` holds out %lld of %lld training graphs; weights are learned from %d or more", share,
                 (long long)held, (long long)n, L2R_FEWEST_GRAPHS);
    if (held >= n)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`holdout=%g` leaves none of %lld training graphs to train on", share, (long long)n);
    h->rows = batch_size < held ? batch_size : held;
    h->batches = (h->n_train + batch_size - 1) / batch_size;
    h->held = (held + h->rows - 1) / h->rows;
done:
    return status;
}

int64_t l2r_holdout_epoch(struct l2r_holdout *h, const int32_t *order, const l2r_real *weight)
{
    double sum = 0;
    for (int64_t i = 0; i < h->n_train; i++) sum += (double)weight[order[i]];
    h->held_order = order + h->n_train;
    h->factor = sum > 0 ? (double)h->n_train / sum : 1;
    return h->n_train;
}

/* The first k with k·T/H at least `batch`. */
static int64_t first_due(const struct l2r_holdout *h, int64_t batch)
{
    return (batch * h->held + h->batches - 1) / h->batches;
}

void l2r_holdout_due(int64_t *begin, int64_t *end, const struct l2r_holdout *h, int64_t batch)
{
    *begin = first_due(h, batch);
    *end = first_due(h, batch + 1);
}

const int32_t *l2r_holdout_batch(int64_t *n, const struct l2r_holdout *h, int64_t k)
{
    int64_t begin = k * h->rows;
    *n = begin + h->rows < h->n_held ? h->rows : h->n_held - begin;
    return h->held_order + begin;
}

/* Checks that the options are compatible. */
static enum l2r_status check_roles(const struct l2r_reweighting *r, double holdout, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if (r->epoch_scope && r->n_train > L2R_MOST_EPOCH_SCOPE)
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "`scope=epoch` needs a matrix of all %lld training graphs; beyond %d use `scope=batch`",
                 (long long)r->n_train, L2R_MOST_EPOCH_SCOPE);
    if (r->epoch_scope && r->bilevel == L2R_BILEVEL_SECOND)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`bilevel=second` works on mini-batches; use `scope=batch`");
    if (holdout > 0 && r->epoch_scope) L2R_FAIL(L2R_ERR_ARGUMENT, "`holdout` works on mini-batches; use `scope=batch`");
    if (holdout > 0 && r->bilevel == L2R_BILEVEL_NONE)
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "`holdout` has no use with `bilevel=none`, where weights come from the training pass");
    if (holdout > 0 && r->bilevel == L2R_BILEVEL_SECOND)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`holdout`: `bilevel=second` differentiates through a graph's own training step, "
                                   "and a held-out graph has none; use `bilevel=first`");
done:
    return status;
}

/* For the controls with known groups. */
static enum l2r_status find_groups(struct l2r_reweighting *r, const struct l2r_learner_options *options,
                                   const struct l2r_dataset *data, struct l2r_error *error)
{
    bool root = options->control == L2R_CONTROL_ROOT_GROUPS;
    if (!root && options->control != L2R_CONTROL_GROUPS) return L2R_OK;
    r->learner.known = l2r_alloc((size_t)data->n_graphs, sizeof *r->learner.known);
    if (!r->learner.known)
        return l2r_fail_memory(error, (size_t)data->n_graphs * sizeof *r->learner.known, "the weights of the groups");
    return l2r_group_weights(r->learner.known, options->environments, data, r->train, r->n_train, root ? 0.5 : 1,
                             error);
}

enum l2r_status l2r_reweighting_init(struct l2r_reweighting *r, const struct l2r_learner_options *options,
                                     enum l2r_bilevel bilevel, bool epoch_scope, const struct l2r_config *config,
                                     const struct l2r_network *network, const struct l2r_dataset *data,
                                     const int32_t *train, int64_t n_train, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t rows = l2r_config_int(config, "batch-size");
    *r = (struct l2r_reweighting){.bilevel = bilevel,
                                  .epoch_scope = epoch_scope,
                                  .train = train,
                                  .n_train = n_train,
                                  .batch_rows = rows < n_train ? rows : n_train,
                                  .weighed_epoch = -1};
    l2r_tape_init(&r->tape);
    l2r_importance_init(&r->importance, options->head_pairs);
    L2R_TRY(check_roles(r, options->holdout, error));
    if (options->holdout > 0) L2R_TRY(l2r_holdout_init(&r->holdout, options->holdout, n_train, rows, error));
    if (bilevel == L2R_BILEVEL_SECOND) L2R_TRY(l2r_second_order_init(&r->second, network, r->batch_rows, error));
    struct l2r_learner_options mine = *options;
    if (r->epoch_scope) mine.n_queues = 0;
    L2R_TRY(l2r_learner_init(&r->learner, &mine, (uint64_t)l2r_config_int(config, "seed"), network->width,
                             options->holdout > 0 ? r->holdout.rows : r->batch_rows, data, error));
    L2R_TRY(find_groups(r, options, data, error));
    r->w = l2r_alloc((size_t)r->batch_rows, sizeof *r->w);
    r->z = l2r_alloc((size_t)(r->batch_rows * network->width), sizeof *r->z);
    r->graph_weight = l2r_alloc((size_t)data->n_graphs, sizeof *r->graph_weight);
    if (!r->w || !r->z || !r->graph_weight) {
        status = l2r_fail_memory(error, (size_t)data->n_graphs * sizeof *r->graph_weight, "the weights of the graphs");
        goto done;
    }
    for (int64_t i = 0; i < data->n_graphs; i++) r->graph_weight[i] = 1;
done:
    return status;
}

void l2r_reweighting_clear(struct l2r_reweighting *r)
{
    l2r_learner_clear(&r->learner);
    l2r_tape_clear(&r->tape);
    l2r_second_order_clear(&r->second);
    l2r_importance_clear(&r->importance);
    l2r_free(r->w);
    l2r_free(r->z);
    l2r_free(r->graph_weight);
    *r = (struct l2r_reweighting){0};
}

/* Z of a batch in the held-out role, on r->tape; NULL with an error when the pass failed. */
static const l2r_real *look_ahead(struct l2r_reweighting *r, const struct l2r_network *network,
                                  const struct l2r_batch *batch, struct l2r_error *error)
{
    l2r_tape_mode_predict(&r->tape);
    r->tape.pass.batch_statistics = !r->frozen;
    l2r_node node = l2r_network_represent(network, &r->tape, batch);
    if (r->tape.status == L2R_OK) return l2r_value_of(&r->tape, node)->data;
    l2r_fail(error, r->tape.status, "%s", r->tape.error.message);
    return NULL;
}

/* The graphs of the whole batch and z [n × d] of all of them: gathered where this is one rank's part. */
static const int32_t *whole_batch(const l2r_real **z, int64_t *n, const struct l2r_reweighting *r,
                                  const struct l2r_batch *batch)
{
    const struct l2r_division *d = batch->division;
    *n = d ? d->n_graphs : batch->n_graphs;
    if (!d) return batch->graphs;
    l2r_division_gather(d, r->z, *z, (size_t)r->learner.d * sizeof **z);
    *z = r->z;
    return d->graphs;
}

/* How much the head uses the variables of z [n × d], for the learner. */
static enum l2r_status read_head(struct l2r_reweighting *r, const struct l2r_network *network, const l2r_real *z,
                                 int64_t n, struct l2r_error *error)
{
    return l2r_importance_find(&r->learner.importance, &r->importance, network, z, n, error);
}

/* z, extra and graphs are those of the whole batch: every rank learns the same weights. */
static enum l2r_status weigh_batch(struct l2r_reweighting *r, const l2r_real *z, const double *extra,
                                   const int32_t *graphs, int64_t n, int64_t epoch, int64_t step,
                                   struct l2r_error *error)
{
    enum l2r_status status = l2r_learner_weigh(&r->learner, r->w, z, graphs, extra, n, epoch, (uint64_t)step, error);
    if (status != L2R_OK) return status;
    l2r_learner_observe(&r->learner, z, n);
    for (int64_t i = 0; i < n; i++) r->graph_weight[graphs[i]] = r->w[i];
    return L2R_OK;
}

/* Z of all training graphs batch by batch, new clusters, then one set of weights. */
static enum l2r_status weigh_epoch(struct l2r_reweighting *r, const struct l2r_network *network,
                                   const struct l2r_dataset *data, struct l2r_comm *comm, int64_t epoch, int64_t step,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t d = network->width;
    l2r_real *all = l2r_alloc_raw((size_t)(r->n_train * d), sizeof *all),
             *w = l2r_alloc_raw((size_t)r->n_train, sizeof *w);
    if (!all || !w) {
        status = l2r_fail_memory(error, (size_t)(r->n_train * d) * sizeof *all,
                                 "the representations of all training graphs");
        goto done;
    }
    for (int64_t begin = 0; begin < r->n_train; begin += r->batch_rows) {
        struct l2r_batch batch;
        int64_t n = begin + r->batch_rows < r->n_train ? r->batch_rows : r->n_train - begin;
        l2r_tape_reset(&r->tape);
        L2R_TRY(l2r_batch_prepare(&batch, &r->tape.arena, data, r->train + begin, n, &network->sharing, comm, error));
        const l2r_real *z = look_ahead(r, network, &batch, error);
        if (!z) {
            status = r->tape.status;
            goto done;
        }
        (void)whole_batch(&z, &n, r, &batch);
        memcpy(all + begin * d, z, (size_t)(n * d) * sizeof *all);
        l2r_learner_observe(&r->learner, z, n);
    }
    l2r_learner_cluster(&r->learner, epoch);
    L2R_TRY(read_head(r, network, all, r->n_train, error));
    L2R_TRY(l2r_learner_weigh(&r->learner, w, all, r->train, NULL, r->n_train, epoch, (uint64_t)step, error));
    for (int64_t i = 0; i < r->n_train; i++) r->graph_weight[r->train[i]] = w[i];
    r->weighed_epoch = epoch;
done:
    l2r_free(all);
    l2r_free(w);
    return status;
}

int64_t l2r_reweighting_order(struct l2r_reweighting *r, const int32_t *order, int64_t n)
{
    return r->holdout.n_held > 0 ? l2r_holdout_epoch(&r->holdout, order, r->graph_weight) : n;
}

/* New weights for the held-out batches due before this training batch. */
static enum l2r_status weigh_held_out(struct l2r_reweighting *r, const struct l2r_network *network,
                                      const struct l2r_dataset *data, struct l2r_comm *comm, int64_t epoch,
                                      int64_t step, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t k, end, n;
    l2r_holdout_due(&k, &end, &r->holdout, step - epoch * r->holdout.batches);
    for (; k < end; k++) {
        struct l2r_batch batch;
        const int32_t *graphs = l2r_holdout_batch(&n, &r->holdout, k);
        l2r_tape_reset(&r->tape);
        L2R_TRY(l2r_batch_prepare(&batch, &r->tape.arena, data, graphs, n, &network->sharing, comm, error));
        const l2r_real *z = look_ahead(r, network, &batch, error);
        if (!z) return r->tape.status;
        graphs = whole_batch(&z, &n, r, &batch);
        L2R_TRY(read_head(r, network, z, n, error));
        L2R_TRY(weigh_batch(r, z, NULL, graphs, n, epoch, epoch * r->holdout.held + k, error));
    }
done:
    return status;
}

enum l2r_status l2r_reweighting_prepare(struct l2r_reweighting *r, const struct l2r_network *network,
                                        const struct l2r_dataset *data, const struct l2r_batch *batch, int64_t epoch,
                                        int64_t step, double learning_rate, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const double *extra = NULL;
    struct l2r_comm *comm = batch->division ? batch->division->comm : NULL;
    int64_t n;
    if (r->epoch_scope && r->weighed_epoch == epoch) return L2R_OK;
    if (r->epoch_scope) return weigh_epoch(r, network, data, comm, epoch, step, error);
    if (r->holdout.n_held > 0) return weigh_held_out(r, network, data, comm, epoch, step, error);
    if (r->bilevel == L2R_BILEVEL_NONE) return L2R_OK;
    l2r_tape_reset(&r->tape);
    const l2r_real *z = look_ahead(r, network, batch, error);
    if (!z) return r->tape.status;
    const int32_t *graphs = whole_batch(&z, &n, r, batch);
    L2R_TRY(read_head(r, network, z, n, error));
    if (r->bilevel == L2R_BILEVEL_SECOND) {
        if (z != r->z)
            memcpy(r->z, z, (size_t)(n * network->width) * sizeof *r->z); /* the term's passes take the tape */
        z = r->z;
        L2R_TRY(l2r_second_order_term(&extra, &r->second, &r->learner, &r->tape, network, batch, z, learning_rate,
                                      r->learner.seed, epoch, step, error));
    }
    L2R_TRY(weigh_batch(r, z, extra, graphs, n, epoch, step, error));
done:
    return status;
}

/* Mode none: the weights of the whole batch from the training pass's own z. */
static void weigh_now(struct l2r_reweighting *r, const struct l2r_network *network, struct l2r_tape *tape,
                      l2r_node node, const struct l2r_batch *batch, int64_t epoch, int64_t step)
{
    struct l2r_error error;
    int64_t n;
    if (!l2r_tape_ready(tape, node)) return;
    const l2r_real *z = l2r_value_of(tape, node)->data;
    const int32_t *graphs = whole_batch(&z, &n, r, batch);
    if (read_head(r, network, z, n, &error) != L2R_OK ||
        weigh_batch(r, z, NULL, graphs, n, epoch, step, &error) != L2R_OK)
        l2r_tape_check(tape, false, "%s", error.message);
}

const l2r_real *l2r_reweighting_weights(struct l2r_reweighting *r, const struct l2r_network *network,
                                        struct l2r_tape *tape, l2r_node z, const struct l2r_batch *batch, int64_t epoch,
                                        int64_t step)
{
    double factor = r->holdout.n_held > 0 ? r->holdout.factor : 1;
    l2r_real *w = r->w + (batch->division ? l2r_division_first(batch->division) : 0);
    if (r->epoch_scope || r->holdout.n_held > 0)
        for (int64_t i = 0; i < batch->n_graphs; i++)
            w[i] = (l2r_real)(factor * (double)r->graph_weight[batch->graphs[i]]);
    else if (r->bilevel == L2R_BILEVEL_NONE)
        weigh_now(r, network, tape, z, batch, epoch, step);
    return w;
}

void l2r_reweighting_epoch(struct l2r_reweighting *r, int64_t epoch, json_t *log, char note[256])
{
    if (!r->epoch_scope) l2r_learner_cluster(&r->learner, epoch);
    l2r_learner_epoch(&r->learner, epoch, log, note);
}

bool l2r_reweighting_state(struct l2r_reweighting *r, int i, struct l2r_state_array *array)
{
    const struct l2r_state_array mine[] = {{"weights", L2R_STATE_REAL, r->graph_weight, r->learner.n_graphs},
                                           {"weighed_epoch", L2R_STATE_I64, &r->weighed_epoch, 1}};
    if (i < 2) {
        *array = mine[i];
        return true;
    }
    return l2r_learner_state(&r->learner, i - 2, array);
}
