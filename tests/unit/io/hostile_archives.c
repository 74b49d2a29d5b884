/* SPDX-License-Identifier: MIT
 * Archives and folders made to do harm: each is refused with a sentence that names the entry, and nothing is read
 * outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "io/source.h"
#include "support/data_sets.h"
#include "support/folder.h"
#include "support/messages.h"
#include "support/zip_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

static struct l2r_error error;

/* The whole sentence behind "PATH: " or "PATH/…". */
static void expect_refused(const char *path, const char *words)
{
    struct l2r_source *source;
    assert_int_equal(l2r_source_open(&source, path, &error), L2R_ERR_FORMAT);
    assert_null(source);
    assert_memory_equal(error.message, path, strlen(path));
    if (!message_matches(error.message, words)) fail_msg("\"%s\" does not say \"%s\"", error.message, words);
}

static void names_that_escape(void **state)
{
    (void)state;
    static const struct {
        const char *name, *words;
    } cases[] = {
        {"../T_A.txt", ": entry ../T_A.txt climbs out of the folder with \"..\"; the archive is refused"},
        {"T/../../T_A.txt", ": entry T/../../T_A.txt climbs out of the folder with \"..\"; the archive is refused"},
        {"/etc/T_A.txt", ": entry /etc/T_A.txt has an absolute path; the archive is refused"},
        {"T\x1b[2J_A.txt", ": entry T?[2J_A.txt has a backslash or a control character in its name"},
    };
    const char *path = path_in(folder, "a.zip");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct zip_entry entries[] = {
            {.name = "T_graph_labels.txt", .content = "1\n"}, {.name = cases[i].name, .content = "1, 1\n"}, {0}};
        assert_int_equal(zip_write(path, entries, false), 0);
        expect_refused(path, cases[i].words);
    }
}

static void links_and_copies(void **state)
{
    (void)state;
    const char *path = path_in(folder, "a.zip");
    const struct zip_entry link[] = {{.name = "T_A.txt", .link = "/etc/passwd"}, {0}};
    const struct zip_entry twice[] = {
        {.name = "T/T_A.txt", .content = "1"}, {.name = "T//T_A.txt", .content = "2"}, {0}};
    assert_int_equal(zip_write(path, link, false), 0);
    expect_refused(path, ": entry T_A.txt is a symbolic link; the archive is refused");
    assert_int_equal(zip_write(path, twice, false), 0);
    expect_refused(path, ": holds the entry T/T_A.txt twice");
}

/* One header of a tar archive, with nothing behind it but the end. */
static void write_tar_header(const char *path, const char *name, char type, const char *link, const char *size)
{
    char block[3 * 512] = {0};
    unsigned sum = 0;
    memcpy(block, name, strlen(name));
    memcpy(block + 100, "0000644", 8);
    memcpy(block + 124, size, 11);
    memcpy(block + 136, "00000000000", 12);
    memset(block + 148, ' ', 8);
    block[156] = type;
    memcpy(block + 157, link, strlen(link));
    memcpy(block + 257, "ustar\00000", 8);
    for (int i = 0; i < 512; i++) sum += (unsigned char)block[i];
    snprintf(block + 148, 8, "%06o", sum);
    assert_int_equal(l2r_file_write(path, block, sizeof block, &error), L2R_OK);
}

static void tar_entries(void **state)
{
    (void)state;
    const char *path = path_in(folder, "a.tar");
    write_tar_header(path, "T_A.txt", '1', "/etc/passwd", "00000000000");
    expect_refused(path, ": entry T_A.txt is a hard link");
    write_tar_header(path, "T_A.txt", '2', "/etc/passwd", "00000000000");
    expect_refused(path, ": entry T_A.txt is a symbolic link");
    write_tar_header(path, "T_A.txt", '3', "", "00000000000");
    expect_refused(path, ": entry T_A.txt is neither a file nor a folder");
    write_tar_header(path, "T_A.txt", '0', "", "77777777777");
    expect_refused(
        path, ": unpacks to 8589934591 bytes up to entry T_A.txt, more than 200 times its own 1536 bytes, which no "
              "data set does; unpack it yourself if this is intended");
}

static void too_many_entries(void **state)
{
    (void)state;
    enum { MANY = 10001 };
    static char names[MANY][16];
    static struct zip_entry entries[MANY + 1];
    struct l2r_source *source;
    const char *path = path_in(folder, "a.zip");
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "%d", i);
        entries[i] = (struct zip_entry){.name = names[i], .content = ""};
    }
    assert_int_equal(zip_write(path, entries, true), 0);
    assert_int_equal(l2r_source_open(&source, path, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, " holds more than 10000 files; name the folder of one data set");
}

