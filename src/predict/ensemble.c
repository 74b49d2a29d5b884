/* SPDX-License-Identifier: MIT
 *
 * See ensemble.h. Graphs are asked about in blocks, so that the representations, which are much larger than the
 * answers, need the memory of one block. Sums over the models run in double and in the models' order,
 * whoever computes them, so the answers have the same bits with any number of ranks.
 */
#include "predict/ensemble.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/misuse.h"
#include "comm/comm.h"
#include "predict/group_scores.h"
#include "predict/predictor_state.h"
#include "predict/score.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

enum { BLOCK = 4096 /* graphs */ };

/* Outputs are averaged by number, so that class c must have the same word in both models; a class with a word is not
 * the class of another model that has only numbers. */
static enum l2r_status check_words(const struct l2r_predictor *first, const struct l2r_predictor *other,
                                   const char *path, const char *other_path, struct l2r_error *error)
{
    bool classes = l2r_predictor_task(first) == L2R_TASK_MULTICLASS;
    int32_t outputs = l2r_predictor_outputs(first), lists = classes ? 1 : outputs, each = classes ? outputs : 2;
    for (int32_t t = 0; t < lists; t++)
        for (int32_t c = 0; c < each; c++) {
            const char *mine = l2r_predictor_class_name(first, t, c), *its = l2r_predictor_class_name(other, t, c);
            if (mine == its || (mine && its && strcasecmp(mine, its) == 0)) continue;
            return l2r_fail(error, L2R_ERR_ARGUMENT,
                            "class %d is %s%.60s%s in %s and %s%.60s%s in %s; an ensemble needs models with the same "
                            "classes in the same order, which `classes` sets in training",
                            (int)c, mine ? "\"" : "", mine ? mine : "a number", mine ? "\"" : "", path, its ? "\"" : "",
                            its ? its : "a number", its ? "\"" : "", other_path);
        }
    return L2R_OK;
}

/* Does model k answer the same questions as model 0? */
static enum l2r_status check_alike(const struct l2r_ensemble *c, int k, const char *const *paths,
                                   struct l2r_error *error)
{
    const struct l2r_predictor *first = c->models[0], *other = c->models[k];
    if (l2r_predictor_task(first) != l2r_predictor_task(other))
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "%s has a %s task, %s a %s task; an ensemble needs models of the same task", paths[0],
                        l2r_task_name(l2r_predictor_task(first)), paths[k], l2r_task_name(l2r_predictor_task(other)));
    if (l2r_predictor_outputs(first) != l2r_predictor_outputs(other))
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "%s has %d outputs, %s has %d; an ensemble needs models with the same outputs", paths[0],
                        l2r_predictor_outputs(first), paths[k], l2r_predictor_outputs(other));
    for (int32_t i = 0; c->task == L2R_TASK_MULTICLASS && i < c->n_outputs; i++)
        if (l2r_predictor_class(first, i) != l2r_predictor_class(other, i))
            return l2r_fail(
                error, L2R_ERR_ARGUMENT,
                "class %d is called %lld by %s and %lld by %s; an ensemble needs models with the same classes", i,
                (long long)l2r_predictor_class(first, i), paths[0], (long long)l2r_predictor_class(other, i), paths[k]);
    for (int32_t i = 0; i < l2r_predictor_network(first)->signature.n_tasks; i++) {
        const char *mine = l2r_predictor_task_name(first, i), *its = l2r_predictor_task_name(other, i);
        if (mine && its && strcmp(mine, its) != 0)
            return l2r_fail(
                error, L2R_ERR_ARGUMENT,
                "%s predicts \"%s\" where %s predicts \"%s\"; an ensemble needs models with the same targets", paths[0],
                mine, paths[k], its);
    }
    if (c->task == L2R_TASK_REGRESSION) return L2R_OK;
    return check_words(first, other, paths[0], paths[k], error);
}

