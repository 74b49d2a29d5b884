/* SPDX-License-Identifier: MIT
 *
 * What a picture is made of: one graph in a box, one molecule in a box, and the legend that explains both.
 *
 *     struct l2r_drawing (draw.h)  ->  shade: checked, and every default filled in
 *                                  ->  panel: the drawing in its box        (grid.c puts panels side by side)
 *                                  ->  legend: only the signs that some panel uses
 */
#ifndef L2R_DRAW_PANEL_H
#define L2R_DRAW_PANEL_H

#include "chem/molecule.h"
#include "draw/draw.h"
#include "draw/svg.h"

/* ---- shade: how strongly each node and edge is shown, given by the drawing or derived from what it gives ---- */

struct l2r_shade {
    float *node, *edge;                 /* importance in 0..1 */
    uint8_t *node_chosen, *edge_chosen; /* in the important subgraph? */
    bool any;                           /* false: nothing is shaded, all is drawn alike */
};

/* Checks the drawing first: edges within the nodes, importance within 0..1. Clear it also after a failure. */
enum l2r_status l2r_shade_init(struct l2r_shade *shade, const struct l2r_drawing *drawing, struct l2r_error *error);
void l2r_shade_clear(struct l2r_shade *shade);

/* ---- panels ---- */

/* Nodes and lines. */
enum l2r_status l2r_panel_graph(struct l2r_text *svg, const struct l2r_drawing *drawing, const struct l2r_shade *shade,
                                struct l2r_box box, struct l2r_error *error);

/* Atoms and bonds. drawing->edges must be the molecule's bonds (l2r_molecule_matches). */
enum l2r_status l2r_panel_molecule(struct l2r_text *svg, const struct l2r_drawing *drawing,
                                   const struct l2r_shade *shade, const struct l2r_molecule *molecule,
                                   struct l2r_box box, struct l2r_error *error);

enum { L2R_LEGEND_MARKS = 8 };

/* Which signs a figure uses. */
struct l2r_legend {
    bool graphs, molecules, shades, signs;
    bool mark[L2R_LEGEND_MARKS + 1]; /* by mark, 1 and up; all beyond count as the last */
    const char *mark_name[L2R_LEGEND_MARKS + 1];
};

void l2r_legend_add(struct l2r_legend *legend, const struct l2r_drawing *drawing, bool shaded, bool as_molecule);
/* Draws the legend in lines of `width` from y downwards when svg is not NULL. Returns its height; 0: nothing to
 * explain. */
double l2r_legend_draw(struct l2r_text *svg, const struct l2r_legend *legend, double x, double y, double width);

/* The ring around a node of a planted motif. */
void l2r_panel_ring(struct l2r_text *svg, double x, double y, double radius, int mark);

#endif
