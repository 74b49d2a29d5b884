/* SPDX-License-Identifier: MIT
 *
 * See ensemble.h. Graphs are scored in blocks, so that the outputs of members and the representations, which are much
 * larger than the predictions, need the memory of one block. */
#include "model/ensemble.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/misuse.h"
#include "base/watch.h"
#include "comm/comm.h"
#include "metrics/probability.h"
#include "model/group_scores.h"
#include "model/predictor_state.h"
#include "model/scored.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

enum { BLOCK = 4096 /* graphs */ };

/* Outputs are averaged by index, so class c must have the same name in both models; a named class does not match a
 * class that has only a number. */
static enum l2r_status compare_words(const struct l2r_predictor *a, const struct l2r_predictor *b, const char *path_a,
                                     const char *path_b, struct l2r_error *error)
{
    bool classes = l2r_predictor_task(a) == L2R_TASK_MULTICLASS;
    int32_t outputs = l2r_predictor_n_outputs(a), lists = classes ? 1 : outputs, each = classes ? outputs : 2;
    for (int32_t t = 0; t < lists; t++)
        for (int32_t c = 0; c < each; c++) {
            const char *one = l2r_predictor_class_name(a, t, c), *other = l2r_predictor_class_name(b, t, c);
            if (one == other || (one && other && strcasecmp(one, other) == 0)) continue;
            return l2r_fail(error, L2R_ERR_ARGUMENT,
                            "class %d is %s%.60s%s in %s and %s%.60s%s in %s; an ensemble needs models with the same "
                            "classes in the same order, which `classes` sets in training",
                            (int)c, one ? "\"" : "", one ? one : "a number", one ? "\"" : "", path_a, other ? "\"" : "",
                            other ? other : "a number", other ? "\"" : "", path_b);
        }
    return L2R_OK;
}

static enum l2r_status compare_classes(const struct l2r_predictor *a, const struct l2r_predictor *b, const char *path_a,
                                       const char *path_b, struct l2r_error *error)
{
    for (int32_t k = 0; l2r_predictor_task(a) == L2R_TASK_MULTICLASS && k < l2r_predictor_n_outputs(a); k++)
        if (l2r_predictor_class(a, k) != l2r_predictor_class(b, k))
            return l2r_fail(
                error, L2R_ERR_ARGUMENT,
                "class %d is called %lld by %s and %lld by %s; an ensemble needs models with the same classes", (int)k,
                (long long)l2r_predictor_class(a, k), path_a, (long long)l2r_predictor_class(b, k), path_b);
    return compare_words(a, b, path_a, path_b, error);
}

enum l2r_status l2r_predictors_compare(const struct l2r_predictor *a, const struct l2r_predictor *b, const char *path_a,
                                       const char *path_b, struct l2r_error *error)
{
    const struct l2r_signature *s = l2r_predictor_signature(a);
    if (l2r_predictor_task(a) != l2r_predictor_task(b))
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "%s has a %s task, %s a %s task; an ensemble needs models of the same task", path_a,
                        l2r_task_name(l2r_predictor_task(a)), path_b, l2r_task_name(l2r_predictor_task(b)));
    if (l2r_predictor_n_outputs(a) != l2r_predictor_n_outputs(b))
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "%s has %d outputs, %s has %d; an ensemble needs models with the same outputs", path_a,
                        l2r_predictor_n_outputs(a), path_b, l2r_predictor_n_outputs(b));
    for (int32_t i = 0; i < s->n_tasks; i++) {
        const char *one = l2r_predictor_task_name(a, i), *other = l2r_predictor_task_name(b, i);
        if (one && other && strcmp(one, other) != 0)
            return l2r_fail(
                error, L2R_ERR_ARGUMENT,
                "%s predicts \"%s\" where %s predicts \"%s\"; an ensemble needs models with the same targets", path_a,
                one, path_b, other);
    }
    return s->task == L2R_TASK_REGRESSION ? L2R_OK : compare_classes(a, b, path_a, path_b, error);
}

/* Where the models of an ensemble come from: files, or models in memory, which are copied. */
struct models_given {
    const char *const *paths;
    const struct l2r_predictor *const *models;
};

