/* SPDX-License-Identifier: MIT
 * Paths, whole-file reads, and the promise of atomic writes: old or new content, never a mixture, nothing left over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/system.h"
#include "io/file.h"
#include "support/folder.h"
#include "support/messages.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct l2r_error error;

static int files_in_folder(void)
{
    int n = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir));) n += entry->d_name[0] != '.';
    closedir(dir);
    return n;
}

static void joins_paths(void **state)
{
    (void)state;
    char out[10];
    assert_int_equal(l2r_path_join(out, sizeof out, "a/b", "c", &error), L2R_OK);
    assert_string_equal(out, "a/b/c");
    assert_int_equal(l2r_path_join(out, sizeof out, "a/", "c", &error), L2R_OK);
    assert_string_equal(out, "a/c");
    assert_int_equal(l2r_path_join(out, sizeof out, "", "c", &error), L2R_OK);
    assert_string_equal(out, "c");
    assert_int_equal(l2r_path_join(out, sizeof out, "abcd", "efgh", &error), L2R_OK); /* fills it to the last byte */
    assert_int_equal(l2r_path_join(out, sizeof out, "abcd", "efghi", &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "abcd/efghi: the path is longer than 9 bytes");
}

static void finds_the_base(void **state)
{
    (void)state;
    static const char *const pair[][2] = {{"a/b//", "b"}, {"a/b", "b"}, {"b", "b"},  {"/", "/"},
                                          {"//", "/"},    {"", ""},     {"/x", "x"}, {"./", "."}};
    char out[16];
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        l2r_path_base(out, sizeof out, pair[i][0]);
        assert_string_equal(out, pair[i][1]);
    }
    l2r_path_base(out, 3, "dir/abcdef");
    assert_string_equal(out, "ab");
}

static void makes_folders(void **state)
{
    (void)state;
    assert_int_equal(l2r_make_dirs(inside("x/y//z/"), &error), L2R_OK);
    assert_true(l2r_path_is_dir(inside("x/y/z")));
    assert_false(l2r_path_is_file(inside("x/y/z")));
    assert_int_equal(l2r_make_dirs(inside("x/y"), &error), L2R_OK);
    assert_int_equal(l2r_make_dirs("/", &error), L2R_OK);
    assert_int_equal(l2r_make_dirs("", &error), L2R_ERR_ARGUMENT);
    assert_int_equal(l2r_file_write(inside("x/plain"), "", 0, &error), L2R_OK);
    assert_true(l2r_path_is_file(inside("x/plain")));
    assert_int_equal(l2r_make_dirs(inside("x/plain/deeper"), &error), L2R_ERR_IO);
    expect_message(error.message, "x/plain: cannot create the folder: Not a directory");
}

static void reads_what_was_written(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 63, 64, 65, 4096, 300001};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        char *text = l2r_alloc(sizes[k], 1), *back = NULL;
        size_t length = 99;
        for (size_t i = 0; i < sizes[k]; i++) text[i] = (char)(i * 7 % 256);
        assert_int_equal(l2r_file_write(inside("data"), text, sizes[k], &error), L2R_OK);
        assert_int_equal(l2r_file_read(&back, &length, inside("data"), sizes[k], &error), L2R_OK);
        assert_int_equal(length, sizes[k]);
        assert_int_equal(back[length], '\0');
        if (length) assert_memory_equal(back, text, length);
        l2r_free(text);
        l2r_free(back);
    }
}

static void refuses_bad_reads(void **state)
{
    (void)state;
    char *back = (char *)1;
    size_t length = 1;
    assert_int_equal(l2r_file_read(&back, &length, inside("missing"), 100, &error), L2R_ERR_IO);
    assert_null(back);
    expect_message(error.message, "missing: cannot be opened: No such file or directory");
    assert_int_equal(l2r_file_read(&back, &length, folder, 100, &error), L2R_ERR_IO);
    expect_message(error.message, "is a folder; expected a file");
    assert_int_equal(l2r_file_write(inside("four"), "1234", 4, &error), L2R_OK);
    assert_int_equal(l2r_file_read(&back, &length, inside("four"), 3, &error), L2R_ERR_FORMAT);
    expect_message(error.message, "four: the file has 4 bytes, at most 3 are accepted here");
    /* A device tells no size beforehand and never ends. */
    assert_int_equal(l2r_file_read(&back, &length, "/dev/zero", 100000, &error), L2R_ERR_IO);
    assert_null(back);
    expect_message(error.message, "/dev/zero: cannot be opened: it is a pipe, a socket or a device; expected a file");
}

