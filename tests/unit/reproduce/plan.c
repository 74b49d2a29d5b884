/* SPDX-License-Identifier: MIT
 *
 * Specs multiplied out: order, options and who wins, identities, what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reproduce/plan.h"
#include "support/messages.h"

#include <string.h>

static const char text[] =
    "{\"name\": \"t\", \"title\": \"T\", \"seeds\": 3, \"options\": {\"hidden\": 16, \"epochs\": 9},"
    " \"rows\": [{\"label\": \"GIN\", \"model\": \"gin\", \"method\": \"erm\"},"
    "            {\"label\": \"L2R\", \"model\": \"gin\", \"method\": \"l2r\", \"backbone\": \"GIN\","
    "             \"options\": {\"scope\": \"epoch\", \"epochs\": 7}, \"at\": {\"B\": {\"scope\": \"batch\"}}}],"
    " \"columns\": [{\"label\": \"A\", \"data\": \"ogb/a\", \"options\": {\"epochs\": 8}},"
    "               {\"label\": \"B\", \"data\": \"motif:seed={seed}\", \"seeds\": 2, \"options\": {\"split-seed\": "
    "\"{seed}\"}}],"
    " \"quick\": {\"seeds\": 1, \"options\": {\"hidden\": 4}}}";

static struct l2r_error error;

struct made {
    struct l2r_spec spec;
    struct l2r_plan plan;
};

static struct made make(const char *from, bool quick, const struct l2r_plan_settings *settings)
{
    struct made m;
    assert_int_equal(l2r_spec_parse(&m.spec, from, strlen(from), "t.json", quick, &error), L2R_OK);
    assert_int_equal(l2r_plan_make(&m.plan, &m.spec, settings, &error), L2R_OK);
    m.plan.spec = NULL; /* the spec moves when it is returned */
    return m;
}

static void clear(struct made *m)
{
    l2r_plan_clear(&m->plan);
    l2r_spec_clear(&m->spec);
}

static const struct l2r_plan_settings plain = {.data_root = "root"};

static void order_is_seed_set_system(void **state)
{
    (void)state;
    struct made m = make(text, false, &plain);
    static const struct {
        int seed, column, row;
    } wanted[] = {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {1, 0, 0},
                  {1, 0, 1}, {1, 1, 0}, {1, 1, 1}, {2, 0, 0}, {2, 0, 1}};
    assert_int_equal(m.plan.n, 10); /* B has two seeds */
    for (size_t i = 0; i < m.plan.n; i++) {
        assert_int_equal(m.plan.runs[i].seed, wanted[i].seed);
        assert_int_equal(m.plan.runs[i].column, wanted[i].column);
        assert_int_equal(m.plan.runs[i].row, wanted[i].row);
    }
    clear(&m);
}

static void later_options_win(void **state)
{
    (void)state;
    struct made m = make(text, false, &plain);
    const struct l2r_planned *r = m.plan.runs;
    assert_int_equal(l2r_config_int(r[0].config, "hidden"), 16);
    assert_int_equal(l2r_config_int(r[0].config, "epochs"), 8); /* the column's */
    assert_int_equal(l2r_config_int(r[1].config, "epochs"), 7); /* the row's */
    assert_string_equal(l2r_config_text(r[1].config, "scope"), "epoch");
    assert_string_equal(l2r_config_text(r[3].config, "scope"), "batch"); /* the row's at this column */
    assert_int_equal(l2r_config_int(r[2].config, "epochs"), 9);
    assert_string_equal(r[0].where, "root/ogb/a");
    assert_string_equal(r[6].where, "motif:seed=1");
    assert_int_equal(l2r_config_int(r[6].config, "split-seed"), 1);
    assert_int_equal(l2r_config_int(r[6].config, "seed"), 1);
    clear(&m);
    m = make(text, true, &(struct l2r_plan_settings){.set = "epochs=2,scope=batch"});
    assert_int_equal(m.plan.n, 4);
    assert_int_equal(l2r_config_int(m.plan.runs[0].config, "hidden"), 4);
    assert_int_equal(l2r_config_int(m.plan.runs[1].config, "epochs"), 2);
    assert_string_equal(l2r_config_text(m.plan.runs[1].config, "scope"), "batch");
    clear(&m);
}

