/* SPDX-License-Identifier: MIT
 * See reproduction.h: runs what is not done yet (agenda.h), then makes tables and figures from the results. */
#include "reproduce/reproduction.h"

#include "base/memory.h"
#include "base/threads.h"
#include "comm/comm.h"
#include "io/file.h"
#include "model/run_names.h"
#include "reproduce/agenda.h"
#include "reproduce/placement.h"
#include "reproduce/table.h"
#include "store/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum { LONGEST_PATH = 4096 };

static double expected(void *context, size_t job)
{
    return l2r_agenda_expected(context, job);
}

/* A finished run as a line of the results. New reference; NULL: out of memory. */
static json_t *line_of(const struct l2r_spec *spec, const struct l2r_planned *run, const struct l2r_job_end *done,
                       const char *data, const char *folder, const char *dir)
{
    const struct l2r_result *r = done->result;
    double ess, left;
    json_t *head = json_object_get(r->conclusion, "head");
    l2r_line_weights(&ess, &left, dir);
    if (head != NULL) ess = l2r_line_number(r->conclusion, "ess");
    if (!isnan(l2r_line_number(r->conclusion, "dependence_left"))) /* on Fourier features drawn afresh */
        left = l2r_line_number(r->conclusion, "dependence_left");
    json_t *line =
        json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:I}", "kind", "run", "id", run->id, "data", data, "table",
                  spec->name, "system", spec->rows[run->row].label, "set", spec->columns[run->column].label, "model",
                  spec->rows[run->row].model, "method", spec->rows[run->row].method, "seed", (json_int_t)run->seed);
    json_t *scores =
        json_pack("{s:s,s:o,s:o,s:o,s:I,s:I,s:o,s:o}", "metric", r->metric, "train", l2r_json_real(r->train), "valid",
                  l2r_json_real(r->valid), "test", l2r_json_real(r->test), "best_epoch", (json_int_t)r->best_epoch,
                  "epochs", (json_int_t)r->epochs, "ess", l2r_json_real(ess), "dependence_left", l2r_json_real(left));
    json_t *rest =
        json_pack("{s:o,s:o,s:o,s:i,s:s,s:I,s:s}", "seconds", l2r_json_real(r->seconds), "cpu_seconds",
                  l2r_json_real(done->cpu_seconds), "graphs_per_second", l2r_json_real(r->graphs_per_second), "threads",
                  done->threads, "vector", r->vector, "parameters", (json_int_t)r->n_parameters, "run", folder);
    double best_test = l2r_line_best_test(dir, r->metric);
    bool failed = line == NULL || scores == NULL || rest == NULL || json_object_update(line, scores) != 0 ||
                  (!isnan(best_test) && json_object_set_new(line, "best_test", l2r_json_real(best_test)) != 0) ||
                  json_object_update(line, rest) != 0 || l2r_line_origin(line) != 0 ||
                  json_object_set(line, "more", r->more) != 0 ||
                  (head != NULL && json_object_set(line, "head", head) != 0) ||
                  json_object_set_new(line, "config", l2r_config_to_json(run->config)) != 0;
    json_decref(scores);
    json_decref(rest);
    if (!failed) return line;
    json_decref(line);
    return NULL;
}

static enum l2r_status on_finished(void *context, const struct l2r_job_end *done, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_agenda *w = context;
    const struct l2r_todo *t = &w->todo[done->job];
    char fingerprint[17];
    L2R_TRY(l2r_shared_data_fingerprint(fingerprint, &w->shared, w->jobs[done->job].data, error));
    json_t *line = line_of(t->plan->spec, t->run, done, fingerprint, t->folder, t->dir);
    if (line == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for a line of results");
    L2R_TRY(l2r_results_add(&w->results, line, error));
    l2r_estimate_learn(&w->estimate, t->cell, t->column, t->base, done->result->seconds);
    if (w->order->finished != NULL) w->order->finished(w->order->context, t->label, done->result);
done:
    return status;
}

static void on_failed(void *context, size_t job, const struct l2r_error *why)
{
    const struct l2r_agenda *w = context;
    if (w->order->failed != NULL) w->order->failed(w->order->context, w->todo[job].label, why->message);
}

static void on_progress(void *context, const struct l2r_runner_state *state)
{
    const struct l2r_agenda *w = context;
    if (w->order->progress != NULL) w->order->progress(w->order->context, state, w->jobs);
}

static bool on_stop(void *context)
{
    const struct l2r_agenda *w = context;
    return w->order->stop != NULL && w->order->stop(w->order->context);
}

/* Two thirds of the memory of the machine. */
static double memory_bound(void)
{
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) * 2 / 3;
}

