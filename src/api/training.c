/* SPDX-License-Identifier: MIT
 * The public calls of l2r/train.h for a loop of one's own: a trainer with its config and split. */
#include <l2r/model.h>
#include <l2r/train.h>

#include "api/evaluation.h"
#include "api/parameters.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/misuse.h"
#include "fit/phases.h"
#include "model/predictor.h"
#include "model/scored.h"
#include "recipe/table_defaults.h"

#include <math.h>
#include <string.h>

struct l2r_training {
    struct l2r_config *config;
    struct l2r_split split;
    struct l2r_trainer trainer;
};

void l2r_training_free(struct l2r_training *t)
{
    if (!t) return;
    l2r_trainer_clear(&t->trainer);
    l2r_split_clear(&t->split);
    l2r_config_free(t->config);
    l2r_free(t);
}

enum l2r_status l2r_training_new(struct l2r_training **training, const struct l2r_config *config,
                                 const struct l2r_dataset *data, const struct l2r_split *split, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_training *t = NULL;
    L2R_NEED(training);
    *training = NULL;
    L2R_NEED(data);
    L2R_TRY(l2r_run_check(config, error));
    if (split && split->n_graphs != data->n_graphs)
        L2R_FAIL(L2R_ERR_ARGUMENT, "split is for %lld graphs, but data has %lld", (long long)split->n_graphs,
                 (long long)data->n_graphs);
    t = l2r_alloc(1, sizeof *t);
    if (!t) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for a training");
    L2R_TRY(l2r_config_copy(&t->config, config, error));
    L2R_TRY(l2r_run_suit_data(t->config, data, error));
    L2R_TRY(split ? l2r_split_copy(&t->split, split, error) : l2r_split_make(&t->split, data, t->config, error));
    L2R_TRY(l2r_trainer_init(&t->trainer, t->config, data, &t->split, error));
    *training = t;
    t = NULL;
done:
    l2r_training_free(t);
    return status;
}

int64_t l2r_training_n_batches(const struct l2r_training *training)
{
    return training ? l2r_trainer_batches(&training->trainer) : 0;
}

int64_t l2r_training_n_epochs(const struct l2r_training *training)
{
    return training ? training->trainer.at.epoch : 0;
}

/* The end of an epoch: the method's hook, and the next order of graphs. */
static enum l2r_status end_epoch(struct l2r_trainer *t, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char sentence[256] = "";
    json_t *line = json_object();
    if (!line) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for an epoch");
    if (t->method->after_epoch) L2R_TRY(t->method->after_epoch(t->method_state, t->at.epoch, line, sentence, error));
    L2R_TRY(l2r_trainer_check(t, error));
    L2R_TRY(l2r_trainer_average(t, error));
    t->at.epoch++;
    t->at.batch = 0;
    t->at.loss_sum = t->at.objective_sum = 0;
    if (l2r_phase_is_over(t) && !l2r_phase_is_last(t)) L2R_TRY(l2r_phase_advance(t, error));
    l2r_trainer_shuffle(t);
done:
    json_decref(line);
    return status;
}

enum l2r_status l2r_training_step(double *loss, struct l2r_training *training, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(training);
    struct l2r_trainer *t = &training->trainer;
    double before = t->at.loss_sum;
    int64_t begin = t->at.batch * t->options.batch_size;
    int64_t n = t->n_active - begin < t->options.batch_size ? t->n_active - begin : t->options.batch_size;
    L2R_TRY(l2r_trainer_step(t, error));
    if (loss) *loss = (t->at.loss_sum - before) / (double)n;
    if (t->at.batch == l2r_trainer_batches(t)) L2R_TRY(end_epoch(t, error));
done:
    return status;
}

enum l2r_status l2r_training_epoch(double *loss, struct l2r_training *training, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(training);
    struct l2r_trainer *t = &training->trainer;
    while (t->at.batch < l2r_trainer_batches(t)) L2R_TRY(l2r_trainer_step(t, error));
    if (loss) *loss = t->at.loss_sum / (double)t->n_active;
    L2R_TRY(end_epoch(t, error));
done:
    return status;
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
    struct l2r_trainer *t = &training->trainer;
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
    return training ? l2r_trainer_rate(&training->trainer) : (double)NAN;
}

enum l2r_status l2r_training_set_learning_rate(struct l2r_training *training, double rate, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(training);
    if (!isnan(rate) && !(rate >= 0 && rate <= 1e3))
        L2R_FAIL(L2R_ERR_ARGUMENT, "rate = %g; expected 0 … 1000, or NaN for the schedule's", rate);
    training->trainer.rate = rate;
done:
    return status;
}

size_t l2r_training_n_parameters(const struct l2r_training *training)
{
    return training ? training->trainer.network.params.count : 0;
}

enum l2r_status l2r_training_parameter(struct l2r_parameter *parameter, struct l2r_training *training, size_t i,
                                       struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(training);
    L2R_TRY(l2r_parameter_lend(parameter, &training->trainer.network.params, i, true, error));
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
    L2R_TRY(l2r_parameter_find(&i, &training->trainer.network.params, name, error));
    L2R_TRY(l2r_parameter_lend(parameter, &training->trainer.network.params, i, true, error));
done:
    return status;
}

enum l2r_status l2r_training_weights(float *weights, const struct l2r_training *training, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(weights);
    L2R_NEED(training);
    const struct l2r_trainer *t = &training->trainer;
    struct l2r_state_array array = {0};
    bool found = false;
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
    struct l2r_network network = training->trainer.network; /* borrows; the averages are in the parameters' place */
    const struct l2r_averaging *averages = &training->trainer.averaging;
    if (averages->mean) network.params.value = averages->mean;
    if (averages->mean) network.params.buffer = averages->mean + averages->n_value;
    L2R_TRY(l2r_predictor_from_network(predictor, &network, training->config, error));
done:
    return status;
}
