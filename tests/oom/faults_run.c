/* SPDX-License-Identifier: MIT
 * Every call to the operating system that a run makes fails in its turn: opening (too many files), reading (a broken
 * disk), writing (a full one), flushing, renaming (read-only), closing (over quota), mapping. After each failure there
 * is a sentence, nothing half written lies about, the last good checkpoint opens, and the run resumed from it ends with
 * the bits of one that nothing happened to. */
#include "support/faults.h"

#include "io/file.h"
#include "model/ensemble.h"
#include "model/model_file.h"
#include "support/train_into.h"

static const char *const options[] = {
    "data", L2R_TEST_DIR "/data/tu/MINI", "hidden", "4", "layers", "1", "epochs", "3", "batch-size",
    "1",    "checkpoint-seconds",         "0",      NULL};
static struct l2r_config *config;
static char work_dir[256], stopped_dir[256], finished_dir[256];

static void copy_folder(const char *to, const char *from)
{
    DIR *dir = opendir(from);
    l2r_remove_tree(to);
    assert_int_equal(l2r_make_dirs(to, NULL), L2R_OK);
    for (const struct dirent *item; (item = readdir(dir));) {
        char source[512], target[512], *bytes;
        size_t length;
        if (item->d_name[0] == '.') continue;
        snprintf(source, sizeof source, "%s/%.200s", from, item->d_name);
        snprintf(target, sizeof target, "%s/%.200s", to, item->d_name);
        if (l2r_path_is_dir(source)) {
            copy_folder(target, source);
            continue;
        }
        assert_int_equal(l2r_file_read(&bytes, &length, source, 1 << 28, NULL), L2R_OK);
        assert_int_equal(l2r_file_write(target, bytes, length, NULL), L2R_OK);
        l2r_free(bytes);
    }
    closedir(dir);
}

static enum l2r_status go_on(struct l2r_error *error)
{
    struct l2r_result result = {0};
    enum l2r_status status = train_into(&result, config, work_dir, true, NULL, error);
    l2r_result_clear(&result);
    return status;
}

static void from_stopped(void)
{
    copy_folder(work_dir, stopped_dir);
}

static void from_nothing(void)
{
    l2r_remove_tree(work_dir);
}

static void ends_the_same(void)
{
    no_litter(work_dir);
    same_runs("whole", "work");
}

static void resumes(void)
{
    struct l2r_error error = {0};
    no_litter(work_dir);
    if (go_on(&error) != L2R_OK) fail_msg("%s", error.message);
    ends_the_same();
}

static void checkpoint_is_sound(void)
{
    struct l2r_safetensors *file = NULL;
    struct l2r_error error = {0};
    char path[300];
    snprintf(path, sizeof path, "%s/state/1-gin.safetensors", work_dir);
    if (l2r_path_is_file(path) && l2r_model_file_open(&file, path, l2r_format_checkpoint, &error) != L2R_OK)
        fail_msg("%s", error.message);
    l2r_safetensors_free(file);
    resumes();
}

enum {
    FILES = L2R_CALL_OPEN | L2R_CALL_READ | L2R_CALL_WRITE | L2R_CALL_FSYNC | L2R_CALL_RENAME | L2R_CALL_CLOSE |
            L2R_CALL_MAP
};

static void test_resumed(void **state)
{
    (void)state;
    const struct fault_work work = {from_stopped, go_on, checkpoint_is_sound, ends_the_same};
    sweep(&work, "train, resumed", FILES, 16);
    sweep(&work, "train, resumed", L2R_CALL_ALLOCATE, 60);
}

static void test_fresh(void **state)
{
    (void)state;
    const struct fault_work work = {from_nothing, go_on, resumes, ends_the_same};
    sweep(&work, "train", FILES, 16);
    sweep(&work, "train", L2R_CALL_ALLOCATE, 60);
}

static enum l2r_status predict(struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_ensemble *ensemble = NULL;
    struct l2r_answers answers = L2R_ANSWERS_INIT;
    float output[4];
    struct l2r_dataset *data = NULL;
    const char *const paths[] = {finished_dir};
    const int32_t graphs[] = {2, 0};
    char out[300];
    snprintf(out, sizeof out, "%s/predictions", work_dir);
    L2R_TRY(l2r_ensemble_open(&ensemble, paths, 1, error));
    L2R_TRY(l2r_dataset_load(&data, L2R_TEST_DIR "/data/tu/MINI", true, error));
    answers.output = output;
    L2R_TRY(l2r_ensemble_answer(&answers, ensemble, data, graphs, 2, error));
    L2R_TRY(l2r_file_write(out, (const char *)output, sizeof output, error));
done:
    l2r_dataset_free(data);
    l2r_ensemble_free(ensemble);
    return status;
}

static char before[64];
static size_t before_length;

static void old_predictions(void)
{
    char out[300];
    l2r_remove_tree(work_dir);
    assert_int_equal(l2r_make_dirs(work_dir, NULL), L2R_OK);
    snprintf(out, sizeof out, "%s/predictions", work_dir);
    assert_int_equal(l2r_file_write(out, "old", 3, NULL), L2R_OK);
}

static void expect_predictions(const char *wanted, size_t n)
{
    char out[300], *bytes;
    size_t length;
    no_litter(work_dir);
    snprintf(out, sizeof out, "%s/predictions", work_dir);
    assert_int_equal(l2r_file_read(&bytes, &length, out, 1000, NULL), L2R_OK);
    assert_int_equal(length, n);
    assert_memory_equal(bytes, wanted, n);
    l2r_free(bytes);
}

static void old_ones_stay(void)
{
    expect_predictions("old", 3);
}

static void new_ones_are_there(void)
{
    expect_predictions(before, before_length);
}

static void test_predict(void **state)
{
    (void)state;
    const struct fault_work work = {old_predictions, predict, old_ones_stay, new_ones_are_there};
    struct l2r_error error = {0};
    char out[300], *bytes;
    old_predictions();
    if (predict(&error) != L2R_OK) fail_msg("%s", error.message);
    snprintf(out, sizeof out, "%s/predictions", work_dir);
    assert_int_equal(l2r_file_read(&bytes, &before_length, out, sizeof before, NULL), L2R_OK);
    memcpy(before, bytes, before_length);
    l2r_free(bytes);
    sweep(&work, "predict", FILES | L2R_CALL_ALLOCATE, 0);
}

static int set_up(void **state)
{
    struct l2r_error error;
    struct l2r_result result;
    int left = 4;
    struct l2r_callbacks watch = {.context = &left, .stop = stop_after};
    if (fault_set_up(state) != 0) return 1;
    snprintf(root, sizeof root, "%s", fault_root);
    folder(work_dir, "work");
    folder(stopped_dir, "stopped");
    config = config_for("gin", "l2r", options);
    result = train(config, "whole", false, NULL);
    l2r_result_clear(&result);
    folder(finished_dir, "finished");
    if (train_into(&result, config, finished_dir, false, NULL, &error) != L2R_OK) return 1;
    l2r_result_clear(&result);
    return train_into(&result, config, stopped_dir, false, &watch, &error) == L2R_ERR_INTERRUPTED ? 0 : 1;
}

static int tear_down(void **state)
{
    l2r_config_free(config);
    return fault_tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_predict), cmocka_unit_test(test_resumed),
                                       cmocka_unit_test(test_fresh)};
    return cmocka_run_group_tests_name("a run on a failing system", tests, set_up, tear_down);
}
