/* SPDX-License-Identifier: MIT
 *
 * A chart to copy: the scores of all seeds as a bar from the lowest to the highest, with a point at their mean.
 *
 *     │   ┃
 *     │   ●   ┃        one bar a series, side by side
 *     │   ┃   ●
 *     └───┴───┴──
 *
 * As app/figure/charts/ranges.c it is chosen by "chart": "ranges" in the "figure" of a spec;
 * examples/adding/motif-ranges.json is such a spec. A chart fills a plot (figure/plot.h) with panels, series and points
 * and draws nothing itself. docs/adding.md says what else can be added.
 */
#include "figure/chart.h"

#include <math.h>
#include <string.h>

static void add_bar(struct l2r_plot *plot, size_t p, const struct l2r_chart_runs *runs, const char *panel,
                    const char *series, double x)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < runs->n; i++) {
        const struct l2r_chart_run *run = &runs->items[i];
        if (strcmp(run->panel, panel) != 0 || strcmp(run->series, series) != 0 || !isfinite(run->value)) continue;
        low = fmin(low, run->value);
        high = fmax(high, run->value);
    }
    if (low > high) return; /* no seed has finished yet */
    size_t s = l2r_plot_add_series(plot, p, L2R_SERIES_BOX, NULL, 0);
    l2r_plot_add_row(plot, p, s, x, l2r_mean_of_runs(runs, panel, series, NULL).mean, low, high);
}

static enum l2r_status make(struct l2r_plot *plot, const struct l2r_chart_runs *runs, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_names panels = {0}, series = {0};
    L2R_TRY(l2r_names_find(&panels, runs, L2R_NAME_PANEL, NULL, error));
    L2R_TRY(l2r_names_find(&series, runs, L2R_NAME_SERIES, NULL, error));
    for (size_t i = 0; i < panels.n; i++) {
        size_t p = l2r_plot_add_panel(plot, panels.items[i]);
        for (size_t s = 0; s < series.n; s++) {
            l2r_plot_add_tick(plot, p, (double)s, series.items[s], false);
            add_bar(plot, p, runs, panels.items[i], series.items[s], (double)s);
        }
    }
done:
    l2r_names_clear(&panels);
    l2r_names_clear(&series);
    return status;
}

const struct l2r_chart l2r_chart_ranges = {.name = "ranges", .make = make};
