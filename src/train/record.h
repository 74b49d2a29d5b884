/* SPDX-License-Identifier: MIT
 *
 * The record of a run, written while it goes: metrics.jsonl, one JSON object a line and epoch, and the same numbers as
 * TensorBoard events. A resumed run continues both after the last epoch that its checkpoint knows.
 */
#ifndef L2R_TRAIN_RECORD_H
#define L2R_TRAIN_RECORD_H

#include "base/json.h"
#include "train/events.h"
#include "train/ownership.h"

#include <stdint.h>
#include <stdio.h>

enum { L2R_RECORD_NOTE = 400 };

struct l2r_record {
    FILE *lines;
    int fd; /* the stream's */
    char path[4096];
    char run[L2R_IDENTITY_TEXT];
    struct l2r_events *events;
};

/* run: its identity, which every line is sealed with (train/ownership.h). epochs_done 0: begins anew; otherwise keeps
 * the lines of epochs 1 .. epochs_done and drops what a killed run wrote after. Lines that are damaged or not the run's
 * are left out: the file as it was is then kept as metrics.jsonl.damaged, and `note` says so; it is "" otherwise. */
enum l2r_status l2r_record_open(struct l2r_record *record, char note[L2R_RECORD_NOTE], const char *dir, const char *run,
                                int64_t epochs_done, struct l2r_error *error);
/* Seals the line and adds it. Every number in the object is a point of a curve, also one level down ("valid":
 * {"rocauc": …} belongs to the curve "valid/rocauc"). */
enum l2r_status l2r_record_epoch(struct l2r_record *record, int64_t epoch, json_t *line, struct l2r_error *error);
/* Puts everything on the disk: a checkpoint that follows finds its lines there after a power failure. */
enum l2r_status l2r_record_sync(struct l2r_record *record, struct l2r_error *error);
enum l2r_status l2r_record_close(struct l2r_record *record, enum l2r_status status, struct l2r_error *error);

#endif