static void an_abandoned_write_leaves_the_old_file(void **state)
{
    (void)state;
    struct l2r_atomic writer;
    char *back;
    size_t length;
    assert_int_equal(l2r_file_write(inside("kept"), "old", 3, &error), L2R_OK);
    int before = files_in_folder();
    assert_int_equal(l2r_atomic_open(&writer, inside("kept"), &error), L2R_OK);
    fputs("new", writer.stream);
    assert_int_equal(files_in_folder(), before + 1);
    assert_int_equal(l2r_atomic_close(&writer, L2R_ERR_DIVERGED, &error), L2R_ERR_DIVERGED);
    assert_null(writer.stream);
    assert_int_equal(l2r_atomic_close(&writer, L2R_ERR_DIVERGED, &error), L2R_ERR_DIVERGED); /* closing twice is fine */
    assert_int_equal(files_in_folder(), before);
    assert_int_equal(l2r_file_read(&back, &length, inside("kept"), 100, &error), L2R_OK);
    assert_string_equal(back, "old");
    l2r_free(back);
}

static void a_write_that_cannot_start_reports_why(void **state)
{
    (void)state;
    assert_int_equal(l2r_file_write(inside("no/such/file"), "x", 1, &error), L2R_ERR_IO);
    expect_message(error.message, "no/such/file: cannot be written: No such file or directory");
    assert_int_equal(l2r_file_write(folder, "x", 1, &error), L2R_ERR_IO);
    expect_message(error.message, "is a folder; cannot write a file there");
}

/* /dev/full takes bytes into the buffer and refuses them when they are flushed: a full disk. */
static void a_full_disk_is_reported(void **state)
{
    (void)state;
    struct l2r_atomic writer;
    assert_int_equal(l2r_file_write(inside("kept"), "old", 3, &error), L2R_OK);
    int before = files_in_folder();
    assert_int_equal(l2r_atomic_open(&writer, inside("kept"), &error), L2R_OK);
    l2r_fault_set(L2R_CALL_WRITE, 0, true, ENOSPC);
    fputs("new", writer.stream);
    assert_int_equal(l2r_atomic_close(&writer, L2R_OK, &error), L2R_ERR_IO);
    assert_int_equal(l2r_fault_set(0, 0, false, 0), 1);
    expect_message(error.message, "kept: cannot be written: No space left on device");
    assert_int_equal(files_in_folder(), before);
}

static void links_are_followed_and_pipes_stay(void **state)
{
    (void)state;
    char *back;
    size_t length;
    struct stat entry;
    assert_int_equal(l2r_file_write(inside("target"), "old", 3, &error), L2R_OK);
    assert_int_equal(symlink(inside("target"), inside("link")), 0);
    assert_int_equal(l2r_file_write(inside("link"), "new", 3, &error), L2R_OK);
    assert_true(lstat(inside("link"), &entry) == 0 && S_ISLNK(entry.st_mode));
    assert_int_equal(l2r_file_read(&back, &length, inside("target"), 100, &error), L2R_OK);
    assert_string_equal(back, "new");
    l2r_free(back);
    /* A device: a failed write must not remove it either. /dev/full through a link, so that a mistake removes the link
     * alone. */
    assert_int_equal(symlink("/dev/full", inside("full")), 0);
    assert_int_equal(mkfifo(inside("pipe"), 0600), 0);
    FILE *reader = fopen(inside("pipe"), "r+"); /* both ends: the write does not wait */
    assert_non_null(reader);
    assert_int_equal(l2r_file_write(inside("pipe"), "x", 1, &error), L2R_OK);
    assert_int_equal(fgetc(reader), 'x');
    fclose(reader);
    assert_true(lstat(inside("pipe"), &entry) == 0 && S_ISFIFO(entry.st_mode));
    if (geteuid() != 0) assert_int_equal(l2r_file_write(inside("full"), "x", 1, &error), L2R_ERR_IO);
}

static void reading_survives_no_memory(void **state)
{
    (void)state;
    char *back;
    size_t length;
    assert_int_equal(l2r_file_write(inside("four"), "1234", 4, &error), L2R_OK);
    l2r_memory_fail_at(0, true);
    assert_int_equal(l2r_file_read(&back, &length, inside("four"), 100, &error), L2R_ERR_MEMORY);
    l2r_memory_fail_at(-1, false);
    assert_null(back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins_paths),
        cmocka_unit_test(finds_the_base),
        cmocka_unit_test(makes_folders),
        cmocka_unit_test(reads_what_was_written),
        cmocka_unit_test(refuses_bad_reads),
        cmocka_unit_test(an_abandoned_write_leaves_the_old_file),
        cmocka_unit_test(a_write_that_cannot_start_reports_why),
        cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(links_are_followed_and_pipes_stay),
        cmocka_unit_test(reading_survives_no_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
