/* SPDX-License-Identifier: MIT
 * The quick way through a table gives what the careful way gives, and leaves everything that is not plain to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/rng.h"
#include "data/formats/ogb/ogb.h"
#include "support/messages.h"

#include <stdio.h>
#include <string.h>

static struct l2r_source *source;
static struct l2r_error error;

static void open_text(struct l2r_lines *lines, const char *text)
{
    const struct l2r_memory_file file = {"t.txt", text, strlen(text)};
    assert_int_equal(l2r_source_from_memory(&source, "box", &file, 1, &error), L2R_OK);
    assert_int_equal(l2r_lines_open_alone(lines, source, &source->entries[0], &error), L2R_OK);
}

static void close_all(struct l2r_lines *lines)
{
    l2r_lines_close(lines);
    l2r_source_free(source);
}

/* Nothing is in the buffer before the first careful row. */
static void fill_buffer(struct l2r_lines *lines)
{
    int64_t values[2];
    bool more;
    assert_int_equal(l2r_lines_ints(lines, values, 2, &more, &error), L2R_OK);
    assert_true(more);
}

static void takes_plain_rows(void **state)
{
    (void)state;
    struct l2r_lines lines;
    int32_t rows[20] = {0};
    open_text(&lines, "0,0\n1,2\n30, 4\n005,999999999\n7,8\n");
    assert_int_equal(l2r_lines_quick(&lines, rows, 10, 2, INT32_MAX), 0);
    fill_buffer(&lines);
    assert_int_equal(l2r_lines_quick(&lines, rows, 3, 2, INT32_MAX), 3);
    assert_int_equal(lines.number, 4);
    assert_memory_equal(rows, ((int32_t[]){1, 2, 30, 4, 5, 999999999}), 6 * sizeof *rows);
    assert_int_equal(l2r_lines_quick(&lines, rows, 10, 2, INT32_MAX), 1);
    assert_memory_equal(rows, ((int32_t[]){7, 8}), 2 * sizeof *rows);
    assert_int_equal(l2r_lines_quick(&lines, rows, 10, 2, INT32_MAX), 0);
    assert_int_equal(l2r_lines_next(&lines, &error), L2R_OK);
    assert_null(lines.text);
    assert_int_equal(lines.number, 5);
    close_all(&lines);
}

