/* SPDX-License-Identifier: MIT
 *
 * Explanations as files:
 *
 *     DIR/explanations.json   settings, mean scores, and for every graph its target, its scores and all importances
 *     DIR/edges.csv           graph,u,v,importance,important         nodes counted from 0 within the graph
 *     DIR/nodes.csv           graph,node,importance,mark             mark: planted motif, empty where the data has none
 *
 * and as a table of means over groups of graphs.
 */
#ifndef L2R_EXPLAIN_EXPORT_H
#define L2R_EXPLAIN_EXPORT_H

#include "explain/explainer.h"

/* What the explanations are of; the head of explanations.json. */
struct l2r_explained {
    const char *run, *data_name;
    const struct l2r_network *network;
    const struct l2r_dataset *data; /* as it was loaded */
    const struct l2r_explain_settings *settings;
    const struct l2r_explanation *explanations; /* [n] */
    int64_t n;
};

/* The scores of a summary, in this order; ends with NULL. */
extern const char *const l2r_explanation_score_names[];
double l2r_explanation_score(const struct l2r_explanation *e, int score);

/* [{"graphs": "all", "n": 100, "p": 0.97, "fidelity_plus": …}, {"graphs": "class 0", …}]: means over the graphs for
 * which a score is defined; one row a class of the label where there are several. New reference; NULL: out of
 * memory. */
json_t *l2r_explanations_summary(const struct l2r_explained *all);

/* Writes the three files; the folder must be there. */
enum l2r_status l2r_explanations_write(const struct l2r_explained *all, const char *dir, struct l2r_error *error);

#endif
