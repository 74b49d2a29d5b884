/* SPDX-License-Identifier: MIT
 *
 * The sum of the gradients over all ranks, while they are still being made. Parameters are declared in the order in
 * which the forward pass uses them, and so the end of the block is finished first on the way back:
 *
 *     params.grad    [ bucket 0 | bucket 1 | bucket 2 | bucket 3 ]
 *     backward                                 done ◄── under way      bucket 3 is on its way to the other ranks
 *
 * A bucket leaves when the tape has passed the first use of any of its parameters; ranks send them in the same order,
 * from the last to the first.
 */
#ifndef L2R_TRAIN_GRADIENTS_H
#define L2R_TRAIN_GRADIENTS_H

#include "nn/params.h"

enum { L2R_BUCKETS = 8, L2R_BUCKET_BYTES = 1 << 18 /* at least, if there are several */ };

struct l2r_gradients {
    struct l2r_comm *comm; /* NULL: alone, nothing is done */
    struct l2r_params *params;
    int n;                          /* buckets */
    int64_t start[L2R_BUCKETS + 1]; /* bucket k is params.grad[start[k] .. start[k+1]] */
    int32_t first_use[L2R_BUCKETS]; /* on this tape */
    int left;                       /* buckets that have not left: 0 .. left-1 */
};

void l2r_gradients_init(struct l2r_gradients *g, struct l2r_comm *comm, struct l2r_params *params);
/* Before the way back over a tape that is complete; afterwards finish waits for all sums. */
void l2r_gradients_begin(struct l2r_gradients *g, struct l2r_tape *tape);
void l2r_gradients_finish(struct l2r_gradients *g, struct l2r_tape *tape);

#endif
