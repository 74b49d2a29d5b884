/* SPDX-License-Identifier: MIT
 * See run.h. The loop over epochs; what happens in a batch is trainer.c, what is written is record.c and checkpoint.c. */
#include "train/run.h"

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "data/notes.h"
#include "data/options.h"
#include "train/applicability.h"
#include "train/checkpoint.h"
#include "train/record.h"
#include "train/result.h"
#include "train/resume.h"
#include "train/score.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

struct run {
    struct l2r_trainer trainer;
    struct l2r_record record;
    struct l2r_snapshot best;
    const struct l2r_watch *watch;
    const char *dir;
    char best_path[4096], last_path[4096];
    int64_t best_saved; /* epoch of the best that is on disk */
    double started, saved_at, epoch_started, seconds_before;
    int64_t epochs_before; /* epochs done before this process */
    double *speeds;        /* [epochs]: graphs a second, of this process's epochs */
    int64_t n_speeds;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void note(const struct run *r, const char *sentence)
{
    if (r->watch && r->watch->note && *sentence) r->watch->note(r->watch->context, sentence);
}

static bool stop_asked(const struct run *r)
{
    return r->watch && r->watch->stop && r->watch->stop(r->watch->context);
}

/* Best first, then last: a kill between the two leaves a best that the resumed run will reach again. */
static enum l2r_status save(struct run *r, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &r->trainer;
    t->at.seconds = r->seconds_before + now() - r->started;
    if (r->best.epoch > 0 && r->best.epoch != r->best_saved) {
        L2R_TRY(l2r_checkpoint_write(r->best_path, t, &r->best, t->at.best_valid, error));
        r->best_saved = r->best.epoch;
    }
    L2R_TRY(l2r_checkpoint_write_state(r->last_path, t, error));
    r->saved_at = now();
done:
    return status;
}

static struct l2r_progress progress_of(const struct run *r, double train, double valid)
{
    const struct l2r_trainer *t = &r->trainer;
    int64_t n = t->n_active, batches = l2r_trainer_batches(t);
    bool within = t->at.batch > 0;
    int64_t seen = within ? (t->at.batch * t->batch_size < n ? t->at.batch * t->batch_size : n) : n;
    double here = now() - r->started,
           epochs = (double)(t->at.epoch - r->epochs_before) + (double)t->at.batch / (double)batches;
    double left = (double)t->epochs - (double)t->at.epoch - (double)t->at.batch / (double)batches;
    double in_epoch = now() - r->epoch_started;
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
            L2R_FAIL(L2R_ERR_INTERRUPTED, "stopped in epoch %lld after %lld batches; everything is saved in %s",
                     (long long)t->at.epoch + 1, (long long)t->at.batch, r->dir);
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

static enum l2r_status score_part(double *value, double *loss, json_t *line, struct run *r, int part, const char *name,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &r->trainer;
    struct l2r_scored scored = {0};
    *value = *loss = NAN;
    L2R_TRY(l2r_scored_make(&scored, &t->network, &t->tape, t->data, l2r_split_part(t->split, part),
                            l2r_split_size(t->split, part), t->eval_batch_size, error));
    L2R_TRY(l2r_scored_metric(value, &scored, t->metric, error));
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
    double seconds = now() - r->epoch_started, valid, train = NAN, loss,
           lr = l2r_schedule_rate(&t->schedule, t->at.epoch);
    char sentence[256] = "";
    json_t *line = json_pack("{s:I,s:o,s:o}", "epoch", (json_int_t)(t->at.epoch + 1), "loss",
                             l2r_json_real(t->at.loss_sum / (double)n_train), "lr", l2r_json_real(lr));
    L2R_TRY(score_part(&valid, &loss, line, r, L2R_PART_VALID, "valid", error));
    if (l2r_config_flag(t->config, "eval-train"))
        L2R_TRY(score_part(&train, &loss, line, r, L2R_PART_TRAIN, "train", error));
    if (t->method->after_epoch) L2R_TRY(t->method->after_epoch(t->method_state, t->at.epoch, line, sentence, error));
    L2R_TRY(l2r_trainer_check(t, error));
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
    L2R_TRY(l2r_record_epoch(&r->record, t->at.epoch, line, error));
    note(r, sentence);
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
        r->epoch_started = now();
        L2R_TRY(train_batches(r, error));
        L2R_TRY(finish_epoch(r, error));
        if (now() - r->saved_at >= interval) L2R_TRY(save(r, error));
    }
    if (r->trainer.at.epoch > r->epochs_before || r->epochs_before == 0) L2R_TRY(save(r, error));
done:
    return status;
}

/* What --class-weights auto has decided, or how targets are scaled, where the user left that to us; otherwise nothing. */
static void describe_labels(char *text, size_t size, const struct l2r_trainer *t)
{
    const struct l2r_signature *s = &t->network.signature;
    text[0] = '\0';
    if (!l2r_config_is(t->config, "class-weights", "auto")) return;
    if (t->data->task == L2R_TASK_REGRESSION)
        snprintf(text, size, "labels  %d target%s, trained on as standard scores (mean %.4g, sd %.4g%s)", s->n_tasks,
                 s->n_tasks > 1 ? "s" : "", s->target_mean[0], s->target_sd[0], s->n_tasks > 1 ? " of the first" : "");
    else if (!isnan(t->rarest))
        snprintf(text, size, "labels  the rarest class has %.1f %% of them: %s", 100 * t->rarest,
                 t->network.class_weight ? "classes are balanced by weights" : "no class weights");
}

static void add_table_line(void *context, const char *line)
{
    (void)l2r_notes_add(context, "table   %s", line); /* a line less where memory is short */
}

/* What stands above the epochs; rows that a table's reader left out are listed, up to ten. */
static void describe(const struct run *r)
{
    if (!r->watch || !r->watch->start) return;
    const struct l2r_trainer *t = &r->trainer;
    const struct l2r_split *split = t->split;
    struct l2r_notes text = {0};
    char labels[160];
    describe_labels(labels, sizeof labels, t);
    l2r_notes_tell(t->data, 10, add_table_line, &text);
    bool made = l2r_notes_add(&text, "data    %s: %lld graphs, %lld nodes, %lld edges, %s task", t->data->name,
                              (long long)t->data->n_graphs, (long long)t->data->n_nodes,
                              (long long)l2r_dataset_edges(t->data), l2r_task_name(t->data->task));
    made = made && l2r_notes_add(&text, "split   %s: %lld train, %lld valid, %lld test%s%s%s", split->rule,
                                 (long long)l2r_split_size(split, L2R_PART_TRAIN),
                                 (long long)l2r_split_size(split, L2R_PART_VALID),
                                 (long long)l2r_split_size(split, L2R_PART_TEST), split->note[0] ? " (" : "",
                                 split->note, split->note[0] ? ")" : "");
    if (made && labels[0]) made = l2r_notes_add(&text, "%s", labels);
    made =
        made && l2r_notes_add(&text, "model   %s, %lld parameters; method %s; seed %llu", t->network.type->name,
                              (long long)t->network.params.n_trainable, t->method->name, (unsigned long long)t->seed);
    made = made && l2r_notes_add(&text, "run     %s", r->dir);
    if (made) r->watch->start(r->watch->context, text.text);
    l2r_notes_clear(&text);
}

/* Config and split of a new run go to disk before the first step. */
static enum l2r_status write_folder(const struct run *r, const struct l2r_config *config, const struct l2r_split *split,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char path[4096];
    json_t *object = l2r_config_to_json(config);
    L2R_TRY(l2r_path_join(path, sizeof path, r->dir, "split.json", error));
    L2R_TRY(l2r_split_write(split, path, error));
    L2R_TRY(l2r_path_join(path, sizeof path, r->dir, "config.json", error));
    L2R_TRY(l2r_json_write(object, path, error));
done:
    json_decref(object);
    return status;
}

static enum l2r_status find_split(struct l2r_split *split, const struct run *r, const struct l2r_config *config,
                                  const struct l2r_dataset *data, bool resuming, struct l2r_error *error)
{
    char path[4096];
    if (!resuming) return l2r_split_make(split, data, config, error);
    enum l2r_status status = l2r_path_join(path, sizeof path, r->dir, "split.json", error);
    return status == L2R_OK ? l2r_split_read(split, path, data, error) : status;
}

static enum l2r_status check_labels(const struct l2r_dataset *data, const struct l2r_split *split,
                                    struct l2r_error *error)
{
    const int32_t *graphs = l2r_split_part(split, L2R_PART_TRAIN);
    for (int64_t i = 0; i < l2r_split_size(split, L2R_PART_TRAIN); i++)
        for (int32_t t = 0; t < data->n_tasks; t++)
            if (!isnan(data->labels[(int64_t)graphs[i] * data->n_tasks + t])) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "no training graph of data set \"%s\" has a label%s", data->name,
                    data->smiles ? "; labels stand in columns of numbers, which --target-columns can name" : "");
}

