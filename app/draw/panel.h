/* SPDX-License-Identifier: MIT
 *
 * What figures are made of: one graph in a box, one molecule in a box, and the legend that explains both.
 */
#ifndef L2R_DRAW_PANEL_H
#define L2R_DRAW_PANEL_H

#include "chem/molecule.h"
#include "draw/shade.h"
#include "draw/svg.h"

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
    bool graphs, molecules, shades;
    bool mark[L2R_LEGEND_MARKS + 1]; /* by mark, 1 and up; all beyond count as the last */
    const char *mark_name[L2R_LEGEND_MARKS + 1];
};

void l2r_legend_see(struct l2r_legend *legend, const struct l2r_drawing *drawing, bool shaded, bool as_molecule);
/* Draws the legend in lines of `width` from y downwards when svg is not NULL. Returns its height; 0: nothing to
 * explain. */
double l2r_legend_draw(struct l2r_text *svg, const struct l2r_legend *legend, double x, double y, double width);

/* The ring around a node of a planted motif. */
void l2r_panel_ring(struct l2r_text *svg, double x, double y, double radius, int mark);

#endif
