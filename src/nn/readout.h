/* SPDX-License-Identifier: MIT
 *
 * A readout: src/nn/readouts/NAME.c defines one `const struct l2r_readout l2r_readout_NAME`, and everything else
 * (`--readout NAME`, its help, `l2r list readouts`, the contract tests) follows.
 *
 *     h [N × D], the nodes of all graphs  ──►  Z [B × width], one row per graph
 *
 * Most readouts are just a function. One with parameters declares them in `build` and lists its own options.
 */
#ifndef L2R_NN_READOUT_H
#define L2R_NN_READOUT_H

#include "nn/layers.h"

struct l2r_readout {
    const char *name;                 /* as typed: "mean"; the name of the file */
    const char *equation;             /* one line */
    const struct l2r_option *options; /* its own; ends with a zero row; NULL: none */
    bool sees_size;                   /* n equal nodes give another row than one of them */
    bool by_row;                      /* forward takes rows that stand for several nodes */
    size_t size;                      /* bytes of its own struct, zeroed before build */
    /* Declares parameters for nodes of `dim` columns and returns the width of Z. NULL: no parameters, and Z has dim
     * columns. */
    int64_t (*build)(void *readout, const struct l2r_build *build, int64_t dim);
    /* The row of node v is h[row[v]], or h[v] where row is NULL, as it always is without by_row. */
    l2r_node (*forward)(const void *readout, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h,
                        const int32_t *row);
};

extern const struct l2r_readout *const l2r_readouts[]; /* NULL at the end */
extern const char l2r_readout_choices[];               /* "mean|sum|…" */
extern const struct l2r_readout l2r_readout_max;       /* pooled networks always read it */
/* By its name, which must be one of the choices. */
const struct l2r_readout *l2r_readout_find(const char *name);

/* Mean, sum or max over the nodes of each graph, [B × D]. */
static inline l2r_node l2r_reduce_nodes(struct l2r_tape *t, const struct l2r_batch *b, l2r_node h, const int32_t *row,
                                        enum l2r_reduction kind)
{
    if (!row) return l2r_reduce_graphs(t, h, b->node_start, b->n_graphs, kind);
    return l2r_reduce_graphs_rows(t, h, row, b->n_nodes, b->node_start, b->n_graphs, kind);
}

/* K of a network that reads out K soft clusters (diffpool), each a block of the columns of Z; 0: it does not. */
int64_t l2r_diffpool_clusters(const struct l2r_params *params);

#endif
