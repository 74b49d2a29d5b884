/* SPDX-License-Identifier: MIT
 * See members.h. */
#include "train/members.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/threads.h"
#include "io/file.h"
#include "predict/predictor.h"
#include "predict/run_names.h"
#include "train/checkpoint.h"
#include "train/member_options.h"
#include "train/watch.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { LARGEST_FILE = 1 << 30 };

void l2r_members_clear(struct l2r_members *m)
{
    for (int32_t k = 0; k < m->n; k++) {
        l2r_predictor_free(m->predictor[k]);
        l2r_free(m->bytes[k]);
    }
    l2r_free(m->items);
    l2r_free((void *)m->predictor);
    l2r_free((void *)m->bytes);
    *m = (struct l2r_members){0};
}

/* Room for a committee of n. */
static enum l2r_status reserve(struct l2r_members *m, int n, struct l2r_error *error)
{
    m->items = l2r_alloc((size_t)n, sizeof *m->items);
    m->predictor = l2r_alloc((size_t)n, sizeof *m->predictor);
    m->bytes = l2r_alloc((size_t)n, sizeof *m->bytes);
    if (m->items && m->predictor && m->bytes) return L2R_OK;
    return l2r_fail(error, L2R_ERR_MEMORY, "out of memory: a committee");
}

/* The model file at `path` as one more. */
static enum l2r_status add_member(struct l2r_members *m, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t length = 0;
    L2R_TRY(l2r_file_read(&m->bytes[m->n], &length, path, LARGEST_FILE, error));
    L2R_TRY(l2r_predictor_open_memory(&m->predictor[m->n], m->bytes[m->n], length, error));
    m->items[m->n] = (struct l2r_member){l2r_predictor_network(m->predictor[m->n]), m->bytes[m->n], length};
    m->n++;
done:
    return status;
}

/* ---- training ---- */

/* Members train side by side, each on one thread, and speak one at a time: who has begun to tell of its epochs goes on
 * until it is done, and the others train in silence meanwhile. */
struct training {
    const struct l2r_run *plan;
    const struct l2r_dataset *data;
    const struct l2r_split *split;
    bool alike;
    pthread_mutex_t lock; /* of the callbacks and of the speaker */
    int speaker;          /* a member, from 0; 0: nobody */
    bool failed;          /* one of them: the others need not go on */
    enum l2r_status *status;
    struct l2r_error *errors; /* [members] */
};

struct voice {
    struct training *training;
    int k;
    const char *model;
    bool told; /* who it is */
};

/* With the lock held: may this member speak? */
static bool has_the_word(struct voice *v)
{
    struct training *t = v->training;
    char note[128];
    if (t->speaker == 0) t->speaker = v->k;
    if (t->speaker != v->k) return false;
    if (!v->told) {
        snprintf(note, sizeof note, "member %d: %s", v->k + 1, v->model);
        l2r_watch_note(t->plan->callbacks, note);
    }
    v->told = true;
    return true;
}

static void on_batch(void *context, const struct l2r_progress *progress)
{
    struct voice *v = context;
    const struct l2r_callbacks *to = v->training->plan->callbacks;
    pthread_mutex_lock(&v->training->lock);
    if (to->batch && has_the_word(v)) to->batch(to->context, progress);
    pthread_mutex_unlock(&v->training->lock);
}

static void on_epoch(void *context, const struct l2r_progress *progress)
{
    struct voice *v = context;
    const struct l2r_callbacks *to = v->training->plan->callbacks;
    pthread_mutex_lock(&v->training->lock);
    if (has_the_word(v) && to->epoch) to->epoch(to->context, progress);
    pthread_mutex_unlock(&v->training->lock);
}

