/* SPDX-License-Identifier: MIT
 * See array.h. */
#include "base/array.h"

#include "base/memory.h"

#include <string.h>

bool l2r_array_add(struct l2r_array *array, const void *items, size_t n, size_t size)
{
    if (n == 0) return true;
    if (!l2r_reserve(&array->items, &array->capacity, array->n + n, size)) return false;
    memcpy((char *)array->items + array->n * size, items, n * size);
    array->n += n;
    return true;
}

void l2r_array_clear(struct l2r_array *array)
{
    l2r_free(array->items);
    *array = (struct l2r_array){0};
}

int l2r_compare_i32(const void *left, const void *right)
{
    const int32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

int l2r_compare_i64(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

int l2r_compare_float(const void *left, const void *right)
{
    const float *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

int l2r_compare_double(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

int l2r_compare_strings(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}
