/* SPDX-License-Identifier: MIT
 *
 * Seeds as typed, names of run folders with the configs read back from them, and results as tables and as JSON. The
 * metric that chose the epoch comes first; every other one that suits the task follows from
 * result.more = {"train": {"accuracy": …}, "valid": {…}, "test": {…}}.
 */
#include "cli/runs.h"

#include "base/json.h"
#include "cli/scores.h"
#include "cli/terminal.h"
#include "io/file.h"
#include "metrics/metrics.h"
#include "metrics/statistics.h"
#include "model/run_names.h"
#include "store/run.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- seeds ---- */

static enum l2r_status add_seed(struct cli_seeds *seeds, int64_t seed, const char *text, struct l2r_error *error)
{
    for (int i = 0; i < seeds->n; i++)
        if (seeds->values[i] == seed)
            return l2r_fail(error, L2R_ERR_ARGUMENT, "--seeds %s: seed %lld appears twice", text, (long long)seed);
    if (seeds->n == CLI_MAX_SEEDS)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "--seeds %s: more than %d seeds", text, CLI_MAX_SEEDS);
    seeds->values[seeds->n++] = seed;
    return L2R_OK;
}

/* A whole number 0 .. 2^32-1 at *at, which moves past it. */
static enum l2r_status parse_seed(int64_t *value, const char **at, const char *text, struct l2r_error *error)
{
    char *end;
    if (!isdigit((unsigned char)**at))
        return l2r_fail(error, L2R_ERR_ARGUMENT, "--seeds %s: expected a list such as 0-9 or 0,3,5", text);
    errno = 0;
    *value = strtoll(*at, &end, 10);
    if (errno != 0 || *value > UINT32_MAX)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "--seeds %s: a seed is a whole number from 0 to %u", text, UINT32_MAX);
    *at = end;
    return L2R_OK;
}

enum l2r_status cli_seeds_parse(struct cli_seeds *seeds, const char *text, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *at = text;
    seeds->n = 0;
    for (;;) {
        int64_t first, last;
        L2R_TRY(parse_seed(&first, &at, text, error));
        last = first;
        if (*at == '-') {
            at++;
            L2R_TRY(parse_seed(&last, &at, text, error));
        }
        if (last < first)
            L2R_FAIL(L2R_ERR_ARGUMENT, "--seeds %s: the range %lld-%lld runs backwards", text, (long long)first,
                     (long long)last);
        for (int64_t seed = first; seed <= last; seed++) L2R_TRY(add_seed(seeds, seed, text, error));
        if (*at == '\0') break;
        if (*at != ',') L2R_FAIL(L2R_ERR_ARGUMENT, "--seeds %s: expected a list such as 0-9 or 0,3,5", text);
        at++;
    }
done:
    return status;
}

/* ---- folders ---- */

/* "data/PROTEINS.zip" -> "PROTEINS", "motif:mu=0.8" -> "motif". */
static void name_of_data(char *out, size_t size, const char *where)
{
    char base[256];
    snprintf(base, sizeof base, "%.*s", (int)strcspn(where, ":"), where);
    l2r_path_base(out, size, base);
    size_t length = strlen(out);
    if (length > 4 && strcmp(out + length - 4, ".zip") == 0) out[length - 4] = '\0';
    for (char *c = out; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && strchr("-_.+", *c) == NULL) *c = '-';
    if (out[0] == '\0' || out[0] == '.') snprintf(out, size, "data");
}

void cli_run_folder_name(char out[CLI_PATH], const struct l2r_config *run, const char *what, bool resume)
{
    char data[128], base[512];
    name_of_data(data, sizeof data, l2r_config_text(run, "data"));
    snprintf(base, sizeof base, "runs/%s-%s-%s-%s", data, l2r_config_text(run, "model"), l2r_config_text(run, "method"),
             what);
    snprintf(out, CLI_PATH, "%s", base);
    for (int n = 2; l2r_path_is_dir(out); n++) {
        char next[CLI_PATH];
        snprintf(next, sizeof next, "%s.%d", base, n);
        if (resume && !l2r_path_is_dir(next)) return;
        snprintf(out, CLI_PATH, "%s", next);
    }
}

