/* SPDX-License-Identifier: MIT
 *
 * One graph of a model's own data looked at closely, for models that read no molecules.
 *
 *     POST /api/graph   {"model": "proteins", "graph": 17, "output": 0, "explainer": "occlusion"}
 *                       its part, labels and prediction, a drawing that is shaded by what the prediction rests on, and
 *                       by how much each node and edge moves the answer, with a sign
 *
 * The data is that of the run, where it can still be read. Of an ensemble the first model is explained.
 */
#ifndef L2R_SERVE_GRAPHS_H
#define L2R_SERVE_GRAPHS_H

#include "base/json.h"
#include "serve/models.h"

/* New reference. */
enum l2r_status l2r_explain_graph(json_t **answer, struct l2r_shelf *shelf, const char *body, size_t length,
                                  struct l2r_error *error);

/* The labels of a graph by the names of their tasks: words where the data has them. New reference. */
json_t *l2r_graph_labels(const struct l2r_dataset *data, int64_t graph);

#endif
