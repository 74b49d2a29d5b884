/* SPDX-License-Identifier: MIT
 * Files of a run that a disk, a hand or a kill has damaged: every byte of a checkpoint counts, every length but the
 * whole one is refused, the checkpoint before the last takes its place with a warning, and whatever was damaged the run
 * ends with the bits of one that never was. */
#include "base/memory.h"
#include "io/file.h"
#include "model/model_file.h"
#include "support/training_runs.h"

#include <sys/stat.h>
#include <unistd.h>

static const char *const options[] = {"data",
                                      "motif:train=24,valid=12,test=12",
                                      "hidden",
                                      "4",
                                      "layers",
                                      "1",
                                      "epochs",
                                      "5",
                                      "batch-size",
                                      "8",
                                      "checkpoint-seconds",
                                      "0",
                                      NULL};
static char notes[4096]; /* the notes of the last run */

static void on_note(void *context, const char *sentence)
{
    (void)context;
    size_t used = strlen(notes);
    snprintf(notes + used, sizeof notes - used, "%s\n", sentence);
}

static void path_in(char path[512], const char *run, const char *file)
{
    snprintf(path, 512, "%s/%s/%s", root, run, file);
}

static __attribute__((noinline)) char *read_whole(size_t *length, const char *path)
{
    char *bytes;
    struct l2r_error error;
    assert_int_equal(l2r_file_read(&bytes, length, path, 1 << 28, &error), L2R_OK);
    return bytes;
}

