/* SPDX-License-Identifier: MIT
 *
 * See tuning.h. Only validation scores are shown until --final has trained the winners: the test scores come from runs
 * that no choice depends on.
 */
#include "cli/tuning.h"

#include "base/json.h"
#include "base/memory.h"
#include "cli/runs.h"
#include "cli/terminal.h"
#include "store/run.h"

#include "metrics/statistics.h"

#include <math.h>
#include <string.h>

enum { SHOWN = 5, LONGEST_VALUE = 1024 };

static int n_methods(const struct cli_tuning *t)
{
    return t->study->settings.n_methods;
}

static const char *method_name(const struct cli_tuning *t, int m)
{
    return l2r_config_text(t->study->settings.bases[m], "method");
}

static const struct l2r_config *config_of(const struct cli_tuning *t, int m, int64_t trial)
{
    return l2r_study_find(t->study, m, trial, 0)->config;
}

/* The error when none of a method's trials counts: that of the first trial. */
static enum l2r_status fail_all(const struct cli_tuning *t, int m, struct l2r_error *error)
{
    for (size_t i = 0; i < t->study->n; i++) {
        const struct l2r_study_run *run = &t->study->runs[i];
        const char *why = json_string_value(json_object_get(run->line, "why"));
        if (run->method == m && why != NULL)
            return l2r_fail(error, L2R_ERR_ARGUMENT, "no trial of %s finished; trial %lld, seed %lld: %.700s",
                            method_name(t, m), (long long)run->trial, (long long)run->seed, why);
    }
    return l2r_fail(error, L2R_ERR_ARGUMENT, "no trial of %s finished", method_name(t, m));
}

