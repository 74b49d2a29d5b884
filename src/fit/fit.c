/* SPDX-License-Identifier: MIT
 * See fit.h. */
#include "fit/fit.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/threads.h"
#include "fit/phases.h"
#include "fit/ranks.h"
#include "metrics/probability.h"
#include "model/scored.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum l2r_status l2r_fit_init(struct l2r_fit *f, const struct l2r_config *config, const struct l2r_dataset *data,
                             const struct l2r_split *split, struct l2r_comm *comm, struct l2r_error *error)
{
    *f = (struct l2r_fit){.comm = comm, .history = json_array()};
    if (!f->history) return l2r_fail(error, L2R_ERR_MEMORY, "out of memory: the history of a fit");
    return l2r_trainer_init(&f->trainer, config, data, split, error);
}

void l2r_fit_clear(struct l2r_fit *f)
{
    json_decref(f->history);
    l2r_head_choice_clear(&f->head);
    l2r_snapshot_clear(&f->best);
    l2r_snapshot_clear(&f->other);
    l2r_trainer_clear(&f->trainer);
    *f = (struct l2r_fit){0};
}

void l2r_fit_note(const struct l2r_fit_observer *observer, const char *sentence)
{
    if (observer && observer->note && *sentence) observer->note(observer->context, sentence);
}

double l2r_fit_speed(const struct l2r_fit *f)
{
    size_t n = json_array_size(f->history);
    double *speeds = n > 0 ? l2r_alloc(n, sizeof *speeds) : NULL, median = NAN;
    for (size_t i = 0; speeds && i < n; i++)
        speeds[i] = json_number_value(json_object_get(json_array_get(f->history, i), "graphs_per_second"));
    if (speeds) {
        qsort(speeds, n, sizeof *speeds, l2r_compare_double);
        median = (speeds[(n - 1) / 2] + speeds[n / 2]) / 2;
    }
    l2r_free(speeds);
    return median;
}

/* Ranks stop at the same batch: a rank with a stop request passes it on with its next step. */
static bool stop_requested(struct l2r_fit *f)
{
    bool requested = f->observer->stop && f->observer->stop(f->observer->context);
    f->trainer.stop_requested = requested;
    return f->comm ? f->trainer.stop : requested;
}

/* The epoch under way, or the one that has just ended, from 1. */
static int64_t epoch_of(const struct l2r_trainer *t)
{
    return t->at.epoch + (t->at.batch > 0 ? 1 : 0);
}

static enum l2r_status save(struct l2r_fit *f, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    f->trainer.at.seconds = f->seconds_before + l2r_clock_since(f->started);
    if (!f->observer->save) return L2R_OK;
    L2R_TRY(f->observer->save(f->observer->store, f, error));
    f->saved_at = l2r_clock_seconds();
done:
    return status;
}

static struct l2r_progress progress_of(const struct l2r_fit *f, double train, double valid)
{
    const struct l2r_trainer *t = &f->trainer;
    int64_t n = t->n_active, batches = l2r_trainer_batches(t);
    bool within = t->at.batch > 0;
    int64_t seen = within ? (t->at.batch * t->options.batch_size < n ? t->at.batch * t->options.batch_size : n) : n;
    double here = l2r_clock_since(f->started),
           epochs = (double)(t->at.epoch - f->epochs_before) + (double)t->at.batch / (double)batches;
    double left = (double)t->epochs - (double)t->at.epoch - (double)t->at.batch / (double)batches;
    double in_epoch = l2r_clock_since(f->epoch_started);
    int64_t in_phase = t->at.epoch - t->at.phase_epoch;
    return (struct l2r_progress){.epoch = t->at.epoch + (within ? 1 : 0),
                                 .n_epochs = t->epochs,
                                 .batch = within ? t->at.batch : batches,
                                 .n_batches = batches,
                                 .loss = t->at.loss_sum / (double)seen,
                                 .metric = t->metric->name,
                                 .train = train,
                                 .valid = valid,
                                 .best_valid = t->at.best_valid,
                                 .best_epoch = t->at.best_epoch,
                                 .learning_rate = l2r_schedule_rate(&t->schedule, in_phase - (within ? 0 : 1)),
                                 .graphs_per_second = in_epoch > 0 ? (double)seen / in_epoch : 0,
                                 .seconds = f->seconds_before + here,
                                 .seconds_left = epochs > 0 ? here / epochs * left : (double)NAN};
}

