/* SPDX-License-Identifier: MIT
 *
 * L2R-GNN: a weight for each training graph, learned beside the network, under which variables of the representation
 * depend less on each other.
 *
 *     w = argmin over weights of mean 1 of  L(w) = Σ_{i<j} I_ij ‖Σ_ij‖²       I_ij = 1: different clusters
 *     θ = argmin over parameters of  (1/B) Σ_n w_n ℓ_n
 *
 * `form=paper` follows the paper to the letter: the covariance of weight times feature (Eq. 2), weights as the inner
 * steps leave them, learned on graphs held out from training. `form=recommended`, the default, has the settings that
 * were best in docs/results: the covariance under the weights, a fixed effective sample size, mean weight 1 in each
 * class, and weights for every batch just before its own step. docs/method.md compares the two, option by option.
 *
 * The parts are in src/reweight: dependence (L), weights (its minimum), clusters, queue, reweighting (bi-level
 * training). headfit.c uses learned weights in another way, for the head of a trained network.
 */
#include "methods/reweighted.h"

#include "base/config.h"

#include <stdio.h>

/* Defaults of a form; options that the user sets stay. */
static const struct l2r_implied forms[] = {{"recommended", "covariance", "weighted"},
                                           {"recommended", "ess", "0.8"},
                                           {"recommended", "weights", "persistent"},
                                           {"recommended", "keep-classes", "true"},
                                           {"recommended", "holdout", "0"},
                                           {"paper", "covariance", "scaled"},
                                           {"paper", "ess", "auto"},
                                           {"paper", "weights", "fresh"},
                                           {"paper", "keep-classes", "false"},
                                           {"paper", "holdout", "0.2"},
                                           {0}};

static const struct l2r_option options[] = {
    {.name = "form",
     .kind = L2R_OPTION_CHOICE,
     .choices = "recommended|paper",
     .fallback = "recommended",
     .group = "L2R",
     .implies = forms,
     .help = "paper: the published method to the letter, which is `covariance=scaled`, `ess=auto`, `weights=fresh`, "
             "`keep-classes=false` and `holdout=0.2`"},
    {.name = "pairs",
     .kind = L2R_OPTION_CHOICE,
     .choices = "across|all|within",
     .fallback = "across",
     .needs = "decorrelation=true",
     .help = "which pairs of variables count: in different clusters, all, or in the same cluster"},
    {.name = "clusters",
     .kind = L2R_OPTION_INT,
     .fallback = "4",
     .min = 1,
     .max = 65536,
     .needs = "pairs!=all|decorrelation=true",
     .help = "number of clusters of variables; 1: weights stay 1"},
    {.name = "window",
     .kind = L2R_OPTION_INT,
     .fallback = "10",
     .min = 2,
     .max = 1000,
     .needs = "pairs!=all|clusters!=1|decorrelation=true",
     .help = "mini-batches whose correlations determine the clusters"},
    {.name = "bilevel",
     .kind = L2R_OPTION_CHOICE,
     .choices = "none|first|second",
     .fallback = "first",
     .needs = "scope=batch|decorrelation=true",
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
    learner.holdout = l2r_config_real(config, "holdout");
    if (!l2r_config_flag(config, "decorrelation")) learner.inner.steps = 0;
    return l2r_reweighting_init(state, &learner, bilevel_of(config), l2r_config_is(config, "scope", "epoch"), config,
                                network, set->data, set->graphs, set->n, error);
}

static void introduce(const struct l2r_config *config, char *line, size_t size)
{
    snprintf(line, size,
             "the %s form: `covariance=%s`, `ess=%s`, `weights=%s`, `keep-classes=%s`, `holdout=%s`, `bilevel=%s`",
             l2r_config_is(config, "form", "paper") ? "paper's" : "recommended", l2r_config_text(config, "covariance"),
             l2r_config_text(config, "ess"), l2r_config_text(config, "weights"),
             l2r_config_text(config, "keep-classes"), l2r_config_text(config, "holdout"),
             l2r_config_text(config, "bilevel"));
}

const struct l2r_method l2r_method_l2r = {
    .name = "l2r",
    .title = "Learning to reweight",
    .paper = "L2R-GNN",
    .objective = "(1/B) sum of w_n loss_n; w minimises the dependence between clusters of variables",
    .options = options,
    .shared = {l2r_fourier_option_table, l2r_learner_option_table, l2r_weights_option_table},
    .off = "decorrelation=false",
    .space = "ess=0.5..0.95,clusters=2|4|8",
    .size = sizeof(struct l2r_reweighting),
    .introduce = introduce,
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
