/* SPDX-License-Identifier: MIT
 *
 * What a run did, beside its model and scores: the epochs of all its fits, its options and its split. A run in memory
 * gives it to its caller; in a folder it is metrics.jsonl, fits.jsonl, config.json and split.json.
 *
 * The epochs are lines, as files have them, and curves: every number of a line is a point of one, also one level down
 * ("valid": {"rocauc": …} belongs to "valid/rocauc", of another fit than the first member's to
 * "2-forest/valid/rocauc").
 */
#ifndef L2R_RECIPE_HISTORY_H
#define L2R_RECIPE_HISTORY_H

#include "base/json.h"
#include "data/splits/split.h"

struct l2r_curve {
    char *name;
    double *values; /* [n], NaN where a line lacks it */
    int64_t n;
};

struct l2r_history {
    json_t *lines; /* array of objects; those of other fits than the first member's have "fit"; NULL: empty */
    struct l2r_curve *curves;
    int32_t n_curves;
};

/* A copy of the line is kept. fit: NULL: the first member's. */
enum l2r_status l2r_history_add(struct l2r_history *history, const char *fit, const json_t *line,
                                struct l2r_error *error);
/* Makes the curves, when all lines are there. */
enum l2r_status l2r_history_finish(struct l2r_history *history, struct l2r_error *error);
void l2r_history_clear(struct l2r_history *history);
/* NULL: there is none of that name. */
const struct l2r_curve *l2r_history_curve(const struct l2r_history *history, const char *name);

#endif