static enum l2r_status open_models(struct l2r_ensemble *c, const char *const *paths, int32_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    c->models = l2r_alloc((size_t)n, sizeof(struct l2r_predictor *));
    if (!c->models) return l2r_fail_memory(error, (size_t)n * sizeof *c->models, "an ensemble");
    for (int32_t k = 0; k < n; k++) {
        L2R_TRY(l2r_predictor_open(&c->models[k], paths[k], error));
        c->n_models = k + 1;
        c->task = l2r_predictor_task(c->models[0]);
        c->n_outputs = l2r_predictor_outputs(c->models[0]);
        L2R_TRY(check_alike(c, k, paths, error));
        c->n_voices += 1 + c->models[k]->n_members;
        if (l2r_predictor_width(c->models[k]) > c->width) c->width = l2r_predictor_width(c->models[k]);
    }
    c->sums = l2r_alloc((size_t)BLOCK * (4 * (size_t)c->n_outputs + 2), sizeof *c->sums);
    c->unseen = l2r_alloc(BLOCK, sizeof *c->unseen);
    if (!c->sums || !c->unseen) status = l2r_fail_memory(error, (size_t)BLOCK * sizeof *c->sums, "an ensemble");
done:
    return status;
}

enum l2r_status l2r_ensemble_open(struct l2r_ensemble **ensemble, const char *const *paths, int32_t n,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_ensemble *c = NULL;
    L2R_NEED(ensemble);
    *ensemble = NULL;
    L2R_NEED(paths);
    if (n < 1 || n > 10000) L2R_FAIL(L2R_ERR_ARGUMENT, "n = %d; expected 1 … 10000 models", (int)n);
    for (int32_t k = 0; k < n; k++)
        if (!paths[k]) L2R_FAIL(L2R_ERR_ARGUMENT, "paths[%d] is NULL", (int)k);
    c = l2r_alloc(1, sizeof *c);
    if (!c) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for an ensemble");
    L2R_TRY(open_models(c, paths, n, error));
    *ensemble = c;
    c = NULL;
done:
    l2r_ensemble_free(c);
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
    l2r_free(c->sums);
    l2r_free(c->half);
    l2r_free(c->scale);
    l2r_free(c);
}

int32_t l2r_ensemble_models(const struct l2r_ensemble *ensemble)
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

/* Mean probabilities as logits, which is what metrics and calibration are given. A mean of exactly 0 or 1 stays
 * finite. */
static void to_logits(float *output, enum l2r_task task, int64_t n)
{
    for (int64_t i = 0; i < n && task != L2R_TASK_REGRESSION; i++) {
        double p = fmin(fmax((double)output[i], 1e-12), 1 - 1e-12);
        if (isnan(output[i])) continue;
        output[i] = (float)(task == L2R_TASK_BINARY ? log(p) - log1p(-p) : log(p));
    }
}

/* The classes of one graph: choice [1], or of binary tasks [outputs]. scratch [outputs]. */
static void choose(int32_t *choice, const struct l2r_ensemble *c, const float *row, bool logits, float *scratch)
{
    const double *weight = l2r_predictor_network(c->models[0])->signature.class_weight;
    bool binary = c->task == L2R_TASK_BINARY, finite = l2r_all_finite(row, c->n_outputs);
    memcpy(scratch, row, (size_t)c->n_outputs * sizeof *scratch);
    if (!logits) to_logits(scratch, c->task, c->n_outputs);
    for (int32_t k = 0; k < (binary ? c->n_outputs : 1); k++)
        choice[k] = (binary ? isfinite(row[k]) : finite) ? l2r_decide(scratch, weight, c->task, c->n_outputs, k) : -1;
}

