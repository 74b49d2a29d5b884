/* SPDX-License-Identifier: MIT
 * Options: every kind accepts what it should and refuses the rest in a sentence that helps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/config.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct l2r_option table[] = {
    {.name = "layers", .kind = L2R_OPTION_INT, .fallback = "5", .min = 1, .max = 100},
    {.name = "batch-size", .kind = L2R_OPTION_INT, .fallback = "32", .min = 1, .max = INFINITY},
    {.name = "dropout", .kind = L2R_OPTION_REAL, .fallback = "0.5", .min = 0, .max = 1},
    {.name = "shift", .kind = L2R_OPTION_REAL, .fallback = "-1e-3"},
    {.name = "residual", .kind = L2R_OPTION_FLAG},
    {.name = "readout", .kind = L2R_OPTION_CHOICE, .fallback = "mean", .choices = "mean|sum|max"},
    {.name = "metric", .kind = L2R_OPTION_CHOICE, .choices = "accuracy|rmse"},
    {.name = "out", .kind = L2R_OPTION_TEXT},
    {.name = "scalers", .kind = L2R_OPTION_LIST, .fallback = "one,up", .choices = "one|up|down"},
    {0}};

struct filled {
    int64_t layers;
    double dropout;
    bool residual;
    const char *out;
    int32_t readout, metric;
    unsigned scalers;
};
static const struct l2r_implied deep[] = {{"9", "width", "64"}, {NULL, NULL, NULL}};
static const struct l2r_option fields[] = {
    {.name = "layers",
     .kind = L2R_OPTION_INT,
     .at = L2R_FIELD(struct filled, layers),
     .fallback = "5",
     .min = 1,
     .max = 100,
     .implies = deep},
    {.name = "dropout", .kind = L2R_OPTION_REAL, .at = L2R_FIELD(struct filled, dropout), .fallback = "0.5"},
    {.name = "residual", .kind = L2R_OPTION_FLAG, .at = L2R_FIELD(struct filled, residual)},
    {.name = "out", .kind = L2R_OPTION_TEXT, .at = L2R_FIELD(struct filled, out)},
    {.name = "readout",
     .kind = L2R_OPTION_CHOICE,
     .at = L2R_FIELD(struct filled, readout),
     .fallback = "sum",
     .choices = "mean|sum|max"},
    {.name = "metric", .kind = L2R_OPTION_CHOICE, .at = L2R_FIELD(struct filled, metric), .choices = "accuracy|rmse"},
    {.name = "scalers",
     .kind = L2R_OPTION_LIST,
     .at = L2R_FIELD(struct filled, scalers),
     .fallback = "one,down",
     .choices = "one|up|down"},
    {.name = "width", .kind = L2R_OPTION_INT, .fallback = "32"}, /* no field */
    {0}};

static struct l2r_config *config;
static struct l2r_error error;

static int setup(void **state)
{
    (void)state;
    if (l2r_config_new(&config, &error) != L2R_OK) return -1;
    return l2r_config_declare(config, table, &error) == L2R_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    l2r_config_free(config);
    return 0;
}

static void accepts(const char *name, const char *value)
{
    error.message[0] = '\0';
    if (l2r_config_set(config, name, value, &error) != L2R_OK) fail_msg("%s", error.message);
}

static void refuses(const char *name, const char *value, const char *message)
{
    assert_int_equal(l2r_config_set(config, name, value, &error), L2R_ERR_ARGUMENT);
    assert_string_equal(error.message, message);
}

static void defaults_stand(void **state)
{
    (void)state;
    assert_int_equal(l2r_config_int(config, "layers"), 5);
    assert_true(l2r_config_real(config, "dropout") == 0.5);
    assert_true(l2r_config_real(config, "shift") == -1e-3);
    assert_false(l2r_config_flag(config, "residual"));
    assert_true(l2r_config_is(config, "readout", "mean"));
    assert_false(l2r_config_is(config, "readout", "mea"));
    assert_null(l2r_config_text(config, "metric"));
    assert_false(l2r_config_is(config, "metric", "rmse"));
    assert_null(l2r_config_text(config, "out"));
    assert_false(l2r_config_was_set(config, "layers"));
    assert_true(l2r_config_has(config, "out"));
    assert_false(l2r_config_has(config, "in"));
    assert_string_equal(l2r_config_option(config, 0)->name, "layers");
    assert_null(l2r_config_option(config, 9));
}