static void ids_say_what_matters(void **state)
{
    (void)state;
    struct made a = make(text, false, &plain);
    struct made b =
        make(text, false, &(struct l2r_plan_settings){.data_root = "elsewhere", .set = "checkpoint-seconds=1"});
    struct made c = make(text, false, &(struct l2r_plan_settings){.data_root = "root", .set = "lr=0.01"});
    for (size_t i = 0; i < a.plan.n; i++) {
        assert_int_equal(strlen(a.plan.runs[i].id), 16);
        assert_string_equal(a.plan.runs[i].id, b.plan.runs[i].id); /* the place of the data does not */
        assert_string_not_equal(a.plan.runs[i].id, c.plan.runs[i].id);
        for (size_t k = 0; k < i; k++) assert_string_not_equal(a.plan.runs[i].id, a.plan.runs[k].id);
    }
    clear(&a);
    clear(&b);
    clear(&c);
}

static void a_part_can_be_chosen(void **state)
{
    (void)state;
    const int64_t seeds[] = {5, 3, 4};
    struct made m =
        make(text, false, &(struct l2r_plan_settings){.seeds = seeds, .n_seeds = 3, .only = "l2r", .sets = "b"});
    assert_int_equal(m.plan.n, 2); /* the first two seeds */
    assert_int_equal(m.plan.runs[0].seed, 5);
    assert_int_equal(m.plan.runs[1].seed, 3);
    clear(&m);
    assert_true(l2r_plan_lists("a,B,c", "b") && !l2r_plan_lists("ab,c", "b") && !l2r_plan_lists("", "b"));
}

static void refuse_plan(const struct l2r_plan_settings *settings, const char *message)
{
    struct made m;
    assert_int_equal(l2r_spec_parse(&m.spec, text, strlen(text), "t.json", false, &error), L2R_OK);
    assert_int_not_equal(l2r_plan_make(&m.plan, &m.spec, settings, &error), L2R_OK);
    expect_message(error.message, message);
    clear(&m);
}

static void wrong_settings_are_refused(void **state)
{
    (void)state;
    refuse_plan(&(struct l2r_plan_settings){.only = "GIN,PNA"},
                "--only: t has no system 'PNA'; it has 'GIN', for example");
    refuse_plan(&(struct l2r_plan_settings){.sets = "C"}, "--sets: t has no data set 'C'; it has 'A', for example");
    refuse_plan(&(struct l2r_plan_settings){.set = "lr"}, "--set: \"lr\" is not of the form option=value");
    refuse_plan(&(struct l2r_plan_settings){.set = "n-clusters=3"}, "--set: no system of t has an option --n-clusters");
    refuse_plan(&(struct l2r_plan_settings){.set = "seed=3"}, "--set: --seed is set by the plan itself");
}

static void refuse_spec(const char *from, bool quick, const char *message)
{
    struct l2r_spec spec;
    assert_int_equal(l2r_spec_parse(&spec, from, strlen(from), "t.json", quick, &error), L2R_ERR_FORMAT);
    expect_message(error.message, message);
    l2r_spec_clear(&spec);
}

#define ROWS "\"rows\": [{\"label\": \"G\", \"model\": \"gin\", \"method\": \"erm\"}]"

