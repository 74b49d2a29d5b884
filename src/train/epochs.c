/* SPDX-License-Identifier: MIT
 * See epochs.h. */
#include "train/epochs.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"
#include "metrics/probability.h"
#include "model/run_options.h"
#include "model/scored.h"
#include "train/checkpoint.h"
#include "train/phases.h"
#include "train/ranks.h"
#include "train/watch.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Ranks stop at the same batch: one that was asked says so with its next step. */
static bool stop_asked(struct l2r_run_state *r)
{
    bool asked = r->watch && r->watch->stop && r->watch->stop(r->watch->context);
    r->trainer.stop_asked = asked;
    return r->comm ? r->trainer.stop : asked;
}

bool l2r_run_writes(const struct l2r_run_state *r)
{
    return r->folder.dir && l2r_comm_leads(r->comm);
}

static void fingerprint(char text[L2R_FINGERPRINT_TEXT], uint64_t number)
{
    snprintf(text, L2R_FINGERPRINT_TEXT, "%016" PRIx64, number);
}

/* The weights that the method has learned for the graphs of the data; none where it learns none. */
static enum l2r_status take_weights(struct l2r_trained *model, const struct l2r_trainer *t, struct l2r_error *error)
{
    struct l2r_state_array array;
    for (int i = 0; t->method->state_array && t->method->state_array(t->method_state, i, &array); i++) {
        if (strcmp(array.name, "weights") != 0 || array.kind != L2R_STATE_REAL) continue;
        model->weights = l2r_alloc_raw((size_t)array.count, sizeof *model->weights);
        if (!model->weights) return l2r_fail_memory(error, (size_t)array.count * sizeof(float), "weights of graphs");
        model->n_weights = array.count;
        for (int64_t g = 0; g < array.count; g++) model->weights[g] = (float)((const l2r_real *)array.data)[g];
        break;
    }
    return L2R_OK;
}

enum l2r_status l2r_run_take_model(struct l2r_run_state *r, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_trainer *t = &r->trainer;
    l2r_trained_free(r->trained);
    L2R_TRY(l2r_trained_new(&r->trained, t->config, error));
    L2R_TRY(l2r_trained_add(r->trained, &t->network, t->config, error));
    L2R_TRY(take_weights(r->trained, t, error));
    fingerprint(r->trained->data, l2r_dataset_fingerprint(t->data));
    fingerprint(r->trained->split, l2r_split_fingerprint(t->split));
    r->trained->epoch = r->best.epoch;
    r->trained->valid = t->at.best_valid;
done:
    return status;
}

enum l2r_status l2r_run_save_model(struct l2r_run_state *r, struct l2r_error *error)
{
    if (!l2r_run_writes(r)) return L2R_OK;
    return l2r_trained_write(r->trained, r->folder.saved.best, r->best_checksum, error);
}

enum l2r_status l2r_run_save_last(struct l2r_run_state *r, struct l2r_error *error)
{
    if (!l2r_run_writes(r)) return L2R_OK;
    return l2r_checkpoint_write(r->folder.saved.last, r->last_is_sound ? r->folder.saved.previous : NULL, &r->trainer,
                                &r->best, &r->other, error);
}

static enum l2r_status save(struct l2r_run_state *r, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &r->trainer;
    t->at.seconds = r->seconds_before + l2r_clock_since(r->started);
    if (!l2r_run_writes(r)) return L2R_OK;
    L2R_TRY(l2r_record_sync(&r->record, error));
    L2R_TRY(l2r_run_save_last(r, error));
    r->last_is_sound = true;
    r->saved_at = l2r_clock_seconds();
done:
    return status;
}

static struct l2r_progress progress_of(const struct l2r_run_state *r, double train, double valid)
{
    const struct l2r_trainer *t = &r->trainer;
    int64_t n = t->n_active, batches = l2r_trainer_batches(t);
    bool within = t->at.batch > 0;
    int64_t seen = within ? (t->at.batch * t->batch_size < n ? t->at.batch * t->batch_size : n) : n;
    double here = l2r_clock_since(r->started),
           epochs = (double)(t->at.epoch - r->epochs_before) + (double)t->at.batch / (double)batches;
    double left = (double)t->epochs - (double)t->at.epoch - (double)t->at.batch / (double)batches;
    double in_epoch = l2r_clock_since(r->epoch_started);
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
                                 .seconds = r->seconds_before + here,
                                 .seconds_left = epochs > 0 ? here / epochs * left : (double)NAN};
}

