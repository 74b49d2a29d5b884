/* SPDX-License-Identifier: MIT
 *
 * OOD-GNN (Li et al. 2022): weights that make ALL pairs of variables independent, from the pass that also trains the network.
 * The parts are in src/reweight; l2r.c with --pairs all --bilevel none is the same method.
 */
#include "methods/method.h"
#include "reweight/reweighting.h"

static const struct l2r_option options[] = {{0}};

static enum l2r_status init(void *state, const struct l2r_config *config, const struct l2r_network *network,
                            const struct l2r_dataset *data, const int32_t *train, int64_t n_train,
                            struct l2r_error *error)
{
    struct l2r_learner_options learner;
    enum l2r_status status = l2r_learner_options_read(&learner, config, error);
    if (status != L2R_OK) return status;
    learner.dependence.pairs = L2R_PAIRS_ALL;
    return l2r_reweighting_init(state, &learner, L2R_BILEVEL_NONE, false, config, network, data->n_graphs, train,
                                n_train, error);
}

static void clear(void *state)
{
    l2r_reweighting_clear(state);
}

static const l2r_real *sample_weights(void *state, const struct l2r_step *step, l2r_node z)
{
    return l2r_reweighting_weights(state, step->tape, z, step->batch, step->epoch, step->step);
}

static enum l2r_status after_epoch(void *state, int64_t epoch, json_t *log, char note[256], struct l2r_error *error)
{
    (void)error;
    l2r_reweighting_epoch(state, epoch, log, note);
    return L2R_OK;
}

static bool state_array(void *state, int i, struct l2r_state_array *array)
{
    return l2r_reweighting_state(state, i, array);
}

const struct l2r_method l2r_method_oodgnn = {
    .name = "oodgnn",
    .title = "OOD-GNN",
    .paper = "Li et al. 2022",
    .objective = "(1/B) sum of w_n loss_n; w minimises the dependence between all variables",
    .options = options,
    .shared = l2r_learner_option_table,
    .size = sizeof(struct l2r_reweighting),
    .init = init,
    .clear = clear,
    .sample_weights = sample_weights,
    .after_epoch = after_epoch,
    .state_array = state_array,
};
