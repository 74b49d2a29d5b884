/* SPDX-License-Identifier: MIT
 *
 * Checkpoints of chemprop 2 as members of a model of ours. The network is the same D-MPNN (src/models/dmpnn.c), with
 * other features: chemprop multiplies one-hot vectors and the mass of an atom by W_i and W_o, which becomes a table for
 * each of our columns, one row for each category.
 *
 *     W_i [v ‖ e]          node_embedding.K, edge_embedding.K       W_h        message
 *     W_o [v ‖ m]          self_embedding.K, neighbours             ffn        head
 *     batch norm, norm of the aggregation                           folded into the head's first layer
 *     output_transform     target scale of the signature
 *
 * Read are bond message passing, aggregation by mean, sum or norm, and the predictors of regression, binary and
 * multi-class classification. Everything else is refused with a sentence that names it.
 */
#ifndef L2R_MODEL_CHEMPROP_H
#define L2R_MODEL_CHEMPROP_H

#include "model/trained.h"

/* From the bytes of a .pt or .ckpt; `where` names it in errors. */
enum l2r_status l2r_chemprop_read(struct l2r_member **member, const void *bytes, size_t length, const char *where,
                                  struct l2r_error *error);

#endif
