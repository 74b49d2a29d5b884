/* SPDX-License-Identifier: MIT
 * See run.h. */
#include "train/run.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"
#include "data/reader.h"
#include "io/file.h"
#include "predict/domain.h"
#include "predict/predictor.h"
#include "predict/run_options.h"
#include "predict/score.h"
#include "train/checkpoint.h"
#include "train/folder.h"
#include "train/ownership.h"
#include "train/ranks.h"
#include "train/record.h"
#include "train/result.h"
#include "train/watch.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct run {
    struct l2r_trainer trainer;
    struct l2r_record record;
    struct l2r_snapshot best;
    const struct l2r_callbacks *watch;
    struct l2r_comm *comm; /* NULL: alone */
    struct l2r_folder folder;
    int64_t best_saved; /* epoch of the best that is on disk */
    char best_checksum[L2R_CHECKSUM_TEXT];
    bool there;         /* the folder held a checkpoint */
    bool last_is_sound; /* so that it may take the place of the one before */
    double started, saved_at, epoch_started, seconds_before;
    int64_t epochs_before; /* epochs done before this process */
    double *speeds;        /* [epochs]: graphs a second, of this process's epochs */
    int64_t n_speeds;
    struct l2r_traffic epoch_traffic; /* of the epoch's steps */
};

/* Ranks stop at the same batch: one that was asked says so with its next step. */
static bool stop_asked(struct run *r)
{
    bool asked = r->watch && r->watch->stop && r->watch->stop(r->watch->context);
    r->trainer.stop_asked = asked;
    return r->comm ? r->trainer.stop : asked;
}

/* A run without a folder keeps everything in memory. */
static bool writes(const struct run *r)
{
    return r->folder.dir && l2r_comm_leads(r->comm);
}

static enum l2r_status save_best(struct run *r, struct l2r_error *error)
{
    if (r->best.epoch == 0 || r->best.epoch == r->best_saved || !writes(r)) return L2R_OK;
    struct l2r_model_source source = l2r_checkpoint_source(&r->trainer);
    enum l2r_status status = l2r_model_file_write(r->folder.saved.best, &source, &r->best, r->trainer.at.best_valid,
                                                  r->best_checksum, error);
    if (status == L2R_OK) r->best_saved = r->best.epoch;
    return status;
}

/* Best first, then last: a kill between the two leaves a best that the resumed run will reach again. */
static enum l2r_status save(struct run *r, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &r->trainer;
    t->at.seconds = r->seconds_before + l2r_clock_seconds() - r->started;
    if (!writes(r)) return L2R_OK;
    L2R_TRY(l2r_record_sync(&r->record, error));
    L2R_TRY(save_best(r, error));
    const char *keep = r->last_is_sound ? r->folder.saved.previous : NULL;
    L2R_TRY(l2r_checkpoint_write(r->folder.saved.last, keep, t, &r->best, error));
    r->last_is_sound = true;
    r->saved_at = l2r_clock_seconds();
done:
    return status;
}

static struct l2r_progress progress_of(const struct run *r, double train, double valid)
{
    const struct l2r_trainer *t = &r->trainer;
    int64_t n = t->n_active, batches = l2r_trainer_batches(t);
    bool within = t->at.batch > 0;
    int64_t seen = within ? (t->at.batch * t->batch_size < n ? t->at.batch * t->batch_size : n) : n;
    double here = l2r_clock_seconds() - r->started,
           epochs = (double)(t->at.epoch - r->epochs_before) + (double)t->at.batch / (double)batches;
    double left = (double)t->epochs - (double)t->at.epoch - (double)t->at.batch / (double)batches;
    double in_epoch = l2r_clock_seconds() - r->epoch_started;
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
                                 .learning_rate = l2r_schedule_rate(&t->schedule, t->at.epoch - (within ? 0 : 1)),
                                 .graphs_per_second = in_epoch > 0 ? (double)seen / in_epoch : 0,
                                 .seconds = r->seconds_before + here,
                                 .seconds_left = epochs > 0 ? here / epochs * left : (double)NAN};
}

