/* SPDX-License-Identifier: MIT
 *
 * Untrusted zip archives: a check that reads every byte, and unpacking that cannot leave its folder.
 */
#ifndef L2R_IO_UNPACK_H
#define L2R_IO_UNPACK_H

#include "io/archive.h"
#include "io/download.h"

struct l2r_unpack {
    const char *archive;
    const char *folder; /* exists and is empty; NULL: only check (every entry's data against its CRC) */
    const struct l2r_archive_limits *limits;
    l2r_progress_fn *progress; /* or NULL; steps "check" and "unpack" */
    void *context;
};

/* Entries with an absolute name, with "..", links and devices are refused by name (L2R_ERR_FORMAT), also by a mere
 * check. On an error the folder holds a part of the files: the caller removes it. */
enum l2r_status l2r_unpack(const struct l2r_unpack *job, struct l2r_error *error);

#endif
