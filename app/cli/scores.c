/* SPDX-License-Identifier: MIT
 * See scores.h. */
#include "cli/scores.h"

#include "base/memory.h"
#include "cli/terminal.h"
#include "metrics/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_METRICS = 32, MOST_TASKS = 30 /* rows that a finished run prints */ };

static double number_in(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* Names are cut so that a long heading of a table does not push the numbers off the screen. */
const char *cli_task_name(char out[CLI_TASK_NAME], const json_t *task)
{
    const char *name = json_string_value(json_object_get(task, "name"));
    if (name)
        snprintf(out, CLI_TASK_NAME, "%.40s", name);
    else
        snprintf(out, CLI_TASK_NAME, "%lld", (long long)json_integer_value(json_object_get(task, "task")));
    return out;
}

/* The metrics that get a column: those of the first task, as far as they are wanted. */
static int columns_of(const char *names[MOST_METRICS], const json_t *task, bool all)
{
    int n = 0;
    for (size_t i = 0; l2r_metrics[i] && n < MOST_METRICS; i++)
        if (json_object_get(task, l2r_metrics[i]->name) && (all || l2r_metrics[i]->brief))
            names[n++] = l2r_metrics[i]->name;
    return n;
}

/* The lowest and the highest decision threshold; false: there are none. */
static bool find_thresholds(double *low, double *high, const json_t *report)
{
    const json_t *list = json_object_get(report, "thresholds");
    size_t n = json_array_size(list);
    for (size_t k = 0; k < n; k++) {
        double p = json_number_value(json_array_get(list, k));
        *low = k == 0 || p < *low ? p : *low;
        *high = k == 0 || p > *high ? p : *high;
    }
    return n > 0;
}

void cli_thresholds_print(FILE *stream, const json_t *report, const char *before)
{
    double low, high;
    if (!find_thresholds(&low, &high, report)) return;
    if (low == high)
        fprintf(stream, "%sdecision threshold: class 1 where p > %.4g\n", before, low);
    else
        fprintf(stream, "%sdecision thresholds: class 1 where p > %.4g to %.4g, by task\n", before, low, high);
}

static void print_tasks(FILE *stream, const json_t *report, bool all)
{
    const json_t *tasks = json_object_get(report, "tasks"), *thresholds = json_object_get(report, "thresholds");
    const char *names[MOST_METRICS];
    char alignment[MOST_METRICS + 5] = "lr", name[CLI_TASK_NAME];
    const json_t *first = json_array_get(tasks, 0);
    int n = columns_of(names, first, all);
    bool binary = json_object_get(first, "positives") != NULL;
    double low = 0, high = 0;
    bool differ = find_thresholds(&low, &high, report) && low != high;
    struct cli_table table;
    memset(alignment + 2, 'r', (size_t)(n + binary + differ));
    alignment[2 + n + binary + differ] = '\0';
    cli_table_init(&table, alignment);
    cli_table_add(&table, "task");
    cli_table_add(&table, "graphs");
    if (binary) cli_table_add(&table, "positive");
    if (differ) cli_table_add(&table, "threshold");
    for (int i = 0; i < n; i++) cli_table_add(&table, "%s", names[i]);
    for (size_t k = 0; k < json_array_size(tasks); k++) {
        const json_t *task = json_array_get(tasks, k);
        cli_table_add(&table, "%s", cli_task_name(name, task));
        cli_table_add(&table, "%.0f", number_in(task, "n"));
        if (binary) cli_table_add(&table, "%.0f", number_in(task, "positives"));
        if (differ) cli_table_add(&table, "%.4g", json_number_value(json_array_get(thresholds, k)));
        for (int i = 0; i < n; i++) cli_table_add_score(&table, number_in(task, names[i]));
    }
    fputc('\n', stream);
    cli_table_print(&table, stream, "");
    cli_table_clear(&table);
}

/* The scores of each member of a committee by itself. */
static void print_members(FILE *stream, const json_t *members, bool all)
{
    const char *names[MOST_METRICS];
    char alignment[MOST_METRICS + 4] = "rl";
    int n = columns_of(names, json_array_get(members, 0), all);
    struct cli_table table;
    memset(alignment + 2, 'r', (size_t)n);
    alignment[2 + n] = '\0';
    cli_table_init(&table, alignment);
    cli_table_add(&table, "member");
    cli_table_add(&table, "alone");
    for (int i = 0; i < n; i++) cli_table_add(&table, "%s", names[i]);
    for (size_t k = 0; k < json_array_size(members); k++) {
        const json_t *member = json_array_get(members, k);
        cli_table_add(&table, "%zu", k + 1);
        cli_table_add(&table, "%s", json_string_value(json_object_get(member, "model")));
        for (int i = 0; i < n; i++) cli_table_add_score(&table, number_in(member, names[i]));
    }
    fputc('\n', stream);
    cli_table_print(&table, stream, "");
    cli_table_clear(&table);
}

void cli_report_print(FILE *stream, const json_t *report, bool all)
{
    struct cli_table table;
    const json_t *tasks = json_object_get(report, "tasks");
    const char *metric;
    json_t *value;
    cli_table_init(&table, "lr");
    table.no_heading = true;
    json_object_foreach((json_t *)(uintptr_t)report, metric, value)
    {
        const struct l2r_metric *known = l2r_metric_find(metric);
        if (strcmp(metric, "n") == 0 || json_is_array(value) || json_is_object(value) ||
            (tasks && known && known->units))
            continue;
        cli_table_add(&table, "%s", metric);
        cli_table_add_score(&table, json_is_number(value) ? json_number_value(value) : (double)NAN);
    }
    cli_table_print(&table, stream, "");
    cli_table_clear(&table);
    if (tasks) print_tasks(stream, report, all);
    cli_thresholds_print(stream, report, "\n");
    if (json_object_get(report, "members")) print_members(stream, json_object_get(report, "members"), all);
    cli_groups_print(stream, json_object_get(report, "groups"), NULL);
}

/* ---- by class and environment ---- */

static void add_group(struct cli_table *table, const json_t *group, const char *score)
{
    const json_t *class = json_object_get(group, "class");
    const char *environment = json_string_value(json_object_get(group, "environment"));
    if (json_is_integer(class))
        cli_table_add(table, "%lld", (long long)json_integer_value(class));
    else
        cli_table_add(table, "%.40s", class ? json_string_value(class) : "");
    cli_table_add(table, "%.40s", environment ? environment : "");
    cli_table_add(table, "%.0f", number_in(group, "n"));
    cli_table_add_score(table, number_in(group, score));
}

void cli_groups_print(FILE *stream, const json_t *groups, const char *part)
{
    struct cli_table table;
    const json_t *list = json_object_get(groups, "groups");
    const char *score = json_string_value(json_object_get(groups, "score"));
    if (!score) return;
    fputc('\n', stream);
    if (json_array_size(list) > 0 && json_array_size(list) <= MOST_TASKS) {
        cli_table_init(&table, "rlrr");
        cli_table_add(&table, "class");
        cli_table_add(&table, "environment");
        cli_table_add(&table, "%s%sgraphs", part ? part : "", part ? " " : "");
        cli_table_add(&table, "%s", score);
        for (size_t k = 0; k < json_array_size(list); k++) add_group(&table, json_array_get(list, k), score);
        cli_table_print(&table, stream, "");
        cli_table_clear(&table);
    }
    fprintf(stream, "worst of %.0f groups %.4f, mean over groups %.4f (%s%s%s)\n", number_in(groups, "n"),
            number_in(groups, "worst"), number_in(groups, "mean"), part ? part : "", part ? " " : "", score);
}

/* ---- of a finished run ---- */

static const char *metric_of(const json_t *result)
{
    return json_string_value(json_object_get(result, "metric"));
}

static const json_t *tasks_of(const json_t *result, int part)
{
    return json_object_get(json_object_get(json_object_get(result, "more"), l2r_part_name(part)), "tasks");
}

struct task_score {
    size_t task;
    double score;
};

static int by_score(const void *left, const void *right)
{
    double a = ((const struct task_score *)left)->score, b = ((const struct task_score *)right)->score;
    return (a > b) - (a < b);
}

/* Many tasks in one line: the range of the scores, and the tasks with the lowest and the highest. */
static void print_range(FILE *stream, const json_t *result, int part, const char *dir)
{
    const json_t *tasks = tasks_of(result, part);
    size_t n = 0, size = json_array_size(tasks);
    struct task_score *scores = l2r_alloc(size, sizeof *scores);
    char low[CLI_TASK_NAME], high[CLI_TASK_NAME];
    for (size_t k = 0; scores && k < size; k++) {
        double score = number_in(json_array_get(tasks, k), metric_of(result));
        if (!isnan(score)) scores[n++] = (struct task_score){k, score};
    }
    if (n > 0) {
        qsort(scores, n, sizeof *scores, by_score);
        fprintf(stream, "\n%zu tasks: %s %s from %.4f (%s) to %.4f (%s), median %.4f; `l2r eval %s` lists them\n", size,
                l2r_part_name(part), metric_of(result), scores[0].score,
                cli_task_name(low, json_array_get(tasks, scores[0].task)), scores[n - 1].score,
                cli_task_name(high, json_array_get(tasks, scores[n - 1].task)), scores[n / 2].score, dir);
    }
    l2r_free(scores);
}

void cli_result_tasks_print(FILE *stream, const json_t *result, const char *dir)
{
    struct cli_table table;
    char name[CLI_TASK_NAME];
    int last = L2R_PART_TEST, parts = tasks_of(result, L2R_PART_ID_VALID) ? L2R_N_PARTS : L2R_PART_TEST + 1;
    while (last >= 0 && !tasks_of(result, last)) last--;
    if (last < 0) return;
    const json_t *tasks = tasks_of(result, last);
    if (json_array_size(tasks) > MOST_TASKS) {
        print_range(stream, result, last, dir);
        return;
    }
    cli_table_init(&table, parts == 3 ? "lrrr" : "lrrrrr");
    cli_table_add(&table, "%s of each task", metric_of(result));
    for (int p = 0; p < parts; p++) cli_table_add(&table, "%s", l2r_part_name(p));
    for (size_t k = 0; k < json_array_size(tasks); k++) {
        cli_table_add(&table, "%s", cli_task_name(name, json_array_get(tasks, k)));
        for (int p = 0; p < parts; p++)
            cli_table_add_score(&table, number_in(json_array_get(tasks_of(result, p), k), metric_of(result)));
    }
    fputc('\n', stream);
    cli_table_print(&table, stream, "");
    cli_table_clear(&table);
}
