/* SPDX-License-Identifier: MIT
 *
 * Temporary folders of test programs, in TMPDIR. Where it is not set they are in /tmp, or in memory for programs that
 * write thousands of small files. All folders of a program lie in one, which is removed when the program exits: a
 * failed assertion jumps out of its test, past the lines that would have removed them.
 *
 * Nothing is flushed to the disk, which would take most of the time of many tests and minutes on a slow disk. What a
 * power failure leaves follows from the order of the calls, and these are recorded in base/system.h (oom/power.c).
 */
#ifndef L2R_TESTS_TEMPORARY_H
#define L2R_TESTS_TEMPORARY_H

#include "base/system.h"
#include "io/staging.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEMPORARY_LENGTH = 128 };

static struct {
    char path[TEMPORARY_LENGTH - 16];
    pid_t owner; /* children that exit leave it alone */
    int folders;
} temporary_root;

int fsync(int fd)
{
    (void)fd;
    return 0;
}

static inline void remove_temporary(void)
{
    if (getpid() != temporary_root.owner) return;
    l2r_fault_set(0, 0, false, 0); /* a test may have failed with these set */
    l2r_sys_trace(NULL);
    l2r_remove_tree(temporary_root.path);
}

static inline int make_temporary(bool in_memory)
{
    const char *place = getenv("TMPDIR");
    if (!place || !place[0]) place = in_memory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    char *whole = realpath(place, NULL); /* tests change their folder */
    int n = whole ? snprintf(temporary_root.path, sizeof temporary_root.path, "%s/l2r-test-XXXXXX", whole) : -1;
    free(whole);
    if (n < 0 || n >= (int)sizeof temporary_root.path || !mkdtemp(temporary_root.path)) {
        fprintf(stderr, "TMPDIR=%s: no temporary folder can be made there (at most %d bytes)\n", place,
                (int)sizeof temporary_root.path - 17);
        return -1;
    }
    temporary_root.owner = getpid();
    return atexit(remove_temporary);
}

static inline char *new_temporary(char path[TEMPORARY_LENGTH], bool in_memory)
{
    if (temporary_root.folders == 0 && make_temporary(in_memory) != 0) return NULL;
    snprintf(path, TEMPORARY_LENGTH, "%s/%d", temporary_root.path, ++temporary_root.folders);
    return mkdir(path, 0700) == 0 ? path : NULL;
}

/* The path of a new folder; NULL if there cannot be one. */
static inline char *temporary_folder(char path[TEMPORARY_LENGTH])
{
    return new_temporary(path, false);
}

/* For many small files. */
static inline char *temporary_folder_in_memory(char path[TEMPORARY_LENGTH])
{
    return new_temporary(path, true);
}

#endif
