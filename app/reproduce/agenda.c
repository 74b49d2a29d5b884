/* SPDX-License-Identifier: MIT
 *
 * See agenda.h.
 *
 *     names -> specs -> plans -> for each planned run:   in the results, same options, same data?    done
 *                                                        the same run is already on the list?        n_equal
 *                                                        otherwise                                   todo + job
 *
 * Data sets are loaded here to be fingerprinted: a run counts as done only for the graphs that it was trained on. The
 * runs that are done release their data at once, so that sets which no job needs do not stay in memory.
 */
#include "reproduce/agenda.h"

#include "base/memory.h"
#include "comm/comm.h"
#include "io/file.h"
#include "model/run_names.h"
#include "reproduce/baselines.h"
#include "reproduce/table.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_PATH = 4096 };

/* ---- Time ---- */

enum l2r_status l2r_estimate_init(struct l2r_estimate *e, size_t n_cells, size_t n_columns, struct l2r_error *error)
{
    *e = (struct l2r_estimate){.n_cells = n_cells, .n_columns = n_columns};
    e->cell = l2r_alloc(2 * n_cells, sizeof *e->cell);
    e->column = l2r_alloc(2 * n_columns, sizeof *e->column);
    return e->cell && e->column ? L2R_OK : l2r_fail_memory(error, 2 * n_cells * sizeof *e->cell, "time estimates");
}

void l2r_estimate_clear(struct l2r_estimate *e)
{
    l2r_free(e->cell);
    l2r_free(e->column);
    *e = (struct l2r_estimate){0};
}

static void add_to(double *pair, double value)
{
    pair[0] += value;
    pair[1] += 1;
}

void l2r_estimate_learn(struct l2r_estimate *e, size_t cell, size_t column, double base, double seconds)
{
    if (!(base > 0) || !(seconds >= 0)) return;
    add_to(e->cell + 2 * cell, seconds / base);
    add_to(e->column + 2 * column, seconds / base);
    add_to(e->all, seconds / base);
}

double l2r_estimate_expected(const struct l2r_estimate *e, size_t cell, size_t column, double base)
{
    const double *const levels[] = {e->cell + 2 * cell, e->column + 2 * column, e->all};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (levels[i][1] > 0) return base * levels[i][0] / levels[i][1];
    return base;
}

double l2r_estimate_base(double cost, double nodes, double epochs)
{
    return 5e-6 * cost * nodes * epochs;
}

/* ---- Plans and results ---- */

/* Small letters and digits, everything else a hyphen. */
static void append_word(char *out, size_t size, const char *text)
{
    size_t n = strlen(out);
    for (; *text != '\0' && n + 1 < size; text++)
        out[n++] = isalnum((unsigned char)*text) ? (char)tolower((unsigned char)*text) : '-';
    out[n] = '\0';
}

static void name_folder(char *out, size_t size, const struct l2r_spec *spec, const struct l2r_planned *run)
{
    char set[48] = "", system[48] = "";
    append_word(set, sizeof set, spec->columns[run->column].label);
    append_word(system, sizeof system, spec->rows[run->row].label);
    snprintf(out, size, "runs/%s-%s-%lld-%.8s", set, system, (long long)run->seed, run->id);
}

