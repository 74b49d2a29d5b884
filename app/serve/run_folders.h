/* SPDX-License-Identifier: MIT
 *
 * Which folders below a folder are runs, and what changes when one of them does.
 */
#ifndef L2R_SERVE_RUN_FOLDERS_H
#define L2R_SERVE_RUN_FOLDERS_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

struct l2r_run_folder {
    char *name;     /* its path below the folder: "gin/seed-0" */
    uint64_t stamp; /* of its config, record and result */
};

struct l2r_run_folders {
    struct l2r_run_folder *items; /* [n], by name */
    size_t n, capacity;
};

/* Folders with a config.json; hidden ones, links and those deeper than L2R_RUN_DEPTH are left out. */
enum l2r_status l2r_run_folders_find(struct l2r_run_folders *folders, const char *dir, struct l2r_error *error);
void l2r_run_folders_clear(struct l2r_run_folders *folders);

#endif
