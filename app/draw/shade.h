/* SPDX-License-Identifier: MIT
 *
 * How strongly each node and edge of a drawing is shown: the drawing's own arrays, or what follows from them.
 */
#ifndef L2R_DRAW_SHADE_H
#define L2R_DRAW_SHADE_H

#include "draw/draw.h"

struct l2r_shade {
    float *node, *edge;                 /* importance in 0..1 */
    uint8_t *node_chosen, *edge_chosen; /* in the important subgraph? */
    bool any;                           /* false: nothing is shaded, all is drawn alike */
};

/* Checks the drawing first: edges within the nodes, importance within 0..1. Clear it also after a failure. */
enum l2r_status l2r_shade_init(struct l2r_shade *shade, const struct l2r_drawing *drawing, struct l2r_error *error);
void l2r_shade_clear(struct l2r_shade *shade);

#endif