/* What follows from the means: classes and intervals. */
static void conclude(const struct l2r_answers *a, const struct l2r_ensemble *c, int64_t n)
{
    int32_t columns = c->n_outputs;
    float *scratch = (void *)c->sums; /* nobody is asked any more */
    for (int64_t i = 0; i < n; i++) {
        const float *row = a->output + i * columns;
        if (a->choice) choose(a->choice + i * (c->task == L2R_TASK_BINARY ? columns : 1), c, row, a->logits, scratch);
        for (int32_t k = 0; (a->low || a->high) && k < columns; k++) {
            double half =
                a->by_spread ? c->scale[k] * ((double)a->spread[i * columns + k] + c->scale[columns + k]) : c->half[k];
            if (a->low) a->low[i * columns + k] = (float)((double)row[k] - half);
            if (a->high) a->high[i * columns + k] = (float)((double)row[k] + half);
        }
    }
}

/* What was heard of a block of n graphs, cells = n × outputs: running means (Welford, so that models that agree have a
 * spread of exactly 0), and sums. */
struct heard {
    double *answer;         /* [cells] mean over the models */
    double *own;            /* [cells] mean over the voices of the model at hand */
    double *voice, *square; /* [cells] mean over all voices, and squares around it */
    double *far, *share;    /* [n] sums over the models */
};

static struct heard heard_in(double *sums, int64_t cells, int64_t n)
{
    double *voice = sums + 2 * cells;
    return (struct heard){sums, sums + cells, voice, voice + cells, voice + 2 * cells, voice + 2 * cells + n};
}

/* Voice number c->n_heard + 1 of all, and number `of_model` of its model. */
static void add_voice(const struct heard *h, const float *output, struct l2r_ensemble *c, int of_model, int64_t cells)
{
    c->n_heard++;
    for (int64_t i = 0; i < cells; i++) {
        double difference = (double)output[i] - h->voice[i];
        h->voice[i] += difference / c->n_heard;
        h->square[i] += difference * ((double)output[i] - h->voice[i]);
        if (of_model == 1) h->own[i] = 0;
        h->own[i] += ((double)output[i] - h->own[i]) / of_model;
    }
}

/* The mean of a committee's members (probabilities, or logits where `logits`) as validation calibrated it. */
static void calibrate_mean(float *mean, const struct l2r_predictor *model, bool logits, int64_t n)
{
    const struct l2r_signature *s = &model->network.signature;
    int32_t outputs = l2r_signature_outputs(s);
    if (!logits) to_logits(mean, s->task, n * outputs);
    l2r_calibration_apply(mean, s->calibration, s->task, n, outputs);
    if (!logits) l2r_predictor_probabilities(mean, model, n);
}

/* The model's answer, the mean of its voices, into the mean over the models. output: scratch. */
static void add_answer(const struct heard *h, float *output, const struct l2r_predictor *model, int k, bool logits,
                       int64_t n, int64_t cells)
{
    const struct l2r_calibration *calibration = model->network.signature.calibration;
    if (model->n_members > 0 && calibration && calibration->n_maps > 0) {
        for (int64_t i = 0; i < cells; i++) output[i] = (float)h->own[i];
        calibrate_mean(output, model, logits, n);
        for (int64_t i = 0; i < cells; i++) h->own[i] = (double)output[i];
    }
    for (int64_t i = 0; i < cells; i++) h->answer[i] += (h->own[i] - h->answer[i]) / (k + 1);
}

/* What the first member of a committee, or a model that is none, says by itself. Only a committee as a whole is
 * calibrated. */
static enum l2r_status ask_alone(float *output, float *z, struct l2r_predictor *model, const struct l2r_dataset *data,
                                 const int32_t *graphs, int64_t n, struct l2r_error *error)
{
    struct l2r_signature *s = &model->network.signature;
    const struct l2r_calibration *calibration = s->calibration;
    if (model->n_members > 0) s->calibration = NULL;
    model->network.n_members = 0;
    enum l2r_status status = l2r_predictor_ask(output, z, model, data, graphs, n, error);
    model->network.n_members = model->n_members;
    s->calibration = calibration;
    return status;
}

