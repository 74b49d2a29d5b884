/* SPDX-License-Identifier: MIT
 *
 * Initial positions, from which the stress of a picture is lowered.
 *
 *     0        classical scaling of the paths to some anchors (PivotMDS: Brandes and Pich, 2007)
 *     1        a tree from the middle of the graph outwards, each branch in a sector as wide as its leaves are many
 *     2, 3, …  random
 */
#ifndef L2R_DRAW_STARTS_H
#define L2R_DRAW_STARTS_H

#include "draw/stress.h"

enum { L2R_START_TREE = 1 };

/* xy [n × 2]; equal arguments give equal places. */
enum l2r_status l2r_start_place(double *xy, int number, const struct l2r_stress *stress, struct l2r_error *error);

#endif