static enum l2r_status make_plans(struct l2r_agenda *w, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_reproduce_order *order = w->order;
    size_t cells = 0, columns = 0, n = (size_t)order->n_names;
    w->specs = l2r_alloc(n, sizeof *w->specs);
    w->plans = l2r_alloc(n, sizeof *w->plans);
    if (w->specs == NULL || w->plans == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the plan");
    for (size_t i = 0; i < n; i++) {
        L2R_TRY(l2r_spec_load(&w->specs[i], order->names[i], order->quick, error));
        L2R_TRY(l2r_plan_make(&w->plans[i], &w->specs[i], &order->plan, error));
        w->n_planned += w->plans[i].n;
        cells += w->specs[i].n_rows * w->specs[i].n_columns;
        columns += w->specs[i].n_columns;
    }
    w->todo = l2r_alloc(w->n_planned, sizeof *w->todo);
    w->jobs = l2r_alloc(w->n_planned, sizeof *w->jobs);
    w->data = l2r_alloc(w->n_planned, sizeof *w->data);
    if (w->todo == NULL || w->jobs == NULL || w->data == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the plan");
    L2R_TRY(l2r_estimate_init(&w->estimate, cells, columns, error));
done:
    return status;
}

static enum l2r_status open_results(struct l2r_agenda *w, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char path[LONGEST_PATH];
    for (size_t i = 0; i < (size_t)w->order->n_names; i++)
        L2R_TRY(l2r_table_refuse(&w->specs[i], w->order->dir, error));
    L2R_TRY(l2r_make_dirs(w->order->dir, error));
    if (w->order->results != NULL)
        L2R_TRY(l2r_path_join(path, sizeof path, "", w->order->results, error));
    else
        L2R_TRY(l2r_path_join(path, sizeof path, w->order->dir, "results.jsonl", error));
    L2R_TRY(l2r_results_open(&w->results, path, !w->order->show && l2r_comm_leads(w->order->comm), error));
    if (w->order->show) l2r_results_take_width(&w->results);
done:
    return status;
}

enum l2r_status l2r_agenda_init(struct l2r_agenda *w, const struct l2r_reproduce_order *order, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *w = (struct l2r_agenda){.order = order, .results = {.file = -1}};
    l2r_shared_data_init(&w->shared);
    L2R_TRY(make_plans(w, error));
    L2R_TRY(open_results(w, error));
done:
    return status;
}

void l2r_agenda_clear(struct l2r_agenda *w)
{
    for (size_t i = 0; i < (size_t)w->order->n_names; i++) {
        if (w->plans != NULL) l2r_plan_clear(&w->plans[i]);
        if (w->specs != NULL) l2r_spec_clear(&w->specs[i]);
    }
    l2r_free(w->specs);
    l2r_free(w->plans);
    l2r_free(w->todo);
    l2r_free(w->jobs);
    l2r_free(w->data);
    l2r_estimate_clear(&w->estimate);
    l2r_results_close(&w->results);
    l2r_shared_data_clear(&w->shared);
}

/* The load of a run: nodes per epoch, and the memory that it may need. A generated set is not made just to be
 * measured. */
static enum l2r_status measure(double *nodes, double *memory, struct l2r_agenda *w, size_t data,
                               const struct l2r_config *config, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_split split = {0};
    const struct l2r_dataset *graphs;
    double n_train = 1000, largest = 1 << 14; /* nodes of a scoring batch */
    double width = (double)l2r_config_int(config, "hidden") * (double)(l2r_config_int(config, "layers") + 1);
    *nodes = 20000;
    if (!l2r_data_is_generated(w->shared.sets[data].where)) {
        L2R_TRY(l2r_shared_data_get(&graphs, &w->shared, data, error));
        L2R_TRY(l2r_split_make(&split, graphs, config, error));
        *nodes = 0;
        n_train = (double)l2r_split_size(&split, L2R_PART_TRAIN);
        for (int64_t i = 0; i < split.start[2]; i++) *nodes += (double)l2r_dataset_nodes_of(graphs, split.graphs[i]);
        for (int64_t g = 0; g < graphs->n_graphs; g++)
            if ((double)l2r_dataset_nodes_of(graphs, g) > largest) largest = (double)l2r_dataset_nodes_of(graphs, g);
    }
    *memory = 64 * largest * width; /* some sixteen values a node, layer and column */
    if (l2r_config_has(config, "scope") && l2r_config_is(config, "scope", "epoch")) *memory += 8 * n_train * n_train;
done:
    l2r_split_clear(&split);
    return status;
}

static bool is_scheduled(const struct l2r_agenda *w, const struct l2r_planned *run)
{
    for (size_t i = 0; i < w->n_todo; i++)
        if (strcmp(w->todo[i].run->id, run->id) == 0 && strcmp(w->todo[i].run->where, run->where) == 0) return true;
    return false;
}

static enum l2r_status add_baselines(struct l2r_agenda *w, const struct l2r_plan *plan, const struct l2r_planned *run,
                                     size_t data, const char *fingerprint, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_baselines baselines;
    struct l2r_split split = {0};
    const struct l2r_dataset *graphs;
    char id[17];
    json_t *line = NULL;
    l2r_baselines_id(id, run->data, run->config);
    for (size_t i = 0; i < w->results.n; i++) {
        const json_t *old = w->results.lines[i];
        const char *own = json_string_value(json_object_get(old, "id"));
        const char *of = json_string_value(json_object_get(old, "data"));
        if (own != NULL && strcmp(own, id) == 0 && of != NULL && strcmp(of, fingerprint) == 0) return L2R_OK;
    }
    L2R_TRY(l2r_shared_data_get(&graphs, &w->shared, data, error));
    L2R_TRY(l2r_split_make(&split, graphs, run->config, error));
    L2R_TRY(l2r_baselines_make(&baselines, graphs, &split, error));
    line = json_pack("{s:s,s:s,s:s,s:s,s:o}", "kind", "baselines", "id", id, "data", fingerprint, "set",
                     plan->spec->columns[run->column].label, "config", l2r_config_to_json(run->config));
    json_t *numbers = l2r_baselines_to_json(&baselines);
    int failed = json_object_update(line, numbers) != 0 || l2r_line_origin(line) != 0;
    json_decref(numbers);
    if (failed != 0) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the baselines");
    L2R_TRY(l2r_results_add(&w->results, json_incref(line), error));
done:
    json_decref(line);
    l2r_split_clear(&split);
    return status;
}

static bool folder_is_there(const struct l2r_agenda *w, const char *folder)
{
    char path[LONGEST_PATH];
    snprintf(path, sizeof path, "%s/%s/" L2R_RESULT_FILE, w->order->dir, folder);
    return l2r_path_is_file(path);
}

/* Is the run done? If not, it is scheduled. The slot todo[n_todo] is filled first and kept only when it is counted. */
static enum l2r_status look_at(struct l2r_agenda *w, const struct l2r_plan *plan, const struct l2r_planned *run,
                               size_t data, size_t first_cell, size_t first_column, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_spec *spec = plan->spec;
    struct l2r_todo *t = &w->todo[w->n_todo];
    char fingerprint[17];
    double nodes, memory;
    L2R_TRY(l2r_shared_data_fingerprint(fingerprint, &w->shared, data, error));
    if (spec->columns[run->column].baselines) L2R_TRY(add_baselines(w, plan, run, data, fingerprint, error));
    *t = (struct l2r_todo){.plan = plan, .run = run, .column = first_column + (size_t)run->column};
    t->cell = first_cell + (size_t)run->row * spec->n_columns + (size_t)run->column;
    L2R_TRY(measure(&nodes, &memory, w, data, run->config, error));
    t->base = l2r_estimate_base(spec->rows[run->row].cost, nodes, (double)l2r_config_int(run->config, "epochs"));
    name_folder(t->folder, sizeof t->folder, spec, run);
    const json_t *line = l2r_results_find(&w->results, "run", run->id, run->config, fingerprint);
    if (line != NULL) l2r_estimate_learn(&w->estimate, t->cell, t->column, t->base, l2r_line_number(line, "seconds"));
    const char *folder = json_string_value(json_object_get(line, "run"));
    bool kept = !spec->needs_folders || (folder != NULL && folder_is_there(w, folder));
    bool done = line != NULL && kept;
    bool equal = !done && is_scheduled(w, run);
    if (equal) w->n_equal++;
    if (done || equal) {
        l2r_shared_data_release(&w->shared, data);
        goto done;
    }
    snprintf(t->label, sizeof t->label, "%.40s %.60s %lld", spec->columns[run->column].label,
             spec->rows[run->row].label, (long long)run->seed);
    L2R_TRY(l2r_path_join(t->dir, sizeof t->dir, w->order->dir, t->folder, error));
    w->jobs[w->n_todo++] =
        (struct l2r_job){.label = t->label, .dir = t->dir, .config = run->config, .data = data, .memory = memory};
done:
    return status;
}

enum l2r_status l2r_agenda_find(struct l2r_agenda *w, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t cell = 0, column = 0, n = 0;
    for (int i = 0; i < w->order->n_names; i++) /* all users first, so that nothing is loaded twice */
        for (size_t k = 0; k < w->plans[i].n; k++)
            L2R_TRY(l2r_shared_data_add(&w->data[n++], &w->shared, w->plans[i].runs[k].where,
                                        w->plans[i].runs[k].config, error));
    n = 0;
    for (int i = 0; i < w->order->n_names; i++) {
        for (size_t k = 0; k < w->plans[i].n; k++) {
            if (w->order->stop != NULL && w->order->stop(w->order->context))
                L2R_FAIL(L2R_ERR_INTERRUPTED, "interrupted before the first run");
            L2R_TRY(look_at(w, &w->plans[i], &w->plans[i].runs[k], w->data[n++], cell, column, error));
        }
        cell += w->specs[i].n_rows * w->specs[i].n_columns;
        column += w->specs[i].n_columns;
    }
done:
    return status;
}

double l2r_agenda_expected(const struct l2r_agenda *w, size_t job)
{
    const struct l2r_todo *t = &w->todo[job];
    return l2r_estimate_expected(&w->estimate, t->cell, t->column, t->base);
}
