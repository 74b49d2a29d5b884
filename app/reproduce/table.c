/* SPDX-License-Identifier: MIT
 *
 * See table.h: the numbers. How they are written is in table_markdown.c and table_export.c.
 *
 *     cell(row, column):   mean ± sd over the seeds that are done
 *     gain:                test(row, seed) − test(backbone, seed), over the seeds that both have: both start
 *                          from the same random numbers, so the spread between seeds cancels in part
 *     best:                of a column, controls left out
 */
#include "reproduce/table.h"

#include "base/memory.h"
#include "io/file.h"
#include "metrics/metrics.h"
#include "metrics/statistics.h"
#include "store/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_TABLE = 1 << 28 };

double l2r_table_scale(const char *metric)
{
    return strcmp(metric, "rmse") == 0 || strcmp(metric, "mae") == 0 ? 1 : 100;
}

int l2r_table_digits(const char *metric)
{
    return l2r_table_scale(metric) == 1 ? 3 : 2;
}

static struct l2r_cell *cell_at(const struct l2r_table *table, int row, int column)
{
    return &table->cells[(size_t)row * table->spec->n_columns + (size_t)column];
}

/* The result lines of one cell, one per seed. */
struct seeds {
    const json_t **lines; /* [n_runs of the plan] */
    const struct l2r_planned **runs;
    int64_t n, n_planned;
};

static void collect(struct seeds *s, int row, int column, const struct l2r_plan *plan, const json_t *const *lines)
{
    s->n = s->n_planned = 0;
    for (size_t i = 0; i < plan->n; i++) {
        if (plan->runs[i].row != row || plan->runs[i].column != column) continue;
        const json_t *scores = l2r_spec_scores(&plan->spec->rows[row], lines[i]);
        s->n_planned++;
        if (scores == NULL) continue;
        s->runs[s->n] = &plan->runs[i];
        s->lines[s->n++] = scores;
    }
}

/* The mean of what is a number. */
static double mean_of(const struct seeds *s, const char *key)
{
    double sum = 0, n = 0;
    for (int64_t i = 0; i < s->n; i++) {
        double value = l2r_line_number(s->lines[i], key);
        if (isnan(value)) continue;
        sum += value;
        n++;
    }
    return n > 0 ? sum / n : (double)NAN;
}

/* The worst group's accuracy (model/group_scores.h); NaN: there are no groups, or none with classes. */
static double worst_of(const json_t *line)
{
    const json_t *test = json_object_get(json_object_get(json_object_get(line, "more"), "groups"), "test");
    const char *score = json_string_value(json_object_get(test, "score"));
    return score != NULL && strcmp(score, "accuracy") == 0 ? l2r_line_number(test, "worst") : (double)NAN;
}

/* The test score at the epoch that this validation part chose; NaN where there is only one. */
static double chosen_by(const json_t *line, const char *part)
{
    const json_t *selections = json_object_get(json_object_get(line, "more"), "selections");
    return l2r_line_number(json_object_get(selections, part), "test");
}

static void fill_cell(struct l2r_cell *cell, const struct seeds *s, double scale, double *values)
{
    cell->n = s->n;
    cell->n_planned = s->n_planned;
    for (int64_t i = 0; i < s->n; i++) values[i] = scale * l2r_line_number(s->lines[i], "test");
    l2r_mean_sd(&cell->mean, &cell->sd, values, s->n);
    for (int64_t i = 0; i < s->n; i++) values[i] = 100 * l2r_line_metric(s->lines[i], "test", "balanced_accuracy");
    l2r_mean_sd(&cell->balanced, &cell->balanced_sd, values, s->n);
    for (int64_t i = 0; i < s->n; i++) values[i] = 100 * worst_of(s->lines[i]);
    l2r_mean_sd(&cell->worst, &cell->worst_sd, values, s->n);
    for (int64_t i = 0; i < s->n; i++) values[i] = scale * l2r_line_number(s->lines[i], "best_test");
    l2r_mean_sd(&cell->best_test, &cell->best_test_sd, values, s->n);
    for (int64_t i = 0; i < s->n; i++) values[i] = scale * chosen_by(s->lines[i], "id-valid");
    l2r_mean_sd(&cell->by_id, &cell->by_id_sd, values, s->n);
    for (int64_t i = 0; i < s->n; i++) values[i] = scale * chosen_by(s->lines[i], "ood-valid");
    l2r_mean_sd(&cell->by_ood, &cell->by_ood_sd, values, s->n);
    cell->valid = scale * mean_of(s, "valid");
    cell->ess = mean_of(s, "ess");
    cell->dependence_left = mean_of(s, "dependence_left");
    cell->seconds = mean_of(s, "seconds");
    double parameters = s->n > 0 ? l2r_line_number(s->lines[0], "parameters") : 0;
    cell->parameters = isnan(parameters) ? 0 : (int64_t)parameters;
}

