/* SPDX-License-Identifier: MIT
 * See members.h. */
#include "train/members.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/threads.h"
#include "io/file.h"
#include "model/predictor.h"
#include "model/run_names.h"
#include "train/checkpoint.h"
#include "train/member_options.h"
#include "train/watch.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

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

/* Those that have trained: the models that validation chose, or after --refit those that were refitted. */
static enum l2r_status add_members(struct l2r_trained *to, const struct l2r_run *plan, bool refitted,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_predictor *predictor = NULL;
    char item[L2R_MEMBER_ITEM] = "", folder[4096], path[4200];
    int n;
    bool alike;
    L2R_TRY(l2r_member_count(&n, &alike, plan->config, error));
    for (int k = 1; k < n; k++) {
        if (!alike) l2r_member_item(item, sizeof item, l2r_config_text(plan->config, "members"), k);
        member_folder(folder, sizeof folder, plan, item, k);
        bool chosen = !refitted && l2r_chosen_find(path, sizeof path, folder);
        if (!chosen) snprintf(path, sizeof path, "%s/" L2R_BEST_FILE, folder);
        L2R_TRY(l2r_predictor_open(&predictor, path, error));
        const struct l2r_trained *own = l2r_predictor_trained(predictor);
        L2R_TRY(l2r_trained_add(to, own->networks[0], own->members[0]->config, error));
        l2r_predictor_free(predictor);
        predictor = NULL;
    }
done:
    l2r_predictor_free(predictor);
    return status;
}

enum l2r_status l2r_members_check(const struct l2r_run *plan, struct l2r_error *error)
{
    bool alike;
    int n;
    enum l2r_status status = l2r_member_count(&n, &alike, plan->config, error);
    if (status != L2R_OK || n <= 1 || plan->out) return status;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "a committee (`members`) needs a folder to be written to");
}

enum l2r_status l2r_members_join(struct l2r_run_state *run, const struct l2r_run *plan, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int n;
    bool alike;
    L2R_TRY(l2r_member_count(&n, &alike, plan->config, error));
    if (n <= 1) goto done;
    struct training training = {.plan = plan, .data = run->trainer.data, .split = run->trainer.split, .alike = alike};
    L2R_TRY(train_members(&training, n, error));
    L2R_TRY(add_members(run->trained, plan, false, error));
done:
    return status;
}

enum l2r_status l2r_members_join_refitted(struct l2r_run_state *run, const struct l2r_run *plan, struct l2r_error *error)
{
    return add_members(run->trained, plan, true, error);
}
