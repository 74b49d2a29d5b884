/* SPDX-License-Identifier: MIT
 *
 * Builds a data set graph by graph. Readers, generators and programs that hold graphs in memory all come
 * through here, so that edges are made symmetric, duplicates dropped and feature rows made distinct in one place.
 */
#ifndef L2R_DATA_BUILDER_H
#define L2R_DATA_BUILDER_H

#include "data/dataset.h" /* and with it l2r.h, where the calls are declared: they are public */

/* Where the graphs come from (dataset.h has the shapes); NULL where it is not known. */
struct l2r_origin {
    const int32_t *scaffold, *rank; /* [n_graphs] */
    const int64_t *source_line;     /* [n_graphs] */
    const int64_t *smiles_start;    /* [n_graphs + 1] */
    const char *smiles;             /* [smiles_start[n_graphs]] */
    const char *task_names;         /* [n_task_names]: n_tasks names, each ending with 0 */
    size_t n_task_names;
    const char *notes; /* ends with 0 */
};

/* After the last graph, at most once; everything is copied. */
enum l2r_status l2r_builder_set_origin(struct l2r_builder *builder, const struct l2r_origin *origin,
                                       struct l2r_error *error);

#endif
