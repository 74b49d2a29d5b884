/* SPDX-License-Identifier: MIT
 *
 * EVaLS (Ghaznavi et al. 2024): the network is trained by ERM on most training graphs; its head is fitted on equally
 * many of the others with the lowest and with the highest loss. Losses are low where a shortcut holds and high where it
 * breaks; on half of each it is not predictive. No environments are needed.
 *
 *     of every class   the m graphs of the lowest and the m of the highest loss count 1, all others 0
 *     m                share · (graphs of the smallest class that are held out), --evals-share
 *
 * The share is chosen on the validation graphs, as the penalty is (heads/head_fit.h); the paper takes the worst of
 * inferred environments there.
 */
#include "methods/heads/head_fit.h"

#include "base/decimal.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

struct evals {
    struct l2r_head_fit refit;
    double share; /* 0: several, of which validation chooses */
};

static const struct l2r_option options[] = {
    {.name = "evals-share",
     .needs = "fit-head=true",
     .kind = L2R_OPTION_TEXT,
     .value = "SHARE",
     .choices = "choose",
     .min = 0,
     .max = 0.5,
     .fallback = "choose",
     .group = "EVaLS",
     .help = "share of the smallest class from each end of the losses, up to 0.5, which is all of it; choose: by the "
             "validation scores of heads with several"},
    {0}};

static const double shares[] = {0.5, 0.35, 0.2, 0.1, 0.05};
enum { N_SHARES = sizeof shares / sizeof *shares };

/* A held-out graph. */
struct seen {
    double p;      /* probability of its label */
    int64_t place; /* among the training graphs */
    int32_t class;
};

/* By class, then by rising loss. */
static int compare(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;
    if (x->class != y->class) return x->class < y->class ? -1 : 1;
    if (x->p > y->p || x->p < y->p) return x->p > y->p ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static enum l2r_status init(void *state, const struct l2r_config *config, const struct l2r_network *network,
                            const struct l2r_training_set *set, struct l2r_error *error)
{
    struct evals *s = state;
    bool choose = l2r_config_is(config, "evals-share", "choose");
    s->share = choose ? 0 : l2r_decimal_read(l2r_config_text(config, "evals-share"), NULL);
    return l2r_head_fit_init(&s->refit, "evals", config, network, set, error);
}

static void clear(void *state)
{
    l2r_head_fit_clear(&((struct evals *)state)->refit);
}

/* The held-out graphs with a label, in order; how many. */
static int64_t list_graphs(struct seen *list, const struct evals *s, const struct l2r_training_set *set,
                           const float *output, int32_t outputs)
{
    int64_t n = 0;
    for (int64_t i = 0; i < set->n; i++) {
        int64_t graph = set->graphs[i];
        if (!l2r_head_fit_takes(&s->refit, graph)) continue;
        struct seen one = {l2r_label_probability(output + i * outputs, set->data, graph), i,
                           l2r_dataset_label_class(set->data, graph)};
        if (one.class >= 0 && !isnan(one.p)) list[n++] = one;
    }
    qsort(list, (size_t)n, sizeof *list, compare);
    return n;
}

/* Where the class of list[i] ends. */
static int64_t end_of_class(const struct seen *list, int64_t i, int64_t n)
{
    int64_t end = i;
    while (end < n && list[end].class == list[i].class) end++;
    return end;
}

static void take_ends(double *w, const struct seen *list, int64_t n, double share)
{
    int64_t smallest = n;
    for (int64_t i = 0, end; i < n; i = end) {
        end = end_of_class(list, i, n);
        if (end - i < smallest) smallest = end - i;
    }
    int64_t m = (int64_t)(share * (double)smallest);
    if (m < 1) m = 1;
    for (int64_t i = 0, end; i < n; i = end) {
        end = end_of_class(list, i, n);
        for (int64_t k = 0; k < m; k++) w[list[i + k].place] = w[list[end - 1 - k].place] = 1;
    }
}

static enum l2r_status head_weights(void *state, struct l2r_head_weights *out, struct l2r_arena *arena,
                                    const char *instead, const struct l2r_network *network,
                                    const struct l2r_training_set *set, const float *z, const float *output,
                                    struct l2r_error *error)
{
    const struct evals *s = state;
    (void)instead, (void)z;
    *out = (struct l2r_head_weights){
        .kind = "evals", .whose = "equally many graphs of low and of high loss", .always = true};
    if (!s->refit.on) return L2R_OK;
    struct seen *list = l2r_arena_alloc(arena, (size_t)set->n, sizeof *list);
    if (!list) return l2r_fail_memory(error, (size_t)set->n * sizeof *list, "the losses of the graphs held out");
    int64_t n = list_graphs(list, s, set, output, l2r_signature_outputs(&network->signature));
    for (int k = 0; n > 0 && k < (s->share > 0 ? 1 : N_SHARES); k++) {
        double *w = l2r_head_fit_offer(out, arena, set, error);
        if (!w) return L2R_ERR_MEMORY;
        take_ends(w, list, n, s->share > 0 ? s->share : shares[k]);
    }
    l2r_head_fit_finish(out, &s->refit, set);
    return L2R_OK;
}

const struct l2r_method l2r_method_evals = {
    .name = "evals",
    .title = "Loss-based sampling for the head",
    .paper = "Ghaznavi et al. 2024",
    .objective = "ERM, then the head alone on equally many held-out graphs of the lowest and the highest losses",
    .options = options,
    .shared = {l2r_head_fit_option_table},
    .off = "fit-head=false",
    .space = "head-holdout=0.1|0.2|0.4",
    .size = sizeof(struct evals),
    .init = init,
    .clear = clear,
    .epoch_order = l2r_head_fit_order,
    .head_weights = head_weights,
    .keep_head_weights = l2r_head_fit_keep,
    .state_array = l2r_head_fit_array,
    .loaded = l2r_head_fit_loaded,
};
