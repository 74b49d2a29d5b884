/* SPDX-License-Identifier: MIT
 * The public calls of l2r/train.h for a loop of one's own: steps, epochs, scores and parameters. See training.h. */
#include <l2r/model.h>
#include <l2r/train.h>

#include "api/evaluation.h"
#include "api/parameters.h"
#include "api/training.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/misuse.h"
#include "base/threads.h"
#include "base/watch.h"
#include "fit/phases.h"
#include "model/predictor.h"
#include "model/scored.h"
#include "recipe/table_defaults.h"

#include <math.h>
#include <string.h>

void l2r_training_free(struct l2r_training *t)
{
    if (!t) return;
    l2r_fit_clear(&t->fit);
    l2r_split_clear(&t->split);
    l2r_config_free(t->config);
    l2r_arena_clear(&t->lent);
    l2r_free(t->weights);
    l2r_free(t);
}

enum l2r_status l2r_training_make(struct l2r_training **training, struct l2r_config *config,
                                  const struct l2r_dataset *data, const struct l2r_split *split,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_training *t = l2r_alloc(1, sizeof *t);
    if (!t) l2r_config_free(config);
    if (!t) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for a training");
    t->config = config;
    l2r_arena_init(&t->lent);
    if (split && split->n_graphs != data->n_graphs)
        L2R_FAIL(L2R_ERR_ARGUMENT, "split is for %lld graphs, but data has %lld", (long long)split->n_graphs,
                 (long long)data->n_graphs);
    L2R_TRY(split ? l2r_split_copy(&t->split, split, error) : l2r_split_make(&t->split, data, t->config, error));
    L2R_TRY(l2r_fit_init(&t->fit, t->config, data, &t->split, NULL, error));
    t->fit.is_open = true;
    *training = t;
    t = NULL;
done:
    l2r_training_free(t);
    return status;
}

enum l2r_status l2r_training_new(struct l2r_training **training, const struct l2r_config *config,
                                 const struct l2r_dataset *data, const struct l2r_split *split, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *own = NULL;
    L2R_NEED(training);
    *training = NULL;
    L2R_NEED(data);
    L2R_TRY(l2r_run_check(config, error));
    L2R_TRY(l2r_config_copy(&own, config, error));
    L2R_TRY(l2r_run_suit_data(own, data, error));
    status = l2r_training_make(training, own, data, split, error);
    own = NULL;
done:
    l2r_config_free(own);
    return status;
}

int64_t l2r_training_n_batches(const struct l2r_training *training)
{
    return training ? l2r_trainer_batches(&training->fit.trainer) : 0;
}

int64_t l2r_training_n_epochs(const struct l2r_training *training)
{
    return training ? training->fit.trainer.at.epoch : 0;
}

bool l2r_training_is_over(const struct l2r_training *training)
{
    if (!training) return true;
    const struct l2r_trainer *t = &training->fit.trainer;
    return t->at.batch == 0 && l2r_phase_is_over(t) && l2r_phase_is_last(t);
}

/* ---- steps ---- */

enum l2r_status l2r_training_begin(struct l2r_training *training, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &training->fit.trainer;
    if (training->is_begun) return L2R_OK;
    if (l2r_phase_is_over(t) && !l2r_phase_is_last(t)) L2R_TRY(l2r_fit_advance(&training->fit, error));
    l2r_trainer_shuffle(t);
    training->is_begun = true;
done:
    return status;
}

/* The method's hook, the averages, and the epoch's line. */
static enum l2r_status end_epoch(struct l2r_training *training, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &training->fit.trainer;
    char sentence[256] = "";
    json_t *line =
        json_pack("{s:I,s:o,s:o,s:o}", "epoch", (json_int_t)(t->at.epoch + 1), "loss",
                  l2r_json_real(t->at.loss_sum / (double)t->n_active), "objective",
                  l2r_json_real(t->at.objective_sum / (double)t->n_active), "lr", l2r_json_real(l2r_trainer_rate(t)));
    L2R_TRY(l2r_trainer_check(t, error));
    L2R_TRY(l2r_trainer_average(t, error));
    (void)l2r_work_failed();
    if (t->method->after_epoch) L2R_TRY(t->method->after_epoch(t->method_state, t->at.epoch, line, sentence, error));
    if (l2r_work_failed() || json_array_append(training->fit.history, line) != 0)
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the history of a training");
    t->at.epoch++;
    t->at.batch = 0;
    t->at.loss_sum = t->at.objective_sum = 0;
    training->is_begun = false;
done:
    json_decref(line);
    return status;
}

