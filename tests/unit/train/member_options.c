/* SPDX-License-Identifier: MIT
 * Which members of the default committee a data set can afford: trees for many tasks are left out before training, with
 * a sentence; few tasks keep all, and a list that was typed is left alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "train/member_options.h"

#include "base/memory.h"
#include "data/dataset.h"
#include "model/run_options.h"
#include "nn/booster.h"

#include <string.h>

enum { GRAPHS = 2000 };

static struct l2r_error error;

/* The members that are kept; "": all. */
static void afford(char *kept, size_t size, char *sentence, size_t room, const char *members, int32_t n_tasks)
{
    struct l2r_config *config, *fewer = NULL;
    struct l2r_dataset data = {.task = L2R_TASK_BINARY, .n_graphs = GRAPHS, .n_tasks = n_tasks};
    size_t cells = GRAPHS * (size_t)n_tasks;
    float *labels = l2r_alloc(cells, sizeof *labels);
    assert_non_null(labels);
    for (size_t i = 0; i < cells; i++) labels[i] = (float)(i % 2);
    data.labels = labels;
    assert_int_equal(l2r_config_new(&config, &error), L2R_OK);
    assert_int_equal(l2r_run_declare(config, L2R_COMMITTEE_MODEL, "erm", &error), L2R_OK);
    assert_int_equal(l2r_config_set(config, "members", members, &error), L2R_OK);
    assert_int_equal(l2r_members_afford(&fewer, sentence, room, config, &data, &error), L2R_OK);
    snprintf(kept, size, "%s", fewer ? l2r_config_text(fewer, "members") : "");
    l2r_config_free(fewer);
    l2r_config_free(config);
    l2r_free(labels);
}

static void trees_of_many_tasks(void **state)
{
    (void)state;
    char kept[2000], sentence[700], item[L2R_MEMBER_ITEM];
    const char *usual = l2r_committee_default("members");
    int n = 0;
    afford(kept, sizeof kept, sentence, sizeof sentence, usual, 12);
    assert_string_equal(kept, "");
    assert_string_equal(sentence, "");
    afford(kept, sizeof kept, sentence, sizeof sentence, usual, 617);
    assert_null(strstr(kept, "forest"));
    assert_null(strstr(kept, "boost"));
    while (l2r_member_item(item, sizeof item, kept, n)) n++;
    assert_int_equal(n, 4);                        /* the network and three perceptrons */
    assert_non_null(strstr(sentence, "forest (")); /* and how much they would take */
    if (l2r_booster_version()) assert_non_null(strstr(sentence, "boost ("));
    afford(kept, sizeof kept, sentence, sizeof sentence, L2R_COMMITTEE_MODEL ",forest", 617);
    assert_string_equal(kept, "");
}

/* What is left of the default committee is still one: it gives way to what is set for the run. */
static void fewer_members_give_way(void **state)
{
    (void)state;
    char kept[2000], sentence[700], item[L2R_MEMBER_ITEM];
    struct l2r_config *config, *member;
    afford(kept, sizeof kept, sentence, sizeof sentence, l2r_committee_default("members"), 617);
    assert_int_equal(l2r_config_new(&config, &error), L2R_OK);
    assert_int_equal(l2r_run_declare(config, L2R_COMMITTEE_MODEL, "erm", &error), L2R_OK);
    assert_int_equal(l2r_config_set(config, "members", kept, &error), L2R_OK);
    assert_int_equal(l2r_config_set(config, "epochs", "3", &error), L2R_OK);
    assert_true(l2r_member_item(item, sizeof item, kept, 1));
    assert_int_equal(l2r_member_config(&member, config, item, 1, &error), L2R_OK);
    assert_int_equal(l2r_config_int(member, "epochs"), 3);
    l2r_config_free(member);
    l2r_config_free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_of_many_tasks),
        cmocka_unit_test(fewer_members_give_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
