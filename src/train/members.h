/* SPDX-License-Identifier: MIT
 *
 * The other members of a committee (--members), each a run of its own beside the first:
 *
 *     DIR/                    the run of the first member, whose model file holds the models of all
 *     DIR/members/2-boost/    the run of the second, and so on
 *
 *     --members 5                     five of --model, with other seeds
 *     --members gin,boost,forest      these models; --model is the first
 *     --members gin,boost:depth=4     with an option of one's own; a comma in a value is written "+"
 *
 * What the user has set for the run holds for every member that has the option; the rest is each model's default.
 * Members share data and split. A run that was stopped goes on with the member that was under way.
 */
#ifndef L2R_TRAIN_MEMBERS_H
#define L2R_TRAIN_MEMBERS_H

#include "nn/network.h"
#include "train/epochs.h"

struct l2r_members {
    int32_t n;
    struct l2r_member *items;         /* [n]: what the network points to */
    struct l2r_predictor **predictor; /* [n]: who owns the networks */
    char **bytes;                     /* [n]: their files */
};

/* Trains those that are not trained yet and lets the run's network answer with them from now on. */
enum l2r_status l2r_members_join(struct l2r_members *members, struct l2r_run_state *run, const struct l2r_run *plan,
                                 const struct l2r_dataset *data, const struct l2r_split *split,
                                 struct l2r_error *error);
void l2r_members_clear(struct l2r_members *members);

#endif
