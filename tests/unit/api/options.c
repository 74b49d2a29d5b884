/* SPDX-License-Identifier: MIT
 * l2r/options.h: configs for a run, for data and for an explanation; get, set and JSON; every option described; every
 * registry with names and help; sentences without "--". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/calls.h"
#include <l2r/options.h>
#include <string.h>

static void values(void **state)
{
    (void)state;
    struct l2r_config *config, *copy;
    const char *value;
    assert_int_equal(l2r_config_for_run(&config, NULL, NULL, &error), L2R_OK);
    assert_int_equal(l2r_config_get(&value, config, "model", &error), L2R_OK);
    assert_string_equal(value, "gin");
    assert_int_equal(l2r_config_get(&value, config, "members", &error), L2R_OK);
    assert_string_equal(value, "auto"); /* who names no model gets a committee on a table */
    refused(l2r_config_set(config, "batch-size", "-3", &error), "`batch-size`: -3 is outside 1..1000000");
    refused(l2r_config_set(config, "epoch", "1", &error), "unknown option `epoch`; did you mean `epochs`?");
    refused(l2r_config_get(&value, config, "epoch", &error), "did you mean `epochs`?");
    refused(l2r_config_set(config, "model", "gcn", &error), "model stays \"gin\"");
    assert_int_equal(l2r_config_set(config, "model", "gin", &error), L2R_OK);
    assert_int_equal(l2r_config_copy(&copy, config, &error), L2R_OK);
    refused(l2r_config_set(copy, "method", "l2r", &error), "method stays \"erm\"");
    assert_int_equal(l2r_config_set(copy, "epochs", "7", &error), L2R_OK);
    assert_int_equal(l2r_config_get(&value, config, "epochs", &error), L2R_OK);
    assert_string_equal(value, "100"); /* the copy's own */
    l2r_config_free(copy);
    l2r_config_free(config);
    refused(l2r_config_for_run(&config, "gun", NULL, &error), "there is no model \"gun\"");
    assert_null(config);
    refused(l2r_config_for_run(NULL, NULL, NULL, &error), "config is NULL");
    refused(l2r_config_for_data(NULL, &error), "config is NULL");
    refused(l2r_config_for_explanation(NULL, &error), "config is NULL");
    refused(l2r_config_copy(&copy, NULL, &error), "config is NULL");
    l2r_config_free(NULL);
}

/* All or nothing: one bad value leaves the others as they were. */
static void json(void **state)
{
    (void)state;
    struct l2r_config *config, *again;
    const char *value;
    char *text = NULL, *same = NULL;
    assert_int_equal(l2r_config_for_run(&config, "gcn", "l2r", &error), L2R_OK);
    assert_int_equal(l2r_config_for_run(&again, "gcn", "l2r", &error), L2R_OK);
    assert_int_equal(l2r_config_set_json(config, "{\"epochs\": 3, \"lr\": 0.25, \"eval-train\": true}", &error),
                     L2R_OK);
    refused(l2r_config_set_json(config, "{\"epochs\": 4, \"lr\": -1}", &error), "json: `lr`: -1");
    assert_int_equal(l2r_config_get(&value, config, "epochs", &error), L2R_OK);
    assert_string_equal(value, "3");
    assert_int_equal(l2r_config_set_json(config, "{\"epochs\": 4", &error), L2R_ERR_FORMAT);
    assert_int_equal(l2r_config_json(&text, config, &error), L2R_OK);
    assert_int_equal(l2r_config_set_json(again, text, &error), L2R_OK);
    assert_int_equal(l2r_config_json(&same, again, &error), L2R_OK);
    assert_string_equal(text, same);
    l2r_free(text);
    refused(l2r_config_json(NULL, config, &error), "json is NULL");
    refused(l2r_config_json(&text, NULL, &error), "config is NULL");
    refused(l2r_config_set_json(config, NULL, &error), "json is NULL");
    assert_null(text);
    l2r_free(same);
    l2r_config_free(config);
    l2r_config_free(again);
}

static void described(void **state)
{
    (void)state;
    struct l2r_config *configs[3];
    assert_int_equal(l2r_config_for_run(&configs[0], "gin", "l2r", &error), L2R_OK);
    assert_int_equal(l2r_config_for_data(&configs[1], &error), L2R_OK);
    assert_int_equal(l2r_config_for_explanation(&configs[2], &error), L2R_OK);
    static const char *const known[] = {"epochs", "split-column", "restarts"};
    for (int c = 0; c < 3; c++) {
        bool found = false;
        for (size_t i = 0; i < l2r_config_n_options(configs[c]); i++) {
            struct l2r_option_info info = L2R_OPTION_INFO_INIT;
            assert_int_equal(l2r_config_describe(&info, configs[c], i, &error), L2R_OK);
            assert_true(info.name && info.help && info.size == sizeof info);
            assert_true(info.kind != L2R_OPTION_CHOICE || info.choices);
            if (info.value && info.fallback) assert_true(info.is_set || strcmp(info.value, info.fallback) == 0);
            found = found || strcmp(info.name, known[c]) == 0;
        }
        assert_true(found);
        struct l2r_option_info info = L2R_OPTION_INFO_INIT;
        refused(l2r_config_describe(&info, configs[c], l2r_config_n_options(configs[c]), &error), "the config has");
        refused(l2r_config_describe(&(struct l2r_option_info){0}, configs[c], 0, &error), "info.size = 0");
        l2r_config_free(configs[c]);
    }
    assert_int_equal(l2r_config_n_options(NULL), 0);
}

static void registries(void **state)
{
    (void)state;
    for (int kind = L2R_MODELS; kind <= L2R_SPLIT_RULES; kind++) {
        enum l2r_registry registry = (enum l2r_registry)kind;
        size_t n = l2r_registry_n_entries(registry);
        assert_true(n > 0);
        for (size_t i = 0; i < n; i++) assert_true(l2r_registry_name(registry, i) && l2r_registry_help(registry, i));
        assert_null(l2r_registry_name(registry, n));
        assert_null(l2r_registry_help(registry, n));
    }
    assert_int_equal(l2r_registry_n_entries((enum l2r_registry)77), 0);
    assert_null(l2r_registry_name((enum l2r_registry)77, 0));
    assert_string_equal(l2r_status_name(L2R_OK), "ok");
    assert_string_equal(l2r_status_name(L2R_ERR_NETWORK), "network");
    assert_string_equal(l2r_status_name((enum l2r_status)77), "unknown");
    l2r_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(json), cmocka_unit_test(described),
                                       cmocka_unit_test(registries)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
