/* SPDX-License-Identifier: MIT
 *
 * Graphs of one or several data sets as a data set of their own: subsets and concatenations. They pass through the
 * builder, so that feature rows are numbered once for all; other properties of the graphs are kept.
 *
 *     tasks, classes, columns     must be the same in all sources
 *     vocabularies                the largest of each column
 *     environments                by name, where all sources have them
 *     SMILES, lines, columns      where all sources have them
 *     scaffolds, molecules        numbered anew; those of several sources are computed again from the SMILES by RDKit
 *     rank                        of one source alone, in the old order
 *
 * The notes list what is left out.
 */
#ifndef L2R_DATA_GATHER_H
#define L2R_DATA_GATHER_H

#include "data/dataset.h"

struct l2r_gathered {
    const struct l2r_dataset *data;
    const int64_t *graphs; /* [n]: numbers that exist; NULL: 0 .. n-1 */
    int64_t n;
};

/* L2R_ERR_ARGUMENT says how source k differs from the first, as "data[k]". */
enum l2r_status l2r_gather(struct l2r_dataset **out, const struct l2r_gathered *sources, int64_t n_sources,
                           struct l2r_error *error);

/* The edges of a graph, each once, [2 × edges] node numbers within it, and the arc that stands for each; returns how
 * many. Either may be NULL. */
int64_t l2r_graph_edges(int32_t *edges, int64_t *arcs, const struct l2r_dataset *data, int64_t graph);

#endif
