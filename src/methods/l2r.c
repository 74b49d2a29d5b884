/* SPDX-License-Identifier: MIT
 *
 * Learning to reweight: weights under which variables of the representation depend less on each other.
 *
 *     w  = argmin over weights of mean 1 of  L(w) = Σ_{i<j} I_ij ‖Σ_ij‖²,   I_ij = 1: the pair counts
 *
 *     --weigh network   as in the paper (L2R-GNN): w is learned beside the network, batch by batch, and
 *                       θ = argmin (1/B) Σ_n w_n ℓ_n; pairs of different clusters count
 *     --weigh head      plain training, then w is learned once on the finished Z, and the head alone is fitted again:
 *                       φ = argmin (1/N) Σ_n w_n ℓ_n + (λ/2) ‖φ‖², a convex problem. Pairs count by what the head uses.
 *                       The effective sample size is chosen on validation graphs, and where none is evidently better
 *                       than plain training the trained head stays (train/head_choice.h)
 *
 * A network that fits its training graphs hardly feels weights on their losses; the head, a convex problem on few
 * numbers, feels them for good, and Z needs none: it holds what is stable and what is spurious side by side. The study
 * is docs/results/weights.md.
 *
 * The parts are in src/reweight: dependence (L), weights (its minimum), clusters, queue, reweighting (the roles),
 * frozen (weights for a finished Z).
 */
#include "methods/reweighted.h"

#include "reweight/frozen.h"
#include "reweight/groups.h"

#include <math.h>
#include <string.h>

struct l2r {
    struct l2r_reweighting reweighting; /* first: the hooks of reweighted.h take the state as one */
    struct l2r_frozen frozen;
    bool network;      /* whose losses are weighted; else the head's alone */
    bool choose;       /* the strength, on validation graphs */
    double *direction; /* [training graphs]: along which weights are learned; NULL: not yet */
    l2r_real *weight;  /* [n_graphs of the data]: of the head; 1 until it is fitted again, and where it is not */
    int64_t n_graphs;
};

/* What comes with either form, unless it was typed. */
static const struct l2r_implied forms[] = {{"head", "ess", "choose"},
                                           {"head", "pair-weights", "head"},
                                           {"head", "pairs", "all"},
                                           {"head", "inner-steps", "60"},
                                           {"head", "inner-lr", "0.05"},
                                           {"network", "ess", "0.8"},
                                           {"network", "pair-weights", "none"},
                                           {"network", "pairs", "across"},
                                           {"network", "inner-steps", "20"},
                                           {"network", "inner-lr", "0.02"},
                                           {0}};
/* What only the network's weights have asks for these. */
static const struct l2r_implied for_network[] = {{NULL, "weigh", "network"}, {0}};

static const struct l2r_option options[] = {
    {.name = "weigh",
     .kind = L2R_OPTION_CHOICE,
     .choices = "head|network",
     .fallback = "head",
     .group = "L2R",
     .implies = forms,
     .earlier = "network",
     .help =
         "head: plain training, then the head is fitted again with learned weights where validation graphs say that "
         "it pays; network: weights for all training, as in the paper"},
    {.name = "pairs",
     .kind = L2R_OPTION_CHOICE,
     .choices = "across|all|within",
     .fallback = "across",
     .help = "which pairs of variables count: in different clusters, all, or in the same cluster"},
    {.name = "clusters",
     .kind = L2R_OPTION_INT,
     .fallback = "4",
     .min = 1,
     .max = 65536,
     .help = "number of clusters of variables; 1: weights stay 1"},
    {.name = "window",
     .kind = L2R_OPTION_INT,
     .fallback = "10",
     .min = 2,
     .max = 1000,
     .help = "mini-batches whose correlations determine the clusters"},
    {.name = "cluster-every",
     .kind = L2R_OPTION_INT,
     .fallback = "0",
     .min = 0,
     .max = 1e9,
     .implies = for_network,
     .help = "mini-batches between two clusterings; 0: once per epoch"},
    {.name = "bilevel",
     .kind = L2R_OPTION_CHOICE,
     .choices = "none|first|second",
     .fallback = "first",
     .implies = for_network,
     .help = "first: weights from a look-ahead pass over the batch before the training step; none: from the training "
             "pass itself"},
    {.name = "scope",
     .kind = L2R_OPTION_CHOICE,
     .choices = "batch|epoch",
     .fallback = "batch",
     .implies = for_network,
     .help = "epoch: weights for all training graphs at once, at the start of each epoch"},
    {.name = "holdout",
     .kind = L2R_OPTION_REAL,
     .fallback = "0",
     .min = 0,
     .max = 0.999,
     .implies = for_network,
     .help = "fraction of the training graphs held out in each epoch to learn the weights instead of training; 0: "
             "every batch is weighted just before its training step"},
    {.name = "decorrelation",
     .kind = L2R_OPTION_FLAG,
     .fallback = "true",
     .help = "learn weights; `decorrelation=false` is the ablation"},
    {.name = "compare-controls",
     .kind = L2R_OPTION_FLAG,
     .fallback = "false",
     .help =
         "for experiments: fit heads under equal, shuffled and known weights too, and record what all of them score, "
         "on test graphs as well"},
    {0}};

