/* SPDX-License-Identifier: MIT
 * Loading by name: generators with options, paths before generators, recognition by content. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/data_sets.h"
#include "support/messages.h"

#include <unistd.h>

static struct l2r_error error;

static void runs_generators(void **state)
{
    (void)state;
    struct l2r_dataset *data, *again;
    assert_int_equal(l2r_dataset_load(&data, "motif:mu=0.9,seed=3", true, &error), L2R_OK);
    assert_false(data->cached);
    assert_string_equal(data->name, "motif");
    assert_non_null(data->official);
    assert_int_equal(l2r_dataset_load(&again, "motif:seed=3,mu=0.9,", false, &error), L2R_OK);
    assert_int_equal(data->block_size, again->block_size);
    assert_memory_equal(data->block, again->block, data->block_size);
    l2r_dataset_free(again);
    l2r_dataset_free(data);
}

static void refuses_bad_options(void **state)
{
    (void)state;
    struct l2r_dataset *data;
    assert_int_equal(l2r_dataset_load(&data, "motif:mu", true, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "motif:mu: \"mu\" is not of the form key=value");
    assert_int_equal(l2r_dataset_load(&data, "motif:=1", true, &error), L2R_ERR_ARGUMENT);
    assert_int_equal(l2r_dataset_load(&data, "motif:mu=0.5,,seed=1", true, &error), L2R_ERR_ARGUMENT);
    assert_int_equal(l2r_dataset_load(&data, "motif:mu=2", true, &error), L2R_ERR_ARGUMENT);
    assert_int_equal(l2r_dataset_load(&data, "motif:nu=0.5", true, &error), L2R_ERR_ARGUMENT);
    assert_null(data);
    assert_int_equal(l2r_dataset_load(&data, "motive", true, &error), L2R_ERR_IO);
    expect_message(error.message,
                   "motive: no such file or folder, and no generator of that name (generators: goodmotif, "
                   "molecules, motif, proteins, spmotif)");
    assert_int_equal(l2r_dataset_load(&data, "", true, &error), L2R_ERR_IO);
}

static void a_path_wins(void **state)
{
    (void)state;
    char *folder = fresh_folder(), here[4096];
    struct l2r_dataset *data;
    assert_non_null(folder);
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(l2r_make_dirs("motif", &error), L2R_OK);
    assert_int_equal(l2r_dataset_load(&data, "motif", false, &error), L2R_ERR_FORMAT);
    expect_message(error.message, "motif: no data set is recognised here");
    assert_int_equal(chdir(here), 0);
    l2r_remove_tree(folder);
}

static void names_tasks(void **state)
{
    (void)state;
    assert_string_equal(l2r_task_name(L2R_TASK_MULTICLASS), "multiclass");
    assert_string_equal(l2r_task_name(L2R_TASK_BINARY), "binary");
    assert_string_equal(l2r_task_name(L2R_TASK_REGRESSION), "regression");
    l2r_dataset_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_generators),
        cmocka_unit_test(refuses_bad_options),
        cmocka_unit_test(a_path_wins),
        cmocka_unit_test(names_tasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
