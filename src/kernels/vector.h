/* SPDX-License-Identifier: MIT
 *
 * Vector width: one program for every x86-64, with loops compiled for AVX-512, AVX2 and the baseline.
 *
 *     L2R_CLONES(static, scale, (float *y, float a, int64_t n), (y, a, n))
 *     {
 *         for (int64_t i = 0; i < n; i++) y[i] *= a;
 *     }
 *
 * compiles the body three times and defines scale(y, a, n), which calls the clone for the width in use: the widest that
 * the processor has, or the one that the environment variable L2R_VECTOR names. The same width holds for oneDNN, which
 * computes the matrix products. The linkage is static or extern; L2R_CLONES_OF is for static functions with a value.
 *
 * Floating-point contraction is off (cmake/Warnings.cmake), so the clones of a loop without a reduction give the same
 * bits. L2R_FUSED_CLONES allows fused multiply-adds where they double the speed: its results are as exact at every
 * width, but not the same bits. Products differ between widths in their last bits, too.
 *
 * The choice is a branch at each call instead of an indirect function of the loader's: those are resolved before there
 * is an environment to read, and before the run time of a sanitizer is up.
 */
#ifndef L2R_KERNELS_VECTOR_H
#define L2R_KERNELS_VECTOR_H

#include "base/status.h"

#include <stdatomic.h>

/* In ascending order. */
enum l2r_vector { L2R_VECTOR_BASELINE = 1, L2R_VECTOR_AVX2, L2R_VECTOR_AVX512 };

/* Is the width in the environment known, and does this processor have it? If not, building a network fails; kernels,
 * which cannot fail, take the widest. */
enum l2r_status l2r_vector_check(struct l2r_error *error);

/* The name of the widest that the processor has. */
const char *l2r_vector_of_processor(void);

/* The widest that processor and build allow. */
enum l2r_vector l2r_vector_widest(void);

/* For tests: the width of the loops from now on, at most the widest; oneDNN keeps its own. */
void l2r_vector_use(enum l2r_vector width);

/* Gives oneDNN its width. Before its first use, because it cannot be changed afterwards; later calls do nothing. */
void l2r_vector_set_products(void);

extern _Atomic int l2r_vector_in_use; /* 0: not chosen yet */
enum l2r_vector l2r_vector_choose(void);

static inline enum l2r_vector l2r_vector(void)
{
    int width = atomic_load_explicit(&l2r_vector_in_use, memory_order_relaxed);
    return __builtin_expect(width != 0, 1) ? (enum l2r_vector)width : l2r_vector_choose();
}

#define L2R_INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(L2R_NO_CLONES)

#define L2R_HAS_CLONES
#define L2R_FUSED __attribute__((optimize("fp-contract=fast")))

/* clang-format off */
#define L2R_CLONE(name, width, type, parameters, give, arguments, ...)                                                 \
    static __attribute__((noinline)) __VA_ARGS__ type name##_##width parameters { give name##_body arguments; }

#define L2R_CLONES_AS(linkage, type, give, name, parameters, arguments, second, options)                               \
    L2R_INLINE options type name##_body parameters;                                                                    \
    L2R_CLONE(name, avx512, type, parameters, give, arguments, options __attribute__((target("avx512f"))))             \
    L2R_CLONE(name, avx2, type, parameters, give, arguments, options __attribute__((target(second))))                  \
    L2R_CLONE(name, baseline, type, parameters, give, arguments, options)                                              \
    linkage type name parameters                                                                                       \
    {                                                                                                                  \
        switch (l2r_vector()) {                                                                                        \
        case L2R_VECTOR_AVX512: give name##_avx512 arguments; break;                                                   \
        case L2R_VECTOR_AVX2: give name##_avx2 arguments; break;                                                       \
        default: give name##_baseline arguments;                                                                       \
        }                                                                                                              \
    }                                                                                                                  \
    L2R_INLINE options type name##_body parameters

#define L2R_CLONES(linkage, name, parameters, arguments)                                                               \
    L2R_CLONES_AS(linkage, void, , name, parameters, arguments, "avx2", )
#define L2R_CLONES_OF(type, name, parameters, arguments)                                                               \
    L2R_CLONES_AS(static, type, return, name, parameters, arguments, "avx2", )
#define L2R_FUSED_CLONES(linkage, name, parameters, arguments)                                                         \
    L2R_CLONES_AS(linkage, void, , name, parameters, arguments, "fma", L2R_FUSED)
/* clang-format on */

#else

#define L2R_CLONES(linkage, name, parameters, arguments) linkage void name parameters
#define L2R_CLONES_OF(type, name, parameters, arguments) static type name parameters
#define L2R_FUSED_CLONES(linkage, name, parameters, arguments) linkage void name parameters

#endif

#endif
