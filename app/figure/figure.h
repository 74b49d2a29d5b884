/* SPDX-License-Identifier: MIT
 *
 * From runs to a picture: NAME.dat, NAME.gp and, where gnuplot is installed, NAME.svg and NAME.pdf.
 *
 * A description is an object such as
 *
 *     {"chart": "lines",           which chart (chart.h)
 *      "x": "share μ of …",        labels of the axes; "_" lowers the next character
 *      "y": "test accuracy (%)",
 *      "scale": 100,               factor of the scores; 1 unless given
 *      "columns": 2,               panels side by side; 1 unless given
 *      "height": 2.0,              inches of a panel; 2 unless given
 *      "shared": true}             one range of y for all panels
 */
#ifndef L2R_FIGURE_FIGURE_H
#define L2R_FIGURE_FIGURE_H

#include "figure/chart.h"

enum { L2R_FIGURE_NOTE = 600 };

/* Refuses unknown keys and charts; `where` names the description in errors. */
enum l2r_status l2r_figure_check(const json_t *description, const char *where, struct l2r_error *error);

/* Does its chart read the folders of the runs? The description has been checked. */
bool l2r_figure_reads_folders(const json_t *description);

/* The scores of the runs are multiplied by "scale" here. note: a sentence when there is no gnuplot and only data and
 * script were written, else empty. */
enum l2r_status l2r_figure_write(const char *dir, const char *name, const json_t *description,
                                 const struct l2r_chart_runs *runs, char note[L2R_FIGURE_NOTE],
                                 struct l2r_error *error);

/* Runs `gnuplot NAME.gp` in the folder. *found is false, and nothing else happens, if there is no such program in
 * PATH. The error of a failure quotes the first line that gnuplot wrote. */
enum l2r_status l2r_gnuplot_run(bool *found, const char *dir, const char *name, struct l2r_error *error);

#endif
