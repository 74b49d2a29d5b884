/* SPDX-License-Identifier: MIT
 *
 * A temporary folder for a test program: make_folder and remove_folder are the fixtures of its group (or of single
 * tests), inside names a file in it. remove_folder fails when the folder cannot be removed.
 */
#ifndef L2R_TESTS_FOLDER_H
#define L2R_TESTS_FOLDER_H

#include "io/file.h"
#include "support/temporary.h"

#include <stdio.h>

static char folder[TEMPORARY_LENGTH];

static inline int make_folder(void **state)
{
    (void)state;
    return temporary_folder(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    (void)state;
    l2r_remove_tree(folder);
    return l2r_path_is_occupied(folder) ? -1 : 0;
}

/* FOLDER/NAME in one of a few buffers. */
static inline const char *inside(const char *name)
{
    static char paths[8][4200];
    static int turn;
    turn = (turn + 1) % 8;
    snprintf(paths[turn], sizeof paths[turn], "%s/%s", folder, name);
    return paths[turn];
}

#endif
