/* SPDX-License-Identifier: MIT
 *
 * See space.h. A comma begins a new option only where a name and "=" follow: values of some options hold commas
 * themselves (aggregators=mean,max|std). Every value and both ends of a range pass the check of the option's row, in
 * every config that has it, before anything is trained.
 */
#include "tune/space.h"

#include "base/config.h"
#include "base/memory.h"
#include "data/reader.h"
#include "data/splits/split.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_POINTS = 1000 };

/* What is being parsed, for the functions below. */
struct context {
    const struct l2r_config *const *configs;
    int n_configs;
    const struct l2r_option *option; /* of the dimension at hand */
    struct l2r_error *error;
};

void l2r_space_clear(struct l2r_space *space)
{
    for (size_t i = 0; i < space->n; i++) {
        for (int64_t k = 0; k < space->dimensions[i].n_values; k++) l2r_free(space->dimensions[i].values[k]);
        l2r_free(space->dimensions[i].values);
    }
    l2r_free(space->dimensions);
    l2r_free(space->text);
    *space = (struct l2r_space){0};
}

const struct l2r_dimension *l2r_space_find(const struct l2r_space *space, const char *name)
{
    for (size_t i = 0; i < space->n; i++)
        if (strcmp(space->dimensions[i].name, name) == 0) return &space->dimensions[i];
    return NULL;
}

static const struct l2r_option *row_of(const struct l2r_config *config, const char *name)
{
    const struct l2r_option *option;
    for (size_t i = 0; (option = l2r_config_option(config, i)) != NULL; i++)
        if (strcmp(option->name, name) == 0) return option;
    return NULL;
}

/* Why an option cannot be searched; NULL: it can. */
static const char *reason_against(const struct l2r_option *option)
{
    const char *name = option->name;
    static const char *const reasons[][2] = {
        {"data", "results on different data cannot be compared"},
        {"model", "its options depend on it; tune each model by itself"},
        {"method", "its options depend on it; name several with --methods"},
        {"metric", "trials are ranked by it"},
        {"seed", "it is no setting to choose; average over several with --seeds"},
        {"epochs", "it is part of the budget, the same for every trial; set it with --epochs"},
        {"eval-train", "it changes no result"},
        {"eval-test", "trials never score the test graphs"},
        {"eval-test-epochs", "trials never score the test graphs"}};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strcmp(reasons[i][0], name) == 0) return reasons[i][1];
    if (option->neutral) return "it changes no result";
    const struct l2r_option *o;
    for (size_t i = 0; (o = l2r_split_option(i)) != NULL; i++)
        if (strcmp(o->name, name) == 0) return "trials on different splits cannot be compared";
    for (o = l2r_data_options; o->name != NULL; o++)
        if (strcmp(o->name, name) == 0) return "trials on different data cannot be compared";
    return NULL;
}

static enum l2r_status fail_unknown(const struct context *c, const char *name)
{
    const char *nearest = NULL;
    int smallest = -1;
    for (int k = 0; k < c->n_configs; k++) {
        const struct l2r_option *option;
        for (size_t i = 0; (option = l2r_config_option(c->configs[k], i)) != NULL; i++) {
            int distance = l2r_name_distance(name, option->name);
            if (distance < 0 || (nearest != NULL && distance >= smallest)) continue;
            smallest = distance;
            nearest = option->name;
        }
    }
    if (nearest == NULL)
        return l2r_fail(c->error, L2R_ERR_ARGUMENT, "--space: neither this model nor a method has an option --%s",
                        name);
    return l2r_fail(c->error, L2R_ERR_ARGUMENT, "--space: there is no option --%s here; did you mean --%s?", name,
                    nearest);
}

/* The value against the row of each config that has the option. */
static enum l2r_status check_value(const struct context *c, const char *value)
{
    for (int k = 0; k < c->n_configs; k++) {
        const struct l2r_option *row = row_of(c->configs[k], c->option->name);
        struct l2r_error inner = {.status = L2R_OK};
        if (row != NULL && l2r_option_check(row, value, &inner) != L2R_OK)
            return l2r_fail(c->error, L2R_ERR_ARGUMENT, "--space: %.900s", inner.message);
    }
    return L2R_OK;
}