static void sets_every_kind(void **state)
{
    (void)state;
    accepts("layers", "100"), assert_int_equal(l2r_config_int(config, "layers"), 100);
    accepts("layers", "+7"), assert_int_equal(l2r_config_int(config, "layers"), 7);
    accepts("batch-size", "9007199254740993"), assert_true(l2r_config_int(config, "batch-size") == 9007199254740993);
    accepts("dropout", "0"), assert_true(l2r_config_real(config, "dropout") == 0);
    accepts("dropout", "1e-1"), assert_true(l2r_config_real(config, "dropout") == 0.1);
    accepts("dropout", ".25"), assert_true(l2r_config_real(config, "dropout") == 0.25);
    accepts("shift", "-1e300"), assert_true(l2r_config_real(config, "shift") == -1e300);
    accepts("residual", "true"), assert_true(l2r_config_flag(config, "residual"));
    accepts("residual", "false"), assert_false(l2r_config_flag(config, "residual"));
    accepts("residual", NULL), assert_true(l2r_config_flag(config, "residual"));
    accepts("readout", "max"), assert_true(l2r_config_is(config, "readout", "max"));
    accepts("scalers", "down"), assert_int_equal(l2r_config_list(config, "scalers"), 4);
    accepts("scalers", "down,one"), assert_int_equal(l2r_config_list(config, "scalers"), 5);
    accepts("out", ""), assert_string_equal(l2r_config_text(config, "out"), "");
    assert_true(l2r_config_was_set(config, "out"));
}

static void refuses_what_does_not_fit(void **state)
{
    (void)state;
    refuses("layers", "0", "`layers`: 0 is outside 1..100");
    refuses("layers", "101", "`layers`: 101 is outside 1..100");
    refuses("layers", "5x", "`layers`: \"5x\" is not a whole number");
    refuses("layers", "5.0", "`layers`: \"5.0\" is not a whole number");
    refuses("layers", "", "`layers`: \"\" is not a whole number");
    refuses("layers", " 5", "`layers`: \" 5\" is not a whole number");
    refuses("layers", "0x10", "`layers`: \"0x10\" is not a whole number");
    refuses("layers", "99999999999999999999", "`layers`: \"99999999999999999999\" is not a whole number of 64 bits");
    refuses("batch-size", "0", "`batch-size`: 0 is below 1");
    refuses("layers", NULL, "`layers` needs a value");
    refuses("dropout", "1.5", "`dropout`: 1.5 is outside 0..1");
    refuses("dropout", "nan", "`dropout`: nan is not finite");
    refuses("shift", "inf", "`shift`: inf is not finite");
    refuses("shift", "1e999", "`shift`: 1e999 is not finite");
    refuses("shift", "1,5", "`shift`: \"1,5\" is not a number");
    refuses("shift", "-", "`shift`: \"-\" is not a number");
    refuses("residual", "yes", "`residual`: \"yes\" is neither true nor false");
    refuses("readout", "mea", "`readout`: \"mea\" is not one of mean, sum or max");
    refuses("readout", "", "`readout`: \"\" is not one of mean, sum or max");
    refuses("readout", "mean|sum", "`readout`: \"mean|sum\" is not one of mean, sum or max");
    refuses("scalers", "one,dow", "`scalers`: \"dow\" is not one of one, up or down; separate several by commas");
    refuses("scalers", "one,", "`scalers`: \"\" is not one of one, up or down; separate several by commas");
    refuses("scalers", "", "`scalers`: \"\" is not one of one, up or down; separate several by commas");
    refuses("scalers", "one up", "`scalers`: \"one up\" is not one of one, up or down; separate several by commas");
    refuses("scalers", "up,one,up", "`scalers`: up is given twice");
    assert_int_equal(l2r_config_list(config, "scalers"), 3);
    assert_int_equal(l2r_config_int(config, "layers"), 5); /* a refused value changes nothing */
    assert_false(l2r_config_was_set(config, "layers"));
}