/* The batches of one epoch, from where `at` stands. */
static enum l2r_status train_batches(struct l2r_fit *f, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &f->trainer;
    l2r_trainer_shuffle(t);
    while (t->at.batch < l2r_trainer_batches(t)) {
        if (stop_requested(f)) {
            L2R_TRY(save(f, error));
            l2r_comm_barrier(f->comm);
            L2R_FAIL(L2R_ERR_INTERRUPTED, "stopped in epoch %lld after %lld batches", (long long)t->at.epoch + 1,
                     (long long)t->at.batch);
        }
        L2R_TRY(l2r_trainer_step(t, error));
        if (f->observer->batch) {
            struct l2r_progress p = progress_of(f, NAN, NAN);
            f->observer->batch(f->observer->context, &p);
        }
    }
done:
    return status;
}

/* Reports outputs that are not finite: the epoch, the part, and the parameter that is the cause, if there is one. */
static enum l2r_status diverged(const struct l2r_fit *f, const char *name, const char *found, struct l2r_error *error)
{
    const struct l2r_trainer *t = &f->trainer;
    if (l2r_trainer_check(t, error) != L2R_OK) return L2R_ERR_DIVERGED;
    return l2r_fail(error, L2R_ERR_DIVERGED, "epoch %lld, scoring the %s graphs: %s; try a smaller `lr` or `clip=1`",
                    (long long)epoch_of(t), name, found);
}

static enum l2r_status score_part(double *value, double *loss, json_t *line, struct l2r_fit *f, int part,
                                  const char *name, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &f->trainer;
    struct l2r_scored scored = {0};
    *value = *loss = NAN;
    L2R_TRY(l2r_scored_network(&scored, &t->network, &t->tape, t->data, l2r_split_part(t->split, part),
                               l2r_split_size(t->split, part), t->options.eval_batch_size, error));
    struct l2r_error found = {0};
    status = l2r_scored_metric(value, &scored, t->metric, &found);
    if (status == L2R_ERR_DIVERGED) status = diverged(f, name, found.message, error);
    if (status != L2R_OK && status != L2R_ERR_DIVERGED) L2R_FAIL(status, "%s", found.message);
    if (status != L2R_OK) goto done;
    *loss = l2r_scores_loss(&scored.scores);
    if (!l2r_json_put(line, name,
                      json_pack("{s:o,s:o}", t->metric->name, l2r_json_real(*value), "loss", l2r_json_real(*loss))))
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the history of a fit");
done:
    l2r_scored_clear(&scored);
    return status;
}

/* The choice of the validation part that does not select, for the record. */
static enum l2r_status keep_other(struct l2r_fit *f, double score, struct l2r_error *error)
{
    struct l2r_trainer *t = &f->trainer;
    if (isnan(score) || !l2r_metric_better(t->metric, score, t->at.other_valid)) return L2R_OK;
    t->at.other_valid = score;
    t->at.other_epoch = epoch_of(t);
    return l2r_snapshot_take(&f->other, &t->network.params, t->at.other_epoch, error);
}

/* Of several copies, the one best on the selecting part predicts until the next choice. */
static enum l2r_status choose_copy(struct l2r_fit *f, json_t *line, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &f->trainer;
    const int32_t n = t->network.n_copies;
    int32_t best = l2r_network_chosen(&t->network);
    double score, loss, highest = NAN;
    json_t *scores = NULL;
    if (n < 2) return L2R_OK;
    scores = json_array();
    for (int32_t k = 0; k < n; k++) {
        l2r_network_choose(&t->network, k);
        L2R_TRY(score_part(&score, &loss, line, f, t->selector, l2r_part_name(t->selector), error));
        if (json_array_append_new(scores, l2r_json_real(score)) != 0)
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the history of a fit");
        if (isnan(score) || !l2r_metric_better(t->metric, score, highest)) continue;
        highest = score;
        best = k;
    }
    l2r_network_choose(&t->network, best);
    if (json_object_set(line, "copies", scores) != 0) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the history of a fit");
done:
    json_decref(scores);
    return status;
}

/* With the averages in place of the parameters: scores the parts, and keeps a snapshot if it is the best so far.
 * Without a validation score the newest epoch counts as the best. */
