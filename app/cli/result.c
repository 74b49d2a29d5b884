/* SPDX-License-Identifier: MIT
 *
 * Results as tables and as JSON. The metric that chose the epoch comes first; every other one that suits the task
 * follows from result.more = {"train": {"accuracy": …}, "valid": {…}, "test": {…}}.
 */
#include "cli/result.h"

#include "base/json.h"
#include "cli/run_folder.h"
#include "cli/table.h"
#include "cli/terminal.h"

#include "metrics/statistics.h"
#include "predict/run_names.h"

#include <math.h>
#include <string.h>

static const char *const parts[3] = {"train", "valid", "test"};

static double score_of(const struct l2r_result *result, int part)
{
    return part == 0 ? result->train : part == 1 ? result->valid : result->test;
}

static double number_in(const json_t *more, const char *part, const char *metric)
{
    const json_t *value = json_object_get(json_object_get(more, part), metric);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static void add_heading(struct cli_table *table, const char *first)
{
    cli_table_add(table, "%s", first);
    for (int p = 0; p < 3; p++) cli_table_add(table, "%s", parts[p]);
}

/* Rows of the other metrics, in the order of the first part that has any. */
static void add_more(struct cli_table *table, const struct l2r_result *result)
{
    const char *metric;
    json_t *value, *first = NULL;
    for (int p = 0; p < 3 && json_object_size(first) == 0; p++) first = json_object_get(result->more, parts[p]);
    json_object_foreach(first, metric, value)
    {
        if (strcmp(metric, result->metric) == 0 || strcmp(metric, "n") == 0) continue;
        cli_table_add(table, "%s", metric);
        for (int p = 0; p < 3; p++) cli_table_add_score(table, number_in(result->more, parts[p], metric));
    }
}

void cli_result_print(FILE *stream, const struct l2r_result *result, const char *dir)
{
    struct cli_table table;
    char time[32];
    cli_table_init(&table, "lrrr");
    add_heading(&table, "");
    cli_table_add(&table, "%s", result->metric);
    for (int p = 0; p < 3; p++) cli_table_add_score(&table, score_of(result, p));
    add_more(&table, result);
    fputc('\n', stream);
    cli_table_print(&table, stream, "");
    cli_table_clear(&table);
    char speed[32] = "";
    if (isfinite(result->graphs_per_second))
        snprintf(speed, sizeof speed, ", %.0f graphs/s", result->graphs_per_second);
    fprintf(stream, "\nbest epoch %lld of %lld, %s%s, %lld parameters\n", (long long)result->best_epoch,
            (long long)result->epochs, cli_format_duration(time, sizeof time, result->seconds), speed,
            (long long)result->n_parameters);
    fprintf(stream, "saved in %s%s%s\n", cli_bold(stream), dir, cli_plain(stream));
}

static void mean_sd(double *mean, double *sd, const struct l2r_result *results, int n, int part)
{
    double values[CLI_MAX_SEEDS];
    for (int i = 0; i < n; i++) values[i] = score_of(&results[i], part);
    l2r_mean_sd(mean, sd, values, n);
}

void cli_results_print(FILE *stream, const struct l2r_result *results, const struct cli_seeds *seeds, const char *dir)
{
    struct cli_table table;
    double mean[3], sd[3];
    for (int p = 0; p < 3; p++) mean_sd(&mean[p], &sd[p], results, seeds->n, p);
    cli_table_init(&table, "lrrrrr");
    add_heading(&table, "seed");
    cli_table_add(&table, "best epoch");
    cli_table_add(&table, "time");
    for (int i = 0; i < seeds->n; i++) {
        char time[32];
        cli_table_add(&table, "%lld", (long long)seeds->values[i]);
        for (int p = 0; p < 3; p++) cli_table_add_score(&table, score_of(&results[i], p));
        cli_table_add(&table, "%lld", (long long)results[i].best_epoch);
        cli_table_add(&table, "%s", cli_format_duration(time, sizeof time, results[i].seconds));
    }
    const double *lines[2] = {mean, sd};
    for (int l = 0; l < 2; l++) {
        cli_table_add(&table, "%s", l == 0 ? "mean" : "sd");
        for (int p = 0; p < 3; p++) cli_table_add_score(&table, lines[l][p]);
        cli_table_add(&table, "%s", "");
        cli_table_add(&table, "%s", "");
    }
    fputc('\n', stream);
    cli_table_print(&table, stream, "");
    cli_table_clear(&table);

    int judged = isnan(mean[2]) ? 1 : 2;
    char m[32], s[32];
    fprintf(stream, "\n%s %s %s%s ± %s%s over %d seed%s\n", parts[judged], results[0].metric, cli_bold(stream),
            cli_format_score(m, sizeof m, mean[judged]), cli_format_score(s, sizeof s, sd[judged]), cli_plain(stream),
            seeds->n, seeds->n == 1 ? "" : "s");
    fprintf(stream, "saved in %s\n", dir);
}

json_t *cli_result_to_json(const struct l2r_result *result, const char *dir, int64_t seed)
{
    return json_pack("{s:s, s:I, s:s, s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:I, s:O*}", "run", dir, "seed",
                     (json_int_t)seed, "metric", result->metric, "train", l2r_json_real(result->train), "valid",
                     l2r_json_real(result->valid), "test", l2r_json_real(result->test), "best_epoch",
                     (json_int_t)result->best_epoch, "epochs", (json_int_t)result->epochs, "seconds",
                     l2r_json_real(result->seconds), "graphs_per_second", l2r_json_real(result->graphs_per_second),
                     "parameters", (json_int_t)result->n_parameters, "metrics", result->more);
}

json_t *cli_results_to_json(const struct l2r_result *results, const struct cli_seeds *seeds, const char *dir)
{
    json_t *runs = json_array(), *means = json_object(), *sds = json_object();
    for (int i = 0; i < seeds->n; i++) {
        char run[CLI_PATH];
        (void)l2r_seed_folder(run, sizeof run, dir, seeds->values[i]);
        json_array_append_new(runs, cli_result_to_json(&results[i], run, seeds->values[i]));
    }
    for (int p = 0; p < 3; p++) {
        double mean, sd;
        mean_sd(&mean, &sd, results, seeds->n, p);
        json_object_set_new(means, parts[p], l2r_json_real(mean));
        json_object_set_new(sds, parts[p], l2r_json_real(sd));
    }
    return json_pack("{s:s, s:s, s:o, s:o, s:o}", "folder", dir, "metric", results[0].metric, "runs", runs, "mean",
                     means, "sd", sds);
}

enum l2r_status cli_json_print(FILE *stream, json_t *object, struct l2r_error *error)
{
    if (object == NULL) return l2r_fail(error, L2R_ERR_MEMORY, "out of memory for JSON output");
    int failed = json_dumpf(object, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    fputc('\n', stream);
    json_decref(object);
    return failed ? l2r_fail(error, L2R_ERR_IO, "cannot write JSON to standard output") : L2R_OK;
}