static enum l2r_status run_jobs(struct l2r_agenda *w, size_t *n_failed, struct l2r_error *error)
{
    int n_workers = w->order->n_workers > 0 ? w->order->n_workers : l2r_threads_get();
    double seconds = 0;
    for (size_t j = 0; j < w->n_todo; j++) seconds += expected(w, j) / n_workers / l2r_comm_n_ranks(w->order->comm);
    const struct l2r_reproduce_start start = {.n_planned = w->n_planned,
                                              .n_todo = w->n_todo,
                                              .n_equal = w->n_equal,
                                              .n_workers = n_workers * l2r_comm_n_ranks(w->order->comm),
                                              .seconds = seconds};
    if (w->order->start != NULL) w->order->start(w->order->context, &start);
    const struct l2r_runner runner = {.jobs = w->jobs,
                                      .n_jobs = w->n_todo,
                                      .shared = &w->shared,
                                      .n_workers = n_workers,
                                      .memory = memory_bound(),
                                      .comm = w->order->comm,
                                      .context = w,
                                      .finished = on_finished,
                                      .failed = on_failed,
                                      .expected = expected,
                                      .progress = on_progress,
                                      .stop = on_stop};
    return l2r_runner_run(&runner, n_failed, error);
}

static const struct l2r_reproduction *find_entry(const char *name)
{
    for (size_t i = 0; l2r_reproductions[i] != NULL; i++)
        if (strcmp(l2r_reproductions[i]->name, name) == 0) return l2r_reproductions[i];
    return NULL;
}

static enum l2r_status report_table(const struct l2r_agenda *w, const struct l2r_table *table, struct l2r_error *error)
{
    char *text = NULL, *rest;
    size_t length = 0;
    if (w->order->report == NULL) return L2R_OK;
    FILE *stream = open_memstream(&text, &length);
    if (stream == NULL) return l2r_fail_memory(error, 0, "a table");
    l2r_table_markdown(stream, table);
    fclose(stream);
    rest = text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL && rest != NULL;) w->order->report(w->order->context, line);
    free(text);
    return L2R_OK;
}

static enum l2r_status make_outcome(const struct l2r_agenda *w, size_t i, bool partial, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_table table = {0};
    const struct l2r_reproduction *entry = find_entry(w->specs[i].name);
    const struct l2r_reproduce job = {.dir = w->order->dir,
                                      .quick = w->order->quick,
                                      .spec = &w->specs[i],
                                      .plan = &w->plans[i],
                                      .results = &w->results,
                                      .context = w->order->context,
                                      .report = w->order->report};
    if (entry != NULL) return partial ? L2R_OK : entry->make(&job, error);
    L2R_TRY(l2r_table_make(&table, &w->plans[i], &w->results, error));
    L2R_TRY(l2r_table_write(&table, w->order->dir, error));
    if (w->specs[i].figure != NULL) L2R_TRY(l2r_placement_draw(&job, partial || w->order->show, error));
    if (!partial) L2R_TRY(report_table(w, &table, error));
done:
    l2r_table_clear(&table);
    return status;
}

enum l2r_status l2r_reproduce_line(const json_t **line, char *path, const struct l2r_reproduce *job, int row,
                                   int column, int64_t seed, struct l2r_error *error)
{
    *line = NULL;
    for (size_t i = 0; i < job->plan->n && *line == NULL; i++) {
        const struct l2r_planned *run = &job->plan->runs[i];
        if (run->row == row && run->column == column && run->seed == seed)
            *line = l2r_results_find(job->results, "run", run->id, run->config, NULL);
    }
    if (*line == NULL)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "%s: the run of %s on %s with seed %lld is not there", job->spec->name,
                        job->spec->rows[row].label, job->spec->columns[column].label, (long long)seed);
    const char *folder = json_string_value(json_object_get(*line, "run"));
    return path == NULL ? L2R_OK : l2r_path_join(path, LONGEST_PATH, job->dir, folder != NULL ? folder : "", error);
}

/* Finds the work left. Rank 0 reads first, because it adds to the results file; then all ranks read the same. */
static enum l2r_status find_agenda(struct l2r_agenda *w, const struct l2r_reproduce_order *order,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    bool leads = l2r_comm_leads(order->comm);
    uint64_t hash = 0;
    if (!leads) l2r_comm_barrier(order->comm);
    L2R_TRY(l2r_agenda_init(w, order, error));
    if (!order->show) L2R_TRY(l2r_agenda_find(w, error));
    if (leads) l2r_comm_barrier(order->comm);
    for (size_t j = 0; j < w->n_todo; j++) hash = XXH3_64bits_withSeed(w->todo[j].dir, strlen(w->todo[j].dir), hash);
    L2R_TRY(l2r_comm_agree(order->comm, hash,
                           "finds different runs to do than rank 0; can all ranks see the same folders and data?",
                           error));
done:
    return status;
}

enum l2r_status l2r_reproduce_all(const struct l2r_reproduce_order *order, size_t *n_failed, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_agenda w = {.order = order, .results = {.file = -1}};
    *n_failed = 0;
    L2R_TRY(find_agenda(&w, order, error));
    if (!order->show) {
        status = run_jobs(&w, n_failed, error);
        if (status != L2R_OK && status != L2R_ERR_INTERRUPTED) goto done;
    }
    bool partial = status != L2R_OK;
    struct l2r_error later;
    for (size_t i = 0; l2r_comm_leads(order->comm) && i < (size_t)order->n_names; i++) {
        enum l2r_status made = make_outcome(&w, i, partial, partial ? &later : error);
        if (!partial && made != L2R_OK) {
            status = made;
            goto done;
        }
    }
    /* A rank that exits with an error has the others ended soon after: wait until rank 0 has written its tables. */
    if (partial) l2r_comm_barrier(order->comm);
done:
    l2r_agenda_clear(&w);
    return status;
}
