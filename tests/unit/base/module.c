/* SPDX-License-Identifier: MIT
 * Modules: a missing one is an error that names the file, a present one is loaded once, whoever asks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/module.h"
#include "base/threads.h"
#include "draw/draw.h"

#include <string.h>

static struct l2r_error error;

static void missing_modules_are_named(void **state)
{
    (void)state;
    const struct l2r_module *_Atomic kept = NULL;
    assert_null(l2r_module_load(&kept, "l2r_nothing", "l2r_nothing_calls", &error));
    assert_int_equal(error.status, L2R_ERR_MISSING);
    assert_non_null(strstr(error.message, "this needs the module l2r_nothing.so, which cannot be loaded ("));
    assert_non_null(strstr(error.message, "LD_LIBRARY_PATH"));
    assert_null(kept);
    assert_null(l2r_module_load(&kept, "l2r_nothing", "l2r_nothing_calls", NULL));
}

static void other_tables_are_refused(void **state)
{
    (void)state;
    const struct l2r_module *_Atomic kept = NULL;
    assert_null(l2r_module_load(&kept, "l2r_draw", "l2r_chem_calls", &error));
    assert_non_null(strstr(error.message, "the module l2r_draw.so has version unknown, but l2r is "));
    assert_null(kept);
}

static const struct l2r_module *_Atomic shared;
static const struct l2r_module *found[8];

static void load_one(void *context, int64_t i)
{
    (void)context;
    found[i] = l2r_module_load(&shared, "l2r_draw", "l2r_draw_calls", NULL);
}

static void threads_share_one_table(void **state)
{
    (void)state;
    l2r_threads_set(4);
    l2r_parallel(8, load_one, NULL);
    l2r_threads_set(0);
    for (int i = 0; i < 8; i++) assert_ptr_equal(found[i], shared);
    assert_non_null(shared);
    assert_string_equal(shared->version, l2r_version());
}

/* Through the front door: the call that callers know ends in the module. */
static void calls_reach_the_module(void **state)
{
    (void)state;
    char *png = NULL;
    size_t length = 0;
    const char *svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"4\"></svg>";
    assert_int_equal(l2r_svg_paint(&png, &length, svg, 1, &error), L2R_OK);
    assert_true(length > 8);
    assert_memory_equal(png + 1, "PNG", 3);
    l2r_free(png);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_modules_are_named),
        cmocka_unit_test(other_tables_are_refused),
        cmocka_unit_test(threads_share_one_table),
        cmocka_unit_test(calls_reach_the_module),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
