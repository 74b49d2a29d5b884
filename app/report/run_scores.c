/* SPDX-License-Identifier: MIT
 * See run_scores.h. */
#include "report/run_scores.h"

#include "base/memory.h"
#include "data/reader.h"
#include "io/file.h"
#include "io/json_file.h"
#include "model/ensemble.h"
#include "model/predictor.h"
#include "model/run_names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void l2r_data_shelf_clear(struct l2r_data_shelf *shelf)
{
    l2r_dataset_free(shelf->data);
    l2r_free(shelf->where);
    l2r_free(shelf->options);
    *shelf = (struct l2r_data_shelf){0};
}

static enum l2r_status take_data(struct l2r_data_shelf *shelf, const char *where, const struct l2r_config *config,
                                 bool cache, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char *options = l2r_data_options_text(config);
    if (options == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the options of %s", where);
    if (shelf->where != NULL && strcmp(shelf->where, where) == 0 && strcmp(shelf->options, options) == 0) goto done;
    l2r_data_shelf_clear(shelf);
    L2R_TRY(l2r_dataset_load_with(&shelf->data, where, config, cache, error));
    shelf->where = l2r_strdup(where);
    if (shelf->where == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the name of %s", where);
    shelf->options = options;
    options = NULL;
done:
    l2r_free(options);
    if (status != L2R_OK) l2r_data_shelf_clear(shelf);
    return status;
}

/* The weights saved in the model; none if its method weights all graphs equally. */
static enum l2r_status copy_weights(struct l2r_run_scores *scores, struct l2r_error *error)
{
    const struct l2r_trained *trained = l2r_predictor_trained(scores->predictor);
    size_t n = (size_t)scores->data->n_graphs;
    if (trained->weights == NULL) return L2R_OK;
    if (trained->n_weights != scores->data->n_graphs)
        return l2r_fail(error, L2R_ERR_FORMAT, "%s: its weights do not belong to the %zu graphs of %s",
                        l2r_predictor_checkpoint(scores->predictor), n, scores->where);
    scores->weight = l2r_alloc(n, sizeof *scores->weight);
    if (scores->weight == NULL) return l2r_fail(error, L2R_ERR_MEMORY, "out of memory: the weights of %zu graphs", n);
    memcpy(scores->weight, trained->weights, n * sizeof *scores->weight);
    return L2R_OK;
}

/* Predicts like `l2r predict`, so that both give the same probabilities and classes. */
static enum l2r_status score_part(struct l2r_run_scores *scores, int part, struct l2r_ensemble *ensemble,
                                  struct l2r_error *error)
{
    int64_t n = l2r_split_size(&scores->split, part);
    size_t count = (size_t)n * (size_t)l2r_predictor_n_outputs(scores->predictor);
    enum l2r_task task = l2r_predictor_task(scores->predictor);
    bool classes = task != L2R_TASK_REGRESSION;
    float *output = scores->output[part] = l2r_alloc(count, sizeof *output);
    int32_t *choice = scores->choice[part] =
        classes ? l2r_alloc(task == L2R_TASK_BINARY ? count : (size_t)n, sizeof *choice) : NULL;
    if (output == NULL || (classes && choice == NULL))
        return l2r_fail_memory(error, count * sizeof *output, "predictions");
    struct l2r_answers answers = L2R_ANSWERS_INIT;
    answers.output = output;
    answers.choice = choice;
    if (n == 0) return L2R_OK;
    return l2r_ensemble_answer(&answers, ensemble, scores->data, l2r_split_part(&scores->split, part), n, error);
}

/* A refitted model was trained on the validation graphs: their scores come from the model before the refit. */
static enum l2r_status score_validation(struct l2r_run_scores *scores, const char *run, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_ensemble *chosen = NULL;
    char path[4200];
    const char *paths[] = {path};
    bool fitted_again = l2r_chosen_find(path, sizeof path, run);
    if (fitted_again) L2R_TRY(l2r_ensemble_open(&chosen, paths, 1, error));
    L2R_TRY(score_part(scores, L2R_PART_VALID, fitted_again ? chosen : scores->ensemble, error));
done:
    l2r_ensemble_free(chosen);
    return status;
}

/* A run may leave its test graphs aside (--no-eval-test); so does its page. */
static bool scores_test(const char *run)
{
    char path[4200];
    json_t *config = NULL;
    bool left_out = l2r_path_join(path, sizeof path, run, L2R_CONFIG_FILE, NULL) == L2R_OK &&
                    l2r_json_read(&config, path, NULL) == L2R_OK && json_is_false(json_object_get(config, "eval-test"));
    json_decref(config);
    return !left_out;
}

static enum l2r_status open_model(struct l2r_run_scores *scores, const char *run, struct l2r_error *error)
{
    *scores = (struct l2r_run_scores){0};
    enum l2r_status status = l2r_ensemble_open(&scores->ensemble, &run, 1, error);
    if (status == L2R_OK) scores->predictor = l2r_ensemble_model(scores->ensemble, 0);
    return status;
}

/* The data, the split and the weights. */
static enum l2r_status open_data(struct l2r_run_scores *scores, struct l2r_data_shelf *shelf, const char *run,
                                 const char *where, bool cache, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char split[4096];
    const struct l2r_config *config = l2r_predictor_config(scores->predictor);
    if (where == NULL) where = l2r_predictor_data(scores->predictor);
    if (where == NULL) L2R_FAIL(L2R_ERR_ARGUMENT, "%s does not record which data it was trained on", run);
    L2R_TRY(take_data(shelf, where, config, cache, error));
    scores->data = shelf->data;
    scores->where = shelf->where;
    enum l2r_task task = l2r_predictor_task(scores->predictor);
    if (scores->data->task != task ||
        (task != L2R_TASK_MULTICLASS && scores->data->n_tasks != l2r_predictor_n_outputs(scores->predictor)))
        L2R_FAIL(L2R_ERR_ARGUMENT, "the labels of %s are not those that %s was trained for", where, run);
    L2R_TRY(l2r_predictor_check_data(scores->predictor, scores->data, where, error));
    L2R_TRY(l2r_path_join(split, sizeof split, run, L2R_SPLIT_FILE, error));
    bool known;
    L2R_TRY(l2r_predictor_read_split(&scores->split, &known, scores->predictor, split, scores->data, error));
    L2R_TRY(copy_weights(scores, error));
done:
    return status;
}

enum l2r_status l2r_run_scores_weights(struct l2r_run_scores *scores, struct l2r_data_shelf *shelf, const char *run,
                                       const char *where, bool cache, struct l2r_error *error)
{
    enum l2r_status status = open_model(scores, run, error);
    if (status != L2R_OK || l2r_predictor_trained(scores->predictor)->weights == NULL) return status;
    return open_data(scores, shelf, run, where, cache, error);
}

enum l2r_status l2r_run_scores_load(struct l2r_run_scores *scores, struct l2r_data_shelf *shelf, const char *run,
                                    const char *where, bool cache, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(open_model(scores, run, error));
    L2R_TRY(open_data(scores, shelf, run, where, cache, error));
    L2R_TRY(score_validation(scores, run, error));
    if (scores_test(run)) L2R_TRY(score_part(scores, L2R_PART_TEST, scores->ensemble, error));
done:
    return status;
}

void l2r_run_scores_clear(struct l2r_run_scores *scores)
{
    l2r_ensemble_free(scores->ensemble);
    l2r_split_clear(&scores->split);
    for (int part = 0; part < 3; part++) {
        l2r_free(scores->output[part]);
        l2r_free(scores->choice[part]);
    }
    l2r_free(scores->weight);
    *scores = (struct l2r_run_scores){0};
}

/* A graph and its weight, to be sorted. */
struct weighted {
    float weight;
    int32_t graph;
};

static int lightest_first(const void *a, const void *b)
{
    const struct weighted *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? -1 : 1;
    return (x->graph > y->graph) - (x->graph < y->graph);
}

enum l2r_status l2r_run_scores_order(int32_t *sorted, const struct l2r_run_scores *scores, struct l2r_error *error)
{
    int64_t n = l2r_split_size(&scores->split, L2R_PART_TRAIN);
    const int32_t *graphs = l2r_split_part(&scores->split, L2R_PART_TRAIN);
    struct weighted *rows = l2r_alloc((size_t)n, sizeof *rows);
    if (rows == NULL) return l2r_fail_memory(error, (size_t)n * sizeof *rows, "the order of weights");
    for (int64_t i = 0; i < n; i++) rows[i] = (struct weighted){scores->weight[graphs[i]], graphs[i]};
    qsort(rows, (size_t)n, sizeof *rows, lightest_first);
    for (int64_t i = 0; i < n; i++) sorted[i] = rows[i].graph;
    l2r_free(rows);
    return L2R_OK;
}

void l2r_run_scores_label(char *out, size_t size, const struct l2r_dataset *data, int32_t graph)
{
    double label = (double)data->labels[(int64_t)graph * data->n_tasks];
    const char *more = data->n_tasks > 1 ? ", …" : "";
    bool classes = data->task != L2R_TASK_REGRESSION;
    const char *word = classes && !isnan(label) ? l2r_dataset_class_name(data, 0, (int32_t)label) : NULL;
    if (isnan(label))
        snprintf(out, size, "no label%s", more);
    else if (word != NULL)
        snprintf(out, size, "%.40s%s", word, more);
    else if (data->task == L2R_TASK_MULTICLASS)
        snprintf(out, size, "label %lld", (long long)data->class_value[(int64_t)label]);
    else
        snprintf(out, size, "label %s%.3g%s", label < 0 ? "−" : "", fabs(label), more);
}
