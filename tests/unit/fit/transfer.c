/* SPDX-License-Identifier: MIT
 *
 * Runs that start from another run's model: what is taken over, what stays as it is, what is refused in which words,
 * and that pieces of such a run are the whole.
 */
#include "fit/transfer.h"
#include "support/messages.h"
#include "support/training_runs.h"

static char origin[256];

static int begin(void **state)
{
    if (run_set_up(state) != 0) return 1;
    static const char *const set[] = {"hidden", "12", "layers", "2", NULL};
    struct l2r_config *config = config_with("gin", set);
    struct l2r_result result = train(config, "origin", false, NULL);
    folder(origin, "origin");
    l2r_result_clear(&result);
    l2r_config_free(config);
    return 0;
}

/* Which tensors of two best models are equal: all that pass, none that does. */
static int count_equal(const char *run, bool head)
{
    struct l2r_safetensors *x, *y;
    struct l2r_error error;
    char path[512];
    int equal = 0;
    snprintf(path, sizeof path, "%s/best.safetensors", origin);
    assert_int_equal(l2r_safetensors_read(&x, path, &error), L2R_OK);
    snprintf(path, sizeof path, "%s/%s/best.safetensors", root, run);
    assert_int_equal(l2r_safetensors_read(&y, path, &error), L2R_OK);
    const struct l2r_tensor *t;
    for (size_t i = 0; (t = l2r_safetensors_at(x, i)); i++) {
        const struct l2r_tensor *u = l2r_safetensors_find(y, t->name);
        if (!u || (strncmp(t->name, "1.head.", 7) == 0) != head) continue;
        equal += l2r_tensor_bytes(t) == l2r_tensor_bytes(u) && memcmp(t->data, u->data, l2r_tensor_bytes(t)) == 0;
    }
    l2r_safetensors_free(x);
    l2r_safetensors_free(y);
    return equal;
}

static void test_frozen_backbone_stays(void **state)
{
    (void)state;
    const char *const set[] = {"hidden", "12",   "layers",    "2",     "from",         origin, "freeze", "backbone",
                               "reset",  "head", "optimiser", "adamw", "weight-decay", "0.1",  NULL};
    struct l2r_config *config = config_with("gin", set);
    struct l2r_result result = train(config, "frozen", false, NULL);
    assert_true(count_equal("frozen", false) > 20); /* running statistics, too */
    assert_int_equal(count_equal("frozen", true), 0);
    assert_int_equal(count_equal("origin", true), 2);
    l2r_result_clear(&result);
    l2r_config_free(config);
}

/* With a rate next to nothing the first epoch scores what the origin does. */
static void test_all_is_taken_over(void **state)
{
    (void)state;
    const char *const set[] = {"hidden", "12", "layers", "2", "from", origin, "lr", "1e-12", "dropout", "0", NULL};
    struct l2r_config *config = config_with("gin", set);
    struct l2r_result result = train(config, "further", false, NULL), first;
    struct l2r_error error;
    assert_int_equal(train_into(&first, config, origin, true, NULL, &error), L2R_ERR_ARGUMENT); /* another run's */
    assert_true(count_equal("further", true) == 2);
    l2r_result_clear(&result);
    l2r_config_free(config);
}

static void test_pieces_are_whole(void **state)
{
    (void)state;
    const char *const on[] = {"hidden", "12", "layers", "2", "from", origin, NULL};
    const char *const frozen[] = {"hidden", "12", "layers", "2", "from", origin, "freeze", "backbone", NULL};
    pieces_are_whole("gin", "erm", on, 1);
    pieces_are_whole("gin", "erm", frozen, 2);
    pieces_are_whole("gin", "l2r", frozen, 3);
}

/* Nodes that hide (nn/masking.h) are drawn by the step: pieces are whole, and the backbone can be taken over. */
static void test_hidden_nodes(void **state)
{
    (void)state;
    static const char *const hidden[] = {
        "data", "molecules:graphs=90", "mask-atoms", "0.2", "dropout", "0.3", "layers", "2", "seed", "4", "hidden",
        "9",    "head-layers",         "1",          NULL};
    char from[256], path[300];
    struct l2r_safetensors *file;
    struct l2r_error error = {0};
    pieces_are_whole("gin", "erm", hidden, 4);
    pieces_are_whole("dmpnn", "erm", hidden, 5);
    folder(from, "whole-4");
    const char *const taken[] = {"data",   "molecules:graphs=90,seed=8",
                                 "layers", "2",
                                 "hidden", "9",
                                 "from",   from,
                                 "reset",  "head",
                                 "epochs", "1",
                                 NULL};
    struct l2r_config *config = config_with("gin", taken);
    struct l2r_result result = train(config, "taken", false, NULL);
    snprintf(path, sizeof path, "%s/best.safetensors", from);
    assert_int_equal(l2r_safetensors_read(&file, path, &error), L2R_OK);
    assert_non_null(l2r_safetensors_find(file, "1.head.atoms.weight"));
    l2r_safetensors_free(file);
    snprintf(path, sizeof path, "%s/taken/best.safetensors", root);
    assert_int_equal(l2r_safetensors_read(&file, path, &error), L2R_OK);
    assert_null(l2r_safetensors_find(file, "1.head.atoms.weight"));
    l2r_safetensors_free(file);
    l2r_result_clear(&result);
    l2r_config_free(config);
}

