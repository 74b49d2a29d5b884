/* SPDX-License-Identifier: MIT
 * Sources: listing folders and archives, cleaned names, what is left out, fingerprints, refusals. */
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
#include <sys/stat.h>
#include <unistd.h>

static struct l2r_error error;

static void write_text(const char *name, const char *text)
{
    assert_int_equal(l2r_file_write(path_in(folder, name), text, strlen(text), &error), L2R_OK);
}

static struct l2r_source *open_source(const char *path)
{
    struct l2r_source *source;
    assert_int_equal(l2r_source_open(&source, path, &error), L2R_OK);
    return source;
}

static void lists_a_folder(void **state)
{
    (void)state;
    assert_int_equal(l2r_make_dirs(path_in(folder, "raw"), &error), L2R_OK);
    write_text("z.txt", "zz");
    write_text("raw/a.csv", "a");
    write_text(".hidden", "");
    assert_int_equal(symlink("nowhere", path_in(folder, "dangling")), 0);
    struct l2r_source *none;
    assert_int_equal(l2r_source_open(&none, folder, &error), L2R_ERR_IO);
    expect_message(error.message, "dangling: cannot be read: No such file or directory (a link that leads ");
    assert_int_equal(unlink(path_in(folder, "dangling")), 0);
    struct l2r_source *source = open_source(path_in(folder, "//"));
    assert_int_equal(source->kind, L2R_SOURCE_FOLDER);
    assert_int_equal(source->n_entries, 2);
    assert_string_equal(source->entries[0].name, "raw/a.csv");
    assert_string_equal(source->entries[1].name, "z.txt");
    assert_int_equal(source->entries[1].size, 2);
    assert_string_equal(source->path, folder); /* trailing slashes are gone */
    assert_ptr_equal(l2r_source_find(source, "z.txt"), &source->entries[1]);
    assert_ptr_equal(l2r_source_find2(source, "raw/", "a.csv"), &source->entries[0]);
    assert_null(l2r_source_find(source, "z.tx"));
    size_t from = 0;
    assert_ptr_equal(l2r_source_match(source, ".csv", 1, &from), &source->entries[0]);
    assert_null(l2r_source_match(source, ".csv", 1, &from));
    from = 0;
    assert_null(l2r_source_match(source, ".csv", 0, &from)); /* not that deep */
    l2r_source_free(source);
}

static void cleans_archive_names(void **state)
{
    (void)state;
    const struct zip_entry entries[] = {{.name = "M//M_A.txt", .content = "1, 2\n"},
                                        {.name = "./M/M_b.txt", .content = "x"},
                                        {.name = "M/.DS_Store", .content = "x"},
                                        {0}};
    assert_int_equal(zip_write(path_in(folder, "m.dat"), entries, false), 0);
    struct l2r_source *source = open_source(path_in(folder, "m.dat"));
    assert_int_equal(source->kind, L2R_SOURCE_ARCHIVE);
    assert_int_equal(source->n_entries, 2);
    assert_string_equal(source->entries[0].name, "M/M_A.txt");
    assert_string_equal(source->entries[1].name, "M/M_b.txt");
    l2r_source_free(source);
}

/* Once it is listed, an entry is opened where it begins: neither the headers before it nor the directory are read
 * again. */
static void zip_headers_are_walked_once(void **state)
{
    (void)state;
    const struct zip_entry entries[] = {
        {.name = "a.txt", .content = "first"}, {.name = "b.txt", .content = "second"}, {0}};
    const char *path = path_in(folder, "m.zip");
    char *bytes, text[16];
    size_t length, got = 0;
    struct l2r_stream *stream;
    assert_int_equal(zip_write(path, entries, false), 0);
    struct l2r_source *source = open_source(path);
    assert_int_equal(l2r_file_read(&bytes, &length, path, 1 << 20, &error), L2R_OK);
    memset(bytes, 'x', 30);
    memset(bytes + length - 22, 'x', 22);
    assert_int_equal(l2r_file_write(path, bytes, length, &error), L2R_OK);
    assert_int_equal(l2r_stream_open(&stream, source, l2r_source_find(source, "b.txt"), false, &error), L2R_OK);
    assert_int_equal(l2r_stream_read(stream, text, sizeof text, &got, &error), L2R_OK);
    assert_int_equal(got, 6);
    assert_memory_equal(text, "second", 6);
    l2r_stream_free(stream);
    assert_int_equal(l2r_stream_open(&stream, source, l2r_source_find(source, "a.txt"), false, &error),
                     L2R_ERR_FORMAT); /* its own header is gone, and so is the way around */
    l2r_source_free(source);
    l2r_free(bytes);
}

