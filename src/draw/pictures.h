/* SPDX-License-Identifier: MIT
 *
 * From explanations to drawings: the important nodes and edges, with the scores as text around them.
 *
 *     explanation + data + model  ->  struct l2r_picture (a drawing and its texts)  ->  DIR/graph-17.svg, .png
 */
#ifndef L2R_DRAW_PICTURES_H
#define L2R_DRAW_PICTURES_H

#include "draw/draw.h"
#include "explain/explainer.h"

struct l2r_picture {
    struct l2r_drawing drawing;
    char title[320], caption[400];
    const char *mark_name[3]; /* of the planted motifs, where their shape is one of the motif task's; NULL at the end */
    char (*text)[8];          /* [n_nodes]: node labels */
    const char **label;       /* [n_nodes]: pointers to them */
    float *node, *edge;       /* [n_nodes], [n_edges]: what is shaded, with signs; NULL: importance as it is */
};

/* What is common to the explanations of one model on one data set. */
struct l2r_picture_source {
    const struct l2r_dataset *data;
    struct l2r_predictor *predictor;
    const char *where; /* the data as the user named it, where SMILES may be; NULL: not looked for */
};

/* smiles may be NULL. The picture points into the explanation and the SMILES. Clear it also after a failure. */
enum l2r_status l2r_picture_init(struct l2r_picture *picture, const struct l2r_picture_source *source,
                                 const struct l2r_explanation *explanation, const char *smiles,
                                 struct l2r_error *error);
/* Labels for the nodes of a graph: atoms by their element, other single categories by the source's integer, else
 * none. */
enum l2r_status l2r_picture_label(struct l2r_picture *picture, const struct l2r_dataset *data, int32_t graph,
                                  struct l2r_error *error);
void l2r_picture_clear(struct l2r_picture *picture);

/* DIR/graph-N.svg and/or .png (L2R_DRAW_* bits) for each of n explanations, on all threads. The folder exists. */
enum l2r_status l2r_pictures_write(const char *dir, const struct l2r_picture_source *source,
                                   struct l2r_explanation *const *explanations, int64_t n, unsigned formats,
                                   struct l2r_error *error);

/* ends [n_edges × 2]: every undirected edge of a graph once. Returns their number. */
int64_t l2r_picture_edges(int32_t *ends, const struct l2r_dataset *data, int32_t graph);

/* The shape of the nodes with this mark and the edges between them: "star", "circle", "grid", "diamond", "wheel" as
 * in the motif task, "motif" for anything else; NULL: no node has it. */
const char *l2r_motif_shape(const uint8_t *node_mark, int64_t n_nodes, const int32_t *ends, int64_t n_edges, int mark);

#endif
