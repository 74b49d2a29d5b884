/* SPDX-License-Identifier: MIT
 *
 * A slow disk, for tools/test-conditions: preloaded (LD_PRELOAD), it lets every call wait that a disk with a deep queue
 * would keep waiting, for L2R_SLOW_DISK_MS milliseconds (5). Opening for writing, flushing, renaming, removing and
 * making folders; reading is not slowed, because what tests read is in memory.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void wait_for_the_disk(void)
{
    const char *given = getenv("L2R_SLOW_DISK_MS");
    long ms = given != NULL ? strtol(given, NULL, 10) : 5;
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&left, &left) != 0) continue;
}

/* The same call in the next library. POSIX lets an object pointer hold a function. */
static void find(void *function, const char *name)
{
    void *next = dlsym(RTLD_NEXT, name);
    memcpy(function, &next, sizeof next);
}

#define SLOW(type, name, parameters, arguments)                                                                        \
    type name parameters                                                                                               \
    {                                                                                                                  \
        type(*next) parameters;                                                                                        \
        find(&next, #name);                                                                                            \
        wait_for_the_disk();                                                                                           \
        return next arguments;                                                                                         \
    }

SLOW(int, fsync, (int fd), (fd))
SLOW(int, fdatasync, (int fd), (fd))
SLOW(int, rename, (const char *from, const char *to), (from, to))
SLOW(int, unlink, (const char *path), (path))
SLOW(int, mkdir, (const char *path, mode_t mode), (path, mode))

static void wait_to_write(int flags)
{
    if ((flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT)) wait_for_the_disk();
}

/* The mode is passed on whether it is there or not, as the C library itself does. */
#define SLOW_OPEN(name, parameters, arguments)                                                                         \
    int name parameters                                                                                                \
    {                                                                                                                  \
        int(*next) parameters;                                                                                         \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;                                      \
        va_end(rest);                                                                                                  \
        find(&next, #name);                                                                                            \
        wait_to_write(flags);                                                                                          \
        return next arguments;                                                                                         \
    }

SLOW_OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
SLOW_OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
SLOW_OPEN(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
SLOW_OPEN(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))

#define SLOW_FOPEN(name)                                                                                               \
    FILE *name(const char *path, const char *mode)                                                                     \
    {                                                                                                                  \
        FILE *(*next)(const char *, const char *);                                                                     \
        find(&next, #name);                                                                                            \
        if (strpbrk(mode, "wa+") != NULL) wait_for_the_disk();                                                         \
        return next(path, mode);                                                                                       \
    }

SLOW_FOPEN(fopen)
SLOW_FOPEN(fopen64)