enum l2r_status l2r_training_weigh(struct l2r_training *training, struct l2r_error *error)
{
    struct l2r_trainer *t = &training->fit.trainer;
    const struct l2r_batch *batch = training->half.step.batch;
    if (!training->weights) return L2R_OK;
    l2r_real *own = l2r_tape_alloc(&t->tape, batch->n_graphs, sizeof *own);
    if (!own) return l2r_fail(error, t->tape.status, "%s", t->tape.error.message);
    for (int64_t i = 0; i < batch->n_graphs; i++) own[i] = (l2r_real)training->weights[batch->graphs[i]];
    training->half.weights = own;
    return L2R_OK;
}

enum l2r_status l2r_training_move(double *loss, struct l2r_training *training, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &training->fit.trainer;
    bool whole = t->network.type->fit != NULL, halfway = training->is_halfway;
    double before = t->at.loss_sum;
    training->is_halfway = false;
    if (loss) *loss = NAN;
    if (t->at.batch == l2r_trainer_batches(t)) return end_epoch(training, error); /* it has failed before */
    int64_t begin = t->at.batch * t->options.batch_size;
    int64_t n = whole || t->n_active - begin < t->options.batch_size ? t->n_active - begin : t->options.batch_size;
    training->pass.graphs = NULL;
    if (whole) {
        L2R_TRY(l2r_trainer_step(t, error));
    } else {
        if (!halfway) {
            L2R_TRY(l2r_trainer_forward(&training->half, t, error));
            L2R_TRY(l2r_training_weigh(training, error));
        }
        L2R_TRY(l2r_trainer_backward(t, &training->half, error));
    }
    if (loss) *loss = (t->at.loss_sum - before) / (double)n;
    if (t->at.batch == l2r_trainer_batches(t)) L2R_TRY(end_epoch(training, error));
done:
    return status;
}

enum l2r_status l2r_training_step(double *loss, struct l2r_training *training, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(training);
    L2R_TRY(l2r_training_begin(training, error));
    if (training->is_halfway) L2R_TRY(l2r_training_weigh(training, error));
    L2R_TRY(l2r_training_move(loss, training, error));
done:
    return status;
}

enum l2r_status l2r_training_epoch(double *loss, struct l2r_training *training, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_watched loop;
    int64_t done = 0;
    L2R_NEED(training);
    L2R_TRY(l2r_training_begin(training, error));
    const struct l2r_trainer *t = &training->fit.trainer;
    int64_t epoch = t->at.epoch, n = l2r_trainer_batches(t);
    l2r_watched_begin(&loop, "batches trained", n);
    l2r_watched_add(&loop, t->at.batch);
    while (status == L2R_OK && t->at.epoch == epoch && !l2r_watched_stop(&loop)) {
        status = l2r_training_step(NULL, training, error);
        l2r_watched_add(&loop, status == L2R_OK ? 1 : 0);
    }
    status = l2r_watched_end(&loop, status, error);
    done = t->at.epoch - 1;
    if (loss && t->at.epoch > epoch)
        *loss = json_number_value(json_object_get(json_array_get(training->fit.history, (size_t)done), "loss"));
done:
    return status;
}

enum l2r_status l2r_training_is_between(const struct l2r_training *training, struct l2r_error *error)
{
    if (!training->is_halfway) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "training is between the halves of a step; l2r_training_backward first");
}

