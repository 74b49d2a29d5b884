/* SPDX-License-Identifier: MIT
 * The head fit: without evidence the trained head stays, bit for bit; a strength that was typed is taken; the backbone
 * stays; runs are the same in pieces and on any number of threads; what is recorded and said. */
#include "fit/evidence.h"
#include "support/messages.h"
#include "support/training_runs.h"

#include <math.h>

static struct l2r_result run(const char *name, const char *method, const char *const *set)
{
    struct l2r_config *config = config_for("gin", method, (const char *const[]){"epochs", "3", NULL});
    struct l2r_error error;
    for (size_t i = 0; set[i]; i += 2)
        if (l2r_config_set(config, set[i], set[i + 1], &error) != L2R_OK) fail_msg("%s", error.message);
    struct l2r_result result = train(config, name, false, NULL);
    l2r_config_free(config);
    return result;
}

static const json_t *at(const struct l2r_result *result, const char *first, const char *second)
{
    const json_t *head = json_object_get(result->conclusion, "head");
    const json_t *one = first ? json_object_get(head, first) : head;
    return second ? json_object_get(one, second) : one;
}

static void expect_words(const struct l2r_result *result, const char *words)
{
    const char *sentence = json_string_value(json_object_get(result->conclusion, "sentence"));
    if (!sentence || !message_matches(sentence, words)) fail_msg("%s", sentence ? sentence : "nothing");
}

/* Tensors of best.safetensors that differ from ERM's, as bits: 1 of the backbone, 2 of the head's last layer. */
static int changed(const char *name)
{
    struct l2r_safetensors *x, *y;
    struct l2r_error error;
    char path[256];
    int found = 0;
    snprintf(path, sizeof path, "%s/erm/best.safetensors", root);
    assert_int_equal(l2r_safetensors_read(&x, path, &error), L2R_OK);
    snprintf(path, sizeof path, "%s/%s/best.safetensors", root, name);
    assert_int_equal(l2r_safetensors_read(&y, path, &error), L2R_OK);
    const struct l2r_tensor *t;
    for (size_t i = 0; (t = l2r_safetensors_at(x, i)); i++) {
        const struct l2r_tensor *u = l2r_safetensors_find(y, t->name);
        bool head = strcmp(t->name, "1.head.weight") == 0 || strcmp(t->name, "1.head.bias") == 0;
        if (memcmp(t->data, u->data, l2r_tensor_bytes(t)) != 0) found |= head ? 2 : 1;
    }
    l2r_safetensors_free(x);
    l2r_safetensors_free(y);
    return found;
}

/* The rule, from the numbers that are recorded. */
static void test_choice(void **state)
{
    (void)state;
    struct l2r_result erm = run("erm", "erm", (const char *const[]){NULL}),
                      l2r = run("chosen", "headfit", (const char *const[]){"compare-controls", "true", NULL}),
                      typed = run("typed", "headfit", (const char *const[]){"ess", "0.6", NULL});
    double gain = json_number_value(at(&l2r, "best", "better_by"));
    bool evident = gain > 0 && gain > 2 * json_number_value(at(&l2r, "best", "standard_error"));
    assert_true(json_is_true(at(&l2r, "taken", NULL)) == evident);
    assert_int_equal(changed("chosen"), evident ? 2 : 0);
    expect_words(&l2r, evident ? "head fit with" : "head fit rejected");
    if (!evident) assert_true(l2r.test == erm.test && l2r.valid == erm.valid);
    assert_int_equal(json_array_size(at(&l2r, "candidates", NULL)), 15);
    assert_true(json_number_value(at(&l2r, "trained", "test")) == erm.test);
    assert_non_null(json_object_get(at(&l2r, "controls", "ones"), "test"));
    assert_non_null(at(&l2r, "controls", "groups")); /* the star is known */
    assert_true(json_is_true(at(&typed, "taken", NULL)));
    assert_int_equal(changed("typed"), 2);
    assert_int_equal(json_array_size(at(&typed, "candidates", NULL)), 3);
    assert_true(fabs(json_number_value(at(&typed, "best", "ess")) - 0.6) < 1e-6);
    assert_true(json_number_value(at(&typed, "best", "dependence_left")) <
                json_number_value(at(&typed, "best", "dependence_left_shuffled")) - 0.05);
    assert_true(fabs(json_number_value(at(&typed, "best", "valid")) - typed.valid) < 1e-9);
    l2r_result_clear(&erm);
    l2r_result_clear(&l2r);
    l2r_result_clear(&typed);
}

/* Weights of the head that was taken are in the model, where `l2r weights` finds them. */
static void test_weights_are_kept(void **state)
{
    (void)state;
    struct l2r_safetensors *file;
    struct l2r_error error;
    char path[256];
    double sum = 0, square = 0;
    snprintf(path, sizeof path, "%s/typed/best.safetensors", root);
    assert_int_equal(l2r_safetensors_read(&file, path, &error), L2R_OK);
    const struct l2r_tensor *w = l2r_safetensors_find(file, "weights");
    for (int64_t g = 0; g < 60; g++) {
        double one = (double)((const float *)w->data)[g];
        sum += one, square += one * one;
    }
    assert_true(fabs(sum - 60) < 1e-3 && fabs(sum * sum / (60 * square) - 0.6) < 1e-3);
    assert_true(((const float *)w->data)[60] == 1);
    l2r_safetensors_free(file);
}

