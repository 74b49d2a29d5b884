/* SPDX-License-Identifier: MIT
 *
 * Standard input, which can be read only once. What has been read is kept until `read_on`, so that several readers, one
 * after the other, may read the beginning:
 *
 *     read from the descriptor:   |kept …………………………………|  not read yet …
 *     a reader at `position`:          ^ gets kept bytes first, then new ones
 *
 * After `read_on` new bytes are handed out without being kept, so there must be one reader only.
 */
#ifndef L2R_IO_INPUT_H
#define L2R_IO_INPUT_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct l2r_input;

/* Waits for the first bytes. Fails when there are none; `path` names the input in that sentence. */
enum l2r_status l2r_input_open(struct l2r_input **input, int descriptor, const char *path, struct l2r_error *error);
void l2r_input_free(struct l2r_input *input);
void l2r_input_read_on(struct l2r_input *input);

/* Do its bytes begin as those of gzip do? */
bool l2r_input_is_gzip(const struct l2r_input *input);

/* Up to `size` bytes from *position on, which moves; *got is 0 at the end only. */
enum l2r_status l2r_input_read(struct l2r_input *input, int64_t *position, void *bytes, size_t size, size_t *got,
                               struct l2r_error *error);

#endif
