/* SPDX-License-Identifier: MIT
 *
 * The results file: JSON lines, one for each finished run, only ever appended to.
 *
 *     {"kind": "run", "id": "…", "data": "…", "table": "table1", "system": "GIN", "set": "BACE", "seed": 0,
 *      "metric": "rocauc", "train": …, "valid": …, "test": …, "best_epoch": …, "epochs": …, "ess": …,
 *      "dependence_left": …, "seconds": …, "cpu_seconds": …, "threads": 1, "parameters": …, "run": "runs/…",
 *      "more": {…}, "version": "…", "commit": "…", "vector": "avx2", "processor": "…", "date": "…Z", "config": {…}}
 *     {"kind": "baselines", …}          once per data set and split (reproduce/baselines.h)
 *     {"kind": "trial", …}              one run of a study (tune/study.h)
 *
 *     id    XXH3 of the data as the user names it, and of every option that was set (l2r_run_id)
 *     data  XXH3 of the graphs and labels themselves (jobs/shared_data.h)
 *     commit  of the sources that the program was built from, "+changes" if they differed from it; "unknown": built
 *             without git
 *     vector  l2r_vector_width(): runs of different widths differ by rounding, which training multiplies, so a line
 *             counts for one width alone; lines from before it was kept count for all
 *
 * Defaults are no part of the id: a newer version with more options still recognises its finished runs. Instead the
 * resolved config is kept with each line and compared on use, so that a changed default is detected.
 *
 * A line is written with one call and flushed to the disk. A line cut short by a kill or a power failure is skipped
 * by the reader and closed by the next writer. One writer at a time holds the lock of the file; readers need none.
 */
#ifndef L2R_RESULTS_RESULTS_H
#define L2R_RESULTS_RESULTS_H

#include "base/config.h"
#include "base/json.h"

struct l2r_results {
    char path[4096];
    json_t **lines;
    size_t n, capacity;
    size_t n_skipped; /* lines that are not JSON objects */
    char vector[24];  /* the width whose lines count: at first the one in use */
    int file;         /* -1: only read */
    bool unfinished;  /* the last line has no end */
};

/* Reads what is there (no file: an empty list). writing: takes the lock, and fails while another process holds it, or
 * where the file is not one of ours.
 * Close it after an error too. */
enum l2r_status l2r_results_open(struct l2r_results *results, const char *path, bool writing, struct l2r_error *error);
void l2r_results_close(struct l2r_results *results);
/* Appends to file and list, or to the list alone where the file was opened for reading; takes the reference. */
enum l2r_status l2r_results_add(struct l2r_results *results, json_t *line, struct l2r_error *error);

/* For tables of existing results: if no line has the width in use, the width of the newest line is taken. */
void l2r_results_take_width(struct l2r_results *results);

/* The newest line of this kind and id whose options and width were the same. data: its fingerprint, or NULL for any.
 * NULL: none. */
const json_t *l2r_results_find(const struct l2r_results *results, const char *kind, const char *id,
                               const struct l2r_config *config, const char *data);

/* The identity of a run, as 16 hexadecimal digits. */
enum l2r_status l2r_run_id(char id[17], const char *data, const struct l2r_config *config, struct l2r_error *error);
/* Do two resolved configs agree in every option that both have and that changes a number? */
bool l2r_same_options(const json_t *before, const json_t *now, const struct l2r_config *config);

/* A number of a line; NaN where there is none. */
double l2r_line_number(const json_t *line, const char *key);
/* The metric of line["more"][part]; NaN where there is none. */
double l2r_line_metric(const json_t *line, const char *part, const char *metric);

/* The provenance of every new line: "version", "commit", "processor", "date", and "vector" unless the line has its own.
 * 0, or -1 when out of memory, as jansson has it. */
int l2r_line_origin(json_t *line);
extern const char l2r_build_commit[];   /* as in "commit" */
void l2r_processor_name(char out[128]); /* "Intel(R) Xeon(R) …", as Linux has it; elsewhere its widest vectors */

/* For new lines: two means over the epochs that learned weights, from DIR/metrics.jsonl; NaN where none did. */
void l2r_line_weights(double *ess, double *dependence_left, const char *dir);
/* The best test score of all epochs, with --eval-test-epochs; else NaN. It is optimistic: test graphs chose it. */
double l2r_line_best_test(const char *dir, const char *metric);

#endif
