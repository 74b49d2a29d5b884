/* SPDX-License-Identifier: MIT
 * A recipe in memory: every member is checked before the first epoch of any; a model has the same bits whether or not a
 * store watches; a refit gives two models; each fit is saved and recorded under its own name. */
#include "recipe/recipe.h"
#include "data/reader.h"
#include "data/splits/split.h"
#include "support/training_runs.h"

static struct l2r_dataset *data;
static struct l2r_split split;

/* What a store and a caller are told. */
struct witness {
    int saves, lines, refit_lines, epochs;
    char fits[256]; /* names of the fits, as they were saved for the first time */
};

static enum l2r_status on_save(void *context, struct l2r_fit *fit, struct l2r_error *error)
{
    struct witness *w = context;
    size_t used = strlen(w->fits);
    (void)error;
    __atomic_fetch_add(&w->saves, 1, __ATOMIC_RELAXED);
    if (!strstr(w->fits, fit->name)) snprintf(w->fits + used, sizeof w->fits - used, "%s ", fit->name);
    return L2R_OK;
}

static enum l2r_status on_record(void *context, const char *fit, const json_t *line, struct l2r_error *error)
{
    struct witness *w = context;
    (void)error;
    assert_true(json_is_object(line));
    w->lines++;
    w->refit_lines += strstr(fit, "-refit") != NULL;
    return L2R_OK;
}

static void on_epoch(void *context, const struct l2r_progress *progress)
{
    (void)progress;
    ((struct witness *)context)->epochs++;
}

static int set_up(void **state)
{
    struct l2r_error error;
    struct l2r_config *config = NULL;
    l2r_threads_set(1); /* members one after the other: the witness needs no lock */
    if (run_set_up(state) != 0) return -1;
    config = config_for("gin", "erm", NULL);
    bool made = l2r_dataset_load_with(&data, l2r_config_text(config, "data"), config, false, &error) == L2R_OK &&
                l2r_split_make(&split, data, config, &error) == L2R_OK;
    l2r_config_free(config);
    return made ? 0 : -1;
}

static int tear_down(void **state)
{
    l2r_split_clear(&split);
    l2r_dataset_free(data);
    l2r_threads_set(0);
    return run_tear_down(state);
}

/* Builds and trains; the recipe is to be cleared. */
static enum l2r_status train_recipe(struct l2r_recipe *recipe, const struct l2r_config *config, struct witness *w,
                                    bool store, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    static struct l2r_callbacks callbacks;
    callbacks = (struct l2r_callbacks){.context = w, .epoch = on_epoch};
    const struct l2r_recipe_store hooks = {.context = w, .save = on_save, .record = on_record};
    L2R_TRY(l2r_recipe_check(config, error));
    L2R_TRY(l2r_recipe_build(recipe, config, data, &split, NULL, &callbacks, error));
    L2R_TRY(l2r_recipe_train(recipe, store ? &hooks : NULL, error));
done:
    return status;
}

static void same_models(const struct l2r_trained *a, const struct l2r_trained *b)
{
    char sum[2][L2R_CHECKSUM_TEXT];
    struct l2r_error error;
    assert_int_equal(a->n, b->n);
    assert_int_equal(l2r_trained_checksum(sum[0], a, &error), L2R_OK);
    assert_int_equal(l2r_trained_checksum(sum[1], b, &error), L2R_OK);
    assert_string_equal(sum[0], sum[1]); /* of all tensors: members, domain, weights */
}

static void refused_before_training(const char *members, const char *words)
{
    struct l2r_config *config = config_for("gin", "erm", (const char *const[]){"members", members, NULL});
    struct l2r_recipe recipe = {0};
    struct witness w = {0};
    struct l2r_error error = {0};
    assert_int_not_equal(train_recipe(&recipe, config, &w, true, &error), L2R_OK);
    if (!strstr(error.message, words)) fail_msg("%s: %s", members, error.message);
    assert_true(w.epochs == 0 && w.saves == 0 && w.lines == 0);
    l2r_recipe_clear(&recipe);
    l2r_config_free(config);
}

static void test_bad_members(void **state)
{
    (void)state;
    refused_before_training("gin,nosuch", "nosuch");
    refused_before_training("gin,mlp:hiden=8", "hiden");
    refused_before_training("gin,gcn:layers=0", "layers");
    refused_before_training("gin,forest", "features"); /* trees read numbers that nobody chose */
    refused_before_training("gcn,gin", "first member");
    refused_before_training("0", "members");
}

static void test_store_changes_nothing(void **state)
{
    (void)state;
    static const char *const methods[] = {"erm", "l2r"};
    for (int k = 0; k < 2; k++) {
        struct l2r_config *config =
            config_for("gin", methods[k], (const char *const[]){"members", k ? "1" : "2", "epochs", "3", NULL});
        struct l2r_recipe alone = {0}, watched = {0};
        struct witness quiet = {0}, w = {0};
        struct l2r_error error = {0};
        if (train_recipe(&alone, config, &quiet, false, &error) != L2R_OK) fail_msg("%s", error.message);
        if (train_recipe(&watched, config, &w, true, &error) != L2R_OK) fail_msg("%s", error.message);
        same_models(alone.model, watched.model);
        assert_memory_equal(&alone.result.test, &watched.result.test, sizeof alone.result.test);
        assert_true(quiet.saves == 0 && quiet.lines == 0 && quiet.epochs == w.epochs);
        assert_int_equal(w.epochs, k ? 3 : 6);
        assert_int_equal(w.lines, w.epochs);
        assert_string_equal(w.fits, k ? "1-gin " : "1-gin 2-gin ");
        l2r_recipe_clear(&alone);
        l2r_recipe_clear(&watched);
        l2r_config_free(config);
    }
}

static void test_refit(void **state)
{
    (void)state;
    struct l2r_config *config = config_for("gin", "erm", (const char *const[]){"refit", "true", "epochs", "3", NULL});
    struct l2r_recipe recipe = {0};
    struct witness w = {0};
    struct l2r_error error = {0};
    if (train_recipe(&recipe, config, &w, true, &error) != L2R_OK) fail_msg("%s", error.message);
    assert_non_null(recipe.chosen);
    assert_true(l2r_trained_is_refitted(recipe.model) && !l2r_trained_is_refitted(recipe.chosen));
    assert_int_equal(w.refit_lines, recipe.members[0].best_epoch);
    assert_int_equal(w.lines, 3 + recipe.members[0].best_epoch);
    assert_string_equal(w.fits, "1-gin 1-gin-refit ");
    /* Validation graphs train in the refit, and the scores of validation are from before it. */
    assert_int_equal(l2r_split_size(&recipe.joined, L2R_PART_TRAIN), 90);
    assert_true(recipe.result.valid == recipe.chosen->valid);
    l2r_recipe_clear(&recipe);
    l2r_config_free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_members),
        cmocka_unit_test(test_store_changes_nothing),
        cmocka_unit_test(test_refit),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
