/* SPDX-License-Identifier: MIT
 * Records of CSV and TSV: quotes, line ends, marks, lines; what is wrong with one record does not touch the next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "io/csv.h"
#include "support/messages.h"

#include <stdio.h>
#include <string.h>

static struct l2r_error error;
static struct l2r_source *source;
static struct l2r_csv *csv;

static void open_bytes(const void *bytes, size_t size, char delimiter)
{
    const struct l2r_memory_file file = {"t.csv", bytes, size};
    assert_int_equal(l2r_source_from_memory(&source, "set", &file, 1, &error), L2R_OK);
    assert_int_equal(l2r_csv_open(&csv, source, &source->entries[0], delimiter, &error), L2R_OK);
}

static void open_text(const char *text)
{
    open_bytes(text, strlen(text), 0);
}

static void shut(void)
{
    l2r_csv_free(csv);
    l2r_source_free(source);
}

/* The next record is "LINE|field|field|…", or "LINE!problem", or "" at the end. */
static void expect(const char *expected)
{
    char got[400] = "";
    const struct l2r_csv_record *r;
    if (l2r_csv_next(&r, csv, &error) != L2R_OK) fail_msg("%s", error.message);
    if (r && r->problem) snprintf(got, sizeof got, "%lld!%s", (long long)r->line, r->problem);
    if (r && !r->problem) {
        int used = snprintf(got, sizeof got, "%lld", (long long)r->line);
        for (int32_t k = 0; k < r->n_fields; k++) {
            assert_int_equal(strlen(r->fields[k].text), r->fields[k].length);
            used += snprintf(got + used, sizeof got - (size_t)used, "|%s", r->fields[k].text);
        }
    }
    assert_string_equal(got, expected);
}

static void quotes_lines_and_marks(void **state)
{
    (void)state;
    open_text("\xef\xbb\xbfname,\"smiles\",y\r\n\r\n\"a, \"\"b\"\"\",CCO,1\r\n\"two\nlines\",C\"C,0\n,,\nlast,N,2");
    expect("1|name|smiles|y");
    assert_int_equal(l2r_csv_delimiter(csv), ',');
    expect("3|a, \"b\"|CCO|1");
    expect("4|two\nlines|C\"C|0"); /* a quote inside of a field is a letter */
    expect("6|||");
    expect("7|last|N|2");
    expect("");
    expect("");
    shut();
}

static void other_delimiters(void **state)
{
    (void)state;
    open_text("a\tb\tc,d\n1\t2\t3\n");
    expect("1|a|b|c,d");
    assert_int_equal(l2r_csv_delimiter(csv), '\t');
    shut();
    open_text("a;b;c,d\n1;2;3\n");
    expect("1|a|b|c,d");
    shut();
    open_bytes("a;b,c\n", 6, ',');
    expect("1|a;b|c");
    shut();
    open_text("alone\nC\n");
    expect("1|alone");
    expect("2|C");
    shut();
}

static void one_bad_record_is_one(void **state)
{
    (void)state;
    static const char text[] = "a,b\n1\n1,2\n1,2,3\nC\xff,2\nC\0C,2\n3,4\n\xc3\xa9,5\n5,\"open\n6,7\n";
    open_bytes(text, sizeof text - 1, 0);
    expect("1|a|b");
    expect("2!it has 1 field, the first record 2");
    expect("3|1|2");
    expect("4!it has 3 fields, the first record 2");
    expect("5!its byte 2 (0xff) is not UTF-8");
    expect("6!it holds a zero byte");
    expect("7|3|4");
    expect("8|\xc3\xa9|5");
    expect("9!a quote is opened and not closed");
    expect("10|6|7");
    expect("");
    shut();
}

/* What Excel writes on a German desk: Windows-1252, read as UTF-8. Where the table is UTF-8, a bad byte stays one. */
static void western_letters(void **state)
{
    (void)state;
    open_text("sep=;\r\nName;L\xf6slichkeit;Preis\r\nS\xe4ure;1;5 \x80\r\nBase;2;3\r\n");
    expect("2|Name|L\xc3\xb6slichkeit|Preis");
    expect("3|S\xc3\xa4ure|1|5 \xe2\x82\xac");
    assert_int_equal(l2r_csv_western(csv), 2);
    expect("4|Base|2|3");
    expect("");
    shut();
    open_text("a,b\nS\xc3\xa4ure,1\nS\xe4ure,2\n");
    expect("1|a|b");
    expect("2|S\xc3\xa4ure|1");
    expect("3!its byte 2 (0xe4) is not UTF-8");
    assert_int_equal(l2r_csv_western(csv), 0);
    shut();
    open_text("a,b\nx\x81,1\n"); /* no letter there either */
    expect("1|a|b");
    expect("2!its byte 2 (0x81) is not UTF-8");
    shut();
}

/* A line of 5 MB is passed over in constant memory, and so is one that a quote has made long. */
static void long_lines(void **state)
{
    (void)state;
    size_t size = 5 << 20, used = 0;
    char *text = l2r_alloc_raw(2 * size + 100, 1);
    used += (size_t)sprintf(text, "a,b\n1,");
    memset(text + used, 'C', size);
    used += size;
    used += (size_t)sprintf(text + used, "\n3,4\n5,\"");
    size_t quote = used;
    for (size_t i = 0; i < size / 4; i++) used += (size_t)sprintf(text + used, "7,8\n");
    open_bytes(text, used, 0);
    expect("1|a|b");
    expect("2!it is longer than 4194304 bytes");
    expect("3|3|4");
    expect("4!a quote is opened and not closed");
    for (size_t i = 1; i < (used - quote) / 4; i++) {
        char expected[40];
        snprintf(expected, sizeof expected, "%zu|7|8", 4 + i);
        expect(expected);
    }
    expect("");
    shut();
    l2r_free(text);
}

static void not_a_table(void **state)
{
    (void)state;
    const struct l2r_csv_record *r;
    open_text("PK\3\4rest");
    assert_int_equal(l2r_csv_next(&r, csv, &error), L2R_ERR_FORMAT);
    expect_message(error.message, "set/t.csv: this is a zip archive under the name of a table; unpack it first");
    shut();
    open_text("\xff\xfe"
              "a");
    assert_int_equal(l2r_csv_next(&r, csv, &error), L2R_ERR_FORMAT);
    expect_message(error.message, "set/t.csv: this is UTF-16; save the table as UTF-8");
    shut();
    open_text("");
    expect("");
    shut();
    open_text("\n\r\n\n");
    expect("");
    shut();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotes_lines_and_marks),
        cmocka_unit_test(other_delimiters),
        cmocka_unit_test(one_bad_record_is_one),
        cmocka_unit_test(western_letters),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(not_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
