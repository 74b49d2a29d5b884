/* SPDX-License-Identifier: MIT
 *
 * Unfinished files and folders lie beside their target as NAME.tmp-<32 hexadecimal digits>:
 *
 *     digits  1–16   random: the name cannot be guessed, so no link can be planted there
 *     digits 17–32   XXH3 of the first 16, keyed: other programs' names do not match
 *
 * It is created with O_EXCL | O_NOFOLLOW, and its writer holds a lock on it (flock). The kernel releases the lock when
 * the process ends, however it ends and whatever PID namespace it was in. Litter is therefore what has such a name,
 * belongs to this user and can be locked; nothing else is ever removed. Where a file system cannot lock, litter stays.
 */
#ifndef L2R_IO_TEMPORARY_H
#define L2R_IO_TEMPORARY_H

#include <stdbool.h>

enum { L2R_TEMPORARY_PATH = 4200 };

/* A new file, or a new folder, beside `target`. Returns a descriptor that holds its lock (of a file: open for reading
 * and writing), or -1, and errno says why. Close it after the temporary was renamed or removed, not before. */
int l2r_temporary_new(char path[L2R_TEMPORARY_PATH], const char *target, bool folder);
/* A second name for the file `from`, beside `target`, in the same way. */
int l2r_temporary_link(char path[L2R_TEMPORARY_PATH], const char *from, const char *target);
/* Is this a name that l2r_temporary_new makes? */
bool l2r_temporary_is_ours(const char *name);

/* Removes from a folder, or from the folder of a file and the file's own if it is one, what ended processes left. */
void l2r_remove_litter(const char *folder);
void l2r_remove_litter_at(const char *path);
/* rm -r; links are removed, never followed. Failures are ignored: this cleans up after a failure. */
void l2r_remove_tree(const char *path);

#endif