static void unknown_names_get_a_hint(void **state)
{
    (void)state;
    refuses("batchsize", "1", "unknown option `batchsize`; did you mean `batch-size`?");
    refuses("batch_size", "1", "unknown option `batch_size`; did you mean `batch-size`?");
    refuses("batch", "1", "unknown option `batch`; did you mean `batch-size`?");
    refuses("layer", "1", "unknown option `layer`; did you mean `layers`?");
    refuses("dorpout", "1", "unknown option `dorpout`; did you mean `dropout`?");
    refuses("verbose", "1", "unknown option `verbose`");
    refuses("", "1", "unknown option ``");
}

static void distance_counts_edits(void **state)
{
    (void)state;
    assert_int_equal(l2r_name_distance("kitten", "kitten"), 0);
    assert_int_equal(l2r_name_distance("kittens", "kitten"), 1);
    assert_int_equal(l2r_name_distance("sittinx", "sitting"), 1);
    assert_int_equal(l2r_name_distance("kitten-basket", "sitting-basket"), 3);
    assert_int_equal(l2r_name_distance("kitten", "sitting"), -1);
    assert_int_equal(l2r_name_distance("lr", "layers"), -1);
}

static void changed_defaults_yield_to_the_user(void **state)
{
    (void)state;
    assert_int_equal(l2r_config_set_default(config, "metric", "rmse", &error), L2R_OK);
    assert_true(l2r_config_is(config, "metric", "rmse"));
    assert_false(l2r_config_was_set(config, "metric"));
    assert_true(l2r_config_is_changed(config, "metric"));
    assert_false(l2r_config_is_changed(config, "layers"));
    accepts("metric", "accuracy");
    assert_int_equal(l2r_config_set_default(config, "metric", "rmse", &error), L2R_OK);
    assert_true(l2r_config_is(config, "metric", "accuracy"));
    struct l2r_config *copy;
    assert_int_equal(l2r_config_copy(&copy, config, &error), L2R_OK);
    assert_string_equal(l2r_config_default(copy, "metric"), "rmse");
    l2r_config_free(copy);
    assert_int_equal(l2r_config_set_default(config, "readout", "median", &error), L2R_ERR_ARGUMENT);
}

static void tables_are_checked(void **state)
{
    (void)state;
    static const struct l2r_option twice[] = {{.name = "layers", .kind = L2R_OPTION_TEXT}, {0}};
    static const struct l2r_option bad[] = {
        {.name = "width", .kind = L2R_OPTION_INT, .fallback = "0", .min = 1, .max = 9}, {0}};
    static const struct l2r_option none[] = {{.name = "width", .kind = L2R_OPTION_REAL}, {0}};
    assert_int_equal(l2r_config_declare(config, table, &error), L2R_OK); /* the same rows again */
    assert_null(l2r_config_option(config, 9));
    assert_int_equal(l2r_config_declare(config, twice, &error), L2R_ERR_ARGUMENT);
    assert_string_equal(error.message, "`layers` is declared twice");
    assert_int_equal(l2r_config_declare(config, bad, &error), L2R_ERR_ARGUMENT);
    assert_int_equal(l2r_config_declare(config, none, &error), L2R_ERR_ARGUMENT);
    assert_false(l2r_config_has(config, "width"));
}

static void json_round_trip(void **state)
{
    (void)state;
    struct l2r_config *other;
    accepts("dropout", "0.1");
    accepts("residual", "true");
    json_t *object = l2r_config_to_json(config);
    char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(3));
    assert_string_equal(text, "{\"layers\":5,\"batch-size\":32,\"dropout\":0.1,\"shift\":-0.001,\"residual\":true,"
                              "\"readout\":\"mean\",\"scalers\":\"one,up\"}");
    free(text);
    assert_int_equal(l2r_config_new(&other, &error), L2R_OK);
    assert_int_equal(l2r_config_declare(other, table, &error), L2R_OK);
    assert_int_equal(l2r_config_from_json(other, object, "run.json", &error), L2R_OK);
    assert_true(l2r_config_flag(other, "residual"));
    assert_string_equal(l2r_config_text(other, "dropout"), "0.1");
    assert_true(l2r_config_was_set(other, "layers"));
    assert_false(l2r_config_was_set(other, "out"));
    json_t *again = l2r_config_to_json(other);
    assert_true(json_equal(object, again));
    assert_int_equal(l2r_config_origin(other, "layers"), L2R_FROM_USER); /* nothing is recorded: it came as typed */
    json_decref(object);
    json_decref(again);
    l2r_config_free(other);
}

