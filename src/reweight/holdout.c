/* SPDX-License-Identifier: MIT
 * See holdout.h. */
#include "reweight/holdout.h"

#include "reweight/learner.h"

#include <math.h>

enum l2r_status l2r_holdout_init(struct l2r_holdout *h, double share, int64_t n, int64_t batch_size,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t held = (int64_t)llround(share * (double)n);
    *h = (struct l2r_holdout){.n_train = n - held, .n_held = held, .factor = 1};
    if (held < L2R_FEWEST_GRAPHS)
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "--holdout %g holds out %lld of %lld training graphs; weights are learned from %d or more", share,
                 (long long)held, (long long)n, L2R_FEWEST_GRAPHS);
    if (held >= n)
        L2R_FAIL(L2R_ERR_ARGUMENT, "--holdout %g leaves none of %lld training graphs to train on", share, (long long)n);
    h->rows = batch_size < held ? batch_size : held;
    h->batches = (h->n_train + batch_size - 1) / batch_size;
    h->held = (held + h->rows - 1) / h->rows;
done:
    return status;
}

int64_t l2r_holdout_epoch(struct l2r_holdout *h, const int32_t *order, const l2r_real *weight)
{
    double sum = 0;
    for (int64_t i = 0; i < h->n_train; i++) sum += (double)weight[order[i]];
    h->held_order = order + h->n_train;
    h->factor = sum > 0 ? (double)h->n_train / sum : 1;
    return h->n_train;
}

/* The first k with k·T/H at least `batch`. */
static int64_t first_due(const struct l2r_holdout *h, int64_t batch)
{
    return (batch * h->held + h->batches - 1) / h->batches;
}

void l2r_holdout_due(int64_t *begin, int64_t *end, const struct l2r_holdout *h, int64_t batch)
{
    *begin = first_due(h, batch);
    *end = first_due(h, batch + 1);
}

const int32_t *l2r_holdout_batch(int64_t *n, const struct l2r_holdout *h, int64_t k)
{
    int64_t begin = k * h->rows;
    *n = begin + h->rows < h->n_held ? h->rows : h->n_held - begin;
    return h->held_order + begin;
}
