/* SPDX-License-Identifier: MIT
 *
 * DFR (Kirichenko et al. 2023), on training data: the network learns by ERM, and its head is refitted on groups of
 * equal size (class × environment), because what is needed has been learned, but is not used enough.
 *
 *     phase 1, each epoch:   m graphs of every group, m the size of the smallest, drawn anew
 *                            (1/B) Σ ℓ_n + λ ‖φ‖_1  over the head φ, on frozen Z
 *
 * The paper fits logistic regressions to such subsets and takes their mean; here every epoch has a subset of its own.
 * Its ℓ1 penalty is 1 / (C n) for n graphs, C from 0.01 to 1 (github.com/PolinaKirichenko/deep_feature_reweighting,
 * dfr_evaluate_spurious.py); λ = 0.01 is C = 0.1 for a thousand graphs. No epochs
 * to refit (--refit-epochs 0) is ERM bit for bit.
 */
#include "methods/groups/groups.h"
#include "methods/refit/refit.h"

#include "base/json.h"
#include "base/memory.h"

#include <stdio.h>

struct dfr {
    struct l2r_refit refit;
    struct l2r_graph_groups groups;
    int64_t smallest; /* m */
    int64_t *taken;   /* [groups] */
    double l1;
};

static const struct l2r_option options[] = {{.name = "dfr-l1",
                                             .kind = L2R_OPTION_REAL,
                                             .fallback = "0.01",
                                             .min = 0,
                                             .max = 1e6,
                                             .group = "DFR",
                                             .help = "weight of the sum of the head's absolute values in the refit"},
                                            {0}};

static enum l2r_status init(void *state, const struct l2r_config *config, const struct l2r_network *network,
                            const struct l2r_training_set *set, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct dfr *s = state;
    L2R_TRY(l2r_refit_init(&s->refit, "dfr", config, network, error));
    L2R_TRY(l2r_graph_groups_make(&s->groups, set, true, error));
    s->l1 = l2r_config_real(config, "dfr-l1");
    s->taken = l2r_alloc((size_t)s->groups.n, sizeof *s->taken);
    if (!s->taken) status = l2r_fail_memory(error, (size_t)s->groups.n * sizeof *s->taken, "groups");
    s->smallest = set->n;
    for (int32_t g = 0; g < s->groups.n; g++)
        if (s->groups.count[g] < s->smallest) s->smallest = s->groups.count[g];
done:
    return status;
}

static void clear(void *state)
{
    struct dfr *s = state;
    l2r_refit_clear(&s->refit);
    l2r_graph_groups_clear(&s->groups);
    l2r_free(s->taken);
}

static bool phase(const void *state, int k, struct l2r_phase *phase)
{
    return l2r_refit_phase(&((const struct dfr *)state)->refit, k, phase);
}

static enum l2r_status begin_phase(void *state, int k, const struct l2r_training_set *set,
                                   const struct l2r_network *network, const float *output, struct l2r_error *error)
{
    (void)set, (void)output, (void)error;
    l2r_refit_begin(&((struct dfr *)state)->refit, k, network);
    return L2R_OK;
}

/* The order is random, so the first m of each group are a random subset; they come to the front, in their order. */
static int64_t epoch_order(void *state, int32_t *order, int64_t n, int64_t epoch)
{
    struct dfr *s = state;
    int64_t active = 0;
    (void)epoch;
    if (s->refit.phase == 0) return n;
    for (int32_t g = 0; g < s->groups.n; g++) s->taken[g] = 0;
    for (int64_t i = 0; i < n; i++) {
        int32_t graph = order[i];
        if (s->taken[s->groups.of[graph]]++ >= s->smallest) continue;
        order[i] = order[active];
        order[active++] = graph;
    }
    return active;
}

static l2r_node extra_loss(void *state, const struct l2r_step *step, l2r_node z)
{
    const struct dfr *s = state;
    (void)z;
    return l2r_refit_penalty(&s->refit, step, 0, s->l1);
}

static enum l2r_status after_epoch(void *state, int64_t epoch, json_t *log, char note[256], struct l2r_error *error)
{
    const struct dfr *s = state;
    (void)error;
    l2r_json_put(log, "phase", json_integer(s->refit.phase));
    if (epoch == 0 && s->refit.refit > 0 && s->smallest < 10)
        snprintf(note, 256, "dfr: the smallest of %d groups has %lld training graphs, so the head is refitted on %lld",
                 (int)s->groups.n, (long long)s->smallest, (long long)s->smallest * s->groups.n);
    return L2R_OK;
}

static bool state_array(void *state, int i, struct l2r_state_array *array)
{
    return l2r_refit_array(&((struct dfr *)state)->refit, i, array);
}

static bool loaded(const void *state)
{
    return l2r_refit_loaded(&((const struct dfr *)state)->refit);
}

const struct l2r_method l2r_method_dfr = {
    .name = "dfr",
    .title = "Deep feature reweighting",
    .paper = "Kirichenko et al. 2023",
    .objective = "ERM, then the head alone on equally many graphs of each class in each environment",
    .options = options,
    .shared = {l2r_refit_option_table},
    .off = "refit-epochs=0",
    .space = "dfr-l1=1e-4..0.1:log",
    .environments = true,
    .size = sizeof(struct dfr),
    .init = init,
    .clear = clear,
    .phase = phase,
    .begin_phase = begin_phase,
    .epoch_order = epoch_order,
    .extra_loss = extra_loss,
    .after_epoch = after_epoch,
    .state_array = state_array,
    .loaded = loaded,
};