static enum l2r_status open_models(struct l2r_ensemble *c, const struct models_given *from, int32_t n,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char first[32] = "models[0]", other[32];
    c->models = l2r_alloc((size_t)n, sizeof(struct l2r_predictor *));
    if (!c->models) return l2r_fail_memory(error, (size_t)n * sizeof *c->models, "an ensemble");
    for (int32_t k = 0; k < n; k++) {
        L2R_TRY(from->paths ? l2r_predictor_open(&c->models[k], from->paths[k], error)
                            : l2r_predictor_copy(&c->models[k], from->models[k], error));
        c->n_models = k + 1;
        c->task = l2r_predictor_task(c->models[0]);
        c->n_outputs = l2r_predictor_n_outputs(c->models[0]);
        snprintf(other, sizeof other, "models[%d]", (int)k);
        L2R_TRY(l2r_predictors_compare(c->models[0], c->models[k], from->paths ? from->paths[0] : first,
                                       from->paths ? from->paths[k] : other, error));
        c->n_members += c->models[k]->committee.n;
        if (l2r_predictor_width(c->models[k]) > c->width) c->width = l2r_predictor_width(c->models[k]);
    }
    size_t all = (size_t)c->n_members + (size_t)c->n_models;
    c->outputs = l2r_alloc_raw(all * (size_t)c->n_outputs, BLOCK * sizeof *c->outputs);
    c->member = l2r_alloc(all, sizeof *c->member);
    c->room = l2r_alloc(3 * (size_t)c->n_outputs, sizeof *c->room);
    c->share = l2r_alloc(2 * (size_t)BLOCK, sizeof *c->share);
    c->unseen = l2r_alloc(BLOCK, sizeof *c->unseen);
    if (!c->outputs || !c->member || !c->room || !c->share || !c->unseen)
        status = l2r_fail_memory(error, all * (size_t)c->n_outputs * BLOCK * sizeof *c->outputs, "an ensemble");
done:
    return status;
}

static enum l2r_status make(struct l2r_ensemble **ensemble, const struct models_given *from, int32_t n,
                            struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_ensemble *c = NULL;
    if (n < 1 || n > 10000) L2R_FAIL(L2R_ERR_ARGUMENT, "n = %d; expected 1 … 10000 models", (int)n);
    for (int32_t k = 0; k < n; k++)
        if (from->paths ? !from->paths[k] : !from->models[k])
            L2R_FAIL(L2R_ERR_ARGUMENT, "%s[%d] is NULL", from->paths ? "paths" : "models", (int)k);
    c = l2r_alloc(1, sizeof *c);
    if (!c) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for an ensemble");
    L2R_TRY(open_models(c, from, n, error));
    *ensemble = c;
    c = NULL;
done:
    l2r_ensemble_free(c);
    return status;
}

enum l2r_status l2r_ensemble_open(struct l2r_ensemble **ensemble, const char *const *paths, int32_t n,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(ensemble);
    *ensemble = NULL;
    L2R_NEED(paths);
    L2R_TRY(make(ensemble, &(struct models_given){.paths = paths}, n, error));
done:
    return status;
}

enum l2r_status l2r_ensemble_from_models(struct l2r_ensemble **ensemble, const struct l2r_predictor *const *models,
                                         int32_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(ensemble);
    *ensemble = NULL;
    L2R_NEED(models);
    L2R_TRY(make(ensemble, &(struct models_given){.models = models}, n, error));
done:
    return status;
}

void l2r_ensemble_free(struct l2r_ensemble *c)
{
    if (!c) return;
    for (int k = 0; k < c->n_models; k++) l2r_predictor_free(c->models[k]);
    l2r_free((void *)c->models);
    l2r_free(c->z);
    l2r_free(c->far);
    l2r_free(c->unseen);
    l2r_free(c->outputs);
    l2r_free((void *)c->member);
    l2r_free(c->room);
    l2r_free(c->share);
    l2r_free(c->half);
    l2r_free(c->scale);
    l2r_free(c);
}

