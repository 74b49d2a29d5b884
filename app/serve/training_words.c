/* SPDX-License-Identifier: MIT
 * See training_words.h. */
#include "serve/training_words.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "fit/options.h"
#include "io/file.h"
#include "methods/method.h"
#include "nn/model.h"
#include "recipe/table_defaults.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PATH = 4096, LONGEST_NAME = 100, LONGEST_VALUE = 1000 };

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

bool l2r_training_is_table(const char *name)
{
    static const char *const endings[] = {".csv",    ".tsv",    ".txt",    ".smi",    ".sdf",
                                          ".csv.gz", ".tsv.gz", ".txt.gz", ".smi.gz", ".sdf.gz"};
    size_t length = strlen(name);
    if (*name == '.' || strchr(name, '/')) return false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t n = strlen(endings[i]);
        if (length > n && strcmp(name + length - n, endings[i]) == 0) return true;
    }
    return false;
}

/* ---- options ---- */

/* Texts that name no file. */
static bool is_harmless(const struct l2r_option *option, const char *value)
{
    static const char *const texts[] = {"model",
                                        "method",
                                        "metric",
                                        "epochs",
                                        "smiles-column",
                                        "target-columns",
                                        "relation-column",
                                        "weight-column",
                                        "split-column",
                                        "classes",
                                        "environment-column",
                                        "feature-columns",
                                        "ess",
                                        "reweight-after"};
    if (option->kind != L2R_OPTION_TEXT) return true;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(option->name, texts[i]) == 0) return true;
    /* A list of members may have options of its own. */
    return strcmp(option->name, "members") == 0 &&
           strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789,") == strlen(value);
}

static const struct l2r_option *find(const struct l2r_config *config, const char *name)
{
    const struct l2r_option *option;
    for (size_t i = 0; (option = l2r_config_option(config, i)) != NULL; i++)
        if (strcmp(option->name, name) == 0) return option;
    return NULL;
}

