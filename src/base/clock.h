/* SPDX-License-Identifier: MIT
 *
 * Seconds, for progress, limits and measurements. Nothing that is computed depends on them.
 */
#ifndef L2R_BASE_CLOCK_H
#define L2R_BASE_CLOCK_H

/* Since some fixed moment; never goes back. */
double l2r_clock_seconds(void);
/* Of processor time that the calling thread has used; all threads of the process. */
double l2r_clock_thread_seconds(void);
double l2r_clock_process_seconds(void);
/* Since 1970, UTC. */
double l2r_clock_date(void);

#endif
