/* SPDX-License-Identifier: MIT
 *
 * result.json: the outcome of a run (recipe/result.h). The file is the last of a run: it holds the run's identity, the
 * checksum of its model and those of its other files (store/ownership.h), and is sealed.
 */
#ifndef L2R_STORE_RESULT_FILE_H
#define L2R_STORE_RESULT_FILE_H

#include "recipe/result.h"

/* With the options, from which a run without its config.json is resumed. */
enum l2r_status l2r_result_write(const struct l2r_result *result, const struct l2r_config *config, const char *path,
                                 const char *dir, const char *run, const char *model, struct l2r_error *error);
/* L2R_ERR_FORMAT: the file is damaged, or not as the run wrote it. about, if not NULL, receives the whole object. */
enum l2r_status l2r_result_read(struct l2r_result *result, json_t **about, const char *path, struct l2r_error *error);
/* Is this the unchanged content of a result.json? */
enum l2r_status l2r_result_check(const json_t *object, const char *path, struct l2r_error *error);

#endif
