/* SPDX-License-Identifier: MIT
 * See threads.h. */
#include "base/threads.h"

#ifdef _OPENMP
#include <omp.h>
#endif

void l2r_parallel(int64_t n_chunks, l2r_chunk_fn *fn, void *context)
{
    if (n_chunks == 1) {
        fn(context, 0);
        return;
    }
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1)
#endif
    for (int64_t chunk = 0; chunk < n_chunks; chunk++) fn(context, chunk);
}

void l2r_threads_set(int n)
{
#ifdef _OPENMP
    omp_set_num_threads(n > 0 ? n : omp_get_num_procs());
#else
    (void)n;
#endif
}

int l2r_threads_get(void)
{
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}
