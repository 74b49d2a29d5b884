/* SPDX-License-Identifier: MIT
 * See final_fit.h. */
#include "train/final_fit.h"

#include "base/json.h"
#include "base/memory.h"
#include "io/file.h"
#include "methods/method.h"
#include "model/predictor.h"
#include "model/run_names.h"
#include "train/checkpoint.h"
#include "train/members.h"
#include "train/result.h"
#include "train/watch.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const int validation[] = {L2R_PART_VALID, L2R_PART_ID_VALID};
enum { N_VALIDATION = sizeof validation / sizeof *validation };

void l2r_final_fit_clear(struct l2r_final_fit *refit)
{
    l2r_result_clear(&refit->chosen);
    *refit = (struct l2r_final_fit){0};
}

enum l2r_status l2r_final_fit_check(const struct l2r_config *config, struct l2r_error *error)
{
    if (!l2r_config_flag(config, "refit")) return L2R_OK;
    const struct l2r_method *method = l2r_method_find(l2r_config_text(config, "method"));
    const char *what = method->phase || method->head_weights             ? method->name
                       : l2r_config_flag(config, "swa")                  ? "`swa`"
                       : l2r_config_is(config, "lr-schedule", "plateau") ? "`lr-schedule=plateau`"
                                                                         : NULL;
    if (!what) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT,
                    "`refit` trains once more without validation graphs, which %s%s needs all the way; leave out one "
                    "of the two",
                    what == method->name ? "method " : "", what);
}

/* Validation graphs among the training graphs; the rest as it was. */
static enum l2r_status join_parts(struct l2r_split *joined, const struct l2r_split *split, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    uint8_t *part = l2r_alloc((size_t)split->n_graphs, sizeof *part);
    *joined = *split;
    joined->graphs = NULL;
    joined->environments = (struct l2r_environments){.rule = "none"};
    if (!part) return l2r_fail_memory(error, (size_t)split->n_graphs, "a split");
    memset(part, L2R_PART_NONE, (size_t)split->n_graphs);
    for (int p = 0; p < L2R_N_PARTS; p++)
        for (int64_t i = 0; i < l2r_split_size(split, p); i++) part[l2r_split_part(split, p)[i]] = (uint8_t)p;
    for (int64_t g = 0; g < split->n_graphs; g++)
        for (int v = 0; v < N_VALIDATION; v++)
            if (part[g] == validation[v]) part[g] = L2R_PART_TRAIN;
    L2R_TRY(l2r_split_fill(joined, part, split->n_graphs, error));
    L2R_TRY(l2r_environments_copy(&joined->environments, &split->environments, split->n_graphs, error));
done:
    l2r_free(part);
    return status;
}

/* The options of the second training: one model, as many epochs as were chosen, nothing to choose. */
static enum l2r_status make_config(struct l2r_config **config, const struct l2r_run_state *r, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char epochs[24];
    snprintf(epochs, sizeof epochs, "%" PRId64, r->best.epoch);
    const struct l2r_default changed[] = {{"epochs", epochs},      {"steps", "0"},    {"early-stop", "0"},
                                          {"select", "ood-valid"}, {"members", "1"},  {"calibrate", "none"},
                                          {"eval-test", "false"},  {"refit", "false"}};
    L2R_TRY(l2r_config_copy(config, r->trainer.config, error));
    /* A class that was rare enough to be weighed is so still, and its calibration counts on it. */
    if (l2r_config_is(*config, "class-weights", "auto") && r->trainer.data->n_tasks == 1)
        L2R_TRY(l2r_config_set(*config, "class-weights", r->trainer.network.class_weight ? "balanced" : "none", error));
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++)
        L2R_TRY(l2r_config_set(*config, changed[i].option, changed[i].value, error));
done:
    return status;
}

/* The model of the second training. */
static enum l2r_status train(struct l2r_predictor **refitted, struct l2r_final_fit *refit, struct l2r_run_state *r,
                             const struct l2r_run *plan, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_trainer *t = &r->trainer;
    struct l2r_config *config = NULL;
    struct l2r_split split = {0};
    struct l2r_result result = {0};
    char folder[4200] = "", note[160];
    L2R_TRY(join_parts(&split, t->split, error));
    L2R_TRY(make_config(&config, r, error));
    refit->n_graphs = l2r_split_size(&split, L2R_PART_TRAIN);
    snprintf(note, sizeof note, "once more on training and validation graphs together: %lld graphs, %lld epochs",
             (long long)refit->n_graphs, (long long)r->best.epoch);
    l2r_watch_note(plan->callbacks, note);
    struct l2r_callbacks heard = plan->callbacks ? *plan->callbacks : (struct l2r_callbacks)L2R_CALLBACKS_INIT;
    heard.start = NULL;
    heard.note = NULL; /* that nothing validates is meant */
    if (plan->out) L2R_TRY(l2r_path_join(folder, sizeof folder, plan->out, L2R_REFIT_FOLDER, error));
    const struct l2r_run second = {.size = sizeof second,
                                   .config = config,
                                   .data = t->data,
                                   .split = &split,
                                   .out = plan->out ? folder : NULL,
                                   .resume = plan->out && l2r_path_is_dir(folder),
                                   .callbacks = &heard,
                                   .comm = plan->comm};
    L2R_TRY(l2r_run_train(&result, refitted, &second, error));
    if (plan->out) L2R_TRY(l2r_predictor_open(refitted, folder, error));
    refit->seconds = result.seconds;
done:
    l2r_result_clear(&result);
    l2r_split_clear(&split);
    l2r_config_free(config);
    return status;
}

