/* SPDX-License-Identifier: MIT
 *
 * See options.h. Training reads the options, and config.json keeps them.
 *
 *     data, model, method, features, …                       model/model_options.h: what a model keeps
 *     seed, epochs, steps, …                                 this file
 *     each optimiser's and each schedule's own               nn/optimiser.h, nn/schedule.h
 *     how data is read and split                             data/reader.h, data/splits/split.h
 *     the model's and the method's, with their defaults      nn/model.h, methods/method.h
 *
 * The defaults are OGB's recipe for small molecules.
 */
#include "fit/options.h"

#include "data/reader.h"
#include "data/splits/split.h"
#include "methods/method.h"
#include "model/calibrate.h"
#include "model/model_options.h"
#include "nn/masking.h"
#include "nn/model.h"
#include "nn/optimiser.h"
#include "nn/schedule.h"

#include <string.h>

static const struct l2r_option training_options[] = {
    {.name = "members",
     .kind = L2R_OPTION_TEXT,
     .at = L2R_FIELD(struct l2r_fit_options, members),
     .value = "N or LIST",
     .help = "train a committee and predict the mean of its members: so many of this model, or models as in "
             "gin,boost,forest:trees=500; "
             "auto: the one for tables of molecules, which is their default"},
    {.name = "seed",
     .kind = L2R_OPTION_INT,
     .at = L2R_FIELD(struct l2r_fit_options, seed),
     .fallback = "0",
     .min = 0,
     .max = 4294967295.0,
     .help = "random seed of initial values, graph order and dropout"},
    {0}};

static const struct l2r_option batch_options[] = {
    {.name = "steps",
     .kind = L2R_OPTION_INT,
     .at = L2R_FIELD(struct l2r_fit_options, steps),
     .fallback = "0",
     .min = 0,
     .max = 1e12,
     .help = "most optimiser steps: where an epoch has many batches, fewer epochs are trained, but one at least; 0: no "
             "limit. Not for trees, nor for methods that train in phases"},
    {.name = "batch-size",
     .kind = L2R_OPTION_INT,
     .at = L2R_FIELD(struct l2r_fit_options, batch_size),
     .fallback = "32",
     .min = 1,
     .max = 1e6,
     .help = "graphs per mini-batch"},
    {0}};

static const struct l2r_option optimiser_options[] = {
    {.name = "optimiser",
     .kind = L2R_OPTION_CHOICE,
     .choices = l2r_optimiser_choices,
     .fallback = "adam",
     .help = "optimiser"},
    {.name = "lr", .kind = L2R_OPTION_REAL, .fallback = "0.001", .min = 1e-12, .max = 1e3, .help = "learning rate"},
    {.name = "weight-decay",
     .kind = L2R_OPTION_REAL,
     .fallback = "0",
     .min = 0,
     .max = 10,
     .help = "weight decay (adamw: decoupled)"},
    {0}};

/* What follows the optimiser's own: clipping before a step, averages after it (fit/averaging.h). */
static const struct l2r_option step_options[] = {
    {.name = "clip",
     .kind = L2R_OPTION_REAL,
     .at = L2R_FIELD(struct l2r_fit_options, clip),
     .fallback = "0",
     .min = 0,
     .max = 1e9,
     .help = "maximum norm of the gradient; 0: no clipping"},
    {.name = "ema",
     .kind = L2R_OPTION_REAL,
     .at = L2R_FIELD(struct l2r_fit_options, ema),
     .fallback = "0",
     .min = 0,
     .max = 0.999999,
     .help = "score and keep an exponential moving average of the parameters with this decay per step, such as 0.99; "
             "0: the parameters themselves"},
    {.name = "swa",
     .kind = L2R_OPTION_FLAG,
     .at = L2R_FIELD(struct l2r_fit_options, swa),
     .fallback = "false",
     .help = "score and keep the mean of the parameters over the epochs in which the validation loss is low (SWAD)"},
    {0}};