/* Whoever has not the word may interrupt, and says who it is. */
static void on_note(void *context, const char *sentence)
{
    struct voice *v = context;
    char named[800];
    snprintf(named, sizeof named, "member %d (%s): %.700s", v->k + 1, v->model, sentence);
    pthread_mutex_lock(&v->training->lock);
    l2r_watch_note(v->training->plan->callbacks, has_the_word(v) ? sentence : named);
    pthread_mutex_unlock(&v->training->lock);
}

static bool on_stop(void *context)
{
    const struct voice *v = context;
    const struct l2r_callbacks *to = v->training->plan->callbacks;
    pthread_mutex_lock(&v->training->lock);
    bool asked = v->training->failed || (to->stop && to->stop(to->context));
    pthread_mutex_unlock(&v->training->lock);
    return asked;
}

/* The folder of member k, from 0, which `item` describes. */
static void member_folder(char *folder, size_t size, const struct l2r_run *plan, const char *item, int k)
{
    const char *model = *item ? item : l2r_config_text(plan->config, "model");
    snprintf(folder, size, "%.3900s/members/%d-%.*s", plan->out, k + 1, (int)strcspn(model, ":"), model);
}

static enum l2r_status train_member(struct training *t, int k, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_run *plan = t->plan;
    struct l2r_config *config = NULL;
    struct l2r_result result = {0};
    char item[L2R_MEMBER_ITEM] = "", folder[4096];
    if (!t->alike) l2r_member_item(item, sizeof item, l2r_config_text(plan->config, "members"), k);
    member_folder(folder, sizeof folder, plan, item, k);
    L2R_TRY(l2r_member_config(&config, plan->config, item, k, error));
    struct voice voice = {t, k, l2r_config_text(config, "model"), false};
    const struct l2r_callbacks heard = {.size = sizeof heard,
                                        .context = &voice, /* no start: data and split are those of the run */
                                        .batch = on_batch,
                                        .epoch = on_epoch,
                                        .note = on_note,
                                        .stop = on_stop};
    const struct l2r_run one = {.size = sizeof one,
                                .config = config,
                                .data = t->data,
                                .split = t->split,
                                .out = folder,
                                .resume = l2r_path_is_dir(folder),
                                .callbacks = plan->callbacks ? &heard : NULL,
                                .comm = plan->comm};
    status = l2r_run_train(&result, NULL, &one, error);
    pthread_mutex_lock(&t->lock);
    if (t->speaker == k) t->speaker = 0;
    if (status != L2R_OK) t->failed = true;
    pthread_mutex_unlock(&t->lock);
done:
    l2r_result_clear(&result);
    l2r_config_free(config);
    return status;
}

static void train_chunk(void *context, int64_t chunk)
{
    struct training *t = context;
    t->status[chunk] = train_member(t, (int)chunk + 1, &t->errors[chunk]);
}

/* All but the first of n. Processes that work together make the same calls in the same order. */
static enum l2r_status train_members(struct training *t, int n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    t->status = l2r_alloc((size_t)n, sizeof *t->status);
    t->errors = l2r_alloc((size_t)n, sizeof *t->errors);
    if (!t->status || !t->errors) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a committee");
    pthread_mutex_init(&t->lock, NULL);
    if (!t->plan->comm) l2r_parallel(n - 1, train_chunk, t);
    for (int i = 0; i < n - 1; i++) {
        if (t->plan->comm && status == L2R_OK) train_chunk(t, i);
        if (t->status[i] == L2R_OK || (status != L2R_OK && status != L2R_ERR_INTERRUPTED)) continue;
        status = t->status[i]; /* why one failed, before that others were stopped then */
        if (error) *error = t->errors[i];
    }
    pthread_mutex_destroy(&t->lock);
done:
    l2r_free(t->status);
    l2r_free(t->errors);
    return status;
}

/* Those that have trained, as models that answer: the ones that validation chose, or the final ones, which differ after
 * --refit (train/final_fit.h). */
