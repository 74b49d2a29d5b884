/* SPDX-License-Identifier: MIT
 * The cache: same content back, rebuilt when the source changes, and any damage is noticed and never believed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "data/block.h"
#include "data/cache.h"
#include "support/data_sets.h"
#include "support/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static struct l2r_error error;

static int set_up(void **state)
{
    return make_folder(state) == 0 && setenv("L2R_CACHE_DIR", inside("cache"), 1) == 0 ? 0 : -1;
}

static struct l2r_dataset *load(const char *path, bool use_cache)
{
    struct l2r_dataset *data;
    enum l2r_status status = l2r_dataset_load(&data, path, use_cache, &error);
    if (status != L2R_OK) fail_msg("%s", error.message);
    return data;
}

static void assert_same(const struct l2r_dataset *a, const struct l2r_dataset *b)
{
    struct l2r_shape x = l2r_block_shape(a), y = l2r_block_shape(b);
    size_t bytes;
    assert_memory_equal(&x, &y, sizeof x);
    assert_true(l2r_block_size(&bytes, &x));
    assert_memory_equal(a->node_start, b->node_start, bytes); /* the first array begins the block */
}

/* The one file of the cache. */
static const char *cache_file(void)
{
    static char path[512];
    DIR *dir = opendir(path_in(folder, "cache"));
    path[0] = '\0';
    if (!dir) return NULL;
    for (struct dirent *item; (item = readdir(dir));)
        if (item->d_name[0] != '.') snprintf(path, sizeof path, "%s/cache/%.200s", folder, item->d_name);
    closedir(dir);
    return path[0] ? path : NULL;
}

static void gives_back_what_was_stored(void **state)
{
    (void)state;
    static const char *const samples[] = {L2R_TEST_DIR "/data/tu/MINI", L2R_TEST_DIR "/data/tu/MINI.zip",
                                          L2R_TEST_DIR "/data/ogb/mini"};
    for (int i = 0; i < 3; i++) {
        struct l2r_dataset *plain = load(samples[i], false), *first = load(samples[i], true), *second;
        assert_false(first->cached);
        second = load(samples[i], true);
        assert_true(second->cached);
        assert_same(plain, first);
        assert_same(plain, second);
        l2r_dataset_free(plain);
        l2r_dataset_free(first);
        l2r_dataset_free(second);
    }
}

/* A small TU folder that a test may change. */
static const char *own_set(const char *labels)
{
    assert_int_equal(l2r_make_dirs(path_in(folder, "set"), &error), L2R_OK);
    assert_int_equal(l2r_file_write(path_in(folder, "set/T_A.txt"), "1,2\n3,4\n", 8, &error), L2R_OK);
    assert_int_equal(l2r_file_write(path_in(folder, "set/T_graph_indicator.txt"), "1\n1\n2\n2\n", 8, &error), L2R_OK);
    assert_int_equal(l2r_file_write(path_in(folder, "set/T_graph_labels.txt"), labels, strlen(labels), &error), L2R_OK);
    return path_in(folder, "set");
}

static void follows_the_source(void **state)
{
    (void)state;
    const char *set = own_set("1\n2\n");
    l2r_dataset_free(load(set, true));
    struct l2r_dataset *data = load(set, true);
    assert_true(data->cached);
    l2r_dataset_free(data);
    own_set("1\n1\n"); /* the same size, another time */
    data = load(set, true);
    assert_false(data->cached);
    assert_int_equal(data->n_classes, 1);
    l2r_dataset_free(data);
    data = load(set, true);
    assert_true(data->cached);
    assert_int_equal(data->n_classes, 1);
    l2r_dataset_free(data);
}

/* A cache file that is cut short while its data is in use: the copy does not care (a mapping would be a SIGBUS). */
static void survives_a_cut(void **state)
{
    (void)state;
    const char *set = own_set("1\n2\n");
    struct l2r_dataset *plain = load(set, true), *data = load(set, true);
    assert_true(data->cached);
    assert_int_equal(truncate(cache_file(), 0), 0);
    assert_same(plain, data);
    l2r_dataset_free(plain);
    l2r_dataset_free(data);
}

/* The same size and the same times, as tools that restore them leave them: the content tells. */
static void follows_the_content(void **state)
{
    (void)state;
    struct timespec times[2] = {{1000000000, 0}, {1000000000, 0}};
    const char *set = own_set("1\n2\n");
    for (int i = 0; i < 2; i++) {
        int fd = open(path_in(folder, "set/T_graph_labels.txt"), O_WRONLY); /* the same file, in place */
        assert_int_equal(write(fd, i ? "1\n1\n" : "1\n2\n", 4), 4);
        close(fd);
        assert_int_equal(utimensat(AT_FDCWD, path_in(folder, "set/T_graph_labels.txt"), times, 0), 0);
        struct l2r_dataset *data = load(set, true);
        assert_false(data->cached);
        assert_int_equal(data->n_classes, 2 - i);
        l2r_dataset_free(data);
        data = load(set, true);
        assert_true(data->cached);
        l2r_dataset_free(data);
    }
}

