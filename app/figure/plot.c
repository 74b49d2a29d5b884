/* SPDX-License-Identifier: MIT
 * See plot.h. */
#include "figure/plot.h"

#include "base/memory.h"

#include <math.h>
#include <stdint.h>

void l2r_plot_init(struct l2r_plot *plot)
{
    *plot = (struct l2r_plot){.x_label = "", .y_label = "", .n_columns = 1, .width = 6.6, .panel_height = 2.0};
    l2r_arena_init(&plot->text);
}

void l2r_plot_clear(struct l2r_plot *plot)
{
    for (size_t p = 0; p < plot->n_panels; p++) {
        struct l2r_panel *panel = &plot->panels[p];
        for (size_t s = 0; s < panel->n_series; s++) l2r_free(panel->series[s].rows);
        l2r_free(panel->series);
        l2r_free(panel->ticks);
    }
    l2r_free(plot->panels);
    l2r_arena_clear(&plot->text);
    *plot = (struct l2r_plot){0};
}

const char *l2r_plot_text(struct l2r_plot *plot, const char *text)
{
    const char *copy = l2r_arena_strdup(&plot->text, text);
    if (copy == NULL) plot->failed = true;
    return copy != NULL ? copy : "";
}

size_t l2r_plot_add_panel(struct l2r_plot *plot, const char *title)
{
    title = l2r_plot_text(plot, title);
    if (plot->failed ||
        !l2r_reserve((void **)&plot->panels, &plot->panels_capacity, plot->n_panels + 1, sizeof *plot->panels)) {
        plot->failed = true;
        return SIZE_MAX;
    }
    plot->panels[plot->n_panels] = (struct l2r_panel){.title = title};
    return plot->n_panels++;
}

size_t l2r_plot_add_series(struct l2r_plot *plot, size_t panel, enum l2r_series_kind kind, const char *label, int style)
{
    if (label != NULL) label = l2r_plot_text(plot, label);
    if (plot->failed || panel >= plot->n_panels) return SIZE_MAX;
    struct l2r_panel *p = &plot->panels[panel];
    if (!l2r_reserve((void **)&p->series, &p->series_capacity, p->n_series + 1, sizeof *p->series)) {
        plot->failed = true;
        return SIZE_MAX;
    }
    p->series[p->n_series] = (struct l2r_series){.kind = kind, .label = label, .style = style % L2R_STYLES};
    return p->n_series++;
}

void l2r_plot_add_row(struct l2r_plot *plot, size_t panel, size_t series, double x, double y, double low, double high)
{
    if (plot->failed || panel >= plot->n_panels || series >= plot->panels[panel].n_series) return;
    struct l2r_series *s = &plot->panels[panel].series[series];
    if (!l2r_reserve((void **)&s->rows, &s->capacity, s->n + 1, sizeof *s->rows)) {
        plot->failed = true;
        return;
    }
    double *row = s->rows[s->n++];
    row[0] = x, row[1] = y, row[2] = low, row[3] = high;
}

void l2r_plot_add_tick(struct l2r_plot *plot, size_t panel, double at, const char *label, bool bold)
{
    label = l2r_plot_text(plot, label);
    if (plot->failed || panel >= plot->n_panels) return;
    struct l2r_panel *p = &plot->panels[panel];
    if (!l2r_reserve((void **)&p->ticks, &p->ticks_capacity, p->n_ticks + 1, sizeof *p->ticks)) {
        plot->failed = true;
        return;
    }
    p->ticks[p->n_ticks++] = (struct l2r_tick){.at = at, .label = label, .bold = bold};
}

enum l2r_status l2r_plot_check(const struct l2r_plot *plot, struct l2r_error *error)
{
    return plot->failed ? l2r_fail(error, L2R_ERR_MEMORY, "out of memory for the points of a figure") : L2R_OK;
}

void l2r_panel_extent(double extent[4], const struct l2r_panel *panel)
{
    extent[0] = extent[1] = extent[2] = extent[3] = NAN;
    for (size_t s = 0; s < panel->n_series; s++) {
        const struct l2r_series *series = &panel->series[s];
        bool across = series->kind == L2R_SERIES_DOTS;
        for (size_t i = 0; i < series->n; i++) {
            const double *row = series->rows[i];
            /* fmin and fmax pass over NaN. */
            extent[0] = fmin(extent[0], across ? fmin(row[0], row[2]) : row[0]);
            extent[1] = fmax(extent[1], across ? fmax(row[0], row[3]) : row[0]);
            extent[2] = fmin(extent[2], across ? row[1] : fmin(row[1], row[2]));
            extent[3] = fmax(extent[3], across ? row[1] : fmax(row[1], row[3]));
        }
    }
}
