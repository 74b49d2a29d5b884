/* SPDX-License-Identifier: MIT
 *
 * The record of a run, written while it goes: a JSON object for each epoch, and the same numbers as TensorBoard events.
 *
 *     metrics.jsonl   the epochs of the first member's fit
 *     fits.jsonl      those of other members and of refits: each line has its "fit"
 *
 * A run that is resumed writes both again, from the histories in its checkpoints.
 */
#ifndef L2R_STORE_RECORD_H
#define L2R_STORE_RECORD_H

#include "base/json.h"
#include "store/events.h"
#include "store/ownership.h"

#include <stdio.h>

struct l2r_lines {
    FILE *stream;
    int fd;
    char path[4096];
};

struct l2r_record {
    struct l2r_lines main, others;
    char run[L2R_IDENTITY_TEXT];
    char fit[96]; /* whose epochs are those of the run */
    struct l2r_events *events;
};

/* run: its identity, which every line is sealed with (store/ownership.h). fit: the first member's. */
enum l2r_status l2r_record_open(struct l2r_record *record, const char *dir, const char *run, const char *fit,
                                struct l2r_error *error);
/* Adds a line, sealed. Every number in the object is a point of a curve, also one level down ("valid": {"rocauc": …}
 * belongs to the curve "valid/rocauc", of another fit to "2-forest/valid/rocauc"). */
enum l2r_status l2r_record_epoch(struct l2r_record *record, const char *fit, const json_t *line,
                                 struct l2r_error *error);
/* Puts everything on the disk, and closes; after a failure, with its status, it only closes. */
enum l2r_status l2r_record_close(struct l2r_record *record, enum l2r_status status, struct l2r_error *error);

#endif
