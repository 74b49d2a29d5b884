/* SPDX-License-Identifier: MIT
 * See products.h. */
#include "bench/products.h"

#include "base/clock.h"
#include "base/memory.h"
#include "bench/measure.h"
#include "kernels/gemm.h"

#include <string.h>

enum { WARM_UP = 2, RUNS = 7 };

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_product(const struct l2r_param *p)
{
    size_t length = strlen(p->name);
    if (length < 7 || strcmp(p->name + length - 7, ".weight") != 0 || strstr(p->name, "embedding")) return false;
    return p->rows > 1 || starts_with(p->name, "head."); /* one row: a norm's or a root's */
}

/* Where the shape stands, or a new place for it; NULL: the list is full. */
static struct l2r_product_shape *place_of(struct l2r_products *p, const struct l2r_product_shape *wanted)
{
    for (int i = 0; i < p->n_shapes; i++) {
        struct l2r_product_shape *s = &p->shapes[i];
        if (s->in == wanted->in && s->out == wanted->out && s->per_graph == wanted->per_graph) return s;
    }
    if (p->n_shapes == L2R_MOST_SHAPES) return NULL;
    p->shapes[p->n_shapes] = *wanted;
    return &p->shapes[p->n_shapes++];
}

void l2r_products_of(struct l2r_products *products, const struct l2r_params *params, bool training)
{
    *products = (struct l2r_products){.training = training};
    for (size_t i = 0; i < params->count; i++) {
        const struct l2r_param *p = params->items[i];
        if (!is_product(p)) continue;
        struct l2r_product_shape wanted = {.in = p->cols,
                                           .out = p->rows,
                                           .per_graph =
                                               starts_with(p->name, "head.") || starts_with(p->name, "virtual.")};
        struct l2r_product_shape *shape = place_of(products, &wanted);
        if (shape) shape->count++;
    }
}

static double shape_flops(const struct l2r_products *p, const struct l2r_product_shape *s, double nodes, double graphs)
{
    double rows = s->per_graph ? graphs : nodes;
    return (p->training ? 6 : 2) * rows * (double)s->in * (double)s->out;
}

double l2r_products_flops(const struct l2r_products *p, double nodes, double graphs)
{
    double sum = 0;
    for (int i = 0; i < p->n_shapes; i++)
        sum += (double)p->shapes[i].count * shape_flops(p, &p->shapes[i], nodes, graphs);
    return sum;
}

/* y = x Wᵀ, and in training dx = dy W, dW = dyᵀ x: each once. */
static double time_products(l2r_real *x, l2r_real *w, l2r_real *y, int64_t rows, int64_t in, int64_t out, bool training)
{
    struct l2r_matrix x_is = {x, in, false}, w_is = {w, in, false}, y_is = {y, out, false};
    struct l2r_matrix w_turned = {w, in, true}, y_turned = {y, out, true};
    double start = l2r_clock_seconds();
    l2r_gemm(y, out, 0, x_is, w_turned, rows, out, in);
    if (training) {
        l2r_gemm(w, in, 0, y_turned, x_is, out, in, rows);
        l2r_gemm(x, in, 0, y_is, w_is, rows, in, out);
    }
    return l2r_clock_seconds() - start;
}

static void fill(l2r_real *values, int64_t n, double scale)
{
    for (int64_t i = 0; i < n; i++) values[i] = (l2r_real)(scale * (double)(i % 17 - 8));
}

/* Median seconds of one weight's products. The matrices are filled anew before each run: products of products would
 * overflow. */
static enum l2r_status time_shape(double *seconds, int64_t rows, const struct l2r_product_shape *s, bool training,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    double runs[RUNS];
    l2r_real *x = l2r_alloc((size_t)(rows * s->in), sizeof *x), *w = l2r_alloc((size_t)(s->in * s->out), sizeof *w);
    l2r_real *y = l2r_alloc((size_t)(rows * s->out), sizeof *y);
    if (!x || !w || !y) {
        status = l2r_fail_memory(error, (size_t)(rows * (s->in + s->out)) * sizeof *x, "matrices to multiply");
        goto done;
    }
    for (int i = 0; i < WARM_UP + RUNS; i++) {
        fill(x, rows * s->in, 0.1);
        fill(w, s->in * s->out, 0.01);
        runs[i % RUNS] = time_products(x, w, y, rows, s->in, s->out, training);
    }
    *seconds = l2r_spread_of(runs, RUNS).median;
done:
    l2r_free(x);
    l2r_free(w);
    l2r_free(y);
    return status;
}

enum l2r_status l2r_products_peak(double *rate, const struct l2r_products *p, int64_t nodes, int64_t graphs,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    double total = 0;
    *rate = 0;
    for (int i = 0; i < p->n_shapes; i++) {
        double seconds = 0;
        const struct l2r_product_shape *s = &p->shapes[i];
        L2R_TRY(time_shape(&seconds, s->per_graph ? graphs : nodes, s, p->training, error));
        total += (double)s->count * seconds;
    }
    if (total > 0) *rate = l2r_products_flops(p, (double)nodes, (double)graphs) / total;
done:
    return status;
}
