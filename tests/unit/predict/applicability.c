/* SPDX-License-Identifier: MIT
 * The file of an applicability domain: what is written comes back, what does not fit is refused with a reason. */
#include "io/safetensors.h"
#include "predict/domain.h"
#include "support/data_sets.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct l2r_error error;
static char path[TEMPORARY_LENGTH + 24];

static int set_up(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s/domain.safetensors", fresh_folder());
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    path[strlen(path) - strlen("/domain.safetensors")] = '\0';
    l2r_remove_tree(path);
    return 0;
}

static void make(struct l2r_domain *domain)
{
    const float z[] = {0, 0, 1, 0, 0, 1, 1, 1, 2, 2};
    float distance[] = {1, 3, 2};
    assert_int_equal(l2r_domain_keep(domain, z, 5, 2, &error), L2R_OK);
    assert_int_equal(l2r_domain_measure(domain, &error), L2R_OK);
    assert_int_equal(l2r_domain_calibrate(domain, distance, 3, &error), L2R_OK);
    domain->n_train = 50;
}

static void test_round_trip(void **state)
{
    (void)state;
    struct l2r_domain domain, back;
    const float at[] = {0.5F, 3, -1, 0};
    float distance[4];
    make(&domain);
    assert_int_equal(l2r_applicability_write(&domain, path, "abc", &error), L2R_OK);
    assert_int_equal(l2r_applicability_read(&back, path, "abc", 2, &error), L2R_OK);
    l2r_domain_distances(distance, &domain, at, 2);
    l2r_domain_distances(distance + 2, &back, at, 2);
    assert_memory_equal(distance, distance + 2, 2 * sizeof *distance);
    assert_true(back.scale == domain.scale && back.n_train == 50 && back.n_valid == 3 && back.n_rows == 5);
    assert_true(l2r_domain_applicability(&back, 2) == l2r_domain_applicability(&domain, 2));
    l2r_domain_clear(&domain);
    l2r_domain_clear(&back);
}

static void expect_refused(const char *model, int64_t width, const char *why)
{
    struct l2r_domain back;
    assert_int_equal(l2r_applicability_read(&back, path, model, width, &error), L2R_ERR_FORMAT);
    if (!strstr(error.message, why)) fail_msg("\"%s\" does not say \"%s\"", error.message, why);
    assert_int_equal(back.d, 0);
    assert_null(back.blocks);
}

static void test_refused(void **state)
{
    (void)state;
    struct l2r_domain domain;
    make(&domain);
    assert_int_equal(l2r_applicability_write(&domain, path, "abc", &error), L2R_OK);
    expect_refused("abd", 2, "belongs to a model other than");
    expect_refused("abc", 3, "sizes are out of range");
    domain.scale = 0;
    assert_int_equal(l2r_applicability_write(&domain, path, "abc", &error), L2R_OK);
    expect_refused("abc", 2, "cannot be counts or distances");
    domain.scale = 1;
    domain.checked[0] = NAN;
    assert_int_equal(l2r_applicability_write(&domain, path, "abc", &error), L2R_OK);
    expect_refused("abc", 2, "cannot be counts or distances");
    struct l2r_metadatum only = {"format", "l2r-1"};
    assert_int_equal(l2r_safetensors_write(path, NULL, 0, &only, 1, &error), L2R_OK);
    expect_refused("abc", 2, "not an applicability domain");
    l2r_domain_clear(&domain);
}

static void test_path(void **state)
{
    (void)state;
    char out[64], small[8];
    assert_int_equal(l2r_applicability_path(out, sizeof out, "runs/a/best.safetensors", &error), L2R_OK);
    assert_string_equal(out, "runs/a/domain.safetensors");
    assert_int_equal(l2r_applicability_path(out, sizeof out, "best.safetensors", &error), L2R_OK);
    assert_string_equal(out, "domain.safetensors");
    assert_int_equal(l2r_applicability_path(small, sizeof small, "best.safetensors", &error), L2R_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_path),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
