/* SPDX-License-Identifier: MIT
 * The file of a trained model: members, calibration, applicability domain and weights come back as they were written;
 * what cannot be is refused with a reason. */
#include "model/trained.h"
#include "base/memory.h"
#include "io/safetensors.h"
#include "model/model_file.h"
#include "support/data_sets.h"
#include "support/model_trial.h"

#include <math.h>
#include <string.h>

#include <cmocka.h>

enum { GRAPHS = 3, WIDTH = 6 };

static struct l2r_error error;
static char path[160];
static struct l2r_dataset *data;
static struct trial one, two;
static struct l2r_config *config;

static int set_up(void **state)
{
    (void)state;
    struct l2r_rng rng = l2r_rng_at(5, L2R_RANDOM_TEST, 0);
    struct test_graph graphs[GRAPHS] = {draw_graph(BARE, 2, 0, &rng), draw_graph(BARE, 1, 0, &rng),
                                        draw_graph(BARE, 7, 12, &rng)};
    data = data_set_of(graphs, GRAPHS, BARE);
    one = trial_open(l2r_model_find("gin"), &variants[0], data, "6", "0.5");
    two = trial_open(l2r_model_find("gcn"), &variants[0], data, "6", "0.5");
    config = one.config;
    snprintf(path, sizeof path, "%s/model.safetensors", fresh_folder());
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    trial_close(&one);
    trial_close(&two);
    l2r_dataset_free(data);
    path[strlen(path) - strlen("/model.safetensors")] = '\0';
    l2r_remove_tree(path);
    return 0;
}

static struct l2r_trained *make(void)
{
    static const float z[5 * WIDTH] = {1, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 1, 0, 3};
    float distance[] = {1, 3, 2};
    struct l2r_trained *t;
    must(l2r_trained_new(&t, config, &error), &error);
    must(l2r_trained_add(t, &one.network, one.config, &error), &error);
    must(l2r_trained_add(t, &two.network, two.config, &error), &error);
    must(l2r_domain_keep(&t->domain, z, 5, WIDTH, &error), &error);
    must(l2r_domain_measure(&t->domain, &error), &error);
    must(l2r_domain_calibrate(&t->domain, distance, 3, &error), &error);
    t->domain.n_train = 50;
    t->weights = l2r_alloc(GRAPHS, sizeof *t->weights);
    t->n_weights = GRAPHS;
    for (int g = 0; g < GRAPHS; g++) t->weights[g] = (float)g + 0.5F;
    t->epoch = 7;
    t->valid = 0.25;
    snprintf(t->data, sizeof t->data, "%016x", 77);
    return t;
}

static struct l2r_trained *read_back(void)
{
    struct l2r_safetensors *file;
    struct l2r_trained *t;
    must(l2r_model_file_open(&file, path, l2r_format_model, &error), &error);
    must(l2r_trained_read(&t, file, path, &error), &error);
    l2r_safetensors_free(file);
    return t;
}

static void expect_same(const struct l2r_trained *a, const struct l2r_trained *b)
{
    float here[GRAPHS * 2 * WIDTH], there[GRAPHS * 2 * WIDTH];
    struct l2r_tape tape;
    l2r_tape_init(&tape);
    const struct l2r_committee of_a = l2r_trained_committee(a), of_b = l2r_trained_committee(b);
    const struct l2r_committee_rows to = {.output = here}, back = {.output = there};
    size_t bytes = sizeof(float) * GRAPHS * (size_t)l2r_committee_outputs(&of_a);
    must(l2r_committee_score(&to, &of_a, &tape, data, one.graphs, GRAPHS, 2, &error), &error);
    must(l2r_committee_score(&back, &of_b, &tape, data, one.graphs, GRAPHS, 2, &error), &error);
    assert_memory_equal(here, there, bytes);
    l2r_tape_clear(&tape);
    assert_int_equal(b->n, 2);
    assert_string_equal(b->networks[1]->type->name, "gcn");
    assert_true(b->domain.n_rows == 5 && b->domain.n_checked == 3 && b->domain.n_train == 50 &&
                b->domain.scale == a->domain.scale);
    assert_true(l2r_domain_applicability(&a->domain, 2) == l2r_domain_applicability(&b->domain, 2));
    assert_int_equal(b->n_weights, GRAPHS);
    assert_memory_equal(a->weights, b->weights, GRAPHS * sizeof *a->weights);
    assert_true(b->epoch == 7 && b->valid == 0.25);
    assert_string_equal(a->data, b->data);
}