static void fill_paper(struct l2r_cell *cell, const struct l2r_spec_row *row, const char *column)
{
    const json_t *value = json_object_get(row->paper, column);
    const json_t *mean = json_array_get(value, 0), *sd = json_array_get(value, 1);
    cell->paper = json_is_number(mean) ? json_number_value(mean) : (double)NAN;
    cell->paper_sd = json_is_number(sd) ? json_number_value(sd) : (double)NAN;
}

/* Over the seeds that both have. */
static void fill_gain(struct l2r_cell *cell, const struct seeds *own, const struct seeds *plain, double scale,
                      double *values, double *backbone)
{
    int64_t n = 0;
    double mean, sd;
    for (int64_t i = 0; i < own->n; i++)
        for (int64_t k = 0; k < plain->n; k++) {
            if (own->runs[i]->seed != plain->runs[k]->seed) continue;
            backbone[n] = scale * l2r_line_number(plain->lines[k], "test");
            values[n] = scale * l2r_line_number(own->lines[i], "test") - backbone[n];
            n++;
        }
    cell->gain = l2r_interval_of(values, n);
    l2r_mean_sd(&mean, &sd, backbone, n);
    cell->gain_in_sd = n > 1 && sd > 0 ? cell->gain.mean / sd : (double)NAN;
}

static void mark_best(struct l2r_table *table, size_t column)
{
    const struct l2r_metric *metric = l2r_metric_find(table->metric[column]);
    double best = (double)NAN;
    for (size_t r = 0; metric != NULL && r < table->spec->n_rows; r++) {
        struct l2r_cell *cell = cell_at(table, (int)r, (int)column);
        if (table->spec->rows[r].control || cell->n == 0) continue;
        if (l2r_metric_better(metric, cell->mean, best)) best = cell->mean;
    }
    for (size_t r = 0; r < table->spec->n_rows; r++) {
        struct l2r_cell *cell = cell_at(table, (int)r, (int)column);
        cell->best = !table->spec->rows[r].control && cell->n > 0 && cell->mean == best;
    }
}

static void note_run(struct l2r_table *table, const struct l2r_planned *run, const json_t *line)
{
    const char *date = json_string_value(json_object_get(line, "date"));
    const char *metric = json_string_value(json_object_get(line, "metric"));
    const char *version = json_string_value(json_object_get(line, "version"));
    const char *vector = json_string_value(json_object_get(line, "vector"));
    double seconds = l2r_line_number(line, "seconds");
    table->n_done++;
    if (!isnan(seconds)) table->seconds += seconds;
    if (metric != NULL) snprintf(table->metric[run->column], sizeof table->metric[0], "%s", metric);
    if (vector != NULL) snprintf(table->vector, sizeof table->vector, "%s", vector);
    if (version != NULL) snprintf(table->version, sizeof table->version, "%s", version);
    if (date == NULL) return;
    if (table->first[0] == '\0' || strcmp(date, table->first) < 0)
        snprintf(table->first, sizeof table->first, "%.10s", date);
    if (strcmp(date, table->last) > 0) snprintf(table->last, sizeof table->last, "%.10s", date);
}

static void find_baselines(struct l2r_table *table, const struct l2r_planned *run, const struct l2r_results *results)
{
    char id[17];
    size_t c = (size_t)run->column;
    if (!table->spec->columns[c].baselines || table->has_baselines[c]) return;
    l2r_baselines_id(id, run->data, run->config);
    for (size_t i = results->n; i-- > 0 && !table->has_baselines[c];) {
        const char *own = json_string_value(json_object_get(results->lines[i], "id"));
        if (own == NULL || strcmp(own, id) != 0) continue;
        table->has_baselines[c] = l2r_baselines_from_json(&table->baselines[c], results->lines[i]);
    }
}

static enum l2r_status allocate(struct l2r_table *table, struct l2r_error *error)
{
    size_t rows = table->spec->n_rows, columns = table->spec->n_columns;
    table->cells = l2r_alloc(rows * columns, sizeof *table->cells);
    table->row_shown = l2r_alloc(rows, sizeof *table->row_shown);
    table->column_shown = l2r_alloc(columns, sizeof *table->column_shown);
    table->metric = l2r_alloc(columns, sizeof *table->metric);
    table->baselines = l2r_alloc(columns, sizeof *table->baselines);
    table->has_baselines = l2r_alloc(columns, sizeof *table->has_baselines);
    if (table->cells && table->row_shown && table->column_shown && table->metric && table->baselines &&
        table->has_baselines)
        return L2R_OK;
    return l2r_fail_memory(error, rows * columns * sizeof *table->cells, "a table");
}

