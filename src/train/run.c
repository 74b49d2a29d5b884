/* SPDX-License-Identifier: MIT
 *
 * How a run begins and how it ends; the epochs between are train/epochs.h.
 *
 *     look_into_folder   finished already: its result; under way: its checkpoint; else the folder must be free
 *     load, choose_split data and split, of the caller, of the folder or as the options say
 *     begin_in_folder    takes the lock, goes on from the checkpoint, opens the record
 *     l2r_run_epochs     trains
 *     end_run            the best model back into the network; its head once more, where the method asks for that; the
 *                        other members of a committee; all of them once more, where --refit asks for that;
 *                        applicability domain, scores of all parts, result.json
 *
 * Several ranks make the same calls; they agree on what they found before one of them writes.
 */
#include "train/run.h"

#include "base/clock.h"
#include "base/memory.h"
#include "data/reader.h"
#include "io/file.h"
#include "model/calibrate.h"
#include "model/predictor.h"
#include "train/checkpoint.h"
#include "train/epochs.h"
#include "train/final_fit.h"
#include "train/head_choice.h"
#include "train/member_options.h"
#include "train/members.h"
#include "train/ownership.h"
#include "train/ranks.h"
#include "train/result.h"
#include "train/watch.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum l2r_status l2r_run_load(struct l2r_dataset **data, const struct l2r_config *config, struct l2r_comm *comm,
                             struct l2r_error *error)
{
    if (!l2r_config_text(config, "data"))
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "`data` is missing: a folder, a zip, or a generator such as motif:mu=0.8");
    if (comm) return l2r_ranks_load(data, config, comm, error);
    return l2r_dataset_load_with(data, l2r_config_text(config, "data"), config, l2r_config_flag(config, "cache"),
                                 error);
}

/* Where there is nothing to learn from, what the reader said about its columns tells why. */
static enum l2r_status check_labels(const struct l2r_dataset *data, const struct l2r_split *split,
                                    const struct l2r_callbacks *watch, struct l2r_error *error)
{
    const int32_t *graphs = l2r_split_part(split, L2R_PART_TRAIN);
    for (int64_t i = 0; i < l2r_split_size(split, L2R_PART_TRAIN); i++)
        for (int32_t t = 0; t < data->n_tasks; t++)
            if (!isnan(data->labels[(int64_t)graphs[i] * data->n_tasks + t])) return L2R_OK;
    l2r_watch_tables(watch, data);
    return l2r_fail(error, L2R_ERR_ARGUMENT, "no training graph of data set \"%s\" has a label%s", data->name,
                    data->smiles ? "; labels are columns of numbers or of a few words, which `target-columns` can name"
                                 : "");
}

/* Without it the model lacks the applicability columns of `l2r predict` and nothing else. But a lack of memory is no
 * property of the model: the run fails, and continues from its checkpoint. */
static enum l2r_status make_domain(struct l2r_run_state *r, struct l2r_error *error)
{
    struct l2r_error reason = {0};
    char sentence[640];
    struct l2r_trainer *t = &r->trainer;
    const struct l2r_committee c = l2r_trained_committee(r->trained);
    if (l2r_applicability_make(&r->trained->domain, &c, &t->tape, t->data, t->split, t->eval_batch_size, &reason) ==
        L2R_OK)
        return L2R_OK;
    if (reason.status == L2R_ERR_MEMORY) return l2r_fail(error, reason.status, "%s", reason.message);
    snprintf(sentence, sizeof sentence, "the model has no applicability domain: %.500s", reason.message);
    l2r_watch_note(r->watch, sentence);
    return L2R_OK;
}

static enum l2r_status refuse_folder(const char *dir, struct l2r_error *error)
{
    return l2r_fail(error, L2R_ERR_ARGUMENT,
                    "%s already holds a run; continue it with `resume` or choose another `out`", dir);
}

/* All ranks have looked at the folder before one writes there, and what they do next is the same. */
static enum l2r_status agree_on_folder(const struct l2r_run_state *r, bool finished, struct l2r_error *error)
{
    uint64_t found = finished ? 2 : r->folder.saved.file ? 1 : 0;
    return l2r_comm_agree(r->comm, found,
                          "finds a different run in the folder than rank 0; can all ranks see the folder of the run?",
                          error);
}