static enum l2r_status text_of(char text[LONGEST_VALUE], const char *key, const json_t *value, struct l2r_error *error)
{
    int n = -1;
    if (json_is_string(value))
        n = snprintf(text, LONGEST_VALUE, "%s", json_string_value(value));
    else if (json_is_boolean(value))
        n = snprintf(text, LONGEST_VALUE, "%s", json_is_true(value) ? "true" : "false");
    else if (json_is_integer(value))
        n = snprintf(text, LONGEST_VALUE, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        n = snprintf(text, LONGEST_VALUE, "%.17g", json_real_value(value));
    if (n < 0 || n >= LONGEST_VALUE)
        return l2r_fail(error, L2R_ERR_FORMAT, "the value of `%.60s` is no text, number or truth value of usual length",
                        key);
    return L2R_OK;
}

static enum l2r_status add(struct l2r_training_words *w, struct l2r_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static enum l2r_status add(struct l2r_training_words *w, struct l2r_error *error, const char *format, ...)
{
    struct l2r_text text = {0};
    va_list arguments;
    if (w->n == L2R_TRAINING_WORDS) return l2r_fail(error, L2R_ERR_ARGUMENT, "there are too many options");
    va_start(arguments, format);
    l2r_text_vprint(&text, format, arguments);
    va_end(arguments);
    return l2r_text_finish(&w->list[w->n++], &text, "a command", error);
}

static bool is_model(const char *name)
{
    for (size_t i = 0; l2r_models[i]; i++)
        if (strcmp(l2r_models[i]->name, name) == 0) return true;
    return false;
}

static bool is_method(const char *name)
{
    for (size_t i = 0; l2r_methods[i]; i++)
        if (strcmp(l2r_methods[i]->name, name) == 0) return true;
    return false;
}

static enum l2r_status add_options(struct l2r_training_words *w, const char *data, const json_t *options,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *config = NULL;
    const char *key, *model = json_string_value(json_object_get(options, "model")),
                     *method = json_string_value(json_object_get(options, "method"));
    const json_t *value;
    char text[LONGEST_VALUE];
    if (model && !is_model(model)) L2R_FAIL(L2R_ERR_ARGUMENT, "there is no model \"%.60s\"", model);
    if (method && !is_method(method)) L2R_FAIL(L2R_ERR_ARGUMENT, "there is no method \"%.60s\"", method);
    L2R_TRY(l2r_config_new(&config, error));
    L2R_TRY(l2r_run_declare(config, model ? model : l2r_run_default("model", data),
                            method ? method : l2r_run_default("method", data), error));
    json_object_foreach((json_t *)(uintptr_t)options, key, value)
    {
        L2R_TRY(text_of(text, key, value, error));
        L2R_TRY(l2r_config_need(config, key, error));
        if (!is_harmless(find(config, key), text))
            L2R_FAIL(L2R_ERR_ARGUMENT, "`%s=%.60s` cannot be chosen here; use the command line", key, text);
        L2R_TRY(l2r_config_set(config, key, text, error));
        if (json_is_boolean(value))
            L2R_TRY(add(w, error, "--%s%s", json_is_true(value) ? "" : "no-", key));
        else
            L2R_TRY(add(w, error, "--%s=%s", key, text));
    }
done:
    l2r_config_free(config);
    return status;
}

/* ---- a request ---- */

static enum l2r_status check_name(const char *name, struct l2r_error *error)
{
    if (*name && strlen(name) <= LONGEST_NAME && strspn(name, letters) == strlen(name) && !strchr(".-", *name))
        return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT,
                    "the name of a run is made of up to %d letters, digits, \".\", \"_\" and \"-\", and begins with a "
                    "letter or digit",
                    (int)LONGEST_NAME);
}

static enum l2r_status resume(struct l2r_training_words *w, const char *runs, const char *name, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char path[PATH];
    L2R_TRY(check_name(name, error));
    L2R_TRY(l2r_path_join(path, sizeof path, runs, name, error));
    if (!l2r_path_is_dir(path)) L2R_FAIL(L2R_ERR_ARGUMENT, "there is no run %s", name);
    L2R_TRY(add(w, error, "l2r"));
    L2R_TRY(add(w, error, "train"));
    L2R_TRY(add(w, error, "--resume"));
    L2R_TRY(add(w, error, "--out=%s", path));
    L2R_TRY(add(w, error, "--quiet"));
done:
    return status;
}

static enum l2r_status fresh(struct l2r_training_words *w, const char *tables, const char *runs, const char *table,
                             const char *name, const json_t *options, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char data[PATH], out[PATH];
    L2R_TRY(check_name(name, error));
    if (!l2r_training_is_table(table)) L2R_FAIL(L2R_ERR_ARGUMENT, "there is no table \"%.60s\"", table);
    L2R_TRY(l2r_path_join(data, sizeof data, tables, table, error));
    L2R_TRY(l2r_path_join(out, sizeof out, runs, name, error));
    if (!l2r_path_is_file(data)) L2R_FAIL(L2R_ERR_ARGUMENT, "there is no table \"%.60s\"", table);
    if (l2r_path_is_dir(out) || l2r_path_is_file(out))
        L2R_FAIL(L2R_ERR_ARGUMENT, "there is a run %s already; choose another name", name);
    L2R_TRY(add(w, error, "l2r"));
    L2R_TRY(add(w, error, "train"));
    L2R_TRY(add(w, error, "--data=%s", data));
    L2R_TRY(add(w, error, "--out=%s", out));
    L2R_TRY(add_options(w, data, options, error));
    L2R_TRY(add(w, error, "--quiet"));
done:
    return status;
}

enum l2r_status l2r_training_words_make(struct l2r_training_words *w, const char *tables, const char *runs,
                                        const char *body, size_t length, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *root = NULL;
    const char *key, *again = NULL, *table = NULL, *name = NULL;
    json_t *value, *options = NULL;
    *w = (struct l2r_training_words){0};
    L2R_TRY(l2r_json_parse(&root, body, length, "the body", error));
    if (!json_is_object(root)) L2R_FAIL(L2R_ERR_FORMAT, "the body is no JSON object");
    json_object_foreach(root, key, value)
    {
        if (strcmp(key, "table") == 0 && json_is_string(value))
            table = json_string_value(value);
        else if (strcmp(key, "name") == 0 && json_is_string(value))
            name = json_string_value(value);
        else if (strcmp(key, "resume") == 0 && json_is_string(value))
            again = json_string_value(value);
        else if (strcmp(key, "options") == 0 && json_is_object(value))
            options = value;
        else
            L2R_FAIL(L2R_ERR_FORMAT, "the body has a key or value that means nothing here; expected table, name, "
                                     "options or resume");
    }
    if (again ? table || name || options : !table || !name)
        L2R_FAIL(L2R_ERR_FORMAT, "the body needs \"table\" and \"name\", or \"resume\" alone");
    status = again ? resume(w, runs, again, error) : fresh(w, tables, runs, table, name, options, error);
    if (status != L2R_OK) goto done;
    w->name = l2r_strdup(again ? again : name);
    w->table = l2r_strdup(again ? "" : table);
    if (!w->name || !w->table) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a command");
done:
    json_decref(root);
    return status;
}

void l2r_training_words_clear(struct l2r_training_words *w)
{
    for (int i = 0; i < w->n; i++) l2r_free(w->list[i]);
    l2r_free(w->name);
    l2r_free(w->table);
    *w = (struct l2r_training_words){0};
}

static void add_quoted(struct l2r_text *text, const char *word)
{
    bool safe = *word;
    for (const char *c = word; *c; c++) safe = safe && (strchr(letters, *c) || strchr("/=,:+%@", *c));
    if (safe) {
        l2r_text_puts(text, word);
        return;
    }
    l2r_text_puts(text, "'");
    for (const char *c = word; *c; c++)
        if (*c == '\'')
            l2r_text_puts(text, "'\\''");
        else
            l2r_text_add(text, c, 1);
    l2r_text_puts(text, "'");
}

char *l2r_training_command(const struct l2r_training_words *w)
{
    struct l2r_text text = {0};
    struct l2r_error error;
    char *made = NULL;
    for (int i = 0; i < w->n; i++) {
        if (strcmp(w->list[i], "--quiet") == 0) continue;
        if (i > 0) l2r_text_puts(&text, " ");
        add_quoted(&text, w->list[i]);
    }
    return l2r_text_finish(&made, &text, "a command", &error) == L2R_OK ? made : NULL;
}