/* The batches of one epoch, from where `at` stands. */
static enum l2r_status train_batches(struct run *r, struct l2r_error *error)
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
static enum l2r_status diverged(const struct run *r, const char *name, const char *found, struct l2r_error *error)
{
    const struct l2r_trainer *t = &r->trainer;
    if (l2r_trainer_check(t, error) != L2R_OK) return L2R_ERR_DIVERGED;
    return l2r_fail(error, L2R_ERR_DIVERGED, "epoch %lld, scoring the %s graphs: %s; try a smaller `lr` or `clip=1`",
                    (long long)t->at.epoch + 1, name, found);
}

static enum l2r_status score_part(double *value, double *loss, json_t *line, struct run *r, int part, const char *name,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &r->trainer;
    struct l2r_scored scored = {0};
    *value = *loss = NAN;
    L2R_TRY(l2r_scored_make(&scored, &t->network, &t->tape, t->data, l2r_split_part(t->split, part),
                            l2r_split_size(t->split, part), t->eval_batch_size, error));
    struct l2r_error found = {0};
    status = l2r_scored_metric(value, &scored, t->metric, &found);
    if (status == L2R_ERR_DIVERGED) status = diverged(r, name, found.message, error);
    if (status != L2R_OK && status != L2R_ERR_DIVERGED) L2R_FAIL(status, "%s", found.message);
    if (status != L2R_OK) goto done;
    *loss = scored.loss;
    json_object_set_new(line, name,
                        json_pack("{s:o,s:o}", t->metric->name, l2r_json_real(*value), "loss", l2r_json_real(*loss)));
done:
    l2r_scored_clear(&scored);
    return status;
}

/* After the batches: scores, selection, schedule, record. */
static enum l2r_status finish_epoch(struct run *r, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &r->trainer;
    int64_t n_train = t->n_active;
    double seconds = l2r_clock_seconds() - r->epoch_started, valid, train = NAN, loss,
           lr = l2r_schedule_rate(&t->schedule, t->at.epoch);
    char sentence[256] = "";
    json_t *line = json_pack("{s:I,s:o,s:o}", "epoch", (json_int_t)(t->at.epoch + 1), "loss",
                             l2r_json_real(t->at.loss_sum / (double)n_train), "lr", l2r_json_real(lr));
    L2R_TRY(score_part(&valid, &loss, line, r, L2R_PART_VALID, "valid", error));
    if (l2r_config_flag(t->config, "eval-train"))
        L2R_TRY(score_part(&train, &loss, line, r, L2R_PART_TRAIN, "train", error));
    if (t->method->after_epoch) L2R_TRY(t->method->after_epoch(t->method_state, t->at.epoch, line, sentence, error));
    L2R_TRY(l2r_trainer_check(t, error));
    L2R_TRY(l2r_trainer_compare(t, error));
    l2r_schedule_observe(&t->schedule, t->at.epoch, valid);
    t->at.epoch++;
    t->at.batch = 0;
    /* Without a validation score the newest epoch counts as the best. */
    if (isnan(valid) ? isnan(t->at.best_valid) : l2r_metric_better(t->metric, valid, t->at.best_valid)) {
        t->at.best_valid = valid;
        t->at.best_epoch = t->at.epoch;
        L2R_TRY(l2r_snapshot_take(&r->best, &t->network.params, t->at.epoch, error));
    }
    r->speeds[r->n_speeds++] = (double)n_train / seconds;
    json_object_set_new(line, "seconds", l2r_json_real(seconds));
    json_object_set_new(line, "graphs_per_second", l2r_json_real((double)n_train / seconds));
    if (r->comm)
        json_object_set_new(line, "ranks",
                            l2r_ranks_traffic(r->comm, &r->epoch_traffic, l2r_trainer_batches(t), seconds));
    if (writes(r)) L2R_TRY(l2r_record_epoch(&r->record, t->at.epoch, line, error));
    l2r_watch_note(r->watch, sentence);
    if (t->at.epoch == 1 && isnan(valid)) l2r_watch_undefined(r->watch, t);
    if (r->watch && r->watch->epoch) {
        struct l2r_progress p = progress_of(r, train, valid);
        p.graphs_per_second = (double)n_train / seconds;
        r->watch->epoch(r->watch->context, &p);
    }
    t->at.loss_sum = 0;
done:
    json_decref(line);
    return status;
}

