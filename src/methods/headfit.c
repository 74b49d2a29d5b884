/* SPDX-License-Identifier: MIT
 *
 * The head fit: plain training; then weights are learned once for the final representation Z, and the last layer alone
 * is fitted under them, a convex problem.
 *
 *     w = argmin over weights of mean 1 of  L(w) = Σ_{i<j} (a_i a_j)² ‖Σ_ij‖²     a_i: how much the head uses Z_i
 *     φ = argmin over heads of  (1/N) Σ_n w_n ℓ_n + (λ/2) ‖φ‖²
 *
 * The effective sample size and λ are chosen on the validation graphs. Where no candidate is clearly better than the
 * trained head, that head stays and the model is that of plain training, bit for bit (fit/head_choice.h).
 *
 * A network that fits its training graphs hardly responds to weights on its losses. The head, a few numbers with a
 * convex loss, does, and Z has both stable and spurious variables. The study is docs/results/weights.md; the learned
 * weights are in reweight/frozen.h.
 */
#include "methods/method.h"

#include "base/config.h"
#include "reweight/frozen.h"
#include "reweight/groups.h"
#include "reweight/importance.h"
#include "reweight/learner.h"

#include <math.h>

struct headfit {
    struct l2r_frozen frozen;
    struct l2r_importance importance;
    struct l2r_learner_options options;
    int32_t *stratum;  /* [training graphs] or NULL: within which weights have mean 1 */
    bool choose;       /* the strength, on validation graphs */
    double *direction; /* [training graphs]: along which weights are learned; NULL: not yet */
    l2r_real *weight;  /* [n_graphs of the data]: of the head fit; 1 before it, and for graphs outside of it */
    int64_t n_graphs;
};

static const struct l2r_option options[] = {
    {.name = "ess",
     .kind = L2R_OPTION_TEXT,
     .value = "SHARE",
     .choices = "auto|choose",
     .min = 0,
     .max = 1,
     .fallback = "choose",
     .group = "Head fit",
     .help = "effective sample size of the weights, above 0 and at most 1, which is plain training; auto: whatever the "
             "inner steps give; choose: by the validation scores of heads with several"},
    {.name = "keep-classes",
     .kind = L2R_OPTION_FLAG,
     .fallback = "true",
     .help = "weights average 1 within each class too, where graphs have one class each"},
    {.name = "weights-control",
     .kind = L2R_OPTION_CHOICE,
     .choices = L2R_WEIGHTS_CONTROLS,
     .fallback = "none",
     .help = "for experiments: replace the learned weights by ones, permute them, or take those that make label and "
             "environment independent (or their square root)"},
    {.name = "compare-controls",
     .kind = L2R_OPTION_FLAG,
     .fallback = "false",
     .help =
         "for experiments: fit heads under equal, shuffled and known weights too, and record what all of them score, "
         "on test graphs as well"},
    {0}};

static const struct l2r_default defaults[] = {
    {"pair-weights", "head"}, {"inner-steps", "60"}, {"inner-lr", "0.05"}, {0}};

static bool has_groups(enum l2r_weights_control control)
{
    return control == L2R_CONTROL_GROUPS || control == L2R_CONTROL_ROOT_GROUPS;
}

