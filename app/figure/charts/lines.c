/* SPDX-License-Identifier: MIT
 *
 * lines: a score over values that have names (μ = 0.6 … 0.9; 2, 4, 8 clusters), mean ± sd over seeds.
 *
 *     ┤      ┬                    The values stand at equal distances; numbers ascend. Series are moved
 *     ┤ ┬    ●─ ─┬                a little to the side of each other, so that their bars do not cover one another.
 *     ┤ ●─ ─ ┴   ●                References are level rules; without a panel they stand in every panel.
 *     ┤ ┴        ┴
 *     └─0.6──0.7─0.8─
 */
#include "figure/chart.h"

#include <math.h>
#include <string.h>

static bool is_standard(const struct l2r_chart_runs *runs, const char *panel, const char *x)
{
    for (size_t i = 0; i < runs->n; i++)
        if (runs->items[i].standard && strcmp(runs->items[i].panel, panel) == 0 && strcmp(runs->items[i].x, x) == 0)
            return true;
    return false;
}

/* The panel in which a series is a reference: this one, or "" for all; NULL: it is none here. */
static const char *reference_panel(const struct l2r_chart_runs *runs, const char *panel, const char *series)
{
    for (size_t i = 0; i < runs->n; i++) {
        const struct l2r_chart_run *run = &runs->items[i];
        if (run->reference && strcmp(run->series, series) == 0 &&
            (*run->panel == '\0' || strcmp(run->panel, panel) == 0))
            return run->panel;
    }
    return NULL;
}

static void add_rule(struct l2r_plot *plot, size_t p, double y, size_t n_values, const char *label, size_t style)
{
    size_t s = l2r_plot_add_series(plot, p, L2R_SERIES_RULE, label, (int)style);
    l2r_plot_add_row(plot, p, s, -0.5, y, NAN, NAN);
    l2r_plot_add_row(plot, p, s, (double)n_values - 0.5, y, NAN, NAN);
}

static void add_line(struct l2r_plot *plot, size_t p, const struct l2r_chart_runs *runs, const char *panel,
                     const struct l2r_names *values, const char *series, size_t style, double shift)
{
    size_t s = l2r_plot_add_series(plot, p, L2R_SERIES_LINE, series, (int)style);
    for (size_t v = 0; v < values->n; v++) {
        struct l2r_seed_mean at = l2r_mean_of_runs(plot, runs, panel, series, values->items[v]);
        if (at.n > 0) l2r_plot_add_row(plot, p, s, (double)v + shift, at.mean, at.mean - at.bar, at.mean + at.bar);
    }
}

static enum l2r_status add_panel(struct l2r_plot *plot, const struct l2r_chart_runs *runs, const char *panel,
                                 const struct l2r_names *all, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_names values = {0}, series = {0};
    size_t p = l2r_plot_add_panel(plot, panel), n_lines = 0, line = 0;
    L2R_TRY(l2r_names_find(&values, runs, L2R_NAME_X, panel, error));
    l2r_names_sort(&values);
    L2R_TRY(l2r_names_find(&series, runs, L2R_NAME_SERIES, panel, error));
    for (size_t v = 0; v < values.n; v++)
        l2r_plot_add_tick(plot, p, (double)v, values.items[v], is_standard(runs, panel, values.items[v]));
    for (size_t s = 0; s < series.n; s++) n_lines += reference_panel(runs, panel, series.items[s]) == NULL;
    for (size_t s = 0; s < all->n; s++) {
        const char *name = all->items[s], *where = reference_panel(runs, panel, name);
        if (where != NULL)
            add_rule(plot, p, l2r_mean_of_runs(plot, runs, where, name, NULL).mean, values.n, name, s);
        else if (l2r_names_place(&series, name) < series.n)
            add_line(plot, p, runs, panel, &values, name, s, 0.09 * ((double)line++ - 0.5 * (double)(n_lines - 1)));
    }
done:
    l2r_names_clear(&values);
    l2r_names_clear(&series);
    return status;
}

static enum l2r_status make(struct l2r_plot *plot, const struct l2r_chart_runs *runs, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_names panels = {0}, series = {0};
    L2R_TRY(l2r_names_find(&panels, runs, L2R_NAME_PANEL, NULL, error));
    L2R_TRY(l2r_names_find(&series, runs, L2R_NAME_SERIES, NULL, error));
    for (size_t p = 0; p < panels.n; p++) L2R_TRY(add_panel(plot, runs, panels.items[p], &series, error));
done:
    l2r_names_clear(&panels);
    l2r_names_clear(&series);
    return status;
}

const struct l2r_chart l2r_chart_lines = {.name = "lines", .make = make};
