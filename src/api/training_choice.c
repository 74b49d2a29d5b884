/* SPDX-License-Identifier: MIT
 * The public calls of l2r/train.h for which model a loop of one's own ends with: the best epoch, and a head that is
 * fitted anew. See training.h. */
#include <l2r/train.h>

#include "api/training.h"
#include "base/json.h"
#include "base/misuse.h"
#include "fit/phases.h"

#include <math.h>
#include <string.h>

/* The epoch under way, or the last one; 0: no step has been taken. */
static int64_t epoch_of(const struct l2r_trainer *t)
{
    return t->at.epoch + (t->at.batch > 0 ? 1 : 0);
}

static enum l2r_status need_model(const struct l2r_training *training, struct l2r_error *error)
{
    enum l2r_status status = l2r_training_is_between(training, error);
    if (status != L2R_OK || epoch_of(&training->fit.trainer) > 0) return status;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "no step has been taken");
}

static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* The line of the epoch that has just ended; within one, a line that goes. New reference. */
static json_t *line_of(const struct l2r_training *training)
{
    const json_t *history = training->fit.history;
    const struct l2r_trainer *t = &training->fit.trainer;
    if (t->at.batch > 0) return json_object();
    return json_incref(json_array_get(history, json_array_size(history) - 1));
}

enum l2r_status l2r_training_validate(double *score, bool *is_best, struct l2r_training *training,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    double valid = NAN, train;
    json_t *line = NULL;
    L2R_NEED(training);
    if (score) *score = NAN;
    if (is_best) *is_best = false;
    L2R_TRY(need_model(training, error));
    struct l2r_trainer *t = &training->fit.trainer;
    struct l2r_position before = t->at;
    line = line_of(training);
    L2R_TRY(l2r_fit_validate(&valid, &train, &training->fit, line, error));
    if (t->at.batch == 0 && training->observed != t->at.epoch) {
        l2r_schedule_observe(&t->schedule, t->at.epoch - 1 - t->at.phase_epoch, valid);
        training->observed = t->at.epoch;
    }
    if (score) *score = valid;
    if (is_best)
        *is_best = t->at.best_epoch != before.best_epoch || !is_same(t->at.best_valid, before.best_valid) ||
                   (isnan(valid) && isnan(t->at.best_valid));
done:
    json_decref(line);
    return status;
}

enum l2r_status l2r_training_keep(struct l2r_training *training, double score, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(training);
    L2R_TRY(need_model(training, error));
    if (isinf(score)) L2R_FAIL(L2R_ERR_ARGUMENT, "score = %g; expected a number, or NaN for none", score);
    struct l2r_trainer *t = &training->fit.trainer;
    l2r_averaging_swap(&t->averaging, &t->network.params);
    status = l2r_snapshot_take(&training->fit.best, &t->network.params, epoch_of(t), error);
    l2r_averaging_swap(&t->averaging, &t->network.params);
    if (status != L2R_OK) goto done;
    t->at.best_valid = score;
    t->at.best_epoch = epoch_of(t);
done:
    return status;
}

int64_t l2r_training_best_epoch(const struct l2r_training *training)
{
    return training ? training->fit.best.epoch : 0;
}

double l2r_training_best_score(const struct l2r_training *training)
{
    return training && training->fit.best.epoch > 0 ? training->fit.trainer.at.best_valid : (double)NAN;
}

/* Averages go on from the parameters as they stand. */
static void average_from_here(struct l2r_trainer *t)
{
    struct l2r_averaging *a = &t->averaging;
    if (!a->mean) return;
    memcpy(a->mean, t->network.params.value, (size_t)a->n_value * sizeof *a->mean);
    memcpy(a->mean + a->n_value, t->network.params.buffer, (size_t)a->n_buffer * sizeof *a->mean);
}

enum l2r_status l2r_training_restore(struct l2r_training *training, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(training);
    L2R_TRY(l2r_training_is_between(training, error));
    if (training->fit.best.epoch == 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "no model was kept; l2r_training_validate or l2r_training_keep does so");
    l2r_snapshot_restore(&training->fit.best, &training->fit.trainer.network.params);
    average_from_here(&training->fit.trainer);
done:
    return status;
}

/* ---- the head ---- */

/* w [set.n] of mean 1. */
static enum l2r_status bring_to_mean_1(double *w, const struct l2r_training *training, const float *weights,
                                       struct l2r_error *error)
{
    const struct l2r_training_set *set = &training->fit.trainer.set;
    double sum = 0;
    enum l2r_status status = l2r_training_check_weights(training, weights, error);
    if (status != L2R_OK) return status;
    for (int64_t i = 0; i < set->n; i++) sum += (double)weights[set->graphs[i]];
    if (!(sum > 0)) return l2r_fail(error, L2R_ERR_ARGUMENT, "weights: those of all training graphs are 0");
    for (int64_t i = 0; i < set->n; i++) w[i] = (double)weights[set->graphs[i]] * (double)set->n / sum;
    return L2R_OK;
}

static enum l2r_status choose_head(struct l2r_head_choice *choice, struct l2r_training *training, const float *weights,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &training->fit.trainer;
    double *w = NULL;
    if (t->network.type->fit || l2r_network_last_width(&t->network) == 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "model %s has no linear head", t->network.type->name);
    if (!weights && !l2r_head_fit_is_enabled(t))
        L2R_FAIL(L2R_ERR_ARGUMENT, "weights is NULL, and the method %s fits no head; `method=headfit` does",
                 t->method->name);
    if (weights) {
        w = l2r_alloc((size_t)t->set.n, sizeof *w);
        if (!w) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the head fit");
        L2R_TRY(bring_to_mean_1(w, training, weights, error));
    }
    l2r_averaging_swap(&t->averaging, &t->network.params);
    status = w ? l2r_head_choose_under(choice, t, w, error) : l2r_head_choose(choice, t, error);
    l2r_averaging_swap(&t->averaging, &t->network.params);
done:
    l2r_free(w);
    return status;
}

enum l2r_status l2r_training_fit_head(bool *is_taken, char **json, struct l2r_training *training, const float *weights,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_head_choice choice = {0};
    char *text = NULL;
    if (json) *json = NULL;
    if (is_taken) *is_taken = false;
    L2R_NEED(training);
    L2R_TRY(need_model(training, error));
    L2R_TRY(choose_head(&choice, training, weights, error));
    if (json) L2R_TRY(l2r_json_text(&text, json_incref(choice.about), error));
    struct l2r_trainer *t = &training->fit.trainer;
    double best = t->at.best_valid;
    l2r_averaging_swap(&t->averaging, &t->network.params);
    l2r_head_take(&choice, t);
    average_from_here(t);
    t->at.best_valid = best;
    if (is_taken) *is_taken = choice.head != NULL;
    if (json) *json = text;
done:
    l2r_head_choice_clear(&choice);
    return status;
}