/* The batches of one epoch, from where `at` stands. */
static enum l2r_status train_batches(struct l2r_run_state *r, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &r->trainer;
    l2r_trainer_shuffle(t);
    while (t->at.batch < l2r_trainer_batches(t)) {
        if (stop_asked(r)) {
            L2R_TRY(save(r, error));
            l2r_comm_barrier(r->comm);
            L2R_FAIL(L2R_ERR_INTERRUPTED, "stopped in epoch %lld after %lld batches; %s%s", (long long)t->at.epoch + 1,
                     (long long)t->at.batch, r->folder.dir ? "everything is saved in " : "nothing is kept",
                     r->folder.dir ? r->folder.dir : "");
        }
        L2R_TRY(l2r_trainer_step(t, error));
        if (r->watch && r->watch->batch) {
            struct l2r_progress p = progress_of(r, NAN, NAN);
            r->watch->batch(r->watch->context, &p);
        }
    }
done:
    return status;
}

/* Outputs that are not finite: when, whose, and which parameter is the cause, if one is. */
static enum l2r_status diverged(const struct l2r_run_state *r, const char *name, const char *found,
                                struct l2r_error *error)
{
    const struct l2r_trainer *t = &r->trainer;
    if (l2r_trainer_check(t, error) != L2R_OK) return L2R_ERR_DIVERGED;
    return l2r_fail(error, L2R_ERR_DIVERGED, "epoch %lld, scoring the %s graphs: %s; try a smaller `lr` or `clip=1`",
                    (long long)t->at.epoch + 1, name, found);
}

static enum l2r_status score_part(double *value, double *loss, json_t *line, struct l2r_run_state *r, int part,
                                  const char *name, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &r->trainer;
    struct l2r_scored scored = {0};
    *value = *loss = NAN;
    L2R_TRY(l2r_scored_network(&scored, &t->network, &t->tape, t->data, l2r_split_part(t->split, part),
                               l2r_split_size(t->split, part), t->eval_batch_size, error));
    struct l2r_error found = {0};
    status = l2r_scored_metric(value, &scored, t->metric, &found);
    if (status == L2R_ERR_DIVERGED) status = diverged(r, name, found.message, error);
    if (status != L2R_OK && status != L2R_ERR_DIVERGED) L2R_FAIL(status, "%s", found.message);
    if (status != L2R_OK) goto done;
    *loss = l2r_scores_loss(&scored.scores);
    json_object_set_new(line, name,
                        json_pack("{s:o,s:o}", t->metric->name, l2r_json_real(*value), "loss", l2r_json_real(*loss)));
done:
    l2r_scored_clear(&scored);
    return status;
}

/* The choice of the validation part that does not select, for the record. */
static enum l2r_status keep_other(struct l2r_run_state *r, double score, struct l2r_error *error)
{
    struct l2r_trainer *t = &r->trainer;
    if (isnan(score) || !l2r_metric_better(t->metric, score, t->at.other_valid)) return L2R_OK;
    t->at.other_valid = score;
    t->at.other_epoch = t->at.epoch + 1;
    return l2r_snapshot_take(&r->other, &t->network.params, t->at.other_epoch, error);
}

/* With the averages in place of the parameters: scores the parts, and keeps a snapshot if it is the best so far.
 * Without a validation score the newest epoch counts as the best. */
static enum l2r_status score_and_keep(double *valid, double *train, struct l2r_run_state *r, json_t *line,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &r->trainer;
    double loss, score[L2R_N_PARTS] = {NAN};
    for (int part = L2R_PART_VALID; part < l2r_split_parts(t->split); part += L2R_PART_ID_VALID - L2R_PART_VALID)
        L2R_TRY(score_part(&score[part], &loss, line, r, part, l2r_part_name(part), error));
    *valid = score[t->selector];
    if (l2r_trainer_other(t) >= 0) L2R_TRY(keep_other(r, score[l2r_trainer_other(t)], error));
    if (l2r_config_flag(t->config, "eval-train"))
        L2R_TRY(score_part(train, &loss, line, r, L2R_PART_TRAIN, "train", error));
    /* Trees seldom get worse by growing, and a few dozen validation graphs rank the first ones by luck: without
     * --early-stop all of them count. */
    bool all = t->network.type->fit && l2r_config_int(t->config, "early-stop") == 0;
    bool worse = isnan(*valid) ? !isnan(t->at.best_valid) : !l2r_metric_better(t->metric, *valid, t->at.best_valid);
    if (worse && !all) goto done;
    L2R_TRY(l2r_snapshot_take(&r->best, &t->network.params, t->at.epoch + 1, error));
    t->at.best_valid = *valid;
    t->at.best_epoch = t->at.epoch + 1;
done:
    return status;
}

