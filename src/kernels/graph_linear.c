/* SPDX-License-Identifier: MIT
 *
 * See graph_linear.h. The sum over neighbours is written by hand in tiles of four vectors, which stay in registers
 * while a node's neighbours are added; the product of a block goes to oneDNN. Both read the block while it is in the
 * cache. The gradient has the same shape because S is symmetric: sum over neighbours first, then two products.
 */
#include "kernels/graph_linear.h"

#include "base/threads.h"
#include "kernels/gemm.h"
#include "kernels/linear.h"

#include <stddef.h>

enum { ROWS_A_BLOCK = 384, MOST_SLICES = 16, TILE = 4 * L2R_LANES };

/* ---- the plan ---- */

int64_t l2r_graph_blocks_size(int64_t n_rows, int64_t n_graphs)
{
    int64_t most = n_rows / ROWS_A_BLOCK + 1;
    return (most < n_graphs ? most : n_graphs) + MOST_SLICES + 2;
}

/* A block ends after the graph with which it reaches its size. */
static int64_t cut_blocks(int64_t *row, const int32_t *node_start, int64_t n_graphs)
{
    int64_t n = 0;
    row[0] = 0;
    for (int64_t i = 1; i <= n_graphs; i++)
        if (node_start[i] - row[n] >= ROWS_A_BLOCK || (i == n_graphs && node_start[i] > row[n]))
            row[++n] = node_start[i];
    return n;
}

void l2r_graph_blocks_plan(struct l2r_graph_blocks *b, int64_t *memory, const int32_t *node_start, int64_t n_graphs)
{
    *b = (struct l2r_graph_blocks){.row = memory};
    b->n_blocks = cut_blocks(b->row, node_start, n_graphs);
    b->n_slices = b->n_blocks < MOST_SLICES ? b->n_blocks : MOST_SLICES;
    b->block = b->row + b->n_blocks + 1;
    for (int64_t s = 0; s <= b->n_slices; s++) b->block[s] = b->n_slices ? b->n_blocks * s / b->n_slices : 0;
    for (int64_t k = 0; k < b->n_blocks; k++)
        if (b->row[k + 1] - b->row[k] > b->most_rows) b->most_rows = b->row[k + 1] - b->row[k];
}

/* What one thread needs for a block: x W or its gradient, and x where it has to be made. */
static int64_t worker_temp(const struct l2r_graph_linear *g)
{
    return g->blocks->most_rows * g->out + l2r_input_temp(&g->x, g->blocks->most_rows);
}

int64_t l2r_graph_linear_temp(const struct l2r_graph_linear *g)
{
    return l2r_threads_get() * worker_temp(g);
}

/* ---- sums over neighbours within a block ---- */

#define AT(p, k) (*(const l2r_vec *)((p) + (k)*L2R_LANES))

/* Numbers j .. of row v of S x + b, n vectors of them; `first` is the row of the block with which x begins. */
L2R_INLINE void sum_tile(l2r_real *y, const l2r_real *x, const l2r_real *b, const struct l2r_adjacency *graph,
                         int64_t v, int64_t first, int64_t dim, int64_t j, int n)
{
    const l2r_real *s = graph->inverse_root_degree;
    l2r_vec sum[4];
    for (int k = 0; k < n; k++) sum[k] = s[v] * s[v] * AT(x + (v - first) * dim + j, k);
    for (int64_t e = graph->arc_start[v]; e < graph->arc_start[v + 1]; e++) {
        int64_t u = graph->neighbour[e];
        l2r_real c = u == v ? 0 : s[v] * s[u];
        const l2r_real *from = x + (u - first) * dim + j;
        for (int k = 0; k < n; k++) sum[k] += c * AT(from, k);
    }
    for (int k = 0; k < n; k++) {
        if (b) sum[k] += AT(b + j, k);
        *(l2r_vec *)(y + j + k * L2R_LANES) = sum[k];
    }
}

L2R_INLINE void sum_number(l2r_real *y, const l2r_real *x, const l2r_real *b, const struct l2r_adjacency *graph,
                           int64_t v, int64_t first, int64_t dim, int64_t j)
{
    const l2r_real *s = graph->inverse_root_degree;
    l2r_real sum = s[v] * s[v] * x[(v - first) * dim + j];
    for (int64_t e = graph->arc_start[v]; e < graph->arc_start[v + 1]; e++) {
        int64_t u = graph->neighbour[e];
        sum += (u == v ? 0 : s[v] * s[u]) * x[(u - first) * dim + j];
    }
    y[j] = b ? sum + b[j] : sum;
}

/* y = S x + b for the rows begin .. end; x and y begin with row `begin`. */
L2R_CLONES(static, sum_rows,
           (l2r_real * y, const l2r_real *x, const l2r_real *b, const struct l2r_adjacency *graph, int64_t begin,
            int64_t end, int64_t dim),
           (y, x, b, graph, begin, end, dim))
{
    for (int64_t v = begin; v < end; v++, y += dim) {
        int64_t j = 0;
        for (; j + TILE <= dim; j += TILE) sum_tile(y, x, b, graph, v, begin, dim, j, 4);
        for (; j + L2R_LANES <= dim; j += L2R_LANES) sum_tile(y, x, b, graph, v, begin, dim, j, 1);
        for (; j < dim; j++) sum_number(y, x, b, graph, v, begin, dim, j);
    }
}