/* Takes what model k says into what was heard. It uses a->output as scratch; ask_block overwrites it last. */
static enum l2r_status add_model(const struct heard *h, const struct l2r_answers *a, float *output,
                                 struct l2r_ensemble *c, int k, const struct l2r_dataset *data, const int32_t *graphs,
                                 int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_predictor *model = c->models[k];
    int64_t cells = n * c->n_outputs;
    bool measured = a->distance || a->applicability;
    if (a->unseen || a->applicability) {
        L2R_TRY(l2r_predictor_unseen(c->unseen, model, data, graphs, n, error));
        for (int64_t i = 0; a->unseen && i < n; i++)
            if (k == 0 || a->unseen[i] < 0) a->unseen[i] = c->unseen[i];
    }
    for (int32_t m = 0; m < model->n_members; m++) {
        L2R_TRY(l2r_predictor_ask(output, NULL, model->members[m], data, graphs, n, error));
        if (!a->logits) l2r_predictor_probabilities(output, model->members[m], n);
        add_voice(h, output, c, m + 1, cells);
    }
    L2R_TRY(ask_alone(output, measured ? c->z : NULL, model, data, graphs, n, error));
    if (!a->logits) l2r_predictor_probabilities(output, model, n);
    add_voice(h, output, c, model->n_members + 1, cells);
    add_answer(h, output, model, k, a->logits, n, cells);
    if (!measured) goto done;
    const struct l2r_domain *domain;
    L2R_TRY(l2r_predictor_domain(&domain, model, error));
    l2r_domain_distances(c->far, domain, c->z, n);
    for (int64_t i = 0; i < n; i++) {
        h->far[i] += (double)c->far[i];
        bool known = !a->applicability || c->unseen[i] < 0;
        h->share[i] += known ? (double)l2r_domain_applicability(domain, c->far[i]) : 0;
    }
done:
    return status;
}

static enum l2r_status ask_block(const struct l2r_answers *a, struct l2r_ensemble *c, const struct l2r_dataset *data,
                                 const int32_t *graphs, int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t cells = n * c->n_outputs;
    const struct heard h = heard_in(c->sums, cells, n);
    memset(c->sums, 0, (size_t)(4 * cells + 2 * n) * sizeof *c->sums);
    c->n_heard = 0;
    for (int k = 0; k < c->n_models; k++) L2R_TRY(add_model(&h, a, a->output, c, k, data, graphs, n, error));
    for (int64_t i = 0; i < cells; i++) {
        a->output[i] = (float)h.answer[i];
        if (a->spread) a->spread[i] = c->n_voices > 1 ? (float)sqrt(h.square[i] / (c->n_voices - 1)) : NAN;
    }
    for (int64_t i = 0; i < n; i++) {
        if (a->distance) a->distance[i] = (float)(h.far[i] / c->n_models);
        if (a->applicability) a->applicability[i] = (float)(h.share[i] / c->n_models);
    }
done:
    return status;
}

/* Graphs first .. last, of which `first` begins a block. */
static enum l2r_status ask_range(const struct l2r_answers *a, struct l2r_ensemble *c, const struct l2r_dataset *data,
                                 const int32_t *graphs, int64_t first, int64_t last, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    for (int64_t begin = first; begin < last; begin += BLOCK) {
        int64_t size = last - begin < BLOCK ? last - begin : BLOCK;
        struct l2r_answers part = {
            .logits = a->logits,
            .output = a->output + begin * c->n_outputs,
            .spread = a->spread ? a->spread + begin * c->n_outputs : NULL,
            .distance = a->distance ? a->distance + begin : NULL,
            .applicability = a->applicability ? a->applicability + begin : NULL,
            .unseen = a->unseen ? a->unseen + begin : NULL,
        };
        L2R_TRY(ask_block(&part, c, data, graphs + begin, size, error));
    }
done:
    return status;
}

/* Rows of `columns` numbers of 4 bytes. */
static void gather(struct l2r_comm *comm, void *all, int64_t *bytes, const int64_t *cut, int64_t columns)
{
    for (int r = 0; r <= comm->size; r++) bytes[r] = cut[r] * columns * (int64_t)sizeof(float);
    if (all) l2r_comm_gather(comm, all, bytes);
}

