/* SPDX-License-Identifier: MIT
 * See misuse.h. */
#include "base/misuse.h"

#include <string.h>

static bool is_zero(const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != 0) return false;
    return true;
}

/* Sizes of all structs are multiples of the pointers in them; any other would cut a member in two. */
static bool is_size(size_t declared)
{
    return declared >= sizeof declared && declared <= (size_t)1 << 16 && declared % sizeof(void *) == 0;
}

enum l2r_status l2r_struct_take(void *own, size_t size, size_t first, const void *given, const char *name,
                                struct l2r_error *error)
{
    size_t declared;
    if (!given) return l2r_fail(error, L2R_ERR_ARGUMENT, "%s is NULL", name);
    memcpy(&declared, given, sizeof declared);
    if (declared == 0) declared = first;
    if (!is_size(declared))
        return l2r_fail(error, L2R_ERR_ARGUMENT, "%s.size = %zu; expected sizeof of the struct", name, declared);
    if (declared > size && !is_zero((const unsigned char *)given + size, declared - size))
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "%s has members that version %s does not have; leave them zero, or use a newer library", name,
                        l2r_version());
    memset(own, 0, size);
    memcpy(own, given, declared < size ? declared : size);
    memcpy(own, &size, sizeof size);
    return L2R_OK;
}

enum l2r_status l2r_struct_give(void *given, const void *own, size_t size, const char *name, struct l2r_error *error)
{
    size_t declared;
    if (!given) return l2r_fail(error, L2R_ERR_ARGUMENT, "%s is NULL", name);
    memcpy(&declared, given, sizeof declared);
    if (!is_size(declared))
        return l2r_fail(error, L2R_ERR_ARGUMENT, "%s.size = %zu; its _INIT macro sets it", name, declared);
    memset(given, 0, declared);
    memcpy(given, own, declared < size ? declared : size);
    memcpy(given, &declared, sizeof declared);
    return L2R_OK;
}
