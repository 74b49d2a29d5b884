/* SPDX-License-Identifier: MIT
 *
 * See config.h. A config is a list of entries in declaration order; each points to its row of the caller's table and
 * holds its current value as text. There are some fifty options, so names are looked up by walking the list.
 */
#include "base/config.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/misuse.h"
#include "base/text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

struct entry {
    const struct l2r_option *option;
    char *value;    /* NULL: none */
    char *fallback; /* a default other than the option's own; NULL: the option's own */
    enum l2r_option_origin origin;
    bool held;  /* by the user or a file: defaults do not change it */
    bool fixed; /* its value cannot change any more */
};

const char *const l2r_origin_names[] = {"default", "recipe", "user"};

struct l2r_config {
    struct entry *entries;
    size_t count, capacity;
};

enum l2r_status l2r_config_new(struct l2r_config **config, struct l2r_error *error)
{
    if (!config) return l2r_fail(error, L2R_ERR_ARGUMENT, "config is NULL; expected where to put the new config");
    *config = l2r_alloc(1, sizeof **config);
    return *config ? L2R_OK : l2r_fail_memory(error, sizeof **config, "a config");
}

void l2r_config_free(struct l2r_config *config)
{
    if (!config) return;
    for (size_t i = 0; i < config->count; i++) {
        l2r_free(config->entries[i].value);
        l2r_free(config->entries[i].fallback);
    }
    l2r_free(config->entries);
    l2r_free(config);
}

static struct entry *find(const struct l2r_config *config, const char *name)
{
    for (size_t i = 0; i < config->count; i++)
        if (strcmp(config->entries[i].option->name, name) == 0) return &config->entries[i];
    return NULL;
}

/* For getters: an undeclared option is a bug in the program, not an error in its input. */
static const struct entry *get(const struct l2r_config *config, const char *name)
{
    const struct entry *entry = find(config, name);
    assert(entry && "the option was never declared");
    return entry;
}

static enum l2r_status replace(char **text, const struct l2r_option *option, const char *value, struct l2r_error *error)
{
    assert(value); /* the check has refused NULL */
    char *copy = l2r_strdup(value);
    if (!copy) return l2r_fail_memory(error, strlen(value) + 1, option->name);
    l2r_free(*text);
    *text = copy;
    return L2R_OK;
}

static enum l2r_status append(struct l2r_config *config, const struct l2r_option *option, const char *value,
                              struct l2r_error *error)
{
    struct entry entry = {.option = option};
    if (!l2r_reserve((void **)&config->entries, &config->capacity, config->count + 1, sizeof entry))
        return l2r_fail_memory(error, sizeof entry, "a config");
    if (value) {
        enum l2r_status status = replace(&entry.value, option, value, error);
        if (status != L2R_OK) return status;
    }
    config->entries[config->count++] = entry;
    return L2R_OK;
}

enum l2r_status l2r_config_copy(struct l2r_config **copy, const struct l2r_config *config, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if (!copy || !config) return l2r_fail(error, L2R_ERR_ARGUMENT, "%s is NULL", copy ? "config" : "copy");
    L2R_TRY(l2r_config_new(copy, error));
    for (size_t i = 0; i < config->count; i++) {
        const struct entry *entry = &config->entries[i];
        L2R_TRY(append(*copy, entry->option, entry->value, error));
        (*copy)->entries[i].origin = entry->origin;
        (*copy)->entries[i].held = entry->held;
        (*copy)->entries[i].fixed = entry->fixed;
        if (entry->fallback) L2R_TRY(replace(&(*copy)->entries[i].fallback, entry->option, entry->fallback, error));
    }
done:
    if (status != L2R_OK) {
        l2r_config_free(*copy);
        *copy = NULL;
    }
    return status;
}