int32_t l2r_ensemble_n_models(const struct l2r_ensemble *ensemble)
{
    return ensemble ? ensemble->n_models : 0;
}

const struct l2r_predictor *l2r_ensemble_model(const struct l2r_ensemble *ensemble, int32_t k)
{
    return ensemble && k >= 0 && k < ensemble->n_models ? ensemble->models[k] : NULL;
}

enum l2r_status l2r_ensemble_find_applicability(struct l2r_ensemble *c, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_domain *domain;
    if (!c) return l2r_fail(error, L2R_ERR_ARGUMENT, "ensemble is NULL");
    for (int k = 0; k < c->n_models; k++) {
        L2R_TRY(l2r_predictor_domain(&domain, c->models[k], error));
        if (domain->n_checked == 0)
            L2R_FAIL(L2R_ERR_ARGUMENT, "%s was trained without validation graphs, on which distances are calibrated",
                     l2r_predictor_checkpoint(c->models[k]));
    }
    if (!c->z) c->z = l2r_alloc_raw((size_t)BLOCK * (size_t)c->width, sizeof *c->z);
    if (!c->far) c->far = l2r_alloc_raw(BLOCK, sizeof *c->far);
    if (!c->z || !c->far)
        return l2r_fail_memory(error, (size_t)BLOCK * (size_t)c->width * sizeof *c->z, "representations");
    c->has_domain = true;
done:
    return status;
}

/* The classes of one graph: choice [1], or of binary tasks [outputs]. row: logits. */
static void choose(int32_t *choice, const struct l2r_ensemble *c, const float *row)
{
    const double *weight = l2r_predictor_signature(c->models[0])->class_weight;
    bool binary = c->task == L2R_TASK_BINARY, finite = l2r_all_finite(row, c->n_outputs);
    for (int32_t k = 0; k < (binary ? c->n_outputs : 1); k++)
        choice[k] = (binary ? isfinite(row[k]) : finite) ? l2r_decide(row, weight, c->task, c->n_outputs, k) : -1;
}

static void add_intervals(const struct l2r_answers *a, const struct l2r_ensemble *c, int64_t n)
{
    int32_t columns = c->n_outputs;
    for (int64_t i = 0; (a->low || a->high) && i < n * columns; i++) {
        int64_t k = i % columns;
        const struct l2r_target_map *map = a->by_spread ? NULL : l2r_predictor_signature(c->models[0])->target.map;
        double half = a->by_spread ? c->scale[k] * ((double)a->spread[i] + c->scale[columns + k]) : c->half[k];
        double middle = l2r_target_transform(map, k, (double)a->output[i]);
        if (a->low) a->low[i] = (float)l2r_target_restore(map, k, middle - half);
        if (a->high) a->high[i] = (float)l2r_target_restore(map, k, middle + half);
    }
}

/* Adds graphs with unseen categories, and distances, to the sums. */
static enum l2r_status add_domain(const struct l2r_answers *a, struct l2r_ensemble *c, int k,
                                  const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_domain *domain;
    if (a->unseen || a->applicability) {
        L2R_TRY(l2r_predictor_unseen(c->unseen, c->models[k], data, graphs, n, error));
        for (int64_t i = 0; a->unseen && i < n; i++)
            if (k == 0 || a->unseen[i] < 0) a->unseen[i] = c->unseen[i];
    }
    if (!a->distance && !a->applicability) goto done;
    L2R_TRY(l2r_predictor_domain(&domain, c->models[k], error));
    l2r_domain_distances(c->far, domain, c->z, n);
    for (int64_t i = 0; i < n; i++) {
        c->share[i] += (double)c->far[i];
        bool known = !a->applicability || c->unseen[i] < 0;
        c->share[BLOCK + i] += known ? (double)l2r_domain_applicability(domain, c->far[i]) : 0;
    }
done:
    return status;
}