static void fill(struct l2r_table *table, const struct l2r_plan *plan, const json_t *const *lines, struct seeds *own,
                 struct seeds *plain, double *values, double *backbone)
{
    const struct l2r_spec *spec = plan->spec;
    for (int c = 0; c < (int)spec->n_columns; c++) {
        double scale = l2r_table_scale(table->metric[c]);
        for (int r = 0; r < (int)spec->n_rows; r++) {
            struct l2r_cell *cell = cell_at(table, r, c);
            collect(own, r, c, plan, lines);
            fill_cell(cell, own, scale, values);
            fill_paper(cell, &spec->rows[r], spec->columns[c].label);
            if (spec->rows[r].backbone == NULL) continue;
            collect(plain, l2r_spec_row_find(spec, spec->rows[r].backbone), c, plan, lines);
            fill_gain(cell, own, plain, scale, values, backbone);
        }
        mark_best(table, (size_t)c);
    }
}

enum l2r_status l2r_table_make(struct l2r_table *table, const struct l2r_plan *plan, const struct l2r_results *results,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const json_t **room = l2r_alloc(3 * plan->n, sizeof *room);
    const struct l2r_planned **runs = l2r_alloc(2 * plan->n, sizeof *runs);
    double *values = l2r_alloc(2 * plan->n, sizeof *values);
    *table = (struct l2r_table){.spec = plan->spec, .set = plan->set, .n_planned = plan->n};
    L2R_TRY(allocate(table, error));
    if (room == NULL || runs == NULL || values == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for a table");
    for (size_t i = 0; i < plan->n; i++) {
        const struct l2r_planned *run = &plan->runs[i];
        table->row_shown[run->row] = table->column_shown[run->column] = true;
        room[i] = l2r_results_find(results, "run", run->id, run->config, NULL);
        if (room[i] != NULL) note_run(table, run, room[i]);
        find_baselines(table, run, results);
    }
    struct seeds own = {.lines = room + plan->n, .runs = runs};
    struct seeds plain = {.lines = room + 2 * plan->n, .runs = runs + plan->n};
    fill(table, plan, room, &own, &plain, values, values + plan->n);
done:
    l2r_free(room);
    l2r_free(runs);
    l2r_free(values);
    return status;
}

void l2r_table_clear(struct l2r_table *table)
{
    l2r_free(table->cells);
    l2r_free(table->row_shown);
    l2r_free(table->column_shown);
    l2r_free(table->metric);
    l2r_free(table->baselines);
    l2r_free(table->has_baselines);
    *table = (struct l2r_table){0};
}

/* Is there a file at `path` that begins otherwise? */
static bool is_foreign(const char *path, const char *begin)
{
    char *found = NULL;
    size_t length = 0;
    if (!l2r_path_is_there(path)) return false;
    bool own = l2r_path_is_file(path) && l2r_file_read(&found, &length, path, LARGEST_TABLE, NULL) == L2R_OK &&
               length >= strlen(begin) && memcmp(found, begin, strlen(begin)) == 0;
    l2r_free(found);
    return !own;
}

enum l2r_status l2r_table_refuse(const struct l2r_spec *spec, const char *dir, struct l2r_error *error)
{
    /* How each begins; the first with its title. */
    static const char *const forms[][2] = {
        {"md", "# "}, {"csv", "system,set,model,"}, {"tex", "% \\usepackage{booktabs"}};
    enum l2r_status status = L2R_OK;
    char *title = NULL, name[300], path[4096];
    size_t length = 0;
    FILE *stream = open_memstream(&title, &length);
    if (stream == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for a table");
    l2r_table_title(stream, spec);
    fclose(stream);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        (void)snprintf(name, sizeof name, "%.200s.%s", spec->name, forms[i][0]);
        L2R_TRY(l2r_path_join(path, sizeof path, dir, name, error));
        if (is_foreign(path, i == 0 ? title : forms[i][1]))
            L2R_FAIL(L2R_ERR_ARGUMENT, "%s is already there and is no table of %s; move it, or choose another --out",
                     path, spec->name);
    }
done:
    free(title);
    return status;
}

enum l2r_status l2r_table_write(const struct l2r_table *table, const char *dir, struct l2r_error *error)
{
    static const struct {
        const char *ending;
        void (*write)(FILE *out, const struct l2r_table *table);
    } forms[] = {{"md", l2r_table_markdown}, {"csv", l2r_table_csv}, {"tex", l2r_table_latex}};
    enum l2r_status status = L2R_OK;
    for (size_t i = 0; i < sizeof forms / sizeof *forms && status == L2R_OK; i++) {
        struct l2r_atomic file;
        char name[300], path[4096];
        snprintf(name, sizeof name, "%.200s.%s", table->spec->name, forms[i].ending);
        L2R_TRY(l2r_path_join(path, sizeof path, dir, name, error));
        L2R_TRY(l2r_atomic_open(&file, path, error));
        forms[i].write(file.stream, table);
        status = l2r_atomic_close(&file, status, error);
    }
done:
    return status;
}