void cli_run_folder_tune(char out[CLI_PATH], const struct l2r_config *run)
{
    char data[128];
    name_of_data(data, sizeof data, l2r_config_text(run, "data"));
    snprintf(out, CLI_PATH, "runs/%s-%s-tune", data, l2r_config_text(run, "model"));
}

bool cli_run_folder_config(char out[CLI_PATH], bool *many, const char *path)
{
    *many = false;
    snprintf(out, CLI_PATH, "%s", path);
    if (!l2r_path_is_dir(path)) return l2r_path_is_file(path);
    snprintf(out, CLI_PATH, "%s/" L2R_CONFIG_FILE, path);
    if (l2r_path_is_file(out)) return true;

    bool found = false;
    DIR *dir = opendir(path);
    struct dirent *entry;
    while (dir != NULL && !found && (entry = readdir(dir)) != NULL) {
        if (l2r_sibling_of_folder(NULL, entry->d_name) < 0) continue;
        snprintf(out, CLI_PATH, "%s/%s/" L2R_CONFIG_FILE, path, entry->d_name);
        found = l2r_path_is_file(out);
    }
    if (dir != NULL) closedir(dir);
    *many = found;
    return found;
}

static const char *text_of(const json_t *file, const char *key)
{
    return json_string_value(json_object_get(file, key));
}

static bool is_same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Another model or method than the file's may have other defaults, which replace defaults in the file. A file of an
 * older version does not record who set a value: there, one that equals the default is a default. */
static bool has_own_default(const struct l2r_config *run, const struct l2r_config *written, const char *key,
                            bool records)
{
    if (!l2r_config_has(run, key) || !l2r_config_has(written, key)) return false;
    bool other = !is_same(l2r_config_text(run, "model"), l2r_config_text(written, "model")) ||
                 !is_same(l2r_config_text(run, "method"), l2r_config_text(written, "method"));
    bool usual = records ? l2r_config_origin(written, key) == L2R_FROM_DEFAULT
                         : is_same(l2r_config_text(written, key), l2r_config_default(written, key));
    return other && l2r_config_is_changed(run, key) && usual;
}

/* Is it an option in which the runs of one folder differ, so that others cannot take it from this run? */
static bool is_members(const char *key, const char *path, bool many, const json_t *file)
{
    char folder[CLI_PATH], name[256];
    enum l2r_sibling kind = L2R_SIBLING_SEED;
    const char *slash = strrchr(path, '/');
    if (strcmp(key, "fold") == 0) return many || json_integer_value(json_object_get(file, "folds")) == 0;
    if (!many) return false;
    snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - path) : 0, path);
    l2r_path_base(name, sizeof name, folder);
    (void)l2r_sibling_of_folder(&kind, name);
    return (strcmp(key, "seed") == 0 && kind != L2R_SIBLING_FOLD) ||
           (strcmp(key, "split-seed") == 0 && kind == L2R_SIBLING_REPLICATE);
}

enum l2r_status cli_run_folder_replay(struct l2r_config *run, json_t *file, const char *path, bool many,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *written = NULL; /* the options that the file's own run had */
    json_t *kept = json_object();
    const char *key;
    json_t *value, *origins = json_object_get(file, L2R_ORIGIN_KEY);
    bool records = origins != NULL;
    if (kept == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for a config");
    if (text_of(file, "model") == NULL || text_of(file, "method") == NULL)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: no \"model\" and \"method\"; expected the config.json of a run", path);
    L2R_TRY(l2r_config_new(&written, error));
    L2R_TRY(l2r_run_declare(written, text_of(file, "model"), text_of(file, "method"), error));
    json_object_foreach(file, key, value)
    {
        if ((value == origins || l2r_config_has(written, key)) && json_object_set(kept, key, value) != 0)
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory for a config");
    }
    L2R_TRY(l2r_config_from_json(written, kept, path, error));
    json_object_clear(kept);
    json_object_foreach(file, key, value)
    {
        bool replaced = !l2r_config_has(run, key) && l2r_config_has(written, key);
        bool chosen = strcmp(key, "model") == 0 || strcmp(key, "method") == 0;
        if (replaced || chosen || has_own_default(run, written, key, records) || is_members(key, path, many, file))
            continue;
        if (json_object_set(kept, key, value) != 0) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for a config");
    }
    L2R_TRY(l2r_config_from_json(run, kept, path, error));
done:
    json_decref(kept);
    l2r_config_free(written);
    return status;
}

