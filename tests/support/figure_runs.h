/* SPDX-License-Identifier: MIT
 *
 * What tests of figures share: a temporary folder and files read whole. A test program calls figure_set_up and
 * figure_tear_down as the group's fixtures.
 */
#ifndef L2R_TESTS_FIGURE_RUNS_H
#define L2R_TESTS_FIGURE_RUNS_H

#include "base/memory.h"
#include "figure/figure.h"
#include "io/file.h"
#include "support/temporary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char root[TEMPORARY_LENGTH];
static struct l2r_error error;

static inline int figure_set_up(void **state)
{
    (void)state;
    return temporary_folder(root) == NULL;
}

static inline int figure_tear_down(void **state)
{
    (void)state;
    l2r_remove_tree(root);
    return 0;
}

/* Freed by the caller. */
static __attribute__((unused, noinline)) char *content(const char *name)
{
    char path[256], *text = NULL;
    size_t length;
    snprintf(path, sizeof path, "%s/%s", root, name);
    if (l2r_file_read(&text, &length, path, 1 << 24, &error) != L2R_OK) fail_msg("%s", error.message);
    return text;
}

static inline void put(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    assert_int_equal(l2r_file_write(path, text, strlen(text), &error), L2R_OK);
}

#endif
