/* SPDX-License-Identifier: MIT
 *
 * Public data sets by name: TU sets stay the zip that they are published as (the TU reader reads zips), OGB molecule
 * sets are unpacked into a folder. Nothing appears under its final name before it is whole and checked.
 */
#ifndef L2R_IO_FETCH_H
#define L2R_IO_FETCH_H

#include "io/download.h"

enum l2r_fetch_kind { L2R_FETCH_TU, L2R_FETCH_OGB };

struct l2r_known_set {
    const char *name; /* as published: "PROTEINS", "ogbg-molhiv" */
    enum l2r_fetch_kind kind;
    const char *file; /* FILE.zip on the server; OGB: also the folder that it becomes */
    const char *note; /* one line */
};
extern const struct l2r_known_set l2r_known_sets[]; /* ends with a zero row */

struct l2r_fetch_request {
    const char *name; /* "PROTEINS", "ogbg-molhiv", "hiv"; other names are tried as TU sets */
    const char *out_dir;
    const char *base_url;      /* a mirror: BASE/FILE.zip; NULL: the public place */
    const char *sha256;        /* of the zip, 64 digits; NULL: not compared */
    int stall_seconds;         /* 0: 30 */
    l2r_progress_fn *progress; /* or NULL */
    void *context;
};

struct l2r_fetch_result {
    char path[4096];    /* what to give to --data */
    bool already_there; /* nothing was downloaded */
};

enum l2r_status l2r_fetch(struct l2r_fetch_result *result, const struct l2r_fetch_request *request,
                          struct l2r_error *error);

#endif
