/* SPDX-License-Identifier: MIT
 *
 * What public calls (include/l2r) look at before they do anything.
 */
#ifndef L2R_BASE_MISUSE_H
#define L2R_BASE_MISUSE_H

#include "base/status.h"

/* An argument that must not be NULL, by the name that the header gives it: jumps to done. */
#define L2R_NEED(argument)                                                                                             \
    do {                                                                                                               \
        if (!(argument)) L2R_FAIL(L2R_ERR_ARGUMENT, "%s is NULL", #argument);                                          \
    } while (0)

/* A struct that begins with its size, as the caller's version of the header knows it, into one of ours. Members that
 * the caller does not know are zero; members that we do not know must be. Size 0 stands for `first`, that of version
 * 1.0. */
enum l2r_status l2r_struct_take(void *own, size_t size, size_t first, const void *given, const char *name,
                                struct l2r_error *error);
/* The other way: fills a struct of the caller, whose size is set, as far as it goes. */
enum l2r_status l2r_struct_give(void *given, const void *own, size_t size, const char *name, struct l2r_error *error);

#endif
