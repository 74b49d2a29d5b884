/* SPDX-License-Identifier: MIT
 *
 * The loop over epochs, of a run that run.c has begun:
 *
 *     for each epoch    batches, one trainer step each; whoever watches may ask to stop between two of them
 *                       the averages of the parameters take their place (train/averaging.h)
 *                           score validation, keep a snapshot if it is the best so far; where there are two
 *                           validation parts, also of the best by the one that does not select
 *                       the parameters come back; schedule, record, checkpoint
 *
 * A checkpoint is written at the end of an epoch when the last one is old, at a stop, and at the end.
 */
#ifndef L2R_TRAIN_EPOCHS_H
#define L2R_TRAIN_EPOCHS_H

#include "model/trained.h"
#include "train/folder.h"
#include "train/record.h"
#include "train/run.h"
#include "train/trainer.h"

struct l2r_run_state {
    struct l2r_trainer trainer;
    struct l2r_record record;
    struct l2r_snapshot best, other; /* by the validation part that selects, and by the other one */
    const struct l2r_callbacks *watch;
    struct l2r_comm *comm; /* NULL: alone */
    struct l2r_folder folder;
    struct l2r_trained *trained; /* the model, when the epochs are over */
    char best_checksum[L2R_CHECKSUM_TEXT];
    char chosen_checksum[L2R_CHECKSUM_TEXT]; /* of the model that validation chose before a refit; "": there is none */
    bool there;                              /* the folder held a checkpoint */
    bool last_is_sound;                      /* so that it may take the place of the one before */
    double started, saved_at, epoch_started, seconds_before;
    int64_t epochs_before; /* epochs done before this process */
    double *speeds;        /* [epochs]: graphs a second, of this process's epochs */
    int64_t n_speeds;
    struct l2r_traffic epoch_traffic; /* of the epoch's steps */
};

/* Rank 0 of a run with a folder; a run without one keeps everything in memory. */
bool l2r_run_writes(const struct l2r_run_state *run);
/* From where trainer.at stands to the last epoch, or to the one where patience ends. */
enum l2r_status l2r_run_epochs(struct l2r_run_state *run, struct l2r_error *error);
/* The network as it stands becomes the model: its first and only member, with what the method learned. */
enum l2r_status l2r_run_take_model(struct l2r_run_state *run, struct l2r_error *error);
/* Writes it. */
enum l2r_status l2r_run_save_model(struct l2r_run_state *run, struct l2r_error *error);
/* Writes the checkpoint as the trainer stands. */
enum l2r_status l2r_run_save_last(struct l2r_run_state *run, struct l2r_error *error);
/* After divergence: the best model from before it is saved, on all ranks in the same step. */
void l2r_run_keep_good(struct l2r_run_state *run);

#endif