static void json_errors_name_the_file(void **state)
{
    (void)state;
    static const char *const pair[][2] = {
        {"{\"dropout\": 1.5}", "a.json: `dropout`: 1.5 is outside 0..1"},
        {"{\"layers\": 5.0}", "a.json: `layers`: \"5.0\" is not a whole number"},
        {"{\"layrs\": 5}", "a.json: unknown option `layrs`; did you mean `layers`?"},
        {"{\"layers\": true}", "a.json: `layers`: \"true\" is not a whole number"},
        {"{\"out\": null}", "a.json: `out`: expected a number, a string, true or false"},
        {"{\"out\": []}", "a.json: `out`: expected a number, a string, true or false"},
        {"[1]", "a.json: expected a JSON object {\"option\": value, …}"},
    };
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        json_t *object = json_loads(pair[i][0], 0, NULL);
        assert_int_not_equal(l2r_config_from_json(config, object, "a.json", &error), L2R_OK);
        assert_string_equal(error.message, pair[i][1]);
        json_decref(object);
    }
}

static void copies_are_deep(void **state)
{
    (void)state;
    struct l2r_config *copy;
    accepts("out", "runs/a");
    assert_int_equal(l2r_config_copy(&copy, config, &error), L2R_OK);
    accepts("out", "runs/b");
    assert_string_equal(l2r_config_text(copy, "out"), "runs/a");
    assert_true(l2r_config_was_set(copy, "out"));
    assert_false(l2r_config_was_set(copy, "layers"));
    l2r_config_free(copy);
    l2r_config_free(NULL);
}

static enum l2r_status whole_life(void)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *first = NULL, *copy = NULL;
    L2R_TRY(l2r_config_new(&first, &error));
    L2R_TRY(l2r_config_declare(first, table, &error));
    L2R_TRY(l2r_config_set(first, "out", "somewhere", &error));
    L2R_TRY(l2r_config_copy(&copy, first, &error));
done:
    l2r_config_free(first);
    l2r_config_free(copy);
    return status;
}

/* A table fills a struct once; the code reads fields. */
static void fills_a_struct(void **state)
{
    (void)state;
    struct l2r_config *other;
    struct filled f;
    assert_int_equal(l2r_config_new(&other, &error), L2R_OK);
    assert_int_equal(l2r_config_declare(other, fields, &error), L2R_OK);
    l2r_config_fill(&f, fields, other);
    assert_true(f.layers == 5 && f.dropout == 0.5 && !f.residual && !f.out);
    assert_true(f.readout == 1 && f.metric == -1 && f.scalers == 5);
    assert_int_equal(l2r_config_set(other, "layers", "7", &error), L2R_OK);
    assert_int_equal(l2r_config_set(other, "residual", NULL, &error), L2R_OK);
    assert_int_equal(l2r_config_set(other, "out", "here", &error), L2R_OK);
    assert_int_equal(l2r_config_set(other, "metric", "rmse", &error), L2R_OK);
    l2r_config_fill(&f, fields, other);
    assert_true(f.layers == 7 && f.residual && f.metric == 1 && f.readout == 1);
    assert_string_equal(f.out, "here");
    l2r_config_free(other);
}