/* fit/transfer.h */
static const struct l2r_option transfer_options[] = {
    {.name = "from",
     .kind = L2R_OPTION_TEXT,
     .at = L2R_FIELD(struct l2r_fit_options, from),
     .value = "RUN",
     .group = "Transfer",
     .help = "start from the model of another run, with its backbone's options for defaults"},
    {.name = "freeze",
     .kind = L2R_OPTION_CHOICE,
     .at = L2R_FIELD(struct l2r_fit_options, freeze),
     .choices = "backbone",
     .help = "with `from`: train the head alone; the backbone stays as it is and runs as in prediction"},
    {.name = "reset",
     .kind = L2R_OPTION_CHOICE,
     .at = L2R_FIELD(struct l2r_fit_options, reset),
     .choices = "head",
     .help = "with `from`: begin a new head, for other tasks"},
    {0}};

static const struct l2r_option selection_options[] = {
    {.name = "metric",
     .kind = L2R_OPTION_TEXT,
     .at = L2R_FIELD(struct l2r_fit_options, metric),
     .value = "NAME",
     .group = "Selection",
     .help = "metric that picks the best epoch on the validation graphs; default: accuracy, rocauc, rmse or, for "
             "several targets, nrmse"},
    {.name = "select",
     .kind = L2R_OPTION_CHOICE,
     .at = L2R_FIELD(struct l2r_fit_options, select),
     .choices = "ood-valid|id-valid",
     .fallback = "ood-valid",
     .help = "validation graphs that pick the best epoch: the part valid, which is out of distribution where a split "
             "has five parts, or id-valid, from where the training graphs come from; both are scored every epoch"},
    {.name = "early-stop",
     .kind = L2R_OPTION_INT,
     .at = L2R_FIELD(struct l2r_fit_options, early_stop),
     .fallback = "0",
     .min = 0,
     .max = 1e6,
     .help = "stop after this many epochs without improvement on validation; 0: never"},
    {.name = "refit",
     .kind = L2R_OPTION_FLAG,
     .at = L2R_FIELD(struct l2r_fit_options, refit),
     .fallback = "false",
     .help =
         "when validation has chosen the epoch, train once more on training and validation graphs together, as many "
         "epochs; validation scores stay those of the model that was chosen"},
    {.name = "class-weights",
     .kind = L2R_OPTION_CHOICE,
     .at = L2R_FIELD(struct l2r_fit_options, class_weights),
     .choices = "none|balanced|limited|auto",
     .fallback = "none",
     .help =
         "balanced: weight classes by inverse frequency in training; limited: the same, with weights of 20 at most; "
         "auto: limited, and only if a class is rare (of two: below a fifth)"},
    {.name = "transform",
     .kind = L2R_OPTION_CHOICE,
     .at = L2R_FIELD(struct l2r_fit_options, transform),
     .choices = "none|log10|rank|auto",
     .fallback = "none",
     .help = "train on the logarithm of a regression's targets, which are above 0, or on the normal scores of their "
             "ranks; predictions, intervals and scores are in the targets' unit; auto: log10 of targets above 0 that "
             "span a power of ten or more, ranks of others if `metric` is mae"},
    {.name = "loss",
     .kind = L2R_OPTION_CHOICE,
     .at = L2R_FIELD(struct l2r_fit_options, loss),
     .choices = "squared|absolute|huber|auto",
     .fallback = "squared",
     .help = "of networks on a regression; huber: squared up to one standard deviation of the targets; auto: absolute "
             "if `metric` is mae. Other than squared with method erm alone"},
    {.name = "calibrate",
     .kind = L2R_OPTION_CHOICE,
     .choices = l2r_calibrator_choices,
     .fallback = "none",
     .help = "fit probabilities to the validation labels: platt (a line through the logits), isotonic (steps; needs "
             "hundreds of labels) or temperature (one factor)"},
    {.name = "coverage",
     .kind = L2R_OPTION_REAL,
     .at = L2R_FIELD(struct l2r_fit_options, coverage),
     .fallback = "0.9",
     .min = 0.01,
     .max = 0.999,
     .help = "of the intervals of a regression: the share of new graphs that should lie inside"},
    {.name = "eval-train",
     .kind = L2R_OPTION_FLAG,
     .at = L2R_FIELD(struct l2r_fit_options, eval_train),
     .fallback = "false",
     .help = "score the training graphs after every epoch too"},
    {.name = "eval-test",
     .kind = L2R_OPTION_FLAG,
     .at = L2R_FIELD(struct l2r_fit_options, eval_test),
     .fallback = "true",
     .help = "score the test graphs at the end; turn it off while choosing hyper-parameters"},
    {.name = "eval-test-epochs",
     .kind = L2R_OPTION_FLAG,
     .at = L2R_FIELD(struct l2r_fit_options, eval_test_epochs),
     .fallback = "false",
     .needs = "eval-test=true",
     .help = "score the test graphs after every epoch too, to show how optimistic the best of these scores is; they "
             "choose nothing"},
    {.name = "checkpoint-seconds",
     .kind = L2R_OPTION_REAL,
     .at = L2R_FIELD(struct l2r_fit_options, checkpoint_seconds),
     .neutral = true,
     .fallback = "15",
     .min = 0,
     .max = 1e6,
     .group = "Safety",
     .help = "write a checkpoint at the end of an epoch when the last is this old; 0: every epoch"},
    {0}};

