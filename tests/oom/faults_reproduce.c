/* SPDX-License-Identifier: MIT
 * A reproduction while every call to the operating system fails in its turn, and every allocation: either a sentence
 * ends it, or a run is reported as failed. Started again, it does what is missing and ends with the results of one that
 * nothing happened to; no line of the results file is lost, none is doubled, nothing half written is left. */
#include "support/faults.h"

#include "io/file.h"
#include "reproduce/reproduction.h"

static const char spec[] = "{\"name\": \"small\", \"title\": \"Small\", \"seeds\": 2, \"options\": {\"hidden\": 4, "
                           "\"layers\": 1, \"epochs\": 2, \"batch-size\": 12},"
                           " \"rows\": [{\"label\": \"GIN\", \"model\": \"gin\", \"method\": \"erm\"}],"
                           " \"columns\": [{\"label\": \"motif\", \"data\": \"motif:train=12,valid=6,test=6\"}]}";
static char spec_path[256], work_dir[256];
static double expected[2];
static bool reported; /* a run that failed was reported */

static void on_failed(void *context, const char *label, const char *why)
{
    (void)context;
    assert_true(strlen(label) > 0 && strlen(why) > 10 && !strchr(why, '\n'));
    reported = true;
}

static enum l2r_status reproduce(struct l2r_error *error)
{
    const char *const names[] = {spec_path};
    const struct l2r_reproduce_order order = {
        .names = names, .n_names = 1, .dir = work_dir, .n_workers = 1, .failed = on_failed};
    size_t n_failed = 0;
    reported = false;
    enum l2r_status status = l2r_reproduce_all(&order, &n_failed, error);
    if (n_failed > 0) assert_true(reported);
    /* The command ends with an error when runs failed. */
    if (status == L2R_OK && n_failed > 0) {
        snprintf(error->message, sizeof error->message, "memory: told");
        return L2R_ERR_MEMORY;
    }
    return status;
}

static void from_nothing(void)
{
    l2r_remove_tree(work_dir);
    assert_int_equal(l2r_make_dirs(work_dir, NULL), L2R_OK);
}

static void read_tests(double tests[2], int lines)
{
    struct l2r_results results;
    struct l2r_error error = {0};
    char path[300];
    int found = 0;
    snprintf(path, sizeof path, "%s/results.jsonl", work_dir);
    if (l2r_results_open(&results, path, false, &error) != L2R_OK) fail_msg("%s", error.message);
    assert_true((int)results.n == lines);
    for (size_t i = 0; i < results.n; i++) {
        int seed = (int)l2r_line_number(results.lines[i], "seed");
        assert_true(seed == 0 || seed == 1);
        tests[seed] = l2r_line_number(results.lines[i], "test");
        found |= 1 << seed;
    }
    assert_int_equal(found, 3);
    l2r_results_close(&results);
}

static void complete(void)
{
    double tests[2];
    char path[300];
    read_tests(tests, 2);
    assert_true(tests[0] == expected[0] && tests[1] == expected[1]);
    no_litter(work_dir);
    snprintf(path, sizeof path, "%s/small.md", work_dir);
    assert_true(l2r_path_is_file(path));
}

static void goes_on(void)
{
    struct l2r_error error = {0};
    if (reproduce(&error) != L2R_OK) fail_msg("%s", error.message);
    complete();
}

static void test_reproduce(void **state)
{
    (void)state;
    const struct fault_work work = {from_nothing, reproduce, goes_on, complete};
    struct l2r_error error = {0};
    from_nothing();
    if (reproduce(&error) != L2R_OK) fail_msg("%s", error.message);
    read_tests(expected, 2);
    sweep(&work, "reproduce",
          L2R_CALL_OPEN | L2R_CALL_READ | L2R_CALL_WRITE | L2R_CALL_FSYNC | L2R_CALL_RENAME | L2R_CALL_CLOSE, 16);
    sweep(&work, "reproduce", L2R_CALL_ALLOCATE, 40);
}

static int set_up(void **state)
{
    if (fault_set_up(state) != 0) return 1;
    snprintf(spec_path, sizeof spec_path, "%s/small.json", fault_root);
    snprintf(work_dir, sizeof work_dir, "%s/work", fault_root);
    return l2r_file_write(spec_path, spec, strlen(spec), NULL) == L2R_OK ? 0 : 1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reproduce)};
    return cmocka_run_group_tests_name("a reproduction on a failing system", tests, set_up, fault_tear_down);
}
