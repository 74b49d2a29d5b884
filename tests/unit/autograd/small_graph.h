/* SPDX-License-Identifier: MIT
 *
 * The graph that most tests of operations use: a path, a triangle with a self loop and an isolated node.
 *
 *     0──1──2      3──4       6          as four graphs: {0 1 2}, {3 4 5}, one without nodes, {6}
 *                   \ │
 *                    5 ⟲
 */
#ifndef L2R_TESTS_SMALL_GRAPH_H
#define L2R_TESTS_SMALL_GRAPH_H

#include "kernels/aggregate.h"

#include <stddef.h>

enum { N = 7, A = 11, G = 4 }; /* nodes, arcs, graphs */

static const int32_t arc_start[] = {0, 1, 3, 4, 6, 8, 11, 11};
static const int32_t neighbour[] = {1, 0, 2, 1, 4, 5, 3, 5, 3, 4, 5};
static const int32_t arc_type[] = {0, 0, 1, 1, 2, 0, 2, 1, 0, 1, 2};
#define INVERSE_ROOT_2 0.70710678118654757
#define INVERSE_ROOT_3 0.57735026918962584
static const double norm[] = {INVERSE_ROOT_2,
                              INVERSE_ROOT_3,
                              INVERSE_ROOT_2,
                              INVERSE_ROOT_3,
                              INVERSE_ROOT_3,
                              INVERSE_ROOT_3,
                              1}; /* 1/√(neighbours + 1) */
static const struct l2r_adjacency graph = {N, A, arc_start, neighbour, arc_type, norm, NULL};

#endif
