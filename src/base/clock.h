/* SPDX-License-Identifier: MIT
 *
 * Seconds, for progress, limits and measurements. Nothing that is computed depends on them. All four clocks have
 * nanoseconds; which one to use:
 *
 *     how long did it take?              l2r_clock_seconds            runs while the thread sleeps, never backwards
 *     how much work was it?              l2r_clock_thread_seconds     processor time of the calling thread
 *     … with all its threads?            l2r_clock_process_seconds    processor time of the process
 *     when was it?                       l2r_clock_date               since 1970, UTC; may be set back by the system
 */
#ifndef L2R_BASE_CLOCK_H
#define L2R_BASE_CLOCK_H

#include <time.h>

static inline double l2r_clock_read(clockid_t which)
{
    struct timespec t;
    clock_gettime(which, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double l2r_clock_seconds(void)
{
    return l2r_clock_read(CLOCK_MONOTONIC);
}

/* Seconds since l2r_clock_seconds was `start`; 0 if a virtual machine or a replaced clock has set it back all the
 * same. */
static inline double l2r_clock_since(double start)
{
    double seconds = l2r_clock_seconds() - start;
    return seconds > 0 ? seconds : 0;
}

static inline double l2r_clock_thread_seconds(void)
{
    return l2r_clock_read(CLOCK_THREAD_CPUTIME_ID);
}

static inline double l2r_clock_process_seconds(void)
{
    return l2r_clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

static inline double l2r_clock_date(void)
{
    return l2r_clock_read(CLOCK_REALTIME);
}

#endif
