/* SPDX-License-Identifier: MIT
 *
 * SHA-256 of a file, to compare a download with the sum that its publisher names.
 */
#ifndef L2R_IO_SHA256_H
#define L2R_IO_SHA256_H

#include "base/status.h"

#include <stdbool.h>

/* 64 lower-case hexadecimal digits and a NUL. */
enum l2r_status l2r_file_sha256(char hex[65], const char *path, struct l2r_error *error);
/* 64 hexadecimal digits of either case? */
bool l2r_is_sha256(const char *text);

#endif
