/* SPDX-License-Identifier: MIT
 * See members.h. */
#include "train/members.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/threads.h"
#include "io/file.h"
#include "nn/members.h"
#include "predict/predictor.h"
#include "predict/run_names.h"
#include "train/checkpoint.h"
#include "train/member_options.h"
#include "train/ownership.h"
#include "train/relay.h"
#include "train/watch.h"

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

/* The model file at `path` as one more, which must be able to answer with the run's network. */
static enum l2r_status add_member(struct l2r_members *m, const struct l2r_run_state *run, const char *path,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t length = 0;
    L2R_TRY(l2r_file_read(&m->bytes[m->n], &length, path, LARGEST_FILE, error));
    L2R_TRY(l2r_predictor_open_memory(&m->predictor[m->n], m->bytes[m->n], length, error));
    L2R_TRY(l2r_member_check(&run->trainer.network, l2r_predictor_network(m->predictor[m->n]), path, m->n + 2, error));
    m->items[m->n] = (struct l2r_member){l2r_predictor_network(m->predictor[m->n]), m->bytes[m->n], length};
    m->n++;
done:
    return status;
}

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

/* Those that have trained, as models that answer: the ones that validation chose, or the final ones, which differ after
 * --refit (train/final_fit.h). */
static enum l2r_status open_members(struct l2r_members *m, const struct l2r_run_state *run, const struct l2r_run *plan,
                                    int n, bool alike, bool final, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char item[L2R_MEMBER_ITEM] = "", folder[4096], path[4200];
    for (int k = 1; k < n; k++) {
        if (!alike) l2r_member_item(item, sizeof item, l2r_config_text(plan->config, "members"), k);
        member_folder(folder, sizeof folder, plan, item, k);
        bool chosen = !final && l2r_chosen_find(path, sizeof path, folder);
        if (!chosen) snprintf(path, sizeof path, "%s/" L2R_BEST_FILE, folder);
        L2R_TRY(add_member(m, run, path, error));
    }
done:
    return status;
}

/* ---- snapshots ---- */

/* The file of cycle k, from 1. */
static void cycle_path(char *path, size_t size, const char *dir, int64_t k)
{
    snprintf(path, size, "%.3900s/" L2R_MEMBERS_FOLDER "/cycle-%lld.safetensors", dir, (long long)k);
}

enum l2r_status l2r_members_keep(const struct l2r_run_state *run, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_trainer *t = &run->trainer;
    char path[4096], checksum[L2R_CHECKSUM_TEXT];
    if (l2r_config_int(t->config, "snapshots") == 1 || !l2r_run_writes(run)) return L2R_OK;
    snprintf(path, sizeof path, "%.3900s/" L2R_MEMBERS_FOLDER, run->folder.dir);
    L2R_TRY(l2r_make_dirs(path, error));
    cycle_path(path, sizeof path, run->folder.dir, t->at.phase + 1);
    struct l2r_model_source source = l2r_checkpoint_source(t);
    L2R_TRY(l2r_model_file_write(path, &source, &run->best, t->at.best_valid, checksum, error));
done:
    return status;
}

enum l2r_status l2r_members_alone(bool *alone, const struct l2r_config *config, struct l2r_error *error)
{
    int n;
    bool alike;
    enum l2r_status status = l2r_member_count(&n, &alike, config, error);
    *alone = n <= 1 && l2r_config_int(config, "snapshots") == 1;
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

/* Trees that had no exact label of a task are left out of its mean. */
static void tell_unlearned(const struct l2r_run_state *run, const struct l2r_callbacks *callbacks)
{
    const struct l2r_network *network = &run->trainer.network;
    char note[400];
    for (int32_t k = 0; k < l2r_network_voices(network); k++)
        for (int32_t task = 0; task < network->signature.n_tasks; task++) {
            const struct l2r_network *voice = l2r_network_voice(network, k);
            const char *name = l2r_signature_task_name(&network->signature, task);
            if (network->signature.task == L2R_TASK_MULTICLASS || l2r_network_knows(voice, task)) continue;
            snprintf(note, sizeof note,
                     "member %d (%s) is left out for task %d%s%.200s: no training graph has an exact label of it",
                     (int)k + 1, voice->type->name, (int)task + 1, name ? ", " : "", name ? name : "");
            l2r_watch_note(callbacks, note);
        }
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
    struct training training = {.plan = plan, .data = data, .split = split, .alike = alike, .n = n - 1};
    if (!cycles) L2R_TRY(train_members(&training, error));
    if (!cycles) L2R_TRY(open_members(m, run, plan, n, alike, false, error));
    for (int k = 1; cycles && k < n; k++) {
        cycle_path(path, sizeof path, plan->out, k);
        L2R_TRY(add_member(m, run, path, error));
    }
    run->trainer.network.members = m->items;
    run->trainer.network.n_members = m->n;
    tell_unlearned(run, plan->callbacks);
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
    L2R_TRY(open_members(m, run, plan, n, alike, true, error));
done:
    run->trainer.network.members = m->items;
    run->trainer.network.n_members = m->n;
    return status;
}
