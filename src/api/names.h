/* SPDX-License-Identifier: MIT
 *
 * Lists of names as callers hold them, pointers to texts, and as a data set keeps them, one after the other.
 */
#ifndef L2R_API_NAMES_H
#define L2R_API_NAMES_H

#include "base/array.h"
#include "base/status.h"

/* Appends names [n] to `all`, each with its 0; one that is NULL or empty, or stands there twice, is
 * L2R_ERR_ARGUMENT. */
enum l2r_status l2r_names_join(struct l2r_array *all, const char *what, const char *const *names, int32_t n,
                               struct l2r_error *error);

#endif
