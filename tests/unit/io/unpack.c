/* SPDX-License-Identifier: MIT
 * Unpacking: good archives arrive whole, hostile ones are refused by name and nothing is written outside the folder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "io/file.h"
#include "io/unpack.h"
#include "support/messages.h"
#include "support/temporary.h"
#include "support/zip_file.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[TEMPORARY_LENGTH], zip[TEMPORARY_LENGTH + 8], target[TEMPORARY_LENGTH + 8];
static struct l2r_error error;

static int make_folder(void **state)
{
    (void)state;
    if (!temporary_folder(folder)) return -1;
    snprintf(zip, sizeof zip, "%s/a.zip", folder);
    snprintf(target, sizeof target, "%s/deep", folder);
    return mkdir(target, 0777);
}

static int remove_folder(void **state)
{
    (void)state;
    l2r_remove_tree(folder);
    return l2r_path_is_occupied(folder) ? -1 : 0;
}

static enum l2r_status unpack_with(const struct l2r_archive_limits *limits, const char *into)
{
    const struct l2r_unpack job = {.archive = zip, .folder = into, .limits = limits};
    return l2r_unpack(&job, &error);
}

static enum l2r_status unpack(void)
{
    return unpack_with(&l2r_archive_defaults, target);
}

static void assert_file(const char *path, const char *content)
{
    char *found;
    size_t length;
    assert_int_equal(l2r_file_read(&found, &length, path, 1 << 20, &error), L2R_OK);
    assert_string_equal(found, content);
    l2r_free(found);
}

static void unpacks_files_and_folders(void **state)
{
    (void)state;
    char path[256];
    const struct zip_entry entries[] = {{.name = "hiv/raw/edge.csv", .content = "1,2\n"},
                                        {.name = "hiv//split/a..b", .content = "two dots inside a name are fine"},
                                        {.name = "hiv/empty", .content = ""},
                                        {0}};
    assert_int_equal(zip_write(zip, entries, false), 0);
    assert_int_equal(unpack_with(&l2r_archive_defaults, NULL), L2R_OK);
    assert_false(l2r_path_is_occupied(target));
    assert_int_equal(unpack(), L2R_OK);
    snprintf(path, sizeof path, "%s/hiv/raw/edge.csv", target);
    assert_file(path, "1,2\n");
    snprintf(path, sizeof path, "%s/hiv/split/a..b", target);
    assert_file(path, "two dots inside a name are fine");
    snprintf(path, sizeof path, "%s/hiv/empty", target);
    assert_file(path, "");
}

static void refuses_names_that_escape(void **state)
{
    (void)state;
    static const struct {
        const char *name, *shown, *reason;
    } cases[] = {
        {"../out.txt", "../out.txt", "climbs out"},
        {"a/../../out.txt", "a/../../out.txt", "climbs out"},
        {"a/..", "a/..", "climbs out"},
        {"..\\out.txt", "../out.txt", "climbs out"}, /* libarchive reads such names as another system's */
        {"a/..\\out.txt", "a/..\\out.txt", "backslash"},
        {"/tmp/l2r-out.txt", "/tmp/l2r-out.txt", "absolute"},
        {"a\nb", "a?b", "control character"},
    };
    char outside[256];
    snprintf(outside, sizeof outside, "%s/out.txt", folder);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct zip_entry entries[] = {{.name = cases[i].name, .content = "escaped"}, {0}};
        assert_int_equal(zip_write(zip, entries, false), 0);
        assert_int_equal(unpack(), L2R_ERR_FORMAT);
        assert_non_null(strstr(error.message, cases[i].reason));
        assert_non_null(strstr(error.message, cases[i].shown));
        assert_false(l2r_path_is_file(outside));
        assert_false(l2r_path_is_file("/tmp/l2r-out.txt"));
        assert_false(l2r_path_is_occupied(target));
    }
}

/* The classic: a link to the outside, then a file "inside" the link. */
static void refuses_links(void **state)
{
    (void)state;
    const struct zip_entry entries[] = {
        {.name = "way", .link = ".."}, {.name = "way/out.txt", .content = "escaped"}, {0}};
    char outside[256];
    snprintf(outside, sizeof outside, "%s/out.txt", folder);
    assert_int_equal(zip_write(zip, entries, false), 0);
    assert_int_equal(unpack(), L2R_ERR_FORMAT);
    expect_message(error.message, "entry way is a symbolic link");
    assert_false(l2r_path_is_file(outside));
    assert_false(l2r_path_is_occupied(target));
}

static void refuses_doubled_entries(void **state)
{
    (void)state;
    const struct zip_entry entries[] = {{.name = "a/x", .content = "1"}, {.name = "a//x", .content = "2"}, {0}};
    assert_int_equal(zip_write(zip, entries, false), 0);
    assert_int_equal(unpack(), L2R_ERR_FORMAT);
    assert_non_null(strstr(error.message, "twice"));
}

