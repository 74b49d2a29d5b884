/* SPDX-License-Identifier: MIT
 * See clock.h. */
#include "base/clock.h"

#include <time.h>

static double read_clock(clockid_t which)
{
    struct timespec t;
    clock_gettime(which, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double l2r_clock_seconds(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double l2r_clock_thread_seconds(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

double l2r_clock_process_seconds(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

double l2r_clock_date(void)
{
    return read_clock(CLOCK_REALTIME);
}
