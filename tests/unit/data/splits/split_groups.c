/* SPDX-License-Identifier: MIT
 * Splits by groups: hand-made groups with known answers, and sentences for data without what a rule needs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/options.h"
#include "data/splits/split.h"
#include "data/splits/split_groups.h"

#include <string.h>

static const struct l2r_split_rule tenths = {.valid_fraction = 0.1, .test_fraction = 0.1};

/* parts "tttv…" of groups "aab…": t train, v valid, x test. */
static void expect(bool (*split)(uint8_t *, const int32_t *, int64_t, const struct l2r_split_rule *),
                   const struct l2r_split_rule *rule, const char *groups, const char *parts)
{
    int32_t group[64] = {0};
    uint8_t part[64];
    char got[65] = "";
    size_t n = strlen(groups);
    for (size_t i = 0; i < n; i++) group[i] = groups[i] - 'a';
    assert_true(split(part, group, (int64_t)n, rule));
    for (size_t i = 0; i < n; i++) got[i] = "tvx?"[part[i]];
    got[n] = '\0';
    assert_string_equal(got, parts);
}

static void largest_scaffolds_train(void **state)
{
    (void)state;
    /* a 4, b 3, then the singles from behind: e still fits into train's 8, d into valid, c into neither. */
    expect(l2r_split_by_group, &tenths, "aabbcaabde", "ttttxtttvt");
    expect(l2r_split_by_group, &tenths, "aaaaaaaaab", "vvvvvvvvvt");
    expect(l2r_split_by_group, &tenths, "aaaaaaaaaa", "xxxxxxxxxx");
    const struct l2r_split_rule half = {.valid_fraction = 0, .test_fraction = 0.5};
    expect(l2r_split_by_group, &half, "aabbcc", "xxxxtt"); /* of equal size the one that begins last */
}

static void balanced_by_chance(void **state)
{
    (void)state;
    static const char groups[] = "aaaaaaaaaabbbbbbbbbbccccccccccddeeffgghhiijjkkllmmnnooppqqrrsstt";
    int32_t group[64] = {0};
    uint8_t part[2][64];
    bool differs = false;
    for (int i = 0; i < 64; i++) group[i] = groups[i] - 'a';
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct l2r_split_rule rule = tenths;
        int64_t count[3] = {0};
        rule.seed = seed;
        for (int k = 0; k < 2; k++) assert_true(l2r_split_by_group_balanced(part[k], group, 64, &rule));
        assert_memory_equal(part[0], part[1], 64);
        for (int i = 0; i < 64; i++) {
            count[part[0][i]]++;
            assert_true(i == 0 || group[i] != group[i - 1] || part[0][i] == part[0][i - 1]);
        }
        for (int i = 0; i < 30; i++) assert_int_equal(part[0][i], L2R_PART_TRAIN); /* larger than half of valid */
        assert_int_equal(count[L2R_PART_TRAIN], 50);                               /* at most 51.2, in twos */
        assert_int_equal(count[L2R_PART_VALID], 6);
        rule.seed = seed + 1;
        assert_true(l2r_split_by_group_balanced(part[1], group, 64, &rule));
        differs = differs || memcmp(part[0], part[1], 64) != 0;
    }
    assert_true(differs);
}

static void ranks_from_the_end(void **state)
{
    (void)state;
    expect(l2r_split_by_rank, &tenths, "jihgfedcba", "xvtttttttt");
    expect(l2r_split_by_rank, &tenths, "aaabbbccc", "tttvvvxxx"); /* a group is not divided */
    expect(l2r_split_by_rank, &tenths, "aaaabbbbbb", "vvvvxxxxxx");
    const struct l2r_split_rule no_valid = {.test_fraction = 0.1};
    expect(l2r_split_by_rank, &no_valid, "aaaabbbbbb", "ttttxxxxxx");
    const struct l2r_split_rule thirds = {.valid_fraction = 0.3, .test_fraction = 0.3};
    expect(l2r_split_by_rank, &thirds, "abcdefghij", "ttttvvvxxx");
}

static void needs_what_the_rule_uses(void **state)
{
    (void)state;
    struct l2r_error error;
    struct l2r_dataset *data;
    struct l2r_split split;
    struct l2r_config *config;
    assert_int_equal(l2r_dataset_load(&data, "motif:train=4,valid=2,test=2", false, &error), L2R_OK);
    assert_int_equal(l2r_config_new(&config, &error), L2R_OK);
    assert_int_equal(l2r_config_declare(config, l2r_split_options, &error), L2R_OK);
    assert_int_equal(l2r_config_declare(config, l2r_data_options, &error), L2R_OK);
    assert_int_equal(l2r_config_set(config, "split", "scaffold-balanced", &error), L2R_OK);
    assert_int_equal(l2r_split_make(&split, data, config, &error), L2R_ERR_ARGUMENT);
    assert_string_equal(error.message, "--split scaffold-balanced: data set \"motif\" is no table of SMILES, so that "
                                       "scaffolds are not known; use another rule");
    assert_int_equal(l2r_config_set(config, "split", "column", &error), L2R_OK);
    assert_int_equal(l2r_split_make(&split, data, config, &error), L2R_ERR_ARGUMENT);
    assert_string_equal(error.message, "--split column needs --split-column NAME");
    assert_int_equal(l2r_config_set(config, "split-column", "year", &error), L2R_OK);
    assert_int_equal(l2r_config_set(config, "split", "auto", &error), L2R_OK);
    assert_int_equal(l2r_split_make(&split, data, config, &error), L2R_ERR_ARGUMENT);
    assert_string_equal(error.message, "--split-column: data set \"motif\" is no table of SMILES and has no columns");
    l2r_dataset_free(data);
    l2r_config_free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(largest_scaffolds_train),
        cmocka_unit_test(balanced_by_chance),
        cmocka_unit_test(ranks_from_the_end),
        cmocka_unit_test(needs_what_the_rule_uses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
