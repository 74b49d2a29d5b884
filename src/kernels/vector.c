/* SPDX-License-Identifier: MIT
 *
 * See vector.h. The width is chosen at the first call of a kernel, once for the process: threads that choose at the
 * same time choose the same.
 */
#include "kernels/vector.h"

#include <l2r/status.h>
#include <oneapi/dnnl/dnnl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLE "L2R_VECTOR"

/* [L2R_VECTOR_*]; oneDNN has no products for less than SSE 4.1. */
static const struct {
    const char *name;
    dnnl_cpu_isa_t products;
} widths[] = {{"", dnnl_cpu_isa_all},
              {"baseline", dnnl_cpu_isa_sse41},
              {"avx2", dnnl_cpu_isa_avx2},
              {"avx512", dnnl_cpu_isa_avx512_core}};

_Atomic int l2r_vector_in_use;

/* avx512 means the same to oneDNN and l2r: what all processors have that are not Xeon Phi. */
static enum l2r_vector of_processor(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        return L2R_VECTOR_AVX512;
    if (has_avx2) return L2R_VECTOR_AVX2;
#endif
    return L2R_VECTOR_BASELINE;
}

const char *l2r_vector_of_processor(void)
{
    return widths[of_processor()].name;
}

enum l2r_vector l2r_vector_widest(void)
{
#ifdef L2R_HAS_CLONES
    return of_processor();
#else
    return L2R_VECTOR_BASELINE;
#endif
}

/* The width that the environment names; 0: none that is known. */
static int wanted(void)
{
    const char *word = getenv(VARIABLE);
    for (int i = L2R_VECTOR_AVX512; word != NULL && i >= L2R_VECTOR_BASELINE; i--)
        if (strcmp(word, widths[i].name) == 0) return i;
    return 0;
}

enum l2r_status l2r_vector_check(struct l2r_error *error)
{
    const char *word = getenv(VARIABLE);
    int width = wanted();
    if (word == NULL || *word == '\0') return L2R_OK;
    if (width == 0)
        return l2r_fail(error, L2R_ERR_ARGUMENT, VARIABLE "=%s in the environment: expected avx512, avx2 or baseline",
                        word);
    if (width > (int)of_processor())
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        VARIABLE "=%s in the environment: this processor has %s at most; leave the variable unset",
                        word, widths[of_processor()].name);
    return L2R_OK;
}

void l2r_vector_use(enum l2r_vector width)
{
    enum l2r_vector widest = l2r_vector_widest();
    atomic_store(&l2r_vector_in_use, width < widest ? width : widest);
}

enum l2r_vector l2r_vector_choose(void)
{
    int width = wanted();
    l2r_vector_use(width != 0 ? (enum l2r_vector)width : L2R_VECTOR_AVX512);
    return (enum l2r_vector)atomic_load(&l2r_vector_in_use);
}

/* Without L2R_VECTOR, oneDNN chooses, or its own variable DNNL_MAX_CPU_ISA. In a program that has called oneDNN before,
 * its width stays; l2r_vector_width returns it. */
static void set_products(void)
{
    int width = wanted();
    if (width != 0) (void)dnnl_set_max_cpu_isa(widths[width].products);
}

void l2r_vector_set_products(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_products);
}

static enum l2r_vector of_products(void)
{
    l2r_vector_set_products();
    unsigned isa = dnnl_get_effective_cpu_isa();
    for (int i = L2R_VECTOR_AVX512; i > L2R_VECTOR_BASELINE; i--)
        if ((isa & widths[i].products) == widths[i].products) return (enum l2r_vector)i;
    return L2R_VECTOR_BASELINE;
}

const char *l2r_vector_width(void)
{
    static const char *const both[][4] = {
        [L2R_VECTOR_BASELINE] = {"", "baseline", "baseline/avx2", "baseline/avx512"},
        [L2R_VECTOR_AVX2] = {"", "avx2/baseline", "avx2", "avx2/avx512"},
        [L2R_VECTOR_AVX512] = {"", "avx512/baseline", "avx512/avx2", "avx512"},
    };
    return both[l2r_vector()][of_products()];
}
