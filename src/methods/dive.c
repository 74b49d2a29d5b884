/* SPDX-License-Identifier: MIT
 *
 * DIVE (Sun et al. 2024): K copies of a gated network (nn/gates.h) train side by side, each on the whole loss, and a
 * penalty keeps their gates from opening the same edges. A single network takes the simplest subgraph that is
 * correlated with the label; the next copy has to find another one. The copy that is best on the validation graphs
 * predicts (fit/fit.c).
 *
 *     loss = (1/K) Σ_k (1/B) Σ_n ℓ_n^k + λ · mean over pairs k < l of (1/B) Σ_g J(m^k_g, m^l_g)
 *     J(a, b) = Σ_e a_e b_e / Σ_e (a_e + b_e − a_e b_e)                                 over the edges e of graph g
 *
 * K = 2, λ = 0.5, and backbones of their own for the gates are the paper's (eq. 12 and 13, table 1). Its masks are 0 or
 * 1, by a sampler whose formula (eq. 4) does not draw with the stated probability; here they are GSAT's gates, and J is
 * the soft form of the same ratio. --gates none is ERM bit for bit; with λ = 0 the copies train independently.
 */
#include "methods/method.h"

#include "base/json.h"

static const struct l2r_option options[] = {{.name = "dive-weight",
                                             .kind = L2R_OPTION_REAL,
                                             .fallback = "0.5",
                                             .min = 0,
                                             .max = 1e6,
                                             .needs = "copies!=1|gates=edges",
                                             .group = "DIVE",
                                             .help = "weight of what the gates of two copies have in common"},
                                            {0}};

static const struct l2r_default defaults[] = {{"gates-backbone", "own"}, {0}};

struct dive {
    double weight;
    double seen[2];                  /* of the epoch under way: sum of the overlaps, batches */
    l2r_node edges[L2R_MOST_COPIES]; /* of the batch at hand: the copies' gates */
};

static enum l2r_status init(void *state, const struct l2r_config *config, const struct l2r_network *network,
                            const struct l2r_training_set *set, struct l2r_error *error)
{
    struct dive *s = state;
    (void)set;
    s->weight = l2r_config_real(config, "dive-weight");
    if (network->n_copies > 1 && l2r_config_text(config, "freeze"))
        return l2r_fail(error, L2R_ERR_ARGUMENT, "`freeze` leaves method dive no gates to train; leave it out");
    return L2R_OK;
}

/* The mean over the copies. The chosen one has run already. */
static l2r_node graph_losses(void *state, const struct l2r_step *step, l2r_node z)
{
    struct dive *s = state;
    struct l2r_tape *t = step->tape;
    struct l2r_network *network = step->network;
    const int32_t n = network->n_copies, chosen = l2r_network_chosen(network);
    l2r_node sum = step->losses;
    (void)z;
    s->edges[chosen] = t->gates.edges;
    if (n == 1) return sum;
    for (int32_t k = 0; k < n; k++) {
        if (k == chosen) continue;
        l2r_network_choose(network, k);
        l2r_node rows = l2r_network_represent(network, t, step->batch);
        l2r_node output = l2r_network_output(network, t, step->batch, rows);
        sum = l2r_add(t, sum, l2r_network_losses(network, t, step->batch, output));
        s->edges[k] = t->gates.edges;
    }
    l2r_network_choose(network, chosen);
    if (t->model_loss.id >= 0) t->model_loss = l2r_scale(t, t->model_loss, 1.0 / n);
    return l2r_scale(t, sum, 1.0 / n);
}

/* λ times the mean overlap of two copies. */
static l2r_node extra_loss(void *state, const struct l2r_step *step, l2r_node z)
{
    struct dive *s = state;
    struct l2r_tape *t = step->tape;
    const int32_t n = step->network->n_copies;
    l2r_node sum = L2R_NO_NODE;
    (void)z;
    for (int32_t k = 0; k < n; k++)
        for (int32_t l = k + 1; l < n; l++) {
            l2r_node one = l2r_overlap(t, s->edges[k], s->edges[l], t->gates.start, t->gates.n_graphs);
            sum = sum.id < 0 ? one : l2r_add(t, sum, one);
        }
    if (n == 1 || !l2r_tape_ready(t, sum)) return L2R_NO_NODE;
    l2r_node mean = l2r_scale(t, l2r_weighted_mean(t, sum, NULL), 2.0 / (n * (n - 1)));
    if (!l2r_tape_ready(t, mean)) return L2R_NO_NODE;
    double overlap = (double)l2r_value_of(t, mean)->data[0];
    if (t->pass.share.comm) l2r_comm_sum(t->pass.share.comm, &overlap, 1, sizeof overlap);
    s->seen[0] += overlap;
    s->seen[1]++;
    return s->weight > 0 ? l2r_scale(t, mean, s->weight) : L2R_NO_NODE;
}

static enum l2r_status after_epoch(void *state, int64_t epoch, json_t *log, char note[256], struct l2r_error *error)
{
    struct dive *s = state;
    (void)epoch, (void)note, (void)error;
    if (s->seen[1] > 0) json_object_set_new(log, "overlap", l2r_json_real(s->seen[0] / s->seen[1]));
    s->seen[0] = s->seen[1] = 0;
    return L2R_OK;
}

static bool state_array(void *state, int i, struct l2r_state_array *array)
{
    *array = (struct l2r_state_array){"seen", L2R_STATE_F64, ((struct dive *)state)->seen, 2};
    return i == 0;
}

static bool loaded(const void *state)
{
    const double *seen = ((const struct dive *)state)->seen;
    return seen[0] >= 0 && seen[1] >= 0;
}

const struct l2r_method l2r_method_dive = {
    .name = "dive",
    .title = "Subgraph disagreement",
    .paper = "Sun et al. 2024",
    .objective = "the mean over copies of (1/B) sum of loss_n, plus lambda times the mean overlap of two copies' gates",
    .options = options,
    .shared = {l2r_copies_option_table, l2r_gates_option_table},
    .defaults = defaults,
    .off = "gates=none",
    .space = "copies=2|3,dive-weight=0.1..2:log",
    .gated = true,
    .size = sizeof(struct dive),
    .init = init,
    .graph_losses = graph_losses,
    .extra_loss = extra_loss,
    .after_epoch = after_epoch,
    .state_array = state_array,
    .loaded = loaded,
};
