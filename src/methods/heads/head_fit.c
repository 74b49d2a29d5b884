/* SPDX-License-Identifier: MIT
 * See head_fit.h. */
#include "methods/heads/head_fit.h"

#include "base/memory.h"
#include "reweight/weights.h"

#include <math.h>

const struct l2r_option l2r_head_fit_option_table[] = {
    {.name = "fit-head",
     .kind = L2R_OPTION_FLAG,
     .fallback = "true",
     .group = "Head fit",
     .help = "fit the last layer alone when training has ended (head fit); `fit-head=false` is ERM"},
    {.name = "head-holdout",
     .needs = "fit-head=true",
     .kind = L2R_OPTION_REAL,
     .fallback = "0.2",
     .min = 0,
     .max = 0.9,
     .help = "share of the training graphs that only the head learns from; 0: network and head take all"},
    {0}};

/* A random subset of the training graphs, the same in every epoch. */
static enum l2r_status hold_out(struct l2r_head_fit *r, const struct l2r_training_set *set, uint64_t seed,
                                struct l2r_error *error)
{
    struct l2r_rng rng = l2r_rng_at(seed, L2R_RANDOM_METHOD, 0);
    int32_t *order = l2r_alloc((size_t)set->n, sizeof *order);
    if (!order) return l2r_fail_memory(error, (size_t)set->n * sizeof *order, "the graphs held out");
    for (int64_t i = 0; i < set->n; i++) order[i] = set->graphs[i];
    l2r_rng_shuffle(&rng, order, (size_t)set->n);
    for (int64_t i = 0; i < r->n_held; i++) r->held[order[i]] = true;
    l2r_free(order);
    return L2R_OK;
}

enum l2r_status l2r_head_fit_init(struct l2r_head_fit *r, const char *method, const struct l2r_config *config,
                                  const struct l2r_network *network, const struct l2r_training_set *set,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    double share = l2r_config_real(config, "head-holdout");
    *r = (struct l2r_head_fit){.on = l2r_config_flag(config, "fit-head"), .n_graphs = set->data->n_graphs};
    if (network->signature.task == L2R_TASK_REGRESSION)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`method=%s` weighs graphs by their classes, and a regression has none", method);
    if (l2r_network_last_width(network) == 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`method=%s`: model %s has no linear head", method, network->type->name);
    r->n_held = r->on ? (int64_t)ceil(share * (double)set->n) : 0; /* a share of few is still one */
    if (r->n_held > 0 && r->n_held == set->n)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`head-holdout=%g` of %lld training graphs leaves none to train on", share,
                 (long long)set->n);
    r->held = l2r_alloc((size_t)r->n_graphs, sizeof *r->held);
    r->weight = l2r_alloc((size_t)r->n_graphs, sizeof *r->weight);
    if (!r->held || !r->weight)
        return l2r_fail_memory(error, (size_t)r->n_graphs * sizeof *r->weight, "the weights of the head");
    for (int64_t g = 0; g < r->n_graphs; g++) r->weight[g] = 1;
    status = hold_out(r, set, (uint64_t)l2r_config_int(config, "seed"), error);
done:
    return status;
}

void l2r_head_fit_clear(struct l2r_head_fit *r)
{
    l2r_free(r->held);
    l2r_free(r->weight);
}

double *l2r_head_fit_offer(struct l2r_head_weights *out, struct l2r_arena *arena, const struct l2r_training_set *set,
                           struct l2r_error *error)
{
    double *w = l2r_arena_zeroed(arena, (size_t)set->n, sizeof *w);
    if (!w) (void)l2r_fail_memory(error, (size_t)set->n * sizeof *w, "the weights of the head");
    out->item[out->n].w = w;
    out->item[out->n].left = out->item[out->n].shuffled = (double)NAN;
    if (w) out->n++;
    return w;
}

void l2r_head_fit_finish(struct l2r_head_weights *out, const struct l2r_head_fit *r, const struct l2r_training_set *set)
{
    int64_t held = r->n_held > 0 ? r->n_held : set->n;
    for (int k = 0; k < out->n; k++) {
        double sum = 0, *w = out->item[k].w;
        for (int64_t i = 0; i < set->n; i++) sum += w[i];
        for (int64_t i = 0; i < set->n && sum > 0; i++) w[i] *= (double)set->n / sum;
        out->item[k].ess = l2r_effective_sample_size(w, set->n) * (double)set->n / (double)held;
    }
}

double l2r_label_probability(const float *output, const struct l2r_dataset *data, int64_t graph)
{
    const float *labels = data->labels + graph * data->n_tasks;
    double sum = 0, known = 0;
    if (data->task == L2R_TASK_MULTICLASS) {
        if (isnan(labels[0])) return (double)NAN;
        for (int32_t k = 0; k < data->n_classes; k++) sum += exp((double)(output[k] - output[(int32_t)labels[0]]));
        return 1 / sum;
    }
    for (int32_t k = 0; k < data->n_tasks; k++) {
        if (isnan(labels[k])) continue;
        sum += 1 / (1 + exp((double)(labels[k] == 1 ? -output[k] : output[k])));
        known++;
    }
    return sum / known;
}

/* ---- hooks ---- */

/* The graphs that train come to the front, in their order. */
int64_t l2r_head_fit_order(void *state, int32_t *order, int64_t n, int64_t epoch)
{
    const struct l2r_head_fit *r = state;
    int64_t active = 0;
    (void)epoch;
    for (int64_t i = 0; i < n; i++) {
        int32_t graph = order[i];
        if (r->held[graph]) continue;
        order[i] = order[active];
        order[active++] = graph;
    }
    return active;
}

void l2r_head_fit_keep(void *state, const struct l2r_training_set *set, const double *w)
{
    struct l2r_head_fit *r = state;
    for (int64_t i = 0; i < set->n; i++) r->weight[set->graphs[i]] = (l2r_real)w[i];
}

bool l2r_head_fit_array(void *state, int i, struct l2r_state_array *array)
{
    struct l2r_head_fit *r = state;
    *array = (struct l2r_state_array){"weights", L2R_STATE_REAL, r->weight, r->n_graphs};
    return i == 0;
}

bool l2r_head_fit_loaded(const void *state)
{
    const struct l2r_head_fit *r = state;
    for (int64_t g = 0; g < r->n_graphs; g++)
        if (!(r->weight[g] >= 0) || !isfinite((double)r->weight[g])) return false;
    return true;
}
