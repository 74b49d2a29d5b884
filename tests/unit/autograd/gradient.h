/* SPDX-License-Identifier: MIT
 *
 * Numeric gradients of tape operations, in double precision.
 *
 * A case declares its leaves (arrays with random values) and a function that builds a value from them. The value is
 * turned into a scalar by a squared distance to random targets; central differences of that scalar are compared with
 * backward.
 */
#ifndef L2R_TESTS_GRADIENT_H
#define L2R_TESTS_GRADIENT_H

#include "autograd/ops.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#ifndef L2R_REAL_DOUBLE
#error "numeric gradients need the double build"
#endif

enum { MOST_LEAVES = 6, MOST_NUMBERS = 512 };

struct leaf {
    int64_t rows, cols;
    double value[MOST_NUMBERS], grad[MOST_NUMBERS];
};

struct gradient_case {
    struct leaf leaf[MOST_LEAVES];
    int n_leaves;
    l2r_node (*build)(struct l2r_tape *t, const l2r_node *leaves);
    bool scalar; /* build returns a [n × 1] loss already */
    uint64_t seed;
};

static inline void add_leaf(struct gradient_case *c, int64_t rows, int64_t cols)
{
    struct leaf *leaf = &c->leaf[c->n_leaves];
    struct l2r_rng rng = l2r_rng_at(c->seed, L2R_RANDOM_TEST, (uint64_t)c->n_leaves++);
    assert_true(rows * cols <= MOST_NUMBERS);
    leaf->rows = rows, leaf->cols = cols;
    for (int64_t i = 0; i < rows * cols; i++) leaf->value[i] = l2r_rng_normal(&rng);
}

static inline double evaluate(struct gradient_case *c, bool backward)
{
    struct l2r_tape t;
    l2r_node leaves[MOST_LEAVES];
    float targets[4096];
    static const double zeros[512] = {0};
    double ones[512];
    for (int i = 0; i < 512; i++) ones[i] = 1;
    struct l2r_rng rng = l2r_rng_at(c->seed, L2R_RANDOM_TEST, 1000);
    for (int i = 0; i < 4096; i++) targets[i] = (float)l2r_rng_normal(&rng);
    l2r_tape_init(&t);
    l2r_tape_mode_train(&t, 7, 3);
    for (int i = 0; i < c->n_leaves; i++)
        leaves[i] = l2r_leaf(&t, c->leaf[i].value, c->leaf[i].grad, c->leaf[i].rows, c->leaf[i].cols);
    l2r_node out = c->build(&t, leaves);
    if (!c->scalar)
        out = l2r_regression_error(&t, out, targets, NULL, &(const struct l2r_target_scale){.mean = zeros, .sd = ones},
                                   L2R_DISTANCE_SQUARED);
    l2r_node loss = l2r_weighted_mean(&t, out, NULL);
    if (t.status != L2R_OK) fail_msg("%s", t.error.message);
    if (backward) {
        for (int i = 0; i < c->n_leaves; i++)
            for (int k = 0; k < MOST_NUMBERS; k++) c->leaf[i].grad[k] = 0;
        l2r_tape_backward(&t, loss);
    }
    double value = l2r_value_of(&t, loss)->data[0];
    l2r_tape_clear(&t);
    return value;
}

/* |numeric − analytic| ≤ 1e-6 of the larger, or of 1e-3 for tiny ones. */
static inline void check_gradient(struct gradient_case *c)
{
    const double h = 1e-6;
    double moved = 0;
    evaluate(c, true);
    for (int i = 0; i < c->n_leaves; i++)
        for (int64_t k = 0; k < c->leaf[i].rows * c->leaf[i].cols; k++) {
            double *x = &c->leaf[i].value[k], kept = *x, analytic = c->leaf[i].grad[k];
            *x = kept + h;
            double up = evaluate(c, false);
            *x = kept - h;
            double down = evaluate(c, false);
            *x = kept;
            double numeric = (up - down) / (2 * h), scale = fmax(1e-3, fmax(fabs(numeric), fabs(analytic)));
            moved += fabs(analytic);
            if (fabs(numeric - analytic) > 1e-6 * scale)
                fail_msg("leaf %d number %lld: numeric %.12g, backward %.12g", i, (long long)k, numeric, analytic);
        }
    assert_true(moved > 1e-6); /* a gradient of zeros proves nothing */
}

/* The whole check of one operation, with leaves of the given shapes. */
static inline void check_shapes(l2r_node (*build)(struct l2r_tape *, const l2r_node *), const int64_t (*shapes)[2],
                                int n, bool scalar, uint64_t seed)
{
    struct gradient_case *c = calloc(1, sizeof *c);
    assert_non_null(c);
    *c = (struct gradient_case){.build = build, .scalar = scalar, .seed = seed};
    for (int i = 0; i < n; i++) add_leaf(c, shapes[i][0], shapes[i][1]);
    check_gradient(c);
    free(c);
}

#define SHAPES(...)                                                                                                    \
    (const int64_t[][2])                                                                                               \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

#endif