static void zip_bomb(void **state)
{
    (void)state;
    const char *path = path_in(folder, "a.zip");
    const struct zip_entry entries[] = {{.name = "T_A.txt", .zeros = 72 << 20}, {0}};
    assert_int_equal(zip_write(path, entries, false), 0);
    expect_refused(path, ": unpacks to 75497472 bytes up to entry T_A.txt, more than 200 times its own ");
}

/* Reads an entry to its end or to an error. */
static enum l2r_status read_entry(const char *path, size_t *total)
{
    struct l2r_source *source;
    struct l2r_stream *stream;
    size_t got = 1, room = 1 << 20;
    char *bytes = l2r_alloc_raw(room, 1);
    assert_non_null(bytes);
    assert_int_equal(l2r_source_open(&source, path, &error), L2R_OK);
    assert_int_equal(source->n_entries, 1);
    enum l2r_status status = l2r_stream_open(&stream, source, &source->entries[0], false, &error);
    for (*total = 0; status == L2R_OK && got > 0; *total += got)
        status = l2r_stream_read(stream, bytes, room, &got, &error);
    l2r_stream_free(stream);
    l2r_source_free(source);
    l2r_free(bytes);
    return status;
}

/* In a folder, and as a table of its own. */
static void gzip_bomb(void **state)
{
    (void)state;
    static const char zeros[1 << 16];
    size_t total;
    char path[4200];
    snprintf(path, sizeof path, "%s/a.csv.gz", folder);
    gzFile file = gzopen(path, "wb9");
    assert_non_null(file);
    for (int i = 0; i < (72 << 20) / (int)sizeof zeros; i++)
        assert_int_equal(gzwrite(file, zeros, sizeof zeros), sizeof zeros);
    assert_int_equal(gzclose(file), Z_OK);
    for (int alone = 0; alone < 2; alone++) {
        assert_int_equal(read_entry(alone ? path : folder, &total), L2R_ERR_FORMAT);
        assert_true(total <= 72 << 20);
        expect_message(error.message, "bytes are unpacked here, over 200 times the ");
        expect_message(error.message, "unpack it yourself if this is intended");
    }
}

/* Much of the same is fine while it is small, or while it was not packed. */
static void honest_files_pass(void **state)
{
    (void)state;
    const char *path = path_in(folder, "a.zip");
    const struct zip_entry entries[] = {{.name = "T_A.txt", .zeros = 32 << 20}, {0}};
    const struct zip_entry stored[] = {{.name = "T_A.txt", .zeros = 72 << 20}, {0}};
    size_t total;
    assert_int_equal(zip_write(path, entries, false), 0);
    assert_int_equal(read_entry(path, &total), L2R_OK);
    assert_int_equal(total, 32 << 20);
    assert_int_equal(zip_write(path, stored, true), 0);
    assert_int_equal(read_entry(path, &total), L2R_OK);
    assert_int_equal(total, 72 << 20);
}

static void links_in_folders(void **state)
{
    (void)state;
    struct l2r_source *source;
    assert_int_equal(l2r_make_dirs(path_in(folder, "set/raw"), &error), L2R_OK);
    assert_int_equal(l2r_make_dirs(path_in(folder, "set-other"), &error), L2R_OK);
    assert_int_equal(l2r_file_write(path_in(folder, "set/raw/a.csv"), "1\n", 2, &error), L2R_OK);
    assert_int_equal(l2r_file_write(path_in(folder, "set-other/a.csv"), "1\n", 2, &error), L2R_OK);
    assert_int_equal(symlink("raw/a.csv", path_in(folder, "set/b.csv")), 0); /* inside: followed */
    assert_int_equal(symlink("c.csv", path_in(folder, "set/c.csv")), 0);     /* to itself: refused */
    assert_int_equal(l2r_source_open(&source, path_in(folder, "set"), &error), L2R_ERR_IO);
    assert_non_null(strstr(error.message, "c.csv"));
    assert_int_equal(unlink(path_in(folder, "set/c.csv")), 0);
    assert_int_equal(l2r_source_open(&source, path_in(folder, "set"), &error), L2R_OK);
    assert_int_equal(source->n_entries, 2);
    l2r_source_free(source);
    const char *set = path_in(folder, "set"), *link = path_in(folder, "set/T_node_labels.txt");
    static const char *const targets[] = {"/etc/passwd", "../set-other/a.csv", "../set-other", ".."};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        assert_int_equal(symlink(targets[i], link), 0);
        expect_refused(set,
                       "/T_node_labels.txt: is a symbolic link that points outside the data set's folder; copy the "
                       "file there instead");
        assert_int_equal(unlink(link), 0);
    }
    assert_int_equal(symlink("set", path_in(folder, "way")), 0); /* the user's own link to the whole */
    assert_int_equal(l2r_source_open(&source, path_in(folder, "way"), &error), L2R_OK);
    l2r_source_free(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_that_escape, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(links_and_copies, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(tar_entries, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(too_many_entries, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(zip_bomb, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(gzip_bomb, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(honest_files_pass, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(links_in_folders, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
