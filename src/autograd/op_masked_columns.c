/* SPDX-License-Identifier: MIT
 *
 * Masks on feature columns (see op_masked.h). f is [B × columns], one row for each graph of the batch, so that copies
 * of a graph with different masks can stand side by side. Rows belong to graphs by start [B + 1]. Tables are frozen,
 * real features are constants: the masks alone have a gradient, summed over a graph's nodes in their order.
 */
#include "autograd/op_masked.h"

#include <string.h>

struct columns {
    const l2r_node *tables; /* NULL: x is given instead */
    const int32_t *rows, *type, *start;
    int64_t n_graphs, n, first;
};

/* The table's row that column k of node v reads. */
static const l2r_real *embedded(struct l2r_tape *t, const struct columns *c, int64_t v, int64_t k)
{
    const struct l2r_value *table = l2r_value_of(t, c->tables[k]);
    return table->data + (int64_t)c->rows[c->type[v] * c->n + k] * table->cols;
}

static void columns_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct columns *c = out->saved;
    l2r_node f = out->input[0];
    int64_t width = l2r_value_of(t, f)->cols;
    l2r_real beta, *d_f = l2r_grad_of(t, f, &beta);
    if (!d_f) return;
    if (beta == 0) memset(d_f, 0, (size_t)(l2r_value_of(t, f)->rows * width) * sizeof *d_f);
    const l2r_real *x = c->tables ? NULL : l2r_value_of(t, out->input[1])->data;
    for (int64_t g = 0; g < c->n_graphs; g++)
        for (int64_t v = c->start[g]; v < c->start[g + 1]; v++)
            for (int64_t k = 0; k < c->n; k++) {
                const l2r_real *grad = out->grad + v * out->cols;
                d_f[g * width + c->first + k] +=
                    c->tables == NULL ? x[v * c->n + k] * grad[k] : l2r_row_dot(embedded(t, c, v, k), grad, out->cols);
            }
}

/* A value whose saved part is `c`; the column masks must have room for c's columns. */
static l2r_node push(struct l2r_tape *t, const char *op, const struct columns *c, int64_t cols, l2r_node x)
{
    if (!l2r_tape_ready(t, t->pass.masks.columns)) return L2R_NO_NODE;
    const struct l2r_value *f = l2r_value_of(t, t->pass.masks.columns);
    if (!l2r_tape_check(t, f->rows == c->n_graphs && f->cols >= c->first + c->n,
                        "%s: a mask of %lld × %lld for %lld graphs and columns %lld to %lld", op, (long long)f->rows,
                        (long long)f->cols, (long long)c->n_graphs, (long long)c->first,
                        (long long)(c->first + c->n - 1)))
        return L2R_NO_NODE;
    struct columns *saved = l2r_tape_alloc(t, 1, sizeof *saved);
    l2r_node node =
        l2r_tape_push(t, op, c->start[c->n_graphs], cols, columns_backward, (l2r_node[]){t->pass.masks.columns, x}, 2);
    if (node.id < 0 || !saved) return L2R_NO_NODE;
    *saved = *c;
    l2r_value_of(t, node)->saved = saved;
    return node;
}

l2r_node l2r_masked_embedding(struct l2r_tape *t, const l2r_node *tables, int32_t n_tables, const int32_t *rows,
                              const int32_t *type, const int32_t *start, int64_t n_graphs)
{
    for (int32_t k = 0; k < n_tables; k++) {
        if (!l2r_tape_ready(t, tables[k])) return L2R_NO_NODE;
        int64_t vocabulary = l2r_value_of(t, tables[k])->rows;
        for (int64_t v = 0; v < start[n_graphs]; v++) {
            int32_t row = rows[(int64_t)type[v] * n_tables + k];
            if (!l2r_tape_check(
                    t, row >= 0 && row < vocabulary,
                    "masked embedding: value %d of feature column %d is outside 0..%lld, the model's vocabulary", row,
                    k, (long long)vocabulary - 1))
                return L2R_NO_NODE;
        }
    }
    l2r_node *copy = l2r_tape_alloc(t, n_tables, sizeof *copy);
    if (!copy) return L2R_NO_NODE;
    memcpy(copy, tables, (size_t)n_tables * sizeof *copy);
    const struct columns c = {copy, rows, type, start, n_graphs, n_tables, 0};
    int64_t dim = l2r_value_of(t, tables[0])->cols;
    l2r_node node = push(t, "masked embedding", &c, dim, L2R_NO_NODE);
    if (node.id < 0) return node;
    const struct l2r_value *f = l2r_value_of(t, t->pass.masks.columns);
    l2r_real *y = l2r_value_of(t, node)->data;
    memset(y, 0, (size_t)(start[n_graphs] * dim) * sizeof *y);
    for (int64_t g = 0; g < n_graphs; g++)
        for (int64_t v = start[g]; v < start[g + 1]; v++)
            for (int64_t k = 0; k < n_tables; k++) {
                const l2r_real *from = embedded(t, &c, v, k), m = f->data[g * f->cols + k];
                for (int64_t j = 0; j < dim; j++) y[v * dim + j] += m * from[j];
            }
    return node;
}

l2r_node l2r_mask_columns(struct l2r_tape *t, l2r_node x, int64_t first, const int32_t *start, int64_t n_graphs)
{
    if (!l2r_tape_ready(t, x)) return L2R_NO_NODE;
    int64_t rows = l2r_value_of(t, x)->rows, cols = l2r_value_of(t, x)->cols;
    if (!l2r_tape_check(t, rows == start[n_graphs], "masked columns: %lld rows for graphs of %d nodes", (long long)rows,
                        start[n_graphs]))
        return L2R_NO_NODE;
    const struct columns c = {.start = start, .n_graphs = n_graphs, .n = cols, .first = first};
    l2r_node node = push(t, "masked columns", &c, cols, x);
    if (node.id < 0) return node;
    const struct l2r_value *f = l2r_value_of(t, t->pass.masks.columns);
    const l2r_real *from = l2r_value_of(t, x)->data;
    l2r_real *y = l2r_value_of(t, node)->data;
    for (int64_t g = 0; g < n_graphs; g++)
        for (int64_t v = start[g]; v < start[g + 1]; v++)
            for (int64_t k = 0; k < cols; k++) y[v * cols + k] = f->data[g * f->cols + first + k] * from[v * cols + k];
    return node;
}