static enum l2r_status predict_block(const struct l2r_answers *a, struct l2r_ensemble *c,
                                     const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t cells = n * c->n_outputs, members = 0;
    float *of_models = c->outputs + c->n_members * cells;
    bool measured = a->distance || a->applicability;
    for (int64_t i = 0; i < n; i++) c->share[i] = c->share[BLOCK + i] = 0;
    for (int k = 0; k < c->n_models; members += c->models[k++]->committee.n) {
        const struct l2r_committee_rows rows = {
            .output = of_models + k * cells, .members = c->outputs + members * cells, .z = measured ? c->z : NULL};
        L2R_TRY(l2r_predictor_rows(&rows, c->models[k], data, graphs, n, error));
        L2R_TRY(add_domain(a, c, k, data, graphs, n, error));
    }
    for (int k = 0; k < c->n_members + c->n_models; k++) c->member[k] = c->outputs + k * cells;
    l2r_combine(a->output, c->room, c->member + c->n_members, NULL, c->n_models, c->task,
                l2r_predictor_signature(c->models[0])->target.map, n, c->n_outputs);
    if (a->spread) l2r_spread(a->spread, c->room, c->member, c->n_members, c->task, n, c->n_outputs);
    for (int64_t i = 0; a->choice && i < n; i++)
        choose(a->choice + i * (c->task == L2R_TASK_BINARY ? c->n_outputs : 1), c, a->output + i * c->n_outputs);
    if (!a->logits) l2r_probabilities(a->output, c->task, n, c->n_outputs);
    for (int64_t i = 0; i < n; i++) {
        if (a->distance) a->distance[i] = (float)(c->share[i] / c->n_models);
        if (a->applicability) a->applicability[i] = (float)(c->share[BLOCK + i] / c->n_models);
    }
done:
    return status;
}

/* Graphs first .. last, of which `first` begins a block. */
static enum l2r_status predict_range(const struct l2r_answers *a, struct l2r_ensemble *c,
                                     const struct l2r_dataset *data, const int32_t *graphs, int64_t first, int64_t last,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_watched loop;
    l2r_watched_begin(&loop, "graphs scored", (last - first) * c->n_members);
    for (int64_t begin = first; begin < last; begin += BLOCK) {
        int64_t size = last - begin < BLOCK ? last - begin : BLOCK;
        struct l2r_answers part = {
            .logits = a->logits,
            .output = a->output + begin * c->n_outputs,
            .spread = a->spread ? a->spread + begin * c->n_outputs : NULL,
            .distance = a->distance ? a->distance + begin : NULL,
            .applicability = a->applicability ? a->applicability + begin : NULL,
            .unseen = a->unseen ? a->unseen + begin : NULL,
            .choice = a->choice ? a->choice + begin * (c->task == L2R_TASK_BINARY ? c->n_outputs : 1) : NULL,
        };
        L2R_TRY(predict_block(&part, c, data, graphs + begin, size, error));
    }
done:
    return l2r_watched_end(&loop, status, error);
}

/* Rows of `columns` numbers of 4 bytes. */
static void gather(struct l2r_comm *comm, void *all, int64_t *bytes, const int64_t *cut, int64_t columns)
{
    for (int r = 0; r <= comm->size; r++) bytes[r] = cut[r] * columns * (int64_t)sizeof(float);
    if (all) l2r_comm_gather(comm, all, bytes);
}

/* An equal number of blocks for each rank. */
static enum l2r_status predict_ranks(const struct l2r_answers *a, struct l2r_ensemble *c,
                                     const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_comm *comm = a->comm;
    int64_t blocks = (n + BLOCK - 1) / BLOCK, size = comm->size + 1, *cut = l2r_alloc(2 * (size_t)size, sizeof *cut);
    if (!cut) return l2r_fail_memory(error, 2 * (size_t)size * sizeof *cut, "the ranks");
    for (int64_t r = 0; r < size; r++) cut[r] = r + 1 < size ? blocks * r / comm->size * BLOCK : n;
    L2R_TRY(predict_range(a, c, data, graphs, cut[comm->rank], cut[comm->rank + 1], error));
    gather(comm, a->output, cut + size, cut, c->n_outputs);
    gather(comm, a->spread, cut + size, cut, c->n_outputs);
    gather(comm, a->distance, cut + size, cut, 1);
    gather(comm, a->applicability, cut + size, cut, 1);
    gather(comm, a->unseen, cut + size, cut, 1);
    gather(comm, a->choice, cut + size, cut, c->task == L2R_TASK_BINARY ? c->n_outputs : 1);
done:
    l2r_free(cut);
    return status;
}

