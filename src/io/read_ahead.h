/* SPDX-License-Identifier: MIT
 *
 * Reading ahead: a thread calls a read function into a ring of blocks while the caller works on the previous ones, so
 * that decompressing and parsing overlap.
 *
 *     thread ->  [full][full][filling][    ]  -> caller
 *
 * The order of bytes is that of the read function; nothing about the result depends on timing.
 */
#ifndef L2R_IO_READ_AHEAD_H
#define L2R_IO_READ_AHEAD_H

#include "base/status.h"

typedef enum l2r_status l2r_read_fn(void *context, void *bytes, size_t size, size_t *got, struct l2r_error *error);

struct l2r_ahead;

/* `context` must outlive the result. */
enum l2r_status l2r_ahead_new(struct l2r_ahead **ahead, l2r_read_fn *read, void *context, struct l2r_error *error);
/* As l2r_read_fn. A failure of the read function arrives here after all bytes before it. */
enum l2r_status l2r_ahead_read(struct l2r_ahead *ahead, void *bytes, size_t size, size_t *got, struct l2r_error *error);
/* Stops the thread, also when not everything was read. */
void l2r_ahead_free(struct l2r_ahead *ahead);

#endif
