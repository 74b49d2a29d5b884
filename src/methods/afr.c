/* SPDX-License-Identifier: MIT
 *
 * AFR (Qiu et al. 2023, eq. 1 and 2): the network learns by ERM on most training graphs; the head is refitted on the
 * others, where those count most whose label the network finds unlikely. No environments are needed.
 *
 *     phase 1:   w_n ∝ β_y exp(−γ p_n),   p_n = probability of the label y_n after phase 0,   1/β_y = graphs of class y
 *                Σ_n w_n ℓ_n + λ ‖φ − φ̂‖²  over the head φ, on frozen Z
 *
 * A fifth of the graphs is held out, γ = 10 and λ = 0: the authors' command for Waterbirds (github.com/AndPotap/afr,
 * README; for CelebA γ = 1.44, λ = 0.001), and the search covers both. No epochs to refit (--refit-epochs 0) is ERM bit
 * for bit, on all graphs.
 */
#include "methods/refit/refit.h"

#include "base/json.h"
#include "base/memory.h"

#include <math.h>

struct afr {
    struct l2r_refit refit;
    double gamma, anchor;
    bool *held;       /* [n_graphs of the data]: for phase 1 */
    int64_t n_held;   /* 0: phase 1 takes all */
    l2r_real *weight; /* [n_graphs of the data]: mean 1 over the graphs of phase 1 */
    int64_t n_graphs;
};

static const struct l2r_option options[] = {
    {.name = "afr-gamma",
     .kind = L2R_OPTION_REAL,
     .fallback = "10",
     .min = 0,
     .max = 1000,
     .group = "AFR",
     .help = "how much more graphs count in the refit whose label the network finds unlikely"},
    {.name = "afr-holdout",
     .kind = L2R_OPTION_REAL,
     .fallback = "0.2",
     .min = 0,
     .max = 0.9,
     .help = "share of the training graphs kept for the refit; 0: both phases take all"},
    {.name = "afr-anchor",
     .kind = L2R_OPTION_REAL,
     .fallback = "0",
     .min = 0,
     .max = 1e6,
     .help = "weight of the squared distance of the head from what it was before the refit"},
    {0}};

/* A random subset of the training graphs, the same in every epoch. */
static void hold_out(struct afr *s, const struct l2r_training_set *set, int32_t *order, uint64_t seed)
{
    struct l2r_rng rng = l2r_rng_at(seed, L2R_RANDOM_METHOD, 0);
    for (int64_t i = 0; i < set->n; i++) order[i] = set->graphs[i];
    l2r_rng_shuffle(&rng, order, (size_t)set->n);
    for (int64_t i = 0; i < s->n_held; i++) s->held[order[i]] = true;
}

static enum l2r_status init(void *state, const struct l2r_config *config, const struct l2r_network *network,
                            const struct l2r_training_set *set, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct afr *s = state;
    int32_t *order = NULL;
    double share = l2r_config_real(config, "afr-holdout");
    L2R_TRY(l2r_refit_init(&s->refit, "afr", config, network, error));
    s->gamma = l2r_config_real(config, "afr-gamma");
    s->anchor = l2r_config_real(config, "afr-anchor");
    s->n_graphs = set->data->n_graphs;
    s->n_held = s->refit.refit > 0 ? (int64_t)ceil(share * (double)set->n) : 0; /* a share of few is still one */
    s->held = l2r_alloc((size_t)s->n_graphs, sizeof *s->held);
    s->weight = l2r_alloc((size_t)s->n_graphs, sizeof *s->weight);
    order = l2r_alloc((size_t)set->n, sizeof *order);
    if (s->held && s->weight && order)
        hold_out(s, set, order, (uint64_t)l2r_config_int(config, "seed"));
    else
        status = l2r_fail_memory(error, (size_t)s->n_graphs * sizeof *s->weight, "weights");
done:
    l2r_free(order);
    return status;
}

static void clear(void *state)
{
    struct afr *s = state;
    l2r_refit_clear(&s->refit);
    l2r_free(s->held);
    l2r_free(s->weight);
}

static bool phase(const void *state, int k, struct l2r_phase *phase)
{
    return l2r_refit_phase(&((const struct afr *)state)->refit, k, phase);
}

static bool takes_part(const struct afr *s, int64_t graph)
{
    return s->n_held == 0 || s->held[graph] == (s->refit.phase == 1);
}

