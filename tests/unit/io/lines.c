/* SPDX-License-Identifier: MIT
 * Lines and streams: ends of lines, positions, gzip (whole, damaged, cut, several members), large files read ahead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "io/lines.h"
#include "support/messages.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

static struct l2r_source *source;
static struct l2r_error error;

static void open_bytes(struct l2r_lines *lines, const char *name, const void *bytes, size_t size)
{
    const struct l2r_memory_file file = {name, bytes, size};
    assert_int_equal(l2r_source_from_memory(&source, "box", &file, 1, &error), L2R_OK);
    assert_int_equal(l2r_lines_open(lines, source, &source->entries[0], &error), L2R_OK);
}

static void open_text(struct l2r_lines *lines, const char *text)
{
    open_bytes(lines, "t.txt", text, strlen(text));
}

static void close_all(struct l2r_lines *lines)
{
    l2r_lines_close(lines);
    l2r_source_free(source);
}

static size_t gzip(unsigned char *out, size_t room, const char *text)
{
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)text,
                  .avail_in = (uInt)strlen(text),
                  .next_out = out,
                  .avail_out = (uInt)room};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return room - z.avail_out;
}

static void reads_all_line_ends(void **state)
{
    (void)state;
    struct l2r_lines lines;
    static const char *const expected[] = {"a", "b", "  c", "d"};
    open_text(&lines, "a\r\nb \t\n  c\nd\n\n \n");
    for (int i = 0; i < 4; i++) {
        assert_int_equal(l2r_lines_next(&lines, &error), L2R_OK);
        assert_int_equal(lines.stop - lines.text, strlen(expected[i]));
        assert_memory_equal(lines.text, expected[i], strlen(expected[i]));
        assert_int_equal(lines.number, i + 1);
    }
    assert_int_equal(l2r_lines_next(&lines, &error), L2R_OK);
    assert_null(lines.text);
    assert_int_equal(lines.number, 4);
    close_all(&lines);
}

static void refuses_empty_lines_inside(void **state)
{
    (void)state;
    struct l2r_lines lines;
    open_text(&lines, "1\n\n\n2\n");
    assert_int_equal(l2r_lines_next(&lines, &error), L2R_OK);
    assert_int_equal(l2r_lines_next(&lines, &error), L2R_ERR_FORMAT);
    expect_message(error.message, "box/t.txt:2: the line is empty, but more rows follow");
    close_all(&lines);
}

static void parses_rows(void **state)
{
    (void)state;
    struct l2r_lines lines;
    int64_t row[2];
    double reals[3];
    bool more;
    open_text(&lines, "8,1\n8, 2\n 8 , 3 \n1.5,,nan\n");
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(l2r_lines_ints(&lines, row, 2, &more, &error), L2R_OK);
        assert_true(more && row[0] == 8 && row[1] == i);
    }
    int32_t n;
    assert_int_equal(l2r_lines_columns(&lines, &n, 10, &error), L2R_OK);
    assert_int_equal(n, 3);
    assert_int_equal(l2r_lines_reals(&lines, reals, 3, true, &more, &error), L2R_OK);
    assert_true(reals[0] == 1.5 && isnan(reals[1]) && isnan(reals[2]));
    assert_int_equal(l2r_lines_ints(&lines, row, 2, &more, &error), L2R_OK);
    assert_false(more);
    close_all(&lines);
}

static void names_bad_fields(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"1, x7\n", "box/t.txt:1: \"x7\" is not a whole number"},
        {"1, 2.5\n", "box/t.txt:1: \"2.5\" is not a whole number"},
        {"1,\n", "box/t.txt:1: a field is empty, expected a whole number"},
        {"1\n", "box/t.txt:1: the row has 1 value, expected 2"},
        {"1,2,3\n", "box/t.txt:1: the row has 3 values, expected 2"},
        {"\x01\x02\xff,1\n", "box/t.txt:1: \"???\" is not a whole number"},
        {"abcdefghijklmnopqrstuvwxyz0123456789\n",
         "box/t.txt:1: \"abcdefghijklmnopqrstuvwx...\" is not a whole number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct l2r_lines lines;
        int64_t row[2];
        bool more;
        open_text(&lines, cases[i].text);
        assert_int_equal(l2r_lines_ints(&lines, row, 2, &more, &error), L2R_ERR_FORMAT);
        expect_message(error.message, cases[i].message);
        close_all(&lines);
    }
}

static void inflates_members_behind_each_other(void **state)
{
    (void)state;
    unsigned char bytes[512];
    struct l2r_lines lines;
    int64_t value;
    bool more;
    size_t n = gzip(bytes, sizeof bytes, "1\n2");
    n += gzip(bytes + n, sizeof bytes - n, "3\n4\n");
    open_bytes(&lines, "t.csv.gz", bytes, n);
    static const int64_t expected[] = {1, 23, 4};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(l2r_lines_ints(&lines, &value, 1, &more, &error), L2R_OK);
        assert_true(more && value == expected[i]);
    }
    assert_int_equal(l2r_lines_ints(&lines, &value, 1, &more, &error), L2R_OK);
    assert_false(more);
    close_all(&lines);
}

static void refuses_bad_gzip(void **state)
{
    (void)state;
    unsigned char bytes[512];
    struct l2r_lines lines;
    size_t n = gzip(bytes, sizeof bytes, "1\n2\n3\n");
    open_bytes(&lines, "t.csv.gz", bytes, n - 6);
    int status = L2R_OK;
    while (status == L2R_OK && (lines.text || lines.number == 0)) status = (int)l2r_lines_next(&lines, &error);
    assert_int_equal(status, L2R_ERR_FORMAT);
    expect_message(error.message, "box/t.csv.gz:4: the gzip data ends too early; the file is truncated");
    close_all(&lines);

    open_bytes(&lines, "t.csv.gz", "no gzip at all", 14);
    assert_int_equal(l2r_lines_next(&lines, &error), L2R_ERR_FORMAT);
    expect_message(error.message, "box/t.csv.gz:1: the gzip data is damaged (incorrect header check)");
    close_all(&lines);
}

/* Long enough for the thread that reads ahead and for many refills; also given up half way. */
static void reads_large_files(void **state)
{
    (void)state;
    enum { N = 300000 };
    char *text = l2r_alloc_raw(N, 16);
    size_t length = 0;
    assert_non_null(text);
    for (int i = 0; i < N; i++) length += (size_t)sprintf(text + length, "%d, %d\n", i, i % 1000);
    for (int until = N / 3; until <= N; until += N / 3) {
        struct l2r_lines lines;
        int64_t row[2];
        bool more;
        open_bytes(&lines, "t.txt", text, length);
        for (int i = 0; i < until; i++) {
            assert_int_equal(l2r_lines_ints(&lines, row, 2, &more, &error), L2R_OK);
            assert_true(more && row[0] == i && row[1] == i % 1000);
        }
        close_all(&lines);
    }
    l2r_free(text);
}

static void refuses_endless_lines(void **state)
{
    (void)state;
    size_t size = 3 << 20;
    char *text = l2r_alloc_raw(size, 1);
    assert_non_null(text);
    memset(text, '1', size);
    struct l2r_lines lines;
    open_bytes(&lines, "t.txt", text, size);
    assert_int_equal(l2r_lines_next(&lines, &error), L2R_ERR_FORMAT);
    expect_message(error.message, "box/t.txt:1: the line is longer than 1048576 bytes; this is not a text table");
    close_all(&lines);
    l2r_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_all_line_ends),
        cmocka_unit_test(refuses_empty_lines_inside),
        cmocka_unit_test(parses_rows),
        cmocka_unit_test(names_bad_fields),
        cmocka_unit_test(inflates_members_behind_each_other),
        cmocka_unit_test(refuses_bad_gzip),
        cmocka_unit_test(reads_large_files),
        cmocka_unit_test(refuses_endless_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
