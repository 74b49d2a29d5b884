/* SPDX-License-Identifier: MIT
 * Splits by groups: hand-made groups with known answers, and sentences for data without what a rule needs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/reader.h"
#include "data/splits/rule.h"
#include "support/messages.h"

#include <string.h>

extern const struct l2r_split_rule l2r_split_rule_scaffold, l2r_split_rule_scaffold_balanced, l2r_split_rule_column;

static struct l2r_config *config;

static int set_up(void **state)
{
    (void)state;
    bool made = l2r_config_new(&config, NULL) == L2R_OK && l2r_split_declare(config, NULL) == L2R_OK &&
                l2r_config_declare(config, l2r_data_options, NULL) == L2R_OK &&
                l2r_config_set(config, "split-column", "year", NULL) == L2R_OK;
    return made ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    l2r_config_free(config);
    return 0;
}

/* Parts of graphs whose groups are the letters of `groups`. */
static void split(uint8_t *part, const struct l2r_split_rule *rule, const char *groups, double valid, double test,
                  uint64_t seed)
{
    int32_t group[64] = {0};
    struct l2r_error error;
    struct l2r_dataset data = {.n_graphs = (int64_t)strlen(groups), .scaffold = group, .rank = group};
    struct l2r_splitting request = {.data = &data,
                                    .config = config,
                                    .seed = seed,
                                    .valid_fraction = valid,
                                    .test_fraction = test,
                                    .part = part,
                                    .rule = rule->name};
    for (int64_t i = 0; i < data.n_graphs; i++) group[i] = groups[i] - 'a';
    assert_int_equal(rule->split(&request, &error), L2R_OK);
}

/* parts "tttv…" of groups "aab…": t train, v valid, x test. */
static void expect(const struct l2r_split_rule *rule, double valid, double test, const char *groups, const char *parts)
{
    uint8_t part[64];
    char got[65] = "";
    split(part, rule, groups, valid, test, 0);
    for (size_t i = 0; groups[i]; i++) got[i] = "tvx?"[part[i]];
    assert_string_equal(got, parts);
}

static void largest_scaffolds_train(void **state)
{
    (void)state;
    const struct l2r_split_rule *rule = &l2r_split_rule_scaffold;
    /* a 4, b 3, then the singles from behind: e still fits into train's 8, d into valid, c into neither. */
    expect(rule, 0.1, 0.1, "aabbcaabde", "ttttxtttvt");
    expect(rule, 0.1, 0.1, "aaaaaaaaab", "vvvvvvvvvt");
    expect(rule, 0.1, 0.1, "aaaaaaaaaa", "xxxxxxxxxx");
    expect(rule, 0, 0.5, "aabbcc", "xxxxtt"); /* of equal size the one that begins last */
}

static void balanced_by_chance(void **state)
{
    (void)state;
    const struct l2r_split_rule *rule = &l2r_split_rule_scaffold_balanced;
    static const char groups[] = "aaaaaaaaaabbbbbbbbbbccccccccccddeeffgghhiijjkkllmmnnooppqqrrsstt";
    uint8_t part[2][64];
    bool differs = false;
    for (uint64_t seed = 0; seed < 20; seed++) {
        int64_t count[3] = {0};
        for (int k = 0; k < 2; k++) split(part[k], rule, groups, 0.1, 0.1, seed);
        assert_memory_equal(part[0], part[1], 64);
        for (int i = 0; i < 64; i++) {
            count[part[0][i]]++;
            assert_true(i == 0 || groups[i] != groups[i - 1] || part[0][i] == part[0][i - 1]);
        }
        for (int i = 0; i < 30; i++) assert_int_equal(part[0][i], L2R_PART_TRAIN); /* larger than half of valid */
        assert_int_equal(count[L2R_PART_TRAIN], 50);                               /* at most 51.2, in twos */
        assert_int_equal(count[L2R_PART_VALID], 6);
        split(part[1], rule, groups, 0.1, 0.1, seed + 1);
        differs = differs || memcmp(part[0], part[1], 64) != 0;
    }
    assert_true(differs);
}

static void ranks_from_the_end(void **state)
{
    (void)state;
    const struct l2r_split_rule *rule = &l2r_split_rule_column;
    expect(rule, 0.1, 0.1, "jihgfedcba", "xvtttttttt");
    expect(rule, 0.1, 0.1, "aaabbbccc", "tttvvvxxx"); /* a group is not divided */
    expect(rule, 0.1, 0.1, "aaaabbbbbb", "vvvvxxxxxx");
    expect(rule, 0, 0.1, "aaaabbbbbb", "ttttxxxxxx");
    expect(rule, 0.3, 0.3, "abcdefghij", "ttttvvvxxx");
}

/* Names are those that --split accepts, in its order, and stay free for one option each. */
static void every_rule_is_a_choice(void **state)
{
    (void)state;
    char names[256] = "auto";
    size_t n_options = 0;
    for (size_t i = 0; l2r_split_rules[i]; i++) {
        const struct l2r_split_rule *rule = l2r_split_rules[i];
        strcat(strcat(names, "|"), rule->name);
        assert_ptr_equal(l2r_split_rule_find(rule->name), rule);
        assert_true(rule->help && rule->help[0] && rule->split);
    }
    assert_string_equal(l2r_split_option(0)->choices, names);
    for (; l2r_split_option(n_options); n_options++)
        assert_true(l2r_config_has(config, l2r_split_option(n_options)->name));
    assert_true(n_options >= 6);
    assert_null(l2r_split_rule_find("none"));
}

static void needs_what_the_rule_uses(void **state)
{
    (void)state;
    struct l2r_error error;
    struct l2r_dataset *data;
    struct l2r_split split;
    struct l2r_config *own;
    assert_int_equal(l2r_dataset_load(&data, "motif:train=4,valid=2,test=2", false, &error), L2R_OK);
    assert_int_equal(l2r_config_new(&own, &error), L2R_OK);
    assert_int_equal(l2r_split_declare(own, &error), L2R_OK);
    assert_int_equal(l2r_config_declare(own, l2r_data_options, &error), L2R_OK);
    assert_int_equal(l2r_config_set(own, "split", "scaffold-balanced", &error), L2R_OK);
    assert_int_equal(l2r_split_make(&split, data, own, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "`split=scaffold-balanced`: data set \"motif\" is not a table of SMILES, so its "
                                  "scaffolds are unknown; use another rule");
    assert_int_equal(l2r_config_set(own, "split", "column", &error), L2R_OK);
    assert_int_equal(l2r_split_make(&split, data, own, &error), L2R_ERR_ARGUMENT);
    assert_string_equal(error.message, "`split=column` needs `split-column=NAME`");
    assert_int_equal(l2r_config_set(own, "split-column", "year", &error), L2R_OK);
    assert_int_equal(l2r_config_set(own, "split", "auto", &error), L2R_OK);
    assert_int_equal(l2r_split_make(&split, data, own, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "`split-column`: data set \"motif\" is not a table of SMILES and has no columns");
    l2r_dataset_free(data);
    l2r_config_free(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(largest_scaffolds_train),  cmocka_unit_test(balanced_by_chance),
        cmocka_unit_test(ranks_from_the_end),       cmocka_unit_test(every_rule_is_a_choice),
        cmocka_unit_test(needs_what_the_rule_uses),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
