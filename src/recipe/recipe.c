/* SPDX-License-Identifier: MIT
 * See recipe.h: building and training; finish.c makes the model. */
#include "recipe/recipe.h"

#include "base/memory.h"
#include "model/scored.h"
#include "recipe/member_options.h"
#include "recipe/refit.h"
#include "recipe/scheduler.h"
#include "recipe/summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- building ---- */

/* Without any label to learn from: reports what the reader noted about the columns. */
static enum l2r_status check_labels(const struct l2r_recipe *recipe, struct l2r_error *error)
{
    const struct l2r_dataset *data = recipe->data;
    const int32_t *graphs = l2r_split_part(recipe->split, L2R_PART_TRAIN);
    for (int64_t i = 0; i < l2r_split_size(recipe->split, L2R_PART_TRAIN); i++)
        for (int32_t t = 0; t < data->n_tasks; t++)
            if (!isnan(data->labels[(int64_t)graphs[i] * data->n_tasks + t])) return L2R_OK;
    l2r_summary_tables(recipe->callbacks, data);
    return l2r_fail(error, L2R_ERR_ARGUMENT, "no training graph of data set \"%s\" has a label%s", data->name,
                    data->smiles ? "; labels are columns of numbers or of a few words, which `target-columns` can name"
                                 : "");
}

/* The options of member k, checked. */
static enum l2r_status make_config(struct l2r_config **config, const struct l2r_config *run, bool alike, int n, int k,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char item[L2R_MEMBER_ITEM] = "";
    if (n <= 1) return l2r_config_copy(config, run, error);
    if (!alike && k > 0) l2r_member_item(item, sizeof item, l2r_config_text(run, "members"), k);
    L2R_TRY(l2r_member_config(config, run, item, k, error));
    if (l2r_config_flag(*config, "refit") != l2r_config_flag(run, "refit"))
        L2R_FAIL(L2R_ERR_ARGUMENT, "`members`: `refit` applies to all members; set it for the run");
    L2R_TRY(l2r_refit_check(*config, error));
done:
    return status;
}

enum l2r_status l2r_recipe_check(const struct l2r_config *config, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *member = NULL;
    bool alike = false;
    int n;
    L2R_TRY(l2r_config_check_effects(config, error));
    L2R_TRY(l2r_member_count(&n, &alike, config, error));
    L2R_TRY(l2r_refit_check(config, error));
    for (int k = 1; k < n && !alike; k++) {
        L2R_TRY(make_config(&member, config, alike, n, k, error));
        l2r_config_free(member);
        member = NULL;
    }
done:
    l2r_config_free(member);
    return status;
}

enum l2r_status l2r_recipe_build(struct l2r_recipe *r, const struct l2r_config *config, const struct l2r_dataset *data,
                                 const struct l2r_split *split, struct l2r_comm *comm,
                                 const struct l2r_callbacks *callbacks, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    bool alike = false;
    int n, kept = 0;
    uint64_t left_out;
    char sentence[700];
    *r = (struct l2r_recipe){.config = config, .data = data, .split = split, .comm = comm, .callbacks = callbacks};
    l2r_fit_options_fill(&r->options, config);
    L2R_TRY(l2r_member_count(&n, &alike, config, error));
    if (n < 1) n = 1;
    L2R_TRY(l2r_refit_check(config, error));
    L2R_TRY(check_labels(r, error));
    if (comm) L2R_TRY(l2r_ranks_agree(comm, data, split, error));
    r->members = l2r_alloc((size_t)n, sizeof *r->members);
    if (!r->members) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the members of a model");
    L2R_TRY(l2r_members_afford(&left_out, sentence, sizeof sentence, config, data, error));
    l2r_summary_note(callbacks, sentence);
    for (int k = 0; k < n; k++)
        if (!(left_out >> k & 1)) r->members[kept++].number = k + 1;
    for (int k = 0; k < kept; k++) {
        L2R_TRY(make_config(&r->members[k].config, config, alike, n, r->members[k].number - 1, error));
        L2R_TRY(l2r_member_share_trees(r->members[k].config, config, data, error));
    }
    for (r->n = 0; r->n < kept; r->n++) {
        struct l2r_recipe_member *m = &r->members[r->n];
        l2r_fit_options_fill(&m->options, m->config);
        status = l2r_fit_init(&m->fit, m->config, data, split, comm, error);
        snprintf(m->fit.name, sizeof m->fit.name, "%d-%.64s", m->number, m->options.model);
        if (status == L2R_OK) continue;
        l2r_fit_clear(&m->fit);
        goto done;
    }
done:
    for (int k = r->n; status != L2R_OK && r->members && k < kept; k++) l2r_config_free(r->members[k].config);
    return status;
}