static enum l2r_status score_and_keep(double *valid, double *train, struct l2r_fit *f, json_t *line,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &f->trainer;
    double loss, score[L2R_N_PARTS] = {NAN};
    L2R_TRY(choose_copy(f, line, error));
    for (int part = L2R_PART_VALID; part < l2r_split_parts(t->split); part += L2R_PART_ID_VALID - L2R_PART_VALID)
        L2R_TRY(score_part(&score[part], &loss, line, f, part, l2r_part_name(part), error));
    *valid = score[t->selector];
    if (l2r_trainer_other(t) >= 0) L2R_TRY(keep_other(f, score[l2r_trainer_other(t)], error));
    if (t->options.eval_train) L2R_TRY(score_part(train, &loss, line, f, L2R_PART_TRAIN, "train", error));
    if (t->options.eval_test_epochs && t->options.eval_test)
        L2R_TRY(score_part(&score[L2R_PART_TEST], &loss, line, f, L2R_PART_TEST, "test", error));
    /* More trees never make a forest worse, and seldom boosted trees; a few dozen validation graphs would stop too
     * early by chance: without --early-stop all trees count, those of a forest always. */
    bool all = t->network.type->fit && (t->network.type->votes || t->options.early_stop == 0);
    bool worse = isnan(*valid) ? !isnan(t->at.best_valid) : !l2r_metric_better(t->metric, *valid, t->at.best_valid);
    if (worse && !all) goto done;
    L2R_TRY(l2r_snapshot_take(&f->best, &t->network.params, epoch_of(t), error));
    t->at.best_valid = *valid;
    t->at.best_epoch = epoch_of(t);
done:
    return status;
}

enum l2r_status l2r_fit_validate(double *valid, double *train, struct l2r_fit *f, json_t *line, struct l2r_error *error)
{
    struct l2r_trainer *t = &f->trainer;
    *valid = *train = NAN;
    l2r_averaging_swap(&t->averaging, &t->network.params);
    enum l2r_status status = score_and_keep(valid, train, f, line, error);
    l2r_averaging_swap(&t->averaging, &t->network.params);
    return status;
}

static enum l2r_status score_epoch(double *valid, double *train, struct l2r_fit *f, json_t *line,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(l2r_trainer_check(&f->trainer, error));
    L2R_TRY(l2r_trainer_average(&f->trainer, error));
    L2R_TRY(l2r_fit_validate(valid, train, f, line, error));
done:
    return status;
}

/* Validation cannot choose among epochs. */
static void note_undefined(const struct l2r_fit *f)
{
    char sentence[256];
    const struct l2r_trainer *t = &f->trainer;
    bool none = l2r_split_size(t->split, t->selector) == 0;
    snprintf(sentence, sizeof sentence, "%s%s: the last epoch is kept, not the best", none ? "" : t->metric->name,
             none ? "there are no validation graphs" : " is not defined for the labels of the validation graphs");
    l2r_fit_note(f->observer, sentence);
}

/* Adds the line to the history and passes it to the observer. */
static enum l2r_status report_epoch(struct l2r_fit *f, json_t *line, const char *sentence, double valid, double train,
                                    double seconds, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &f->trainer;
    double speed = (double)t->n_active / seconds;
    if (t->network.type->fit) /* trees of many epochs may grow in one */
        speed = (double)t->n_active * (double)(t->at.epoch - f->epochs_before) / l2r_clock_since(f->started);
    bool whole = l2r_json_put(line, "seconds", l2r_json_real(seconds)) &&
                 l2r_json_put(line, "graphs_per_second", l2r_json_real(speed));
    if (f->comm && whole)
        whole =
            l2r_json_put(line, "ranks", l2r_ranks_traffic(f->comm, &f->epoch_traffic, l2r_trainer_batches(t), seconds));
    if (!whole || json_array_append(f->history, line) != 0)
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the history of a fit");
    l2r_fit_note(f->observer, sentence);
    if (t->at.epoch == 1 && isnan(valid) && !f->refit) note_undefined(f);
    if (f->observer->epoch) {
        struct l2r_progress p = progress_of(f, train, valid);
        p.graphs_per_second = speed;
        f->observer->epoch(f->observer->context, &p, line);
    }
done:
    return status;
}

