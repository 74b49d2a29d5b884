/* SPDX-License-Identifier: MIT
 * Errors: the sentence arrives, is cut at the end of its field, and may be unwanted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/status.h"

#include <stdio.h>
#include <string.h>

static void writes_the_sentence(void **state)
{
    (void)state;
    struct l2r_error error = {.status = L2R_OK};
    assert_int_equal(l2r_fail(&error, L2R_ERR_FORMAT, "%s:%d: bad", "a.txt", 7), L2R_ERR_FORMAT);
    assert_int_equal(error.status, L2R_ERR_FORMAT);
    assert_string_equal(error.message, "a.txt:7: bad");
}

static void accepts_no_error(void **state)
{
    (void)state;
    assert_int_equal(l2r_fail(NULL, L2R_ERR_IO, "nobody listens"), L2R_ERR_IO);
    assert_int_equal(l2r_fail_memory(NULL, 8, "nobody"), L2R_ERR_MEMORY);
}

static void cuts_long_sentences(void **state)
{
    (void)state;
    struct {
        struct l2r_error error;
        char guard[16];
    } box;
    char big[4000];
    memset(&box, '#', sizeof box);
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    l2r_fail(&box.error, L2R_ERR_ARGUMENT, "%s", big);
    assert_int_equal(strlen(box.error.message), sizeof box.error.message - 1);
    for (size_t i = 0; i < sizeof box.guard; i++) assert_int_equal(box.guard[i], '#');
}

/* What a file says must not speak to the terminal; line breaks are those of the format. */
static void quotes_plainly(void **state)
{
    (void)state;
    struct l2r_error error;
    l2r_fail(&error, L2R_ERR_FORMAT, "bad name \"%s\"", "a\n\x1b[31mb\x7f\té");
    assert_string_equal(error.message, "bad name \"a??[31mb??é\"");
    l2r_fail(&error, L2R_ERR_FORMAT, "stopped; go on with:\n  l2r %s", "train\r");
    assert_string_equal(error.message, "stopped; go on with:\n  l2r train?");
}

static void memory_names_the_purpose(void **state)
{
    (void)state;
    struct l2r_error error;
    assert_int_equal(l2r_fail_memory(&error, 4096, "the node features"), L2R_ERR_MEMORY);
    assert_string_equal(error.message, "out of memory: 4096 bytes were needed for the node features");
}

static enum l2r_status first_failure(int *reached, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(L2R_OK);
    *reached = 1;
    L2R_FAIL(L2R_ERR_DIVERGED, "stop");
    *reached = 2;
done:
    return status;
}

static void macros_leave_by_done(void **state)
{
    (void)state;
    struct l2r_error error;
    int reached = 0;
    assert_int_equal(first_failure(&reached, &error), L2R_ERR_DIVERGED);
    assert_int_equal(reached, 1);
    assert_string_equal(error.message, "stop");
}

static void version_has_three_numbers(void **state)
{
    (void)state;
    int a = -1, b = -1, c = -1;
    char rest = 0;
    assert_int_equal(sscanf(l2r_version(), "%d.%d.%d%c", &a, &b, &c, &rest), 3);
    assert_true(a >= 0 && b >= 0 && c >= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_the_sentence),       cmocka_unit_test(accepts_no_error),
        cmocka_unit_test(cuts_long_sentences),       cmocka_unit_test(quotes_plainly),
        cmocka_unit_test(memory_names_the_purpose),  cmocka_unit_test(macros_leave_by_done),
        cmocka_unit_test(version_has_three_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
