/* SPDX-License-Identifier: MIT
 * See run.h. The loop over epochs; what happens in a batch is trainer.c, what is written is record.c and checkpoint.c. */
#include "train/run.h"

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/staging.h"
#include "base/system.h"
#include "base/threads.h"
#include "data/notes.h"
#include "data/options.h"
#include "train/applicability.h"
#include "train/checkpoint.h"
#include "train/ranks.h"
#include "train/record.h"
#include "train/result.h"
#include "train/resume.h"
#include "train/safetensors.h"
#include "train/score.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

struct run {
    struct l2r_trainer trainer;
    struct l2r_record record;
    struct l2r_snapshot best;
    const struct l2r_watch *watch;
    struct l2r_comm *comm; /* NULL: alone */
    const char *dir;
    struct l2r_saved saved;
    char result_path[4096], split_path[4096], config_path[4096];
    int lock;           /* held on the folder; -1: not yet */
    int64_t best_saved; /* epoch of the best that is on disk */
    double started, saved_at, epoch_started, seconds_before;
    int64_t epochs_before; /* epochs done before this process */
    double *speeds;        /* [epochs]: graphs a second, of this process's epochs */
    int64_t n_speeds;
    struct l2r_traffic epoch_traffic; /* of the epoch's steps */
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

/* Ranks stop at the same batch: one that was asked says so with its next step. */
static bool stop_asked(struct run *r)
{
    bool asked = r->watch && r->watch->stop && r->watch->stop(r->watch->context);
    r->trainer.stop_asked = asked;
    return r->comm ? r->trainer.stop : asked;
}

static enum l2r_status save_best(struct run *r, struct l2r_error *error)
{
    if (r->best.epoch == 0 || r->best.epoch == r->best_saved || !l2r_comm_leads(r->comm)) return L2R_OK;
    enum l2r_status status =
        l2r_checkpoint_write(r->saved.best, &r->trainer, &r->best, r->trainer.at.best_valid, error);
    if (status == L2R_OK) r->best_saved = r->best.epoch;
    return status;
}

/* Best first, then last: a kill between the two leaves a best that the resumed run will reach again. */
static enum l2r_status save(struct run *r, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &r->trainer;
    t->at.seconds = r->seconds_before + now() - r->started;
    if (!l2r_comm_leads(r->comm)) return L2R_OK;
    L2R_TRY(l2r_record_sync(&r->record, error));
    L2R_TRY(save_best(r, error));
    L2R_TRY(l2r_checkpoint_write_state(r->saved.last, r->saved.previous, t, &r->best, error));
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
            l2r_comm_barrier(r->comm);
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

/* Outputs that are not finite: when, whose, and which parameter is the cause, if one is. */
static enum l2r_status diverged(const struct run *r, const char *name, const char *found, struct l2r_error *error)
{
    const struct l2r_trainer *t = &r->trainer;
    if (l2r_trainer_check(t, error) != L2R_OK) return L2R_ERR_DIVERGED;
    return l2r_fail(error, L2R_ERR_DIVERGED, "epoch %lld, scoring the %s graphs: %s; try a smaller --lr or --clip 1",
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
    if (l2r_comm_leads(r->comm)) L2R_TRY(l2r_record_epoch(&r->record, t->at.epoch, line, error));
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
        if (r->comm) r->comm->traffic = (struct l2r_traffic){0};
        L2R_TRY(train_batches(r, error));
        if (r->comm) r->epoch_traffic = r->comm->traffic;
        L2R_TRY(finish_epoch(r, error));
        if (now() - r->saved_at >= interval) L2R_TRY(save(r, error));
    }
    if (r->trainer.at.epoch > r->epochs_before || r->epochs_before == 0) L2R_TRY(save(r, error));
    L2R_TRY(save_best(r, error)); /* where a resumed run found it damaged */
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
    if (made && r->comm)
        made = l2r_notes_add(&text, "ranks   %d × %d thread%s", r->comm->size, l2r_threads_get(),
                             l2r_threads_get() > 1 ? "s" : "");
    if (made && labels[0]) made = l2r_notes_add(&text, "%s", labels);
    made =
        made && l2r_notes_add(&text, "model   %s, %lld parameters; method %s; seed %llu", t->network.type->name,
                              (long long)t->network.params.n_trainable, t->method->name, (unsigned long long)t->seed);
    made = made && l2r_notes_add(&text, "run     %s", r->dir);
    if (made) r->watch->start(r->watch->context, text.text);
    l2r_notes_clear(&text);
}

static enum l2r_status write_config(const struct run *r, const struct l2r_config *config, struct l2r_error *error)
{
    json_t *object = l2r_config_to_json(config);
    enum l2r_status status = l2r_json_write(object, r->config_path, error);
    json_decref(object);
    return status;
}

/* Config and split of a new run go to disk before the first step. */
static enum l2r_status write_folder(const struct run *r, const struct l2r_config *config, const struct l2r_split *split,
                                    struct l2r_error *error)
{
    enum l2r_status status = l2r_split_write(split, r->split_path, error);
    return status == L2R_OK ? write_config(r, config, error) : status;
}

/* The options are known from the checkpoint: a file of them that is missing or damaged is written again. */
static enum l2r_status mend_config(const struct run *r, const struct l2r_config *config, struct l2r_error *error)
{
    json_t *object = NULL;
    struct l2r_error damage = {0};
    enum l2r_status status = l2r_json_read(&object, r->config_path, &damage);
    json_decref(object);
    if (status == L2R_OK) return L2R_OK;
    if (status != L2R_ERR_FORMAT && l2r_path_is_file(r->config_path))
        return l2r_fail(error, status, "%s", damage.message);
    note(r, "config.json is missing or damaged; it is written again");
    return write_config(r, config, error);
}

static enum l2r_status find_split(struct l2r_split *split, const struct run *r, const struct l2r_config *config,
                                  const struct l2r_dataset *data, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    bool made = false;
    if (!r->saved.file) return l2r_split_make(split, data, config, error);
    L2R_TRY(l2r_resume_split(split, &made, &r->saved, r->split_path, data, config, error));
    if (!made || !l2r_comm_leads(r->comm)) goto done;
    note(
        r,
        "split.json is missing or damaged; it is made again from the options and the data, as the checkpoint knows it");
    L2R_TRY(l2r_split_write(split, r->split_path, error));
done:
    return status;
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

/* One run at a time in a folder: the lock is held until it is closed. What a killed run left half written is removed. */
static enum l2r_status lock_folder(struct run *r, struct l2r_error *error)
{
    if (r->lock >= 0) return L2R_OK;
    enum l2r_status status = l2r_make_dirs(r->dir, error);
    if (status != L2R_OK) return status;
    r->lock = l2r_sys_open(r->dir, O_RDONLY | O_DIRECTORY);
    if (r->lock < 0) return l2r_fail(error, L2R_ERR_IO, "%s: cannot be opened: %s", r->dir, strerror(errno));
    if (flock(r->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) /* some file systems cannot lock */
        return l2r_fail(error, L2R_ERR_ARGUMENT, "%s: another run is under way there; choose another --out", r->dir);
    l2r_remove_litter(r->dir);
    return L2R_OK;
}

static enum l2r_status open_run(struct run *r, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(l2r_saved_init(&r->saved, r->dir, error));
    L2R_TRY(l2r_path_join(r->result_path, sizeof r->result_path, r->dir, "result.json", error));
    L2R_TRY(l2r_path_join(r->split_path, sizeof r->split_path, r->dir, "split.json", error));
    L2R_TRY(l2r_path_join(r->config_path, sizeof r->config_path, r->dir, "config.json", error));
done:
    return status;
}

/* A run that has ended gives its result again, if that and the model are sound; otherwise *result stays empty, and both are made again. */
static enum l2r_status read_finished(struct l2r_result *result, const struct run *r, const struct l2r_config *config,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_safetensors *best = NULL;
    struct l2r_error damage = {0};
    status = l2r_result_read(result, r->result_path, &damage);
    if (status == L2R_OK) status = l2r_checkpoint_open(&best, r->saved.best, &damage);
    if (status == L2R_OK) {
        L2R_TRY(l2r_resume_options(config, best, r->saved.best, error));
        note(r, "the run is already finished");
        goto done;
    }
    l2r_result_clear(result);
    bool missing = status == L2R_ERR_IO && !l2r_path_is_file(r->saved.best);
    if (status != L2R_ERR_FORMAT && !missing) L2R_FAIL(status, "%s", damage.message);
    status = L2R_OK;
    char sentence[1200];
    snprintf(sentence, sizeof sentence, "%.1000s; it is written again", damage.message);
    note(r, sentence);
done:
    l2r_safetensors_free(best);
    return status;
}

/* The model is kept by now: what goes wrong here costs the columns of l2r predict that tell how far out a graph lies, nothing else. */
static void note_domain(struct run *r, const struct l2r_dataset *data, const struct l2r_split *split)
{
    struct l2r_error reason = {0};
    char sentence[640];
    struct l2r_trainer *t = &r->trainer;
    if (l2r_applicability_save(r->saved.best, &t->network, &t->tape, data, split, t->eval_batch_size, &reason) ==
        L2R_OK)
        return;
    snprintf(sentence, sizeof sentence, "the applicability domain was not kept: %.500s", reason.message);
    note(r, sentence);
}

enum l2r_status l2r_run_train(struct l2r_result *result, const struct l2r_config *config, const char *dir, bool resume,
                              const struct l2r_watch *watch, struct l2r_error *error)
{
    return l2r_run_train_on(result, config, NULL, dir, resume, NULL, watch, error);
}

enum l2r_status l2r_run_train_on(struct l2r_result *result, const struct l2r_config *config,
                                 const struct l2r_dataset *given, const char *dir, bool resume, struct l2r_comm *comm,
                                 const struct l2r_watch *watch, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct run r = {.watch = watch, .comm = comm, .dir = dir, .lock = -1};
    struct l2r_dataset *own = NULL;
    struct l2r_split split = {0};
    *result = (struct l2r_result){0};
    L2R_TRY(open_run(&r, error));
    bool there = l2r_saved_is_there(&r.saved);
    if (!resume && (there || l2r_path_is_file(r.result_path)))
        L2R_FAIL(L2R_ERR_ARGUMENT, "%s already holds a run; continue it with --resume or choose another --out", dir);
    if (resume && l2r_path_is_dir(dir) && l2r_comm_leads(comm)) L2R_TRY(lock_folder(&r, error));
    if (l2r_path_is_file(r.result_path)) {
        L2R_TRY(read_finished(result, &r, config, error));
        if (*result->metric) goto done;
    }
    if (there) L2R_TRY(l2r_saved_open(&r.saved, error));
    note(&r, r.saved.note);
    if (!l2r_config_text(config, "data"))
        L2R_FAIL(L2R_ERR_ARGUMENT, "--data is missing: a folder, a zip, or a generator such as motif:mu=0.8");
    l2r_comm_barrier(comm); /* all have looked at the folder before one writes there */
    if (!given) L2R_TRY(l2r_ranks_load(&own, config, comm, error));
    const struct l2r_dataset *data = given ? given : own;
    L2R_TRY(find_split(&split, &r, config, data, error));
    L2R_TRY(check_labels(data, &split, error));
    L2R_TRY(l2r_trainer_init(&r.trainer, config, data, &split, error));
    if (l2r_comm_leads(comm)) L2R_TRY(lock_folder(&r, error));
    bool resuming = r.saved.file != NULL;
    if (resuming) {
        L2R_TRY(l2r_resume(&r.trainer, &r.best, &r.best_saved, &r.saved, error));
        if (l2r_comm_leads(comm)) L2R_TRY(mend_config(&r, config, error));
        l2r_saved_close(&r.saved); /* its memory is not needed any more */
        r.epochs_before = r.trainer.at.epoch;
        r.seconds_before = r.trainer.at.seconds;
    } else if (resume && !there) {
        note(&r, "there is no checkpoint to continue from: starting from the beginning");
    }
    if (comm) L2R_TRY(l2r_ranks_join(&r.trainer, comm, error));
    if (!resuming && l2r_comm_leads(comm)) L2R_TRY(write_folder(&r, config, &split, error));
    r.speeds = l2r_alloc((size_t)(r.trainer.epochs + 1), sizeof *r.speeds);
    if (!r.speeds) {
        status = l2r_fail_memory(error, (size_t)r.trainer.epochs * sizeof *r.speeds, "the run");
        goto done;
    }
    if (l2r_comm_leads(comm)) L2R_TRY(l2r_record_open(&r.record, dir, r.epochs_before, error));
    describe(&r);
    r.started = r.saved_at = now();
    status = train_epochs(&r, error);
    if (status == L2R_ERR_DIVERGED && r.best.epoch > 0 && l2r_comm_leads(comm)) /* what was good is kept */
        (void)l2r_checkpoint_write(r.saved.best, &r.trainer, &r.best, r.trainer.at.best_valid, NULL);
    if (status != L2R_OK) goto done;
    if (r.best.epoch > 0) l2r_snapshot_restore(&r.best, &r.trainer.network.params);
    if (r.best.epoch > 0) note_domain(&r, data, &split);
    /* The result is last: it says that everything else is there. */
    L2R_TRY(l2r_result_make(result, &r.trainer, r.speeds, r.n_speeds, error));
    if (l2r_comm_leads(comm)) L2R_TRY(l2r_result_write(result, r.result_path, error));
done:
    status = l2r_record_close(&r.record, status, error);
    l2r_saved_close(&r.saved);
    l2r_snapshot_clear(&r.best);
    l2r_trainer_clear(&r.trainer);
    l2r_split_clear(&split);
    l2r_dataset_free(own);
    l2r_free(r.speeds);
    if (r.lock >= 0) (void)l2r_sys_close(r.lock);
    return status;
}