/* One run at a time in a folder: *lock is held until it is closed. */
static enum l2r_status lock_folder(int *lock, const char *dir, struct l2r_error *error)
{
    enum l2r_status status = l2r_make_dirs(dir, error);
    if (status != L2R_OK) return status;
    *lock = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0) return l2r_fail(error, L2R_ERR_IO, "%s: cannot be opened: %s", dir, strerror(errno));
    if (flock(*lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return L2R_OK; /* some file systems cannot lock */
    return l2r_fail(error, L2R_ERR_ARGUMENT, "%s: another run is under way there; choose another --out", dir);
}

/* The run is finished and kept by now: what goes wrong here costs the columns of l2r predict that tell how far out a graph lies, nothing else. */
static void note_domain(struct run *r, const struct l2r_dataset *data, const struct l2r_split *split)
{
    struct l2r_error reason = {0};
    char sentence[640];
    struct l2r_trainer *t = &r->trainer;
    if (l2r_applicability_save(r->best_path, &t->network, &t->tape, data, split, t->eval_batch_size, &reason) == L2R_OK)
        return;
    snprintf(sentence, sizeof sentence, "the applicability domain was not kept: %.500s", reason.message);
    note(r, sentence);
}

enum l2r_status l2r_run_train(struct l2r_result *result, const struct l2r_config *config, const char *dir, bool resume,
                              const struct l2r_watch *watch, struct l2r_error *error)
{
    return l2r_run_train_on(result, config, NULL, dir, resume, watch, error);
}

enum l2r_status l2r_run_train_on(struct l2r_result *result, const struct l2r_config *config,
                                 const struct l2r_dataset *given, const char *dir, bool resume,
                                 const struct l2r_watch *watch, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct run r = {.watch = watch, .dir = dir};
    struct l2r_dataset *own = NULL;
    struct l2r_split split = {0};
    char result_path[4096];
    int lock = -1;
    *result = (struct l2r_result){0};
    L2R_TRY(l2r_path_join(r.best_path, sizeof r.best_path, dir, "best.safetensors", error));
    L2R_TRY(l2r_path_join(r.last_path, sizeof r.last_path, dir, "last.safetensors", error));
    L2R_TRY(l2r_path_join(result_path, sizeof result_path, dir, "result.json", error));
    bool resuming = resume && l2r_path_is_file(r.last_path);
    if (resuming && l2r_path_is_file(result_path)) {
        L2R_TRY(l2r_resume_options(config, r.last_path, error));
        note(&r, "the run is already finished");
        status = l2r_result_read(result, result_path, error);
        goto done;
    }
    if (!resume && (l2r_path_is_file(r.last_path) || l2r_path_is_file(result_path)))
        L2R_FAIL(L2R_ERR_ARGUMENT, "%s already holds a run; continue it with --resume or choose another --out", dir);
    if (!l2r_config_text(config, "data"))
        L2R_FAIL(L2R_ERR_ARGUMENT, "--data is missing: a folder, a zip, or a generator such as motif:mu=0.8");
    if (!given)
        L2R_TRY(l2r_dataset_load_with(&own, l2r_config_text(config, "data"), config, l2r_config_flag(config, "cache"),
                                      error));
    const struct l2r_dataset *data = given ? given : own;
    L2R_TRY(find_split(&split, &r, config, data, resuming, error));
    L2R_TRY(check_labels(data, &split, error));
    L2R_TRY(l2r_trainer_init(&r.trainer, config, data, &split, error));
    L2R_TRY(lock_folder(&lock, dir, error));
    if (resuming) {
        L2R_TRY(l2r_resume(&r.trainer, &r.best, r.best_path, r.last_path, error));
        r.best_saved = r.best.epoch;
        r.epochs_before = r.trainer.at.epoch;
        r.seconds_before = r.trainer.at.seconds;
    } else {
        if (resume) note(&r, "there is no checkpoint to continue from: starting from the beginning");
        L2R_TRY(write_folder(&r, config, &split, error));
    }
    r.speeds = l2r_alloc((size_t)(r.trainer.epochs + 1), sizeof *r.speeds);
    if (!r.speeds) {
        status = l2r_fail_memory(error, (size_t)r.trainer.epochs * sizeof *r.speeds, "the run");
        goto done;
    }
    L2R_TRY(l2r_record_open(&r.record, dir, r.epochs_before, error));
    describe(&r);
    r.started = r.saved_at = now();
    status = train_epochs(&r, error);
    if (status == L2R_ERR_DIVERGED && r.best.epoch > 0) /* what was good is kept */
        (void)l2r_checkpoint_write(r.best_path, &r.trainer, &r.best, r.trainer.at.best_valid, NULL);
    if (status != L2R_OK) goto done;
    if (r.best.epoch > 0) l2r_snapshot_restore(&r.best, &r.trainer.network.params);
    L2R_TRY(l2r_result_make(result, &r.trainer, r.speeds, r.n_speeds, error));
    L2R_TRY(l2r_result_write(result, result_path, error));
    if (r.best.epoch > 0) note_domain(&r, data, &split);
done:
    status = l2r_record_close(&r.record, status, error);
    l2r_snapshot_clear(&r.best);
    l2r_trainer_clear(&r.trainer);
    l2r_split_clear(&split);
    l2r_dataset_free(own);
    l2r_free(r.speeds);
    if (lock >= 0) close(lock);
    return status;
}
