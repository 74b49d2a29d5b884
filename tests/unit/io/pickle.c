/* SPDX-License-Identifier: MIT
 * Pickles as inert values: what Python writes is read, nothing is looked up or called, damage is refused. */
#include "io/pickle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct l2r_error error;
static struct l2r_arena arena;

static const struct l2r_pickle *read_bytes(const char *bytes, size_t n)
{
    const struct l2r_pickle *value;
    if (l2r_pickle_read(&value, &arena, bytes, n, "input", &error) != L2R_OK) fail_msg("%s", error.message);
    assert_non_null(value);
    return value;
}
#define READ(text) read_bytes(text, sizeof(text) - 1)

static void test_values(void **state)
{
    (void)state;
    /* pickle.dumps({"a": [1, -2, 300, True, None], "b": (0.5,), "c": 2**40, "d": -1 - 2**70}, 4) */
    const struct l2r_pickle *v = READ("\x80\x04\x95\x3a\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x01"
                                      "a\x94]\x94(K\x01J\xfe\xff\xff\xffM,\x01\x88Ne\x8c\x01"
                                      "b\x94G?\xe0\x00\x00\x00\x00\x00\x00\x85\x94\x8c\x01"
                                      "c\x94\x8a\x06\x00\x00\x00\x00\x00\x01\x8c\x01"
                                      "d\x94\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\xbfu.");
    const struct l2r_pickle *a = l2r_pickle_get(v, "a"), *b = l2r_pickle_get(v, "b");
    assert_int_equal(a->n, 5);
    assert_int_equal(a->items[1]->integer, -2);
    assert_int_equal(a->items[2]->integer, 300);
    assert_int_equal(a->items[3]->kind, L2R_PICKLE_FLAG);
    assert_int_equal(a->items[4]->kind, L2R_PICKLE_NONE);
    assert_true(b->items[0]->real == 0.5);
    assert_int_equal(l2r_pickle_get(v, "c")->integer, INT64_C(1) << 40);
    assert_int_equal(l2r_pickle_get(v, "d")->kind, L2R_PICKLE_REAL);
    assert_true(l2r_pickle_get(v, "d")->real == -1180591620717411303424.0);
    assert_null(l2r_pickle_get(v, "e"));
    assert_null(l2r_pickle_get(NULL, "a"));
}

/* What would start a program elsewhere is an object with the name of a function and its arguments. */
static void test_nothing_is_called(void **state)
{
    (void)state;
    size_t n;
    const struct l2r_pickle *v = READ("\x80\x02"
                                      "cos\nsystem\nX\x04\x00\x00\x00true\x85R.");
    assert_int_equal(v->kind, L2R_PICKLE_OBJECT);
    assert_memory_equal(l2r_pickle_class(&n, v), "os.system", 9);
    assert_int_equal(n, 9);
    assert_true(l2r_pickle_is(v->items[0], "true"));
    assert_true(l2r_pickle_is(v->class, "system") && !l2r_pickle_is(v->class, "ystem"));
}

/* A list in itself, and an object with state and members. */
static void test_cycles(void **state)
{
    (void)state;
    const struct l2r_pickle *v = READ("]q\x00h\x00"
                                      "a.");
    assert_ptr_equal(v->items[0], v);
    v = READ("ca\nB\n)\x81(U\x01xK\x01u}U\x01yK\x02sb.");
    assert_int_equal(l2r_pickle_get(v, "x")->integer, 1);
    assert_int_equal(l2r_pickle_get(v, "y")->integer, 2);
}

static void refuse(const char *bytes, size_t n)
{
    const struct l2r_pickle *value;
    assert_int_equal(l2r_pickle_read(&value, &arena, bytes, n, "input", &error), L2R_ERR_FORMAT);
    assert_memory_equal(error.message, "input:", 6);
    assert_null(value);
}
#define REFUSE(text) refuse(text, sizeof(text) - 1)

static void test_damage(void **state)
{
    (void)state;
    REFUSE("");
    REFUSE(".");
    REFUSE("(.");
    REFUSE("N"); /* no end */
    REFUSE("K"); /* a number is missing */
    REFUSE("X\xff\xff\xff\xff"
           "a.");                                    /* a text that ends after the file */
    REFUSE("\x8d\xff\xff\xff\xff\xff\xff\xff\xff."); /* the same, 64 bits */
    REFUSE("h\x00.");                                /* nothing was kept there */
    REFUSE("Nr\xff\xff\xff\xff.");                   /* a memo of 4 thousand million places */
    REFUSE("K\x01K\x02s.");                          /* no dict */
    REFUSE("}(K\x01u.");                             /* a key without value */
    REFUSE("K\x01N\x85"
           "a.");          /* no list */
    REFUSE("e.");          /* no mark */
    REFUSE("\x87.");       /* too few values */
    REFUSE("cos\nsystem"); /* a line without end */
    REFUSE("NNb.");        /* None has no state */
    REFUSE("NNR.");        /* arguments that are no tuple */
    REFUSE("\x80\x06N.");  /* a protocol of the future */
    REFUSE("I1\n.");       /* a code of protocol 0 */
}

static int clear(void **state)
{
    (void)state;
    l2r_arena_clear(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_nothing_is_called),
                                       cmocka_unit_test(test_cycles), cmocka_unit_test(test_damage)};
    l2r_arena_init(&arena);
    return cmocka_run_group_tests(tests, NULL, clear);
}