/* ---- results ---- */

/* A table whose columns are the parts, after a first column and before `rest` others. */
static void begin_table(struct cli_table *table, const char *first, int parts, int rest)
{
    int columns = 1 + parts + rest;
    cli_table_init(table, columns == 4 ? "lrrr" : columns == 6 ? "lrrrrr" : "lrrrrrrr");
    cli_table_add(table, "%s", first);
    for (int p = 0; p < parts; p++) cli_table_add(table, "%s", l2r_part_name(p));
}

/* The JSON of a run's result. */
static json_t *notes_of(const struct l2r_result *result)
{
    char *text = NULL;
    json_t *object = NULL;
    if (l2r_result_json(&text, result, NULL) == L2R_OK) object = json_loads(text, 0, NULL);
    l2r_free(text);
    return object;
}

/* Rows of the other metrics, in the order of the first part that has any. */
static void add_more(struct cli_table *table, const struct l2r_result *result, const json_t *all)
{
    const char *metric;
    json_t *value, *first = NULL;
    int parts = l2r_result_n_parts(result);
    for (int p = 0; p < parts && json_object_size(first) == 0; p++)
        first = json_object_get(json_object_get(all, "more"), l2r_part_name(p));
    json_object_foreach(first, metric, value)
    {
        const struct l2r_metric *known = l2r_metric_find(metric);
        if (strcmp(metric, l2r_result_metric(result)) == 0 || strcmp(metric, "n") == 0 || json_is_array(value))
            continue;
        if (known && known->units && json_is_null(value)) continue; /* each of several targets has its own */
        cli_table_add(table, "%s", metric);
        for (int p = 0; p < parts; p++) cli_table_add_score(table, l2r_result_score(result, p, metric));
    }
}

/* With validation parts in and out of distribution: the scores of the epoch that the other part would choose. */
static void print_other_choice(FILE *stream, const json_t *all)
{
    const char *select = json_string_value(json_object_get(all, "select"));
    const char *other = select ? "ood-valid" : "id-valid"; /* present only if it is not the default */
    const json_t *choice = json_object_get(json_object_get(json_object_get(all, "more"), "selections"), other);
    if (!choice) return;
    fprintf(stream, "chosen by %s instead: epoch %lld", other,
            (long long)json_integer_value(json_object_get(choice, "best_epoch")));
    for (int p = L2R_PART_VALID; p < L2R_N_PARTS; p++) {
        const json_t *score = json_object_get(choice, l2r_part_name(p));
        if (json_is_number(score)) fprintf(stream, ", %s %.4f", l2r_part_name(p), json_number_value(score));
    }
    fputc('\n', stream);
}

/* For a run with a refit: which model the scores in each column belong to, and what the refit changed. */
static void print_refit(FILE *stream, const json_t *all)
{
    const json_t *refit = json_object_get(json_object_get(all, "more"), "refit");
    const json_t *test = json_object_get(json_object_get(refit, "before"), "test");
    if (!refit) return;
    fprintf(stream,
            "refit on %lld training and validation graphs; validation scores are from the model before the refit",
            (long long)json_integer_value(json_object_get(refit, "graphs")));
    if (json_is_number(test)) fprintf(stream, " (test %.4f)", json_number_value(test));
    fputc('\n', stream);
}

/* The method's own result, as a sentence. */
static void print_conclusion(FILE *stream, const json_t *all)
{
    char text[512];
    const char *sentence = json_string_value(json_object_get(json_object_get(all, "conclusion"), "sentence"));
    if (!sentence) return;
    cli_format_options(text, sizeof text, sentence);
    fprintf(stream, "\n%c%s.\n", toupper((unsigned char)*text), text + 1);
}

