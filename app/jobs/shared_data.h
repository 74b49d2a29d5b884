/* SPDX-License-Identifier: MIT
 *
 * The data sets of many runs: each is loaded once, when first needed, shared read-only by the runs that are training,
 * and freed after its last run.
 *
 *     add, once per run   ->   get, by each run   ->   release, once per run; the last one frees the graphs
 *
 * Two runs share a set when place and reading options are the same. `get` and `release` may be called from several
 * threads; everything else belongs to the thread that makes the list, before the first run starts.
 */
#ifndef L2R_JOBS_SHARED_DATA_H
#define L2R_JOBS_SHARED_DATA_H

#include "data/reader.h"

#include <pthread.h>

struct l2r_shared_set {
    char *where;
    struct l2r_config *options; /* how to read it (data/reader.h) */
    char *key;                  /* identifies these options */
    struct l2r_dataset *data;   /* NULL: not loaded */
    char fingerprint[17];       /* "": not known yet */
    int64_t users;              /* runs that have not released it yet */
};

struct l2r_shared_data {
    pthread_mutex_t lock;
    struct l2r_shared_set *sets;
    size_t n, capacity;
};

void l2r_shared_data_init(struct l2r_shared_data *shared);
void l2r_shared_data_clear(struct l2r_shared_data *shared);

/* The number of the data set, added when it is new. Each call is one user. */
enum l2r_status l2r_shared_data_add(size_t *number, struct l2r_shared_data *shared, const char *where,
                                    const struct l2r_config *options, struct l2r_error *error);
/* Loads it unless it is loaded. */
enum l2r_status l2r_shared_data_get(const struct l2r_dataset **data, struct l2r_shared_data *shared, size_t number,
                                    struct l2r_error *error);
void l2r_shared_data_release(struct l2r_shared_data *shared, size_t number);
/* XXH3 of everything in the graphs that training can see, as 16 hexadecimal digits; for a generated set, of its name.
 * */
enum l2r_status l2r_shared_data_fingerprint(char out[17], struct l2r_shared_data *shared, size_t number,
                                            struct l2r_error *error);

/* The same of graphs at hand, wherever they come from. */
enum l2r_status l2r_data_fingerprint(char out[17], const struct l2r_dataset *data, struct l2r_error *error);

/* Is the data a generator ("motif:mu=0.9") and not a path? */
bool l2r_data_is_generated(const char *data);

#endif