enum l2r_status l2r_config_declare(struct l2r_config *config, const struct l2r_option *table, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    for (const struct l2r_option *option = table; option->name; option++) {
        const struct entry *known = find(config, option->name);
        if (known && known->option == option) continue; /* two parts may share a table */
        if (known) L2R_FAIL(L2R_ERR_ARGUMENT, "`%s` is declared twice", option->name);
        const char *value = option->fallback;
        if (!value && option->kind == L2R_OPTION_FLAG) value = "false";
        if (value || option->kind == L2R_OPTION_INT || option->kind == L2R_OPTION_REAL)
            L2R_TRY(l2r_option_check(option, value, error));
        L2R_TRY(append(config, option, value, error));
    }
done:
    return status;
}

/* Suggests the nearest declared name, the first of equally near ones. */
static enum l2r_status fail_unknown(const struct l2r_config *config, const char *name, struct l2r_error *error)
{
    const char *nearest = NULL;
    int smallest = -1;
    for (size_t i = 0; i < config->count; i++) {
        int distance = l2r_name_distance(name, config->entries[i].option->name);
        if (distance < 0 || (nearest && distance >= smallest)) continue;
        smallest = distance;
        nearest = config->entries[i].option->name;
    }
    if (!nearest) return l2r_fail(error, L2R_ERR_ARGUMENT, "unknown option `%.100s`", name);
    return l2r_fail(error, L2R_ERR_ARGUMENT, "unknown option `%.100s`; did you mean `%s`?", name, nearest);
}

static enum l2r_status set(struct l2r_config *config, const char *name, const char *value,
                           enum l2r_option_origin origin, bool hold, struct l2r_error *error);

/* "0" and "0.0" are the same. */
static bool same_value(const char *a, const char *b)
{
    double x, y;
    return a && b && (strcmp(a, b) == 0 || (l2r_parse_real(&x, a) && l2r_parse_real(&y, b) && x == y));
}

/* Defaults of other options that come with this value. Values that the user has set stay. */
static enum l2r_status imply(struct l2r_config *config, const struct l2r_option *option, const char *value,
                             enum l2r_option_origin origin, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if (origin == L2R_FROM_USER) origin = L2R_FROM_RECIPE;
    for (const struct l2r_implied *d = option->implies; value && d && d->option; d++) {
        bool applies = d->under ? same_value(value, d->under) : !same_value(value, option->fallback);
        if (applies && find(config, d->option)) L2R_TRY(set(config, d->option, d->value, origin, false, error));
    }
done:
    return status;
}

static enum l2r_status set(struct l2r_config *config, const char *name, const char *value,
                           enum l2r_option_origin origin, bool hold, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if (!config || !name) return l2r_fail(error, L2R_ERR_ARGUMENT, "%s is NULL", config ? "name" : "config");
    struct entry *entry = find(config, name);
    if (!entry) return fail_unknown(config, name, error);
    if (!value && entry->option->kind == L2R_OPTION_FLAG) value = "true";
    L2R_TRY(l2r_option_check(entry->option, value, error));
    if (entry->fixed && value && strcmp(value, entry->value) != 0)
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "%s stays \"%s\", because it decides which options there are; make a new config for "
                 "\"%.100s\"",
                 name, entry->value, value);
    if (!hold) L2R_TRY(replace(&entry->fallback, entry->option, value, error));
    if (!hold && entry->held) return L2R_OK; /* the default is noted, the value stays */
    L2R_TRY(replace(&entry->value, entry->option, value, error));
    entry->origin = origin;
    entry->held = hold;
    L2R_TRY(imply(config, entry->option, entry->value, origin, error));
done:
    return status;
}

/* Does "queues!=0" hold? What is said of an option that is not declared holds. */
static bool holds(char other[64], const struct l2r_config *config, const char *term, size_t length)
{
    char value[64];
    size_t name = strcspn(term, "!="), equals = strcspn(term, "=");
    bool differs = name < equals;
    assert(equals < length && name < 64 && length - equals <= 64);
    snprintf(other, 64, "%.*s", (int)name, term);
    snprintf(value, sizeof value, "%.*s", (int)(length - equals - 1), term + equals + 1);
    const struct entry *entry = find(config, other);
    return !entry || same_value(entry->value, value) != differs;
}