/* What the folder holds already: a finished run gives its result, one under way its checkpoint. */
static enum l2r_status look_into_folder(struct l2r_result *result, struct l2r_run_state *r, const struct l2r_run *plan,
                                        struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(l2r_folder_init(&r->folder, plan->out, l2r_comm_leads(plan->comm), plan->callbacks, error));
    r->there = l2r_saved_is_there(&r->folder.saved);
    if (!plan->resume && (r->there || l2r_path_is_file(r->folder.result))) L2R_TRY(refuse_folder(plan->out, error));
    if (!plan->resume) L2R_TRY(l2r_folder_refuse_files(plan->out, error));
    if (plan->resume && l2r_path_is_dir(plan->out)) L2R_TRY(l2r_folder_lock(&r->folder, error));
    if (l2r_path_is_file(r->folder.result)) L2R_TRY(l2r_folder_result(result, &r->folder, plan, error));
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
static enum l2r_status choose_split(struct l2r_split *split, const struct l2r_run_state *r, const struct l2r_run *plan,
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
static enum l2r_status begin_in_folder(struct l2r_run_state *r, const struct l2r_run *plan,
                                       const struct l2r_split *split, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(l2r_folder_lock(&r->folder, error));
    if (!r->there && l2r_saved_is_there(&r->folder.saved)) /* of a run that had the lock meanwhile */
        L2R_TRY(refuse_folder(plan->out, error));
    if (!plan->resume) L2R_TRY(l2r_folder_refuse_files(plan->out, error));
    bool resuming = r->folder.saved.file != NULL;
    if (resuming) {
        L2R_TRY(l2r_folder_resume(&r->trainer, &r->best, &r->other, &r->folder, error));
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

/* What validation says about the outputs becomes part of the model. */
static enum l2r_status calibrate(struct l2r_run_state *r, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &r->trainer;
    int32_t left_out;
    char sentence[160];
    const char *how = l2r_config_text(t->config, "calibrate");
    const struct l2r_committee c = l2r_trained_committee(r->trained);
    int64_t n = l2r_split_size(t->split, L2R_PART_VALID);
    L2R_TRY(l2r_committee_calibrate(&r->trained->calibration, &left_out, &r->trained->arena, &c, how,
                                    l2r_config_real(t->config, "coverage"), &t->tape, t->data,
                                    l2r_split_part(t->split, L2R_PART_VALID), n, t->eval_batch_size, error));
    snprintf(sentence, sizeof sentence, "%d of %d outputs are not calibrated: their validation labels are all alike",
             left_out, l2r_committee_outputs(&c));
    if (left_out > 0) l2r_watch_note(r->watch, sentence);
    if (strcmp(how, "none") != 0 && n == 0)
        l2r_watch_note(r->watch, "there are no validation graphs to calibrate on: outputs stay as they are");
done:
    return status;
}

/* The best model back into the network, and its head once more where the method asks for that. The checkpoint is
 * written again, for it holds the method's weights; it still has the best model as training left it, so that a run
 * which is stopped after this makes the same choice again. */
static enum l2r_status best_model(struct l2r_head_choice *head, struct l2r_run_state *r, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &r->trainer;
    struct l2r_snapshot last = {0};
    double started = l2r_clock_seconds();
    if (r->best.epoch == 0) return L2R_OK;
    if (l2r_head_is_asked(t)) L2R_TRY(l2r_snapshot_take(&last, &t->network.params, t->at.epoch, error));
    l2r_snapshot_restore(&r->best, &t->network.params);
    L2R_TRY(l2r_head_choose(head, t, error));
    if (!head->head) goto done;
    t->at.seconds += l2r_clock_since(started);
    l2r_snapshot_restore(&last, &t->network.params);
    L2R_TRY(l2r_run_save_last(r, error));
    l2r_snapshot_restore(&r->best, &t->network.params);
    l2r_head_take(head, t);
    L2R_TRY(l2r_snapshot_take(&r->best, &t->network.params, r->best.epoch, error));
done:
    l2r_snapshot_clear(&last);
    return status;
}

/* The best model into the folder, or to the caller, and what it scores. The result is last: it says that everything
 * else is there. */
static enum l2r_status end_run(struct l2r_result *result, struct l2r_predictor **predictor, struct l2r_final_fit *refit,
                               struct l2r_run_state *r, const struct l2r_run *plan, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const unsigned not_validation = ~(1U << L2R_PART_VALID | 1U << L2R_PART_ID_VALID);
    struct l2r_trainer *t = &r->trainer;
    struct l2r_head_choice head = {0};
    L2R_TRY(best_model(&head, r, error));
    L2R_TRY(l2r_run_take_model(r, error));
    L2R_TRY(l2r_members_join(r, plan, error));
    L2R_TRY(calibrate(r, error));
    if (r->best.epoch > 0) L2R_TRY(make_domain(r, error));
    L2R_TRY(l2r_final_fit_train(refit, r, plan, error));
    if (refit->done) L2R_TRY(make_domain(r, error)); /* of the other model */
    const struct l2r_committee c = l2r_trained_committee(r->trained);
    L2R_TRY(l2r_result_make(result, t, &c, refit->done ? not_validation : ~0U, r->speeds, r->n_speeds, error));
    L2R_TRY(l2r_result_select(result, t, &r->best, &r->other, error));
    l2r_final_fit_settle(result, refit);
    l2r_result_conclude(result, t, &head);
    if (r->best.epoch > 0) L2R_TRY(l2r_run_save_model(r, error));
    if (l2r_run_writes(r))
        L2R_TRY(l2r_result_write(result, r->folder.result, plan->out, t->at.run, r->best_checksum, error));
    if (!plan->out && predictor) {
        L2R_TRY(l2r_predictor_from_trained(predictor, r->trained, error));
        r->trained = NULL;
    }
done:
    l2r_head_choice_clear(&head);
    return status;
}

enum l2r_status l2r_run_train(struct l2r_result *result, struct l2r_predictor **predictor, const struct l2r_run *plan,
                              struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_run_state r = {.watch = plan->callbacks, .comm = plan->comm};
    struct l2r_dataset *own = NULL;
    struct l2r_config *fewer = NULL;
    struct l2r_split split = {0};
    struct l2r_final_fit refit = {0};
    char sentence[700];
    if (!result) return l2r_fail(error, L2R_ERR_ARGUMENT, "result is NULL");
    *result = (struct l2r_result){0};
    if (l2r_run_check(plan->config, error) != L2R_OK || l2r_members_check(plan, error) != L2R_OK ||
        l2r_final_fit_check(plan->config, error) != L2R_OK)
        return L2R_ERR_ARGUMENT;
    if (plan->out) L2R_TRY(look_into_folder(result, &r, plan, error));
    if (*result->metric) goto done;
    if (!plan->data) L2R_TRY(l2r_run_load(&own, plan->config, plan->comm, error));
    const struct l2r_dataset *data = plan->data ? plan->data : own;
    L2R_TRY(l2r_members_afford(&fewer, sentence, sizeof sentence, plan->config, data, error));
    l2r_watch_note(plan->callbacks, sentence);
    struct l2r_run smaller = *plan;
    if (fewer) smaller.config = fewer;
    plan = &smaller;
    L2R_TRY(choose_split(&split, &r, plan, data, error));
    L2R_TRY(check_labels(data, &split, plan->callbacks, error));
    L2R_TRY(l2r_trainer_init(&r.trainer, plan->config, data, &split, error));
    r.trainer.watch = plan->callbacks;
    L2R_TRY(l2r_split_keep_environments(&split, &r.trainer.environments, error));
    r.speeds = l2r_alloc((size_t)(r.trainer.epochs + 1), sizeof *r.speeds);
    if (!r.speeds) {
        status = l2r_fail_memory(error, (size_t)r.trainer.epochs * sizeof *r.speeds, "the run");
        goto done;
    }
    if (plan->out) L2R_TRY(begin_in_folder(&r, plan, &split, error));
    l2r_watch_start(plan->callbacks, &r.trainer, plan->out);
    r.started = r.saved_at = l2r_clock_seconds();
    status = l2r_run_epochs(&r, error);
    if (status == L2R_ERR_DIVERGED) l2r_run_keep_good(&r);
    if (status != L2R_OK) goto done;
    L2R_TRY(end_run(result, predictor, &refit, &r, plan, error));
done:
    status = l2r_record_close(&r.record, status, error);
    if (status != L2R_OK) l2r_result_clear(result); /* of another run, perhaps, whose folder this is */
    if (plan->out) l2r_folder_clear(&r.folder);
    l2r_snapshot_clear(&r.best);
    l2r_snapshot_clear(&r.other);
    l2r_trainer_clear(&r.trainer);
    l2r_final_fit_clear(&refit);
    l2r_trained_free(r.trained);
    l2r_split_clear(&split);
    l2r_config_free(fewer);
    l2r_dataset_free(own);
    l2r_free(r.speeds);
    return status;
}
