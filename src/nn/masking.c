/* SPDX-License-Identifier: MIT
 * See masking.h. */
#include "nn/masking.h"

#include "autograd/ops.h"
#include "batch/batch.h"
#include "nn/network.h"

#include <math.h>
#include <string.h>

const struct l2r_option l2r_masking_options[] = {
    {.name = "mask-atoms",
     .kind = L2R_OPTION_REAL,
     .fallback = "0",
     .min = 0,
     .max = 0.9,
     .help = "share of the nodes of each graph that are hidden in a second pass of every training step, and whose "
             "element (or node label) the network guesses; 0: none"},
    {0}};

struct l2r_masking l2r_masking_add(const struct l2r_build *build, const struct l2r_model_type *type)
{
    struct l2r_masking m = {0};
    if (l2r_config_has(build->config, "mask-atoms")) m.share = l2r_config_real(build->config, "mask-atoms");
    if (m.share == 0) return m;
    if (*build->node_width == 0)
        l2r_params_fail(build->params, L2R_ERR_ARGUMENT, "`mask-atoms` hides nodes, of which model %s reads none",
                        type->name);
    else if (build->data->n_node_columns == 0)
        l2r_params_fail(build->params, L2R_ERR_ARGUMENT,
                        "`mask-atoms` hides the categories of nodes, such as elements, but the nodes of this data have "
                        "none");
    else
        m.guess =
            l2r_linear_add(build->params, *build->node_width, build->data->node_vocabulary[0], true, "head.atoms");
    return m;
}

/* The masked nodes, one graph after the other. */
struct hidden {
    int32_t *start; /* [n_graphs + 1] */
    int32_t *node;  /* [start[n_graphs]] */
    float *label;   /* [start[n_graphs]]: the first category */
};

static int32_t hidden_of(int64_t nodes, double share)
{
    int64_t n = (int64_t)floor(share * (double)nodes + 0.5);
    return (int32_t)(n < 1 ? nodes > 0 : n);
}

/* The first n of a random order of the graph's nodes. */
static void draw(int32_t *node, int32_t n, int32_t *order, int64_t first, int64_t nodes, struct l2r_rng *rng)
{
    for (int64_t i = 0; i < nodes; i++) order[i] = (int32_t)(first + i);
    for (int32_t i = 0; i < n; i++) {
        int64_t k = i + (int64_t)l2r_rng_below(rng, (uint32_t)(nodes - i));
        node[i] = order[k];
        order[k] = order[i];
    }
}

static bool choose(struct hidden *h, struct l2r_tape *t, const struct l2r_batch *b, const struct l2r_masking *m,
                   int32_t columns, uint64_t seed, uint64_t step)
{
    int64_t place = b->division ? l2r_division_first(b->division) : 0; /* of the first graph in the whole batch */
    h->start = l2r_tape_alloc(t, b->n_graphs + 1, sizeof *h->start);
    if (!h->start) return false;
    h->start[0] = 0;
    for (int64_t g = 0; g < b->n_graphs; g++)
        h->start[g + 1] = h->start[g] + hidden_of(b->node_start[g + 1] - b->node_start[g], m->share);
    int64_t n = h->start[b->n_graphs];
    h->node = l2r_tape_alloc(t, n, sizeof *h->node);
    h->label = l2r_tape_alloc(t, n, sizeof *h->label);
    int32_t *order = l2r_tape_alloc(t, b->n_nodes, sizeof *order);
    if (!h->node || !h->label || !order) return false;
    for (int64_t g = 0; g < b->n_graphs; g++) {
        struct l2r_rng rng = l2r_rng_at(seed, L2R_RANDOM_MASK, step << 24 | (uint64_t)(place + g));
        draw(h->node + h->start[g], h->start[g + 1] - h->start[g], order, b->node_start[g],
             b->node_start[g + 1] - b->node_start[g], &rng);
    }
    for (int64_t i = 0; i < n; i++) h->label[i] = (float)b->nodes.rows[(int64_t)b->nodes.type[h->node[i]] * columns];
    return true;
}

/* The batch with masked nodes: one more type, which has no category, and real attributes of 0. Equal neighbourhoods are
 * no longer equal. */
static bool hide(struct l2r_batch *masked, struct l2r_tape *t, const struct l2r_batch *b, const struct hidden *h,
                 const struct l2r_signature *data)
{
    int64_t columns = data->n_node_columns, reals = data->n_node_reals, n = h->start[b->n_graphs];
    int32_t *rows = l2r_tape_alloc(t, (b->nodes.n + 1) * columns, sizeof *rows);
    int32_t *type = l2r_tape_alloc(t, b->n_nodes, sizeof *type);
    l2r_real *real = reals > 0 ? l2r_tape_alloc(t, b->n_nodes * reals, sizeof *real) : NULL;
    if (!rows || !type || (reals > 0 && !real)) return false;
    memcpy(rows, b->nodes.rows, (size_t)(b->nodes.n * columns) * sizeof *rows);
    for (int64_t k = 0; k < columns; k++) rows[b->nodes.n * columns + k] = L2R_HIDDEN;
    memcpy(type, b->nodes.type, (size_t)b->n_nodes * sizeof *type);
    if (real) memcpy(real, b->node_real, (size_t)(b->n_nodes * reals) * sizeof *real);
    for (int64_t i = 0; i < n; i++) {
        type[h->node[i]] = (int32_t)b->nodes.n;
        if (real) memset(real + h->node[i] * reals, 0, (size_t)reals * sizeof *real);
    }
    *masked = *b;
    masked->nodes = (struct l2r_batch_types){.n = b->nodes.n + 1, .rows = rows, .type = type};
    masked->node_real = real;
    masked->levels = NULL;
    masked->arc_levels = NULL;
    return true;
}

void l2r_masking_loss(const struct l2r_network *network, struct l2r_tape *t, const struct l2r_batch *b, uint64_t seed,
                      uint64_t step)
{
    const struct l2r_masking *m = &network->masking;
    const struct l2r_signature *data = &network->signature;
    struct hidden h;
    struct l2r_batch masked;
    if (m->share == 0) return;
    if (!choose(&h, t, b, m, data->n_node_columns, seed, step) || !hide(&masked, t, b, &h, data)) return;
    bool moves = t->pass.update_statistics;
    t->pass.update_statistics = false;
    (void)l2r_network_represent(network, t, &masked);
    t->pass.update_statistics = moves;
    l2r_node rows = l2r_take_rows(t, t->nodes, h.node, h.start[b->n_graphs]);
    l2r_node losses = l2r_cross_entropy(t, l2r_linear(t, rows, &m->guess, L2R_LINEAR), h.label, NULL);
    l2r_node means = l2r_reduce_graphs(t, losses, h.start, b->n_graphs, L2R_REDUCE_MEAN);
    l2r_tape_add_loss(t, l2r_weighted_mean(t, means, NULL));
}
