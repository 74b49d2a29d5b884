/* SPDX-License-Identifier: MIT
 * Lazy norms: a linear layer makes them block by block, forwards and backwards, and the numbers are
 * those of a norm that was computed at once. Enough rows for several blocks and slices. */
#include "base/threads.h"
#include "unit/autograd/gradient.h"

#include <string.h>

enum { ROWS = 1700, IN = 13, OUT = 7 };

struct layer {
    double x[ROWS * IN], gamma[IN], beta[IN], w[OUT * IN], b[OUT];
};
struct outcome {
    double y[ROWS * OUT], x[ROWS * IN], gamma[IN], beta[IN], w[OUT * IN], b[OUT];
};

static double running_mean[IN], running_variance[IN];
static const struct l2r_norm_state norm_state = {running_mean, running_variance, 0.1, 1e-5};

static void draw(double *values, int64_t n, struct l2r_rng *rng)
{
    for (int64_t i = 0; i < n; i++) values[i] = l2r_rng_normal(rng);
}

/* y = W dropout(ReLU(norm(x))) + b, and the gradient of |y|²/2. at_once: the norm's values are read first. */
static struct outcome *run(struct layer *p, bool at_once, double drop, int threads)
{
    struct outcome *d = calloc(1, sizeof *d);
    struct l2r_tape t;
    assert_non_null(d);
    l2r_threads_set(threads);
    l2r_tape_init(&t);
    l2r_tape_mode_train(&t, 4, 9);
    l2r_node x = l2r_leaf(&t, p->x, d->x, ROWS, IN), gamma = l2r_leaf(&t, p->gamma, d->gamma, 1, IN),
             beta = l2r_leaf(&t, p->beta, d->beta, 1, IN), w = l2r_leaf(&t, p->w, d->w, OUT, IN),
             b = l2r_leaf(&t, p->b, d->b, 1, OUT);
    l2r_node h = l2r_batch_norm(&t, x, gamma, beta, &norm_state, L2R_RELU, drop);
    assert_int_equal(t.status, L2R_OK);
    assert_null(l2r_value_as_is(&t, h)->data);
    if (at_once) assert_non_null(l2r_value_of(&t, h)->data);
    l2r_node y = l2r_linear_op(&t, h, w, b, L2R_LINEAR);
    assert_int_equal(t.status, L2R_OK);
    assert_true(at_once == (l2r_value_as_is(&t, h)->data != NULL));
    memcpy(d->y, l2r_value_of(&t, y)->data, sizeof d->y);
    l2r_tape_backward_from(&t, y, d->y);
    assert_int_equal(t.status, L2R_OK);
    l2r_tape_clear(&t);
    return d;
}

static void same_numbers(void **state)
{
    (void)state;
    struct layer *p = calloc(1, sizeof *p);
    struct l2r_rng rng = l2r_rng_at(8, L2R_RANDOM_TEST, 0);
    assert_non_null(p);
    draw(p->x, ROWS * IN, &rng);
    draw(p->gamma, IN, &rng);
    draw(p->beta, IN, &rng);
    draw(p->w, OUT * IN, &rng);
    draw(p->b, OUT, &rng);
    for (int k = 0; k < 2; k++) {
        double drop = k == 0 ? 0 : 0.4;
        struct outcome *at_once = run(p, true, drop, 1), *later = run(p, false, drop, 1),
                       *threads = run(p, false, drop, 3);
        assert_memory_equal(later, at_once, sizeof *later);
        assert_memory_equal(later, threads, sizeof *later);
        double sum = 0;
        for (int i = 0; i < OUT * IN; i++) sum += fabs(later->w[i]);
        assert_true(sum > 0);
        free(at_once);
        free(later);
        free(threads);
    }
    free(p);
}

/* Prediction forgets values layer by layer, but not what a value yet to be made is made of. */
static void what_it_is_made_of_is_kept(void **state)
{
    (void)state;
    struct l2r_tape t;
    double x[6] = {1, 2, 3, 4, 5, 6}, w[4] = {1, 0, 0, 1}, zero[2] = {0, 0}, one[2] = {1, 1}, mean[2] = {0, 0},
           variance[2] = {1, 1};
    const struct l2r_norm_state s = {mean, variance, 0.1, 0};
    l2r_tape_init(&t);
    l2r_tape_mode_predict(&t);
    l2r_node z = l2r_linear_op(&t, l2r_constant(&t, x, 3, 2), l2r_constant(&t, w, 2, 2), L2R_NO_NODE, L2R_LINEAR);
    l2r_node h = l2r_batch_norm(&t, z, l2r_constant(&t, one, 1, 2), l2r_constant(&t, zero, 1, 2), &s, L2R_RELU, 0);
    l2r_tape_release(&t, 0, &h, 1);
    assert_memory_equal(l2r_value_of(&t, h)->data, x, sizeof x);
    l2r_tape_release(&t, 0, &h, 1); /* now z may go */
    assert_null(l2r_value_as_is(&t, z)->data);
    assert_memory_equal(l2r_value_of(&t, h)->data, x, sizeof x);
    l2r_tape_clear(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_numbers), cmocka_unit_test(what_it_is_made_of_is_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