/* Which values a range has when trials are drawn from N of them. */
static enum l2r_status check_points(const struct context *c, struct l2r_dimension *d, const char *text)
{
    double available = d->whole ? d->high - d->low + 1 : MOST_POINTS;
    if (!l2r_parse_int(&d->points, text))
        return l2r_fail(c->error, L2R_ERR_ARGUMENT,
                        "--space: --%s: \"%.40s\" behind a range is neither log nor a number of values", d->name, text);
    if (d->points < 2 || (double)d->points > available || d->points > MOST_POINTS)
        return l2r_fail(c->error, L2R_ERR_ARGUMENT,
                        "--space: --%s: %s values cannot be spread over %s..%s; 2 to %.0f can", d->name, text,
                        d->low_text, d->high_text, fmin(available, MOST_POINTS));
    return L2R_OK;
}

static enum l2r_status check_range(const struct context *c, struct l2r_dimension *d)
{
    enum l2r_status status = L2R_OK;
    struct l2r_error *error = c->error;
    L2R_TRY(check_value(c, d->low_text));
    L2R_TRY(check_value(c, d->high_text));
    if (!l2r_parse_real(&d->low, d->low_text) || !l2r_parse_real(&d->high, d->high_text) || !isfinite(d->low) ||
        !isfinite(d->high))
        L2R_FAIL(L2R_ERR_ARGUMENT, "--space: --%s: the ends of %s..%s are not both numbers", d->name, d->low_text,
                 d->high_text);
    if (d->low >= d->high)
        L2R_FAIL(L2R_ERR_ARGUMENT, "--space: --%s: the range %s..%s is empty; the smaller end comes first", d->name,
                 d->low_text, d->high_text);
done:
    return status;
}

/* "1e-4..1e-2:log:3"; dots: where its ".." is. */
static enum l2r_status parse_range(const struct context *c, struct l2r_dimension *d, char *text, char *dots)
{
    enum l2r_status status = L2R_OK;
    struct l2r_error *error = c->error;
    char *rest = dots + 2, *word;
    if (c->option->kind == L2R_OPTION_FLAG || c->option->kind == L2R_OPTION_CHOICE ||
        c->option->kind == L2R_OPTION_LIST)
        L2R_FAIL(L2R_ERR_ARGUMENT, "--space: --%s takes words, not a range; write them as %s=%s", d->name, d->name,
                 c->option->kind == L2R_OPTION_FLAG ? "true|false" : c->option->choices);
    *dots = '\0';
    word = strsep(&rest, ":");
    if (strlen(text) >= sizeof d->low_text || strlen(word) >= sizeof d->high_text)
        L2R_FAIL(L2R_ERR_ARGUMENT, "--space: --%s: the ends of a range are numbers of at most 31 characters", d->name);
    snprintf(d->low_text, sizeof d->low_text, "%s", text);
    snprintf(d->high_text, sizeof d->high_text, "%s", word);
    d->whole = c->option->kind == L2R_OPTION_INT;
    L2R_TRY(check_range(c, d));
    while ((word = strsep(&rest, ":")) != NULL) {
        if (strcmp(word, "log") == 0)
            d->log = true;
        else
            L2R_TRY(check_points(c, d, word));
    }
    if (d->log && d->low <= 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "--space: --%s: a logarithmic range begins above 0, not at %s", d->name,
                 d->low_text);
done:
    return status;
}

