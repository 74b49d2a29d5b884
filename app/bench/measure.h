/* SPDX-License-Identifier: MIT
 *
 * What a benchmark reads besides the clock (base/clock.h): memory, how busy the machine is; and the summary of several
 * readings.
 */
#ifndef L2R_BENCH_MEASURE_H
#define L2R_BENCH_MEASURE_H

#include <stdint.h>

struct l2r_spread {
    double median, least, most;
};
/* n >= 1; the values keep their order. NaN everywhere when out of memory. */
struct l2r_spread l2r_spread_of(const double *values, int64_t n);

/* Largest resident size of this process since it started or since the reset, in bytes (VmHWM). */
int64_t l2r_peak_memory(void);
/* Starts the peak anew at the size of now; where the system does not allow that, the old peak stays. */
void l2r_peak_memory_reset(void);

/* Processes that wanted a core over the last minute; -1: unknown. */
double l2r_load_average(void);

#endif