enum l2r_status cli_tuning_init(struct cli_tuning *tuning, const struct l2r_study *study, const char *seeds,
                                struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *tuning = (struct cli_tuning){.study = study, .seeds = seeds};
    size_t n = (size_t)study->settings.n_methods;
    tuning->scores = l2r_alloc(n, sizeof *tuning->scores);
    if (tuning->scores == NULL) return l2r_fail_memory(error, n * sizeof *tuning->scores, "scores");
    for (int m = 0; m < (int)n; m++) {
        tuning->scores[m] = l2r_alloc((size_t)study->n_trials[m], sizeof **tuning->scores);
        if (tuning->scores[m] == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for scores");
        L2R_TRY(l2r_rank_trials(tuning->scores[m], study, m, error));
        if (isnan(tuning->scores[m][0].mean)) L2R_TRY(fail_all(tuning, m, error));
    }
done:
    return status;
}

void cli_tuning_clear(struct cli_tuning *tuning)
{
    for (int m = 0; tuning->study != NULL && m < n_methods(tuning); m++) {
        if (tuning->scores != NULL) l2r_free(tuning->scores[m]);
        for (int s = 0; tuning->finals != NULL && tuning->finals[m] != NULL && s < tuning->study->settings.n_seeds; s++)
            l2r_result_clear(&tuning->finals[m][s]);
        if (tuning->finals != NULL) l2r_free(tuning->finals[m]);
    }
    l2r_free(tuning->scores);
    l2r_free(tuning->finals);
    *tuning = (struct cli_tuning){0};
}

void cli_tuning_command(char *out, size_t size, const struct cli_tuning *tuning, int method)
{
    const struct l2r_config *config = config_of(tuning, method, tuning->scores[method][0].trial);
    const struct l2r_option *option;
    char word[LONGEST_VALUE], dir[LONGEST_VALUE];
    size_t n = (size_t)snprintf(out, size, "l2r train");
    for (size_t i = 0; (option = l2r_config_option(config, i)) != NULL && n < size; i++) {
        bool own = strcmp(option->name, "seed") == 0 || strcmp(option->name, "eval-test") == 0;
        if (own || !l2r_config_was_set(config, option->name)) continue;
        const char *value = l2r_config_text(config, option->name);
        if (option->kind == L2R_OPTION_FLAG)
            n += (size_t)snprintf(out + n, size - n, " --%s%s", strcmp(value, "true") == 0 ? "" : "no-", option->name);
        else
            n += (size_t)snprintf(out + n, size - n, " --%s %s", option->name,
                                  cli_format_shell(word, sizeof word, value));
    }
    snprintf(dir, sizeof dir, "%.900s/%s", tuning->study->settings.dir, method_name(tuning, method));
    if (n < size)
        snprintf(out + n, size - n, " --seeds %s --out %s", tuning->seeds, cli_format_shell(word, sizeof word, dir));
}

/* "0.8312 ± 0.0101", or the mean alone of one seed. */
static void add_mean_sd(struct cli_table *table, double mean, double sd)
{
    char a[32], b[32];
    cli_format_score(a, sizeof a, mean);
    if (isnan(sd))
        cli_table_add(table, "%s", a);
    else
        cli_table_add(table, "%s ± %s", a, cli_format_score(b, sizeof b, sd));
}

/* The best trials of one method with their values. */
static void print_method(FILE *stream, const struct cli_tuning *t, int m)
{
    const struct l2r_space *space = t->study->settings.search.space;
    const struct l2r_config *base = t->study->settings.bases[m];
    char alignment[256] = "rrl";
    struct cli_table table;
    int64_t n = t->study->n_trials[m], failed = 0;
    for (int64_t k = 0; k < n; k++) failed += isnan(t->scores[m][k].mean);
    for (size_t i = 0; i < space->n && i < sizeof alignment - 4; i++)
        if (l2r_config_has(base, space->dimensions[i].name)) strcat(alignment, "r");
    fprintf(stream, "\n%s%s%s, %s: the best of %lld trial%s", cli_bold(stream), method_name(t, m), cli_plain(stream),
            l2r_config_text(base, "model"), (long long)n, n == 1 ? "" : "s");
    fprintf(stream, failed > 0 ? " (%lld stopped early or failed)\n" : "\n", (long long)failed);
    cli_table_init(&table, alignment);
    cli_table_add(&table, "rank");
    cli_table_add(&table, "trial");
    cli_table_add(&table, "valid %s", l2r_study_metric(t->study)->name);
    for (size_t i = 0; i < space->n && i < sizeof alignment - 4; i++)
        if (l2r_config_has(base, space->dimensions[i].name)) cli_table_add(&table, "%s", space->dimensions[i].name);
    for (int64_t k = 0; k < n && k < SHOWN && !isnan(t->scores[m][k].mean); k++) {
        cli_table_add(&table, "%lld", (long long)k + 1);
        cli_table_add(&table, "%lld", (long long)t->scores[m][k].trial);
        add_mean_sd(&table, t->scores[m][k].mean, t->scores[m][k].sd);
        const struct l2r_config *config = config_of(t, m, t->scores[m][k].trial);
        for (size_t i = 0; i < space->n && i < sizeof alignment - 4; i++)
            if (l2r_config_has(base, space->dimensions[i].name))
                cli_table_add(&table, "%s", l2r_config_text(config, space->dimensions[i].name));
    }
    cli_table_print(&table, stream, "");
    cli_table_clear(&table);
}

static void final_mean_sd(double *mean, double *sd, const struct cli_tuning *t, int m, bool test)
{
    double values[CLI_MAX_SEEDS];
    int n = t->study->settings.n_seeds;
    for (int i = 0; i < n; i++) values[i] = test ? t->finals[m][i].test : t->finals[m][i].valid;
    l2r_mean_sd(mean, sd, values, n);
}

/* The methods side by side: a row each. */
static void print_side_by_side(FILE *stream, const struct cli_tuning *t)
{
    struct cli_table table;
    char time[32];
    const char *metric = l2r_study_metric(t->study)->name;
    cli_table_init(&table, t->finals != NULL ? "lrlrll" : "lrlrl");
    cli_table_add(&table, "method");
    cli_table_add(&table, "trials");
    cli_table_add(&table, "best valid %s", metric);
    cli_table_add(&table, "median");
    cli_table_add(&table, "time");
    if (t->finals != NULL) cli_table_add(&table, "test %s", metric);
    for (int m = 0; m < n_methods(t); m++) {
        const struct l2r_trial_score *scores = t->scores[m];
        int64_t counted = 0;
        double seconds = 0, mean, sd;
        for (int64_t k = 0; k < t->study->n_trials[m]; k++) {
            counted += !isnan(scores[k].mean);
            seconds += scores[k].seconds;
        }
        cli_table_add(&table, "%s", method_name(t, m));
        cli_table_add(&table, "%lld", (long long)t->study->n_trials[m]);
        add_mean_sd(&table, scores[0].mean, scores[0].sd);
        cli_table_add_score(&table, (scores[(counted - 1) / 2].mean + scores[counted / 2].mean) / 2);
        cli_table_add(&table, "%s", cli_format_duration(time, sizeof time, seconds));
        if (t->finals == NULL) continue;
        final_mean_sd(&mean, &sd, t, m, true);
        add_mean_sd(&table, mean, sd);
    }
    fputc('\n', stream);
    cli_table_print(&table, stream, "");
    cli_table_clear(&table);
}

void cli_tuning_print(FILE *stream, const struct cli_tuning *t)
{
    char command[8192];
    for (int m = 0; m < n_methods(t); m++) print_method(stream, t, m);
    if (n_methods(t) > 1 || t->finals != NULL) print_side_by_side(stream, t);
    fprintf(stream, t->finals != NULL ? "\nTrained and tested with:\n"
                                      : "\nThe test graphs have not been used. To train and test:\n");
    for (int m = 0; m < n_methods(t); m++) {
        cli_tuning_command(command, sizeof command, t, m);
        fprintf(stream, "  %s\n", command);
    }
}

static json_t *trial_to_json(const struct cli_tuning *t, int m, const struct l2r_trial_score *score)
{
    const struct l2r_space *space = t->study->settings.search.space;
    const struct l2r_config *config = config_of(t, m, score->trial);
    json_t *all = l2r_config_to_json(config), *options = json_object();
    for (size_t i = 0; i < space->n; i++)
        if (l2r_config_has(config, space->dimensions[i].name))
            json_object_set(options, space->dimensions[i].name, json_object_get(all, space->dimensions[i].name));
    json_decref(all);
    return json_pack("{s:I, s:s, s:o, s:o, s:o, s:o}", "trial", (json_int_t)score->trial, "outcome", score->outcome,
                     "valid", l2r_json_real(score->mean), "sd", l2r_json_real(score->sd), "seconds",
                     l2r_json_real(score->seconds), "options", options);
}

static json_t *method_to_json(const struct cli_tuning *t, int m)
{
    char command[8192];
    json_t *trials = json_array();
    for (int64_t k = 0; k < t->study->n_trials[m]; k++)
        json_array_append_new(trials, trial_to_json(t, m, &t->scores[m][k]));
    cli_tuning_command(command, sizeof command, t, m);
    json_t *object = json_pack("{s:s, s:I, s:s, s:o}", "method", method_name(t, m), "best",
                               (json_int_t)t->scores[m][0].trial, "command", command, "trials", trials);
    if (t->finals == NULL) return object;
    double mean[2], sd[2];
    for (int part = 0; part < 2; part++) final_mean_sd(&mean[part], &sd[part], t, m, part == 1);
    json_object_set_new(object, "final",
                        json_pack("{s:{s:o, s:o}, s:{s:o, s:o}}", "valid", "mean", l2r_json_real(mean[0]), "sd",
                                  l2r_json_real(sd[0]), "test", "mean", l2r_json_real(mean[1]), "sd",
                                  l2r_json_real(sd[1])));
    return object;
}

json_t *cli_tuning_to_json(const struct cli_tuning *t)
{
    const struct l2r_study_settings *s = &t->study->settings;
    json_t *methods = json_array(), *seeds = json_array();
    for (int m = 0; m < s->n_methods; m++) json_array_append_new(methods, method_to_json(t, m));
    for (int i = 0; i < s->n_seeds; i++) json_array_append_new(seeds, json_integer(s->seeds[i]));
    return json_pack("{s:o, s:s, s:s, s:s, s:I, s:I, s:o, s:o}", "folder", l2r_json_name(s->dir), "metric",
                     l2r_study_metric(t->study)->name, "space", s->search.space->text, "search",
                     s->search.kind == L2R_SEARCH_GRID ? "grid" : "random", "search_seed", (json_int_t)s->search.seed,
                     "epochs", (json_int_t)l2r_config_int(s->bases[0], "epochs"), "seeds", seeds, "methods", methods);
}