static double number_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static void add_head(struct cli_table *table, const char *label, const json_t *head)
{
    const json_t *test = json_object_get(json_object_get(json_object_get(head, "more"), "groups"), "test");
    if (!head) return;
    cli_table_add(table, "%s", label);
    cli_table_add_score(table, number_at(head, "valid"));
    cli_table_add_score(table, number_at(head, "test"));
    cli_table_add_score(table, number_at(test, "worst"));
}

/* With --compare-controls: what heads under other weights score, chosen in the same way on the same network. */
static void print_controls(FILE *stream, const json_t *all)
{
    const json_t *head = json_object_get(json_object_get(all, "conclusion"), "head");
    const json_t *controls = json_object_get(head, "controls");
    struct cli_table table;
    if (!controls) return;
    cli_table_init(&table, "lrrr");
    cli_table_add(&table, "%s", "last layer");
    cli_table_add(&table, "%s", "valid");
    cli_table_add(&table, "%s", "test");
    cli_table_add(&table, "%s", "worst group");
    add_head(&table, "as trained", json_object_get(head, "trained"));
    add_head(&table, "fit, equal weights", json_object_get(controls, "ones"));
    add_head(&table, "fit, shuffled weights", json_object_get(controls, "shuffled"));
    add_head(&table, "fit, learned weights", head);
    add_head(&table, "fit, weights by group", json_object_get(controls, "groups"));
    fputc('\n', stream);
    cli_table_print(&table, stream, "");
    cli_table_clear(&table);
}

void cli_result_print(FILE *stream, const struct l2r_result *result, const char *dir)
{
    struct cli_table table;
    char time[32];
    int parts = l2r_result_n_parts(result);
    begin_table(&table, "", parts, 0);
    cli_table_add(&table, "%s", l2r_result_metric(result));
    for (int p = 0; p < parts; p++) cli_table_add_score(&table, l2r_result_score(result, p, NULL));
    json_t *all = notes_of(result);
    add_more(&table, result, all);
    fputc('\n', stream);
    cli_table_print(&table, stream, "");
    cli_table_clear(&table);
    cli_result_tasks_print(stream, all, dir);
    cli_groups_print(stream, json_object_get(json_object_get(json_object_get(all, "more"), "groups"), "test"), "test");
    char speed[32] = "";
    if (isfinite(l2r_result_graphs_per_second(result)))
        snprintf(speed, sizeof speed, ", %.0f graphs/s", l2r_result_graphs_per_second(result));
    bool committee = json_object_get(json_object_get(all, "more"), "members") != NULL; /* epochs are member 1's */
    fprintf(stream, "\n%sbest epoch %lld of %lld, %s%s, %lld parameters\n", committee ? "member 1: " : "",
            (long long)l2r_result_best_epoch(result), (long long)l2r_result_n_epochs(result),
            cli_format_duration(time, sizeof time, l2r_result_seconds(result)), speed,
            (long long)l2r_result_n_parameters(result));
    cli_thresholds_print(stream,
                         json_object_get(json_object_get(json_object_get(all, "more"), "test"), "thresholds")
                             ? json_object_get(json_object_get(all, "more"), "test")
                             : json_object_get(json_object_get(all, "more"), "valid"),
                         "");
    print_other_choice(stream, all);
    print_refit(stream, all);
    fprintf(stream, "saved in %s%s%s\n", cli_bold(stream), dir, cli_plain(stream));
    print_conclusion(stream, all);
    print_controls(stream, all);
    json_decref(all);
}

static void mean_sd(double *mean, double *sd, struct l2r_result *const *results, int n, int part)
{
    double values[CLI_MAX_SEEDS];
    for (int i = 0; i < n; i++) values[i] = l2r_result_score(results[i], part, NULL);
    l2r_mean_sd(mean, sd, values, n);
}

