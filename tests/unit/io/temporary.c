/* SPDX-License-Identifier: MIT
 * Temporaries: names that nobody guesses, removal of what is ours and dead alone, no link followed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "io/file.h"
#include "io/staging.h"
#include "support/folder.h"

#include <dirent.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct l2r_error error;

static int entries(void)
{
    int n = -2;
    DIR *dir = opendir(folder);
    while (readdir(dir)) n++;
    closedir(dir);
    return n;
}

static void put(const char *path, const char *text)
{
    assert_int_equal(l2r_file_write(path, text, strlen(text), &error), L2R_OK);
}

static void expect_text(const char *path, const char *text)
{
    char *content;
    size_t length;
    assert_int_equal(l2r_file_read(&content, &length, path, 1000, &error), L2R_OK);
    assert_string_equal(content, text);
    l2r_free(content);
}

/* Begins a file and a folder in a process of its own, which then ends as a kill would end it. */
static void leave_litter(void)
{
    pid_t child = fork();
    if (child == 0) {
        struct l2r_atomic writer;
        struct l2r_staging staging;
        char path[4400];
        if (l2r_atomic_open(&writer, inside("file"), NULL) != L2R_OK) _exit(1);
        if (l2r_staging_open(&staging, inside("data"), NULL) != L2R_OK) _exit(1);
        snprintf(path, sizeof path, "%s/inner", staging.folder);
        if (l2r_make_dirs(path, NULL) != L2R_OK) _exit(1);
        _exit(0);
    }
    int code;
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_int_equal(code, 0);
}

static void litter_of_the_dead_goes(void **state)
{
    (void)state;
    leave_litter();
    assert_int_equal(entries(), 2);
    l2r_remove_litter(folder);
    assert_int_equal(entries(), 0);
    leave_litter();
    l2r_remove_litter_at(inside("answers.csv")); /* the folder of a file that is not there yet */
    assert_int_equal(entries(), 0);
    leave_litter();
    struct l2r_staging staging;
    assert_int_equal(l2r_staging_open(&staging, inside("data"), &error), L2R_OK);
    assert_int_equal(entries(), 1);
    assert_int_equal(l2r_staging_close(&staging, NULL, L2R_ERR_IO, &error), L2R_ERR_IO);
    assert_int_equal(entries(), 0);
}

/* The lock says that its writer lives, not a number: it could be the number of a process in another container. */
static void work_of_the_living_stays(void **state)
{
    (void)state;
    struct l2r_atomic writer;
    struct l2r_staging staging;
    assert_int_equal(l2r_staging_open(&staging, inside("data"), &error), L2R_OK);
    assert_int_equal(l2r_atomic_open(&writer, inside("file"), &error), L2R_OK);
    fputs("new", writer.stream);
    l2r_remove_litter(folder);
    assert_int_equal(entries(), 2);
    assert_int_equal(l2r_atomic_close(&writer, L2R_OK, &error), L2R_OK);
    assert_int_equal(l2r_staging_close(&staging, NULL, L2R_OK, &error), L2R_OK);
    expect_text(inside("file"), "new");
    assert_true(l2r_path_is_dir(inside("data")));
}

/* Names that others have chosen, some of them very much like ours. */
static void what_is_not_ours_stays(void **state)
{
    (void)state;
    static const char *const names[] = {"thesis.tmp-20241117",
                                        "last.safetensors.tmp-2147483646",
                                        "a.tmp-00000000000000000000000000000000",
                                        "b.tmp-0123456789abcdef0123456789abcdef",
                                        "c.tmp-",
                                        ".tmp-1"};
    enum { N = sizeof names / sizeof *names };
    for (int i = 0; i < N; i++) {
        assert_false(l2r_temporary_is_ours(names[i]));
        assert_int_equal(l2r_make_dirs(inside(names[i]), &error), L2R_OK);
    }
    struct l2r_staging staging;
    assert_int_equal(l2r_staging_open(&staging, inside("motif"), &error), L2R_OK);
    assert_true(l2r_temporary_is_ours(strrchr(staging.folder, '/') + 1));
    assert_int_equal(l2r_staging_close(&staging, NULL, L2R_OK, &error), L2R_OK);
    assert_int_equal(entries(), N + 1);
}

/* The very name, but a link or a pipe: nothing that l2r has made. */
static void links_and_pipes_stay(void **state)
{
    (void)state;
    char name[L2R_TEMPORARY_PATH], other[L2R_TEMPORARY_PATH];
    put(inside("precious"), "kept");
    int fd = l2r_temporary_new(name, inside("x"), false), second = l2r_temporary_new(other, inside("y"), false);
    assert_true(fd >= 0 && second >= 0);
    close(fd);
    close(second);
    assert_int_equal(unlink(name), 0);
    assert_int_equal(symlink("precious", name), 0);
    assert_int_equal(unlink(other), 0);
    assert_int_equal(mkfifo(other, 0600), 0);
    l2r_remove_litter(folder);
    assert_int_equal(entries(), 3);
    expect_text(inside("precious"), "kept");
}

/* A link under the name that a process of this number used to take. */
static void no_link_is_followed(void **state)
{
    (void)state;
    char name[64];
    put(inside("precious"), "kept");
    snprintf(name, sizeof name, "file.tmp-%ld", (long)getpid());
    assert_int_equal(symlink("precious", inside(name)), 0);
    put(inside("file"), "new");
    expect_text(inside("precious"), "kept");
    struct stat about;
    assert_int_equal(lstat(inside("file"), &about), 0);
    assert_true(S_ISREG(about.st_mode));
}

static void names_differ_and_fit(void **state)
{
    (void)state;
    char one[L2R_TEMPORARY_PATH], two[L2R_TEMPORARY_PATH], longest[256];
    int a = l2r_temporary_new(one, inside("x"), true), b = l2r_temporary_new(two, inside("x"), true);
    assert_true(a >= 0 && b >= 0);
    assert_string_not_equal(one, two);
    close(a);
    close(b);
    memset(longest, 'n', 255);
    longest[255] = '\0';
    put(inside(longest), "as long as a name may be");
    l2r_remove_litter(folder);
    assert_int_equal(entries(), 1);
}

/* A secret file does not become readable by being replaced. */
static void permissions_stay(void **state)
{
    (void)state;
    struct stat about;
    put(inside("secret"), "old");
    assert_int_equal(chmod(inside("secret"), 0600), 0);
    put(inside("secret"), "new");
    assert_int_equal(stat(inside("secret"), &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(litter_of_the_dead_goes), IN_FOLDER(work_of_the_living_stays), IN_FOLDER(what_is_not_ours_stays),
        IN_FOLDER(links_and_pipes_stay),    IN_FOLDER(no_link_is_followed),      IN_FOLDER(names_differ_and_fit),
        IN_FOLDER(permissions_stay),
    };
    return cmocka_run_group_tests_name("temporaries", tests, NULL, NULL);
}
