/* SPDX-License-Identifier: MIT
 *
 * What /metrics shows, in the text format of Prometheus. Counters only rise; any thread may add to them.
 */
#ifndef L2R_SERVE_COUNTERS_H
#define L2R_SERVE_COUNTERS_H

#include "base/text.h"

#include <stdint.h>

enum { L2R_LATENCIES = 12, L2R_ROUTES = 16 };
extern const double l2r_latency_bounds[L2R_LATENCIES]; /* seconds; the last is infinite */

struct l2r_counters {
    double started;
    _Atomic uint64_t codes[6]; /* answers by their first digit */
    _Atomic uint64_t molecules, batches, refused, reloads;
    _Atomic uint64_t latency[L2R_LATENCIES]; /* of predictions, from the request's end to the answer */
    _Atomic uint64_t latency_count, latency_nanoseconds;
};

void l2r_counters_code(struct l2r_counters *counters, int code);
void l2r_counters_latency(struct l2r_counters *counters, double seconds);
/* What is counted elsewhere: what is there now. */
struct l2r_gauges {
    uint64_t waiting, connections, models;
};
void l2r_counters_print(struct l2r_text *text, const struct l2r_counters *counters, const struct l2r_gauges *gauges);

#endif
