/* SPDX-License-Identifier: MIT
 * See member_options.h. */
#include "recipe/member_options.h"

#include "base/decimal.h"
#include "fit/options.h"
#include "methods/method.h"
#include "nn/model.h"
#include "recipe/table_defaults.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

/* Trees of a member: beside them in memory are those of its refit, and a copy while they are written. */
static const double most_bytes = 512.0 * 1024 * 1024;

/* Trees are grown for each task. In the default committee as many tasks as these have all their trees, more tasks share
 * that number, and members of which too few would be left are left out. */
enum { TASKS_IN_FULL = 12, MOST_TASKS = 80 };

bool l2r_member_item(char *item, size_t size, const char *list, int k)
{
    for (; k > 0 && list; k--) list = (list = strchr(list, ',')) ? list + 1 : NULL;
    if (!list) return false;
    snprintf(item, size, "%.*s", (int)strcspn(list, ","), list);
    return true;
}

/* A run that is resumed has its numbers from a file, where 0 is "0.0". */
static bool equal(const char *a, const char *b)
{
    char *end_a, *end_b;
    double x = l2r_decimal_read(a, &end_a), y = l2r_decimal_read(b, &end_b);
    return strcmp(a, b) == 0 || (*a && *b && *end_a == '\0' && *end_b == '\0' && x == y);
}

/* Options that the user has set for the run, as far as the member has them. */
static enum l2r_status copy_options(struct l2r_config *member, const struct l2r_config *run, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *plain = NULL;
    const struct l2r_option *option;
    static const char *const own[] = {"model", "method", "seed", "members"};
    L2R_TRY(l2r_config_new(&plain, error));
    L2R_TRY(l2r_run_declare(plain, l2r_config_text(run, "model"), l2r_config_text(run, "method"), error));
    for (size_t i = 0; (option = l2r_config_option(run, i)); i++) {
        const char *value = l2r_config_text(run, option->name), *usual = l2r_config_text(plain, option->name);
        bool keep = value && (!usual || !equal(value, usual)) && l2r_config_has(member, option->name);
        for (size_t o = 0; o < sizeof own / sizeof *own; o++) keep = keep && strcmp(option->name, own[o]) != 0;
        if (keep) L2R_TRY(l2r_config_set(member, option->name, value, error));
    }
done:
    l2r_config_free(plain);
    return status;
}

/* Options that the user has set for the run override the default committee, but not a list that was typed. */
static bool gives_way(const struct l2r_config *run, const struct l2r_config *plain, const char *option)
{
    const char *usual = l2r_committee_default(option);
    if (strcmp(l2r_config_text(run, "members"), l2r_committee_default("members")) != 0 || !l2r_config_has(run, option))
        return false;
    if (!usual) usual = l2r_config_text(plain, option);
    return !usual || !equal(l2r_config_text(run, option), usual);
}

/* "depth=4:features=pairs+erg" */
static enum l2r_status set_options(struct l2r_config *member, const struct l2r_config *run, char *text,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *plain = NULL;
    char *rest = NULL;
    L2R_TRY(l2r_config_new(&plain, error));
    L2R_TRY(l2r_run_declare(plain, l2r_config_text(run, "model"), l2r_config_text(run, "method"), error));
    for (char *word = strtok_r(text, ":", &rest); word; word = strtok_r(NULL, ":", &rest)) {
        char *equals = strchr(word, '=');
        if (!equals) L2R_FAIL(L2R_ERR_ARGUMENT, "`members`: \"%.60s\" is no option=value", word);
        *equals = '\0';
        for (char *c = equals + 1; *c; c++)
            if (*c == '+') *c = ',';
        if (!l2r_config_has(member, word))
            L2R_FAIL(L2R_ERR_ARGUMENT, "`members`: model %s has no option \"%.60s\"", l2r_config_text(member, "model"),
                     word);
        if (!gives_way(run, plain, word)) L2R_TRY(l2r_config_set(member, word, equals + 1, error));
    }
done:
    l2r_config_free(plain);
    return status;
}

enum l2r_status l2r_member_config(struct l2r_config **config, const struct l2r_config *run, char *item, int k,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char seed[32], *options = strchr(item, ':');
    snprintf(seed, sizeof seed, "%" PRId64, (l2r_config_int(run, "seed") + 1000 * k) & 0xffffffff);
    if (options) *options++ = '\0';
    if (*item == '\0') {
        L2R_TRY(l2r_config_copy(config, run, error));
    } else {
        const struct l2r_model_type *type = l2r_model_find(item);
        L2R_TRY(l2r_config_new(config, error));
        L2R_TRY(l2r_run_declare(*config, item, type && type->fit ? "erm" : l2r_config_text(run, "method"), error));
        L2R_TRY(copy_options(*config, run, error));
        if (options) L2R_TRY(set_options(*config, run, options, error));
    }
    L2R_TRY(l2r_config_set(*config, "seed", seed, error));
    L2R_TRY(l2r_config_set(*config, "members", "1", error));
    L2R_TRY(l2r_config_set(*config, "calibrate", "none", error)); /* the committee is calibrated as a whole */
done:
    return status;
}

