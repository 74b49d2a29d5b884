/* SPDX-License-Identifier: MIT
 *
 * What the public calls leave on the disk: in the folder that they are given, and nowhere else. The program has an
 * empty folder as its current one, as its home, for its cache and for temporary files; without `cache` all of them stay
 * empty.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/training_runs.h"

#include "support/calls.h" /* after the others, whose functions have errors of their own */

#include <dirent.h>
#include <l2r/l2r.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int files_in(const char *dir)
{
    int n = 0;
    DIR *stream = opendir(dir);
    assert_non_null(stream);
    for (const struct dirent *item; (item = readdir(stream));) n += item->d_name[0] != '.' || item->d_name[1] > '.';
    closedir(stream);
    return n;
}

static void go_through_everything(const char *out)
{
    struct l2r_config *config, *reading;
    struct l2r_dataset *data;
    struct l2r_run run = L2R_RUN_INIT;
    struct l2r_result *result;
    struct l2r_predictor *predictor;
    struct l2r_explanation *why;
    const int64_t graphs[] = {0, 1};
    float output[4], far[2];
    char *text;
    OK(l2r_config_for_data(&reading, &error));
    OK(l2r_config_set(reading, "cache", "false", &error));
    OK(l2r_config_for_run(&config, "gin", "erm", &error));
    OK(l2r_config_set_json(config, "{\"epochs\": 1, \"hidden\": 4, \"layers\": 1, \"cache\": false}", &error));
    OK(l2r_config_set(config, "data", L2R_TEST_DIR "/data/tu/MINI", &error));
    OK(l2r_dataset_open(&data, L2R_TEST_DIR "/data/tu/MINI", reading, &error));
    run.config = config;
    run.out = out;
    OK(l2r_train(&result, &predictor, &run, &error));
    OK(l2r_predictor_predict(output, predictor, data, graphs, 2, &error));
    (void)l2r_predictor_applicability(far, NULL, predictor, data, graphs, 2, &error); /* where validation allows it */
    OK(l2r_explanation_new(&why, predictor, data, 0, NULL, &error));
    OK(l2r_explanation_svg(&text, why, predictor, data, &error));
    l2r_free(text);
    l2r_explanation_free(why);
    l2r_predictor_free(predictor);
    l2r_result_free(result);
    l2r_dataset_free(data);
    l2r_config_free(config);
    l2r_config_free(reading);
}

static void nothing_is_left_elsewhere(void **state)
{
    (void)state;
    static const char *const variables[] = {"HOME", "XDG_CACHE_HOME", "L2R_CACHE_DIR", "TMPDIR"};
    char empty[256], out[256];
    folder(empty, "empty");
    folder(out, "out");
    assert_int_equal(mkdir(empty, 0700), 0);
    for (int i = 0; i < 4; i++) assert_int_equal(setenv(variables[i], empty, 1), 0);
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(empty), 0);
    go_through_everything(out);
    assert_int_equal(files_in(empty), 0);
    assert_true(files_in(out) > 3);
    assert_int_equal(chdir(before), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_left_elsewhere)};
    return cmocka_run_group_tests(tests, run_set_up, run_tear_down);
}