static enum l2r_pairs pairs_of(const struct l2r_config *config)
{
    if (l2r_config_is(config, "pairs", "all")) return L2R_PAIRS_ALL;
    return l2r_config_is(config, "pairs", "within") ? L2R_PAIRS_WITHIN : L2R_PAIRS_ACROSS;
}

static enum l2r_bilevel bilevel_of(const struct l2r_config *config)
{
    if (l2r_config_is(config, "bilevel", "none")) return L2R_BILEVEL_NONE;
    return l2r_config_is(config, "bilevel", "second") ? L2R_BILEVEL_SECOND : L2R_BILEVEL_FIRST;
}

static bool knows_groups(enum l2r_weights_control control)
{
    return control == L2R_CONTROL_GROUPS || control == L2R_CONTROL_ROOT_GROUPS;
}

/* Options that only the network's weights have, typed beside `weigh=head`. */
static enum l2r_status check_form(const struct l2r_config *config, struct l2r_error *error)
{
    static const char *const of_network[] = {"cluster-every", "bilevel",        "scope",  "holdout",
                                             "weights",       "reweight-after", "queues", "queue-momentum"};
    const char *default_form = l2r_config_default(config, "weigh");
    for (size_t i = 0; i < sizeof of_network / sizeof *of_network; i++)
        if (strcmp(default_form, "network") == 0 &&
            strcmp(l2r_config_text(config, of_network[i]), l2r_config_default(config, of_network[i])) != 0)
            return l2r_fail(error, L2R_ERR_ARGUMENT,
                            "`%s` is about weights for the whole network; it goes with `weigh=network`", of_network[i]);
    return L2R_OK;
}

static enum l2r_status init_network(struct l2r *s, const struct l2r_learner_options *learner,
                                    const struct l2r_config *config, const struct l2r_network *network,
                                    const struct l2r_training_set *set, struct l2r_error *error)
{
    if (learner->cluster_every > 0 && learner->dependence.pairs == L2R_PAIRS_ALL)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "`cluster-every`: there are no clusters with `pairs=all`");
    if (learner->cluster_every > 0 && l2r_config_is(config, "scope", "epoch"))
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "`cluster-every` counts mini-batches; with `scope=epoch` clusters are formed once per epoch");
    return l2r_reweighting_init(&s->reweighting, learner, bilevel_of(config), l2r_config_is(config, "scope", "epoch"),
                                config, network, set->data, set->graphs, set->n, error);
}

