/* SPDX-License-Identifier: MIT
 *
 * Every registered method: its setting `off` makes it plain training, bit for bit, and without that it is something
 * else; a run that was stopped again and again, on another number of threads, ends with the bits of one that was not;
 * and the spaces that `l2r tune` searches are of options that methods and models have.
 */
#include "support/training_runs.h"

#include "methods/method.h"
#include "nn/model.h"
#include "tune/space.h"

#include <string.h>

/* Options of the plain run and of the method's are the same where both have them. */
static void share_defaults(struct l2r_config *plain, const struct l2r_method *method)
{
    for (const struct l2r_default *d = method->defaults; d && d->option; d++)
        if (l2r_config_has(plain, d->option))
            assert_int_equal(l2r_config_set(plain, d->option, d->value, NULL), L2R_OK);
}

static void run_as(const char *name, const struct l2r_method *method, const char *setting)
{
    struct l2r_config *config = config_for("gin", setting ? method->name : "erm", NULL);
    struct l2r_error error;
    if (!setting) share_defaults(config, method);
    if (setting && *setting) {
        char option[64];
        const char *equals = strchr(setting, '=');
        assert_non_null(equals);
        snprintf(option, sizeof option, "%.*s", (int)(equals - setting), setting);
        if (l2r_config_set(config, option, equals + 1, &error) != L2R_OK) fail_msg("%s: %s", name, error.message);
    }
    struct l2r_result result = train(config, name, false, NULL);
    l2r_result_clear(&result);
    l2r_config_free(config);
}

static bool same_head(const char *a, const char *b)
{
    struct l2r_safetensors *x, *y;
    char path[512];
    snprintf(path, sizeof path, "%s/%s/best.safetensors", root, a);
    assert_int_equal(l2r_safetensors_read(&x, path, NULL), L2R_OK);
    snprintf(path, sizeof path, "%s/%s/best.safetensors", root, b);
    assert_int_equal(l2r_safetensors_read(&y, path, NULL), L2R_OK);
    const struct l2r_tensor *t = l2r_safetensors_find(x, "1.head.weight"),
                            *u = l2r_safetensors_find(y, "1.head.weight");
    bool same = memcmp(t->data, u->data, l2r_tensor_bytes(t)) == 0;
    l2r_safetensors_free(x);
    l2r_safetensors_free(y);
    return same;
}

static void test_off_is_plain_training(void **state)
{
    (void)state;
    for (size_t i = 0; l2r_methods[i]; i++) {
        const struct l2r_method *method = l2r_methods[i];
        char plain[64], off[64];
        snprintf(plain, sizeof plain, "plain-%s", method->name);
        snprintf(off, sizeof off, "off-%s", method->name);
        if (strcmp(method->name, "erm") == 0) continue;
        if (!method->off) fail_msg("%s does not say what makes it plain training", method->name);
        run_as(plain, method, NULL);
        run_as(off, method, method->off);
        run_as(method->name, method, "");
        same_tensors(plain, off, "best.safetensors");
        if (same_head(plain, method->name)) fail_msg("%s leaves the model that plain training does", method->name);
    }
}

static void test_pieces_are_whole(void **state)
{
    (void)state;
    for (int i = 0; l2r_methods[i]; i++) pieces_are_whole("gin", l2r_methods[i]->name, NULL, i);
}

static void parses(const char *model, const char *method, const char *text)
{
    struct l2r_config *config = config_for(model, method, NULL);
    struct l2r_space space = {0};
    struct l2r_error error;
    if (l2r_space_parse(&space, text, (const struct l2r_config *const[]){config}, 1, &error) != L2R_OK)
        fail_msg("%s %s: %s", model, method, error.message);
    l2r_space_clear(&space);
    l2r_config_free(config);
}

static void test_spaces(void **state)
{
    (void)state;
    for (size_t i = 0; l2r_methods[i]; i++)
        if (l2r_methods[i]->space) parses("gin", l2r_methods[i]->name, l2r_methods[i]->space);
    for (size_t i = 0; l2r_models[i]; i++)
        parses(l2r_models[i]->name, "erm", l2r_models[i]->space ? l2r_models[i]->space : L2R_COMMON_SPACE);
}

/* The model's, then the methods', each option once, without what was set by hand. */
static void test_default_space(void **state)
{
    (void)state;
    char text[L2R_SPACE_DEFAULT];
    struct l2r_config *l2r = config_for("jknet", "l2r", NULL), *oodgnn = config_for("jknet", "oodgnn", NULL);
    struct l2r_config *typed = config_for("jknet", "l2r", NULL);
    assert_int_equal(l2r_config_set(typed, "bilevel", "none", NULL), L2R_OK);
    l2r_space_default(text, typed, (const struct l2r_config *const[]){l2r, oodgnn}, 2);
    assert_string_equal(text, "lr=1e-4..1e-2:log,dropout=0..0.5,jk=concat|max|last,ess=0.5..0.95,clusters=2|4|8");
    l2r_config_free(l2r);
    l2r_config_free(oodgnn);
    l2r_config_free(typed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_off_is_plain_training),
                                       cmocka_unit_test(test_pieces_are_whole), cmocka_unit_test(test_spaces),
                                       cmocka_unit_test(test_default_space)};
    return cmocka_run_group_tests(tests, run_set_up, run_tear_down);
}
