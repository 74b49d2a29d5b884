/* SPDX-License-Identifier: MIT
 *
 * PNA's delta: it comes from the training graphs alone, is saved and loaded, is asked for only where it is used, and a
 * training set without edges has one. Also which parameters its options leave.
 */
#include "fit/trainer.h"
#include "support/messages.h"
#include "support/model_trial.h"

#include <stdlib.h>

static const struct l2r_model_type *pna(void)
{
    const struct l2r_model_type *type = l2r_model_find("pna");
    assert_non_null(type);
    return type;
}

/* A path of 3 nodes, a triangle, and a node alone. */
static struct l2r_dataset *three_graphs(void)
{
    struct l2r_rng rng = l2r_rng_at(31, L2R_RANDOM_TEST, 0);
    struct test_graph graphs[3];
    static const int32_t path[] = {0, 1, 1, 2}, triangle[] = {0, 1, 1, 2, 2, 0};
    graphs[0] = draw_graph(BARE, 3, 0, &rng), graphs[1] = draw_graph(BARE, 3, 0, &rng);
    graphs[2] = draw_graph(BARE, 1, 0, &rng);
    memcpy(graphs[0].edges, path, sizeof path), graphs[0].n_edges = 2;
    memcpy(graphs[1].edges, triangle, sizeof triangle), graphs[1].n_edges = 3;
    return data_set_of(graphs, 3, BARE);
}

static double delta_of(const struct l2r_dataset *data, const int32_t *train, int64_t n)
{
    struct l2r_arena arena;
    struct l2r_signature signature;
    l2r_arena_init(&arena);
    assert_int_equal(l2r_signature_make(&signature, &arena, data, train, n, NULL), L2R_OK);
    l2r_arena_clear(&arena);
    return signature.mean_log_degree;
}

static void test_delta_is_of_the_training_graphs(void **state)
{
    (void)state;
    struct l2r_dataset *data = three_graphs();
    const int32_t first[] = {0}, second[] = {1}, third[] = {2}, all[] = {2, 0, 1};
    double path = 2 * log(2) + log(3), triangle = 3 * log(3);
    assert_true(fabs(delta_of(data, first, 1) - path / 3) < 1e-15);
    assert_true(fabs(delta_of(data, second, 1) - triangle / 3) < 1e-15);
    assert_true(delta_of(data, third, 1) == 0);
    assert_true(fabs(delta_of(data, all, 3) - (path + triangle) / 7) < 1e-15);
    assert_true(delta_of(data, all, 0) == 0);
    l2r_dataset_free(data);
}

/* What the trainer gives to the network are the graphs of the split's training part, here the path. */
static void test_trainer_uses_the_training_part(void **state)
{
    (void)state;
    struct l2r_dataset *data = three_graphs();
    int32_t graphs[] = {0, 2, 1};
    struct l2r_split split = {.rule = "file", .n_graphs = 3, .graphs = graphs, .start = {0, 1, 2, 3}};
    const struct variant plain = {"plain", {{0}}};
    struct l2r_config *config = config_of(pna(), &plain, "4", "0");
    struct l2r_trainer trainer;
    struct l2r_error error;
    must(l2r_trainer_init(&trainer, config, data, &split, &error), &error);
    assert_true(fabs(trainer.network.signature.mean_log_degree - (2 * log(2) + log(3)) / 3) < 1e-15);
    l2r_trainer_clear(&trainer);
    l2r_config_free(config);
    l2r_dataset_free(data);
}

static enum l2r_status read_back(struct l2r_signature *out, struct l2r_arena *arena, const struct l2r_signature *s,
                                 json_t *delta, struct l2r_error *error)
{
    json_t *object = l2r_signature_to_json(s);
    if (delta) json_object_set_new(object, "mean_log_degree", delta);
    char *text = json_dumps(object, 0);
    json_t *parsed = json_loads(text, 0, NULL);
    if (delta && json_is_null(json_object_get(parsed, "mean_log_degree"))) json_object_del(parsed, "mean_log_degree");
    enum l2r_status status = l2r_signature_from_json(out, arena, parsed, "old.safetensors", error);
    json_decref(object);
    json_decref(parsed);
    free(text);
    return status;
}

