/* SPDX-License-Identifier: MIT
 *
 * A table or figure as data: which systems run on which data sets, with which seeds and options. One file each in
 * share/reproduce, compiled into the program; a user's own file has the same form.
 *
 *     {"name": "table1", "title": "…", "note": "…",
 *      "seeds": 10,                                         seeds 0 .. 9
 *      "options": {"hidden": 64, "epochs": 50},             of `l2r train`, for all runs
 *      "rows": [{"label": "L2R-GNN", "model": "gin", "method": "l2r",
 *                "backbone": "GIN",                         the row it is compared with, seed by seed
 *                "control": true,                           is never marked as the best
 *                "columns": ["BACE"],                       only on these
 *                "reads": "controls.ones",                  its scores stand in the record of its run's head
 *                                                           (fit/head_choice.h), not at its end
 *                "where": {"ess": 0.6, "penalty": 0.01},    of a list there, the entry with these numbers
 *                "cost": 1.6,                               time of an epoch, of GIN's: for the first estimate
 *                "options": {"scope": "epoch"}, "at": {"HIV": {"scope": "batch"}},
 *                "paper": {"BACE": [81.9, 1.0]}}],          published mean and sd, or the mean alone
 *      "columns": [{"label": "BACE", "data": "ogb/bace",    below --data-root, or a generator; {seed} is the run's seed
 *                   "seeds": 3,                             only the first three
 *                   "baselines": true,                      constant class and size threshold
 *                   "options": {"epochs": 20}}],
 *      "figure": {"chart": "lines", …},                     what is drawn, and where (placement.h)
 *      "needs_folders": true,                               a run counts only while its folder is kept
 *      "quick": {"seeds": …, "options": …, "columns": …}}   what --quick replaces (options: one by one)
 *
 * A spec is untrusted data: its texts are one line each (except in figures), its name is a valid file name, and texts
 * are quoted for the format they are written to (gnuplot, TeX, CSV, Markdown).
 *
 * Options of a run, the later ones winning: the file's, the column's, the row's, the row's at this column, typed ones.
 */
#ifndef L2R_REPRODUCE_SPEC_H
#define L2R_REPRODUCE_SPEC_H

#include "base/json.h"

#include <stdbool.h>
#include <stdint.h>

struct l2r_spec_row {
    const char *label, *model, *method;
    const char *backbone; /* label of another row; or NULL */
    const char *reads;    /* "trained"; or NULL */
    const json_t *where;  /* an object or NULL */
    bool control;
    double cost;
    const json_t *options, *at, *paper; /* objects or NULL */
    const json_t *columns;              /* a list of labels; NULL: all */
    const json_t *figure;               /* an object or a list of them (figure.h), or NULL */
};

struct l2r_spec_column {
    const char *label, *data;
    int64_t seeds; /* at most so many; 0: all */
    bool baselines;
    const json_t *options, *figure;
};

struct l2r_spec {
    json_t *root; /* what the texts point into */
    const char *name, *title, *note;
    int64_t seeds;
    bool needs_folders, quick;
    const json_t *options, *quick_options;
    const json_t *figure; /* NULL: only a table */
    struct l2r_spec_row *rows;
    struct l2r_spec_column *columns;
    size_t n_rows, n_columns;
};

/* `where` names the text in errors. A spec is to be cleared also after an error. */
enum l2r_status l2r_spec_parse(struct l2r_spec *spec, const char *text, size_t length, const char *where, bool quick,
                               struct l2r_error *error);
/* By name, or from a file when the name ends in ".json". */
enum l2r_status l2r_spec_load(struct l2r_spec *spec, const char *name, bool quick, struct l2r_error *error);
void l2r_spec_clear(struct l2r_spec *spec);

/* The number of the row or column with this label; -1: none. */
int l2r_spec_row_find(const struct l2r_spec *spec, const char *label);
int l2r_spec_column_find(const struct l2r_spec *spec, const char *label);

/* Does the row run on that column? */
bool l2r_spec_row_runs_on(const struct l2r_spec_row *row, const struct l2r_spec_column *column);
/* The scores of a row in a line of results: the line itself, or the path in "reads"; NULL: not found, or ambiguous. */
const json_t *l2r_spec_scores(const struct l2r_spec_row *row, const json_t *line);

/* The files that were compiled in, by name; ends with a zero row. */
struct l2r_spec_text {
    const char *name;
    const unsigned char *text;
    size_t length;
};
extern const struct l2r_spec_text l2r_spec_texts[];

#endif
