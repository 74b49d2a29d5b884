/* SPDX-License-Identifier: MIT
 * Staged folders: all or nothing, never over something that exists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/file.h"
#include "io/staging.h"
#include "support/folder.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct l2r_error error;

static void put(const struct l2r_staging *staging, const char *name)
{
    char path[4400];
    snprintf(path, sizeof path, "%s/%s", staging->folder, name);
    assert_int_equal(l2r_file_write(path, "x", 1, &error), L2R_OK);
}

static void appears_whole(void **state)
{
    (void)state;
    struct l2r_staging staging;
    assert_int_equal(mkdir(inside("empty"), 0777), 0);
    static const char *const names[] = {"new", "a/b/deep//", "empty"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(l2r_staging_open(&staging, inside(names[i]), &error), L2R_OK);
        put(&staging, "file");
        char probe[300];
        snprintf(probe, sizeof probe, "%s/file", inside(names[i]));
        assert_false(l2r_path_is_file(probe));
        assert_int_equal(l2r_staging_close(&staging, NULL, L2R_OK, &error), L2R_OK);
        assert_true(l2r_path_is_file(probe));
    }
}

static void disappears_on_failure(void **state)
{
    (void)state;
    struct l2r_staging staging;
    char temporary[4200];
    assert_int_equal(l2r_staging_open(&staging, inside("new"), &error), L2R_OK);
    strcpy(temporary, staging.folder);
    put(&staging, "file");
    assert_int_equal(l2r_staging_close(&staging, NULL, L2R_ERR_IO, &error), L2R_ERR_IO);
    assert_false(l2r_path_is_dir(temporary));
    assert_false(l2r_path_is_dir(inside("new")));
    assert_int_equal(l2r_staging_close(&staging, NULL, L2R_OK, &error), L2R_OK); /* already closed */
}

static void overwrites_nothing(void **state)
{
    (void)state;
    struct l2r_staging staging;
    assert_int_equal(l2r_file_write(inside("file"), "x", 1, &error), L2R_OK);
    assert_int_equal(l2r_staging_open(&staging, inside("file"), &error), L2R_ERR_IO);
    assert_int_equal(l2r_staging_open(&staging, folder, &error), L2R_ERR_IO);
    assert_non_null(strstr(error.message, "not an empty folder"));
    assert_int_equal(l2r_staging_open(&staging, "", &error), L2R_ERR_ARGUMENT);
    /* Something comes into being while the folder is written. */
    assert_int_equal(l2r_staging_open(&staging, inside("late"), &error), L2R_OK);
    put(&staging, "mine");
    assert_int_equal(l2r_make_dirs(inside("late/theirs"), &error), L2R_OK);
    assert_int_equal(l2r_staging_close(&staging, NULL, L2R_OK, &error), L2R_ERR_IO);
    assert_true(l2r_path_is_dir(inside("late/theirs")));
    assert_false(l2r_path_is_file(inside("late/mine")));
}

static void removal_does_not_follow_links(void **state)
{
    (void)state;
    assert_int_equal(l2r_make_dirs(inside("kept"), &error), L2R_OK);
    assert_int_equal(l2r_file_write(inside("kept/file"), "x", 1, &error), L2R_OK);
    assert_int_equal(l2r_make_dirs(inside("gone"), &error), L2R_OK);
    assert_int_equal(symlink("../kept", inside("gone/link")), 0);
    l2r_remove_tree(inside("gone"));
    assert_false(l2r_path_is_dir(inside("gone")));
    assert_true(l2r_path_is_file(inside("kept/file")));
}

/* The examples of the standard, FIPS 180-2: "abc" and the empty text. */
static void sums_are_right(void **state)
{
    (void)state;
    char sum[65];
    assert_int_equal(l2r_file_write(inside("abc"), "abc", 3, &error), L2R_OK);
    assert_int_equal(l2r_file_sha256(sum, inside("abc"), &error), L2R_OK);
    assert_string_equal(sum, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_int_equal(l2r_file_write(inside("none"), "", 0, &error), L2R_OK);
    assert_int_equal(l2r_file_sha256(sum, inside("none"), &error), L2R_OK);
    assert_string_equal(sum, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_int_equal(l2r_file_sha256(sum, inside("missing"), &error), L2R_ERR_IO);
    assert_true(l2r_is_sha256(sum));
    sum[63] = 'g';
    assert_false(l2r_is_sha256(sum));
    sum[63] = '\0';
    assert_false(l2r_is_sha256(sum));
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(appears_whole),  IN_FOLDER(disappears_on_failure),         IN_FOLDER(overwrites_nothing),
        IN_FOLDER(sums_are_right), IN_FOLDER(removal_does_not_follow_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