enum l2r_status l2r_member_count(int *n, bool *alike, const struct l2r_config *config, struct l2r_error *error)
{
    const char *list = l2r_config_text(config, "members");
    char item[L2R_MEMBER_ITEM], *end;
    *n = 0;
    *alike = true;
    if (!list) return L2R_OK;
    long number = strtol(list, &end, 10);
    *alike = *end == '\0';
    if (*alike)
        *n = (int)number;
    else
        while (l2r_member_item(item, sizeof item, list, *n) && *n <= MOST) ++*n;
    if (*n < 1 || *n > MOST)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "`members` is \"%.60s\"; expected 1 … %d, or as many models", list,
                        MOST);
    l2r_member_item(item, sizeof item, list, 0);
    if (!*alike && strcmp(item, l2r_config_text(config, "model")) != 0)
        return l2r_fail(
            error, L2R_ERR_ARGUMENT,
            "`members` begins with \"%.60s\", but the model is %s: the first member is the model of the run, "
            "whose options are given as usual",
            item, l2r_config_text(config, "model"));
    return L2R_OK;
}

static bool is_default_committee(const struct l2r_config *run)
{
    const char *list = l2r_config_text(run, "members");
    return list && strcmp(list, l2r_committee_default("members")) == 0;
}

/* The option `name`, divided by `share`, at least 1. */
static enum l2r_status divide(int64_t *divided, struct l2r_config *member, const char *name, double share,
                              struct l2r_error *error)
{
    char text[24];
    int64_t number = l2r_config_int(member, name);
    *divided = (int64_t)((double)number / share);
    if (*divided < 1) *divided = 1;
    snprintf(text, sizeof text, "%" PRId64, *divided);
    return l2r_config_set(member, name, text, error);
}

enum l2r_status l2r_member_share_trees(struct l2r_config *member, const struct l2r_config *run,
                                       const struct l2r_dataset *data, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_model_type *type = l2r_model_find(l2r_config_text(member, "model"));
    double share = (double)data->n_tasks / TASKS_IN_FULL;
    int64_t trees, rounds;
    char rate[32];
    if (share <= 1 || !is_default_committee(run) || !type || !type->fit) return L2R_OK;
    if (type->votes) return divide(&trees, member, "trees", share, error);
    double steps = (double)l2r_config_int(member, "epochs") * l2r_config_real(member, "lr");
    L2R_TRY(divide(&rounds, member, "epochs", share, error));
    l2r_decimal_print(rate, sizeof rate, "%.6g", fmin(steps / (double)rounds, 0.3)); /* fewer trees, larger steps */
    L2R_TRY(l2r_config_set(member, "lr", rate, error));
done:
    return status;
}

/* Of the trees of member k; 0 where there are none. */
static enum l2r_status bytes_of(double *bytes, char *name, size_t size, const struct l2r_config *run, char *item, int k,
                                const struct l2r_dataset *data, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *member = NULL;
    *bytes = 0;
    snprintf(name, size, "%.*s", (int)strcspn(item, ":"), item);
    const struct l2r_model_type *type = l2r_model_find(name);
    if (!type || !type->bytes) return L2R_OK;
    L2R_TRY(l2r_member_config(&member, run, item, k, error));
    L2R_TRY(l2r_member_share_trees(member, run, data, error));
    *bytes = (double)type->bytes(member, data);
done:
    l2r_config_free(member);
    return status;
}

enum l2r_status l2r_members_afford(uint64_t *left_out, char *sentence, size_t size, const struct l2r_config *config,
                                   const struct l2r_dataset *data, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *list = l2r_config_text(config, "members");
    char item[L2R_MEMBER_ITEM], name[64], names[400] = "";
    size_t length = 0;
    double bytes;
    *left_out = 0;
    sentence[0] = '\0';
    if (!is_default_committee(config)) return L2R_OK;
    for (int k = 0; l2r_member_item(item, sizeof item, list, k); k++) {
        L2R_TRY(bytes_of(&bytes, name, sizeof name, config, item, k, data, error));
        if (bytes == 0 || (bytes <= most_bytes && data->n_tasks <= MOST_TASKS)) continue;
        *left_out |= UINT64_C(1) << k;
        if (length < sizeof names)
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "", name);
    }
    if (length > 0)
        snprintf(sentence, size,
                 "left out of the committee, because trees for each of %d tasks and %lld molecules would take too much "
                 "memory or time: %s; `members` names others",
                 (int)data->n_tasks, (long long)data->n_graphs, names);
done:
    return status;
}
