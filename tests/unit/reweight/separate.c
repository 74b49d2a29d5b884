/* SPDX-License-Identifier: MIT
 * Two sets of random features in float: the forms agree to 1e-4, and any number of threads gives the same bits. */
#include "separate_features.h"

static void test_forms_agree(void **state)
{
    (void)state;
    forms_agree(1e-4);
}

static void test_copy_is_shared(void **state)
{
    (void)state;
    copy_is_shared(L2R_FORM_FEATURE, 1e-5);
    copy_is_shared(L2R_FORM_SAMPLE, 1e-4);
}

static void test_threads(void **state)
{
    (void)state;
    struct problem p;
    double one[MOST], two[MOST];
    draw(&p, 64, 40, 4, 3);
    for (int form = L2R_FORM_FEATURE; form <= L2R_FORM_SAMPLE; form++) {
        l2r_threads_set(1);
        double a = value_of(&p, (enum l2r_dependence_form)form, one, NULL);
        l2r_threads_set(2);
        double b = value_of(&p, (enum l2r_dependence_form)form, two, NULL);
        assert_memory_equal(&a, &b, sizeof a);
        assert_memory_equal(one, two, (size_t)p.rows * sizeof *one);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms_agree), cmocka_unit_test(test_copy_is_shared),
                                       cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
