/* SPDX-License-Identifier: MIT
 *
 * An array that must be carried from a stopped run to the one that continues it: [count] numbers at `data`, written as they are
 * and read back into the same place.
 */
#ifndef L2R_BASE_STATE_H
#define L2R_BASE_STATE_H

#include <stdint.h>

enum l2r_state_kind { L2R_STATE_REAL /* l2r_real */, L2R_STATE_F64, L2R_STATE_I32, L2R_STATE_I64 };

struct l2r_state_array {
    const char *name;
    enum l2r_state_kind kind;
    void *data;
    int64_t count; /* 0: nothing to carry */
};

#endif
