/* SPDX-License-Identifier: MIT
 *
 * A figure as data: panels side by side, each with series of points, ticks and labels. Charts (chart.h) fill it,
 * script.h writes it down for gnuplot. Nothing here draws.
 *
 *     plot ── panel "GCN" ── series "ERM"        rows  x  y  low  high
 *          │              └─ series "learned"
 *          └─ panel "GIN" …
 *
 * Texts are copied. A failed allocation sticks (`failed`), so that charts have no error handling between their lines;
 * l2r_plot_check reports it at the end. In texts "_" lowers the next character: η_W.
 */
#ifndef L2R_FIGURE_PLOT_H
#define L2R_FIGURE_PLOT_H

#include "base/memory.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

enum { L2R_STYLES = 6 }; /* ways to draw a series: colour, dashes, shape of points */

enum l2r_series_kind {
    L2R_SERIES_LINE,  /* a line through all rows; a point with a vertical bar low .. high where low is a number */
    L2R_SERIES_RULE,  /* a line without points: something to compare with */
    L2R_SERIES_DOTS,  /* points with horizontal bars low .. high */
    L2R_SERIES_TICKS, /* small marks: single runs */
    L2R_SERIES_SHAPE, /* a closed outline, filled */
    L2R_SERIES_BOX    /* a thick vertical bar low .. high with a point at y */
};

struct l2r_series {
    enum l2r_series_kind kind;
    const char *label;  /* in the legend; NULL: not there */
    int style;          /* 0 .. L2R_STYLES-1 */
    double (*rows)[4];  /* [n]: x, y, low, high; NaN: no number */
    size_t n, capacity; /* capacity: for l2r_reserve */
};

struct l2r_tick {
    double at;
    const char *label; /* "\n" begins a second line */
    bool bold;
};

struct l2r_panel {
    const char *title; /* or "" */
    struct l2r_series *series;
    size_t n_series, series_capacity;
    struct l2r_tick *ticks; /* of the x axis, or of the y axis where plot.rows is set; none: numbers */
    size_t n_ticks, ticks_capacity;
};

struct l2r_plot {
    const char *x_label, *y_label; /* below and left of all panels */
    struct l2r_panel *panels;
    size_t n_panels, panels_capacity;
    size_t n_columns;    /* panels side by side */
    double width;        /* inches, of the whole figure */
    double panel_height; /* inches, of a panel's frame */
    bool shared_y;       /* one range for all: numbers stand at the first column only */
    bool rows;           /* ticks name rows from the top down; the first column has the names */
    bool failed;
    struct l2r_arena text;
};

void l2r_plot_init(struct l2r_plot *plot);
void l2r_plot_clear(struct l2r_plot *plot);

/* A copy that lives as long as the plot; "" when memory ran out. */
const char *l2r_plot_text(struct l2r_plot *plot, const char *text);

/* Adding gives the number of the new element, to be used until the next addition of its kind moves the array; after a
 * failure nothing is added, and the number of an element that is not there makes the calls below do nothing. */
size_t l2r_plot_add_panel(struct l2r_plot *plot, const char *title);
size_t l2r_plot_add_series(struct l2r_plot *plot, size_t panel, enum l2r_series_kind kind, const char *label,
                           int style);
void l2r_plot_add_row(struct l2r_plot *plot, size_t panel, size_t series, double x, double y, double low, double high);
void l2r_plot_add_tick(struct l2r_plot *plot, size_t panel, double at, const char *label, bool bold);

/* L2R_OK, or that memory ran out. */
enum l2r_status l2r_plot_check(const struct l2r_plot *plot, struct l2r_error *error);

/* The numbers that a panel must show, bars included: {x least, x most, y least, y most}; NaN when there are none. */
void l2r_panel_extent(double extent[4], const struct l2r_panel *panel);

#endif