/* The checksum of a model in memory is that of its file. */
static void expect_checksum(const char *checksum)
{
    struct l2r_safetensors *file;
    must(l2r_model_file_open(&file, path, l2r_format_model, &error), &error);
    assert_string_equal(l2r_safetensors_metadata(file, "xxh3"), checksum);
    l2r_safetensors_free(file);
}

static void test_round_trip(void **state)
{
    (void)state;
    struct l2r_trained *t = make(), *copy;
    char checksum[L2R_CHECKSUM_TEXT];
    must(l2r_trained_write(t, path, &error), &error);
    must(l2r_trained_checksum(checksum, t, &error), &error);
    expect_checksum(checksum);
    struct l2r_trained *back = read_back();
    must(l2r_trained_copy(&copy, back, &error), &error);
    expect_same(t, back);
    expect_same(t, copy);
    l2r_trained_free(copy);
    l2r_trained_free(back);
    l2r_trained_free(t);
}

static void expect_refused(const char *why)
{
    struct l2r_safetensors *file;
    struct l2r_trained *t;
    must(l2r_model_file_open(&file, path, l2r_format_model, &error), &error);
    assert_int_equal(l2r_trained_read(&t, file, path, &error), L2R_ERR_FORMAT);
    if (!strstr(error.message, why)) fail_msg("\"%s\" does not say \"%s\"", error.message, why);
    assert_null(t);
    l2r_safetensors_free(file);
}

static void test_numbers_that_cannot_be(void **state)
{
    (void)state;
    struct l2r_trained *t = make();
    double scale = t->domain.scale;
    t->domain.scale = 0;
    must(l2r_trained_write(t, path, &error), &error);
    expect_refused("cannot be counts or distances");
    t->domain.scale = scale;
    t->domain.n_train = -1;
    must(l2r_trained_write(t, path, &error), &error);
    expect_refused("cannot be counts or distances");
    t->domain.n_train = 50;
    t->domain.checked[0] = NAN;
    must(l2r_trained_write(t, path, &error), &error);
    expect_refused("cannot be counts or distances");
    t->domain.checked[0] = 1;
    t->weights[1] = -1;
    must(l2r_trained_write(t, path, &error), &error);
    expect_refused("weights are not negative");
    l2r_trained_free(t);
}

/* A member that was trained on other columns would read beyond the data. */
static void test_members_must_agree(void **state)
{
    (void)state;
    struct l2r_rng rng = l2r_rng_at(6, L2R_RANDOM_TEST, 0);
    struct test_graph graph = draw_graph(MOLECULES, 4, 4, &rng);
    struct l2r_dataset *other = data_set_of(&graph, 1, MOLECULES);
    struct trial other_trial = trial_open(l2r_model_find("gin"), &variants[0], other, "6", "0.5");
    struct l2r_trained *t = make();
    must(l2r_trained_add(t, &other_trial.network, other_trial.config, &error), &error);
    must(l2r_trained_write(t, path, &error), &error);
    expect_refused("member 3");
    l2r_trained_free(t);
    trial_close(&other_trial);
    l2r_dataset_free(other);
}

static void test_other_files(void **state)
{
    (void)state;
    static const char *const formats[][2] = {
        {"l2r-2", "earlier version"}, {"l2r-checkpoint-3", "checkpoint"}, {"pt", "not an l2r model"}};
    struct l2r_safetensors *file;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const struct l2r_metadatum only = {"format", formats[i][0]};
        must(l2r_safetensors_write(path, NULL, 0, &only, 1, &error), &error);
        assert_int_equal(l2r_model_file_open(&file, path, l2r_format_model, &error), L2R_ERR_FORMAT);
        assert_non_null(strstr(error.message, formats[i][1]));
        assert_null(file);
    }
    const struct l2r_metadatum none[] = {{"format", "l2r-3"}, {"config", "{\"model\": \"gin\", \"method\": \"erm\"}"}};
    must(l2r_safetensors_write(path, NULL, 0, none, 2, &error), &error);
    expect_refused("names no members");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_numbers_that_cannot_be),
        cmocka_unit_test(test_members_must_agree),
        cmocka_unit_test(test_other_files),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
