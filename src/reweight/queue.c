/* SPDX-License-Identifier: MIT
 * See queue.h. */
#include "reweight/queue.h"

#include "base/memory.h"

enum l2r_status l2r_queue_init(struct l2r_queue *q, int64_t n_groups, int64_t rows, int64_t d, double momentum,
                               struct l2r_error *error)
{
    size_t size = (size_t)(n_groups * rows);
    *q = (struct l2r_queue){.n_groups = n_groups,
                            .rows = rows,
                            .d = d,
                            .momentum = momentum,
                            .z = l2r_alloc(size * (size_t)d, sizeof(l2r_real)),
                            .w = l2r_alloc(size, sizeof(l2r_real))};
    if (q->z && q->w) return L2R_OK;
    l2r_queue_clear(q);
    return l2r_fail_memory(error, size * (size_t)d * sizeof(l2r_real), "the queues; try fewer `queues`");
}

void l2r_queue_clear(struct l2r_queue *q)
{
    l2r_free(q->z);
    l2r_free(q->w);
    *q = (struct l2r_queue){0};
}

int64_t l2r_queue_rows(const struct l2r_queue *q, int64_t batch_rows)
{
    return batch_rows == q->rows && q->n_groups > 0 ? q->filled * q->rows : 0;
}

void l2r_queue_push(struct l2r_queue *q, const l2r_real *z, const double *w, int64_t batch_rows)
{
    if (batch_rows != q->rows || q->n_groups == 0) return;
    int64_t filled = q->filled;
    for (int64_t g = 0; g < q->n_groups && g <= filled; g++) {
        double keep = g == filled ? 0 : q->momentum * (double)(g + 1) / (double)q->n_groups;
        l2r_real *old_z = q->z + g * q->rows * q->d, *old_w = q->w + g * q->rows;
        for (int64_t i = 0; i < q->rows * q->d; i++)
            old_z[i] = (l2r_real)(keep * (double)old_z[i] + (1 - keep) * (double)z[i]);
        for (int64_t i = 0; i < q->rows; i++) old_w[i] = (l2r_real)(keep * (double)old_w[i] + (1 - keep) * w[i]);
    }
    if (filled < q->n_groups) q->filled++;
}
