/* SPDX-License-Identifier: MIT
 *
 * The record of a run, written while it goes: metrics.jsonl, one JSON object a line and epoch, and the same numbers as
 * TensorBoard events. A resumed run continues both after the last epoch that its checkpoint knows.
 */
#ifndef L2R_TRAIN_RECORD_H
#define L2R_TRAIN_RECORD_H

#include "base/json.h"
#include "train/events.h"

#include <stdint.h>
#include <stdio.h>

struct l2r_record {
    FILE *lines;
    int fd; /* the stream's */
    char path[4096];
    struct l2r_events *events;
};

/* epochs_done 0: begins anew; otherwise keeps the lines of epochs 1 .. epochs_done and drops what a killed run wrote
 * after. */
enum l2r_status l2r_record_open(struct l2r_record *record, const char *dir, int64_t epochs_done,
                                struct l2r_error *error);
/* Every number in the object, also one level down ("valid": {"rocauc": …} becomes the curve "valid/rocauc"). */
enum l2r_status l2r_record_epoch(struct l2r_record *record, int64_t epoch, const json_t *line, struct l2r_error *error);
/* Puts everything on the disk: a checkpoint that follows finds its lines there after a power failure. */
enum l2r_status l2r_record_sync(struct l2r_record *record, struct l2r_error *error);
enum l2r_status l2r_record_close(struct l2r_record *record, enum l2r_status status, struct l2r_error *error);

#endif