static void refuses_bombs(void **state)
{
    (void)state;
    const struct zip_entry entries[] = {{.name = "zeros", .zeros = 8 << 20}, {.name = "more", .content = "x"}, {0}};
    struct l2r_archive_limits limits = l2r_archive_defaults;
    limits.grace = 1 << 20;
    assert_int_equal(zip_write(zip, entries, false), 0);
    assert_int_equal(unpack_with(&limits, NULL), L2R_ERR_FORMAT); /* 8 MB of zeros pack about 1000 times smaller */
    assert_non_null(strstr(error.message, "at entry zeros"));
    limits.max_ratio = 100000;
    assert_int_equal(unpack_with(&limits, NULL), L2R_OK);
    limits.max_bytes = 8 << 20;
    assert_int_equal(unpack_with(&limits, NULL), L2R_ERR_FORMAT); /* one byte too many */
    assert_non_null(strstr(error.message, "at entry more"));
    limits.max_bytes++;
    assert_int_equal(unpack_with(&limits, NULL), L2R_OK);
    limits.max_entries = 1;
    assert_int_equal(unpack_with(&limits, NULL), L2R_ERR_FORMAT);
    assert_non_null(strstr(error.message, "more than 1 entries"));
}

/* Flips a bit where `needle` stands, if given, and takes `cut` bytes off the end. */
static void damage(const char *needle, size_t cut)
{
    char *bytes;
    size_t length;
    assert_int_equal(l2r_file_read(&bytes, &length, zip, 1 << 20, &error), L2R_OK);
    char *at = needle ? memmem(bytes, length, needle, strlen(needle)) : NULL;
    assert_true(!needle || at);
    if (at) at[0] ^= 1;
    assert_true(cut < length);
    assert_int_equal(l2r_file_write(zip, bytes, length - cut, &error), L2R_OK);
    l2r_free(bytes);
}

static void write_two_entries(void)
{
    const struct zip_entry entries[] = {
        {.name = "first", .content = "some plain content"}, {.name = "second", .content = "more plain content"}, {0}};
    assert_int_equal(zip_write(zip, entries, true), 0);
}

static void finds_a_flipped_bit(void **state)
{
    (void)state;
    write_two_entries();
    damage(NULL, 0);
    assert_int_equal(unpack_with(&l2r_archive_defaults, NULL), L2R_OK);
    damage("more plain", 0);
    assert_int_equal(unpack_with(&l2r_archive_defaults, NULL), L2R_ERR_FORMAT);
    assert_non_null(strstr(error.message, "entry second"));
    assert_non_null(strstr(error.message, "CRC"));
}

/* Wherever the end is missing: in the directory at the end of the file, or in the data. */
static void finds_truncation(void **state)
{
    (void)state;
    for (size_t cut = 1; cut < 200; cut += 7) {
        write_two_entries();
        damage(NULL, cut);
        assert_int_equal(unpack_with(&l2r_archive_defaults, NULL), L2R_ERR_FORMAT);
        assert_non_null(strstr(error.message, zip));
    }
}

static void refuses_what_is_no_zip(void **state)
{
    (void)state;
    const struct zip_entry none[] = {{0}};
    assert_int_equal(l2r_file_write(zip, "<html>not here</html>\n", 22, &error), L2R_OK);
    assert_int_equal(unpack(), L2R_ERR_FORMAT);
    assert_non_null(strstr(error.message, "not a zip archive"));
    assert_int_equal(l2r_file_write(zip, "", 0, &error), L2R_OK);
    assert_int_equal(unpack(), L2R_ERR_FORMAT);
    assert_int_equal(zip_write(zip, none, false), 0);
    assert_int_equal(unpack(), L2R_ERR_FORMAT);
    unlink(zip);
    assert_int_equal(unpack(), L2R_ERR_IO);
}

static bool stop_at_once(void *context, const char *step, int64_t done, int64_t total)
{
    assert_string_equal(step, "unpack");
    assert_true(done <= total);
    ++*(int *)context;
    return false;
}

static void can_be_stopped(void **state)
{
    (void)state;
    int calls = 0;
    write_two_entries();
    const struct l2r_unpack job = {zip, target, &l2r_archive_defaults, stop_at_once, &calls};
    assert_int_equal(l2r_unpack(&job, &error), L2R_ERR_INTERRUPTED);
    assert_int_equal(calls, 1);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(unpacks_files_and_folders),
        IN_FOLDER(refuses_names_that_escape),
        IN_FOLDER(refuses_links),
        IN_FOLDER(refuses_doubled_entries),
        IN_FOLDER(refuses_bombs),
        IN_FOLDER(finds_a_flipped_bit),
        IN_FOLDER(finds_truncation),
        IN_FOLDER(refuses_what_is_no_zip),
        IN_FOLDER(can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
