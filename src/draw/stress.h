/* SPDX-License-Identifier: MIT
 *
 * Stress: how far the distances in a picture are from the lengths of the shortest paths, in relation to these.
 *
 *     stress(x) = Σ over pairs i < j  w_ij (|x_i − x_j| − d_ij)²        w_ij = d_ij⁻²
 *
 * It is lowered by majorisation (Gansner, Koren and North, 2004), node by node: each moves to the mean of the positions
 * that the other nodes pull it to. Above L2R_STRESS_FULL nodes the pairs are those of a node with its neighbours and
 * with anchors, each of which stands for the nodes that are nearest to it (Ortmann, Klimenta and Brandes, 2016).
 */
#ifndef L2R_DRAW_STRESS_H
#define L2R_DRAW_STRESS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { L2R_STRESS_FULL = 1000, L2R_STRESS_EDGE = 4 /* units in an edge */ };

/* One connected component of n ≥ 2 nodes. */
struct l2r_stress {
    int32_t n, n_anchors;
    int32_t *anchor;    /* [n_anchors]: each as far as possible from those before it */
    int32_t *path;      /* [n × n_anchors]: length of the shortest path, in units */
    double *share;      /* [n_anchors]: nodes that an anchor stands for */
    double *weight;     /* [longest path + 1]: d⁻² */
    int64_t *start;     /* [n + 1]: of a node's neighbours */
    int32_t *neighbour; /* [start[n]] */
    int32_t *length;    /* [start[n]]: of the edge to it, in units (spokes.c) */
};

/* edges [n_edges × 2], without self loops. Clear it also after a failure. */
enum l2r_status l2r_stress_init(struct l2r_stress *stress, int32_t n, const int32_t *edges, int64_t n_edges,
                                struct l2r_error *error);
void l2r_stress_clear(struct l2r_stress *stress);

/* Fills `length`; mark [n] is zero before. */
void l2r_stress_find_lengths(struct l2r_stress *stress, int32_t *mark);

/* Lowers the stress of xy [n × 2] until no node moves further than `tolerance` edges, or for `most` rounds. Nodes that
 * are nearer than `room` edges but should not be push each other away. */
void l2r_stress_lower(double *xy, const struct l2r_stress *stress, double room, double tolerance, int most);

/* Divided by the number of pairs, at the scale that suits xy best: 0 is perfect. */
double l2r_stress_of(const double *xy, const struct l2r_stress *stress);
void l2r_stress_rescale(double *xy, const struct l2r_stress *stress); /* to that scale */

#endif