static void test_no_validation_graphs(void **state)
{
    (void)state;
    static const char *const data[] = {"data", "motif:train=40,valid=0,test=10", NULL};
    struct l2r_result stays = run("blind", "headfit", data);
    expect_words(&stays, "head fit rejected");
    assert_false(json_is_true(at(&stays, "taken", NULL)));
    struct l2r_result typed =
        run("blind-typed", "headfit",
            (const char *const[]){"data", data[1], "weights-control", "ones", "ess", "0.5", NULL});
    assert_true(json_is_true(at(&typed, "taken", NULL)));
    l2r_result_clear(&stays);
    l2r_result_clear(&typed);
}

static void test_pieces(void **state)
{
    (void)state;
    pieces_are_whole("gin", "headfit", (const char *const[]){"ess", "0.6", "ema", "0.9", NULL}, 1);
    pieces_are_whole("gcn", "headfit",
                     (const char *const[]){"head-layers", "1", "pair-weights", "none", "ess", "0.5", NULL}, 2);
}

/* Each method refuses the other's options; what both have keeps its own default. */
static void test_options(void **state)
{
    (void)state;
    static const char *const of_l2r[] = {"form",    "pairs",          "clusters", "window",
                                         "bilevel", "scope",          "holdout",  "decorrelation",
                                         "weights", "reweight-after", "queues",   "queue-momentum"};
    struct l2r_config *headfit = config_for("gin", "headfit", NULL), *l2r = config_for("gin", "l2r", NULL);
    struct l2r_error error;
    for (size_t i = 0; i < sizeof of_l2r / sizeof *of_l2r; i++) {
        assert_true(l2r_config_has(l2r, of_l2r[i]));
        assert_int_equal(l2r_config_set(headfit, of_l2r[i], "1", &error), L2R_ERR_ARGUMENT);
        assert_non_null(strstr(error.message, "unknown option"));
    }
    assert_int_equal(l2r_config_set(l2r, "compare-controls", "true", &error), L2R_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "unknown option"));
    assert_int_equal(l2r_config_set(l2r, "ess", "choose", &error), L2R_ERR_ARGUMENT);
    assert_string_equal(l2r_config_text(headfit, "ess"), "choose");
    assert_string_equal(l2r_config_text(l2r, "ess"), "0.8");
    assert_string_equal(l2r_config_text(headfit, "inner-steps"), "60");
    assert_string_equal(l2r_config_text(l2r, "inner-steps"), "20");
    l2r_config_free(headfit);
    l2r_config_free(l2r);
}

/* The paper's form is a set of defaults: what was typed stays, and the recommended ones come back. */
static void test_forms(void **state)
{
    (void)state;
    static const char *const set[][3] = {{"covariance", "scaled", "weighted"},
                                         {"ess", "auto", "0.8"},
                                         {"weights", "fresh", "persistent"},
                                         {"keep-classes", "false", "true"}};
    struct l2r_config *config = config_for("gin", "l2r", NULL);
    struct l2r_error error;
    assert_int_equal(l2r_config_set(config, "holdout", "0.3", &error), L2R_OK);
    assert_int_equal(l2r_config_set(config, "form", "paper", &error), L2R_OK);
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        assert_string_equal(l2r_config_text(config, set[i][0]), set[i][1]);
    assert_string_equal(l2r_config_text(config, "holdout"), "0.3");
    assert_int_equal(l2r_config_set(config, "form", "recommended", &error), L2R_OK);
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        assert_string_equal(l2r_config_text(config, set[i][0]), set[i][2]);
    l2r_config_free(config);
}

static void test_evidence(void **state)
{
    (void)state;
    enum { N = 200 };
    float labels[N], good[N], bad[N];
    struct l2r_error error;
    struct l2r_evidence e;
    const struct l2r_metric *metric = l2r_metric_find("accuracy");
    for (int i = 0; i < N; i++) {
        labels[i] = (float)(i % 2);
        good[i] = (i % 10 == 0) == (i % 2 == 0) ? 1 : -1; /* nine of ten right */
        bad[i] = i % 5 < 2 ? -good[i] : good[i];
    }
    struct l2r_scores one = {.task = L2R_TASK_BINARY, .n_graphs = N, .n_tasks = 1, .output = good, .labels = labels};
    struct l2r_scores other = one;
    assert_int_equal(l2r_evidence_find(&e, &one, &other, metric, 1, &error), L2R_OK);
    assert_true(e.difference == 0 && e.error == 0 && !l2r_evidence_is_clear(&e));
    other.output = bad;
    assert_int_equal(l2r_evidence_find(&e, &one, &other, metric, 1, &error), L2R_OK);
    double difference = e.difference;
    assert_true(l2r_evidence_is_clear(&e) && e.error > 0.01 && e.error < 0.1);
    assert_int_equal(l2r_evidence_find(&e, &other, &one, metric, 1, &error), L2R_OK);
    assert_true(e.difference == -difference && !l2r_evidence_is_clear(&e));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_choice),
                                       cmocka_unit_test(test_weights_are_kept),
                                       cmocka_unit_test(test_no_validation_graphs),
                                       cmocka_unit_test(test_pieces),
                                       cmocka_unit_test(test_options),
                                       cmocka_unit_test(test_forms),
                                       cmocka_unit_test(test_evidence)};
    return cmocka_run_group_tests(tests, run_set_up, run_tear_down);
}
