/* SPDX-License-Identifier: MIT
 *
 * Operations of pooling by score: a score per node, and the rows that stay, scaled by their scores' gate.
 */
#ifndef L2R_AUTOGRAD_OP_SELECT_H
#define L2R_AUTOGRAD_OP_SELECT_H

#include "autograd/tape.h"

/* x p / ‖p‖, [N × 1]: x [N × D], p [1 × D]; all scores are 0 for p = 0. */
l2r_node l2r_projection_score(struct l2r_tape *t, l2r_node x, l2r_node p);

/* x_k tanh(score_k) for the rows k in `keep` [n_kept], which rises: x [N × D], score [N × 1]; place [N] is each row's
 * position in `keep`, or -1. Both arrays must live as long as the tape's values. */
l2r_node l2r_gate_rows(struct l2r_tape *t, l2r_node x, l2r_node score, const int32_t *keep, const int32_t *place,
                       int64_t n_kept);

#endif
