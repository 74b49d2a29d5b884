/* SPDX-License-Identifier: MIT
 *
 * What every refusal looks like: one sentence on one line, without control characters.
 */
#ifndef L2R_FUZZ_REFUSAL_H
#define L2R_FUZZ_REFUSAL_H

#include "base/status.h"

#include <stdlib.h>

static inline void expect_refusal(const struct l2r_error *error)
{
    if (error->status == L2R_OK || !error->message[0]) abort();
    for (const char *c = error->message; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127) abort();
}

#endif