/* The options that belong to no model, no method and no data. Their order is that of config.json and of the help
 * page. */
static enum l2r_status declare_training(struct l2r_config *config, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(l2r_config_declare(config, l2r_source_option, error));
    L2R_TRY(l2r_config_declare(config, l2r_cache_option, error));
    L2R_TRY(l2r_config_declare(config, l2r_network_options, error));
    L2R_TRY(l2r_config_declare(config, training_options, error));
    L2R_TRY(l2r_config_declare(config, l2r_epochs_option, error));
    L2R_TRY(l2r_config_declare(config, batch_options, error));
    L2R_TRY(l2r_config_declare(config, l2r_scoring_option, error));
    L2R_TRY(l2r_config_declare(config, optimiser_options, error));
    for (size_t i = 0; l2r_optimisers[i]; i++)
        if (l2r_optimisers[i]->options) L2R_TRY(l2r_config_declare(config, l2r_optimisers[i]->options, error));
    L2R_TRY(l2r_config_declare(config, step_options, error));
    L2R_TRY(l2r_config_declare(config, l2r_schedule_options, error));
    for (size_t i = 0; l2r_schedules[i]; i++)
        if (l2r_schedules[i]->options) L2R_TRY(l2r_config_declare(config, l2r_schedules[i]->options, error));
    L2R_TRY(l2r_config_declare(config, selection_options, error));
    L2R_TRY(l2r_config_declare(config, transfer_options, error));
    L2R_TRY(l2r_config_declare(config, l2r_masking_options, error));
done:
    return status;
}

enum l2r_status l2r_run_declare(struct l2r_config *config, const char *model, const char *method,
                                struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if (!config || !model || !method)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "%s is NULL", !config ? "config" : !model ? "model" : "method");
    const struct l2r_model_type *type;
    const struct l2r_method *how;
    L2R_TRY(l2r_model_names_find(&type, &how, model, method, error));
    L2R_TRY(declare_training(config, error));
    L2R_TRY(l2r_config_declare(config, l2r_data_options, error));
    L2R_TRY(l2r_split_declare(config, error));
    L2R_TRY(l2r_config_declare(config, l2r_environment_options, error));
    L2R_TRY(l2r_model_declare(config, type, error));
    L2R_TRY(l2r_config_declare(config, how->options, error));
    for (int i = 0; i < L2R_MOST_SHARED && how->shared[i]; i++)
        L2R_TRY(l2r_config_declare(config, how->shared[i], error));
    for (const struct l2r_default *changed = type->defaults; changed && changed->option; changed++)
        L2R_TRY(l2r_config_set_default(config, changed->option, changed->value, error));
    for (const struct l2r_default *changed = how->defaults; changed && changed->option; changed++)
        L2R_TRY(l2r_config_set_default(config, changed->option, changed->value, error));
    L2R_TRY(l2r_config_set(config, "model", model, error));
    L2R_TRY(l2r_config_set(config, "method", method, error));
