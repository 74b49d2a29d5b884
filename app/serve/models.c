/* SPDX-License-Identifier: MIT
 * See models.h. */
#include "serve/models.h"

#include "base/array.h"
#include "base/memory.h"
#include "chem/molecule.h"
#include "data/features.h"
#include "data/reader.h"
#include "io/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void l2r_shelf_init(struct l2r_shelf *shelf)
{
    *shelf = (struct l2r_shelf){0};
    pthread_mutex_init(&shelf->lock, NULL);
}

static void backdrop_free(struct l2r_backdrop *b)
{
    if (!b) return;
    l2r_split_clear(&b->split);
    l2r_dataset_free(b->data);
    l2r_free(b);
}

static void model_free(struct l2r_served_model *m)
{
    if (!m) return;
    for (int i = 0; m->files && i < m->n_files; i++) l2r_free(m->files[i]);
    l2r_free((void *)m->files);
    l2r_ensemble_free(m->question.ensemble);
    backdrop_free(m->backdrop);
    pthread_mutex_destroy(&m->scoring);
    l2r_free(m);
}

void l2r_shelf_put(struct l2r_served_model *model)
{
    if (model && atomic_fetch_sub(&model->holders, 1) == 1) model_free(model);
}

struct l2r_served_model *l2r_shelf_take(struct l2r_shelf *shelf, int k)
{
    pthread_mutex_lock(&shelf->lock);
    struct l2r_served_model *model = shelf->models[k];
    atomic_fetch_add(&model->holders, 1);
    pthread_mutex_unlock(&shelf->lock);
    return model;
}

void l2r_shelf_clear(struct l2r_shelf *shelf)
{
    for (int k = 0; k < shelf->n; k++) {
        l2r_shelf_put(shelf->models[k]);
        l2r_free(shelf->names[k]);
        l2r_free(shelf->paths[k]);
    }
    pthread_mutex_destroy(&shelf->lock);
}

int l2r_shelf_find(const struct l2r_shelf *shelf, const char *name, size_t length)
{
    for (int k = 0; k < shelf->n; k++)
        if (strlen(shelf->names[k]) == length && strncmp(shelf->names[k], name, length) == 0) return k;
    return -1;
}

/* ---- loading ---- */

/* Changes whenever a model file is replaced; 0: one is not there. */
static uint64_t stamp_of(const struct l2r_ensemble *ensemble)
{
    uint64_t stamp = 1;
    for (int k = 0; k < ensemble->n_models; k++) {
        struct stat s;
        if (stat(l2r_predictor_checkpoint(ensemble->models[k]), &s) != 0) return 0;
        const uint64_t parts[] = {(uint64_t)s.st_ino, (uint64_t)s.st_size, (uint64_t)s.st_mtim.tv_sec,
                                  (uint64_t)s.st_mtim.tv_nsec};
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) stamp = (stamp ^ parts[i]) * 0x9e3779b97f4a7c15u;
    }
    return stamp ? stamp : 1;
}

static void find_question(struct l2r_served_model *m)
{
    struct l2r_question *q = &m->question;
    struct l2r_error reason = {0};
    q->model = l2r_ensemble_model(q->ensemble, 0);
    q->task = l2r_predictor_task(q->model);
    q->n_outputs = l2r_predictor_n_outputs(q->model);
    q->many = q->ensemble->n_members > 1;
    q->measured = l2r_ensemble_find_applicability(q->ensemble, &reason) == L2R_OK;
    if (q->task == L2R_TASK_REGRESSION)
        q->bounded = l2r_ensemble_find_intervals(q->ensemble, 0, false, &reason) == L2R_OK;
    const struct l2r_config *config = l2r_predictor_config(q->model);
    m->molecules = l2r_signature_is_of_molecules(l2r_predictor_signature(q->model));
    m->largest_fragment = l2r_config_has(config, "largest-fragment") && l2r_config_flag(config, "largest-fragment");
    bool own = false;
    for (int k = 0; k < q->ensemble->n_models; k++) {
        const struct l2r_committee *committee = l2r_predictor_committee(q->ensemble->models[k]);
        m->describe |= l2r_committee_features(committee);
        for (int32_t i = 0; i < committee->n; i++) own = own || committee->members[i]->signature.features.n_own > 0;
    }
    m->describe &= (1U << L2R_DESCRIPTIONS) - 1;
    if (own) m->feature_columns = l2r_config_text(config, "feature-columns");
}

