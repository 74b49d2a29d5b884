/* SPDX-License-Identifier: MIT
 *
 * Public data sets by name: TU sets stay the zip that they are published as (the TU reader reads zips), OGB molecule
 * sets are unpacked into a folder. Nothing appears under its final name before it is complete and checked: against the
 * SHA-256 that the caller names, or that a file of sums names, or that is pinned here, in this order.
 */
#ifndef L2R_IO_FETCH_H
#define L2R_IO_FETCH_H

#include "io/download.h"

enum l2r_fetch_kind { L2R_FETCH_TU, L2R_FETCH_OGB };

struct l2r_known_set {
    const char *name; /* as published: "PROTEINS", "ogbg-molhiv" */
    enum l2r_fetch_kind kind;
    const char *file;   /* FILE.zip on the server; OGB: also the folder that it becomes */
    const char *note;   /* one line */
    const char *sha256; /* of the zip as published, where it is known; or NULL */
};
extern const struct l2r_known_set l2r_known_sets[]; /* ends with a zero row */

struct l2r_fetch_request {
    const char *name; /* "PROTEINS", "ogbg-molhiv", "hiv"; other names are tried as TU sets */
    const char *out_dir;
    const char *base_url;      /* a mirror: BASE/FILE.zip; NULL: the public place */
    const char *sha256;        /* of the zip, 64 digits; or NULL */
    const char *sums;          /* a file with lines as sha256sum writes them, "HEX  FILE.zip"; or NULL */
    int stall_seconds;         /* 0: 30 */
    int max_seconds;           /* 0: 12 hours */
    l2r_progress_fn *progress; /* or NULL */
    void *context;
};

struct l2r_fetch_result {
    char path[4096];    /* what to give to --data */
    bool already_there; /* nothing was downloaded */
    char sha256[65];    /* of the zip; "": it is gone */
    bool compared;      /* and that was the one expected */
};

enum l2r_status l2r_fetch(struct l2r_fetch_result *result, const struct l2r_fetch_request *request,
                          struct l2r_error *error);

#endif
