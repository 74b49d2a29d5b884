/* SPDX-License-Identifier: MIT
 *
 * Positions on the page (script.h). All lengths are inches; a line of text is about 0.19 high at 10 pt.
 */
#include "draw/svg.h"
#include "figure/script.h"

#include <math.h>
#include <string.h>

static const double edge = 0.12, line_height = 0.19, numbers_width = 0.58, label_width = 0.22;

static size_t lines_of(const char *text)
{
    size_t n = *text != '\0';
    for (; *text != '\0'; text++) n += *text == '\n';
    return n;
}

/* Most lines of a tick's label below the panels. */
static double tick_lines(const struct l2r_plot *plot)
{
    size_t most = 1;
    for (size_t p = 0; !plot->rows && p < plot->n_panels; p++)
        for (size_t t = 0; t < plot->panels[p].n_ticks; t++) {
            size_t n = lines_of(plot->panels[p].ticks[t].label);
            if (n > most) most = n;
        }
    return (double)most;
}

/* Room for what stands left of the first column: the names of rows, or numbers. */
static double left_margin(const struct l2r_plot *plot)
{
    double widest = numbers_width, extra = *plot->y_label != '\0' ? label_width : 0;
    if (plot->rows)
        for (size_t p = 0; p < plot->n_panels; p++)
            for (size_t t = 0; t < plot->panels[p].n_ticks; t++) {
                const char *label = plot->panels[p].ticks[t].label;
                widest = fmax(widest, l2r_text_width(label, strlen(label), 10) / 72 + 0.15);
            }
    return widest + extra;
}

static double gap(const struct l2r_plot *plot)
{
    return plot->shared_y || plot->rows ? 0.22 : numbers_width + 0.04;
}

static double title_height(const struct l2r_plot *plot)
{
    for (size_t p = 0; p < plot->n_panels; p++)
        if (*plot->panels[p].title != '\0') return 0.27;
    return 0.06;
}

static double below_height(const struct l2r_plot *plot)
{
    return 0.15 + line_height * tick_lines(plot);
}

static size_t columns_of(const struct l2r_plot *plot)
{
    return plot->n_columns < plot->n_panels || plot->n_panels == 0 ? plot->n_columns : plot->n_panels;
}

bool l2r_series_is_first(const struct l2r_plot *plot, size_t panel, size_t series)
{
    const char *label = plot->panels[panel].series[series].label;
    if (label == NULL) return false;
    for (size_t p = 0; p <= panel; p++)
        for (size_t s = 0; s < (p < panel ? plot->panels[p].n_series : series); s++) {
            const char *other = plot->panels[p].series[s].label;
            if (other != NULL && strcmp(other, label) == 0) return false;
        }
    return true;
}

bool l2r_plot_has_legend(const struct l2r_plot *plot)
{
    size_t n = 0;
    for (size_t p = 0; p < plot->n_panels; p++)
        for (size_t s = 0; s < plot->panels[p].n_series; s++) n += l2r_series_is_first(plot, p, s);
    return n > 1;
}

double l2r_plot_height(const struct l2r_plot *plot)
{
    size_t columns = columns_of(plot), rows = (plot->n_panels + columns - 1) / columns;
    double row = title_height(plot) + plot->panel_height + below_height(plot);
    double legend = l2r_plot_has_legend(plot) ? 0.3 : 0.04, x_label = *plot->x_label != '\0' ? 0.2 : 0;
    return legend + (double)rows * row + x_label;
}

struct l2r_frame l2r_panel_frame(const struct l2r_plot *plot, size_t panel)
{
    size_t columns = columns_of(plot);
    size_t row_number = panel / columns + 1;
    double column = (double)(panel % columns), row = (double)row_number;
    double left = left_margin(plot), between = gap(plot);
    double width = (plot->width - left - edge - (double)(columns - 1) * between) / (double)columns;
    double legend = l2r_plot_has_legend(plot) ? 0.3 : 0.04;
    struct l2r_frame f = {.left = left + column * (width + between)};
    f.right = f.left + width;
    f.top = l2r_plot_height(plot) - legend - title_height(plot) -
            (row - 1) * (title_height(plot) + plot->panel_height + below_height(plot));
    f.bottom = f.top - plot->panel_height;
    return f;
}