static enum l2r_status load(struct l2r_served_model **model, const char *name, const char *path,
                            const char *const *files, int n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_served_model *m = *model = l2r_alloc(1, sizeof *m);
    if (!m) return l2r_fail_memory(error, sizeof *m, "a model");
    pthread_mutex_init(&m->scoring, NULL);
    m->name = name;
    m->path = path;
    m->holders = 1;
    m->version = 1;
    m->files = l2r_alloc((size_t)n, sizeof *m->files);
    if (!m->files) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: %s", path);
    for (m->n_files = 0; m->n_files < n; m->n_files++)
        if (!(m->files[m->n_files] = l2r_strdup(files[m->n_files])))
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory: %s", path);
    L2R_TRY(l2r_ensemble_open(&m->question.ensemble, files, n, error));
    m->stamp = stamp_of(m->question.ensemble);
    find_question(m);
done:
    if (status != L2R_OK) {
        model_free(m);
        *model = NULL;
    }
    return status;
}

/* "runs/esol/" -> "esol"; "esol-2" where there is one already. Letters that a URL or a column's name would have to
 * quote become "-". */
static char *name_of(const struct l2r_shelf *shelf, const char *path)
{
    char base[200], name[240];
    l2r_path_base(base, sizeof base, path);
    size_t length = strlen(base);
    if (length > 12 && strcmp(base + length - 12, ".safetensors") == 0) base[length - 12] = '\0';
    for (char *c = base; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || strchr("._-", *c)))
            *c = '-';
    snprintf(name, sizeof name, "%s", *base ? base : "model");
    for (int k = 2; l2r_shelf_find(shelf, name, strlen(name)) >= 0; k++)
        snprintf(name, sizeof name, "%s-%d", *base ? base : "model", k);
    return l2r_strdup(name);
}

enum l2r_status l2r_shelf_add(struct l2r_shelf *shelf, const char *path, const char *const *files, int n,
                              struct l2r_error *error)
{
    if (shelf->n == L2R_MOST_SERVED)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "at most %d models are served", (int)L2R_MOST_SERVED);
    int k = shelf->n;
    shelf->names[k] = name_of(shelf, path);
    shelf->paths[k] = l2r_strdup(path);
    enum l2r_status status = L2R_OK;
    if (!shelf->names[k] || !shelf->paths[k]) status = l2r_fail_memory(error, 0, "the name of a model");
    if (status == L2R_OK) status = load(&shelf->models[k], shelf->names[k], shelf->paths[k], files, n, error);
    if (status == L2R_OK) {
        shelf->n++;
        return L2R_OK;
    }
    model_free(shelf->models[k]);
    shelf->models[k] = NULL;
    l2r_free(shelf->names[k]);
    l2r_free(shelf->paths[k]);
    return status;
}

/* ---- watching ---- */

static void reload(struct l2r_shelf *shelf, int k, const struct l2r_served_model *old, uint64_t stamp)
{
    struct l2r_error error = {0};
    struct l2r_served_model *fresh = NULL;
    enum l2r_status status = load(&fresh, old->name, old->path, (const char *const *)old->files, old->n_files, &error);
    pthread_mutex_lock(&shelf->lock);
    shelf->refused[k] = status == L2R_OK ? 0 : stamp;
    snprintf(shelf->problems[k], sizeof shelf->problems[k], "%.290s", status == L2R_OK ? "" : error.message);
    if (status == L2R_OK) {
        fresh->version = old->version + 1;
        l2r_shelf_put(shelf->models[k]);
        shelf->models[k] = fresh;
    }
    pthread_mutex_unlock(&shelf->lock);
    if (status == L2R_OK)
        fprintf(stderr, "l2r: %s has changed and was loaded again\n", old->path);
    else
        fprintf(stderr, "l2r: %s has changed and cannot be loaded; the model before it goes on: %s\n", old->path,
                error.message);
}

