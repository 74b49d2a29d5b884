/* SPDX-License-Identifier: MIT
 *
 * Lists of graphs as callers give them, 64-bit numbers or NULL for all graphs, and as the library has them.
 */
#ifndef L2R_API_GRAPH_LIST_H
#define L2R_API_GRAPH_LIST_H

#include "data/dataset.h"

struct l2r_graph_list {
    int32_t *graphs; /* [n], owned */
    int64_t n;
};

/* Checks numbers [n] and takes them over; what: the argument's name in errors, NULL where its numbers have none. To be
 * cleared, after a failure too. */
enum l2r_status l2r_graph_list_take(struct l2r_graph_list *list, const char *what, const struct l2r_dataset *data,
                                    const int64_t *graphs, int64_t n, struct l2r_error *error);
void l2r_graph_list_clear(struct l2r_graph_list *list);

#endif
