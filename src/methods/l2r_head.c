/* SPDX-License-Identifier: MIT
 *
 * Learned weights for the head alone: the network learns by ERM, then its head is refitted on frozen representations
 * with weights under which the variables that it uses are independent of each other.
 *
 *     phase 0   ERM: θ, and Z of all training graphs
 *     phase 1   w  = argmin over weights of mean 1 and effective sample size ρ of  Σ_{i<j} (a_i a_j)² ‖Σ_ij‖²
 *               φ  = argmin (1/B) Σ_n w_n ℓ_n over the head, Z fixed
 *
 * A network that fits its training graphs hardly feels weights on their losses, and what weights bring fades as it
 * trains on. The head, a convex problem on few numbers, feels them for good, and Z needs no weights: it holds what is
 * stable and what is spurious side by side. w is learned once per epoch of phase 1 over all training graphs (`scope
 * epoch`), each time with new Fourier features from where it was. a: reweight/importance.h. No epochs to refit
 * (--refit-epochs 0) is ERM bit for bit.
 */
#include "methods/refit/refit.h"
#include "methods/reweighted.h"

struct head {
    struct l2r_reweighting reweighting; /* first: the hooks of reweighted.h take the state as one */
    struct l2r_refit refit;
};

static const struct l2r_option options[] = {{0}};

static enum l2r_status init(void *state, const struct l2r_config *config, const struct l2r_network *network,
                            const struct l2r_training_set *set, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct head *s = state;
    struct l2r_learner_options learner;
    L2R_TRY(l2r_refit_init(&s->refit, "l2r-head", config, network, error));
    L2R_TRY(l2r_learner_options_read(&learner, config, error));
    learner.environments = set->environments;
    learner.dependence.pairs = L2R_PAIRS_ALL;
    L2R_TRY(l2r_reweighting_init(&s->reweighting, &learner, L2R_BILEVEL_FIRST, true, config, network, set->data,
                                 set->graphs, set->n, error));
    s->reweighting.frozen = true;
done:
    return status;
}

static void clear(void *state)
{
    struct head *s = state;
    l2r_refit_clear(&s->refit);
    l2r_reweighting_clear(&s->reweighting);
}

static bool phase(const void *state, int k, struct l2r_phase *phase)
{
    return l2r_refit_phase(&((const struct head *)state)->refit, k, phase);
}

static enum l2r_status begin_phase(void *state, int k, const struct l2r_training_set *set,
                                   const struct l2r_network *network, const float *output, struct l2r_error *error)
{
    (void)set, (void)output, (void)error;
    l2r_refit_begin(&((struct head *)state)->refit, k, network);
    return L2R_OK;
}

static enum l2r_status before_batch(void *state, const struct l2r_step *step, struct l2r_error *error)
{
    return ((const struct head *)state)->refit.phase == 0 ? L2R_OK : reweighted_before_batch(state, step, error);
}

static const l2r_real *sample_weights(void *state, const struct l2r_step *step, l2r_node z)
{
    return ((const struct head *)state)->refit.phase == 0 ? NULL : reweighted_sample_weights(state, step, z);
}

static enum l2r_status after_epoch(void *state, int64_t epoch, json_t *log, char note[256], struct l2r_error *error)
{
    int32_t now = ((const struct head *)state)->refit.phase;
    json_object_set_new(log, "phase", json_integer(now));
    return now == 0 ? L2R_OK : reweighted_after_epoch(state, epoch, log, note, error);
}

static bool state_array(void *state, int i, struct l2r_state_array *array)
{
    if (l2r_refit_array(&((struct head *)state)->refit, i, array)) return true;
    return reweighted_state_array(state, i - L2R_REFIT_ARRAYS, array);
}

static bool loaded(const void *state)
{
    return l2r_refit_loaded(&((const struct head *)state)->refit) && reweighted_loaded(state);
}

static const struct l2r_default defaults[] = {{"pair-weights", "head"}, {"ess", "0.6"},          {"inner-steps", "60"},
                                              {"inner-lr", "0.05"},     {"refit-epochs", "25%"}, {0}};

const struct l2r_method l2r_method_l2r_head = {
    .name = "l2r-head",
    .title = "Learned weights for the head",
    .paper = "of this project",
    .objective = "ERM, then the head alone with weights that make the variables it uses independent",
    .options = options,
    .shared = {l2r_refit_option_table, l2r_fourier_option_table, l2r_learner_option_table},
    .defaults = defaults,
    .off = "refit-epochs=0",
    .space = "ess=0.5..0.95",
    .size = sizeof(struct head),
    .init = init,
    .clear = clear,
    .phase = phase,
    .begin_phase = begin_phase,
    .before_batch = before_batch,
    .sample_weights = sample_weights,
    .after_epoch = after_epoch,
    .conclude = reweighted_conclude,
    .state_array = state_array,
    .loaded = loaded,
};
