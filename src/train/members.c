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
#include "train/ownership.h"
#include "train/relay.h"
#include "train/watch.h"

#include <stdio.h>
#include <string.h>

/* ---- training ---- */

/* Members train side by side, each on one thread, while the caller's thread delivers what they report (relay.h). */
struct training {
    const struct l2r_run *plan;
    const struct l2r_dataset *data;
    const struct l2r_split *split;
    bool alike;
    int n; /* members, without the first */
    int threads;
    struct l2r_relay *relay;
    enum l2r_status *status;  /* [n] */
    struct l2r_error *errors; /* [n] */
};

/* The folder of member k, from 0, which `item` describes. */
static void member_folder(char *folder, size_t size, const struct l2r_run *plan, const char *item, int k)
{
    const char *model = *item ? item : l2r_config_text(plan->config, "model");
    snprintf(folder, size, "%.3900s/" L2R_MEMBERS_FOLDER "/%d-%.*s", plan->out, k + 1, (int)strcspn(model, ":"), model);
}

static enum l2r_status train_member(struct training *t, int k, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_run *plan = t->plan;
    struct l2r_config *config = NULL;
    struct l2r_result result = {0};
    char item[L2R_MEMBER_ITEM] = "", folder[4096], heading[128];
    if (!t->alike) l2r_member_item(item, sizeof item, l2r_config_text(plan->config, "members"), k);
    member_folder(folder, sizeof folder, plan, item, k);
    L2R_TRY(l2r_folder_refuse_link(folder, error));
    L2R_TRY(l2r_member_config(&config, plan->config, item, k, error));
    snprintf(heading, sizeof heading, "member %d: %.80s", k + 1, l2r_config_text(config, "model"));
    const struct l2r_run one = {.size = sizeof one,
                                .config = config,
                                .data = t->data,
                                .split = t->split,
                                .out = folder,
                                .resume = l2r_path_is_dir(folder),
                                .callbacks = l2r_relay_join(t->relay, k - 1, heading),
                                .comm = plan->comm};
    L2R_TRY(l2r_run_train(&result, NULL, &one, error));
done:
    l2r_relay_end(t->relay, k - 1, status != L2R_OK);
    l2r_result_clear(&result);
    l2r_config_free(config);
    return status;
}

static void train_chunk(void *context, int64_t chunk)
{
    struct training *t = context;
    t->status[chunk] = train_member(t, (int)chunk + 1, &t->errors[chunk]);
}

/* On a thread of its own, whose team the members are divided among. */
static void train_all(void *context, size_t k)
{
    struct training *t = context;
    (void)k;
    l2r_threads_set(t->threads);
    l2r_parallel(t->n, train_chunk, t);
}

static enum l2r_status train_side_by_side(struct training *t, struct l2r_error *error)
{
    struct l2r_prefetch *team;
    enum l2r_status status = l2r_prefetch_new(&team, train_all, t, error);
    if (status != L2R_OK) return status;
    l2r_prefetch_want(team);
    status = l2r_relay_deliver(t->relay, error);
    l2r_prefetch_wait(team, 0);
    l2r_prefetch_free(team);
    return status;
}

/* All but the first. Processes that work together make the same calls in the same order, and a thread that is one of a
 * team has no other to share the work with: then members train one after the other, here. */
static enum l2r_status train_members(struct training *t, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    bool direct = t->plan->comm || l2r_threads_alone();
    t->threads = l2r_threads_get();
    t->status = l2r_alloc((size_t)t->n, sizeof *t->status);
    t->errors = l2r_alloc((size_t)t->n, sizeof *t->errors);
    if (!t->status || !t->errors) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a committee");
    L2R_TRY(l2r_relay_new(&t->relay, t->plan->callbacks, t->n, direct, error));
    if (!direct) L2R_TRY(train_side_by_side(t, error));
    for (int i = 0; i < t->n; i++) {
        if (direct && (!t->plan->comm || status == L2R_OK)) train_chunk(t, i);
        if (t->status[i] == L2R_OK || (status != L2R_OK && status != L2R_ERR_INTERRUPTED)) continue;
        status = t->status[i]; /* why one failed, before that others were stopped then */
        if (error) *error = t->errors[i];
    }
    if (direct && status == L2R_OK) status = l2r_relay_deliver(t->relay, error); /* all is delivered by now */
done:
    l2r_relay_free(t->relay);
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
        if (own->n != 1) L2R_FAIL(L2R_ERR_FORMAT, "%s: holds %d models; a member is one", path, (int)own->n);
        L2R_TRY(l2r_trained_add(to, own->networks[0], own->members[0]->config, error));
        const struct l2r_committee c = l2r_trained_committee(to);
        L2R_TRY(l2r_committee_check(&c, path, error));
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

/* Trees that had no exact label of a task are left out of its mean. */
static void note_unlearned(const struct l2r_trained *model, const struct l2r_callbacks *callbacks)
{
    char note[400];
    for (int32_t k = 0; k < model->n; k++)
        for (int32_t task = 0; task < model->networks[k]->signature.n_tasks; task++) {
            const struct l2r_network *member = model->networks[k];
            const char *name = l2r_signature_task_name(&member->signature, task);
            if (member->signature.task == L2R_TASK_MULTICLASS || l2r_network_knows(member, task)) continue;
            snprintf(note, sizeof note,
                     "member %d (%s) is left out for task %d%s%.200s: no training graph has an exact label of it",
                     (int)k + 1, member->type->name, (int)task + 1, name ? ", " : "", name ? name : "");
            l2r_watch_note(callbacks, note);
        }
}

enum l2r_status l2r_members_join(struct l2r_run_state *run, const struct l2r_run *plan, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int n;
    bool alike;
    L2R_TRY(l2r_member_count(&n, &alike, plan->config, error));
    if (n <= 1) goto done;
    struct training training = {
        .plan = plan, .data = run->trainer.data, .split = run->trainer.split, .alike = alike, .n = n - 1};
    L2R_TRY(train_members(&training, error));
    L2R_TRY(add_members(run->trained, plan, false, error));
    note_unlearned(run->trained, plan->callbacks);
done:
    return status;
}

enum l2r_status l2r_members_join_refitted(struct l2r_run_state *run, const struct l2r_run *plan,
                                          struct l2r_error *error)
{
    return add_members(run->trained, plan, true, error);
}
