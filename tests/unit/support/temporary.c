/* SPDX-License-Identifier: MIT
 *
 * Temporary folders of the tests themselves: they lie in TMPDIR, whatever its name, and are gone when a program ends
 * that had no time to remove them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/file.h"
#include "support/folder.h"

#include <string.h>
#include <sys/wait.h>

/* As a test that fails: leaves a file in its folder and exits. Its path goes to the pipe. */
static void fail_in_folder(int pipe)
{
    char path[TEMPORARY_LENGTH] = "", file[TEMPORARY_LENGTH + 8];
    memset(&temporary_root, 0, sizeof temporary_root); /* the parent's */
    if (temporary_folder(path)) {
        snprintf(file, sizeof file, "%s/litter", path);
        if (l2r_file_write(file, "x", 1, NULL) != L2R_OK) path[0] = '\0';
    }
    if (write(pipe, path, sizeof path) != sizeof path) _exit(2);
    exit(1);
}

static void follow_tmpdir_and_are_removed(void **state)
{
    (void)state;
    char path[TEMPORARY_LENGTH], place[TEMPORARY_LENGTH + 16];
    int ends[2], status;
    snprintf(place, sizeof place, "%s", inside("o dd é"));
    assert_int_equal(l2r_make_dirs(place, NULL), L2R_OK);
    assert_int_equal(setenv("TMPDIR", place, 1), 0);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) fail_in_folder(ends[1]);
    assert_int_equal(read(ends[0], path, sizeof path), sizeof path);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), 1);
    assert_memory_equal(path, place, strlen(place));
    assert_int_equal(rmdir(place), 0); /* nothing is left in it */
    assert_true(l2r_path_is_dir(folder));
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(follow_tmpdir_and_are_removed)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
