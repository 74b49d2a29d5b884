/* SPDX-License-Identifier: MIT
 *
 * A table made from results: for each system and data set mean ± sd over the seeds, beside the paper's value, and the
 * difference from the system's backbone seed by seed. Written as Markdown, CSV (one line per cell) and LaTeX.
 */
#ifndef L2R_REPRODUCE_TABLE_H
#define L2R_REPRODUCE_TABLE_H

#include "metrics/statistics.h"
#include "reproduce/baselines.h"
#include "reproduce/plan.h"
#include "results/results.h"

#include <stdio.h>

/* Scores are in per cent, errors (rmse, mae) in their own units. */
struct l2r_cell {
    int64_t n, n_planned; /* seeds that are done, and that are asked for */
    double mean, sd, valid;
    double balanced, balanced_sd;   /* balanced accuracy of the test graphs; NaN: not of this task */
    double worst, worst_sd;         /* accuracy of the worst group (class × environment) in test; NaN: none */
    double best_test, best_test_sd; /* at the epoch best on test, with --eval-test-epochs: optimistic; NaN: unknown */
    double by_id, by_id_sd;         /* test score at the epoch that id-valid chose; NaN: no such part */
    double by_ood, by_ood_sd;       /* at the one that valid, out of distribution, chose; NaN: as above */
    double ess, dependence_left;    /* means over the seeds; NaN: no weights were learned */
    double seconds;                 /* mean over the runs */
    int64_t parameters;
    double paper, paper_sd; /* NaN: the paper has none */
    bool best;
    struct l2r_interval gain; /* over the backbone, on the seeds that both have; n 0: none */
    double gain_in_sd;        /* in standard deviations of the backbone's scores on these seeds */
};

struct l2r_table {
    const struct l2r_spec *spec;
    const char *set;        /* options that were typed; or NULL */
    struct l2r_cell *cells; /* [n_rows × n_columns] */
    bool *row_shown, *column_shown;
    char (*metric)[32];              /* [n_columns]; "": no run yet */
    struct l2r_baselines *baselines; /* [n_columns] */
    bool *has_baselines;
    size_t n_done, n_planned;
    double seconds;           /* of all its runs together */
    char first[16], last[16]; /* days of the runs */
    char version[32];
    char vector[24]; /* of the newest line that names one */
};

/* Clear it after an error too. */
enum l2r_status l2r_table_make(struct l2r_table *table, const struct l2r_plan *plan, const struct l2r_results *results,
                               struct l2r_error *error);
void l2r_table_clear(struct l2r_table *table);

/* Per cent for scores, 1 for errors; decimals to be shown. */
double l2r_table_scale(const char *metric);
int l2r_table_digits(const char *metric);

void l2r_table_markdown(FILE *out, const struct l2r_table *table);
void l2r_table_csv(FILE *out, const struct l2r_table *table);
void l2r_table_latex(FILE *out, const struct l2r_table *table);
/* The first lines of the Markdown. */
void l2r_table_title(FILE *out, const struct l2r_spec *spec);
/* Before anything is computed: is there a file of one of the names below that is no table of this kind? */
enum l2r_status l2r_table_refuse(const struct l2r_spec *spec, const char *dir, struct l2r_error *error);
/* DIR/NAME.md, .csv and .tex. */
enum l2r_status l2r_table_write(const struct l2r_table *table, const char *dir, struct l2r_error *error);

#endif
