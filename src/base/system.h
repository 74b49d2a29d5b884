/* SPDX-License-Identifier: MIT
 *
 * Calls to the operating system that can fail, in one place: all files of the library are opened, read, written,
 * flushed, renamed, mapped and closed through here, and so are its allocations (memory.h), so that tests can make the
 * k-th of them fail as a full disk, a broken one or a limit would. This is always compiled in; while no test uses it,
 * it costs one relaxed load.
 *
 * Each call is that of the same name in POSIX and returns the same. Streams are stdio's, on top of these calls.
 */
#ifndef L2R_BASE_SYSTEM_H
#define L2R_BASE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* Never waits for the other end of a pipe. What is opened for reading only is a regular file or a folder: pipes,
 * sockets and devices would hang or never end, and are refused with errno L2R_NOT_A_FILE. */
enum { L2R_NOT_A_FILE = 1 << 20 };
int l2r_sys_open(const char *path, int flags);
/* strerror, also for L2R_NOT_A_FILE. */
const char *l2r_sys_reason(int code);
ssize_t l2r_sys_read(int fd, void *bytes, size_t size);
ssize_t l2r_sys_write(int fd, const void *bytes, size_t size);
/* File systems that cannot flush are no failure. */
int l2r_sys_fsync(int fd);
int l2r_sys_ftruncate(int fd, off_t length);
int l2r_sys_close(int fd);
int l2r_sys_rename(const char *from, const char *to);
int l2r_sys_link(const char *from, const char *to);
int l2r_sys_mkdir(const char *path);
/* A whole file, read-only. Returns MAP_FAILED on failure, like mmap. If another process truncates the file, reading the
 * lost part kills this process: use it only for files that nobody else can write. */
void *l2r_sys_map(int fd, size_t bytes);
/* Pages of zeros, which take memory only when they are written to; munmap frees them. MAP_FAILED as above. */
void *l2r_sys_pages(size_t bytes);

/* A stream on a new descriptor, *fd, which stays the stream's own; flags as for open. NULL: errno says why. */
FILE *l2r_sys_stream(int *fd, const char *path, int flags);
/* The same on a copy of a descriptor that is open already; closing one leaves the other. */
FILE *l2r_sys_stream_of(int *fd, int open, int flags);
/* The errno of the calling thread's last failed write (a stream records only that one failed). */
int l2r_sys_write_reason(void);

/* ---- For tests ---- */

enum l2r_call {
    L2R_CALL_ALLOCATE = 1 << 0,
    L2R_CALL_OPEN = 1 << 1, /* also of folders */
    L2R_CALL_READ = 1 << 2,
    L2R_CALL_WRITE = 1 << 3, /* also ftruncate */
    L2R_CALL_FSYNC = 1 << 4,
    L2R_CALL_RENAME = 1 << 5, /* also link and mkdir: whatever changes a folder */
    L2R_CALL_CLOSE = 1 << 6,
    L2R_CALL_MAP = 1 << 7
};

/* The k-th call from now (0: the next) of the kinds in `calls` fails with errno `reason`, once or for good; a write
 * that fails once has written half. calls = 0 switches it off. For all threads. Returns how many calls of the kinds
 * asked for before were made. */
long l2r_fault_set(unsigned calls, long k, bool for_good, int reason);
/* Called after every call that changed the disk, L2R_CALL_WRITE, _FSYNC or _RENAME, with its descriptor (-1: it has
 * none), by the thread that made it. NULL switches it off. */
void l2r_sys_trace(void (*function)(enum l2r_call call, int fd));
/* Should this call fail? Sets errno. */
bool l2r_fault_due(enum l2r_call call);

#endif
