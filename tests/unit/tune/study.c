/* SPDX-License-Identifier: MIT
 * Studies: runs are those of l2r_run_train without the test graphs, nothing is trained twice,
 * ranks follow the validation scores. */
#include "support/training_runs.h"

#include "io/file.h"
#include "support/messages.h"
#include "tune/study.h"

#include <math.h>

static struct l2r_config *bases[2];
static struct l2r_space space;
static struct l2r_error error;
static const int64_t seeds[] = {0, 4};

static void prepare(void)
{
    static const char *const few[] = {"epochs", "3", "hidden", "8", "layers", "2", NULL};
    bases[0] = config_for("gin", "erm", few);
    bases[1] = config_for("gin", "l2r", few);
    if (l2r_space_parse(&space, "lr=1e-3..1e-1:log,ess=0.3..0.9", (const struct l2r_config *const *)bases, 2, &error))
        fail_msg("%s", error.message);
}

static void clean_up(void)
{
    l2r_space_clear(&space);
    for (int i = 0; i < 2; i++) l2r_config_free(bases[i]);
}

static struct l2r_study_settings settings_for(const char *dir, int64_t trials, int workers)
{
    return (struct l2r_study_settings){.dir = dir,
                                       .search = {.space = &space, .trials = trials},
                                       .bases = bases,
                                       .n_methods = 2,
                                       .seeds = seeds,
                                       .n_seeds = 2,
                                       .n_workers = workers};
}

static void open_study(struct l2r_study *study, const struct l2r_study_settings *settings)
{
    if (l2r_study_open(study, settings, &error) != L2R_OK) fail_msg("%s", error.message);
}

static void train_study(struct l2r_study *study)
{
    if (l2r_study_train(study, NULL, &error) != L2R_OK) fail_msg("%s", error.message);
    assert_int_equal(l2r_study_left(study), 0);
}

/* The run of a trial, by itself. */
static void compare_with_alone(const struct l2r_study *study)
{
    struct l2r_config *config;
    assert_int_equal(l2r_study_config(&config, study, 1, 2, 4, &error), L2R_OK);
    struct l2r_result alone = train(config, "alone", false, NULL);
    const struct l2r_study_run *run = l2r_study_find(study, 1, 2, 1);
    assert_true(l2r_line_number(run->line, "valid") == alone.valid);
    assert_int_equal(json_integer_value(json_object_get(run->line, "best_epoch")), alone.best_epoch);
    assert_int_equal(json_array_size(json_object_get(run->line, "curve")), 3);
    assert_null(json_object_get(run->line, "test"));
    assert_null(json_object_get(run->line, "more"));
    assert_true(json_is_false(json_object_get(json_object_get(run->line, "config"), "eval-test")));
    l2r_result_clear(&alone);
    l2r_config_free(config);
}

static void test_study(void **state)
{
    (void)state;
    struct l2r_study study;
    char dir[256];
    prepare();
    folder(dir, "study");
    struct l2r_study_settings settings = settings_for(dir, 3, 2);
    open_study(&study, &settings);
    assert_int_equal(study.n, 12);
    assert_int_equal(l2r_study_left(&study), 12);
    assert_string_equal(study.runs[2].label, "l2r trial 0 seed 0");
    struct l2r_study second;
    assert_int_equal(l2r_study_open(&second, &settings, &error), L2R_ERR_ARGUMENT); /* one at a time in a folder */
    l2r_study_close(&second);
    train_study(&study);
    for (size_t i = 0; i < study.n; i++) assert_false(l2r_path_is_dir(study.runs[i].dir));
    assert_string_equal(l2r_config_text(study.runs[0].config, "lr"), l2r_config_text(study.runs[2].config, "lr"));
    compare_with_alone(&study);
    l2r_study_close(&study);

    settings.search.trials = 4; /* goes on where it was */
    open_study(&study, &settings);
    assert_int_equal(study.n, 16);
    assert_int_equal(l2r_study_left(&study), 4);
    l2r_study_close(&study);
    assert_int_equal(l2r_config_set(bases[1], "epochs", "4", &error), L2R_OK); /* other options, other runs */
    open_study(&study, &settings);
    assert_int_equal(l2r_study_left(&study), 2 + 8);
    l2r_study_close(&study);
    clean_up();
}

