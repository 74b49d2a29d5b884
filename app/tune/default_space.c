/* SPDX-License-Identifier: MIT
 *
 * The default search space: that of the model, then those of the methods, each option once, and none that the user has
 * set. See l2r_space_default in space.h.
 */
#include "methods/method.h"
#include "nn/model.h"
#include "tune/space.h"

#include <stdio.h>
#include <string.h>

static bool holds(const char *text, const char *name, size_t length)
{
    for (; text[0] != '\0'; text += strcspn(text, ","), text += text[0] == ',')
        if (strncmp(text, name, length) == 0 && text[length] == '=') return true;
    return false;
}

/* Appends the dimensions of `space` that are new and were not set. */
static void join(char text[L2R_SPACE_DEFAULT], const char *space, const struct l2r_config *typed)
{
    for (const char *at = space; at != NULL && at[0] != '\0'; at += strcspn(at, ","), at += at[0] == ',') {
        size_t n = strlen(text), length = strcspn(at, "=");
        char name[L2R_SPACE_NAME];
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        if (holds(text, at, length) || (l2r_config_has(typed, name) && l2r_config_was_set(typed, name))) continue;
        snprintf(text + n, L2R_SPACE_DEFAULT - n, "%s%.*s", n > 0 ? "," : "", (int)strcspn(at, ","), at);
    }
}

void l2r_space_default(char text[L2R_SPACE_DEFAULT], const struct l2r_config *typed,
                       const struct l2r_config *const *configs, int n_configs)
{
    const struct l2r_model_type *model = l2r_model_find(l2r_config_text(configs[0], "model"));
    text[0] = '\0';
    join(text, model->space != NULL ? model->space : L2R_COMMON_SPACE, typed);
    for (int i = 0; i < n_configs; i++)
        join(text, l2r_method_find(l2r_config_text(configs[i], "method"))->space, typed);
}
