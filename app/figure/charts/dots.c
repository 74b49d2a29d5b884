/* SPDX-License-Identifier: MIT
 *
 * dots: scores of variants, a row each, named at the left: no legend is needed, and no bar begins at an arbitrary
 * number.
 *
 *     full           ┤      ○ ○├──●──┤○       ● mean, bar ± sd, ○ single seeds
 *     plain          ┤  ├─○●○──┤              a rule leads from a reference row through all rows
 *                    └──────────────────
 */
#include "figure/chart.h"

#include <math.h>
#include <string.h>

static bool is_reference(const struct l2r_chart_runs *runs, const char *series)
{
    for (size_t i = 0; i < runs->n; i++)
        if (runs->items[i].reference && strcmp(runs->items[i].series, series) == 0) return true;
    return false;
}

static void add_seeds(struct l2r_plot *plot, size_t p, const struct l2r_chart_runs *runs, const char *panel,
                      const char *series, double y)
{
    size_t s = l2r_plot_add_series(plot, p, L2R_SERIES_TICKS, NULL, 0);
    for (size_t i = 0; i < runs->n; i++) {
        const struct l2r_chart_run *run = &runs->items[i];
        if (strcmp(run->panel, panel) == 0 && strcmp(run->series, series) == 0 && isfinite(run->value))
            l2r_plot_add_row(plot, p, s, run->value, y - 0.27, NAN, NAN);
    }
}

static void add_panel(struct l2r_plot *plot, const struct l2r_chart_runs *runs, const char *panel,
                      const struct l2r_names *variants)
{
    size_t p = l2r_plot_add_panel(plot, panel);
    for (size_t v = 0; v < variants->n; v++) {
        const char *name = variants->items[v];
        struct l2r_seed_mean at = l2r_mean_of_runs(plot, runs, panel, name, NULL);
        double y = -(double)v;
        l2r_plot_add_tick(plot, p, y, name, false);
        if (at.n == 0) continue;
        if (is_reference(runs, name)) {
            size_t rule = l2r_plot_add_series(plot, p, L2R_SERIES_RULE, NULL, 0);
            l2r_plot_add_row(plot, p, rule, at.mean, 0.6, NAN, NAN);
            l2r_plot_add_row(plot, p, rule, at.mean, -(double)variants->n + 0.4, NAN, NAN);
        }
        add_seeds(plot, p, runs, panel, name, y);
        size_t s = l2r_plot_add_series(plot, p, L2R_SERIES_DOTS, NULL, is_reference(runs, name) ? 0 : 1);
        l2r_plot_add_row(plot, p, s, at.mean, y, at.mean - at.bar, at.mean + at.bar);
    }
}

static enum l2r_status make(struct l2r_plot *plot, const struct l2r_chart_runs *runs, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_names panels = {0}, variants = {0};
    plot->rows = true;
    L2R_TRY(l2r_names_find(&panels, runs, L2R_NAME_PANEL, NULL, error));
    L2R_TRY(l2r_names_find(&variants, runs, L2R_NAME_SERIES, NULL, error));
    for (size_t p = 0; p < panels.n; p++) add_panel(plot, runs, panels.items[p], &variants);
done:
    l2r_names_clear(&panels);
    l2r_names_clear(&variants);
    return status;
}

const struct l2r_chart l2r_chart_dots = {.name = "dots", .make = make};
