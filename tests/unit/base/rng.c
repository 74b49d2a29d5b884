/* SPDX-License-Identifier: MIT
 * Random streams: the published known answers of Philox4x32-10, and the properties that callers count on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

static void check_block(struct l2r_rng rng, const uint32_t expected[4])
{
    for (int i = 0; i < 4; i++) assert_int_equal(l2r_rng_u32(&rng), expected[i]);
}

/* Known-answer vectors of Salmon et al. 2011: counter and key all zero bits, all one bits, and the digits of pi. */
static void known_answers(void **state)
{
    (void)state;
    check_block((struct l2r_rng){.left = 0}, (const uint32_t[]){0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    check_block((struct l2r_rng){.key = {UINT32_MAX, UINT32_MAX}, .high = UINT64_MAX, .low = UINT64_MAX},
                (const uint32_t[]){0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    check_block(
        (struct l2r_rng){.key = {0xa4093822, 0x299f31d0}, .high = 0x0370734413198a2e, .low = 0x85a308d3243f6a88},
        (const uint32_t[]){0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

static void streams_repeat_and_differ(void **state)
{
    (void)state;
    struct l2r_rng a = l2r_rng_at(7, L2R_RANDOM_INIT, 3), same = l2r_rng_at(7, L2R_RANDOM_INIT, 3);
    struct l2r_rng other[] = {l2r_rng_at(8, L2R_RANDOM_INIT, 3), l2r_rng_at(7, L2R_RANDOM_DROPOUT, 3),
                              l2r_rng_at(7, L2R_RANDOM_INIT, 4)};
    int equal[3] = {0};
    for (int i = 0; i < 1000; i++) {
        uint32_t value = l2r_rng_u32(&a);
        assert_int_equal(value, l2r_rng_u32(&same));
        for (int k = 0; k < 3; k++) equal[k] += value == l2r_rng_u32(&other[k]);
    }
    for (int k = 0; k < 3; k++) assert_true(equal[k] <= 1);
}

static void a_copy_continues_the_stream(void **state)
{
    (void)state;
    struct l2r_rng rng = l2r_rng_at(1, L2R_RANDOM_TEST, 0);
    for (int i = 0; i < 7; i++) l2r_rng_u32(&rng);
    struct l2r_rng copy = rng;
    for (int i = 0; i < 20; i++) assert_true(l2r_rng_u64(&rng) == l2r_rng_u64(&copy));
}

static void uniform_is_uniform(void **state)
{
    (void)state;
    enum { N = 200000, BINS = 20 };
    struct l2r_rng rng = l2r_rng_at(42, L2R_RANDOM_TEST, 0);
    int bin[BINS] = {0};
    double sum = 0;
    for (int i = 0; i < N; i++) {
        double u = l2r_rng_uniform(&rng);
        assert_true(u >= 0 && u < 1);
        bin[(int)(u * BINS)]++;
        sum += u;
    }
    double chi = 0, expected = (double)N / BINS;
    for (int i = 0; i < BINS; i++) chi += (bin[i] - expected) * (bin[i] - expected) / expected;
    assert_true(chi < 43.8);                  /* 19 degrees of freedom: p = 0.001 */
    assert_true(fabs(sum / N - 0.5) < 0.003); /* 4.6 standard errors */
}

static void normal_has_its_moments(void **state)
{
    (void)state;
    enum { N = 200000 };
    struct l2r_rng rng = l2r_rng_at(42, L2R_RANDOM_TEST, 1);
    double power[5] = {0};
    for (int i = 0; i < N; i++) {
        double x = l2r_rng_normal(&rng);
        assert_true(isfinite(x));
        for (int k = 1; k < 5; k++) power[k] += pow(x, k) / N;
    }
    assert_true(fabs(power[1]) < 0.012);
    assert_true(fabs(power[2] - 1) < 0.016);
    assert_true(fabs(power[3]) < 0.045);
    assert_true(fabs(power[4] - 3) < 0.12);
}

static void below_stays_below_and_is_fair(void **state)
{
    (void)state;
    enum { N = 70000 };
    struct l2r_rng rng = l2r_rng_at(5, L2R_RANDOM_TEST, 0);
    int count[7] = {0};
    for (int i = 0; i < N; i++) {
        uint64_t value = l2r_rng_below(&rng, 7);
        assert_true(value < 7);
        count[value]++;
        assert_true(l2r_rng_below(&rng, 1) == 0);
    }
    for (int i = 0; i < 7; i++) assert_true(abs(count[i] - N / 7) < 400); /* 4.3 standard deviations */
    uint64_t most = (UINT64_C(1) << 63) + 1;                              /* half of all draws must be refused */
    for (int i = 0; i < 1000; i++) assert_true(l2r_rng_below(&rng, most) < most);
}

static void shuffle_is_a_permutation(void **state)
{
    (void)state;
    enum { N = 1000 };
    struct l2r_rng rng = l2r_rng_at(9, L2R_RANDOM_SHUFFLE, 0);
    int32_t items[N];
    int seen[N] = {0}, moved = 0;
    for (int32_t i = 0; i < N; i++) items[i] = i;
    l2r_rng_shuffle(&rng, items, N);
    for (int i = 0; i < N; i++) {
        assert_in_range(items[i], 0, N - 1);
        seen[items[i]]++;
        moved += items[i] != i;
    }
    for (int i = 0; i < N; i++) assert_int_equal(seen[i], 1);
    assert_true(moved > N - 20);
    l2r_rng_shuffle(&rng, items, 1);
    l2r_rng_shuffle(&rng, NULL, 0);
}

/* All 6 orders of three items must come equally often: a biased swap rule shows here. */
static void shuffle_is_fair(void **state)
{
    (void)state;
    enum { N = 60000 };
    struct l2r_rng rng = l2r_rng_at(9, L2R_RANDOM_SHUFFLE, 1);
    int count[27] = {0}, orders = 0;
    for (int i = 0; i < N; i++) {
        int32_t items[3] = {0, 1, 2};
        l2r_rng_shuffle(&rng, items, 3);
        count[9 * items[0] + 3 * items[1] + items[2]]++;
    }
    for (int i = 0; i < 27; i++) {
        if (!count[i]) continue;
        orders++;
        assert_true(abs(count[i] - N / 6) < 400);
    }
    assert_int_equal(orders, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(streams_repeat_and_differ),
        cmocka_unit_test(a_copy_continues_the_stream),
        cmocka_unit_test(uniform_is_uniform),
        cmocka_unit_test(normal_has_its_moments),
        cmocka_unit_test(below_stays_below_and_is_fair),
        cmocka_unit_test(shuffle_is_a_permutation),
        cmocka_unit_test(shuffle_is_fair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
