/* SPDX-License-Identifier: MIT
 *
 * A run on several ranks, which all train the same network on parts of every batch: its start, the sum of gradients,
 * and its traffic.
 *
 * Gradients are summed over the ranks while they are still being computed. Parameters are declared in the order in
 * which the forward pass uses them, so the end of the block is finished first on the way back:
 *
 *     params.grad    [ bucket 0 | bucket 1 | bucket 2 | bucket 3 ]
 *     backward                                 done ◄── under way      bucket 3 is on its way to the other ranks
 *
 * A bucket leaves when the tape has passed the first use of any of its parameters; all ranks send them in the same
 * order, from the last to the first.
 */
#ifndef L2R_FIT_RANKS_H
#define L2R_FIT_RANKS_H

#include "comm/comm.h"
#include "nn/params.h"

#include <jansson.h>

struct l2r_split;
struct l2r_trainer;

/* The data of a run. Rank 0 reads it first and writes the cache that the others map. */
enum l2r_status l2r_ranks_load(struct l2r_dataset **data, const struct l2r_config *config, struct l2r_comm *comm,
                               struct l2r_error *error);

/* Fails on all ranks when one has other graphs or another split. */
enum l2r_status l2r_ranks_agree(struct l2r_comm *comm, const struct l2r_dataset *data, const struct l2r_split *split,
                                struct l2r_error *error);
/* Before the first step: fails on all ranks when one is at another position; then divides the trainer's work. */
enum l2r_status l2r_ranks_join(struct l2r_trainer *trainer, struct l2r_comm *comm, struct l2r_error *error);

/* What the steps of an epoch have sent: bytes and calls per step, and the share of the epoch's time spent in these
 * calls, waiting included. New reference. */
json_t *l2r_ranks_traffic(const struct l2r_comm *comm, const struct l2r_traffic *traffic, int64_t steps,
                          double seconds);

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
