/* SPDX-License-Identifier: MIT
 *
 * The results file: found again by id, options and data; cut lines; and the table made from made-up lines.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "fit/options.h"
#include "io/file.h"
#include "reproduce/agenda.h"
#include "reproduce/table.h"
#include "support/messages.h"
#include "support/temporary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char text[] =
    "{\"name\": \"t\", \"title\": \"A & B\", \"seeds\": 3,"
    " \"rows\": [{\"label\": \"GIN\", \"model\": \"gin\", \"method\": \"erm\", \"paper\": {\"A\": [70.4, 0.9]}},"
    "            {\"label\": \"L2R\", \"model\": \"gin\", \"method\": \"l2r\", \"backbone\": \"GIN\"},"
    "            {\"label\": \"control\", \"model\": \"gin\", \"method\": \"l2r\", \"control\": true, \"options\": "
    "{\"ess\": \"0.5\"}}],"
    " \"columns\": [{\"label\": \"A\", \"data\": \"ogb/a\"}]}";

static struct l2r_error error;
static char folder[TEMPORARY_LENGTH], path[TEMPORARY_LENGTH + 16];
static struct l2r_spec spec;
static struct l2r_plan plan;

static int set_up(void **state)
{
    (void)state;
    if (!temporary_folder(folder)) return -1;
    snprintf(path, sizeof path, "%s/results.jsonl", folder);
    const struct l2r_plan_settings settings = {0};
    return l2r_spec_parse(&spec, text, strlen(text), "t", false, &error) != L2R_OK ||
           l2r_plan_make(&plan, &spec, &settings, &error) != L2R_OK;
}

static int tear_down(void **state)
{
    (void)state;
    l2r_plan_clear(&plan);
    l2r_spec_clear(&spec);
    l2r_remove_tree(folder);
    return 0;
}

static void add(struct l2r_results *results, const struct l2r_planned *run, const char *data, double test, double ess)
{
    json_t *line = json_pack("{s:s,s:s,s:s,s:I,s:s,s:f,s:f,s:o,s:f,s:s,s:o}", "kind", "run", "id", run->id, "data",
                             data, "seed", (json_int_t)run->seed, "metric", "rocauc", "test", test, "valid", 0.5, "ess",
                             l2r_json_real(ess), "seconds", 10.0, "date",
                             run->seed == 1 ? "2026-01-02T" : "2026-01-01T", "config", l2r_config_to_json(run->config));
    assert_int_equal(l2r_results_add(results, line, &error), L2R_OK);
}

static const struct l2r_planned *at(int row, int64_t seed)
{
    for (size_t i = 0; i < plan.n; i++)
        if (plan.runs[i].row == row && plan.runs[i].seed == seed) return &plan.runs[i];
    fail();
    return NULL;
}

static const json_t *find(const struct l2r_results *results, const char *kind, const struct l2r_planned *run,
                          const char *data)
{
    return l2r_results_find(results, kind, run->id, run->config, data);
}

static void lines_are_found_again(void **state)
{
    struct l2r_results r;
    (void)state;
    assert_int_equal(l2r_results_open(&r, path, true, &error), L2R_OK);
    assert_null(find(&r, "run", at(0, 0), NULL));
    add(&r, at(0, 0), "data1", 0.7, NAN);
    add(&r, at(0, 0), "data2", 0.8, NAN);
    l2r_results_close(&r);
    assert_int_equal(l2r_results_open(&r, path, false, &error), L2R_OK);
    assert_int_equal(r.n, 2);
    assert_true(l2r_line_number(find(&r, "run", at(0, 0), NULL), "test") == 0.8); /* the newest */
    assert_true(l2r_line_number(find(&r, "run", at(0, 0), "data1"), "test") == 0.7);
    assert_null(find(&r, "run", at(0, 0), "data3"));
    assert_null(find(&r, "baselines", at(0, 0), NULL));
    assert_null(find(&r, "run", at(0, 1), NULL));
    /* A default that has changed since makes it another run, an option that is new does not. */
    json_t *config = json_object_get(r.lines[1], "config");
    json_object_del(config, "lr");
    assert_non_null(find(&r, "run", at(0, 0), "data2"));
    json_object_set_new(config, "lr", json_real(0.5));
    assert_null(find(&r, "run", at(0, 0), "data2"));
    l2r_results_close(&r);
}

