/* SPDX-License-Identifier: MIT
 *
 * A trained model as an ONNX graph (operator set 18), for programs that have no l2r. Its inputs are flat arrays of all
 * graphs of a batch:
 *
 *     node_features  int64 [nodes × columns]    categories, as the model numbers them; where it reads some
 *     node_reals     float [nodes × columns]    real attributes; where it reads some
 *     edge_index     int64 [2 × arcs]           from, to; each edge as two arcs that follow one another, no self loops
 *     edge_features  int64 [arcs × columns], edge_reals float [arcs × columns]
 *     graph_index    int64 [nodes]              the graph of each node, 0, 0, 1, …; every graph has a node
 *
 *     prediction     float [graphs × outputs]   probabilities, or values in the targets' units: the mean of the members
 *
 * gin, gcn, sgc, jknet, gat and dmpnn can be written, with the readouts mean, sum, scaled and max.
 */
#ifndef L2R_MODEL_ONNX_H
#define L2R_MODEL_ONNX_H

#include "model/trained.h"

/* The bytes of the file, to be freed with l2r_free: of a committee, the mean of its members. where: the model's name in
 * errors. L2R_ERR_ARGUMENT says what cannot be written. */
enum l2r_status l2r_onnx_pack(char **bytes, size_t *length, const struct l2r_trained *trained, const char *where,
                              struct l2r_error *error);

#endif