static enum l2r_status init(void *state, const struct l2r_config *config, const struct l2r_network *network,
                            const struct l2r_training_set *set, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct headfit *s = state;
    s->choose = l2r_config_is(config, "ess", "choose");
    if (l2r_network_last_width(network) == 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`method=headfit`: model %s has no linear head", network->type->name);
    L2R_TRY(l2r_learner_options_read(&s->options, config, error));
    s->options.dependence.pairs = L2R_PAIRS_ALL;
    s->frozen = (struct l2r_frozen){.dependence = s->options.dependence,
                                    .inner = s->options.inner,
                                    .seed = (uint64_t)l2r_config_int(config, "seed"),
                                    .d = network->width,
                                    .rows = L2R_FROZEN_ROWS};
    l2r_arena_init(&s->frozen.arena);
    l2r_importance_init(&s->importance, s->options.head_pairs);
    s->n_graphs = set->data->n_graphs;
    s->weight = l2r_alloc((size_t)s->n_graphs, sizeof *s->weight);
    if (!s->weight) status = l2r_fail_memory(error, (size_t)s->n_graphs * sizeof *s->weight, "the weights of the head");
    if (!s->weight) goto done;
    if (has_groups(s->options.control)) /* refused now rather than after hours of training */
        L2R_TRY(l2r_group_weights(s->weight, set->environments, set->data, set->graphs, set->n, 1, error));
    for (int64_t g = 0; g < s->n_graphs; g++) s->weight[g] = 1;
done:
    return status;
}

static void clear(void *state)
{
    struct headfit *s = state;
    l2r_arena_clear(&s->frozen.arena);
    l2r_importance_clear(&s->importance);
    l2r_free(s->stratum);
    l2r_free(s->weight);
    l2r_free(s->direction);
}

static bool state_array(void *state, int i, struct l2r_state_array *array)
{
    struct headfit *s = state;
    *array = (struct l2r_state_array){"weights", L2R_STATE_REAL, s->weight, s->n_graphs};
    return i == 0;
}

static bool loaded(const void *state)
{
    const struct headfit *s = state;
    for (int64_t g = 0; g < s->n_graphs; g++)
        if (!(s->weight[g] >= 0) || !isfinite((double)s->weight[g])) return false;
    return true;
}

/* ---- when training has ended ---- */

/* Weights from label and environment, the upper control. */
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

static enum l2r_status make_weights(double *w, struct headfit *s, enum l2r_weights_control control,
                                    const struct l2r_training_set *set, double ess, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if (has_groups(control)) return known_weights(w, set, control == L2R_CONTROL_GROUPS ? 1 : 0.5, error);
    if (control == L2R_CONTROL_ONES) ess = 1;
    L2R_TRY(l2r_frozen_weights(w, &s->frozen, s->direction, set->n, ess, error));
    if (control == L2R_CONTROL_SHUFFLED) l2r_frozen_shuffle(w, &s->frozen, set->n);
done:
    return status;
}

/* The classes of the training graphs, if weights have mean 1 in each; false: out of memory. */
static bool keep_classes(struct headfit *s, const struct l2r_training_set *set)
{
    int32_t count;
    const float *labels = l2r_kept_classes(&count, set->data, s->options.keep_classes);
    if (!labels) return true;
    s->stratum = l2r_alloc((size_t)set->n, sizeof *s->stratum);
    for (int64_t i = 0; s->stratum && i < set->n; i++) s->stratum[i] = l2r_kept_class(labels[set->graphs[i]], count);
    s->frozen.stratum = s->stratum;
    s->frozen.n_strata = count + 1;
    return s->stratum != NULL;
}

/* Once a run: controls share it. */
static enum l2r_status learn_direction(struct headfit *s, const struct l2r_network *network,
                                       const struct l2r_training_set *set, const float *z, struct l2r_error *error)
{
    struct l2r_frozen_sample sample;
    if (s->direction) return L2R_OK;
    s->direction = l2r_alloc((size_t)set->n, sizeof *s->direction);
    l2r_arena_reset(&s->frozen.arena);
    if (!s->direction || !keep_classes(s, set) || !l2r_frozen_draw(&sample, &s->frozen, z, set->n, 0))
        return l2r_fail_memory(error, (size_t)set->n * sizeof *s->direction, "the weights of the head");
    enum l2r_status status =
        l2r_importance_find(&s->frozen.dependence.importance, &s->importance, network, sample.z, sample.n, error);
    if (status != L2R_OK) return status;
    return l2r_frozen_learn(s->direction, &s->frozen, z, set->n, error);
}

static enum l2r_status head_weights(void *state, struct l2r_head_weights *out, struct l2r_arena *arena,
                                    const char *instead, const struct l2r_network *network,
                                    const struct l2r_training_set *set, const float *z, const float *output,
                                    struct l2r_error *error)
{
    static const double strength[] = {1, 0.9, 0.8, 0.6, 0.4};
    static const char *const whose[] = {[L2R_CONTROL_NONE] = "learned weights",
                                        [L2R_CONTROL_ONES] = "weights of the control ones",
                                        [L2R_CONTROL_SHUFFLED] = "weights of the control shuffled",
                                        [L2R_CONTROL_GROUPS] = "weights of the control groups",
                                        [L2R_CONTROL_ROOT_GROUPS] = "weights of the control root-groups"};
    enum l2r_status status = L2R_OK;
    struct headfit *s = state;
    const struct l2r_learner_options *o = &s->options;
    enum l2r_weights_control control = instead ? l2r_weights_control_of(instead) : o->control;
    bool learned = control == L2R_CONTROL_NONE || control == L2R_CONTROL_SHUFFLED;
    (void)output;
    *out = (struct l2r_head_weights){
        .kind = l2r_weights_control_name(control), .whose = whose[control], .always = !s->choose};
    if (o->inner.steps == 0 || set->n < L2R_FEWEST_GRAPHS) goto done;
    L2R_TRY(learn_direction(s, network, set, z, error));
    out->n = s->choose && learned ? (int)(sizeof strength / sizeof *strength) : 1;
    for (int k = 0; k < out->n; k++) {
        double *w = out->item[k].w = l2r_arena_alloc(arena, (size_t)set->n, sizeof *w);
        if (!w) return l2r_fail_memory(error, (size_t)set->n * sizeof *w, "the weights of the head");
        L2R_TRY(make_weights(w, s, control, set, s->choose ? strength[k] : o->inner.ess, error));
        out->item[k].ess = l2r_effective_sample_size(w, set->n);
        struct l2r_frozen_evaluation found;
        L2R_TRY(l2r_frozen_evaluate(&found, &s->frozen, w, z, set->n, error));
        out->item[k].left = found.equal > 0 ? found.learned / found.equal : 1;
        out->item[k].shuffled = found.equal > 0 ? found.shuffled / found.equal : 1;
    }
done:
    return status;
}

static void keep_head_weights(void *state, const struct l2r_training_set *set, const double *w)
{
    struct headfit *s = state;
    for (int64_t i = 0; i < set->n; i++) s->weight[set->graphs[i]] = (l2r_real)w[i];
}

const struct l2r_method l2r_method_headfit = {
    .name = "headfit",
    .title = "Head fit under learned weights",
    .paper = "this project",
    .objective = "plain training; then the head minimises (1/N) sum of w_n loss_n where validation says that it pays",
    .options = options,
    .shared = {l2r_fourier_option_table, l2r_learner_option_table},
    .defaults = defaults,
    .off = "ess=1",
    .space = "ess=0.5..0.95",
    .size = sizeof(struct headfit),
    .init = init,
    .clear = clear,
    .head_weights = head_weights,
    .keep_head_weights = keep_head_weights,
    .state_array = state_array,
    .loaded = loaded,
};