/* Without the care that l2r_file_write takes: thousands of them. */
static void write_plain(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static enum l2r_status open_checkpoint(const char *path)
{
    struct l2r_safetensors *file = NULL;
    struct l2r_error error = {0};
    enum l2r_status status = l2r_model_file_open(&file, path, l2r_format_checkpoint, &error);
    if (status != L2R_OK) assert_true(file == NULL && strlen(error.message) > 20);
    l2r_safetensors_free(file);
    return status;
}

/* A run that was stopped in its third epoch; batches of 8 make three an epoch. */
static void stop_a_run(const char *name, const struct l2r_config *config)
{
    struct l2r_result result;
    struct l2r_error error;
    char dir[256];
    int left = 7;
    struct l2r_callbacks watch = {.context = &left, .stop = stop_after};
    folder(dir, name);
    l2r_remove_tree(dir);
    assert_int_equal(train_into(&result, config, dir, false, &watch, &error), L2R_ERR_INTERRUPTED);
}

static void finish(const char *name, const struct l2r_config *config)
{
    struct l2r_callbacks watch = {.note = on_note};
    notes[0] = '\0';
    struct l2r_result result = train(config, name, true, &watch);
    assert_int_equal(result.epochs, 5);
    l2r_result_clear(&result);
    same_runs("whole", name);
}

static void test_every_bit(void **state)
{
    struct l2r_config *config = *state;
    char path[512], other[512];
    size_t length;
    stop_a_run("bits", config);
    path_in(path, "bits", "state/1-gin.safetensors");
    path_in(other, "bits", "flipped.safetensors");
    char *bytes = read_whole(&length, path);
    for (size_t at = 0; at < length; at++) {
        int bit = (int)(at % 8); /* one bit a byte: all eight take eight times as long */
        bytes[at] = (char)(bytes[at] ^ (1 << bit));
        write_plain(other, bytes, length);
        if (open_checkpoint(other) != L2R_ERR_FORMAT) fail_msg("bit %d of byte %zu went unnoticed", bit, at);
        bytes[at] = (char)(bytes[at] ^ (1 << bit));
    }
    write_plain(other, bytes, length);
    assert_int_equal(open_checkpoint(other), L2R_OK);
    for (size_t n = length; n-- > 0; n -= n > 3 ? 2 : 0) { /* every third length */
        assert_int_equal(truncate(other, (off_t)n), 0);
        if (open_checkpoint(other) != L2R_ERR_FORMAT) fail_msg("cut to %zu bytes went unnoticed", n);
    }
    l2r_free(bytes);
}

enum harm { FLIP_HEADER, FLIP_NUMBER, CUT, EMPTY, MISSING, N_HARMS };

static void harm_file(const char *path, enum harm harm)
{
    size_t length;
    char *bytes = read_whole(&length, path);
    bytes[harm == FLIP_HEADER ? 200 : length - 5] ^= 4;
    if (harm == CUT) length /= 2;
    if (harm == EMPTY) length = 0;
    write_plain(path, bytes, length);
    if (harm == MISSING) assert_int_equal(unlink(path), 0);
    l2r_free(bytes);
}

static void test_previous_takes_its_place(void **state)
{
    struct l2r_config *config = *state;
    char last[512], previous[512];
    for (int harm = 0; harm < N_HARMS; harm++) {
        stop_a_run("harmed", config);
        path_in(last, "harmed", "state/1-gin.safetensors");
        path_in(previous, "harmed", "state/1-gin-previous.safetensors");
        assert_int_equal(open_checkpoint(previous), L2R_OK);
        harm_file(last, (enum harm)harm);
        finish("harmed", config);
        if (harm != MISSING) assert_non_null(strstr(notes, "continuing from the checkpoint before it"));
        assert_null(strstr(notes, "from the beginning"));
    }
    stop_a_run("harmed", config);
    harm_file(last, CUT);
    harm_file(previous, FLIP_NUMBER);
    finish("harmed", config);
    assert_non_null(strstr(notes, "there is no sound checkpoint: starting from the beginning"));
}

/* A damaged checkpoint never takes the place of the sound one, whenever the next kill comes. */
static void test_previous_stays_sound(void **state)
{
    struct l2r_config *config = *state;
    struct l2r_result result;
    struct l2r_error error;
    char dir[256], last[512], previous[512];
    int left = 1; /* so that there is one save: when it is stopped */
    struct l2r_callbacks watch = {.context = &left, .stop = stop_after};
    stop_a_run("twice", config);
    folder(dir, "twice");
    path_in(last, "twice", "state/1-gin.safetensors");
    path_in(previous, "twice", "state/1-gin-previous.safetensors");
    harm_file(last, FLIP_NUMBER);
    assert_int_equal(train_into(&result, config, dir, true, &watch, &error), L2R_ERR_INTERRUPTED);
    assert_int_equal(open_checkpoint(last), L2R_OK);
    assert_int_equal(open_checkpoint(previous), L2R_OK);
    harm_file(last, CUT);
    finish("twice", config);
    assert_non_null(strstr(notes, "continuing from the checkpoint before it"));
}

/* Everything else in the folder, while the run stands and after its end. */
static void test_other_files(void **state)
{
    struct l2r_config *config = *state;
    static const char *const files[] = {"split.json", "metrics.jsonl", "config.json", NULL};
    char path[512];
    for (size_t f = 0; files[f]; f++)
        for (int harm = FLIP_NUMBER; harm < N_HARMS; harm++) {
            stop_a_run("others", config);
            path_in(path, "others", files[f]);
            harm_file(path, (enum harm)harm);
            finish("others", config);
            if (strcmp(files[f], "split.json") == 0) assert_non_null(strstr(notes, "split.json is missing or damaged"));
        }
    static const char *const ended[] = {"best.safetensors", "result.json", NULL};
    for (size_t f = 0; ended[f]; f++)
        for (int harm = CUT; harm < N_HARMS; harm++) {
            path_in(path, "others", ended[f]);
            harm_file(path, (enum harm)harm);
            finish("others", config);
            if (harm != MISSING) assert_non_null(strstr(notes, "it is made again"));
            finish("others", config);
            assert_non_null(strstr(notes, "already finished"));
        }
    path_in(path, "others", "state");
    assert_false(l2r_path_is_there(path)); /* a run that has ended needs no checkpoint */
}

/* A split that lacks a graph is as valid as before, but not the one that the run was trained on. */
static void test_another_split(void **state)
{
    struct l2r_config *config = *state;
    char path[512];
    size_t length;
    stop_a_run("resplit", config);
    path_in(path, "resplit", "split.json");
    char *text = read_whole(&length, path);
    char *list = strstr(text, "\"train\""), *end = strchr(list, ']'), *comma = end;
    while (*comma != ',') comma--;
    memset(comma, ' ', (size_t)(end - comma));
    write_plain(path, text, length);
    finish("resplit", config);
    assert_non_null(strstr(notes, "split.json is missing or damaged"));
    l2r_free(text);
}

/* What a killed process left half written goes; what only looks like it stays. */
static void test_litter(void **state)
{
    struct l2r_config *config = *state;
    char dead[L2R_TEMPORARY_PATH], target[512], others[512];
    stop_a_run("litter", config);
    path_in(target, "litter", "state/1-gin.safetensors");
    int fd = l2r_temporary_new(dead, target, false);
    assert_true(fd >= 0);
    close(fd);
    path_in(others, "litter", "thesis.tmp-2147483646");
    write_plain(others, "half", 4);
    finish("litter", config);
    assert_false(l2r_path_is_file(dead));
    assert_true(l2r_path_is_file(others));
}

static int set_up(void **state)
{
    struct l2r_config *config;
    if (run_set_up(state) != 0) return 1;
    l2r_threads_set(1);
    config = config_for("gin", "l2r", options);
    struct l2r_result result = train(config, "whole", false, NULL);
    l2r_result_clear(&result);
    *state = config;
    return 0;
}

static int tear_down(void **state)
{
    l2r_config_free(*state);
    return run_tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_bit),
                                       cmocka_unit_test(test_previous_takes_its_place),
                                       cmocka_unit_test(test_previous_stays_sound),
                                       cmocka_unit_test(test_other_files),
                                       cmocka_unit_test(test_another_split),
                                       cmocka_unit_test(test_litter)};
    return cmocka_run_group_tests_name("damaged runs", tests, set_up, tear_down);
}
