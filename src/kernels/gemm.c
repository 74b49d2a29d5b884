/* SPDX-License-Identifier: MIT
 *
 * See gemm.h. Most of this file is about calling oneDNN safely from several threads at a time: it compiles code on
 * first use, must not start threads of its own, and crashes when memory is short unless that is prevented. The products
 * themselves are one call.
 */
#include "kernels/gemm.h"

#include "base/threads.h"

#ifdef L2R_REAL_DOUBLE

/* The double build exists for numeric gradient tests only: a plain product is all it needs. */
void l2r_gemm_serial(l2r_real *c, int64_t c_stride, l2r_real beta, struct l2r_matrix a, struct l2r_matrix b, int64_t m,
                     int64_t n, int64_t k)
{
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < n; j++) c[i * c_stride + j] = beta == 0 ? 0 : beta * c[i * c_stride + j];
        for (int64_t l = 0; l < k; l++) {
            l2r_real left = a.transposed ? a.data[l * a.stride + i] : a.data[i * a.stride + l];
            for (int64_t j = 0; j < n; j++)
                c[i * c_stride + j] += left * (b.transposed ? b.data[j * b.stride + l] : b.data[l * b.stride + j]);
        }
    }
}

#else

#include <oneapi/dnnl/dnnl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#ifdef _OPENMP
#include <omp.h>
#endif

/* The first product of its kind makes oneDNN write machine code, and it crashes when there is no memory for that
 * (version 2.6). So the first product of a new kind runs alone, and only if there is enough memory: by measurement, 24
 * MB of free address space suffice. The library does not document which shapes share code; transposition and sizes up
 * to a factor of two are finer than its choices. */
enum { CLASSES = 14 };
static _Atomic bool known_kinds[8][CLASSES][CLASSES][CLASSES];
static pthread_mutex_t first_of_kind = PTHREAD_MUTEX_INITIALIZER;

static int class_of(int64_t n)
{
    int bits = 64 - __builtin_clzll((unsigned long long)n); /* n > 0 */
    return bits < CLASSES ? bits : CLASSES - 1;
}

static bool there_is_plenty(void)
{
    static const size_t plenty = (size_t)32 << 20;
    void *probe = mmap(NULL, plenty, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (probe == MAP_FAILED) return false;
    munmap(probe, plenty);
    return true;
}

/* Its code for AVX2 and AVX-512 keeps pointers below the stack pointer (version 2.6), where the kernel puts the frame
 * of a signal that is handled on the same stack: a Ctrl-C in a product would corrupt the heap. So signals wait until
 * the product is done, but those that the product itself can raise. */
static void hold_signals(sigset_t *before)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    sigset_t held;
    sigfillset(&held);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&held, own[i]);
    pthread_sigmask(SIG_BLOCK, &held, before);
}

void l2r_gemm_serial(l2r_real *c, int64_t c_stride, l2r_real beta, struct l2r_matrix a, struct l2r_matrix b, int64_t m,
                     int64_t n, int64_t k)
{
    if (m == 0 || n == 0) return;
    if (k == 0) { /* an empty sum: oneDNN leaves C untouched, beta included */
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) c[i * c_stride + j] = beta == 0 ? 0 : beta * c[i * c_stride + j];
        return;
    }
    int form = (a.transposed ? 1 : 0) + (b.transposed ? 2 : 0) + (beta == 0 ? 0 : 4);
    _Atomic bool *known = &known_kinds[form][class_of(m)][class_of(n)][class_of(k)];
    bool first = !atomic_load_explicit(known, memory_order_relaxed), done = false;
    if (first) pthread_mutex_lock(&first_of_kind);
    if (first && atomic_load_explicit(known, memory_order_relaxed)) { /* another thread was faster */
        pthread_mutex_unlock(&first_of_kind);
        first = false;
    }
    if (first) l2r_vector_set_products();
    if (!first || there_is_plenty()) {
#ifdef _OPENMP
        int threads = omp_get_max_threads(); /* oneDNN would start its own team with another partition */
        omp_set_num_threads(1);
#endif
        sigset_t before;
        hold_signals(&before);
        /* It packs its operands into memory of its own, which may be out. */
        done = dnnl_sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', m, n, k, 1.0f, a.data, a.stride, b.data,
                          b.stride, beta, c, c_stride) == dnnl_success;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
#ifdef _OPENMP
        omp_set_num_threads(threads);
#endif
    }
    if (first) {
        atomic_store_explicit(known, done, memory_order_relaxed);
        pthread_mutex_unlock(&first_of_kind);
    }
    if (!done) l2r_work_fail();
}

#endif

int64_t l2r_gemm_block(int64_t m, int64_t n, int64_t k)
{
    /* Each block packs B anew, so blocks are few: up to 4 while they hold 4 MFLOP, more only for more than 512 rows
     * each. Powers of two divide evenly among the usual numbers of cores. */
    double flops = 2.0 * (double)m * (double)n * (double)k;
    int64_t blocks = flops >= 16e6 ? 4 : flops >= 8e6 ? 2 : 1;
    while (m / blocks > 512 && blocks < 64) blocks *= 2;
    int64_t rows = (m + blocks - 1) / blocks;
    rows = (rows + 5) / 6 * 6; /* a multiple of the library's register tile */
    return rows > 0 ? rows : 1;
}

struct product {
    l2r_real *c;
    int64_t c_stride;
    l2r_real beta;
    struct l2r_matrix a, b;
    int64_t m, n, k, block;
};

static void product_block(void *context, int64_t chunk)
{
    const struct product *p = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, p->m, p->block, chunk);
    struct l2r_matrix a = p->a;
    a.data += a.transposed ? begin : begin * a.stride;
    l2r_gemm_serial(p->c + begin * p->c_stride, p->c_stride, p->beta, a, p->b, end - begin, p->n, p->k);
}

void l2r_gemm(l2r_real *c, int64_t c_stride, l2r_real beta, struct l2r_matrix a, struct l2r_matrix b, int64_t m,
              int64_t n, int64_t k)
{
    struct product p = {c, c_stride, beta, a, b, m, n, k, l2r_gemm_block(m, n, k)};
    l2r_parallel(l2r_chunk_count(m, p.block), product_block, &p);
}
