/* SPDX-License-Identifier: MIT
 *
 * A socket that listens. The server opens it by itself, so that the reason of a failure is known.
 */
#ifndef L2R_SERVE_LISTEN_H
#define L2R_SERVE_LISTEN_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* name: "127.0.0.1" or "::1" (then *six). port 0: a free one, which *bound is then. */
enum l2r_status l2r_listen(int *out, uint16_t *bound, bool *six, const char *name, uint16_t port,
                           struct l2r_error *error);

#endif
