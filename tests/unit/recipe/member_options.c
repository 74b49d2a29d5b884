/* SPDX-License-Identifier: MIT
 * Which members of the default committee a data set can afford: trees for many tasks are left out before training, with
 * a sentence; few tasks keep all, and a list that was typed is left alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recipe/member_options.h"

#include "base/memory.h"
#include "data/dataset.h"
#include "fit/options.h"
#include "nn/booster.h"
#include "recipe/table_defaults.h"

#include <string.h>

enum { GRAPHS = 2000 };

static struct l2r_error error;

/* Bits of the members that are left out. */
static uint64_t afford(char *sentence, size_t room, const char *members, int32_t n_tasks)
{
    struct l2r_config *config;
    struct l2r_dataset data = {.task = L2R_TASK_BINARY, .n_graphs = GRAPHS, .n_tasks = n_tasks};
    size_t cells = GRAPHS * (size_t)n_tasks;
    uint64_t left_out;
    float *labels = l2r_alloc(cells, sizeof *labels);
    assert_non_null(labels);
    for (size_t i = 0; i < cells; i++) labels[i] = (float)(i % 2);
    data.labels = labels;
    assert_int_equal(l2r_config_new(&config, &error), L2R_OK);
    assert_int_equal(l2r_run_declare(config, L2R_COMMITTEE_MODEL, "erm", &error), L2R_OK);
    assert_int_equal(l2r_config_set(config, "members", members, &error), L2R_OK);
    assert_int_equal(l2r_members_afford(&left_out, sentence, room, config, &data, &error), L2R_OK);
    l2r_config_free(config);
    l2r_free(labels);
    return left_out;
}

static void trees_of_many_tasks(void **state)
{
    (void)state;
    char sentence[700];
    const char *usual = l2r_committee_default("members");
    assert_int_equal(afford(sentence, sizeof sentence, usual, 12), 0);
    assert_string_equal(sentence, "");
    /* The network and three perceptrons stay. */
    assert_int_equal(afford(sentence, sizeof sentence, usual, 617), l2r_booster_version() ? 6 : 2);
    assert_non_null(strstr(sentence, "forest"));
    if (l2r_booster_version()) assert_non_null(strstr(sentence, "boost"));
    assert_int_equal(afford(sentence, sizeof sentence, L2R_COMMITTEE_MODEL ",forest", 617), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_of_many_tasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
