/* SPDX-License-Identifier: MIT
 *
 * What a measurement reads: clocks, memory, how busy the machine is; and how several readings become one.
 */
#ifndef L2R_BENCH_CLOCK_H
#define L2R_BENCH_CLOCK_H

#include <stdint.h>

double l2r_seconds(void);           /* of a clock that only goes forward */
double l2r_processor_seconds(void); /* used by all threads of this process so far */

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
