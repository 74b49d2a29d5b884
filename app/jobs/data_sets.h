/* SPDX-License-Identifier: MIT
 *
 * The data sets of a queue of runs: each is loaded once, when first needed, shared read-only by the runs at work, and freed after
 * its last run. The pool may be used from several threads.
 */
#ifndef L2R_JOBS_DATA_SETS_H
#define L2R_JOBS_DATA_SETS_H

#include "data/options.h"

#include <pthread.h>

struct l2r_pooled {
    char *where;
    struct l2r_config *options; /* how to read it (data/options.h) */
    char *key;                  /* tells these options from others */
    struct l2r_dataset *data;   /* NULL: not loaded */
    char fingerprint[17];       /* "": not known yet */
    int64_t users;              /* runs that have not released it yet */
};

struct l2r_pool {
    pthread_mutex_t lock;
    struct l2r_pooled *sets;
    size_t n, capacity;
};

void l2r_pool_init(struct l2r_pool *pool);
void l2r_pool_clear(struct l2r_pool *pool);

/* The number of the data set, added when it is new. Each call is one user. */
enum l2r_status l2r_pool_add(size_t *number, struct l2r_pool *pool, const char *where, const struct l2r_config *options,
                             struct l2r_error *error);
/* Loads it unless it is there. */
enum l2r_status l2r_pool_get(const struct l2r_dataset **data, struct l2r_pool *pool, size_t number,
                             struct l2r_error *error);
/* One user less; the last one frees the graphs. */
void l2r_pool_release(struct l2r_pool *pool, size_t number);
/* XXH3 of everything that training can see of the graphs, as 16 hexadecimal digits. A generated set is named by its own words. */
enum l2r_status l2r_pool_fingerprint(char out[17], struct l2r_pool *pool, size_t number, struct l2r_error *error);

#endif