static void fingerprints_follow_changes(void **state)
{
    (void)state;
    struct timespec times[2] = {{1, 5}, {1, 5}};
    write_text("a.txt", "one");
    struct l2r_source *source = open_source(folder);
    uint64_t first = source->fingerprint;
    l2r_source_free(source);
    source = open_source(folder);
    assert_int_equal(source->fingerprint, first);
    l2r_source_free(source);

    assert_int_equal(utimensat(AT_FDCWD, path_in(folder, "a.txt"), times, 0), 0);
    source = open_source(folder);
    uint64_t touched = source->fingerprint;
    assert_true(touched != first);
    l2r_source_free(source);

    write_text("b.txt", "");
    source = open_source(folder);
    assert_true(source->fingerprint != touched);
    l2r_source_free(source);
}

static void refuses(void **state)
{
    (void)state;
    struct l2r_source *source = (void *)&source;
    assert_int_equal(l2r_source_open(&source, path_in(folder, "none"), &error), L2R_ERR_IO);
    assert_null(source);
    expect_message(error.message, "/none: No such file or directory");

    write_text("text.zip", "this is not a zip file, it only says so\n");
    assert_int_equal(l2r_source_open(&source, path_in(folder, "text.zip"), &error), L2R_ERR_FORMAT);
    expect_message(error.message, "/text.zip: this is neither a folder nor an intact zip or tar archive");
    write_text("empty.zip", "");
    assert_int_equal(l2r_source_open(&source, path_in(folder, "empty.zip"), &error), L2R_ERR_FORMAT);
}

/* What comes through a pipe can be looked at several times at its beginning, and then read to its end. */
static void reads_a_pipe(void **state)
{
    (void)state;
    int ends[2];
    char bytes[16] = "";
    size_t got;
    struct l2r_source *source;
    struct l2r_stream *stream;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "first", 5), 5);
    assert_int_equal(l2r_source_from_input(&source, ends[0], "standard input", &error), L2R_OK);
    for (int round = 0; round < 3; round++) {
        if (round == 2) l2r_source_read_on(source);
        if (round == 2) assert_int_equal(write(ends[1], "second", 6), 6);
        if (round == 2) assert_int_equal(close(ends[1]), 0);
        assert_int_equal(l2r_stream_open(&stream, source, &source->entries[0], false, &error), L2R_OK);
        assert_int_equal(l2r_stream_read(stream, bytes, sizeof bytes, &got, &error), L2R_OK);
        assert_int_equal(got, 5);
        assert_memory_equal(bytes, "first", 5);
        if (round < 2) l2r_stream_free(stream);
    }
    assert_int_equal(l2r_stream_read(stream, bytes, sizeof bytes, &got, &error), L2R_OK);
    assert_int_equal(got, 6);
    assert_memory_equal(bytes, "second", 6);
    assert_int_equal(l2r_stream_read(stream, bytes, sizeof bytes, &got, &error), L2R_OK);
    assert_int_equal(got, 0);
    l2r_stream_free(stream);
    l2r_source_free(source);
    assert_int_equal(l2r_source_from_input(&source, ends[0], "the pipe", &error), L2R_ERR_FORMAT);
    expect_message(error.message, "the pipe is empty; expected a table of molecules, one SMILES a line");
    assert_null(source);
    assert_int_equal(close(ends[0]), 0);
    assert_int_equal(l2r_source_from_input(&source, ends[0], "the pipe", &error), L2R_ERR_IO);
    expect_message(error.message, "the pipe: it cannot be read: Bad file descriptor");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_pipe),
        cmocka_unit_test_setup_teardown(lists_a_folder, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(cleans_archive_names, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(zip_headers_are_walked_once, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(fingerprints_follow_changes, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(refuses, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
