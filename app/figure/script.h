/* SPDX-License-Identifier: MIT
 *
 * A plot as two text files: NAME.dat, the numbers in blocks that people can read, and NAME.gp, a gnuplot script
 * beside it that draws them as NAME.svg and NAME.pdf. Equal plots give equal bytes: no date, no path, no locale.
 *
 *     +--------------- width, in inches ----------------+
 *     |            legend: all series once              |
 *     |  title                  title                   |
 *     |  +----------------+     +----------------+      |
 *   y |  |    panel 0     |     |    panel 1     |  panel_height
 *     |  +----------------+     +----------------+      |
 *     |   ticks, x label                                |
 *
 * Readable in black and white: a series has its own dashes and shape of points beside its colour, and the colours
 * differ in lightness. The smallest text is 9.5 pt high.
 */
#ifndef L2R_FIGURE_SCRIPT_H
#define L2R_FIGURE_SCRIPT_H

#include "figure/plot.h"

#include <stdio.h>

/* Inches. */
struct l2r_frame {
    double left, right, bottom, top; /* of a panel's frame, from the lower left corner of the page */
};

/* Height of the page. */
double l2r_plot_height(const struct l2r_plot *plot);
struct l2r_frame l2r_panel_frame(const struct l2r_plot *plot, size_t panel);
/* Is a legend needed? Only when there are several labels. */
bool l2r_plot_has_legend(const struct l2r_plot *plot);
/* Is this the first series of the plot with this label? */
bool l2r_series_is_first(const struct l2r_plot *plot, size_t panel, size_t series);

/* A decimal with at most six digits after the point, whatever the locale; "NaN". */
const char *l2r_plot_number(char out[32], double value);

/* Writes both files into the folder. Texts of a plot are untrusted: in the script they are strings that gnuplot draws
 * and never reads as commands, formats or ends of strings. The name is that of a file, not a path. */
enum l2r_status l2r_plot_write(const struct l2r_plot *plot, const char *dir, const char *name, struct l2r_error *error);

#endif