void cli_results_print(FILE *stream, struct l2r_result *const *results, const struct cli_seeds *seeds, const char *dir)
{
    struct cli_table table;
    double mean[L2R_N_PARTS] = {0}, sd[L2R_N_PARTS] = {0};
    int parts = l2r_result_n_parts(results[0]);
    for (int p = 0; p < parts; p++) mean_sd(&mean[p], &sd[p], results, seeds->n, p);
    begin_table(&table, l2r_sibling_names[seeds->kind], parts, 2);
    cli_table_add(&table, "best epoch");
    cli_table_add(&table, "time");
    for (int i = 0; i < seeds->n; i++) {
        char time[32];
        cli_table_add(&table, "%lld", (long long)seeds->values[i]);
        for (int p = 0; p < parts; p++) cli_table_add_score(&table, l2r_result_score(results[i], p, NULL));
        cli_table_add(&table, "%lld", (long long)l2r_result_best_epoch(results[i]));
        cli_table_add(&table, "%s", cli_format_duration(time, sizeof time, l2r_result_seconds(results[i])));
    }
    const double *lines[2] = {mean, sd};
    for (int l = 0; l < 2; l++) {
        cli_table_add(&table, "%s", l == 0 ? "mean" : "sd");
        for (int p = 0; p < parts; p++) cli_table_add_score(&table, lines[l][p]);
        cli_table_add(&table, "%s", "");
        cli_table_add(&table, "%s", "");
    }
    fputc('\n', stream);
    cli_table_print(&table, stream, "");
    cli_table_clear(&table);

    int shown = isnan(mean[2]) ? 1 : 2;
    char m[32], s[32];
    fprintf(stream, "\n%s %s %s%s ± %s%s over %d %s%s\n", l2r_part_name(shown), l2r_result_metric(results[0]),
            cli_bold(stream), cli_format_score(m, sizeof m, mean[shown]), cli_format_score(s, sizeof s, sd[shown]),
            cli_plain(stream), seeds->n, l2r_sibling_names[seeds->kind], seeds->n == 1 ? "" : "s");
    fprintf(stream, "saved in %s\n", dir);
}

json_t *cli_result_to_json(const struct l2r_result *result, const char *dir, enum l2r_sibling kind, int64_t number)
{
    json_t *all = notes_of(result),
           *object = json_pack("{s:o, s:I}", "run", l2r_json_name(dir), l2r_sibling_names[kind], (json_int_t)number);
    const char *key;
    json_t *value;
    json_object_foreach(all, key, value)
    {
        bool more = strcmp(key, "more") == 0;
        json_object_set(object, more ? "metrics" : strcmp(key, "n_parameters") == 0 ? "parameters" : key, value);
    }
    json_decref(all);
    return object;
}

json_t *cli_results_to_json(struct l2r_result *const *results, const struct cli_seeds *seeds, const char *dir)
{
    json_t *runs = json_array(), *means = json_object(), *sds = json_object();
    for (int i = 0; i < seeds->n; i++) {
        char run[CLI_PATH];
        (void)l2r_sibling_folder(run, sizeof run, dir, seeds->kind, seeds->values[i]);
        json_array_append_new(runs, cli_result_to_json(results[i], run, seeds->kind, seeds->values[i]));
    }
    for (int p = 0; p < l2r_result_n_parts(results[0]); p++) {
        double mean, sd;
        mean_sd(&mean, &sd, results, seeds->n, p);
        json_object_set_new(means, l2r_part_name(p), l2r_json_real(mean));
        json_object_set_new(sds, l2r_part_name(p), l2r_json_real(sd));
    }
    return json_pack("{s:o, s:s, s:o, s:o, s:o}", "folder", l2r_json_name(dir), "metric", l2r_result_metric(results[0]),
                     "runs", runs, "mean", means, "sd", sds);
}

enum l2r_status cli_json_print(FILE *stream, json_t *object, struct l2r_error *error)
{
    if (object == NULL) return l2r_fail(error, L2R_ERR_MEMORY, "out of memory for JSON output");
    int failed = json_dumpf(object, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    fputc('\n', stream);
    json_decref(object);
    return failed ? l2r_fail(error, L2R_ERR_IO, "cannot write JSON to standard output") : L2R_OK;
}
