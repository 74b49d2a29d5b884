/* SPDX-License-Identifier: MIT
 *
 * Runs gnuplot, a program of its own that need not be there: scripts and data (script.h) can be drawn later or
 * elsewhere.
 */
#ifndef L2R_FIGURE_GNUPLOT_H
#define L2R_FIGURE_GNUPLOT_H

#include "base/status.h"

#include <stdbool.h>

/* Runs `gnuplot NAME.gp` in the folder. *found is false, and nothing else happens, when there is no such program in
 * PATH. A failure carries the first line that gnuplot wrote. */
enum l2r_status l2r_gnuplot_run(bool *found, const char *dir, const char *name, struct l2r_error *error);

#endif