enum l2r_status l2r_training_evaluate(struct l2r_evaluation **evaluation, struct l2r_training *training, int part,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_scored scored = {0};
    json_t *report = NULL;
    L2R_NEED(evaluation);
    *evaluation = NULL;
    L2R_NEED(training);
    if (part < L2R_PART_TRAIN || part >= L2R_N_PARTS)
        L2R_FAIL(L2R_ERR_ARGUMENT, "part = %d; expected L2R_PART_TRAIN, _VALID, _TEST, _ID_VALID or _ID_TEST", part);
    L2R_TRY(l2r_training_is_between(training, error));
    struct l2r_trainer *t = &training->fit.trainer;
    l2r_averaging_swap(&t->averaging, &t->network.params);
    status = l2r_scored_network(&scored, &t->network, &t->tape, t->data, l2r_split_part(t->split, part),
                                l2r_split_size(t->split, part), t->options.eval_batch_size, error);
    l2r_averaging_swap(&t->averaging, &t->network.params);
    if (status != L2R_OK) goto done;
    L2R_TRY(l2r_scored_report(&report, &scored, NULL, error));
    L2R_TRY(l2r_evaluation_new(evaluation, report, error));
done:
    l2r_scored_clear(&scored);
    return status;
}

double l2r_training_learning_rate(const struct l2r_training *training)
{
    return training ? l2r_trainer_rate(&training->fit.trainer) : (double)NAN;
}

enum l2r_status l2r_training_set_learning_rate(struct l2r_training *training, double rate, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(training);
    if (!isnan(rate) && !(rate >= 0 && rate <= 1e3))
        L2R_FAIL(L2R_ERR_ARGUMENT, "rate = %g; expected 0 … 1000, or NaN for the schedule's", rate);
    training->fit.trainer.rate = rate;
    training->half.rate = l2r_trainer_rate(&training->fit.trainer);
done:
    return status;
}

size_t l2r_training_n_parameters(const struct l2r_training *training)
{
    return training ? training->fit.trainer.network.params.count : 0;
}

enum l2r_status l2r_training_parameter(struct l2r_parameter *parameter, struct l2r_training *training, size_t i,
                                       struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(training);
    L2R_TRY(l2r_parameter_lend(parameter, &training->fit.trainer.network.params, i, true, error));
done:
    return status;
}

enum l2r_status l2r_training_find(struct l2r_parameter *parameter, struct l2r_training *training, const char *name,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t i;
    L2R_NEED(training);
    L2R_NEED(name);
    L2R_TRY(l2r_parameter_find(&i, &training->fit.trainer.network.params, name, error));
    L2R_TRY(l2r_parameter_lend(parameter, &training->fit.trainer.network.params, i, true, error));
done:
    return status;
}

enum l2r_status l2r_training_weights(float *weights, const struct l2r_training *training, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(weights);
    L2R_NEED(training);
    const struct l2r_trainer *t = &training->fit.trainer;
    struct l2r_state_array array = {0};
    bool found = false;
    if (training->weights) {
        for (int64_t g = 0; g < t->data->n_graphs; g++) weights[g] = 1;
        for (int64_t i = 0; i < t->set.n; i++) weights[t->set.graphs[i]] = training->weights[t->set.graphs[i]];
        goto done;
    }
    for (int i = 0; !found && t->method->state_array && t->method->state_array(t->method_state, i, &array); i++)
        found = strcmp(array.name, "weights") == 0 && array.count == t->data->n_graphs;
    if (!found)
        L2R_FAIL(L2R_ERR_ARGUMENT, "the method %s weights all graphs equally; `method=l2r` learns weights",
                 t->method->name);
    memcpy(weights, array.data, (size_t)array.count * sizeof *weights);
done:
    return status;
}

enum l2r_status l2r_training_predictor(struct l2r_predictor **predictor, const struct l2r_training *training,
                                       struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(predictor);
    *predictor = NULL;
    L2R_NEED(training);
    struct l2r_network network = training->fit.trainer.network; /* borrows; the averages are in the parameters' place */
    const struct l2r_averaging *averages = &training->fit.trainer.averaging;
    if (averages->mean) network.params.value = averages->mean;
    if (averages->mean) network.params.buffer = averages->mean + averages->n_value;
    L2R_TRY(l2r_predictor_from_network(predictor, &network, training->config, error));
done:
    return status;
}

enum l2r_status l2r_training_history_json(char **json, const struct l2r_training *training, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(json);
    *json = NULL;
    L2R_NEED(training);
    L2R_TRY(l2r_json_text(json, json_incref(training->fit.history), error));
done:
    return status;
}
