/* SPDX-License-Identifier: MIT
 *
 * Which matrix library multiplies fastest at the shapes of graph networks?   bench_gemm [THREADS [REPEATS]]
 *
 * A layer [in → out] on `rows` nodes costs three products of the same size:
 *
 *     forward   Y  = X Wᵀ     [rows × out]    "NT"
 *     input     dX = dY W     [rows × in]     "NN"
 *     weight    dW = dYᵀ X    [out × in]      "TN"
 *
 * Each product runs as the engine runs it: cut into row blocks of C by l2r_gemm_block, every block one single-threaded
 * call of the library, the blocks handed out by l2r_parallel. The libraries take turns within each repetition, so that
 * a busy moment of the machine hits all of them; printed is the fastest repetition, in GFLOP/s. Every result is
 * compared with the first library's.
 */
#include "gemm_libraries.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/threads.h"
#include "kernels/gemm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum form { FORWARD, INPUT, WEIGHT, FORMS };

struct shape {
    int rows, in, out;
};

static const struct shape shapes[] = {{800, 128, 256},  {1600, 128, 128}, {3200, 128, 128}, {3200, 128, 256},
                                      {3200, 256, 128}, {6400, 128, 256}, {800, 300, 300},  {1088, 300, 300},
                                      {1088, 300, 600}, {1088, 600, 300}, {4352, 300, 600}, {6400, 300, 300}};

struct layer {
    struct shape shape;
    float *x, *w, *y, *d_x, *d_w; /* [rows × in], [out × in], [rows × out], as x, as w */
};

struct product {
    const struct gemm_library *library;
    struct gemm_call whole;
    int64_t block;
};

static float *filled(int rows, int cols, int modulus)
{
    int64_t n = (int64_t)rows * cols;
    float *values = l2r_alloc((size_t)n, sizeof *values);
    if (!values) exit(1);
    for (int64_t i = 0; i < n; i++) values[i] = (float)(i % modulus) / (float)modulus - 0.4f;
    return values;
}

static struct gemm_call call_of(const struct layer *l, enum form form)
{
    int rows = l->shape.rows, in = l->shape.in, out = l->shape.out;
    if (form == FORWARD) return (struct gemm_call){false, true, rows, out, in, l->x, l->w, l->y, in, in, out};
    if (form == INPUT) return (struct gemm_call){false, false, rows, in, out, l->y, l->w, l->d_x, out, in, in};
    return (struct gemm_call){true, false, out, in, rows, l->y, l->x, l->d_w, out, in, in};
}

static void product_block(void *context, int64_t chunk)
{
    const struct product *p = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, p->whole.m, p->block, chunk);
    struct gemm_call part = p->whole;
    part.m = (int)(end - begin);
    part.a += part.a_transposed ? begin : begin * part.a_stride;
    part.c += begin * part.c_stride;
    gemm_library_call(p->library, &part);
}

static double seconds_of(const struct gemm_library *library, const struct layer *l, enum form form)
{
    struct product p = {.library = library, .whole = call_of(l, form)};
    p.block = l2r_gemm_block(p.whole.m, p.whole.n, p.whole.k);
    double start = l2r_clock_seconds();
    l2r_parallel(l2r_chunk_count(p.whole.m, p.block), product_block, &p);
    return l2r_clock_seconds() - start;
}

/* Σ |c| as a fingerprint of the result. */
static double fingerprint(const struct layer *l, enum form form)
{
    struct gemm_call c = call_of(l, form);
    double sum = 0;
    for (int64_t i = 0; i < (int64_t)c.m * c.n; i++) sum += fabs((double)c.c[i]) * (double)(i % 13 + 1);
    return sum;
}

static void measure(double best[FORMS][GEMM_LIBRARIES], const struct gemm_library *library, int n,
                    const struct layer *l, int repeats)
{
    for (int form = 0; form < FORMS; form++) {
        double first = 0;
        for (int i = 0; i < n; i++) {
            seconds_of(&library[i], l, (enum form)form); /* warm-up */
            double value = fingerprint(l, (enum form)form);
            if (i == 0) first = value;
            if (fabs(value - first) > 1e-4 * first) {
                fprintf(stderr, "%s: a wrong product (%g, %s has %g)\n", library[i].name, value, library[0].name,
                        first);
                exit(1);
            }
            best[form][i] = INFINITY;
        }
        for (int r = 0; r < repeats; r++)
            for (int i = 0; i < n; i++)
                best[form][i] = fmin(best[form][i], seconds_of(&library[i], l, (enum form)form));
    }
}

static void measure_shape(double log_sum[GEMM_LIBRARIES], const struct gemm_library *library, int n, struct shape s,
                          int repeats)
{
    static const char *const form_name[] = {"NT forward", "NN input", "TN weight"};
    struct layer l = {s,
                      filled(s.rows, s.in, 7),
                      filled(s.out, s.in, 5),
                      filled(s.rows, s.out, 3),
                      filled(s.rows, s.in, 1),
                      filled(s.out, s.in, 1)};
    double best[FORMS][GEMM_LIBRARIES];
    measure(best, library, n, &l, repeats);
    for (int form = 0; form < FORMS; form++) {
        printf("%5d %4d %4d  %-10s", s.rows, s.in, s.out, form_name[form]);
        for (int i = 0; i < n; i++) {
            double rate = 2e-9 * s.rows * s.in * s.out / best[form][i];
            printf("  %9.1f", rate);
            log_sum[i] += log(rate);
        }
        printf("\n");
    }
    l2r_free(l.x), l2r_free(l.w), l2r_free(l.y), l2r_free(l.d_x), l2r_free(l.d_w);
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 0, repeats = argc > 2 ? atoi(argv[2]) : 20;
    struct gemm_library library[GEMM_LIBRARIES];
    double log_sum[GEMM_LIBRARIES] = {0};
    int n = gemm_libraries_open(library), n_shapes = (int)(sizeof shapes / sizeof *shapes);
    if (threads < 0 || repeats < 1 || argc > 3) {
        fprintf(stderr, "usage: bench_gemm [THREADS [REPEATS]]   0 threads: one per core\n");
        return 2;
    }
    if (n == 0) {
        fprintf(stderr, "bench_gemm: no matrix library found (libdnnl, libblis, libopenblas)\n");
        return 1;
    }
    l2r_threads_set(threads);
    printf("threads %d, fastest of %d, GFLOP/s\n", l2r_threads_get(), repeats);
    for (int i = 0; i < n; i++) printf("%s %s (%s)\n", library[i].name, library[i].version, library[i].file);
    printf("\n rows   in  out  product   ");
    for (int i = 0; i < n; i++) printf("  %9s", library[i].name);
    printf("\n");
    for (int s = 0; s < n_shapes; s++) measure_shape(log_sum, library, n, shapes[s], repeats);
    printf("%-27s", "geometric mean");
    for (int i = 0; i < n; i++) printf("  %9.1f", exp(log_sum[i] / (n_shapes * FORMS)));
    printf("\n");
    return 0;
}
