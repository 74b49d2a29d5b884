/* SPDX-License-Identifier: MIT
 *
 * Isotonic regression: the rising steps that lie nearest to the labels (least squares), by pooling neighbours that are
 * in the wrong order (PAVA), and straight lines between the steps, as in scikit-learn. It needs many validation graphs:
 * below some hundreds Platt scaling is usually better.
 *
 *     logits    −3   −2   −1    0    1    2          labels   0  1  0  0  1  1
 *     pooled     0   [   1/3      ]  1    1          knots at the ends of every pool
 *
 * Probabilities of exactly 0 and 1 claim more than n labels can show, and their loss is infinite when they are wrong:
 * they become 1/(n+2) and (n+1)/(n+2).
 */
#include "model/calibrate.h"

#include <math.h>
#include <stdlib.h>

struct pool {
    double low, high; /* its logits */
    double ones, n;
};

struct item {
    double x;
    uint8_t y;
};

static int by_logit(const void *left, const void *right)
{
    double a = ((const struct item *)left)->x, b = ((const struct item *)right)->x;
    return (a > b) - (a < b);
}

/* pools [n]; returns how many are left. Equal logits share a pool from the start. */
static int64_t pool_neighbours(struct pool *pools, const struct item *items, int64_t n)
{
    int64_t count = 0;
    for (int64_t i = 0, end; i < n; i = end) {
        struct pool next = {items[i].x, items[i].x, 0, 0};
        for (end = i; end < n && items[end].x == items[i].x; end++) {
            next.ones += items[end].y;
            next.n++;
        }
        while (count > 0 && pools[count - 1].ones * next.n >= next.ones * pools[count - 1].n) {
            const struct pool *before = &pools[--count];
            next = (struct pool){before->low, next.high, before->ones + next.ones, before->n + next.n};
        }
        pools[count++] = next;
    }
    return count;
}

static enum l2r_status fit(struct l2r_calibration_map *map, struct l2r_arena *arena, const struct l2r_logits *logits,
                           struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t n = (size_t)logits->n;
    struct item *items = l2r_alloc(n, sizeof *items);
    struct pool *pools = l2r_alloc(n, sizeof *pools);
    double *x = l2r_arena_alloc(arena, 2 * n, sizeof *x), *p = l2r_arena_alloc(arena, 2 * n, sizeof *p);
    if (!items || !pools || !x || !p) {
        status = l2r_fail_memory(error, 2 * n * sizeof *x, "a calibration");
        goto done;
    }
    for (size_t i = 0; i < n; i++) items[i] = (struct item){logits->x[i], logits->y[i]};
    qsort(items, n, sizeof *items, by_logit);
    int64_t count = pool_neighbours(pools, items, logits->n);
    double least = 1 / (double)(n + 2);
    for (int64_t i = 0; i < count; i++) {
        double share = fmin(fmax(pools[i].ones / pools[i].n, least), 1 - least);
        for (int side = 0; side < (pools[i].high > pools[i].low ? 2 : 1); side++) {
            x[map->n] = side == 0 ? pools[i].low : pools[i].high;
            p[map->n++] = share;
        }
    }
    map->x = x;
    map->p = p;
done:
    l2r_free(items);
    l2r_free(pools);
    return status;
}

const struct l2r_calibrator l2r_calibrator_isotonic = {.name = "isotonic", .title = "Isotonic regression", .fit = fit};