enum l2r_status l2r_ensemble_answer(const struct l2r_answers *answers, struct l2r_ensemble *ensemble,
                                    const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_ensemble *c = ensemble;
    struct l2r_answers a;
    L2R_TRY(l2r_struct_take(&a, sizeof a, offsetof(struct l2r_answers, by_spread), answers, "answers", error));
    L2R_NEED(ensemble);
    if (!a.output) L2R_FAIL(L2R_ERR_ARGUMENT, "answers.output is NULL");
    if (a.batch_size < 0) L2R_FAIL(L2R_ERR_ARGUMENT, "answers.batch_size = %lld", (long long)a.batch_size);
    if (n > 0 && (!data || !graphs)) L2R_FAIL(L2R_ERR_ARGUMENT, "%s is NULL", data ? "graphs" : "data");
    if ((a.distance || a.applicability) && !c->has_domain) L2R_TRY(l2r_ensemble_find_applicability(c, error));
    if (a.choice && c->task == L2R_TASK_REGRESSION)
        L2R_FAIL(L2R_ERR_ARGUMENT, "answers.choice: a %s task has no classes to choose from", l2r_task_name(c->task));
    if (a.by_spread && !a.spread) L2R_FAIL(L2R_ERR_ARGUMENT, "answers.by_spread needs answers.spread, which is NULL");
    if (a.low || a.high) L2R_TRY(l2r_ensemble_find_intervals(c, a.coverage, a.by_spread, error));
    /* No graph at all: the first model still checks the arguments. */
    if (n <= 0) L2R_TRY(l2r_predictor_represent(a.output, NULL, c->models[0], data, graphs, n, error));
    /* Whole blocks need no exchange until the end; with few blocks some ranks would be idle, so batches are divided. */
    bool by_block = a.comm && n > BLOCK * (int64_t)a.comm->size;
    for (int k = 0; k < c->n_models; k++) {
        l2r_predictor_divide(c->models[k], by_block ? NULL : a.comm);
        if (a.batch_size > 0) l2r_predictor_limit_batch(c->models[k], a.batch_size);
    }
    L2R_TRY(by_block ? predict_ranks(&a, c, data, graphs, n, error) : predict_range(&a, c, data, graphs, 0, n, error));
    add_intervals(&a, c, n);
done:
    return status;
}

bool l2r_ensemble_shares_split(const struct l2r_ensemble *ensemble)
{
    for (int k = 1; ensemble && k < ensemble->n_models; k++)
        if (strcmp(ensemble->models[0]->trained->split, ensemble->models[k]->trained->split) != 0) return false;
    return ensemble != NULL;
}

enum l2r_status l2r_ensemble_report(json_t **report, struct l2r_ensemble *ensemble, const struct l2r_dataset *data,
                                    const int32_t *graphs, int64_t n, const char *metrics, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_scored scored = {0};
    struct l2r_answers answers = L2R_ANSWERS_INIT;
    *report = NULL;
    /* Labels in the class numbers of the first model, whose outputs are then replaced by those of all. */
    L2R_TRY(l2r_predictor_scored(&scored, ensemble->models[0], data, graphs, n, error));
    answers.output = scored.output;
    answers.logits = true;
    if (n > 0 && ensemble->n_models > 1) L2R_TRY(l2r_ensemble_answer(&answers, ensemble, data, graphs, n, error));
    L2R_TRY(l2r_scored_report(report, &scored, metrics, error));
    L2R_TRY(l2r_report_groups(*report, &scored, data, graphs, n, error));
    if (ensemble->n_models == 1)
        L2R_TRY(l2r_predictor_report_members(*report, ensemble->models[0], data, graphs, n, metrics, error));
done:
    if (status != L2R_OK) {
        json_decref(*report);
        *report = NULL;
    }
    l2r_scored_clear(&scored);
    return status;
}