static enum l2r_status parse_list(const struct context *c, struct l2r_dimension *d, char *text)
{
    enum l2r_status status = L2R_OK;
    struct l2r_error *error = c->error;
    size_t capacity = 0;
    for (char *value; (value = strsep(&text, "|")) != NULL;) {
        if (*value == '\0')
            L2R_FAIL(L2R_ERR_ARGUMENT, "--space: a value of --%s is missing; write %s=A|B or %s=A..B", d->name, d->name,
                     d->name);
        if (strlen(value) >= L2R_SPACE_VALUE)
            L2R_FAIL(L2R_ERR_ARGUMENT, "--space: a value of --%s is longer than %d characters", d->name,
                     L2R_SPACE_VALUE - 1);
        L2R_TRY(check_value(c, value));
        for (int64_t k = 0; k < d->n_values; k++)
            if (strcmp(d->values[k], value) == 0)
                L2R_FAIL(L2R_ERR_ARGUMENT, "--space: --%s: %s is listed twice", d->name, value);
        if (!l2r_reserve((void **)&d->values, &capacity, (size_t)d->n_values + 1, sizeof *d->values) ||
            (d->values[d->n_values] = l2r_strdup(value)) == NULL) {
            status = l2r_fail_memory(error, strlen(value), "a search space");
            goto done;
        }
        d->n_values++;
    }
done:
    return status;
}

static enum l2r_status parse_dimension(struct l2r_space *space, struct context *c, char *text)
{
    enum l2r_status status = L2R_OK;
    struct l2r_error *error = c->error;
    char *equals = strchr(text, '=');
    if (equals == NULL || equals == text)
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "--space: \"%.100s\" is not of the form OPTION=VALUES, as in lr=1e-4..1e-2:log or "
                 "hidden=64|128",
                 text);
    *equals = '\0';
    const char *name = strncmp(text, "--", 2) == 0 ? text + 2 : text;
    c->option = NULL;
    for (int k = 0; k < c->n_configs && c->option == NULL; k++) c->option = row_of(c->configs[k], name);
    if (c->option == NULL) return fail_unknown(c, name);
    if (reason_against(c->option) != NULL)
        L2R_FAIL(L2R_ERR_ARGUMENT, "--space: --%s cannot be searched: %s", name, reason_against(c->option));
    if (l2r_space_find(space, name) != NULL) L2R_FAIL(L2R_ERR_ARGUMENT, "--space: --%s is listed twice", name);
    if (!l2r_reserve((void **)&space->dimensions, &space->capacity, space->n + 1, sizeof *space->dimensions)) {
        status = l2r_fail_memory(error, sizeof *space->dimensions, "a search space");
        goto done;
    }
    struct l2r_dimension *d = &space->dimensions[space->n++];
    *d = (struct l2r_dimension){0};
    snprintf(d->name, sizeof d->name, "%s", name);
    char *values = equals + 1, *dots = strstr(values, "..");
    if (dots != NULL && strchr(values, '|') == NULL && strchr(values, '/') == NULL)
        L2R_TRY(parse_range(c, d, values, dots));
    else
        L2R_TRY(parse_list(c, d, values));
done:
    return status;
}

/* Ends the dimension at `text` with a NUL and gives the next one; NULL: there is none. */
static char *cut(char *text)
{
    for (char *comma = strchr(text, ','); comma != NULL; comma = strchr(comma + 1, ',')) {
        size_t word = strcspn(comma + 1, ",|.:=");
        if (comma[1 + word] != '=') continue; /* part of a value */
        *comma = '\0';
        return comma + 1;
    }
    return NULL;
}

enum l2r_status l2r_space_parse(struct l2r_space *space, const char *text, const struct l2r_config *const *configs,
                                int n_configs, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct context context = {.configs = configs, .n_configs = n_configs, .error = error};
    *space = (struct l2r_space){.text = l2r_strdup(text)};
    char *copy = space->text != NULL ? l2r_strdup(text) : NULL;
    if (copy == NULL) return l2r_fail_memory(error, strlen(text), "a search space");
    if (*text == '\0')
        L2R_FAIL(L2R_ERR_ARGUMENT, "--space is empty; name options and values, as in lr=1e-4..1e-2:log,hidden=64|128");
    for (char *at = copy, *next; at != NULL; at = next) {
        next = cut(at);
        L2R_TRY(parse_dimension(space, &context, at));
    }
done:
    l2r_free(copy);
    return status;
}
