/* SPDX-License-Identifier: MIT
 *
 * How long does it take to have a data set in memory: read from its own files, and mapped from the cache?
 *
 * Every run reads all of it again; the files themselves are in the system's page cache from the first run on. The
 * cache file of the measurement lies in a temporary folder, so the user's own cache is neither used nor changed.
 */
#ifndef L2R_BENCH_LOAD_H
#define L2R_BENCH_LOAD_H

#include "base/status.h"
#include "bench/measure.h"

struct l2r_load_time {
    char name[64];
    int64_t graphs, nodes, arcs;
    int64_t source_bytes; /* as stored: the archive, or all files of the folder, also those that no reader needs */
    int64_t data_bytes;   /* in memory */
    struct l2r_spread read, cached;     /* seconds */
    int64_t memory_before, peak_memory; /* resident: before the first read, and the largest while reading */
};

/* path: a folder or an archive. */
enum l2r_status l2r_load_measure(struct l2r_load_time *time, const char *path, int64_t runs, struct l2r_error *error);

#endif
