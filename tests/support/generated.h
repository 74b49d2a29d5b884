/* SPDX-License-Identifier: MIT
 *
 * For tests of generators: a data set from its description (`spmotif:bias=0.9`), and frequencies that must meet their
 * rates within 4 standard deviations.
 */
#ifndef L2R_TESTS_GENERATED_H
#define L2R_TESTS_GENERATED_H

#include "data/reader.h"

#include <math.h>

static struct l2r_error error;

static inline struct l2r_dataset *generated(const char *where)
{
    struct l2r_dataset *data = NULL;
    if (l2r_dataset_load(&data, where, false, &error) != L2R_OK) fail_msg("%s", error.message);
    return data;
}

static inline void assert_rate(int64_t hits, int64_t n, double rate)
{
    double sigma = sqrt((double)n * rate * (1 - rate));
    if (fabs((double)hits - (double)n * rate) > 4 * sigma)
        fail_msg("%ld of %ld, but the rate is %g (sigma %.1f)", (long)hits, (long)n, rate, sigma);
}

#endif
