/* SPDX-License-Identifier: MIT
 *
 * Folders that are never seen half written: files go into TARGET.tmp-<pid>, which becomes TARGET by one rename.
 *
 *     L2R_TRY(l2r_staging_open(&staging, "data/motif", error));
 *     … write files into staging.folder …
 *   done: status = l2r_staging_close(&staging, NULL, status, error);   renames if status is L2R_OK, removes otherwise
 *
 * An existing TARGET is never overwritten, unless it is an empty folder.
 */
#ifndef L2R_IO_STAGING_H
#define L2R_IO_STAGING_H

#include "base/status.h"

#include <stdbool.h>

struct l2r_staging {
    char target[4096];
    char folder[4200]; /* where to write; "" when nothing is open */
};

enum l2r_status l2r_staging_open(struct l2r_staging *staging, const char *target, struct l2r_error *error);
/* inner: the folder inside that becomes the target, or NULL for all. Closing what was never opened ({0}) is fine. */
enum l2r_status l2r_staging_close(struct l2r_staging *staging, const char *inner, enum l2r_status status,
                                  struct l2r_error *error);

/* Is there a folder with at least one entry, or a file? */
bool l2r_path_is_occupied(const char *path);
/* rm -r; links are removed, not followed. Failures are ignored: this tidies up after something that already failed. */
void l2r_remove_tree(const char *path);

/* Removes what processes that have ended left half written in a folder: entries called NAME.tmp-<pid>. */
void l2r_remove_litter(const char *folder);

#endif