void l2r_recipe_clear(struct l2r_recipe *r)
{
    for (int k = 0; k < r->n; k++) {
        struct l2r_recipe_member *m = &r->members[k];
        l2r_fit_clear(&m->fit);
        l2r_fit_clear(&m->refit);
        l2r_member_free(m->model);
        l2r_member_free(m->refitted);
        l2r_config_free(m->config);
        l2r_config_free(m->refit_config);
    }
    l2r_free(r->members);
    l2r_split_clear(&r->joined);
    l2r_trained_free(r->model);
    l2r_trained_free(r->chosen);
    l2r_result_clear(&r->result);
    l2r_history_clear(&r->history);
    *r = (struct l2r_recipe){0};
}

/* ---- training ---- */

static struct l2r_fit_observer observer_of(const struct l2r_recipe *r, struct l2r_reporter *reporter,
                                           const struct l2r_fit *fit)
{
    struct l2r_fit_observer observer = l2r_reporter_observer(reporter, fit->name);
    if (!r->store) return observer;
    observer.store = r->store->context;
    observer.restore = r->store->restore;
    observer.save = r->store->save;
    return observer;
}

/* Is the output of the fit's network the same for all training graphs? */
static enum l2r_status check_learned(struct l2r_fit *fit, struct l2r_reporter *reporter, bool alone,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &fit->trainer;
    struct l2r_signature *s = &t->network.signature;
    struct l2r_scored scored = {0};
    char note[300];
    enum { ENOUGH = 2000 };
    int64_t n = l2r_split_size(t->split, L2R_PART_TRAIN), outputs = l2r_signature_outputs(s);
    bool same = true;
    if (n > ENOUGH) n = ENOUGH;
    L2R_TRY(l2r_scored_network(&scored, &t->network, &t->tape, t->data, l2r_split_part(t->split, L2R_PART_TRAIN), n,
                               t->options.eval_batch_size, error));
    for (int64_t i = outputs; i < n * outputs && same; i++) {
        double a = (double)scored.output[i], b = (double)scored.output[i % outputs];
        if (s->task == L2R_TASK_REGRESSION) a = l2r_target_scaled(&s->target, i % outputs, a);
        if (s->task == L2R_TASK_REGRESSION) b = l2r_target_scaled(&s->target, i % outputs, b);
        same = fabs(a - b) < 1e-4;
    }
    s->unlearned = same && n > 1;
    snprintf(note, sizeof note, "%s learned nothing: its output is the same for all training graphs%s",
             t->network.type->name,
             alone ? "; a smaller `lr` or `class-weights` none may help" : "; it is left out of the committee's mean");
    if (s->unlearned) l2r_reporter_note(reporter, note);
done:
    l2r_scored_clear(&scored);
    return status;
}

/* The validation graphs have chosen the epoch; now they train, too. */
static enum l2r_status refit(struct l2r_recipe *r, int k, struct l2r_reporter *reporter, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_recipe_member *m = &r->members[k];
    char note[200];
    L2R_TRY(l2r_refit_config(&m->refit_config, &m->fit, error));
    L2R_TRY(l2r_fit_init(&m->refit, m->refit_config, r->data, &r->joined, r->comm, error));
    snprintf(m->refit.name, sizeof m->refit.name, "%.80s-refit", m->fit.name);
    m->refit.refit = true;
    snprintf(note, sizeof note, "refit on training and validation graphs together: %lld graphs, %lld epochs",
             (long long)l2r_split_size(&r->joined, L2R_PART_TRAIN), (long long)m->best_epoch);
    l2r_reporter_note(reporter, note);
    const struct l2r_fit_observer observer = observer_of(r, reporter, &m->refit);
    L2R_TRY(l2r_fit_run(&m->refit, &observer, error));
    L2R_TRY(check_learned(&m->refit, reporter, r->n == 1, error));
    m->seconds += m->refit.trainer.at.seconds;
    L2R_TRY(l2r_member_copy(&m->refitted, &m->refit.trainer.network, m->refit_config, error));
done:
    l2r_fit_clear(&m->refit);
    return status;
}

