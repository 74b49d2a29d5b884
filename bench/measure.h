/* SPDX-License-Identifier: MIT
 *
 * What benchmarks measure besides whole passes (passes.h): memory, the load of the machine, the loading of a data set,
 * and one set of sample weights; and the summary of several readings. Time is read from base/clock.h.
 */
#ifndef L2R_BENCH_MEASURE_H
#define L2R_BENCH_MEASURE_H

#include "base/status.h"

#include <jansson.h>
#include <stdint.h>

/* ---- readings ---- */

struct l2r_spread {
    double median, least, most;
};
/* n >= 1; the values keep their order. NaN everywhere when out of memory. */
struct l2r_spread l2r_spread_of(const double *values, int64_t n);
json_t *l2r_spread_to_json(struct l2r_spread spread); /* new reference */

/* Largest resident size of this process since it started or since the reset, in bytes (VmHWM). */
int64_t l2r_peak_memory(void);
/* Lowers the peak to the present size; where the system does not allow that, the old peak stays. */
void l2r_peak_memory_reset(void);

/* Processes that wanted a core over the last minute; -1: unknown. */
double l2r_load_average(void);

/* ---- loading: a data set read from its own files, and from the cache ----
 *
 * Every run reads all of it again; the files themselves are in the system's page cache from the first run on. The
 * cache file of the measurement lies in a temporary folder, so the user's own cache is neither used nor changed. */

struct l2r_load_time {
    char name[64], fingerprint[17];
    int64_t graphs, nodes, arcs;
    int64_t source_bytes; /* as stored: the archive, or all files of the folder, also those that no reader needs */
    int64_t data_bytes;   /* in memory */
    struct l2r_spread read, cached;     /* seconds */
    int64_t memory_before, peak_memory; /* resident: before the first read, and the largest while reading */
};

/* path: a folder or an archive. */
enum l2r_status l2r_load_measure(struct l2r_load_time *time, const char *path, int64_t runs, struct l2r_error *error);
json_t *l2r_load_to_json(const struct l2r_load_time *time); /* new reference */

/* ---- reweighting: one set of sample weights ----
 *
 * Timed is what training does for a mini-batch with its queues: from Z [rows × d] standardise, draw 5 random Fourier
 * features of each variable, prepare the dependence, take 20 steps of Adam on the softmax weights of all rows, and
 * evaluate the dependence before and after them. */

struct l2r_reweight_shape {
    int64_t rows, width; /* of Z */
    int64_t clusters;    /* 0: all pairs of variables count; otherwise those in different clusters */
};

struct l2r_reweight_time {
    struct l2r_spread seconds, processor_seconds;
    double left; /* dependence after ÷ dependence before: about equal for programs that do the same work */
};

/* `runs` are counted, after two that let the arena find its size, as the first batches of a training run do. */
enum l2r_status l2r_reweight_measure(struct l2r_reweight_time *time, const struct l2r_reweight_shape *shape,
                                     int64_t runs, struct l2r_error *error);
json_t *l2r_reweight_to_json(const struct l2r_reweight_time *time, const struct l2r_reweight_shape *shape);

#endif