/* default, recipe, user: in memory, through copies and through JSON; a replayed default still yields to nothing. */
static void remembers_who_set_it(void **state)
{
    (void)state;
    struct l2r_config *other, *copy, *again;
    assert_int_equal(l2r_config_new(&other, &error), L2R_OK);
    assert_int_equal(l2r_config_declare(other, fields, &error), L2R_OK);
    assert_int_equal(l2r_config_set_default(other, "dropout", "0.25", &error), L2R_OK);
    assert_int_equal(l2r_config_advise(other, "readout", "max", &error), L2R_OK);
    assert_int_equal(l2r_config_set(other, "layers", "9", &error), L2R_OK); /* which implies a width */
    assert_int_equal(l2r_config_copy(&copy, other, &error), L2R_OK);
    json_t *record = l2r_config_record(copy);
    json_t *origins = json_object_get(record, L2R_ORIGIN_KEY);
    assert_int_equal(json_object_size(origins), 3);
    assert_string_equal(json_string_value(json_object_get(origins, "layers")), "user");
    assert_string_equal(json_string_value(json_object_get(origins, "readout")), "recipe");
    assert_string_equal(json_string_value(json_object_get(origins, "width")), "recipe");
    assert_int_equal(l2r_config_new(&again, &error), L2R_OK);
    assert_int_equal(l2r_config_declare(again, fields, &error), L2R_OK);
    assert_int_equal(l2r_config_from_json(again, record, "run.json", &error), L2R_OK);
    for (size_t i = 0; l2r_config_option(other, i); i++) {
        const char *name = l2r_config_option(other, i)->name;
        assert_int_equal(l2r_config_origin(again, name), l2r_config_origin(other, name));
    }
    assert_int_equal(l2r_config_origin(again, "dropout"), L2R_FROM_DEFAULT);
    assert_int_equal(l2r_config_set_default(again, "dropout", "0.75", &error), L2R_OK);
    assert_true(l2r_config_real(again, "dropout") == 0.25); /* a replayed value holds */
    assert_int_equal(json_object_set_new(record, L2R_ORIGIN_KEY, json_string("user")), 0);
    assert_int_equal(l2r_config_from_json(again, record, "run.json", &error), L2R_ERR_FORMAT);
    json_decref(record);
    l2r_config_free(other);
    l2r_config_free(copy);
    l2r_config_free(again);
}

static void survives_no_memory(void **state)
{
    (void)state;
    enum l2r_status status = L2R_ERR_MEMORY;
    long k = 0;
    for (; status != L2R_OK; k++) {
        assert_true(k < 100);
        l2r_memory_fail_at(k, false);
        status = whole_life();
        l2r_memory_fail_at(-1, false);
        if (status != L2R_OK) assert_int_equal(status, L2R_ERR_MEMORY);
    }
    assert_true(k > 10);
}

static void options_without_effect_are_refused(void **state)
{
    static const struct l2r_option some[] = {
        {.name = "scope", .kind = L2R_OPTION_CHOICE, .fallback = "batch", .choices = "batch|epoch"},
        {.name = "queues", .kind = L2R_OPTION_INT, .fallback = "1", .min = 0, .max = 9, .needs = "scope=batch"},
        {.name = "momentum",
         .kind = L2R_OPTION_REAL,
         .fallback = "0.9",
         .needs = "scope=batch|queues!=0|not-declared=yes"},
        {0}};
    (void)state;
    assert_int_equal(l2r_config_declare(config, some, &error), L2R_OK);
    assert_int_equal(l2r_config_check_effects(config, &error), L2R_OK);
    accepts("momentum", "0.5"), assert_int_equal(l2r_config_check_effects(config, &error), L2R_OK);
    accepts("queues", "0"), assert_int_equal(l2r_config_check_effects(config, &error), L2R_ERR_ARGUMENT);
    assert_string_equal(error.message, "`momentum` has no effect with `queues=0`");
    accepts("momentum", "0.90"); /* the default, as in a config that is replayed */
    assert_int_equal(l2r_config_check_effects(config, &error), L2R_OK);
    accepts("scope", "epoch"), assert_int_equal(l2r_config_check_effects(config, &error), L2R_ERR_ARGUMENT);
    assert_string_equal(error.message, "`queues` has no effect with `scope=epoch`");
    accepts("queues", "1"), assert_int_equal(l2r_config_check_effects(config, &error), L2R_OK);
    assert_int_equal(l2r_config_set_default(config, "queues", "2", &error), L2R_OK); /* of a method: 1 is the user's */
    assert_int_equal(l2r_config_check_effects(config, &error), L2R_ERR_ARGUMENT);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(defaults_stand),
        TEST(sets_every_kind),
        TEST(refuses_what_does_not_fit),
        TEST(unknown_names_get_a_hint),
        TEST(distance_counts_edits),
        TEST(changed_defaults_yield_to_the_user),
        TEST(tables_are_checked),
        TEST(json_round_trip),
        TEST(json_errors_name_the_file),
        TEST(copies_are_deep),
        TEST(survives_no_memory),
        TEST(fills_a_struct),
        TEST(remembers_who_set_it),
        TEST(options_without_effect_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