static bool finished(const struct l2r_trainer *t)
{
    int64_t patience = l2r_config_int(t->config, "early-stop");
    return t->at.epoch >= t->epochs || (patience > 0 && t->at.epoch - t->at.best_epoch >= patience);
}

static enum l2r_status train_epochs(struct run *r, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    double interval = l2r_config_real(r->trainer.config, "checkpoint-seconds");
    while (!finished(&r->trainer)) {
        r->epoch_started = l2r_clock_seconds();
        if (r->comm) r->comm->traffic = (struct l2r_traffic){0};
        L2R_TRY(train_batches(r, error));
        if (r->comm) r->epoch_traffic = r->comm->traffic;
        L2R_TRY(finish_epoch(r, error));
        if (l2r_clock_seconds() - r->saved_at >= interval) L2R_TRY(save(r, error));
    }
    if (r->trainer.at.epoch > r->epochs_before || r->epochs_before == 0) L2R_TRY(save(r, error));
    L2R_TRY(save_best(r, error)); /* a resumed run does not trust the file that it finds */
done:
    return status;
}

/* After divergence: keeps the best model from before it, on all ranks in the same step. The others wait, because a rank
 * that ends with an error stops rank 0 after a second. */
static void keep_good(struct run *r)
{
    if (r->best.epoch == 0) return;
    (void)save_best(r, NULL);
    l2r_comm_barrier(r->comm);
}

static enum l2r_status load(struct l2r_dataset **data, const struct l2r_config *config, struct l2r_comm *comm,
                            struct l2r_error *error)
{
    if (comm) return l2r_ranks_load(data, config, comm, error);
    return l2r_dataset_load_with(data, l2r_config_text(config, "data"), config, l2r_config_flag(config, "cache"),
                                 error);
}

static enum l2r_status check_labels(const struct l2r_dataset *data, const struct l2r_split *split,
                                    struct l2r_error *error)
{
    const int32_t *graphs = l2r_split_part(split, L2R_PART_TRAIN);
    for (int64_t i = 0; i < l2r_split_size(split, L2R_PART_TRAIN); i++)
        for (int32_t t = 0; t < data->n_tasks; t++)
            if (!isnan(data->labels[(int64_t)graphs[i] * data->n_tasks + t])) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "no training graph of data set \"%s\" has a label%s", data->name,
                    data->smiles ? "; labels must be numeric columns, which `target-columns` can name" : "");
}

/* The model is saved by now: an error here costs only the columns of l2r predict that tell how far out a graph lies.
 * But one rank alone may lack memory, and then it must not go on to calls in which the others do not take part. */
static enum l2r_status note_domain(struct run *r, const struct l2r_dataset *data, const struct l2r_split *split,
                                   struct l2r_error *error)
{
    struct l2r_error reason = {0};
    char sentence[640];
    struct l2r_trainer *t = &r->trainer;
    if (l2r_applicability_save(r->folder.saved.best, r->best_checksum, &t->network, &t->tape, data, split,
                               t->eval_batch_size, &reason) == L2R_OK)
        return L2R_OK;
    if (r->comm && reason.status == L2R_ERR_MEMORY) return l2r_fail(error, reason.status, "%s", reason.message);
    snprintf(sentence, sizeof sentence, "the applicability domain was not kept: %.500s", reason.message);
    l2r_watch_note(r->watch, sentence);
    return L2R_OK;
}

