/* SPDX-License-Identifier: MIT
 *
 * The matrix libraries found on this machine, opened by name at run time behind one signature. None of them has to be
 * installed to build the measurement, and two of them that export the same symbols do not meet.
 */
#ifndef L2R_BENCH_GEMM_LIBRARIES_H
#define L2R_BENCH_GEMM_LIBRARIES_H

#include <stdbool.h>

/* Row-major, C [m × n] = op(A) op(B), alpha = 1, beta = 0, rows without gaps; computed by the calling thread alone. */
struct gemm_call {
    bool a_transposed, b_transposed;
    int m, n, k;
    const float *a, *b;
    float *c;
    int a_stride, b_stride, c_stride;
};

typedef int dnnl_sgemm_fn(char a_transposed, char b_transposed, long m, long n, long k, float alpha, const float *a,
                          long a_stride, const float *b, long b_stride, float beta, float *c, long c_stride);
typedef void cblas_sgemm_fn(int order, int a_transposed, int b_transposed, int m, int n, int k, float alpha,
                            const float *a, int a_stride, const float *b, int b_stride, float beta, float *c,
                            int c_stride);

struct gemm_library {
    const char *name; /* "oneDNN" */
    const char *file; /* what was opened */
    char version[64];
    dnnl_sgemm_fn *dnnl; /* one of the two is set */
    cblas_sgemm_fn *cblas;
};

enum { GEMM_LIBRARIES = 4 };

/* Opens those that are there; returns how many. They stay open until the program ends. */
int gemm_libraries_open(struct gemm_library found[GEMM_LIBRARIES]);
void gemm_library_call(const struct gemm_library *library, const struct gemm_call *p);

#endif
