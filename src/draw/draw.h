/* SPDX-License-Identifier: MIT
 *
 * Drawings of graphs in which some nodes and edges matter more than others.
 *
 *     struct l2r_drawing  ->  SVG text  ->  PNG
 *     n_rows × n_columns of them  ->  one figure with row and column titles
 *
 * The important subgraph is dark and thick, the rest is thin and faded; importance is the darkness of a node's inside,
 * and its colour the sign where there is one; nodes of a planted motif (ground truth) carry a ring, full for motif 1
 * and dashed for the others. All of it survives a black and white print. With `smiles` the graph is drawn as a
 * molecule (chem/molecule.h), atoms and bonds highlighted; where that is not possible it becomes a plain graph with a
 * note that says why.
 *
 * The picture is a function of the drawing alone: equal drawings, equal bytes. The place of the nodes depends on the
 * edges only, so two explanations of one graph can be compared by eye.
 */
#ifndef L2R_DRAW_DRAW_H
#define L2R_DRAW_DRAW_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero what is not needed; the arrays belong to the caller. Text is UTF-8 and may hold anything: it is escaped. */
struct l2r_drawing {
    int32_t n_nodes;
    bool is_signed; /* importance is in −1..1: what is negative has a colour of its own */
    int64_t n_edges;
    const int32_t *edges;          /* [n_edges × 2]: every undirected edge once; self loops become a small circle */
    const float *node_importance;  /* [n_nodes] in 0..1; NULL: the largest of the node's edges */
    const float *edge_importance;  /* [n_edges] in 0..1; NULL: nothing is shaded */
    const uint8_t *node_chosen;    /* [n_nodes]: in the important subgraph? NULL: the ends of its edges */
    const uint8_t *edge_chosen;    /* [n_edges]; NULL: importance of at least one half */
    const uint8_t *node_mark;      /* [n_nodes]: planted motif of a node, 0: none */
    const char *const *mark_name;  /* [mark - 1] for the legend: {"wheel", "star", NULL}; NULL: "motif 1", … */
    const char *const *node_label; /* [n_nodes]: a few letters in each node; left out where nodes are too small */
    const char *smiles;            /* the same graph as a molecule, atoms in the order of the nodes */
    const char *title, *caption;   /* above and below; a line end breaks the caption */
};

/* Small multiples: drawings row by row; a cell without nodes stays empty. */
struct l2r_drawing_grid {
    int n_rows, n_columns;
    const struct l2r_drawing *cells; /* [n_rows × n_columns] */
    const char *const *row_title;    /* [n_rows] or NULL */
    const char *const *column_title; /* [n_columns] or NULL */
    const char *title, *caption;
};

/* SVG text from l2r_alloc, an <svg> element without XML declaration: a file of its own, or part of an HTML page. */
enum l2r_status l2r_drawing_svg(char **svg, const struct l2r_drawing *drawing, struct l2r_error *error);
enum l2r_status l2r_drawing_grid_svg(char **svg, const struct l2r_drawing_grid *figure, struct l2r_error *error);

/* The process that paints PNG files (painter.c). All zeros means not started; it starts with the first picture, or
 * before threads do. For one thread at a time; stop it at the end. */
struct l2r_painter {
    long process;
    int socket;
};
enum l2r_status l2r_painter_start(struct l2r_painter *painter, struct l2r_error *error);
void l2r_painter_stop(struct l2r_painter *painter);

/* Renders SVG text into a PNG file, `scale` pixels for each unit of the SVG. */
enum l2r_status l2r_svg_write_png(struct l2r_painter *painter, const char *svg, const char *path, double scale,
                                  struct l2r_error *error);

enum { L2R_DRAW_SVG = 1, L2R_DRAW_PNG = 2 }; /* bits of `formats` */

/* Writes STEM.svg and/or STEM.png. */
enum l2r_status l2r_svg_write(struct l2r_painter *painter, const char *svg, const char *stem, unsigned formats,
                              struct l2r_error *error);

/* What the painter does: the PNG from l2r_alloc. */
enum l2r_status l2r_svg_paint(char **png, size_t *length, const char *svg, double scale, struct l2r_error *error);

#endif