static void read_backdrop(struct l2r_served_model *m)
{
    struct l2r_error error = {0};
    struct l2r_backdrop *b = l2r_alloc(1, sizeof *b);
    if (!b) return;
    if (l2r_predictor_open_data(&b->data, &b->split, m->question.model, &error) != L2R_OK)
        fprintf(stderr, "l2r: no training molecules beside the answers of %s: %s\n", m->name, error.message);
    m->backdrop = b; /* without data: not tried again */
}

void l2r_shelf_watch(struct l2r_shelf *shelf, bool (*stop)(void *context), void *context)
{
    for (int k = 0; k < shelf->n && !stop(context); k++) {
        struct l2r_served_model *m = l2r_shelf_take(shelf, k);
        uint64_t now = stamp_of(m->question.ensemble);
        if (now != 0 && now != m->stamp && now != shelf->refused[k]) reload(shelf, k, m, now);
        l2r_shelf_put(m);
        m = l2r_shelf_take(shelf, k);
        if (!m->backdrop) read_backdrop(m);
        l2r_shelf_put(m);
    }
}

/* ---- what is said of them ---- */

enum { QUANTILES = 101, BINS = 30 };

static json_t *numbers(const float *values, int64_t n)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < n; i++) l2r_json_append(list, l2r_json_real((double)values[i]));
    return list;
}

/* sorted [n]: how many lie in each of BINS equal parts between the first and the last percentile; the ends have the
 * rest. */
static json_t *histogram(const float *sorted, int64_t n)
{
    float low = sorted[n / 100], high = sorted[n - 1 - n / 100];
    float counts[BINS] = {0};
    json_t *object = json_object();
    for (int64_t i = 0; i < n; i++) {
        float place = high > low ? (sorted[i] - low) / (high - low) * BINS : 0;
        int bin = place < 0 ? 0 : place >= BINS ? BINS - 1 : (int)place;
        counts[bin]++;
    }
    l2r_json_put(object, "low", l2r_json_real((double)low));
    l2r_json_put(object, "high", l2r_json_real((double)high));
    l2r_json_put(object, "counts", numbers(counts, BINS));
    return object;
}

/* The labels of task t over the training graphs: their number, quantiles and histogram, or the share of class 1. */
static json_t *training_of(const struct l2r_backdrop *b, enum l2r_task task, int32_t t)
{
    int64_t all = l2r_split_size(&b->split, L2R_PART_TRAIN), n = 0;
    const int32_t *graphs = l2r_split_part(&b->split, L2R_PART_TRAIN);
    float quantile[QUANTILES], *sorted = l2r_alloc((size_t)all, sizeof *sorted);
    double sum = 0;
    json_t *object = json_object();
    for (int64_t i = 0; sorted && i < all; i++) {
        float label = b->data->labels[(int64_t)graphs[i] * b->data->n_tasks + t];
        if (!isnan(label)) sorted[n++] = label, sum += (double)label;
    }
    l2r_json_put(object, "molecules", json_integer(n));
    if (task == L2R_TASK_BINARY && n > 0) l2r_json_put(object, "positive", l2r_json_real(sum / (double)n));
    if (task == L2R_TASK_REGRESSION && n > 0) {
        qsort(sorted, (size_t)n, sizeof *sorted, l2r_compare_float);
        for (int q = 0; q < QUANTILES; q++) quantile[q] = sorted[(n - 1) * q / (QUANTILES - 1)];
        l2r_json_put(object, "quantiles", numbers(quantile, QUANTILES));
        l2r_json_put(object, "histogram", histogram(sorted, n));
    }
    l2r_free(sorted);
    return object;
}