static enum l2r_status begin_phase(void *state, int k, const struct l2r_training_set *set,
                                   const struct l2r_network *network, const float *output, struct l2r_error *error)
{
    struct afr *s = state;
    int32_t outputs = l2r_signature_outputs(&network->signature), n_classes = l2r_dataset_label_classes(set->data);
    int64_t *count = l2r_alloc((size_t)n_classes + 1, sizeof *count); /* of classes; the last: no label */
    double sum = 0, n = 0;
    if (!count) return l2r_fail_memory(error, (size_t)n_classes * sizeof *count, "classes");
    l2r_refit_begin(&s->refit, k, network);
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < set->n; i++) {
            int64_t graph = set->graphs[i];
            int32_t class = l2r_dataset_label_class(set->data, graph);
            int64_t *same = &count[class < 0 ? n_classes : class];
            double p = l2r_label_probability(output + i * outputs, set->data, graph);
            if (!takes_part(s, graph)) continue;
            if (pass == 0) {
                ++*same;
                continue;
            }
            s->weight[graph] = isnan(p) ? 0 : (l2r_real)(exp(-s->gamma * p) / (double)*same);
            sum += (double)s->weight[graph];
            n++;
        }
    for (int64_t g = 0; g < s->n_graphs && sum > 0; g++) s->weight[g] = (l2r_real)((double)s->weight[g] * n / sum);
    l2r_free(count);
    return L2R_OK;
}

/* The graphs of the phase come to the front, in their order. */
static int64_t epoch_order(void *state, int32_t *order, int64_t n, int64_t epoch)
{
    const struct afr *s = state;
    int64_t active = 0;
    (void)epoch;
    for (int64_t i = 0; i < n; i++) {
        int32_t graph = order[i];
        if (!takes_part(s, graph)) continue;
        order[i] = order[active];
        order[active++] = graph;
    }
    return active;
}

static const l2r_real *sample_weights(void *state, const struct l2r_step *step, l2r_node z)
{
    const struct afr *s = state;
    const struct l2r_batch *b = step->batch;
    (void)z;
    if (s->refit.phase == 0) return NULL;
    l2r_real *w = l2r_tape_alloc(step->tape, b->n_graphs, sizeof *w);
    for (int64_t i = 0; w && i < b->n_graphs; i++) w[i] = s->weight[b->graphs[i]];
    return w;
}

static l2r_node extra_loss(void *state, const struct l2r_step *step, l2r_node z)
{
    const struct afr *s = state;
    (void)z;
    return l2r_refit_penalty(&s->refit, step, s->anchor, 0);
}

static enum l2r_status after_epoch(void *state, int64_t epoch, json_t *log, char note[256], struct l2r_error *error)
{
    (void)epoch, (void)note, (void)error;
    l2r_json_put(log, "phase", json_integer(((const struct afr *)state)->refit.phase));
    return L2R_OK;
}

static bool state_array(void *state, int i, struct l2r_state_array *array)
{
    struct afr *s = state;
    if (l2r_refit_array(&s->refit, i, array)) return true;
    *array = (struct l2r_state_array){"weight", L2R_STATE_REAL, s->weight, s->n_graphs};
    return i == L2R_REFIT_ARRAYS;
}

static bool loaded(const void *state)
{
    const struct afr *s = state;
    for (int64_t g = 0; g < s->n_graphs; g++)
        if (!(s->weight[g] >= 0) || !isfinite((double)s->weight[g])) return false;
    return l2r_refit_loaded(&s->refit);
}

const struct l2r_method l2r_method_afr = {
    .name = "afr",
    .title = "Automatic feature reweighting",
    .paper = "Qiu et al. 2023",
    .objective = "ERM, then the head alone on held-out graphs with weights exp(-gamma p_y)",
    .options = options,
    .shared = {l2r_refit_option_table},
    .off = "refit-epochs=0",
    .space = "afr-gamma=1..20,afr-anchor=0..0.4:5",
    .size = sizeof(struct afr),
    .init = init,
    .clear = clear,
    .phase = phase,
    .begin_phase = begin_phase,
    .epoch_order = epoch_order,
    .sample_weights = sample_weights,
    .extra_loss = extra_loss,
    .after_epoch = after_epoch,
    .state_array = state_array,
    .loaded = loaded,
};