static enum l2r_status refuse_folder(const char *dir, struct l2r_error *error)
{
    return l2r_fail(error, L2R_ERR_ARGUMENT,
                    "%s already holds a run; continue it with `resume` or choose another `out`", dir);
}

/* All ranks have looked at the folder before one writes there, and what they do next is the same. */
static enum l2r_status agree_on_folder(const struct run *r, bool finished, struct l2r_error *error)
{
    uint64_t found = finished ? 2 : r->folder.saved.file ? 1 : 0;
    return l2r_comm_agree(r->comm, found,
                          "finds a different run in the folder than rank 0; can all ranks see the folder of the run?",
                          error);
}

/* What the folder holds already: a finished run gives its result, one under way its checkpoint. */
static enum l2r_status look_into_folder(struct l2r_result *result, struct run *r, const struct l2r_run *plan,
                                        struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(l2r_folder_init(&r->folder, plan->out, l2r_comm_leads(plan->comm), plan->callbacks, error));
    r->there = l2r_saved_is_there(&r->folder.saved);
    if (!plan->resume && (r->there || l2r_path_is_file(r->folder.result))) L2R_TRY(refuse_folder(plan->out, error));
    if (!plan->resume) L2R_TRY(l2r_folder_refuse_files(plan->out, error));
    if (plan->resume && l2r_path_is_dir(plan->out)) L2R_TRY(l2r_folder_lock(&r->folder, error));
    if (l2r_path_is_file(r->folder.result)) L2R_TRY(l2r_folder_result(result, &r->folder, plan->config, error));
    bool ended = *result->metric;
    if (r->there && !ended) L2R_TRY(l2r_saved_open(&r->folder.saved, plan->config, error));
    if (plan->resume && !ended && !r->folder.saved.file)
        L2R_TRY(l2r_folder_check_begun(&r->folder, plan->config, error));
    L2R_TRY(agree_on_folder(r, ended, error));
    if (!ended) l2r_watch_note(plan->callbacks, r->folder.saved.note);
done:
    return status;
}

/* The caller's, the folder's, or the one that the options ask for. */
static enum l2r_status choose_split(struct l2r_split *split, const struct run *r, const struct l2r_run *plan,
                                    const struct l2r_dataset *data, struct l2r_error *error)
{
    char found[17];
    if (!plan->split && plan->out) return l2r_folder_split(split, &r->folder, plan->config, data, error);
    if (!plan->split) return l2r_split_make(split, data, plan->config, error);
    const struct l2r_safetensors *file = r->folder.saved.file;
    const char *known = file ? l2r_safetensors_metadata(file, "split") : NULL;
    snprintf(found, sizeof found, "%016" PRIx64, l2r_split_fingerprint(plan->split));
    if (known && strcmp(known, found) != 0)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "split is not the one that the run in %s began with", plan->out);
    return l2r_split_copy(split, plan->split, error);
}

/* Takes the lock and, where there is a checkpoint, goes on from it; opens the record. */
static enum l2r_status begin_in_folder(struct run *r, const struct l2r_run *plan, const struct l2r_split *split,
                                       struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(l2r_folder_lock(&r->folder, error));
    if (!r->there && l2r_saved_is_there(&r->folder.saved)) /* of a run that had the lock meanwhile */
        L2R_TRY(refuse_folder(plan->out, error));
    if (!plan->resume) L2R_TRY(l2r_folder_refuse_files(plan->out, error));
    bool resuming = r->folder.saved.file != NULL;
    if (resuming) {
        L2R_TRY(l2r_folder_resume(&r->trainer, &r->best, &r->folder, error));
        r->last_is_sound = r->folder.saved.path == r->folder.saved.last;
        l2r_saved_close(&r->folder.saved); /* its memory is not needed any more */
        r->epochs_before = r->trainer.at.epoch;
        r->seconds_before = r->trainer.at.seconds;
    } else if (plan->resume && !r->there) {
        l2r_watch_note(plan->callbacks, "there is no checkpoint to continue from: starting from the beginning");
    }
    if (!*r->trainer.at.run) L2R_TRY(l2r_identity_of(r->trainer.at.run, &r->trainer, error));
    if (plan->comm) L2R_TRY(l2r_ranks_join(&r->trainer, plan->comm, error));
    if (!l2r_comm_leads(plan->comm)) goto done;
    if (!resuming) L2R_TRY(l2r_folder_write(&r->folder, plan->config, split, error));
    char note[L2R_RECORD_NOTE] = "";
    L2R_TRY(l2r_record_open(&r->record, note, plan->out, r->trainer.at.run, r->epochs_before, error));
    l2r_watch_note(plan->callbacks, note);
done:
    return status;
}

