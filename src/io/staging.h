/* SPDX-License-Identifier: MIT
 *
 * Folders that appear only when they are complete: files go into a temporary folder beside TARGET (io/temporary.h),
 * which becomes TARGET by one rename.
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
#include "io/temporary.h"

#include <stdbool.h>

struct l2r_staging {
    char target[4096];
    char folder[L2R_TEMPORARY_PATH]; /* where to write; "" when nothing is open */
    int lock;                        /* held on it */
};

enum l2r_status l2r_staging_open(struct l2r_staging *staging, const char *target, struct l2r_error *error);
/* inner: the folder inside that becomes the target, or NULL for all. Closing what was never opened ({0}) is fine. */
enum l2r_status l2r_staging_close(struct l2r_staging *staging, const char *inner, enum l2r_status status,
                                  struct l2r_error *error);

/* Is there a folder with at least one entry, or a file? */
bool l2r_path_is_occupied(const char *path);

#endif
