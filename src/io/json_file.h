/* SPDX-License-Identifier: MIT
 *
 * JSON files: read whole, written atomically.
 */
#ifndef L2R_IO_JSON_FILE_H
#define L2R_IO_JSON_FILE_H

#include "base/json.h"

/* Reads a file of at most 256 MB; duplicate keys are refused. *root is a new reference. */
enum l2r_status l2r_json_read(json_t **root, const char *path, struct l2r_error *error);
/* Writes indented, keys in insertion order, atomically; NULL (a jansson constructor failed) is out of memory. */
enum l2r_status l2r_json_write(const json_t *root, const char *path, struct l2r_error *error);

#endif