/* Ended by `epochs`, not by validation, with a best epoch among the last tenth: more epochs may help. */
static void note_unfinished(const struct l2r_recipe_member *m, struct l2r_reporter *reporter)
{
    char note[320];
    bool ended = m->epochs >= 10 && m->epochs >= l2r_config_int(m->config, "epochs");
    if (m->fit.trainer.network.type->fit || !ended || m->best_epoch * 10 <= m->epochs * 9) return;
    snprintf(note, sizeof note,
             "%.80s was still improving on validation at the end: best epoch %lld of %lld; more `epochs` may help",
             m->fit.trainer.network.type->name, (long long)m->best_epoch, (long long)m->epochs);
    l2r_reporter_note(reporter, note);
}

static enum l2r_status train_member(void *context, int k, struct l2r_reporter *reporter, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_recipe *r = context;
    struct l2r_recipe_member *m = &r->members[k];
    const struct l2r_trainer *t = &m->fit.trainer;
    char heading[128];
    snprintf(heading, sizeof heading, "member %d of %d: %.80s", k + 1, r->n, t->network.type->name);
    if (r->n > 1) l2r_reporter_note(reporter, heading);
    const struct l2r_fit_observer observer = observer_of(r, reporter, &m->fit);
    status = l2r_fit_run(&m->fit, &observer, error);
    m->best_epoch = m->fit.best.epoch;
    m->epochs = t->at.epoch;
    m->seconds = t->at.seconds;
    m->n_parameters = t->network.params.n_trainable;
    if (status != L2R_OK && (status != L2R_ERR_DIVERGED || m->best_epoch == 0)) return status;
    if (status == L2R_OK && r->callbacks) note_unfinished(m, reporter);
    if (status == L2R_OK && m->best_epoch > 0) L2R_TRY(check_learned(&m->fit, reporter, r->n == 1, error));
    enum l2r_status copied = l2r_member_copy(&m->model, &t->network, m->config, status == L2R_OK ? error : NULL);
    if (status == L2R_OK) status = copied;
    if (status == L2R_OK && r->refits && m->best_epoch > 0) L2R_TRY(refit(r, k, reporter, error));
done:
    if (k > 0) l2r_fit_clear(&m->fit); /* the first fit is kept: finish uses its data, split and metric */
    return status;
}

/* Every epoch is kept, and recorded where there is a store. */
static enum l2r_status record(void *context, const char *fit, const json_t *line, struct l2r_error *error)
{
    struct l2r_recipe *r = context;
    bool first = strcmp(fit, r->members[0].fit.name) == 0;
    enum l2r_status status = l2r_history_add(&r->history, first ? NULL : fit, line, error);
    if (status != L2R_OK || !r->store || !r->store->record) return status;
    return r->store->record(r->store->context, fit, line, error);
}

enum l2r_status l2r_recipe_train(struct l2r_recipe *r, const struct l2r_recipe_store *store, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_scheduler schedule = {.n = r->n,
                                           .sequential = r->comm != NULL,
                                           .context = r,
                                           .work = train_member,
                                           .record = record,
                                           .record_context = r,
                                           .callbacks = r->callbacks};
    r->store = store;
    L2R_TRY(l2r_refit_prepare(r, error));
    status = l2r_scheduler_run(&schedule, error);
    if (status == L2R_ERR_DIVERGED && r->n == 1 && r->members[0].model)
        (void)l2r_recipe_assemble(&r->model, r, NULL); /* the best before it diverged */
    if (status == L2R_OK) L2R_TRY(l2r_recipe_finish(r, error));
done:
    return status;
}