static void notices_any_flipped_or_missing_byte(void **state)
{
    (void)state;
    const char *set = own_set("1\n2\n"), *path;
    char *bytes;
    size_t size;
    uint64_t made_of; /* source, reader and options, as the header says behind magic, versions and sizes */
    struct l2r_dataset *data, *whole = load(set, true);
    size_t believed = 0;
    assert_non_null(path = cache_file());
    assert_int_equal(l2r_file_read(&bytes, &size, path, 1 << 20, &error), L2R_OK);
    memcpy(&made_of, bytes + 24, sizeof made_of);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    for (size_t at = 0; at < size; at++) {
        fseek(file, (long)at, SEEK_SET);
        fputc(bytes[at] ^ 0x10, file);
        fflush(file);
        data = l2r_cache_load(path, made_of);
        if (data) assert_same(data, whole); /* a byte of the range that is known to be zero, and is not read */
        believed += data != NULL;
        l2r_dataset_free(data);
        fseek(file, (long)at, SEEK_SET);
        fputc(bytes[at], file);
        fflush(file);
    }
    fclose(file);
    assert_int_equal(believed, sizeof(int32_t) * (size_t)whole->n_arcs); /* one type for each arc, all 0 */
    l2r_dataset_free(whole);
    data = l2r_cache_load(path, made_of);
    assert_non_null(data);
    l2r_dataset_free(data);
    assert_null(l2r_cache_load(path, made_of + 1));
    for (size_t length = 0; length < size; length += 13) {
        assert_int_equal(truncate(path, (off_t)length), 0);
        assert_null(l2r_cache_load(path, made_of));
        assert_int_equal(l2r_file_write(path, bytes, size, &error), L2R_OK);
    }
    assert_int_equal(truncate(path, (off_t)size + 64), 0);
    assert_null(l2r_cache_load(path, made_of));
    l2r_free(bytes);
    data = load(set, true); /* rebuilt without a word */
    assert_false(data->cached);
    l2r_dataset_free(data);
    data = load(set, true);
    assert_true(data->cached);
    l2r_dataset_free(data);
}

/* Content that is wrong but carries a right checksum (a bug, a forger): indexes are checked too. */
static void checks_indexes_behind_the_checksum(void **state)
{
    (void)state;
    struct l2r_dataset *data = load(own_set("1\n2\n"), false);
    const char *path = path_in(folder, "forged");
    int32_t *neighbour, *type;
    int64_t *start;
    float *label;
    memcpy(&neighbour, &data->neighbour, sizeof neighbour);
    memcpy(&type, &data->nodes.type, sizeof type);
    memcpy(&start, &data->node_start, sizeof start);
    memcpy(&label, &data->labels, sizeof label);
    assert_true(l2r_cache_store(data, path, 7));
    struct l2r_dataset *back = l2r_cache_load(path, 7);
    assert_non_null(back);
    l2r_dataset_free(back);
#define FORGE(place, value)                                                                                            \
    do {                                                                                                               \
        __typeof__(place) old = place;                                                                                 \
        place = value;                                                                                                 \
        assert_true(l2r_cache_store(data, path, 7));                                                                   \
        place = old;                                                                                                   \
        assert_null(l2r_cache_load(path, 7));                                                                          \
    } while (0)
    FORGE(neighbour[0], 2);
    FORGE(neighbour[0], -1);
    FORGE(neighbour[3], INT32_MAX);
    FORGE(type[0], 1);
    FORGE(type[0], -1);
    FORGE(start[1], 5);
    FORGE(start[1], -1);
    FORGE(start[2], 1000000);
    FORGE(start[0], 1);
    FORGE(label[0], 2);
    FORGE(data->n_self_loops, 1);
    FORGE(data->nodes.n_types, INT32_MAX); /* without columns: no bytes that would tell */
    l2r_dataset_free(data);
}

static void unwritable_folders_do_not_matter(void **state)
{
    (void)state;
    assert_int_equal(l2r_file_write(path_in(folder, "file"), "x", 1, &error), L2R_OK);
    assert_int_equal(setenv("L2R_CACHE_DIR", path_in(folder, "file/cache"), 1), 0);
    struct l2r_dataset *data = load(L2R_TEST_DIR "/data/tu/MINI", true);
    assert_false(data->cached);
    l2r_dataset_free(data);
    char long_name[5000];
    memset(long_name, 'a', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_int_equal(setenv("L2R_CACHE_DIR", long_name, 1), 0);
    l2r_dataset_free(load(L2R_TEST_DIR "/data/tu/MINI", true));
}

static void chooses_the_folder(void **state)
{
    (void)state;
    char dir[256], *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
    assert_true(l2r_cache_dir(dir, sizeof dir));
    assert_string_equal(dir, path_in(folder, "cache"));
    assert_int_equal(setenv("XDG_CACHE_HOME", "/x", 1) | unsetenv("L2R_CACHE_DIR"), 0);
    assert_true(l2r_cache_dir(dir, sizeof dir));
    assert_string_equal(dir, "/x/l2r");
    assert_int_equal(unsetenv("XDG_CACHE_HOME") | setenv("HOME", "/h", 1), 0);
    assert_true(l2r_cache_dir(dir, sizeof dir));
    assert_string_equal(dir, "/h/.cache/l2r");
    unsetenv("HOME");
    assert_false(l2r_cache_dir(dir, sizeof dir));
    if (home) setenv("HOME", home, 1);
    free(home);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(gives_back_what_was_stored, set_up, remove_folder),
        cmocka_unit_test_setup_teardown(follows_the_source, set_up, remove_folder),
        cmocka_unit_test_setup_teardown(follows_the_content, set_up, remove_folder),
        cmocka_unit_test_setup_teardown(survives_a_cut, set_up, remove_folder),
        cmocka_unit_test_setup_teardown(notices_any_flipped_or_missing_byte, set_up, remove_folder),
        cmocka_unit_test_setup_teardown(checks_indexes_behind_the_checksum, set_up, remove_folder),
        cmocka_unit_test_setup_teardown(unwritable_folders_do_not_matter, set_up, remove_folder),
        cmocka_unit_test_setup_teardown(chooses_the_folder, set_up, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
