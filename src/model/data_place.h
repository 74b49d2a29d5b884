/* SPDX-License-Identifier: MIT
 *
 * Where the data of a run lies. The config has the path as typed, which is valid in one folder only; so a run's folder
 * also holds
 *
 *     RUN/data.json   {"path": "/home/a/study/my.csv", "from_run": "../../my.csv"}
 *
 * and its data is found from any folder, and after both have moved together. Whether it is still the same data is
 * checked by the fingerprint in the model (l2r_predictor_check_data).
 */
#ifndef L2R_MODEL_DATA_PLACE_H
#define L2R_MODEL_DATA_PLACE_H

#include "base/status.h"

#include <stddef.h>

/* Records in the run's folder where the data is; does nothing for what is not a path (a generator, NULL). */
enum l2r_status l2r_data_place_write(const char *run, const char *where, struct l2r_error *error);
/* The data of the run whose folder this is: where it was, or where it is now as seen from the run; otherwise as typed.
 * A path that leads there as typed stays as it is. */
void l2r_data_place_find(char *out, size_t size, const char *run, const char *typed);

#endif