/* An equal number of blocks for each rank. */
static enum l2r_status ask_ranks(const struct l2r_answers *a, struct l2r_ensemble *c, const struct l2r_dataset *data,
                                 const int32_t *graphs, int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_comm *comm = a->comm;
    int64_t blocks = (n + BLOCK - 1) / BLOCK, size = comm->size + 1, *cut = l2r_alloc(2 * (size_t)size, sizeof *cut);
    if (!cut) return l2r_fail_memory(error, 2 * (size_t)size * sizeof *cut, "the ranks");
    for (int64_t r = 0; r < size; r++) cut[r] = r + 1 < size ? blocks * r / comm->size * BLOCK : n;
    L2R_TRY(ask_range(a, c, data, graphs, cut[comm->rank], cut[comm->rank + 1], error));
    gather(comm, a->output, cut + size, cut, c->n_outputs);
    gather(comm, a->spread, cut + size, cut, c->n_outputs);
    gather(comm, a->distance, cut + size, cut, 1);
    gather(comm, a->applicability, cut + size, cut, 1);
    gather(comm, a->unseen, cut + size, cut, 1);
done:
    l2r_free(cut);
    return status;
}

enum l2r_status l2r_ensemble_ask(const struct l2r_answers *answers, struct l2r_ensemble *ensemble,
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
    /* No graph at all: the first model still says what is wrong with the arguments. */
    if (n <= 0) L2R_TRY(l2r_predictor_score(a.output, c->models[0], data, graphs, n, error));
    /* Whole blocks need no exchange until the end; with few blocks some ranks would be idle, so batches are divided. */
    bool by_block = a.comm && n > BLOCK * (int64_t)a.comm->size;
    for (int k = 0; k < c->n_models; k++) {
        l2r_predictor_divide(c->models[k], by_block ? NULL : a.comm);
        if (a.batch_size > 0) l2r_predictor_limit_batch(c->models[k], a.batch_size);
    }
    L2R_TRY(by_block ? ask_ranks(&a, c, data, graphs, n, error) : ask_range(&a, c, data, graphs, 0, n, error));
    conclude(&a, c, n);
done:
    return status;
}

bool l2r_ensemble_shares_split(const struct l2r_ensemble *ensemble)
{
    for (int k = 1; ensemble && k < ensemble->n_models; k++)
        if (strcmp(ensemble->models[0]->split, ensemble->models[k]->split) != 0) return false;
    return ensemble != NULL;
}

enum l2r_status l2r_ensemble_evaluate(char **json, struct l2r_ensemble *ensemble, const struct l2r_dataset *data,
                                      const int32_t *graphs, int64_t n, const char *metrics, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_scored scored = {0};
    struct l2r_answers answers = L2R_ANSWERS_INIT;
    json_t *report = NULL;
    L2R_NEED(json);
    *json = NULL;
    L2R_NEED(ensemble);
    L2R_TRY(l2r_metric_check_list(metrics, ensemble->task, error));
    /* Labels in the numbers of the first model, whose outputs then give way to those of all. */
    L2R_TRY(l2r_predictor_judge(&scored, ensemble->models[0], data, graphs, n, error));
    answers.output = scored.output;
    if (n > 0 && ensemble->n_models > 1) {
        L2R_TRY(l2r_ensemble_ask(&answers, ensemble, data, graphs, n, error));
        to_logits(scored.output, ensemble->task, n * ensemble->n_outputs);
    }
    L2R_TRY(l2r_scored_report(&report, &scored, metrics, error));
    L2R_TRY(l2r_report_groups(report, &scored, data, graphs, n, error));
    if (ensemble->n_models == 1)
        L2R_TRY(l2r_predictor_report_members(report, ensemble->models[0], data, graphs, n, metrics, error));
    L2R_TRY(l2r_json_text(json, json_incref(report), error));
done:
    json_decref(report);
    l2r_scored_clear(&scored);
    return status;
}