enum l2r_status l2r_config_check_effects(const struct l2r_config *config, struct l2r_error *error)
{
    char other[64];
    for (size_t i = 0; i < config->count; i++) {
        const struct entry *e = &config->entries[i];
        const char *usual = e->fallback ? e->fallback : e->option->fallback;
        if (!e->option->needs || e->origin != L2R_FROM_USER || same_value(e->value, usual)) continue;
        for (const char *term = e->option->needs; *term;) {
            size_t length = strcspn(term, "|");
            if (!holds(other, config, term, length))
                return l2r_fail(error, L2R_ERR_ARGUMENT, "`%s` has no effect with `%s=%s`", e->option->name, other,
                                find(config, other)->value);
            term += length + (term[length] == '|');
        }
    }
    return L2R_OK;
}

enum l2r_status l2r_config_set(struct l2r_config *config, const char *name, const char *value, struct l2r_error *error)
{
    return set(config, name, value, L2R_FROM_USER, true, error);
}

void l2r_config_fix(struct l2r_config *config, const char *name)
{
    find(config, name)->fixed = true;
}

void l2r_config_swap(struct l2r_config *a, struct l2r_config *b)
{
    struct l2r_config kept = *a;
    *a = *b;
    *b = kept;
}

enum l2r_status l2r_config_need(const struct l2r_config *config, const char *name, struct l2r_error *error)
{
    return find(config, name) ? L2R_OK : fail_unknown(config, name, error);
}

enum l2r_status l2r_config_set_default(struct l2r_config *config, const char *name, const char *value,
                                       struct l2r_error *error)
{
    return set(config, name, value, L2R_FROM_DEFAULT, false, error);
}

enum l2r_status l2r_config_advise(struct l2r_config *config, const char *name, const char *value,
                                  struct l2r_error *error)
{
    return set(config, name, value, L2R_FROM_RECIPE, false, error);
}

bool l2r_config_was_set(const struct l2r_config *config, const char *name)
{
    return get(config, name)->held;
}

enum l2r_option_origin l2r_config_origin(const struct l2r_config *config, const char *name)
{
    return get(config, name)->origin;
}

const char *l2r_config_default(const struct l2r_config *config, const char *name)
{
    const struct entry *entry = get(config, name);
    return entry->fallback ? entry->fallback : entry->option->fallback;
}

bool l2r_config_is_changed(const struct l2r_config *config, const char *name)
{
    return get(config, name)->fallback != NULL;
}

int64_t l2r_config_int(const struct l2r_config *config, const char *name)
{
    const struct entry *entry = get(config, name);
    int64_t number = 0;
    bool parsed = l2r_parse_int(&number, entry->value);
    assert(parsed && entry->option->kind == L2R_OPTION_INT);
    (void)parsed;
    return number;
}

double l2r_config_real(const struct l2r_config *config, const char *name)
{
    const struct entry *entry = get(config, name);
    double number = 0;
    bool parsed = l2r_parse_real(&number, entry->value);
    assert(parsed && entry->option->kind == L2R_OPTION_REAL);
    (void)parsed;
    return number;
}

bool l2r_config_flag(const struct l2r_config *config, const char *name)
{
    const struct entry *entry = get(config, name);
    assert(entry->option->kind == L2R_OPTION_FLAG);
    return strcmp(entry->value, "true") == 0;
}

const char *l2r_config_text(const struct l2r_config *config, const char *name)
{
    return get(config, name)->value;
}

bool l2r_config_is(const struct l2r_config *config, const char *name, const char *choice)
{
    const char *value = l2r_config_text(config, name);
    return value && strcmp(value, choice) == 0;
}

unsigned l2r_config_list(const struct l2r_config *config, const char *name)
{
    const struct entry *entry = get(config, name);
    unsigned set = 0;
    assert(entry->option->kind == L2R_OPTION_LIST);
    for (const char *at = entry->value; at && *at; at += strcspn(at, ","), at += *at == ',')
        set |= 1u << l2r_choice_number(entry->option->choices, at, strcspn(at, ","));
    return set;
}