/* A column of the answer: "value" or "p", of which task or class. */
static json_t *outputs_of(const struct l2r_served_model *m)
{
    const struct l2r_question *q = &m->question;
    const struct l2r_backdrop *b = m->backdrop;
    bool classes = q->task == L2R_TASK_MULTICLASS;
    json_t *list = json_array();
    for (int32_t k = 0; k < q->n_outputs; k++) {
        json_t *object = json_object();
        const char *task = l2r_predictor_task_name(q->model, classes ? 0 : k);
        const char *word = l2r_predictor_class_name(q->model, classes ? 0 : k, classes ? k : 1);
        const char *other = classes ? NULL : l2r_predictor_class_name(q->model, k, 0);
        const char *stem = q->task == L2R_TASK_REGRESSION ? "value" : "p", *suffix = classes ? word : task;
        char key[300], number[32];
        snprintf(number, sizeof number, "%lld", (long long)(classes ? l2r_predictor_class(q->model, k) : k));
        snprintf(key, sizeof key, q->n_outputs == 1 ? "%s" : "%s_%s", stem, suffix ? suffix : number);
        l2r_json_put(object, "key", l2r_json_name(key));
        l2r_json_put(object, "task", task ? l2r_json_name(task) : json_null());
        l2r_json_put(object, "class", word ? l2r_json_name(word) : classes ? json_string(number) : json_null());
        l2r_json_put(object, "other", other ? l2r_json_name(other) : json_null());
        l2r_json_put(object, "training", b && b->data ? training_of(b, q->task, classes ? 0 : k) : json_null());
        l2r_json_append(list, object);
    }
    return list;
}

static json_t *model_to_json(const struct l2r_served_model *m, const char *problem)
{
    const struct l2r_question *q = &m->question;
    const struct l2r_config *config = l2r_predictor_config(q->model);
    json_t *object = json_object();
    l2r_json_put(object, "name", json_string(m->name));
    l2r_json_put(object, "path", l2r_json_name(m->path));
    l2r_json_put(object, "task", json_string(l2r_task_name(q->task)));
    l2r_json_put(object, "model", json_string(l2r_config_text(config, "model")));
    l2r_json_put(object, "method", json_string(l2r_config_text(config, "method")));
    l2r_json_put(object, "members", json_integer(q->ensemble->n_members));
    l2r_json_put(object, "version", json_integer(m->version));
    l2r_json_put(object, "molecules", json_boolean(m->molecules));
    const struct l2r_backdrop *b = m->backdrop;
    l2r_json_put(object, "graphs", b && b->data ? json_integer(b->data->n_graphs) : json_null());
    l2r_json_put(object, "intervals", json_boolean(q->bounded));
    const struct l2r_calibration *c = l2r_predictor_committee(q->model)->calibration;
    l2r_json_put(object, "coverage", q->bounded && c ? l2r_json_real(c->coverage) : json_null());
    l2r_json_put(object, "applicability", json_boolean(q->measured));
    l2r_json_put(object, "feature_columns", m->feature_columns ? l2r_json_name(m->feature_columns) : json_null());
    l2r_json_put(object, "outputs", outputs_of(m));
    l2r_json_put(object, "problem", *problem ? l2r_json_name(problem) : json_null());
    return object;
}

json_t *l2r_shelf_to_json(struct l2r_shelf *shelf)
{
    json_t *list = json_array();
    for (int k = 0; k < shelf->n; k++) {
        char problem[sizeof shelf->problems[k]];
        struct l2r_served_model *m = l2r_shelf_take(shelf, k);
        pthread_mutex_lock(&shelf->lock);
        memcpy(problem, shelf->problems[k], sizeof problem);
        pthread_mutex_unlock(&shelf->lock);
        l2r_json_append(list, model_to_json(m, problem));
        l2r_shelf_put(m);
    }
    return list;
}
