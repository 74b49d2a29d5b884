/* SPDX-License-Identifier: MIT
 *
 * AFR (Qiu et al. 2023, eq. 1): the network is trained by ERM on most training graphs; a head fit follows on the
 * others, in which graphs count more if the network gives their label a low probability. No environments are needed.
 *
 *     w_n ∝ β_y exp(−γ p_n),   p_n = probability of the label y_n by the trained network,   1/β_y = graphs of class y
 *
 * A fifth of the graphs is held out and γ = 10: the authors' command for Waterbirds (github.com/AndPotap/afr, README;
 * for CelebA γ = 1.44), and the search covers both. They stop the fit early, or regularise it towards the trained head
 * by λ; here it converges, and its penalty is chosen on the validation graphs (heads/head_fit.h).
 */
#include "methods/heads/head_fit.h"

#include "base/memory.h"

#include <math.h>

struct afr {
    struct l2r_head_fit refit;
    double gamma;
};

static const struct l2r_option options[] = {
    {.name = "afr-gamma",
     .needs = "fit-head=true",
     .kind = L2R_OPTION_REAL,
     .fallback = "10",
     .min = 0,
     .max = 1000,
     .group = "AFR",
     .help = "how much more graphs count for the head whose label the network finds unlikely"},
    {0}};

static enum l2r_status init(void *state, const struct l2r_config *config, const struct l2r_network *network,
                            const struct l2r_training_set *set, struct l2r_error *error)
{
    struct afr *s = state;
    s->gamma = l2r_config_real(config, "afr-gamma");
    return l2r_head_fit_init(&s->refit, "afr", config, network, set, error);
}

static void clear(void *state)
{
    l2r_head_fit_clear(&((struct afr *)state)->refit);
}

static enum l2r_status head_weights(void *state, struct l2r_head_weights *out, struct l2r_arena *arena,
                                    const char *instead, const struct l2r_network *network,
                                    const struct l2r_training_set *set, const float *z, const float *output,
                                    struct l2r_error *error)
{
    struct afr *s = state;
    int32_t outputs = l2r_signature_outputs(&network->signature), n_classes = l2r_dataset_label_classes(set->data);
    (void)instead, (void)z;
    *out =
        (struct l2r_head_weights){.kind = "afr", .whose = "more weight on graphs with unlikely labels", .always = true};
    if (!s->refit.on) return L2R_OK;
    double *w = l2r_head_fit_offer(out, arena, set, error);
    int64_t *count = l2r_arena_zeroed(arena, (size_t)n_classes + 1, sizeof *count); /* of classes; the last: no label */
    if (!w || !count) return l2r_fail_memory(error, (size_t)set->n * sizeof *w, "the weights of the head");
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < set->n; i++) {
            int64_t graph = set->graphs[i];
            int32_t class = l2r_dataset_label_class(set->data, graph);
            if (!l2r_head_fit_takes(&s->refit, graph)) continue;
            int64_t *same = &count[class < 0 ? n_classes : class];
            double p = l2r_label_probability(output + i * outputs, set->data, graph);
            if (pass == 0)
                ++*same;
            else if (!isnan(p))
                w[i] = exp(-s->gamma * p) / (double)*same;
        }
    l2r_head_fit_finish(out, &s->refit, set);
    return L2R_OK;
}

const struct l2r_method l2r_method_afr = {
    .name = "afr",
    .title = "Automatic feature reweighting",
    .paper = "Qiu et al. 2023",
    .objective = "ERM, then the head alone on held-out graphs with weights exp(-gamma p_y)",
    .options = options,
    .shared = {l2r_head_fit_option_table},
    .off = "fit-head=false",
    .space = "afr-gamma=1..20",
    .size = sizeof(struct afr),
    .init = init,
    .clear = clear,
    .epoch_order = l2r_head_fit_order,
    .head_weights = head_weights,
    .keep_head_weights = l2r_head_fit_keep,
    .state_array = l2r_head_fit_array,
    .loaded = l2r_head_fit_loaded,
};
