/* SPDX-License-Identifier: MIT
 *
 * DFR (Kirichenko et al. 2023), on training data: the network is trained by ERM, then its head is fitted on groups
 * (class × environment) of equal total weight: the representation has the stable features, but the head uses them too
 * little.
 *
 *     w_n ∝ 1 / (graphs held out of the group of n)
 *
 * The paper draws equally many graphs of every group, fits a logistic regression with an ℓ1 penalty, and takes the mean
 * of ten such fits; weights use all graphs of the large groups at once. The penalty is quadratic and chosen on the
 * validation graphs (heads/head_fit.h).
 */
#include "methods/groups/groups.h"
#include "methods/heads/head_fit.h"

#include "base/memory.h"

#include <stdio.h>

struct dfr {
    struct l2r_head_fit refit;
    struct l2r_graph_groups groups;
    int64_t *count; /* [groups]: graphs that the head learns from */
};

static const struct l2r_option options[] = {{0}};

static enum l2r_status init(void *state, const struct l2r_config *config, const struct l2r_network *network,
                            const struct l2r_training_set *set, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct dfr *s = state;
    L2R_TRY(l2r_head_fit_init(&s->refit, "dfr", config, network, set, error));
    L2R_TRY(l2r_graph_groups_make(&s->groups, set, true, error));
    s->count = l2r_alloc((size_t)s->groups.n, sizeof *s->count);
    if (!s->count) return l2r_fail_memory(error, (size_t)s->groups.n * sizeof *s->count, "groups");
    for (int64_t i = 0; i < set->n; i++)
        if (l2r_head_fit_takes(&s->refit, set->graphs[i])) s->count[s->groups.of[set->graphs[i]]]++;
done:
    return status;
}

static void clear(void *state)
{
    struct dfr *s = state;
    l2r_head_fit_clear(&s->refit);
    l2r_graph_groups_clear(&s->groups);
    l2r_free(s->count);
}

static enum l2r_status head_weights(void *state, struct l2r_head_weights *out, struct l2r_arena *arena,
                                    const char *instead, const struct l2r_network *network,
                                    const struct l2r_training_set *set, const float *z, const float *output,
                                    struct l2r_error *error)
{
    struct dfr *s = state;
    (void)instead, (void)network, (void)z, (void)output;
    *out = (struct l2r_head_weights){.kind = "dfr", .whose = "groups that count the same", .always = true};
    if (!s->refit.on) return L2R_OK;
    double *w = l2r_head_fit_offer(out, arena, set, error);
    if (!w) return L2R_ERR_MEMORY;
    for (int64_t i = 0; i < set->n; i++)
        if (l2r_head_fit_takes(&s->refit, set->graphs[i])) w[i] = 1 / (double)s->count[s->groups.of[set->graphs[i]]];
    l2r_head_fit_finish(out, &s->refit, set);
    return L2R_OK;
}

static enum l2r_status after_epoch(void *state, int64_t epoch, json_t *log, char note[256], struct l2r_error *error)
{
    const struct dfr *s = state;
    int64_t smallest = INT64_MAX;
    (void)log, (void)error;
    for (int32_t g = 0; g < s->groups.n; g++)
        if (s->count[g] < smallest) smallest = s->count[g];
    if (epoch == 0 && s->refit.on && smallest < 10)
        snprintf(note, 256, "dfr: the head learns from %lld graphs of the smallest of %d groups", (long long)smallest,
                 (int)s->groups.n);
    return L2R_OK;
}

const struct l2r_method l2r_method_dfr = {
    .name = "dfr",
    .title = "Deep feature reweighting",
    .paper = "Kirichenko et al. 2023",
    .objective = "ERM, then the head alone on held-out graphs, with equal weights of each class in each environment",
    .options = options,
    .shared = {l2r_head_fit_option_table},
    .off = "fit-head=false",
    .space = "head-holdout=0.1|0.2|0.4",
    .environments = true,
    .size = sizeof(struct dfr),
    .init = init,
    .clear = clear,
    .epoch_order = l2r_head_fit_order,
    .head_weights = head_weights,
    .keep_head_weights = l2r_head_fit_keep,
    .after_epoch = after_epoch,
    .state_array = l2r_head_fit_array,
    .loaded = l2r_head_fit_loaded,
};