/* ---- forward ---- */

struct forward {
    const struct l2r_graph_linear *g;
    l2r_real *y, *temp;
};

static void forward_slice(void *context, int64_t slice)
{
    const struct forward *f = context;
    const struct l2r_graph_linear *g = f->g;
    const struct l2r_graph_blocks *b = g->blocks;
    l2r_real *z = f->temp + l2r_worker() * worker_temp(g), *made = z + b->most_rows * g->out;
    int64_t in = g->x.cols;
    for (int64_t k = b->block[slice]; k < b->block[slice + 1]; k++) {
        int64_t begin = b->row[k], end = b->row[k + 1];
        struct l2r_matrix x = {l2r_input_rows(&g->x, made, begin, end), in, false}, w = {g->w, in, true};
        l2r_gemm_serial(z, g->out, 0, x, w, end - begin, g->out, in);
        sum_rows(f->y + begin * g->out, z, g->b, g->graph, begin, end, g->out);
    }
}

void l2r_graph_linear_forward(l2r_real *y, const struct l2r_graph_linear *g, l2r_real *temp)
{
    struct forward f = {g, y, temp};
    l2r_parallel(g->blocks->n_slices, forward_slice, &f);
}

/* ---- backward ---- */

struct backward {
    const struct l2r_graph_linear_gradient *d;
    const struct l2r_graph_linear *g;
    double *sums;             /* [n_slices × 2 × out]: of a slice, of its current block */
    l2r_real *partial, *temp; /* [n_slices × out × in]; l2r_graph_linear_temp */
};

static void add_sums(double *slice, const l2r_real *d_y, int64_t rows, int64_t cols)
{
    double *block = slice + cols;
    l2r_sum_rows(block, d_y, rows, cols);
    for (int64_t j = 0; j < cols; j++) slice[j] += block[j];
}

static void backward_slice(void *context, int64_t slice)
{
    const struct backward *w = context;
    const struct l2r_graph_linear *g = w->g;
    const struct l2r_graph_linear_gradient *d = w->d;
    const struct l2r_graph_blocks *b = g->blocks;
    int64_t in = g->x.cols;
    l2r_real *d_z = w->temp + l2r_worker() * worker_temp(g), *made = d_z + b->most_rows * g->out;
    l2r_real *partial = w->partial + slice * g->out * in;
    double *sums = w->sums + slice * 2 * g->out;
    for (int64_t j = 0; j < g->out; j++) sums[j] = 0;
    for (int64_t k = b->block[slice]; k < b->block[slice + 1]; k++) {
        int64_t begin = b->row[k], end = b->row[k + 1];
        sum_rows(d_z, d->d_y + begin * g->out, NULL, g->graph, begin, end, g->out);
        struct l2r_matrix rows = {d_z, g->out, false}, columns = {d_z, g->out, true}, weight = {g->w, in, false};
        if (d->d_w) {
            struct l2r_matrix x = {l2r_input_rows(&g->x, made, begin, end), in, false};
            l2r_gemm_serial(partial, in, k == b->block[slice] ? 0 : 1, columns, x, g->out, in, end - begin);
        }
        if (d->d_x) l2r_gemm_serial(d->d_x + begin * in, in, d->beta_x, rows, weight, end - begin, in, g->out);
        if (d->d_b) add_sums(sums, d->d_y + begin * g->out, end - begin, g->out);
    }
}

int64_t l2r_graph_linear_scratch(const struct l2r_graph_linear *g)
{
    const struct l2r_graph_blocks *b = g->blocks;
    int64_t numbers = b->n_slices * g->out * g->x.cols + l2r_graph_linear_temp(g);
    return b->n_slices * 2 * g->out * (int64_t)sizeof(double) + numbers * (int64_t)sizeof(l2r_real);
}

void l2r_graph_linear_backward(const struct l2r_graph_linear_gradient *d, const struct l2r_graph_linear *g,
                               void *scratch)
{
    int64_t slices = g->blocks->n_slices;
    struct backward w = {.d = d, .g = g, .sums = scratch};
    void *numbers = w.sums + slices * 2 * g->out;
    w.partial = numbers;
    w.temp = w.partial + slices * g->out * g->x.cols;
    l2r_parallel(slices, backward_slice, &w);
    if (d->d_w) l2r_add_slices(d->d_w, d->beta_w, w.partial, slices, g->out * g->x.cols);
    for (int64_t j = 0; d->d_b && j < g->out; j++) {
        double sum = 0;
        for (int64_t s = 0; s < slices; s++) sum += w.sums[s * 2 * g->out + j];
        d->d_b[j] = (l2r_real)sum + (d->beta_b == 0 ? 0 : d->beta_b * d->d_b[j]);
    }
}
