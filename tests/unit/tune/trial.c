/* SPDX-License-Identifier: MIT
 * The median rule on curves written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tune/trial.h"

/* "[0.5, 0.6]" */
static json_t *curve(const char *text)
{
    json_t *list = json_loads(text, 0, NULL);
    assert_non_null(list);
    return list;
}

static int64_t stop(const char *own, const char *const *others, size_t n, int64_t from, int64_t last,
                    const char *metric)
{
    json_t *mine = curve(own), *lists[8];
    for (size_t i = 0; i < n; i++) lists[i] = others[i] ? curve(others[i]) : NULL;
    int64_t epoch = l2r_median_stop(mine, (const json_t *const *)lists, n, from, last, l2r_metric_find(metric));
    for (size_t i = 0; i < n; i++) json_decref(lists[i]);
    json_decref(mine);
    return epoch;
}

static const char *const three[] = {"[0.5, 0.7, 0.6, 0.6]", "[0.6, 0.6, 0.8, 0.8]", "[0.4, 0.5, 0.5, 0.9]"};

static void compares_the_best_so_far(void **state)
{
    (void)state;
    /* Medians of the best so far: 0.5, 0.6, 0.7, 0.8. */
    assert_int_equal(stop("[0.5, 0.6, 0.7, 0.8]", three, 3, 1, 4, "accuracy"), 0); /* as good is good enough */
    assert_int_equal(stop("[0.49, 0.9, 0.9, 0.9]", three, 3, 1, 4, "accuracy"), 1);
    assert_int_equal(stop("[0.49, 0.9, 0.1, 0.1]", three, 3, 2, 4, "accuracy"), 0); /* its best counts, not its last */
    assert_int_equal(stop("[0.5, 0.6, 0.69, 0.9]", three, 3, 1, 4, "accuracy"), 3);
    assert_int_equal(stop("[0.5, 0.6, 0.69, 0.9]", three, 3, 1, 2, "accuracy"), 0); /* not behind `last` */
    assert_int_equal(stop("[0.5]", three, 3, 2, 4, "accuracy"), 0);                 /* not there yet */
}

static void lower_may_be_better(void **state)
{
    (void)state;
    assert_int_equal(stop("[0.51, 0.5, 0.5, 0.5]", three, 3, 1, 4, "rmse"), 1); /* medians 0.5, 0.5, 0.5, 0.5 */
    assert_int_equal(stop("[0.5, 0.6, 0.7, 0.8]", three, 3, 1, 4, "rmse"), 0);
}

static void needs_three(void **state)
{
    (void)state;
    const char *const few[] = {"[0.9, 0.9]", NULL, "[0.9]", "[0.9, 0.9]", "[null, null]"};
    assert_int_equal(stop("[0.1, 0.1]", few, 5, 2, 2, "accuracy"), 0);
    assert_int_equal(stop("[0.1, 0.1]", few, 5, 1, 2, "accuracy"), 1);
    assert_int_equal(stop("[null, null]", three, 3, 1, 2, "accuracy"), 1); /* no score at all is below any */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compares_the_best_so_far),
        cmocka_unit_test(lower_may_be_better),
        cmocka_unit_test(needs_three),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