static enum l2r_status init(void *state, const struct l2r_config *config, const struct l2r_network *network,
                            const struct l2r_training_set *set, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r *s = state;
    struct l2r_learner_options learner;
    s->network = l2r_config_is(config, "weigh", "network");
    s->choose = l2r_config_is(config, "ess", "choose");
    if (!s->network) L2R_TRY(check_form(config, error));
    L2R_TRY(l2r_learner_options_read(&learner, config, error));
    learner.environments = set->environments;
    learner.dependence.pairs = pairs_of(config);
    learner.n_clusters = (int32_t)l2r_config_int(config, "clusters");
    learner.window = l2r_config_int(config, "window");
    learner.cluster_every = l2r_config_int(config, "cluster-every");
    learner.holdout = l2r_config_real(config, "holdout");
    if (!l2r_config_flag(config, "decorrelation")) learner.inner.steps = 0;
    if (s->network) L2R_TRY(init_network(s, &learner, config, network, set, error));
    if (s->network) goto done;
    if (l2r_network_last_width(network) == 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`weigh=head`: model %s has no linear head", network->type->name);
    L2R_TRY(l2r_frozen_init(&s->frozen, &learner, config, network, set->data, error));
    s->n_graphs = set->data->n_graphs;
    s->weight = l2r_alloc((size_t)s->n_graphs, sizeof *s->weight);
    if (!s->weight) status = l2r_fail_memory(error, (size_t)s->n_graphs * sizeof *s->weight, "the weights of the head");
    if (!s->weight) goto done;
    if (knows_groups(learner.control)) /* refused now rather than after hours of training */
        L2R_TRY(l2r_group_weights(s->weight, set->environments, set->data, set->graphs, set->n, 1, error));
    for (int64_t g = 0; g < s->n_graphs; g++) s->weight[g] = 1;
done:
    return status;
}

static void clear(void *state)
{
    struct l2r *s = state;
    if (s->network)
        l2r_reweighting_clear(&s->reweighting);
    else
        l2r_frozen_clear(&s->frozen);
    l2r_free(s->weight);
    l2r_free(s->direction);
}

/* ---- while the network trains ---- */

static int64_t epoch_order(void *state, int32_t *order, int64_t n, int64_t epoch)
{
    return ((struct l2r *)state)->network ? reweighted_epoch_order(state, order, n, epoch) : n;
}

static enum l2r_status before_batch(void *state, const struct l2r_step *step, struct l2r_error *error)
{
    return ((struct l2r *)state)->network ? reweighted_before_batch(state, step, error) : L2R_OK;
}

static const l2r_real *sample_weights(void *state, const struct l2r_step *step, l2r_node z)
{
    return ((struct l2r *)state)->network ? reweighted_sample_weights(state, step, z) : NULL;
}

static enum l2r_status after_epoch(void *state, int64_t epoch, json_t *log, char note[256], struct l2r_error *error)
{
    return ((struct l2r *)state)->network ? reweighted_after_epoch(state, epoch, log, note, error) : L2R_OK;
}

static bool state_array(void *state, int i, struct l2r_state_array *array)
{
    struct l2r *s = state;
    if (s->network) return reweighted_state_array(state, i, array);
    *array = (struct l2r_state_array){"weights", L2R_STATE_REAL, s->weight, s->n_graphs};
    return i == 0;
}

static bool loaded(const void *state)
{
    const struct l2r *s = state;
    if (s->network) return reweighted_loaded(state);
    for (int64_t g = 0; g < s->n_graphs; g++)
        if (!(s->weight[g] >= 0) || !isfinite((double)s->weight[g])) return false;
    return true;
}

static void conclude(const void *state, json_t *about, char *sentence, size_t size)
{
    if (((const struct l2r *)state)->network) reweighted_conclude(state, about, sentence, size);
}

/* ---- when it is done ---- */

/* Weights that know label and environment, as the upper control. */
static enum l2r_status known_weights(double *w, const struct l2r_training_set *set, double power,
                                     struct l2r_error *error)
{
    l2r_real *all = l2r_alloc((size_t)set->data->n_graphs, sizeof *all);
    if (!all) return l2r_fail_memory(error, (size_t)set->data->n_graphs * sizeof *all, "the weights of the groups");
    enum l2r_status status = l2r_group_weights(all, set->environments, set->data, set->graphs, set->n, power, error);
    for (int64_t i = 0; status == L2R_OK && i < set->n; i++) w[i] = (double)all[set->graphs[i]];
    l2r_free(all);
    return status;
}

static enum l2r_status make_weights(double *w, struct l2r *s, enum l2r_weights_control control,
                                    const struct l2r_training_set *set, double ess, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if (knows_groups(control)) return known_weights(w, set, control == L2R_CONTROL_GROUPS ? 1 : 0.5, error);
    if (control == L2R_CONTROL_ONES) ess = 1;
    L2R_TRY(l2r_frozen_weights(w, &s->frozen, s->direction, set->graphs, set->n, ess, error));
    if (control == L2R_CONTROL_SHUFFLED) l2r_frozen_shuffle(w, &s->frozen, set->n);
done:
    return status;
}

/* Once a run: controls share it. */
static enum l2r_status learn_direction(struct l2r *s, const struct l2r_network *network,
                                       const struct l2r_training_set *set, const float *z, struct l2r_error *error)
{
    if (s->direction) return L2R_OK;
    s->direction = l2r_alloc((size_t)set->n, sizeof *s->direction);
    if (!s->direction) return l2r_fail_memory(error, (size_t)set->n * sizeof *s->direction, "the weights of the head");
    return l2r_frozen_learn(s->direction, &s->frozen, network, z, set->graphs, set->n, error);
}

static enum l2r_status head_weights(void *state, struct l2r_head_weights *out, struct l2r_arena *arena,
                                    const char *instead, const struct l2r_network *network,
                                    const struct l2r_training_set *set, const float *z, struct l2r_error *error)
{
    static const double strength[] = {1, 0.9, 0.8, 0.6, 0.4};
    enum l2r_status status = L2R_OK;
    struct l2r *s = state;
    const struct l2r_learner_options *o = &s->frozen.learner.options;
    enum l2r_weights_control control = instead ? l2r_weights_control_of(instead) : o->control;
    bool learned = control == L2R_CONTROL_NONE || control == L2R_CONTROL_SHUFFLED;
    *out = (struct l2r_head_weights){.kind = l2r_weights_control_name(control), .chosen = !s->choose};
    if (o->inner.steps == 0 || set->n < L2R_FEWEST_GRAPHS) goto done;
    if (o->dependence.pairs == L2R_PAIRS_ACROSS && o->n_clusters == 1) goto done; /* no pair counts */
    L2R_TRY(learn_direction(s, network, set, z, error));
    out->n = s->choose && learned ? (int)(sizeof strength / sizeof *strength) : 1;
    for (int k = 0; k < out->n; k++) {
        double *w = out->item[k].w = l2r_arena_alloc(arena, (size_t)set->n, sizeof *w);
        if (!w) return l2r_fail_memory(error, (size_t)set->n * sizeof *w, "the weights of the head");
        L2R_TRY(make_weights(w, s, control, set, s->choose ? strength[k] : o->inner.ess, error));
        out->item[k].ess = l2r_effective_sample_size(w, set->n);
        L2R_TRY(l2r_frozen_judge(&out->item[k].left, &out->item[k].shuffled, &s->frozen, w, z, set->n, error));
    }
done:
    return status;
}

static void keep_head_weights(void *state, const struct l2r_training_set *set, const double *w)
{
    struct l2r *s = state;
    for (int64_t i = 0; i < set->n; i++) s->weight[set->graphs[i]] = (l2r_real)w[i];
}

static bool weighs_head(const void *state)
{
    return !((const struct l2r *)state)->network;
}

static const struct l2r_default defaults[] = {{"weigh", "head"}, {0}};

const struct l2r_method l2r_method_l2r = {
    .name = "l2r",
    .title = "Learning to reweight",
    .paper = "L2R-GNN",
    .objective = "(1/N) sum of w_n loss_n; w minimises the dependence between variables",
    .options = options,
    .shared = {l2r_fourier_option_table, l2r_learner_option_table},
    .defaults = defaults,
    .off = "decorrelation=false",
    .space = "ess=0.5..0.95,pair-power=0.5|1|2",
    .size = sizeof(struct l2r),
    .init = init,
    .clear = clear,
    .epoch_order = epoch_order,
    .before_batch = before_batch,
    .sample_weights = sample_weights,
    .after_epoch = after_epoch,
    .weighs_head = weighs_head,
    .head_weights = head_weights,
    .keep_head_weights = keep_head_weights,
    .conclude = conclude,
    .state_array = state_array,
    .loaded = loaded,
};