static void expect_refusal(const char *model, const char *method, const char *const *set, const char *words)
{
    struct l2r_config *config = config_for(model, method, set);
    struct l2r_error error = {0};
    struct l2r_result result;
    char dir[256];
    folder(dir, "refused");
    assert_int_equal(train_into(&result, config, dir, false, NULL, &error), L2R_ERR_ARGUMENT);
    if (!message_matches(error.message, words)) fail_msg("\"%s\" does not say \"%s\"", error.message, words);
    l2r_config_free(config);
}

static void test_refusals(void **state)
{
    (void)state;
    const char *const wide[] = {"hidden", "16", "layers", "2", "from", origin, NULL};
    const char *const deep[] = {"hidden", "12", "layers", "3", "from", origin, NULL};
    const char *const bare[] = {"hidden", "12", "layers", "2", "from", origin, "batch-norm", "false", NULL};
    const char *const other[] = {"hidden", "12", "layers", "2", "from", origin, NULL};
    const char *const task[] = {
        "data", "spmotif:train=30,valid=10,test=10,features=1", "hidden", "12", "layers", "2", "from", origin, NULL};
    const char *const features[] = {
        "data", "motif:train=30,valid=10,test=10,features=7", "hidden", "12", "layers", "2", "from", origin, NULL};
    static const char *const alone[] = {"freeze", "backbone", NULL}, *const reset[] = {"reset", "head", NULL};
    expect_refusal("gin", "erm", wide, "this run's");
    expect_refusal("gin", "erm", deep, "its model has no norms.2.weight");
    expect_refusal("gin", "erm", bare, "tensors, this run's");
    expect_refusal("gcn", "erm", other, "its backbone is gin, this run's gcn");
    expect_refusal("gin", "erm", task, "`reset=head`");
    expect_refusal("gin", "erm", features, "numbers of a node");
    expect_refusal("gin", "erm", alone, "`freeze` needs `from`");
    expect_refusal("gin", "erm", reset, "`reset` needs `from`");
    const char *const guess[] = {"from", origin, "freeze", "backbone", "mask-atoms", "0.2", NULL};
    static const char *const nothing[] = {"data", "motif:train=30,valid=10,test=10", "mask-atoms", "0.2", NULL};
    expect_refusal("gin", "erm", guess, "`mask-atoms` trains the backbone, which `freeze` leaves as it is");
    expect_refusal("gin", "erm", nothing, "the nodes of this data have none");
    expect_refusal("gin", "jtt", other, "`from` does not go with method jtt");
}

static void test_options_follow(void **state)
{
    (void)state;
    struct l2r_config *config;
    struct l2r_error error;
    char model[64];
    assert_int_equal(l2r_transfer_model(model, origin, &error), L2R_OK);
    assert_string_equal(model, "gin");
    assert_int_equal(l2r_config_new(&config, &error), L2R_OK);
    assert_int_equal(l2r_run_declare(config, model, "erm", &error), L2R_OK);
    assert_int_equal(l2r_config_set(config, "layers", "4", &error), L2R_OK);
    assert_int_equal(l2r_transfer_defaults(config, origin, &error), L2R_OK);
    assert_int_equal(l2r_config_int(config, "hidden"), 12);
    assert_int_equal(l2r_config_int(config, "layers"), 4); /* what was typed wins */
    l2r_config_free(config);
    assert_int_equal(l2r_transfer_model(model, "/nowhere", &error), L2R_ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frozen_backbone_stays), cmocka_unit_test(test_all_is_taken_over),
        cmocka_unit_test(test_pieces_are_whole),      cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_options_follow),        cmocka_unit_test(test_hidden_nodes),
    };
    return cmocka_run_group_tests_name("transfer", tests, begin, run_tear_down);
}
