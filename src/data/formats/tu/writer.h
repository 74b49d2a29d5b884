/* SPDX-License-Identifier: MIT
 *
 * Writes a data set as a folder in TU layout (one text file per table, see writer.c), readable by this project and by
 * the common graph learning libraries.
 */
#ifndef L2R_DATA_FORMATS_TU_WRITER_H
#define L2R_DATA_FORMATS_TU_WRITER_H

#include "data/dataset.h"

/* dir must not exist, or be an empty folder; it appears with all files or not at all. */
enum l2r_status l2r_tu_write(const struct l2r_dataset *data, const char *dir, struct l2r_error *error);

#endif