static enum l2r_status open_members(struct l2r_members *m, const struct l2r_run *plan, int n, bool alike, bool final,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char item[L2R_MEMBER_ITEM] = "", folder[4096], path[4200];
    for (int k = 1; k < n; k++) {
        if (!alike) l2r_member_item(item, sizeof item, l2r_config_text(plan->config, "members"), k);
        member_folder(folder, sizeof folder, plan, item, k);
        bool chosen = !final && l2r_chosen_find(path, sizeof path, folder);
        if (!chosen) snprintf(path, sizeof path, "%s/" L2R_BEST_FILE, folder);
        L2R_TRY(add_member(m, path, error));
    }
done:
    return status;
}

/* ---- snapshots ---- */

/* The file of cycle k, from 1. */
static void cycle_path(char *path, size_t size, const char *dir, int64_t k)
{
    snprintf(path, size, "%.3900s/members/cycle-%lld.safetensors", dir, (long long)k);
}

enum l2r_status l2r_members_keep(const struct l2r_run_state *run, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_trainer *t = &run->trainer;
    char path[4096], checksum[L2R_CHECKSUM_TEXT];
    if (l2r_config_int(t->config, "snapshots") == 1 || !l2r_run_writes(run)) return L2R_OK;
    snprintf(path, sizeof path, "%.3900s/members", run->folder.dir);
    L2R_TRY(l2r_make_dirs(path, error));
    cycle_path(path, sizeof path, run->folder.dir, t->at.phase + 1);
    struct l2r_model_source source = l2r_checkpoint_source(t);
    L2R_TRY(l2r_model_file_write(path, &source, &run->best, t->at.best_valid, checksum, error));
done:
    return status;
}

enum l2r_status l2r_members_check(const struct l2r_run *plan, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    bool alike, cycles = l2r_config_int(plan->config, "snapshots") > 1;
    int n;
    L2R_TRY(l2r_member_count(&n, &alike, plan->config, error));
    if (n <= 1 && !cycles) goto done;
    const char *option = cycles ? "snapshots" : "members";
    if (n > 1 && cycles)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`members` and `snapshots` both make a committee; choose one of them");
    if (!plan->out) L2R_FAIL(L2R_ERR_ARGUMENT, "a committee (`%s`) needs a folder to be written to", option);
done:
    return status;
}

enum l2r_status l2r_members_join(struct l2r_members *m, struct l2r_run_state *run, const struct l2r_run *plan,
                                 const struct l2r_dataset *data, const struct l2r_split *split, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int n;
    bool alike, cycles = l2r_config_int(plan->config, "snapshots") > 1;
    char path[4096];
    *m = (struct l2r_members){0};
    L2R_TRY(l2r_member_count(&n, &alike, plan->config, error));
    if (cycles) n = (int)l2r_config_int(plan->config, "snapshots");
    if (n <= 1) goto done;
    L2R_TRY(reserve(m, n, error));
    struct training training = {.plan = plan, .data = data, .split = split, .alike = alike};
    if (!cycles) L2R_TRY(train_members(&training, n, error));
    if (!cycles) L2R_TRY(open_members(m, plan, n, alike, false, error));
    for (int k = 1; cycles && k < n; k++) {
        cycle_path(path, sizeof path, plan->out, k);
        L2R_TRY(add_member(m, path, error));
    }
    run->trainer.network.members = m->items;
    run->trainer.network.n_members = m->n;
    if (run->best.epoch > 0) L2R_TRY(l2r_run_save_model(run, error));
done:
    return status;
}

enum l2r_status l2r_members_exchange(struct l2r_members *m, struct l2r_run_state *run, const struct l2r_run *plan,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int n = m->n + 1;
    bool alike;
    if (m->n == 0) return L2R_OK;
    L2R_TRY(l2r_member_count(&n, &alike, plan->config, error));
    l2r_members_clear(m);
    L2R_TRY(reserve(m, n, error));
    L2R_TRY(open_members(m, plan, n, alike, true, error));
done:
    run->trainer.network.members = m->items;
    run->trainer.network.n_members = m->n;
    return status;
}
