/* SPDX-License-Identifier: MIT
 *
 * GroupDRO (Sagawa et al. 2020, algorithm 1): the group with the largest risk counts most. With R_g the mean loss of
 * the graphs of group g in the batch (0 for a group that the batch does not hold) and q uniform at first,
 *
 *     q_g ← q_g exp(η R_g) / Σ_h q_h exp(η R_h)          after every forward pass
 *     loss = Σ_g q_g R_g = (1/B) Σ_n w_n ℓ_n,   w_n = B q_g / n_g
 *
 * Groups are the environments, or classes × environments as in the paper (--groups). η = 0.01 is the paper's, and
 * DomainBed's range is searched. η = 0 is ERM bit for bit.
 */
#include "base/json.h"
#include "base/memory.h"
#include "methods/groups/groups.h"
#include "methods/method.h"

#include <math.h>
#include <stdio.h>

struct groupdro {
    struct l2r_graph_groups groups;
    double rate;
    double *q; /* [groups] */
};

static const struct l2r_option options[] = {
    {.name = "groupdro-rate",
     .kind = L2R_OPTION_REAL,
     .fallback = "0.01",
     .min = 0,
     .max = 100,
     .group = "GroupDRO",
     .help = "how fast the weight of a group follows its risk; 0: ERM"},
    {.name = "groups",
     .kind = L2R_OPTION_CHOICE,
     .choices = "environment|class",
     .fallback = "environment",
     .help = "what a group is: the graphs of an environment, or of one class in an environment"},
    {0}};

static enum l2r_status init(void *state, const struct l2r_config *config, const struct l2r_network *network,
                            const struct l2r_training_set *set, struct l2r_error *error)
{
    struct groupdro *s = state;
    bool by_class = l2r_config_is(config, "groups", "class");
    (void)network;
    if (by_class && set->data->task == L2R_TASK_REGRESSION)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "`groups=class`: data set \"%s\" has no classes", set->data->name);
    enum l2r_status status = l2r_graph_groups_make(&s->groups, set, by_class, error);
    if (status != L2R_OK) return status;
    s->rate = l2r_config_real(config, "groupdro-rate");
    s->q = l2r_alloc((size_t)s->groups.n, sizeof *s->q);
    if (!s->q) return l2r_fail_memory(error, (size_t)s->groups.n * sizeof *s->q, "the groups' weights");
    for (int32_t g = 0; g < s->groups.n; g++) s->q[g] = 1.0 / s->groups.n;
    return L2R_OK;
}

static void clear(void *state)
{
    struct groupdro *s = state;
    l2r_graph_groups_clear(&s->groups);
    l2r_free(s->q);
}

/* Risks are shifted by the largest: q does not change by it, and exp does not overflow. */
static void update(struct groupdro *s, const double *risk)
{
    double top = 0, sum = 0;
    for (int32_t g = 0; g < s->groups.n; g++) top = fmax(top, risk[g]);
    for (int32_t g = 0; g < s->groups.n; g++) sum += s->q[g] *= exp(s->rate * (risk[g] - top));
    for (int32_t g = 0; g < s->groups.n; g++) s->q[g] /= sum;
}

static const l2r_real *sample_weights(void *state, const struct l2r_step *step, l2r_node z)
{
    struct groupdro *s = state;
    struct l2r_tape *t = step->tape;
    struct l2r_whole whole = l2r_whole_of(step->batch);
    (void)z;
    if (s->rate == 0 || !l2r_tape_ready(t, step->losses)) return NULL;
    double *risk = l2r_tape_alloc(t, s->groups.n, sizeof *risk), *count = l2r_tape_alloc(t, s->groups.n, sizeof *count);
    l2r_real *w = l2r_tape_alloc(t, whole.n, sizeof *w);
    const l2r_real *losses = l2r_whole_rows(t, &whole, l2r_value_of(t, step->losses)->data, 1);
    if (!risk || !count || !w || !losses) return NULL;
    for (int32_t g = 0; g < s->groups.n; g++) risk[g] = count[g] = 0;
    for (int64_t i = 0; i < whole.n; i++) {
        int32_t g = s->groups.of[whole.graphs[i]];
        risk[g] += (double)losses[i];
        count[g]++;
    }
    for (int32_t g = 0; g < s->groups.n; g++) risk[g] /= fmax(count[g], 1);
    update(s, risk);
    for (int64_t i = 0; i < whole.n; i++) {
        int32_t g = s->groups.of[whole.graphs[i]];
        w[i] = (l2r_real)((double)whole.n * s->q[g] / count[g]);
    }
    return w + whole.first;
}

static enum l2r_status after_epoch(void *state, int64_t epoch, json_t *log, char note[256], struct l2r_error *error)
{
    const struct groupdro *s = state;
    double most = 0;
    (void)error;
    for (int32_t g = 0; g < s->groups.n; g++) most = fmax(most, s->q[g]);
    l2r_json_put(log, "largest_group_weight", l2r_json_real(most));
    if (epoch == 0 && s->groups.n == 1)
        snprintf(note, 256, "groupdro: all training graphs are in one group, so it is ERM");
    return L2R_OK;
}

static bool state_array(void *state, int i, struct l2r_state_array *array)
{
    struct groupdro *s = state;
    *array = (struct l2r_state_array){"q", L2R_STATE_F64, s->q, s->groups.n};
    return i == 0;
}

/* Shares of 1. */
static bool loaded(const void *state)
{
    const struct groupdro *s = state;
    double sum = 0;
    for (int32_t g = 0; g < s->groups.n; g++) {
        if (!(s->q[g] >= 0)) return false;
        sum += s->q[g];
    }
    return fabs(sum - 1) < 1e-6;
}

const struct l2r_method l2r_method_groupdro = {
    .name = "groupdro",
    .title = "GroupDRO",
    .paper = "Sagawa et al. 2020",
    .objective = "sum over groups of q_g risk_g; q grows where the risk is large",
    .options = options,
    .off = "groupdro-rate=0",
    .space = "groupdro-rate=1e-3..0.1:log",
    .environments = true,
    .size = sizeof(struct groupdro),
    .init = init,
    .clear = clear,
    .sample_weights = sample_weights,
    .after_epoch = after_epoch,
    .state_array = state_array,
    .loaded = loaded,
};
