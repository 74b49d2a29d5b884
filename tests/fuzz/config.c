/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a config.json: refused with a sentence, or options that come back the same when they are written and
 * read again.
 */
#include "base/config.h"
#include "base/json.h"
#include "refusal.h"
#include "store/run.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct l2r_config *fresh(void)
{
    static struct l2r_config *declared;
    struct l2r_config *config;
    if (!declared &&
        (l2r_config_new(&declared, NULL) != L2R_OK || l2r_run_declare(declared, "pna", "l2r", NULL) != L2R_OK))
        abort();
    if (l2r_config_copy(&config, declared, NULL) != L2R_OK) abort();
    return config;
}

static void read_again(const struct l2r_config *config)
{
    struct l2r_config *copy = fresh();
    json_t *written = l2r_config_to_json(config), *again;
    if (l2r_config_from_json(copy, written, "input", NULL) != L2R_OK) abort();
    again = l2r_config_to_json(copy);
    if (!written || !json_equal(written, again)) abort();
    json_decref(written);
    json_decref(again);
    l2r_config_free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct l2r_error error = {0};
    struct l2r_config *config = fresh();
    json_t *root;
    if (l2r_json_parse(&root, (const char *)data, size, "input", &error) != L2R_OK ||
        l2r_config_from_json(config, root, "input", &error) != L2R_OK)
        expect_refusal(&error);
    else
        read_again(config);
    json_decref(root);
    l2r_config_free(config);
    return 0;
}
