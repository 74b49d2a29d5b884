/* SPDX-License-Identifier: MIT
 *
 * Charts: ways to make a plot from runs. app/figure/charts/NAME.c defines `l2r_chart_NAME`; the build writes the list
 * from the file names, and "chart": "NAME" in a figure's description chooses it.
 *
 *     lines     a score over named values, mean ± sd over seeds              one point a value
 *     dots      a score of named variants, single seeds shown                one row a variant
 *     curves    losses over epochs, from the runs' metrics.jsonl             mean, with bars of ± sd
 *     violins   the distribution of learned weights, from last.safetensors   one shape a data set
 */
#ifndef L2R_FIGURE_CHART_H
#define L2R_FIGURE_CHART_H

#include "figure/plot.h"

#include <jansson.h>
#include <stdint.h>

/* A finished run in a figure. Texts are never NULL. */
struct l2r_chart_run {
    const char *panel; /* title of its panel; "": in all panels where it is a reference, else one panel without title */
    const char *series; /* its line, as the legend has it */
    const char *x;      /* the value that it stands for */
    bool reference;     /* something to compare with: a rule, not a point */
    bool standard;      /* its value is the default one: shown bold */
    int64_t seed;
    double value;    /* its score, in the unit of the axis */
    const char *dir; /* its folder; "": not kept */
};

struct l2r_chart_runs {
    const struct l2r_chart_run *items;
    size_t n;
};

struct l2r_chart {
    const char *name;
    bool reads_folders; /* it needs more of a run than its score */
    /* Fills a plot whose labels and sizes are set. A failed allocation in the plot sticks there. */
    enum l2r_status (*make)(struct l2r_plot *plot, const struct l2r_chart_runs *runs, struct l2r_error *error);
};

extern const struct l2r_chart *const l2r_charts[]; /* NULL at the end */

/* ---- Shared by charts ---- */

/* Distinct texts in the order in which they came first. Borrowed, not copied. */
struct l2r_names {
    const char **items;
    size_t n, capacity;
};

enum l2r_name_of { L2R_NAME_PANEL, L2R_NAME_SERIES, L2R_NAME_X };
/* Of the runs in a panel (NULL: any); references are left out, except from series. Cleared by the caller, also after
 * an error. */
enum l2r_status l2r_names_find(struct l2r_names *names, const struct l2r_chart_runs *runs, enum l2r_name_of which,
                               const char *panel, struct l2r_error *error);
void l2r_names_clear(struct l2r_names *names);
/* Ascending, when all of them are numbers; else they keep their order. */
void l2r_names_sort(struct l2r_names *names);
/* Its place, or n when it is not there. */
size_t l2r_names_place(const struct l2r_names *names, const char *text);

/* Mean and sample standard deviation of the finite scores of the runs that agree with these texts (NULL: any). */
struct l2r_seed_mean {
    size_t n;
    double mean, sd; /* NaN where there is none: no run; fewer than two */
    double bar;      /* half of the error bar: sd, or 0 */
};
struct l2r_seed_mean l2r_mean_of_runs(struct l2r_plot *plot, const struct l2r_chart_runs *runs, const char *panel,
                                      const char *series, const char *x);
struct l2r_seed_mean l2r_mean_of_values(const double *values, size_t n);

/* Of a sorted sample, n >= 1: 0 the least, 0.5 the median, 1 the most; between neighbours by a straight line. */
double l2r_quantile(const double *sorted, size_t n, double share);

/* A smooth density (Gaussian kernel of Silverman's width) on a grid from the least to the most; 1 at its highest. */
enum { L2R_DENSITY_POINTS = 96 };
struct l2r_density {
    double at[L2R_DENSITY_POINTS], height[L2R_DENSITY_POINTS];
};
/* Sorted, n >= 1. A sample without spread is one peak. */
void l2r_density_make(struct l2r_density *density, const double *sorted, size_t n);

#endif
