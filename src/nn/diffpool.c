/* SPDX-License-Identifier: MIT
 * See diffpool.h. */
#include "nn/diffpool.h"

#include <string.h>

static const char *const prefix = "pool.assign";

struct l2r_diffpool l2r_diffpool_add(const struct l2r_build *build, int64_t dim)
{
    int64_t n_clusters = l2r_config_int(build->config, "pool-clusters");
    return (struct l2r_diffpool){.assign = l2r_linear_add(build->params, dim, n_clusters, true, prefix),
                                 .loss = l2r_config_real(build->config, "pool-loss")};
}

/* loss · (1/B) Σ_g loss_g. */
static void add_loss(struct l2r_tape *t, const struct l2r_batch *b, l2r_node shares, double loss)
{
    l2r_node each = l2r_cluster_loss(t, shares, &b->graph, b->node_start, b->n_graphs);
    l2r_real *weight = l2r_tape_alloc(t, b->n_graphs, sizeof *weight);
    for (int64_t g = 0; weight && g < b->n_graphs; g++) weight[g] = (l2r_real)loss;
    if (weight) l2r_tape_add_loss(t, l2r_weighted_mean(t, each, weight));
}

l2r_node l2r_diffpool(struct l2r_tape *t, const struct l2r_batch *b, l2r_node h, const struct l2r_diffpool *p)
{
    l2r_node mean = l2r_gcn_neighbours(t, &b->graph, h, L2R_NO_NODE, L2R_NO_NODE);
    l2r_node shares = l2r_softmax_rows(t, l2r_linear(t, mean, &p->assign, L2R_LINEAR)); /* [N × K] */
    if (t->record && !t->frozen && p->loss > 0) add_loss(t, b, shares, p->loss);
    return l2r_cluster_sums(t, shares, h, b->node_start, b->n_graphs);
}

int64_t l2r_diffpool_clusters(const struct l2r_params *params)
{
    size_t length = strlen(prefix);
    for (size_t i = 0; i < params->count; i++) {
        const struct l2r_param *p = params->items[i];
        if (strncmp(p->name, prefix, length) == 0 && strcmp(p->name + length, ".weight") == 0) return p->rows;
    }
    return 0;
}
