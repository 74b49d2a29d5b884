/* SPDX-License-Identifier: MIT
 *
 * L2R-GNN: weights that make the clusters of variables independent of each other, learned beside the network.
 *
 *     w  = argmin over weights of mean 1 of  L(w) = Σ_{i<j} I_ij ‖Σ_ij‖²,   I_ij = 1: i, j in different clusters
 *     θ  = argmin (1/B) Σ_n w_n ℓ_n
 *
 * The parts are in src/reweight: dependence (L), weights (its minimum), clusters, queue, reweighting
 * (the roles).
 */
#include "methods/reweighted.h"

static const struct l2r_option options[] = {
    {.name = "pairs",
     .kind = L2R_OPTION_CHOICE,
     .choices = "across|all|within",
     .fallback = "across",
     .group = "L2R",
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
     .help = "mini-batches between two clusterings; 0: once per epoch"},
    {.name = "bilevel",
     .kind = L2R_OPTION_CHOICE,
     .choices = "none|first|second",
     .fallback = "first",
     .help = "first: weights from a look-ahead pass over the batch before the training step; none: from the training "
             "pass itself"},
    {.name = "scope",
     .kind = L2R_OPTION_CHOICE,
     .choices = "batch|epoch",
     .fallback = "batch",
     .help = "epoch: weights for all training graphs at once, at the start of each epoch"},
    {.name = "holdout",
     .kind = L2R_OPTION_REAL,
     .fallback = "0",
     .min = 0,
     .max = 0.999,
     .help = "fraction of the training graphs held out in each epoch to learn the weights instead of training; 0: "
             "every batch is weighted just before its training step"},
    {.name = "decorrelation",
     .kind = L2R_OPTION_FLAG,
     .fallback = "true",
     .help = "learn weights; `decorrelation=false` is the ablation"},
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

static enum l2r_status init(void *state, const struct l2r_config *config, const struct l2r_network *network,
                            const struct l2r_training_set *set, struct l2r_error *error)
{
    struct l2r_learner_options learner;
    enum l2r_status status = l2r_learner_options_read(&learner, config, error);
    if (status != L2R_OK) return status;
    learner.environments = set->environments;
    learner.dependence.pairs = pairs_of(config);
    learner.n_clusters = (int32_t)l2r_config_int(config, "clusters");
    learner.window = l2r_config_int(config, "window");
    learner.cluster_every = l2r_config_int(config, "cluster-every");
    learner.holdout = l2r_config_real(config, "holdout");
    if (learner.cluster_every > 0 && learner.dependence.pairs == L2R_PAIRS_ALL)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "`cluster-every`: there are no clusters with `pairs=all`");
    if (learner.cluster_every > 0 && l2r_config_is(config, "scope", "epoch"))
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "`cluster-every` counts mini-batches; with `scope=epoch` clusters are formed once per epoch");
    if (!l2r_config_flag(config, "decorrelation")) learner.inner.steps = 0;
    return l2r_reweighting_init(state, &learner, bilevel_of(config), l2r_config_is(config, "scope", "epoch"), config,
                                network, set->data, set->graphs, set->n, error);
}

const struct l2r_method l2r_method_l2r = {
    .name = "l2r",
    .title = "Learning to reweight",
    .paper = "L2R-GNN",
    .objective = "(1/B) sum of w_n loss_n; w minimises the dependence between clusters of variables",
    .options = options,
    .shared = {l2r_fourier_option_table, l2r_learner_option_table},
    .off = "decorrelation=false",
    .space = "ess=0.5..0.95,clusters=2|4|8",
    .size = sizeof(struct l2r_reweighting),
    .init = init,
    .clear = reweighted_clear,
    .epoch_order = reweighted_epoch_order,
    .before_batch = reweighted_before_batch,
    .sample_weights = reweighted_sample_weights,
    .after_epoch = reweighted_after_epoch,
    .conclude = reweighted_conclude,
    .state_array = reweighted_state_array,
    .loaded = reweighted_loaded,
};