static enum l2r_status score_epoch(double *valid, double *train, struct l2r_run_state *r, json_t *line,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &r->trainer;
    L2R_TRY(l2r_trainer_check(t, error));
    L2R_TRY(l2r_trainer_average(t, error));
    l2r_averaging_swap(&t->averaging, &t->network.params);
    status = score_and_keep(valid, train, r, line, error);
    l2r_averaging_swap(&t->averaging, &t->network.params);
done:
    return status;
}

/* The line goes to the record, the numbers to whoever watches. */
static enum l2r_status tell_epoch(struct l2r_run_state *r, json_t *line, const char *sentence, double valid,
                                  double train, double seconds, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &r->trainer;
    double speed = (double)t->n_active / seconds;
    if (t->network.type->fit) /* trees of many epochs may grow in one */
        speed = (double)t->n_active * (double)(t->at.epoch - r->epochs_before) / l2r_clock_since(r->started);
    r->speeds[r->n_speeds++] = speed;
    json_object_set_new(line, "seconds", l2r_json_real(seconds));
    json_object_set_new(line, "graphs_per_second", l2r_json_real(speed));
    if (r->comm)
        json_object_set_new(line, "ranks",
                            l2r_ranks_traffic(r->comm, &r->epoch_traffic, l2r_trainer_batches(t), seconds));
    if (l2r_run_writes(r)) L2R_TRY(l2r_record_epoch(&r->record, t->at.epoch, line, error));
    l2r_watch_note(r->watch, sentence);
    if (t->at.epoch == 1 && isnan(valid)) l2r_watch_undefined(r->watch, t);
    if (r->watch && r->watch->epoch) {
        struct l2r_progress p = progress_of(r, train, valid);
        p.graphs_per_second = speed;
        r->watch->epoch(r->watch->context, &p);
    }
done:
    return status;
}

/* After the batches: scores, selection, schedule, record. */
static enum l2r_status finish_epoch(struct l2r_run_state *r, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &r->trainer;
    double seconds = l2r_clock_since(r->epoch_started), valid, train = NAN,
           lr = l2r_schedule_rate(&t->schedule, t->at.epoch - t->at.phase_epoch);
    char sentence[256] = "";
    json_t *line = json_pack("{s:I,s:o,s:o,s:o}", "epoch", (json_int_t)(t->at.epoch + 1), "loss",
                             l2r_json_real(t->at.loss_sum / (double)t->n_active), "objective",
                             l2r_json_real(t->at.objective_sum / (double)t->n_active), "lr", l2r_json_real(lr));
    L2R_TRY(score_epoch(&valid, &train, r, line, error));
    if (t->method->after_epoch) L2R_TRY(t->method->after_epoch(t->method_state, t->at.epoch, line, sentence, error));
    L2R_TRY(l2r_trainer_compare(t, error));
    l2r_schedule_observe(&t->schedule, t->at.epoch - t->at.phase_epoch, valid);
    t->at.epoch++;
    t->at.batch = 0;
    L2R_TRY(tell_epoch(r, line, sentence, valid, train, seconds, error));
    t->at.loss_sum = t->at.objective_sum = 0;
done:
    json_decref(line);
    return status;
}

/* The next phase begins with the best model of the last one, and chooses a best of its own. */
static enum l2r_status change_phase(struct l2r_run_state *r, struct l2r_error *error)
{
    if (r->best.epoch > 0) l2r_snapshot_restore(&r->best, &r->trainer.network.params);
    r->best.epoch = r->other.epoch = 0;
    return l2r_phase_advance(&r->trainer, error);
}

enum l2r_status l2r_run_epochs(struct l2r_run_state *r, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    double interval = l2r_config_real(r->trainer.config, "checkpoint-seconds");
    while (!l2r_phase_is_over(&r->trainer) || !l2r_phase_is_last(&r->trainer)) {
        if (l2r_phase_is_over(&r->trainer)) L2R_TRY(change_phase(r, error));
        r->epoch_started = l2r_clock_seconds();
        if (r->comm) r->comm->traffic = (struct l2r_traffic){0};
        L2R_TRY(train_batches(r, error));
        if (r->comm) r->epoch_traffic = r->comm->traffic;
        L2R_TRY(finish_epoch(r, error));
        if (l2r_clock_since(r->saved_at) >= interval) L2R_TRY(save(r, error));
    }
    if (r->trainer.at.epoch > r->epochs_before || r->epochs_before == 0) L2R_TRY(save(r, error));
done:
    return status;
}

/* The other ranks wait, because one that ends with an error stops rank 0 after a second. */
void l2r_run_keep_good(struct l2r_run_state *r)
{
    if (r->best.epoch == 0) return;
    l2r_snapshot_restore(&r->best, &r->trainer.network.params);
    if (l2r_run_take_model(r, NULL) == L2R_OK) (void)l2r_run_save_model(r, NULL);
    l2r_comm_barrier(r->comm);
}
