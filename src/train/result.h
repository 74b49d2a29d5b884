/* SPDX-License-Identifier: MIT
 *
 * The outcome of a run (struct l2r_result in run.h): made once, at the end, with the parameters of the best epoch, and
 * kept in result.json.
 */
#ifndef L2R_TRAIN_RESULT_H
#define L2R_TRAIN_RESULT_H

#include "model/committee.h"
#include "model/model_file.h"
#include "train/head_choice.h"
#include "train/run.h"
#include "train/trainer.h"

/* Scores the model on parts: those whose bit 1 << L2R_PART_* is set. speeds [n]: graphs per second of each epoch. */
enum l2r_status l2r_result_make(struct l2r_result *result, struct l2r_trainer *trainer,
                                const struct l2r_committee *model, unsigned parts, double *speeds, int64_t n,
                                struct l2r_error *error);
/* Where the split validates in and out of distribution: what the choice of either part scores, as
 * more.selections = {"id-valid": {"best_epoch", "valid", "test", "id-valid", "id-test"}, "ood-valid": {…}}. best,
 * other: the models that the selecting part and the other one have chosen; the network holds `best` before and
 * afterwards. */
enum l2r_status l2r_result_select(struct l2r_result *result, struct l2r_trainer *trainer,
                                  const struct l2r_snapshot *best, const struct l2r_snapshot *other,
                                  struct l2r_error *error);
/* Adds what the method has to say about the run, and what became of its head. */
void l2r_result_conclude(struct l2r_result *result, const struct l2r_trainer *trainer,
                         const struct l2r_head_choice *head);
/* The file is the last of a run: it holds the run's identity, the checksum of its model and those of its other files
 * (train/ownership.h), and is sealed. */
enum l2r_status l2r_result_write(const struct l2r_result *result, const char *path, const char *dir, const char *run,
                                 const char *model, struct l2r_error *error);
/* L2R_ERR_FORMAT: the file is damaged, or not as the run wrote it. about, if not NULL, receives the whole object. */
enum l2r_status l2r_result_read(struct l2r_result *result, json_t **about, const char *path, struct l2r_error *error);
/* Is this the content of a result.json as a run wrote it? */
enum l2r_status l2r_result_check(const json_t *object, const char *path, struct l2r_error *error);

/* As in result.json, without what ties it to its folder. New reference; NULL: out of memory. */
json_t *l2r_result_to_json(const struct l2r_result *result);

#endif
