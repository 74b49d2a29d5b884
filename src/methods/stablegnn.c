/* SPDX-License-Identifier: MIT
 *
 * StableGNN (Fan et al. 2021): DiffPool assigns the nodes of a graph to a few soft clusters, and weights make the
 * clusters' embeddings independent of each other, measured by a weighted HSIC on the pass that also trains the network.
 *
 *     Z = [X'_1 ‖ … ‖ X'_K] by --readout diffpool,   w = argmin over weights of mean 1 of  Σ_{k<l} HSIC_w(X'_k, X'_l)
 *
 * The first fifth of the epochs is plain training: decorrelating clusters that are still random has no use. The parts
 * are in src/reweight (hsic, weights, reweighting) and src/nn/readouts/diffpool.c.
 */
#include "methods/reweighted.h"

#include "base/config.h"
#include "nn/readout.h"

#include <string.h>

static const struct l2r_option options[] = {
    {.name = "hsic-sigma",
     .kind = L2R_OPTION_TEXT,
     .value = "median|X",
     .fallback = "median",
     .group = "StableGNN",
     .help =
         "width of the kernel: the median distance between graphs, or a number in units of the standardised columns"},
    {0}};

static const struct l2r_default defaults[] = {
    {"readout", "diffpool"}, {"inner-steps", "50"}, {"reweight-after", "20%"}, {"queues", "0"}, {0}};

static enum l2r_status read_sigma(double *sigma, const struct l2r_config *config, struct l2r_error *error)
{
    const char *text = l2r_config_text(config, "hsic-sigma");
    *sigma = 0;
    if (strcmp(text, "median") == 0 || (l2r_parse_real(sigma, text) && *sigma >= 1e-6 && *sigma <= 1e6)) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "`hsic-sigma`: \"%s\" is neither median nor a number from 1e-6 to 1e6",
                    text);
}

static enum l2r_status init(void *state, const struct l2r_config *config, const struct l2r_network *network,
                            const struct l2r_training_set *set, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_learner_options learner;
    int64_t n_clusters = l2r_diffpool_clusters(&network->params);
    if (!l2r_config_is(config, "readout", "diffpool"))
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "`method=stablegnn` needs the clusters of `readout=diffpool`, its default; `readout=%s` makes none",
                 l2r_config_text(config, "readout"));
    if (n_clusters == 0)
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "`method=stablegnn` needs a model that is read out by diffpool; `model=%s` pools in its own way",
                 network->type->name);
    L2R_TRY(l2r_learner_options_read(&learner, config, error));
    learner.environments = set->environments;
    L2R_TRY(read_sigma(&learner.hsic.sigma, config, error));
    learner.hsic.scaled = learner.dependence.scaled;
    learner.hsic_blocks = n_clusters;
    learner.dependence.pairs = L2R_PAIRS_ALL; /* no clusters of variables: the blocks are the clusters */
    L2R_TRY(l2r_reweighting_init(state, &learner, L2R_BILEVEL_NONE, false, config, network, set->data, set->graphs,
                                 set->n, error));
done:
    return status;
}

const struct l2r_method l2r_method_stablegnn = {
    .name = "stablegnn",
    .title = "StableGNN",
    .paper = "Fan et al. 2021",
    .objective = "(1/B) sum of w_n loss_n; w minimises the HSIC between soft clusters of nodes",
    .options = options,
    .shared = {l2r_learner_option_table, l2r_weights_option_table},
    .defaults = defaults,
    .off = "weights-control=ones",
    .space = "ess=0.5..0.95",
    .size = sizeof(struct l2r_reweighting),
    .init = init,
    .clear = reweighted_clear,
    .sample_weights = reweighted_sample_weights,
    .after_epoch = reweighted_after_epoch,
    .conclude = reweighted_conclude,
    .state_array = reweighted_state_array,
    .loaded = reweighted_loaded,
};