/* Each second row stops the quick way; the careful way then reads or refuses that very row. */
static void stops_in_front_of_the_rest(void **state)
{
    (void)state;
    static const struct {
        const char *row, *message; /* NULL: a good row, 3 and 4 */
    } cases[] = {
        {"3,4 ", NULL},
        {"3,4\r", NULL},
        {" 3,4", NULL},
        {"3 ,4", NULL},
        {"3,  4", NULL},
        {"+3,4", NULL},
        {"0000000003,4", NULL},
        {"3,4,5", "box/t.txt:3: the row has 3 values, expected 2"},
        {"3", "box/t.txt:3: the row has 1 value, expected 2"},
        {"3,", "box/t.txt:3: a field is empty, expected a whole number"},
        {"3,x", "box/t.txt:3: \"x\" is not a whole number"},
        {"3.0,4", "box/t.txt:3: \"3.0\" is not a whole number"},
        {"", "box/t.txt:3: the line is empty, but more rows follow"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct l2r_lines lines;
        char text[64];
        int32_t rows[8];
        int64_t values[2];
        bool more;
        snprintf(text, sizeof text, "0,0\n1,2\n%s\n5,6\n", cases[i].row);
        open_text(&lines, text);
        fill_buffer(&lines);
        assert_int_equal(l2r_lines_quick(&lines, rows, 4, 2, 100), 1);
        enum l2r_status status = l2r_lines_ints(&lines, values, 2, &more, &error);
        if (cases[i].message) {
            assert_int_equal(status, L2R_ERR_FORMAT);
            expect_message(error.message, cases[i].message);
        } else {
            assert_int_equal(status, L2R_OK);
            assert_true(more && values[0] == 3 && values[1] == 4);
            assert_int_equal(l2r_lines_quick(&lines, rows, 4, 2, 100), 1);
            assert_memory_equal(rows, ((int32_t[]){5, 6}), 2 * sizeof *rows);
        }
        close_all(&lines);
    }
}

static void respects_the_end(void **state)
{
    (void)state;
    struct l2r_lines lines;
    int32_t rows[8];
    open_text(&lines, "0,0\n1,9\n10,1\n");
    fill_buffer(&lines);
    assert_int_equal(l2r_lines_quick(&lines, rows, 4, 2, 0), 0);
    assert_int_equal(l2r_lines_quick(&lines, rows, 4, 2, 9), 0);
    assert_int_equal(l2r_lines_quick(&lines, rows, 4, 2, 10), 1);
    assert_int_equal(l2r_lines_quick(&lines, rows, 4, 2, 11), 1);
    close_all(&lines);
}

/* A row that is held, or has no line feed, is not plain. */
static void leaves_first_and_last_rows(void **state)
{
    (void)state;
    struct l2r_lines lines;
    int32_t rows[8], columns;
    size_t length;
    open_text(&lines, "0,0\n1,2");
    assert_int_equal(l2r_lines_columns(&lines, &columns, 9, &error), L2R_OK);
    assert_int_equal(l2r_lines_quick(&lines, rows, 4, 2, 9), 0);
    assert_null(l2r_lines_peek(&lines, &length));
    fill_buffer(&lines);
    assert_int_equal(l2r_lines_quick(&lines, rows, 4, 2, 9), 0);
    assert_null(l2r_lines_peek(&lines, &length));
    fill_buffer(&lines);
    close_all(&lines);
}

/* More text than any buffer: rows cut by its end must come out whole, in both ways mixed at random. */
static void long_tables_come_out_whole(void **state)
{
    (void)state;
    enum { ROWS = 300000 };
    struct l2r_lines lines;
    struct l2r_rng rng = l2r_rng_at(3, L2R_RANDOM_TEST, 0);
    size_t at = 0;
    char *text = l2r_alloc_raw(ROWS, 16);
    assert_non_null(text);
    for (int i = 0; i < ROWS; i++) at += (size_t)sprintf(text + at, "%d,%s%d\n", i, i % 7 ? "" : " ", i * 7 % 1000);
    open_text(&lines, text);
    for (int i = 0; i < ROWS;) {
        int32_t rows[2 * 50];
        int64_t values[2], n = l2r_lines_quick(&lines, rows, 1 + (int64_t)l2r_rng_below(&rng, 50), 2, ROWS);
        bool more;
        for (int64_t k = 0; k < n; k++, i++)
            if (rows[2 * k] != i || rows[2 * k + 1] != i * 7 % 1000) fail_msg("row %d is wrong", i);
        if (n > 0) continue;
        assert_int_equal(l2r_lines_ints(&lines, values, 2, &more, &error), L2R_OK);
        if (!more || values[0] != i || values[1] != i * 7 % 1000 || lines.number != i + 1)
            fail_msg("row %d is wrong", i);
        i++;
    }
    assert_int_equal(lines.number, ROWS);
    close_all(&lines);
    l2r_free(text);
}

/* Texts of all lengths, remembered on first sight: the number always belongs to the text. */
static void remembered_rows_have_their_numbers(void **state)
{
    (void)state;
    enum { ROWS = 60000, KINDS = 700 };
    struct l2r_lines lines;
    struct l2r_row_numbers numbers;
    int64_t quick = 0;
    size_t at = 0;
    char *text = l2r_alloc_raw(ROWS, 80);
    assert_non_null(text);
    assert_true(l2r_row_numbers_init(&numbers, 2));
    for (int i = 0; i < ROWS; i++) { /* 1,3 to 699,000…0002100: from three bytes to more than are remembered */
        int kind = (int)((int64_t)i * i % KINDS);
        at += (size_t)sprintf(text + at, "%d,%0*d\n", kind, kind % 70, 3 * kind);
    }
    open_text(&lines, text);
    for (int i = 0; i < ROWS; i++) {
        int32_t number = -1, kind = (int32_t)((int64_t)i * i % KINDS);
        if (l2r_row_numbers_quick(&numbers, &lines, &number, 1) == 1) {
            quick++;
        } else {
            char rest[8];
            size_t length = 0;
            const char *peeked = l2r_lines_peek(&lines, &length);
            assert_int_equal(l2r_lines_next(&lines, &error), L2R_OK);
            snprintf(rest, sizeof rest, "%d", (int)kind);
            assert_memory_equal(lines.text, rest, strlen(rest));
            number = l2r_distinct_add(&numbers.rows, (int32_t[]){kind, 3 * kind});
            if (peeked) l2r_row_numbers_add(&numbers, peeked, length, number);
        }
        assert_int_equal(lines.number, i + 1);
        if (numbers.rows.rows[2 * number] != kind) fail_msg("row %d has another row's number", i);
    }
    assert_true(quick > ROWS / 4); /* or nothing was quick */
    l2r_row_numbers_clear(&numbers);
    close_all(&lines);
    l2r_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_plain_rows),           cmocka_unit_test(stops_in_front_of_the_rest),
        cmocka_unit_test(respects_the_end),           cmocka_unit_test(leaves_first_and_last_rows),
        cmocka_unit_test(long_tables_come_out_whole), cmocka_unit_test(remembered_rows_have_their_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