static void wrong_specs_are_refused(void **state)
{
    (void)state;
    refuse_spec("{\"nam\": 1}", false, "t.json: the file: there is no key \"nam\"");
    refuse_spec("{}", false, "t.json: the file needs \"name\", a text");
    refuse_spec("{\"name\": \"n\", \"title\": \"t\"}", true, "t.json: there is no quick version");
    refuse_spec("{\"name\": \"n\", \"title\": \"t\"}", false, "t.json: \"rows\" must be a list of systems");
    refuse_spec("{\"name\": \"n\", \"title\": \"t\", " ROWS "}", false,
                "t.json: \"columns\" must be a list of data sets");
    refuse_spec("{\"name\": \"n\", \"title\": \"t\", \"seeds\": 0, " ROWS "}", false,
                "t.json: \"seeds\" is a number of seeds, 1 to 1000");
    refuse_spec(
        "{\"name\": \"n\", \"title\": \"t\", \"rows\": [{\"label\": \"G\", \"model\": \"gin\", \"method\": \"erm\","
        " \"backbone\": \"H\"}]}",
        false, "t.json: G: there is no row \"H\" to be its backbone");
    refuse_spec(
        "{\"name\": \"n\", \"title\": \"t\", \"rows\": [{\"label\": \"G\", \"model\": \"gin\", \"method\": \"erm\","
        " \"columns\": [\"Z\"]}], \"columns\": [{\"label\": \"A\", \"data\": \"a\"}]}",
        false, "t.json: G: there is no column \"Z\"");
    refuse_spec(
        "{\"name\": \"n\", \"title\": \"t\", \"rows\": [{\"label\": \"G\", \"model\": \"gin\", \"method\": \"l2r\","
        " \"where\": {\"ess\": 1}}]}",
        false, "t.json: \"where\" of G needs \"reads\", the list that it chooses from");
    refuse_spec(
        "{\"name\": \"n\", \"title\": \"t\", \"rows\": [{\"label\": \"G\", \"model\": \"gin\", \"method\": \"l2r\","
        " \"reads\": \"candidates\", \"where\": {\"ess\": \"1\"}}]}",
        false, "t.json: \"ess\" in \"where\" of G must be a number");
}

/* A row may run on some columns alone. */
static void rows_may_have_columns_of_their_own(void **state)
{
    (void)state;
    static const char own[] =
        "{\"name\": \"n\", \"title\": \"t\", \"rows\": [{\"label\": \"G\", \"model\": \"gin\", \"method\": \"erm\"},"
        " {\"label\": \"C\", \"model\": \"gcn\", \"method\": \"erm\", \"columns\": [\"B\"]}],"
        " \"columns\": [{\"label\": \"A\", \"data\": \"motif\"}, {\"label\": \"B\", \"data\": \"spmotif\"}]}";
    struct l2r_spec spec;
    struct l2r_plan plan;
    const struct l2r_plan_settings settings = {0};
    assert_int_equal(l2r_spec_parse(&spec, own, strlen(own), "t.json", false, &error), L2R_OK);
    assert_int_equal(l2r_plan_make(&plan, &spec, &settings, &error), L2R_OK);
    assert_int_equal(plan.n, 3);
    assert_int_equal(plan.runs[2].row, 1);
    assert_int_equal(plan.runs[2].column, 1);
    l2r_plan_clear(&plan);
    l2r_spec_clear(&spec);
}

static void own_specs_are_sound(void **state)
{
    (void)state;
    for (const struct l2r_spec_text *own = l2r_spec_texts; own->name != NULL; own++)
        for (int quick = 0; quick < 2; quick++) {
            struct made m;
            assert_int_equal(l2r_spec_load(&m.spec, own->name, quick, &error), L2R_OK);
            assert_string_equal(m.spec.name, own->name);
            if (l2r_plan_make(&m.plan, &m.spec, &plain, &error) != L2R_OK) fail_msg("%s", error.message);
            assert_true(m.plan.n > 0);
            for (size_t i = 0; i < m.spec.n_rows; i++) /* by key, never by number */
                assert_true(m.spec.rows[i].reads == NULL || strpbrk(m.spec.rows[i].reads, "0123456789") == NULL);
            clear(&m);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_seed_set_system),
        cmocka_unit_test(later_options_win),
        cmocka_unit_test(ids_say_what_matters),
        cmocka_unit_test(a_part_can_be_chosen),
        cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(wrong_specs_are_refused),
        cmocka_unit_test(rows_may_have_columns_of_their_own),
        cmocka_unit_test(own_specs_are_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
