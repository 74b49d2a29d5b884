/* SPDX-License-Identifier: MIT
 *
 * Checks that public calls (include/l2r) make before anything else.
 */
#ifndef L2R_BASE_MISUSE_H
#define L2R_BASE_MISUSE_H

#include "base/status.h"

/* Fails and jumps to done if an argument is NULL; the error names it as the header does. */
#define L2R_NEED(argument)                                                                                             \
    do {                                                                                                               \
        if (!(argument)) L2R_FAIL(L2R_ERR_ARGUMENT, "%s is NULL", #argument);                                          \
    } while (0)

/* Copies a caller's struct, which begins with its size, into the library's version of it. Members that the caller's
 * version lacks become zero; members that the library lacks must be zero. Size 0 stands for `first`, the size in
 * version 1.0. */
enum l2r_status l2r_struct_take(void *own, size_t size, size_t first, const void *given, const char *name,
                                struct l2r_error *error);
/* The other direction: fills the caller's struct, whose size is set, up to that size. */
enum l2r_status l2r_struct_give(void *given, const void *own, size_t size, const char *name, struct l2r_error *error);

#endif
