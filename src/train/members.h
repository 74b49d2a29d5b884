/* SPDX-License-Identifier: MIT
 *
 * The other members of a committee, each a run of its own beside the first (--members):
 *
 *     DIR/                    the run of the first member, whose model file holds the models of all
 *     DIR/members/2-boost/    the run of the second, and so on
 *
 *     --members 5                     five of --model, with other seeds
 *     --members gin,boost,forest      these models; --model is the first
 *     --members gin,boost:depth=4     with an option of one's own; a comma in a value is written "+"
 *
 * What the user has set for the run holds for every member that has the option; the rest is each model's default.
 * Members share data and split, and train side by side, a thread each, while the caller's thread delivers their events
 * (train/relay.h). A run that was stopped goes on with those that were under way. The model file of the run is written
 * when all are done.
 */
#ifndef L2R_TRAIN_MEMBERS_H
#define L2R_TRAIN_MEMBERS_H

#include "nn/network.h"
#include "train/epochs.h"

/* Before anything is trained: can there be such a committee? */
enum l2r_status l2r_members_check(const struct l2r_run *plan, struct l2r_error *error);
/* Trains those that are not trained yet and adds them to the run's model. */
enum l2r_status l2r_members_join(struct l2r_run_state *run, const struct l2r_run *plan, struct l2r_error *error);
/* After --refit (train/final_fit.h): adds the models that were refitted to the run's model. */
enum l2r_status l2r_members_join_refitted(struct l2r_run_state *run, const struct l2r_run *plan,
                                          struct l2r_error *error);

#endif