/* The model of the second training, with the calibration, the identity and the weights of the first. */
static enum l2r_status replace_model(struct l2r_run_state *r, const struct l2r_trained *refitted,
                                     const struct l2r_run *plan, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trained *chosen = r->trained, *model = NULL;
    L2R_TRY(l2r_trained_new(&model, chosen->config, error));
    L2R_TRY(l2r_trained_add(model, refitted->networks[0], refitted->members[0]->config, error));
    if (chosen->calibration) model->calibration = l2r_calibration_copy(&model->arena, chosen->calibration);
    if (chosen->calibration && !model->calibration) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a calibration");
    memcpy(model->data, chosen->data, sizeof model->data);
    memcpy(model->split, chosen->split, sizeof model->split);
    memcpy(model->chosen, r->chosen_checksum, sizeof model->chosen);
    model->epoch = chosen->epoch;
    model->valid = chosen->valid;
    model->weights = chosen->weights;
    model->n_weights = chosen->n_weights;
    chosen->weights = NULL;
    r->trained = model;
    model = NULL;
    l2r_trained_free(chosen);
    L2R_TRY(l2r_members_join_refitted(r, plan, error));
done:
    l2r_trained_free(model);
    return status;
}

/* The model that validation chose, beside the one that takes its place. */
static enum l2r_status keep_chosen(struct l2r_run_state *r, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char path[4200];
    if (!l2r_run_writes(r)) return L2R_OK;
    L2R_TRY(l2r_path_join(path, sizeof path, r->folder.dir, L2R_CHOSEN_FILE, error));
    L2R_TRY(l2r_trained_write(r->trained, path, r->chosen_checksum, error));
done:
    return status;
}

enum l2r_status l2r_final_fit_train(struct l2r_final_fit *refit, struct l2r_run_state *r, const struct l2r_run *plan,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &r->trainer;
    struct l2r_predictor *refitted = NULL;
    int64_t n_valid = 0;
    *refit = (struct l2r_final_fit){0};
    for (int v = 0; v < N_VALIDATION; v++) n_valid += l2r_split_size(t->split, validation[v]);
    if (!l2r_config_flag(t->config, "refit") || r->best.epoch == 0) return L2R_OK;
    if (n_valid == 0) {
        l2r_watch_note(r->watch, "there are no validation graphs to train on: the model stays as it is");
        return L2R_OK;
    }
    const unsigned all_but_train = ~(1U << L2R_PART_TRAIN);
    const struct l2r_committee c = l2r_trained_committee(r->trained);
    L2R_TRY(l2r_result_make(&refit->chosen, t, &c, all_but_train, r->speeds, r->n_speeds, error));
    L2R_TRY(l2r_result_select(&refit->chosen, t, &r->best, &r->other, error));
    L2R_TRY(keep_chosen(r, error));
    L2R_TRY(train(&refitted, refit, r, plan, error));
    L2R_TRY(replace_model(r, l2r_predictor_trained(refitted), plan, error));
    refit->done = true;
done:
    l2r_predictor_free(refitted);
    return status;
}

/* `key` of `from`, if it is there, takes its place in `to`. */
static void move(json_t *to, json_t *from, const char *key)
{
    json_t *value = json_object_get(from, key);
    if (value) json_object_set(to, key, value);
}

void l2r_final_fit_settle(struct l2r_result *result, const struct l2r_final_fit *refit)
{
    const struct l2r_result *chosen = &refit->chosen;
    if (!refit->done) return;
    json_t *groups = json_object_get(result->more, "groups"), *before = json_object();
    result->valid = chosen->valid;
    result->id_valid = chosen->id_valid;
    result->seconds += refit->seconds;
    for (int v = 0; v < N_VALIDATION; v++) {
        move(result->more, chosen->more, l2r_part_name(validation[v]));
        move(groups, json_object_get(chosen->more, "groups"), l2r_part_name(validation[v]));
    }
    move(result->more, chosen->more, "selections");
    for (int p = L2R_PART_TEST; p < L2R_N_PARTS; p += L2R_PART_ID_TEST - L2R_PART_TEST)
        if (!isnan(l2r_result_part(chosen, p)))
            json_object_set_new(before, l2r_part_name(p), l2r_json_real(l2r_result_part(chosen, p)));
    json_object_set_new(result->more, "refit",
                        json_pack("{s:I, s:o}", "graphs", (json_int_t)refit->n_graphs, "before", before));
}
