/* SPDX-License-Identifier: MIT
 * See estimate.h. */
#include "reproduce/estimate.h"

#include "base/memory.h"

enum l2r_status l2r_estimate_init(struct l2r_estimate *e, size_t n_cells, size_t n_columns, struct l2r_error *error)
{
    *e = (struct l2r_estimate){.n_cells = n_cells, .n_columns = n_columns};
    e->cell = l2r_alloc(2 * n_cells, sizeof *e->cell);
    e->column = l2r_alloc(2 * n_columns, sizeof *e->column);
    return e->cell && e->column ? L2R_OK : l2r_fail_memory(error, 2 * n_cells * sizeof *e->cell, "time estimates");
}

void l2r_estimate_clear(struct l2r_estimate *e)
{
    l2r_free(e->cell);
    l2r_free(e->column);
    *e = (struct l2r_estimate){0};
}

static void add(double *pair, double value)
{
    pair[0] += value;
    pair[1] += 1;
}

void l2r_estimate_learn(struct l2r_estimate *e, size_t cell, size_t column, double base, double seconds)
{
    if (!(base > 0) || !(seconds >= 0)) return;
    add(e->cell + 2 * cell, seconds / base);
    add(e->column + 2 * column, seconds / base);
    add(e->all, seconds / base);
}

double l2r_estimate_expected(const struct l2r_estimate *e, size_t cell, size_t column, double base)
{
    const double *const levels[] = {e->cell + 2 * cell, e->column + 2 * column, e->all};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (levels[i][1] > 0) return base * levels[i][0] / levels[i][1];
    return base;
}

double l2r_estimate_base(double cost, double nodes, double epochs)
{
    return 5e-6 * cost * nodes * epochs;
}