static void cut_lines_are_closed(void **state)
{
    struct l2r_results r;
    char *content;
    size_t length;
    (void)state;
    assert_int_equal(l2r_file_write(path, "{\"kind\":\"run\"}\n{\"kind\":\"ru", 26, &error), L2R_OK);
    assert_int_equal(l2r_results_open(&r, path, true, &error), L2R_OK);
    assert_int_equal(r.n, 1);
    assert_int_equal(r.n_skipped, 1);
    add(&r, at(1, 2), "d", 0.9, 0.8);
    l2r_results_close(&r);
    assert_int_equal(l2r_file_read(&content, &length, path, 1 << 20, &error), L2R_OK);
    assert_non_null(strstr(content, "{\"kind\":\"ru\n{\"kind\":\"run\",\"id\""));
    l2r_free(content);
    assert_int_equal(l2r_results_open(&r, path, false, &error), L2R_OK);
    assert_non_null(find(&r, "run", at(1, 2), "d"));
    l2r_results_close(&r);
}

static void one_writer_at_a_time(void **state)
{
    struct l2r_results a, b;
    (void)state;
    assert_int_equal(l2r_results_open(&a, path, true, &error), L2R_OK);
    assert_int_equal(l2r_results_open(&b, path, true, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "another process is writing results there");
    l2r_results_close(&b);
    assert_int_equal(l2r_results_open(&b, path, false, &error), L2R_OK); /* reading is free */
    l2r_results_close(&b);
    l2r_results_close(&a);
}

/* Only its own litter goes: the folder belongs to the user. */
static void other_files_stay(void **state)
{
    struct l2r_results r;
    char thesis[TEMPORARY_LENGTH + 32], ours[L2R_TEMPORARY_PATH];
    (void)state;
    snprintf(thesis, sizeof thesis, "%s/thesis.tmp-20241117", folder);
    assert_int_equal(l2r_make_dirs(thesis, &error), L2R_OK);
    int fd = l2r_temporary_new(ours, path, false);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(l2r_results_open(&r, path, true, &error), L2R_OK);
    l2r_results_close(&r);
    assert_true(l2r_path_is_dir(thesis));
    assert_false(l2r_path_is_file(ours));
    l2r_remove_tree(thesis);
}

static char *written(void (*write)(FILE *out, const struct l2r_table *table), const struct l2r_table *table)
{
    char *content = NULL;
    size_t length;
    FILE *out = open_memstream(&content, &length);
    write(out, table);
    fclose(out);
    return content;
}

static void expect_text(char *content, const char *wanted)
{
    if (strstr(content, wanted) == NULL) fail_msg("'%s' is not in:\n%s", wanted, content);
}

static void tables_have_the_numbers(void **state)
{
    static const double gin[] = {0.70, 0.72, 0.74}, l2r[] = {0.71, 0.74, 0.77};
    struct l2r_results r;
    struct l2r_table t;
    (void)state;
    assert_int_equal(l2r_results_open(&r, path, true, &error), L2R_OK);
    for (int seed = 0; seed < 3; seed++) {
        add(&r, at(0, seed), "d", gin[seed], NAN);
        add(&r, at(1, seed), "d", l2r[seed], 0.8);
    }
    add(&r, at(2, 0), "d", 0.99, 0.5);
    assert_int_equal(l2r_table_make(&t, &plan, &r, &error), L2R_OK);
    assert_int_equal(t.n_done, 7);
    assert_true(fabs(t.cells[0].mean - 72) < 1e-9 && fabs(t.cells[0].sd - 2) < 1e-9);
    assert_true(t.cells[0].paper == 70.4 && isnan(t.cells[1].paper));
    assert_true(t.cells[1].best && !t.cells[2].best); /* a control is never the best */
    assert_true(t.cells[1].gain.n == 3 && fabs(t.cells[1].gain.mean - 2) < 1e-9);
    assert_true(fabs(t.cells[1].gain.high - (2 + 2.484138)) < 1e-5); /* differences 1 2 3 */
    assert_true(isnan(t.cells[0].ess) && fabs(t.cells[1].ess - 0.8) < 1e-12);
    char *content = written(l2r_table_markdown, &t);
    expect_text(content, "| GIN | 72.00 ± 2.00 [70.4 ± 0.9] |");
    expect_text(content, "| L2R | **74.00 ± 3.00** |");
    expect_text(content, "| control | 99.00 (1 of 3 seeds) |");
    expect_text(content, "| L2R − GIN | +2.00 (-0.48 to +4.48), +1.0 sd |");
    expect_text(content, "2026-01-01 to 2026-01-02");
    free(content);
    content = written(l2r_table_latex, &t);
    expect_text(content, "GIN & $72.00 \\pm 2.00$ \\textcolor{gray}{\\small $70.4 \\pm 0.9$} \\\\");
    expect_text(content, "L2R & $\\mathbf{74.00 \\pm 3.00}$ \\\\");
    free(content);
    l2r_table_clear(&t);
    l2r_results_close(&r);
}

static void time_is_learned_from_the_nearest(void **state)
{
    struct l2r_estimate e;
    (void)state;
    assert_int_equal(l2r_estimate_init(&e, 4, 2, &error), L2R_OK);
    assert_true(l2r_estimate_expected(&e, 0, 0, 3) == 3);
    l2r_estimate_learn(&e, 3, 1, 1, 8);
    assert_true(l2r_estimate_expected(&e, 0, 0, 3) == 24); /* of all */
    l2r_estimate_learn(&e, 2, 0, 2, 4);
    assert_true(l2r_estimate_expected(&e, 0, 0, 3) == 6); /* of the set */
    l2r_estimate_learn(&e, 0, 0, 1, 5);
    l2r_estimate_learn(&e, 0, 0, 1, 7);
    assert_true(l2r_estimate_expected(&e, 0, 0, 3) == 18); /* its own */
    l2r_estimate_clear(&e);
}

/* A line of docs/results that was recorded for l2r by an earlier version is found by the same id. */
static void earlier_lines_are_found(void **state)
{
    (void)state;
    static const char *const set[] = {"hidden", "64",  "layers", "4",    "epochs", "40",   "batch-size",
                                      "128",    "ema", "0.99",   "seed", "0",      "data", "spmotif:bias=0.95,seed=0"};
    struct l2r_config *config;
    char id[17];
    assert_int_equal(l2r_config_new(&config, &error), L2R_OK);
    assert_int_equal(l2r_run_declare(config, "gin", "l2r", &error), L2R_OK);
    for (size_t i = 0; i < sizeof set / sizeof *set; i += 2)
        assert_int_equal(l2r_config_set(config, set[i], set[i + 1], &error), L2R_OK);
    assert_int_equal(l2r_run_id(id, set[13], config, &error), L2R_OK);
    assert_string_equal(id, "bc6b0d0beadcb4a1"); /* of docs/results/weights.jsonl.gz */
    l2r_config_free(config);
}

static void rows_read_where_they_say(void **state)
{
    (void)state;
    json_t *line = json_pack("{s:f, s:{s:{s:f}, s:[{s:f, s:f, s:f}, {s:f, s:f, s:f}]}}", "test", 0.5, "head", "trained",
                             "test", 0.25, "candidates", "ess", 1.0, "penalty", 0.01, "test", 0.125, "ess", 0.6,
                             "penalty", 0.01, "test", 0.75);
    static const struct {
        const char *reads, *where;
        double test; /* 0: nowhere */
    } cases[] = {{NULL, NULL, 0.5},
                 {"trained", NULL, 0.25},
                 {"candidates", "{\"ess\": 0.6, \"penalty\": 0.01}", 0.75},
                 {"candidates", "{\"ess\": 1}", 0.125},
                 {"candidates", "{\"ess\": 0.9}", 0},
                 {"candidates", "{\"penalty\": 0.01}", 0}, /* which of the two? */
                 {"candidates.1", NULL, 0},                /* by number: never */
                 {"controls.ones", NULL, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *where = cases[i].where != NULL ? json_loads(cases[i].where, 0, NULL) : NULL;
        const struct l2r_spec_row row = {.reads = cases[i].reads, .where = where};
        const json_t *scores = l2r_spec_scores(&row, line);
        assert_true(scores == NULL ? cases[i].test == 0 : l2r_line_number(scores, "test") == cases[i].test);
        json_decref(where);
    }
    json_decref(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(earlier_lines_are_found),
        cmocka_unit_test(rows_read_where_they_say),
        cmocka_unit_test_setup_teardown(lines_are_found_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cut_lines_are_closed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_writer_at_a_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_files_stay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tables_have_the_numbers, set_up, tear_down),
        cmocka_unit_test(time_is_learned_from_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
