/* SPDX-License-Identifier: MIT
 *
 * Matrix products, row-major:  C = alpha · op(A) · op(B) + beta · C,  op(A) is [m × k], op(B) is [k × n].
 *
 * The work goes to oneDNN, one single-threaded call per block of rows of C; the blocks depend on the shape alone, so
 * the result has the same bits for any number of threads. Out of memory is reported by l2r_work_failed
 * (base/threads.h), which tapes check. bench/gemm.c holds the measurement that chose the library.
 */
#ifndef L2R_KERNELS_GEMM_H
#define L2R_KERNELS_GEMM_H

#include "kernels/real.h"

#include <stdbool.h>

struct l2r_matrix {
    const l2r_real *data;
    int64_t stride; /* numbers from one stored row to the next */
    bool transposed;
};

void l2r_gemm(l2r_real *c, int64_t c_stride, l2r_real beta, struct l2r_matrix a, struct l2r_matrix b, int64_t m,
              int64_t n, int64_t k);

/* The same on the calling thread alone: for use inside a chunk. */
void l2r_gemm_serial(l2r_real *c, int64_t c_stride, l2r_real beta, struct l2r_matrix a, struct l2r_matrix b, int64_t m,
                     int64_t n, int64_t k);

/* Rows of C in one block, for kernels that add their own work to each block. */
int64_t l2r_gemm_block(int64_t m, int64_t n, int64_t k);

#endif
