/* SPDX-License-Identifier: MIT
 * Search spaces: what is typed becomes ranges and lists, and what cannot be searched is refused with a
 * sentence that helps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "fit/options.h"
#include "support/messages.h"
#include "tune/space.h"

#include <string.h>

static struct l2r_config *configs[2]; /* pna by erm and by l2r */
static struct l2r_space space;
static struct l2r_error error;

static int setup(void **state)
{
    static const char *const methods[] = {"erm", "l2r"};
    (void)state;
    for (int i = 0; i < 2; i++)
        if (l2r_config_new(&configs[i], &error) != L2R_OK ||
            l2r_run_declare(configs[i], "pna", methods[i], &error) != L2R_OK)
            return -1;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) l2r_config_free(configs[i]);
    return 0;
}

static enum l2r_status parse(const char *text, int n_configs)
{
    error.message[0] = '\0';
    return l2r_space_parse(&space, text, (const struct l2r_config *const *)configs, n_configs, &error);
}

static void refuses(const char *text, const char *message)
{
    assert_int_equal(parse(text, 2), L2R_ERR_ARGUMENT);
    expect_message(error.message, message);
    l2r_space_clear(&space);
}

static void ranges_and_lists(void **state)
{
    (void)state;
    if (parse("lr=1e-4..1e-2:log,hidden=64|128,dropout=0..0.6:4,layers=2..5,inner-lr=0.01..1:log:3", 2) != L2R_OK)
        fail_msg("%s", error.message);
    assert_int_equal(space.n, 5);
    const struct l2r_dimension *lr = l2r_space_find(&space, "lr"), *hidden = l2r_space_find(&space, "hidden");
    assert_true(lr->log && !lr->whole && lr->points == 0 && lr->n_values == 0);
    assert_true(lr->low == 1e-4 && lr->high == 1e-2);
    assert_string_equal(lr->low_text, "1e-4");
    assert_int_equal(hidden->n_values, 2);
    assert_string_equal(hidden->values[1], "128");
    assert_int_equal(l2r_space_find(&space, "dropout")->points, 4);
    assert_false(l2r_space_find(&space, "dropout")->log);
    assert_true(l2r_space_find(&space, "layers")->whole);
    assert_true(l2r_space_find(&space, "inner-lr")->log);
    assert_int_equal(l2r_space_find(&space, "inner-lr")->points, 3);
    assert_null(l2r_space_find(&space, "epochs"));
    l2r_space_clear(&space);
}

/* Commas within a value, dashes in front of a name, a single value, an option whose row is text (ess takes "auto"
 * too). */
static void unusual_forms(void **state)
{
    (void)state;
    assert_int_equal(parse("aggregators=mean,max|std,--lr=0.01,residual=true|false,ess=0.2..0.9", 2), L2R_OK);
    assert_int_equal(space.n, 4);
    assert_string_equal(l2r_space_find(&space, "aggregators")->values[0], "mean,max");
    assert_string_equal(l2r_space_find(&space, "aggregators")->values[1], "std");
    assert_int_equal(l2r_space_find(&space, "lr")->n_values, 1);
    assert_true(l2r_space_find(&space, "ess")->high == 0.9);
    l2r_space_clear(&space);
}

static void refuses_names(void **state)
{
    (void)state;
    refuses("", "--space is empty; name options and values, as in lr=1e-4..1e-2:log,hidden=64|128");
    refuses("hidden", "--space: \"hidden\" is not of the form OPTION=VALUES, as in lr=1e-4..1e-2:log or hidden=64|128");
    refuses("hiden=1|2", "--space: there is no option --hiden here; did you mean --hidden?");
    refuses("zzzzzzz=1|2", "--space: neither this model nor a method has an option --zzzzzzz");
    refuses("lr=0.1,lr=0.2", "--space: --lr is listed twice");
    refuses("epochs=10..20",
            "--space: --epochs cannot be searched: it is part of the budget, the same for every trial; "
            "set it with --epochs");
    refuses("seed=0..9",
            "--space: --seed cannot be searched: it is no setting to choose; average over several with --seeds");
    refuses("split-seed=0..9",
            "--space: --split-seed cannot be searched: trials on different splits cannot be compared");
    refuses("eval-test=true|false", "--space: --eval-test cannot be searched: trials never score the test graphs");
    assert_int_equal(parse("clusters=2|4", 1), L2R_ERR_ARGUMENT); /* erm alone has none */
    l2r_space_clear(&space);
}

static void refuses_values(void **state)
{
    (void)state;
    refuses("dropout=0..1.5", "--space: `dropout`: 1.5 is outside 0..0.99");
    refuses("dropout=0|2", "--space: `dropout`: 2 is outside 0..0.99");
    refuses("layers=2..3.5", "--space: `layers`: \"3.5\" is not a whole number");
    refuses("lr=0.1..0.01", "--space: --lr: the range 0.1..0.01 is empty; the smaller end comes first");
    refuses("lr=0.1..0.1", "--space: --lr: the range 0.1..0.1 is empty; the smaller end comes first");
    refuses("dropout=0..0.5:log", "--space: --dropout: a logarithmic range begins above 0, not at 0");
    refuses("dropout=0..0.5:lag", "--space: --dropout: \"lag\" behind a range is neither log nor a number of values");
    refuses("dropout=0..0.5:1", "--space: --dropout: 1 values cannot be spread over 0..0.5; 2 to 1000 can");
    refuses("layers=2..5:9", "--space: --layers: 9 values cannot be spread over 2..5; 2 to 4 can");
    refuses("residual=0..1", "--space: --residual takes words, not a range; write them as residual=true|false");
    refuses("optimiser=adam..sgd",
            "--space: --optimiser takes words, not a range; write them as optimiser=adam|adamw|sgd");
    refuses("optimiser=adam|adagrad", "--space: `optimiser`: \"adagrad\" is not one of adam, adamw or sgd");
    refuses("hidden=64||128", "--space: a value of --hidden is missing; write hidden=A|B or hidden=A..B");
    refuses("hidden=64|64", "--space: --hidden: 64 is listed twice");
    refuses("ess=low..high", "--space: `ess`: \"low\" is neither auto nor a number above 0 and at most 1");
    refuses("lr=1e-4..", "--space: `lr`: \"\" is not a number");
}

/* Every allocation fails once; nothing leaks, nothing crashes. */
static void survives_lack_of_memory(void **state)
{
    (void)state;
    enum l2r_status status = L2R_ERR_MEMORY;
    for (long k = 0; k < 100 && status != L2R_OK; k++) {
        l2r_memory_fail_at(k, false);
        status = parse("lr=1e-4..1e-2:log,hidden=64|128|256,dropout=0..0.6", 2);
        l2r_memory_fail_at(-1, false);
        assert_true(status == L2R_OK || status == L2R_ERR_MEMORY);
        assert_true(k > 0 || status == L2R_ERR_MEMORY);
        l2r_space_clear(&space);
    }
    assert_int_equal(status, L2R_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_and_lists), cmocka_unit_test(unusual_forms),           cmocka_unit_test(refuses_names),
        cmocka_unit_test(refuses_values),   cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
