/* SPDX-License-Identifier: MIT
 *
 * OOD-GNN (Li et al. 2022): weights that make ALL pairs of variables independent, from the pass that also trains the
 * network. The parts are in src/reweight; l2r.c with `pairs=all` and `bilevel=none` is the same method.
 */
#include "methods/reweighted.h"

static const struct l2r_option options[] = {{0}};

static enum l2r_status init(void *state, const struct l2r_config *config, const struct l2r_network *network,
                            const struct l2r_training_set *set, struct l2r_error *error)
{
    struct l2r_learner_options learner;
    enum l2r_status status = l2r_learner_options_read(&learner, config, error);
    if (status != L2R_OK) return status;
    learner.environments = set->environments;
    learner.dependence.pairs = L2R_PAIRS_ALL;
    return l2r_reweighting_init(state, &learner, L2R_BILEVEL_NONE, false, config, network, set->data, set->graphs,
                                set->n, error);
}

const struct l2r_method l2r_method_oodgnn = {
    .name = "oodgnn",
    .title = "OOD-GNN",
    .paper = "Li et al. 2022",
    .objective = "(1/B) sum of w_n loss_n; w minimises the dependence between all variables",
    .options = options,
    .shared = {l2r_fourier_option_table, l2r_learner_option_table, l2r_weights_option_table},
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
