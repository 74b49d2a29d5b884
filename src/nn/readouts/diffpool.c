/* SPDX-License-Identifier: MIT
 *
 * DiffPool (Ying et al. 2018) as a readout: nodes are assigned softly to K clusters, and each cluster keeps its own
 * sum.
 *
 *     S   = softmax over the K columns of (W (Ã h) + b)     [N × K]; Ã h is GCN's normalised sum over neighbours
 *     Z_g = [Σ_v s_v1 h_v ‖ … ‖ Σ_v s_vK h_v]               [B × K·D]; a graph without nodes gives 0
 *
 * One GCN layer is the pooling network; it ignores edge features. While training, --pool-loss times
 *
 *     (1/B) Σ_g ( ‖A_g − S_g S_gᵀ‖²/n_g² + mean entropy of the rows of S_g )
 *
 * is added to the loss: neighbours should share a cluster, and a node should have one. DiffPool's second level (message
 * passing between clusters) is not part of a readout.
 */
#include "nn/readout.h"

#include <string.h>

struct diffpool {
    struct l2r_linear assign; /* [K × D] */
    double loss;              /* weight of the two losses; 0: off */
};

static const char *const prefix = "pool.assign";

static const struct l2r_option options[] = {
    {.name = "pool-clusters",
     .kind = L2R_OPTION_INT,
     .fallback = "7",
     .min = 1,
     .max = 1000,
     .help = "diffpool: number of clusters"},
    {.name = "pool-loss",
     .kind = L2R_OPTION_REAL,
     .fallback = "0.1",
     .min = 0,
     .max = 1e6,
     .help = "diffpool: weight of its link-prediction and entropy losses; 0: off"},
    {0}};

static int64_t build_clusters(void *readout, const struct l2r_build *build, int64_t dim)
{
    int64_t n_clusters = l2r_config_int(build->config, "pool-clusters");
    *(struct diffpool *)readout = (struct diffpool){
        .assign = l2r_linear_add(build->params, dim, n_clusters, true, prefix),
        .loss = l2r_config_real(build->config, "pool-loss"),
    };
    return n_clusters * dim;
}

/* loss · (1/B) Σ_g loss_g. */
static void add_loss(struct l2r_tape *t, const struct l2r_batch *b, l2r_node shares, double loss)
{
    l2r_node each = l2r_cluster_loss(t, shares, &b->graph, b->node_start, b->n_graphs);
    l2r_real *weight = l2r_tape_alloc(t, b->n_graphs, sizeof *weight);
    for (int64_t g = 0; weight && g < b->n_graphs; g++) weight[g] = (l2r_real)loss;
    if (weight) l2r_tape_add_loss(t, l2r_weighted_mean(t, each, weight));
}

static l2r_node forward(const void *readout, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h,
                        const int32_t *row)
{
    const struct diffpool *p = readout;
    (void)row;
    l2r_node mean = l2r_gcn_neighbours(t, &b->graph, h, L2R_NO_NODE, L2R_NO_NODE);
    l2r_node shares = l2r_softmax_rows(t, l2r_linear(t, mean, &p->assign, L2R_LINEAR)); /* [N × K] */
    if (t->pass.record && !t->pass.frozen && p->loss > 0) add_loss(t, b, shares, p->loss);
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

const struct l2r_readout l2r_readout_diffpool = {
    .name = "diffpool",
    .equation = "for each of K learned soft clusters of nodes: sum of the nodes times their shares in it",
    .options = options,
    .sees_size = true,
    .size = sizeof(struct diffpool),
    .build = build_clusters,
    .forward = forward,
};
