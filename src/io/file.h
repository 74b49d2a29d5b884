/* SPDX-License-Identifier: MIT
 *
 * Files: reading whole files, making folders, and atomic writes.
 */
#ifndef L2R_IO_FILE_H
#define L2R_IO_FILE_H

#include "base/status.h"
#include "io/temporary.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* "dir/name" into a buffer of `size` bytes; an error when it does not fit. */
enum l2r_status l2r_path_join(char *out, size_t size, const char *dir, const char *name, struct l2r_error *error);
bool l2r_path_is_file(const char *path);
bool l2r_path_is_dir(const char *path);
bool l2r_path_is_there(const char *path); /* anything of this name, also a link that leads nowhere */
/* The part after the last slash ("a/b//" -> "b"), copied. */
void l2r_path_base(char *out, size_t size, const char *path);
/* mkdir -p, flushed to the disk. */
enum l2r_status l2r_make_dirs(const char *path, struct l2r_error *error);

/* The whole file as a NUL-terminated block from l2r_alloc (free with l2r_free); refuses files above `limit` bytes. */
enum l2r_status l2r_file_read(char **content, size_t *length, const char *path, size_t limit, struct l2r_error *error);

/* Atomic write: data goes to a temporary beside PATH (io/temporary.h); commit flushes, fsyncs, renames over PATH and
 * fsyncs the folder. A PATH that is there keeps its permissions.
 * Anything that fails, or abandon, removes the temporary and leaves the old PATH as it was.
 *
 *     L2R_TRY(l2r_atomic_open(&w, path, error));
 *     fprintf(w.stream, …);
 *   done: status = l2r_atomic_close(&w, status, error);    commits if status is L2R_OK, abandons otherwise
 */
struct l2r_atomic {
    FILE *stream;     /* NULL when closed */
    int fd;           /* the stream's */
    int lock;         /* held on the temporary; -1: a pipe or a device is written to directly */
    const char *keep; /* NULL, or set after opening: the old PATH is kept under this name, in the same folder */
    char path[4096];
    char temporary[L2R_TEMPORARY_PATH];
};
enum l2r_status l2r_atomic_open(struct l2r_atomic *writer, const char *path, struct l2r_error *error);
enum l2r_status l2r_atomic_close(struct l2r_atomic *writer, enum l2r_status status, struct l2r_error *error);
/* The common case: this text becomes the file. */
enum l2r_status l2r_file_write(const char *path, const char *text, size_t length, struct l2r_error *error);

/* Makes a new name in the folder of `path` durable. Its content is in place by then, so a folder that cannot be flushed
 * is no failure. */
void l2r_sync_folder_of(const char *path);

/* The SHA-256 of a file (libcrypto's): 64 lower-case hexadecimal digits and a NUL. */
enum l2r_status l2r_file_sha256(char hex[65], const char *path, struct l2r_error *error);
/* 64 hexadecimal digits of either case? */
bool l2r_is_sha256(const char *text);

#endif