bool l2r_config_has(const struct l2r_config *config, const char *name)
{
    return find(config, name) != NULL;
}

bool l2r_config_is_neutral(const struct l2r_config *config, const char *name)
{
    const struct entry *entry = find(config, name);
    return entry && entry->option->neutral;
}

const struct l2r_option *l2r_config_option(const struct l2r_config *config, size_t i)
{
    return i < config->count ? config->entries[i].option : NULL;
}

json_t *l2r_config_to_json(const struct l2r_config *config)
{
    json_t *object = json_object();
    for (size_t i = 0; object && i < config->count; i++) {
        const char *name = config->entries[i].option->name;
        if (!config->entries[i].value) continue;
        json_t *value = NULL;
        switch (config->entries[i].option->kind) {
        case L2R_OPTION_FLAG:
            value = json_boolean(l2r_config_flag(config, name));
            break;
        case L2R_OPTION_INT:
            value = json_integer(l2r_config_int(config, name));
            break;
        case L2R_OPTION_REAL:
            value = l2r_json_real(l2r_config_real(config, name));
            break;
        case L2R_OPTION_TEXT:
        case L2R_OPTION_CHOICE:
        case L2R_OPTION_LIST:
            value = json_string(config->entries[i].value);
            break;
        }
        if (json_object_set_new(object, name, value) == 0) continue;
        json_decref(object);
        object = NULL;
    }
    return object;
}

json_t *l2r_config_record(const struct l2r_config *config)
{
    json_t *object = l2r_config_to_json(config), *origins = json_object();
    for (size_t i = 0; i < config->count; i++) {
        const struct entry *entry = &config->entries[i];
        if (entry->value && entry->origin != L2R_FROM_DEFAULT)
            l2r_json_put(origins, entry->option->name, json_string(l2r_origin_names[entry->origin]));
    }
    if (object && origins && json_object_set_new(object, L2R_ORIGIN_KEY, origins) == 0) return object;
    json_decref(object);
    return NULL;
}

/* A JSON value as the user would have typed it; false for null, lists and objects. */
static bool as_typed(char number[32], const char **text, const json_t *value)
{
    *text = number;
    if (json_is_string(value))
        *text = json_string_value(value);
    else if (json_is_boolean(value))
        *text = json_is_true(value) ? "true" : "false";
    else if (json_is_integer(value))
        snprintf(number, 32, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        l2r_json_number(number, json_real_value(value));
    else
        return false;
    return true;
}

/* Of an option, by the object under "origin"; NULL: it came with the JSON, so it is the user's. */
static enum l2r_option_origin origin_of(const json_t *origins, const char *key)
{
    const char *name = json_string_value(json_object_get(origins, key));
    if (!origins) return L2R_FROM_USER;
    for (enum l2r_option_origin o = L2R_FROM_RECIPE; name && o <= L2R_FROM_USER; o++)
        if (strcmp(l2r_origin_names[o], name) == 0) return o;
    return L2R_FROM_DEFAULT;
}

enum l2r_status l2r_config_from_json(struct l2r_config *config, const json_t *object, const char *where,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_error inner = {.status = L2R_OK};
    char number[32];
    const char *key, *text;
    json_t *value, *walked = (json_t *)(uintptr_t)object; /* jansson's iterators take no const */
    if (!json_is_object(object)) L2R_FAIL(L2R_ERR_FORMAT, "%s: expected a JSON object {\"option\": value, …}", where);
    const json_t *origins = json_object_get(object, L2R_ORIGIN_KEY);
    if (origins && !json_is_object(origins))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: \"" L2R_ORIGIN_KEY "\": expected an object", where);
    json_object_foreach(walked, key, value)
    {
        if (value == origins) continue;
        if (!as_typed(number, &text, value))
            L2R_FAIL(L2R_ERR_FORMAT, "%s: `%.100s`: expected a number, a string, true or false", where, key);
        if (set(config, key, text, origin_of(origins, key), true, &inner) != L2R_OK)
            L2R_FAIL(inner.status, "%s: %.900s", where, inner.message);
    }
done:
    return status;
}