static void test_delta_is_saved(void **state)
{
    (void)state;
    struct l2r_dataset *data = three_graphs();
    const struct variant plain = {"plain", {{0}}};
    struct trial t = trial_open(pna(), &plain, data, "4", "0");
    struct l2r_signature back;
    struct l2r_error error;
    must(read_back(&back, &t.arena, &t.network.signature, NULL, &error), &error);
    assert_true(back.mean_log_degree == t.network.signature.mean_log_degree && back.mean_log_degree > 0);
    must(read_back(&back, &t.arena, &t.network.signature, json_null(), &error), &error);
    assert_true(back.mean_log_degree < 0); /* a file from before PNA */
    assert_int_equal(read_back(&back, &t.arena, &t.network.signature, json_string("x"), &error), L2R_ERR_FORMAT);
    expect_message(error.message, "old.safetensors: the field \"mean_log_degree\" of the data signature is missing "
                                  "or out of range");
    assert_int_equal(read_back(&back, &t.arena, &t.network.signature, json_real(-0.5), &error), L2R_ERR_FORMAT);
    trial_close(&t);
    l2r_dataset_free(data);
}

static enum l2r_status build_from_old_file(const struct l2r_model_type *type, const struct variant *variant,
                                           const struct l2r_dataset *data, struct l2r_error *error)
{
    struct trial t = trial_open(type, variant, data, "4", "0");
    struct l2r_signature old = t.network.signature;
    struct l2r_network network;
    old.mean_log_degree = -1;
    enum l2r_status status = l2r_network_init(&network, type, t.config, &old, 1, error);
    l2r_network_clear(&network);
    trial_close(&t);
    return status;
}

static void test_old_files(void **state)
{
    (void)state;
    struct l2r_dataset *data = three_graphs();
    const struct variant plain = {"plain", {{0}}}, identity = {"identity", {{"scalers", "identity"}}};
    struct l2r_error error = {0};
    assert_int_equal(build_from_old_file(pna(), &plain, data, &error), L2R_ERR_FORMAT);
    expect_message(error.message, "the model's file does not hold the mean log degree of its training graphs, which "
                                  "`scalers=identity,amplification,attenuation` needs; train it again");
    assert_int_equal(build_from_old_file(pna(), &identity, data, &error), L2R_OK);
    assert_int_equal(build_from_old_file(l2r_model_find("gcn"), &plain, data, &error), L2R_OK);
    l2r_dataset_free(data);
}

static void test_no_edges_in_training(void **state)
{
    (void)state;
    struct l2r_dataset *data = three_graphs();
    const struct variant plain = {"plain", {{0}}};
    struct trial t = trial_open(pna(), &plain, data, "4", "0");
    struct l2r_signature lonely = t.network.signature;
    struct l2r_error error;
    struct l2r_network network;
    lonely.mean_log_degree = 0;
    must(l2r_network_init(&network, pna(), t.config, &lonely, 1, &error), &error);
    struct l2r_network kept = t.network;
    t.network = network;
    assert_true(isfinite(trial_loss(&t, data, t.graphs, 3, NULL, 0, true)));
    l2r_network_clear(&t.network);
    t.network = kept;
    trial_close(&t);
    l2r_dataset_free(data);
}

static const struct l2r_param *find(const struct trial *t, const char *name)
{
    for (size_t i = 0; i < t->network.params.count; i++)
        if (strcmp(t->network.params.items[i]->name, name) == 0) return t->network.params.items[i];
    return NULL;
}

static void test_options_leave_what_is_used(void **state)
{
    (void)state;
    struct l2r_dataset *data = three_graphs();
    const struct variant plain = {"plain", {{0}}},
                         two = {"two", {{"aggregators", "std,max"}, {"scalers", "attenuation"}}},
                         std = {"std", {{"aggregators", "std"}, {"residual", "false"}}};
    struct trial t = trial_open(pna(), &plain, data, "4", "0");
    assert_true(l2r_config_flag(t.config, "residual")); /* on by default here */
    assert_int_equal(find(&t, "layers.2.neighbours.weight")->cols, 4 * 12);
    assert_non_null(find(&t, "layers.0.target.bias"));
    trial_close(&t);
    t = trial_open(pna(), &two, data, "4", "0");
    assert_int_equal(find(&t, "layers.2.neighbours.weight")->cols, 4 * 2);
    trial_close(&t);
    t = trial_open(pna(), &std, data, "4", "0"); /* the target's part of a message does not change its spread */
    assert_int_equal(find(&t, "layers.2.neighbours.weight")->cols, 4 * 3);
    assert_null(find(&t, "layers.0.target.bias"));
    assert_false(l2r_config_flag(t.config, "residual"));
    trial_close(&t);
    l2r_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_delta_is_of_the_training_graphs),
        cmocka_unit_test(test_trainer_uses_the_training_part),
        cmocka_unit_test(test_delta_is_saved),
        cmocka_unit_test(test_old_files),
        cmocka_unit_test(test_no_edges_in_training),
        cmocka_unit_test(test_options_leave_what_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