/* The best mean over the seeds comes first; one that diverged comes last. */
static void test_ranking(void **state)
{
    (void)state;
    struct l2r_study study;
    struct l2r_trial_score scores[4];
    char dir[256];
    prepare();
    l2r_space_clear(&space);
    assert_int_equal(
        l2r_space_parse(&space, "lr=0.03|1e3|0.001|0.01", (const struct l2r_config *const *)bases, 2, &error), L2R_OK);
    folder(dir, "ranking");
    assert_int_equal(l2r_config_set(bases[0], "optimiser", "sgd", &error), L2R_OK);
    struct l2r_study_settings settings = settings_for(dir, 0, 2);
    settings.search.kind = L2R_SEARCH_GRID;
    settings.n_methods = 1;
    open_study(&study, &settings);
    train_study(&study);
    assert_int_equal(l2r_rank_trials(scores, &study, 0, &error), L2R_OK);
    for (int k = 0; k < 3; k++) {
        double sum = 0;
        for (int s = 0; s < 2; s++)
            sum += l2r_line_number(l2r_study_find(&study, 0, scores[k].trial, s)->line, "valid");
        assert_true(fabs(scores[k].mean - sum / 2) < 1e-12);
        assert_string_equal(scores[k].outcome, "finished");
        if (k > 0) assert_true(scores[k].mean < scores[k - 1].mean || scores[k].trial > scores[k - 1].trial);
        if (k > 0) assert_true(scores[k].mean <= scores[k - 1].mean);
    }
    assert_int_equal(scores[3].trial, 1);
    assert_true(isnan(scores[3].mean));
    assert_string_equal(scores[3].outcome, "diverged");

    struct l2r_result results[2], alone;
    assert_int_equal(l2r_study_finish(results, &study, 0, scores[0].trial, NULL, &error), L2R_OK);
    struct l2r_config *config;
    assert_int_equal(l2r_study_config(&config, &study, 0, scores[0].trial, 4, &error), L2R_OK);
    alone = train(config, "winner", false, NULL);
    assert_true(results[1].test == alone.test && isfinite(alone.test));
    assert_true((results[0].valid + results[1].valid) / 2 == scores[0].mean);
    for (int s = 0; s < 2; s++) l2r_result_clear(&results[s]);
    l2r_result_clear(&alone);
    l2r_config_free(config);
    l2r_study_close(&study);
    clean_up();
}

static char *text_of(const struct l2r_study *study)
{
    size_t size = 0;
    char *text = NULL;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; i < study->n; i++) {
        const json_t *line = study->runs[i].line;
        char *curve = json_dumps(json_object_get(line, "curve"), JSON_COMPACT);
        fprintf(out, "%s %s %s %.17g\n", study->runs[i].label, json_string_value(json_object_get(line, "outcome")),
                curve, l2r_line_number(line, "valid"));
        free(curve);
    }
    fclose(out);
    return text;
}

/* The same runs end early, at the same epochs, whatever the number of workers and however often the study is stopped.
 * */
static void test_median(void **state)
{
    (void)state;
    struct l2r_study study;
    char dir[256], name[16], *wanted = NULL;
    prepare();
    assert_int_equal(l2r_config_set(bases[0], "epochs", "6", &error), L2R_OK);
    for (int way = 0; way < 3; way++) {
        snprintf(name, sizeof name, "median-%d", way);
        folder(dir, name);
        struct l2r_study_settings settings = settings_for(dir, 13, way == 0 ? 1 : 2);
        settings.n_methods = 1;
        settings.median_from = 2;
        enum l2r_status status = L2R_ERR_INTERRUPTED;
        for (int stops = 0; status == L2R_ERR_INTERRUPTED && stops < 100; stops++) {
            int left = 150;
            struct l2r_study_callbacks callbacks = {.context = &left, .stop = way == 2 ? stop_after : NULL};
            open_study(&study, &settings);
            status = l2r_study_train(&study, &callbacks, &error);
            if (status != L2R_OK) assert_int_equal(status, L2R_ERR_INTERRUPTED);
            if (status != L2R_OK) l2r_study_close(&study);
        }
        assert_int_equal(status, L2R_OK);
        char *found = text_of(&study);
        if (way == 0) assert_non_null(strstr(found, "stopped"));
        if (way > 0) assert_string_equal(found, wanted);
        free(wanted);
        wanted = found;
        l2r_study_close(&study);
    }
    free(wanted);
    clean_up();
}

/* Without validation graphs there is nothing to choose by; a missing data set is told at once. */
static void test_refuses(void **state)
{
    (void)state;
    struct l2r_study study;
    char dir[256];
    prepare();
    folder(dir, "refused");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(l2r_config_set(bases[i], "split", "random", &error), L2R_OK);
        assert_int_equal(l2r_config_set(bases[i], "valid-fraction", "0", &error), L2R_OK);
    }
    struct l2r_study_settings settings = settings_for(dir, 1, 1);
    open_study(&study, &settings);
    assert_int_equal(l2r_study_train(&study, NULL, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "validation graphs, of which motif:");
    l2r_study_close(&study);
    assert_int_equal(l2r_config_set(bases[0], "data", "/nowhere/at/all", &error), L2R_OK);
    assert_int_equal(l2r_study_open(&study, &settings, &error), L2R_ERR_IO);
    l2r_study_close(&study);
    clean_up();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_study),
        cmocka_unit_test(test_ranking),
        cmocka_unit_test(test_median),
        cmocka_unit_test(test_refuses),
    };
    return cmocka_run_group_tests(tests, run_set_up, run_tear_down);
}
