/* SPDX-License-Identifier: MIT
 *
 * The results file: JSON lines, one for each finished run, only ever appended to.
 *
 *     {"kind": "run", "id": "…", "data": "…", "table": "table1", "system": "GIN", "set": "BACE", "seed": 0, "metric": "rocauc",
 *      "train": …, "valid": …, "test": …, "best_epoch": …, "epochs": …, "ess": …, "dependence_left": …, "seconds": …,
 *      "cpu_seconds": …, "threads": 1, "parameters": …, "version": "…", "date": "…Z", "run": "runs/…", "more": {…}, "config": {…}}
 *     {"kind": "baselines", "id": …, "data": …, "set": "PROTEINS", …}          once for a data set and split (baselines.h)
 *
 * id: plan.h. data: XXH3 of the graphs and labels themselves. ess and dependence_left: means over the epochs that learned weights,
 * null where none did. seconds: in training, over all resumptions; cpu_seconds: null for a run that was resumed.
 *
 * A line is written with one call and flushed to the disk. A line cut by a kill or a power failure is skipped by the reader and closed by
 * the next writer. One writer at a time holds the lock of the file; readers need none.
 */
#ifndef L2R_RESULTS_RESULTS_H
#define L2R_RESULTS_RESULTS_H

#include "base/json.h"
#include "jobs/plan.h"

struct l2r_results {
    char path[4096];
    json_t **lines;
    size_t n, capacity;
    size_t n_skipped; /* lines that are no JSON object */
    int file;         /* -1: only read */
    bool unfinished;  /* the last line has no end */
};

/* Reads what is there (nothing: an empty list). writing: takes the lock and is refused while another process has it. To be closed
 * also after an error. */
enum l2r_status l2r_results_open(struct l2r_results *results, const char *path, bool writing, struct l2r_error *error);
void l2r_results_close(struct l2r_results *results);
/* Appends to file and list, to the list alone where the file was opened for reading; takes the reference. */
enum l2r_status l2r_results_add(struct l2r_results *results, json_t *line, struct l2r_error *error);

/* The newest line of a planned run whose options were the same. data: its fingerprint, or NULL for any. NULL: there is none. */
const json_t *l2r_results_find(const struct l2r_results *results, const char *kind, const struct l2r_planned *run,
                               const char *data);

/* A number of a line; NaN where there is none. */
double l2r_line_number(const json_t *line, const char *key);
/* The metric of line["more"][part]; NaN where there is none. */
double l2r_line_metric(const json_t *line, const char *part, const char *metric);

#endif