/* After the batches: scores, selection, schedule, record. */
static enum l2r_status finish_epoch(struct l2r_fit *f, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &f->trainer;
    double seconds = l2r_clock_since(f->epoch_started), valid, train = NAN,
           lr = l2r_schedule_rate(&t->schedule, t->at.epoch - t->at.phase_epoch);
    char sentence[256] = "";
    json_t *line = json_pack("{s:I,s:o,s:o,s:o}", "epoch", (json_int_t)(t->at.epoch + 1), "loss",
                             l2r_json_real(t->at.loss_sum / (double)t->n_active), "objective",
                             l2r_json_real(t->at.objective_sum / (double)t->n_active), "lr", l2r_json_real(lr));
    L2R_TRY(score_epoch(&valid, &train, f, line, error));
    (void)l2r_work_failed();
    if (t->method->after_epoch) L2R_TRY(t->method->after_epoch(t->method_state, t->at.epoch, line, sentence, error));
    if (l2r_work_failed()) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the history of a fit");
    L2R_TRY(l2r_trainer_compare(t, error));
    l2r_schedule_observe(&t->schedule, t->at.epoch - t->at.phase_epoch, valid);
    t->at.epoch++;
    t->at.batch = 0;
    L2R_TRY(report_epoch(f, line, sentence, valid, train, seconds, error));
    t->at.loss_sum = t->at.objective_sum = 0;
done:
    json_decref(line);
    return status;
}

enum l2r_status l2r_fit_advance(struct l2r_fit *f, struct l2r_error *error)
{
    if (f->best.epoch > 0) l2r_snapshot_restore(&f->best, &f->trainer.network.params);
    f->best.epoch = f->other.epoch = 0;
    return l2r_phase_advance(&f->trainer, error);
}

static enum l2r_status train(struct l2r_fit *f, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    double interval = f->trainer.options.checkpoint_seconds;
    while (!l2r_phase_is_over(&f->trainer) || !l2r_phase_is_last(&f->trainer)) {
        if (l2r_phase_is_over(&f->trainer)) L2R_TRY(l2r_fit_advance(f, error));
        f->epoch_started = l2r_clock_seconds();
        if (f->comm) f->comm->traffic = (struct l2r_traffic){0};
        L2R_TRY(train_batches(f, error));
        if (f->comm) f->epoch_traffic = f->comm->traffic;
        L2R_TRY(finish_epoch(f, error));
        if (l2r_clock_since(f->saved_at) >= interval) L2R_TRY(save(f, error));
    }
    if (f->trainer.at.epoch > f->epochs_before || f->epochs_before == 0) L2R_TRY(save(f, error));
done:
    return status;
}

/* The method may fit the head of the best model. A saved fit holds the best model from before this, so that a resumed
 * one makes the same choice again. */
static enum l2r_status fit_head(struct l2r_fit *f, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &f->trainer;
    double started = l2r_clock_seconds();
    L2R_TRY(l2r_head_choose(&f->head, t, error));
    if (!f->head.head) goto done;
    t->at.seconds += l2r_clock_since(started);
    l2r_head_take(&f->head, t);
    L2R_TRY(l2r_snapshot_take(&f->best, &t->network.params, f->best.epoch, error));
done:
    return status;
}

enum l2r_status l2r_fit_run(struct l2r_fit *f, const struct l2r_fit_observer *observer, struct l2r_error *error)
{
    static const struct l2r_fit_observer none = {0};
    enum l2r_status status = L2R_OK;
    f->observer = observer ? observer : &none;
    if (f->observer->restore) L2R_TRY(f->observer->restore(f->observer->store, f, error));
    for (size_t i = 0; f->observer->replay && i < json_array_size(f->history); i++)
        f->observer->replay(f->observer->context, json_array_get(f->history, i));
    f->trainer.stop_between = f->observer->stop;
    f->trainer.stop_context = f->observer->context;
    f->epochs_before = f->trainer.at.epoch;
    f->seconds_before = f->trainer.at.seconds;
    if (f->comm) L2R_TRY(l2r_ranks_join(&f->trainer, f->comm, error));
    f->started = f->saved_at = l2r_clock_seconds();
    status = train(f, error);
    if (status != L2R_OK && status != L2R_ERR_DIVERGED) goto done;
    if (f->best.epoch > 0) l2r_snapshot_restore(&f->best, &f->trainer.network.params);
    if (status == L2R_OK && f->best.epoch > 0) L2R_TRY(fit_head(f, error));
done:
    return status;
}
