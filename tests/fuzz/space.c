/* SPDX-License-Identifier: MIT
 * Any text as the search space of `l2r tune --space` (tune/space.h): refused with a sentence, or options and values. */
#include "tune/space.h"
#include "refusal.h"
#include "store/run.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct l2r_config *config(void)
{
    static struct l2r_config *made;
    if (!made && (l2r_config_new(&made, NULL) != L2R_OK || l2r_run_declare(made, "gin", "l2r", NULL) != L2R_OK))
        abort();
    return made;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct l2r_space space = {0};
    struct l2r_error error = {0};
    const struct l2r_config *const configs[] = {config()};
    char *text = malloc(size + 1);
    if (!text) abort();
    memcpy(text, data, size);
    text[size] = '\0';
    if (l2r_space_parse(&space, text, configs, 1, &error) != L2R_OK) expect_refusal(&error);
    for (size_t i = 0; i < space.n; i++)
        if (l2r_space_find(&space, space.dimensions[i].name) == NULL) abort();
    l2r_space_clear(&space);
    free(text);
    return 0;
}