/* The best model into the folder, or to the caller, and what it scores. The result is last: it says that everything
 * else is there. */
static enum l2r_status end_run(struct l2r_result *result, struct l2r_predictor **predictor, struct run *r,
                               const struct l2r_run *plan, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &r->trainer;
    if (r->best.epoch > 0) l2r_snapshot_restore(&r->best, &t->network.params);
    if (r->best.epoch > 0 && plan->out) L2R_TRY(note_domain(r, t->data, t->split, error));
    L2R_TRY(l2r_result_make(result, t, r->speeds, r->n_speeds, error));
    if (writes(r)) L2R_TRY(l2r_result_write(result, r->folder.result, plan->out, t->at.run, r->best_checksum, error));
    if (!plan->out && predictor) L2R_TRY(l2r_predictor_from_network(predictor, &t->network, t->config, error));
done:
    return status;
}

enum l2r_status l2r_run_train(struct l2r_result *result, struct l2r_predictor **predictor, const struct l2r_run *plan,
                              struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct run r = {.watch = plan->callbacks, .comm = plan->comm};
    struct l2r_dataset *own = NULL;
    struct l2r_split split = {0};
    if (!result) return l2r_fail(error, L2R_ERR_ARGUMENT, "result is NULL");
    *result = (struct l2r_result){0};
    if (l2r_run_check(plan->config, error) != L2R_OK) return L2R_ERR_ARGUMENT;
    if (plan->out) L2R_TRY(look_into_folder(result, &r, plan, error));
    if (*result->metric) goto done;
    if (!plan->data && !l2r_config_text(plan->config, "data"))
        L2R_FAIL(L2R_ERR_ARGUMENT, "`data` is missing: a folder, a zip, or a generator such as motif:mu=0.8");
    if (!plan->data) L2R_TRY(load(&own, plan->config, plan->comm, error));
    const struct l2r_dataset *data = plan->data ? plan->data : own;
    L2R_TRY(choose_split(&split, &r, plan, data, error));
    L2R_TRY(check_labels(data, &split, error));
    L2R_TRY(l2r_trainer_init(&r.trainer, plan->config, data, &split, error));
    r.speeds = l2r_alloc((size_t)(r.trainer.epochs + 1), sizeof *r.speeds);
    if (!r.speeds) {
        status = l2r_fail_memory(error, (size_t)r.trainer.epochs * sizeof *r.speeds, "the run");
        goto done;
    }
    if (plan->out) L2R_TRY(begin_in_folder(&r, plan, &split, error));
    l2r_watch_start(plan->callbacks, &r.trainer, plan->out);
    r.started = r.saved_at = l2r_clock_seconds();
    status = train_epochs(&r, error);
    if (status == L2R_ERR_DIVERGED) keep_good(&r);
    if (status != L2R_OK) goto done;
    L2R_TRY(end_run(result, predictor, &r, plan, error));
done:
    status = l2r_record_close(&r.record, status, error);
    if (plan->out) l2r_folder_clear(&r.folder);
    l2r_snapshot_clear(&r.best);
    l2r_trainer_clear(&r.trainer);
    l2r_split_clear(&split);
    l2r_dataset_free(own);
    l2r_free(r.speeds);
    return status;
}
