/* SPDX-License-Identifier: MIT
 *
 * One fuzz input as a file that exists in memory only but has a path.
 */
#ifndef L2R_FUZZ_MEMORY_FILE_H
#define L2R_FUZZ_MEMORY_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct memory_file {
    int file;
    char path[64];
};

static inline struct memory_file memory_file_new(const uint8_t *data, size_t size)
{
    struct memory_file m = {.file = memfd_create("input", MFD_CLOEXEC)};
    if (m.file < 0) abort();
    for (size_t done = 0; done < size;) {
        ssize_t n = write(m.file, data + done, size - done);
        if (n <= 0) abort();
        done += (size_t)n;
    }
    snprintf(m.path, sizeof m.path, "/proc/self/fd/%d", m.file);
    return m;
}

#endif