done:
    return status;
}

void l2r_fit_options_fill(struct l2r_fit_options *o, const struct l2r_config *config)
{
    static const struct l2r_option *const tables[] = {training_options, batch_options, step_options, transfer_options,
                                                      selection_options};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) l2r_config_fill(o, tables[i], config);
    o->model = l2r_config_text(config, "model");
    o->method = l2r_config_text(config, "method");
    o->calibrate = l2r_config_text(config, "calibrate");
    o->features = l2r_config_list(config, "features") >> 1; /* without "none" */
    o->mask_atoms = l2r_config_real(config, "mask-atoms");
    o->epochs = l2r_config_int(config, "epochs");
    o->eval_batch_size = l2r_config_int(config, "eval-batch-size");
}

static bool holds(const struct l2r_config *config, const struct l2r_option *table)
{
    for (; table && table->name; table++)
        if (!l2r_config_has(config, table->name)) return false;
    return true;
}

enum l2r_status l2r_run_check(const struct l2r_config *config, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if (!config) L2R_FAIL(L2R_ERR_ARGUMENT, "config is NULL; expected the options of a run");
    if (!holds(config, l2r_source_option) || !holds(config, l2r_network_options) || !holds(config, training_options) ||
        !holds(config, l2r_epochs_option) || !holds(config, batch_options) || !holds(config, l2r_scoring_option) ||
        !holds(config, optimiser_options) || !holds(config, step_options) || !holds(config, selection_options) ||
        !holds(config, transfer_options) || !holds(config, l2r_masking_options) || !holds(config, l2r_data_options) ||
        !l2r_config_has(config, "split"))
        L2R_FAIL(L2R_ERR_ARGUMENT, "the config lacks options of a run, which are declared for a model and a method");
    const char *model = l2r_config_text(config, "model"), *method = l2r_config_text(config, "method");
    const struct l2r_model_type *type = l2r_model_find(model);
    const struct l2r_method *how = l2r_method_find(method);
    if (!type) L2R_FAIL(L2R_ERR_ARGUMENT, "there is no model \"%s\"", model);
    if (!how) L2R_FAIL(L2R_ERR_ARGUMENT, "there is no method \"%s\"", method);
    L2R_TRY(l2r_config_check_texts(config, error));
    bool whole = holds(config, type->options) && holds(config, how->options);
    for (int i = 0; i < L2R_MOST_SHARED && how->shared[i]; i++) whole = whole && holds(config, how->shared[i]);
    if (!whole)
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "the config was declared for another model or method than its \"%s\" and \"%s\": make a new one, "
                 "because these two decide which options there are",
                 model, method);
done:
    return status;
}

enum l2r_status l2r_run_from_json(struct l2r_config **config, const json_t *object, const char *where,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *model = json_string_value(json_object_get(object, "model"));
    const char *method = json_string_value(json_object_get(object, "method"));
    *config = NULL;
    if (!model || !method) L2R_FAIL(L2R_ERR_FORMAT, "%s: its config names no model or no method", where);
    L2R_TRY(l2r_config_new(config, error));
    L2R_TRY(l2r_run_declare(*config, model, method, error));
    L2R_TRY(l2r_config_from_json(*config, object, where, error));
done:
    if (status != L2R_OK) {
        l2r_config_free(*config);
        *config = NULL;
    }
    return status;
}
