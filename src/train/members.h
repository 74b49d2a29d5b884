/* SPDX-License-Identifier: MIT
 *
 * The other members of a committee, each a run of its own beside the first (--members), or models that the run has
 * passed on its way (--snapshots):
 *
 *     DIR/                    the run of the first member, whose model file holds the models of all
 *     DIR/members/2-boost/    the run of the second, and so on
 *     DIR/members/cycle-1.safetensors     or: the best model of the first cycle
 *
 *     --members 5                     five of --model, with other seeds
 *     --members gin,boost,forest      these models; --model is the first
 *     --members gin,boost:depth=4     with an option of one's own; a comma in a value is written "+"
 *
 *     --snapshots 5                   the epochs are five cycles (train/phases.h), in each of which the learning rate
 *                                     comes down; the best model of each is a member (Huang et al. 2017)
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

struct l2r_members {
    int32_t n;
    struct l2r_member *items;         /* [n]: what the network points to */
    struct l2r_predictor **predictor; /* [n]: who owns the networks */
    char **bytes;                     /* [n]: their files */
};

/* Is the run its only member? */
enum l2r_status l2r_members_alone(bool *alone, const struct l2r_config *config, struct l2r_error *error);
/* Before anything is trained: can there be such a committee? */
enum l2r_status l2r_members_check(const struct l2r_run *plan, struct l2r_error *error);
/* At the end of a cycle: the best model of it, to be a member; nothing without --snapshots. Whoever resumes before the
 * next checkpoint writes the same file again. */
enum l2r_status l2r_members_keep(const struct l2r_run_state *run, struct l2r_error *error);
/* Trains those that are not trained yet and lets the run's network answer with them from now on. */
enum l2r_status l2r_members_join(struct l2r_members *members, struct l2r_run_state *run, const struct l2r_run *plan,
                                 const struct l2r_dataset *data, const struct l2r_split *split,
                                 struct l2r_error *error);
/* After --refit (train/final_fit.h): the models that were fitted again take the places of those that were chosen. */
enum l2r_status l2r_members_exchange(struct l2r_members *members, struct l2r_run_state *run, const struct l2r_run *plan,
                                     struct l2r_error *error);
void l2r_members_clear(struct l2r_members *members);

#endif
