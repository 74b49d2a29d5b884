/* SPDX-License-Identifier: MIT
 *
 * The options of `l2r train` and `l2r pretrain`. Which ones exist depends on --model and --method, which may be typed
 * or stand in the file of --config, so these two are looked up before anything is declared. Values come from the
 * defaults, the config file and the command line; the later one wins. --resume takes the config of the folder that it
 * continues. A table of molecules has its own defaults (recipe/table_defaults.c).
 */
#include "cli/training.h"

#include "cli/runs.h"
#include "fit/options.h"
#include "fit/transfer.h"
#include "io/file.h"
#include "io/json_file.h"
#include "io/source.h"
#include "methods/method.h"
#include "model/data_place.h"
#include "nn/model.h"
#include "recipe/table_defaults.h"
#include "store/state.h"

#include <stdio.h>
#include <string.h>

const struct l2r_option cli_training_options[] = {
    {.name = "out",
     .kind = L2R_OPTION_TEXT,
     .value = "DIR",
     .group = "Run",
     .help = "folder for the run; by default runs/DATA-MODEL-METHOD-SEED"},
    {.name = "resume", .kind = L2R_OPTION_FLAG, .help = "continue the run in --out from its last checkpoint"},
    {.name = "config",
     .kind = L2R_OPTION_TEXT,
     .value = "FILE",
     .help = "take options from the config.json of a run (or its folder); typed options win"},
    {.name = "seeds",
     .kind = L2R_OPTION_TEXT,
     .value = "LIST",
     .help = "train once for each seed, as in 0-9 or 0,3,5, and print mean ± standard deviation"},
    {.name = "replicates",
     .kind = L2R_OPTION_INT,
     .fallback = "0",
     .min = 0,
     .max = CLI_MAX_SEEDS,
     .help = "train so many times, each time with the next seed and a new split, and print mean ± standard deviation"},
    {.name = "jobs",
     .kind = L2R_OPTION_INT,
     .fallback = "1",
     .min = 0,
     .max = 256,
     .help = "how many of --seeds, --folds or --replicates train at the same time, one thread each; 0: one per core"},
    CLI_OPTION_THREADS,
    {.name = "json", .kind = L2R_OPTION_FLAG, .help = "print the result as JSON; progress goes to stderr"},
    CLI_OPTION_QUIET,
    {0}};

static const char *first_of(const char *a, const char *b, const char *c)
{
    return a != NULL ? a : b != NULL ? b : c;
}

/* Mistyped names get the nearest one as a hint. */
static enum l2r_status check_names(struct cli_call *call, const char *model, const char *method,
                                   struct l2r_error *error)
{
    struct cli_nearest models = {.word = model}, methods = {.word = method};
    for (size_t i = 0; l2r_models[i] != NULL; i++) cli_nearest_try(&models, l2r_models[i]->name);
    for (size_t i = 0; l2r_methods[i] != NULL; i++) cli_nearest_try(&methods, l2r_methods[i]->name);
    if (models.best != NULL && models.distance > 0)
        return cli_misuse(call, error, "there is no model '%s'; did you mean '%s'?", model, models.best);
    if (methods.best != NULL && methods.distance > 0)
        return cli_misuse(call, error, "there is no method '%s'; did you mean '%s'?", method, methods.best);
    return L2R_OK;
}

/* The data of an earlier run, wherever it is now; `config` is the run's config.json or its folder. */
static void find_data(json_t *file, const char *config)
{
    char run[CLI_PATH], where[CLI_PATH];
    const char *typed = json_string_value(json_object_get(file, "data"));
    if (typed == NULL) return;
    if (l2r_path_is_dir(config))
        snprintf(run, sizeof run, "%s", config);
    else
        (void)l2r_path_beside(run, sizeof run, config, ".");
    l2r_data_place_find(where, sizeof where, run, typed);
    json_object_set_new(file, "data", json_string(where));
}

enum l2r_status cli_training_declare(struct cli_call *call, int argc, char **argv, bool pretrains,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *file = NULL;
    char path[CLI_PATH], its_model[64];
    bool many = false;
    const char *config = cli_arguments_peek(argc, argv, "config", L2R_OPTION_TEXT);
    const char *resume = cli_arguments_peek(argc, argv, "resume", L2R_OPTION_FLAG);
    const char *from = config;
    if (from == NULL && resume != NULL && strcmp(resume, "true") == 0)
        from = cli_arguments_peek(argc, argv, "out", L2R_OPTION_TEXT);
    if (from != NULL && cli_run_folder_config(path, &many, from)) {
        status = l2r_json_read(&file, path, error);
        /* The checkpoint has the options, too. */
        if (status == L2R_ERR_FORMAT && config == NULL && (file = l2r_state_options(from)) != NULL) status = L2R_OK;
        if (status != L2R_OK) goto done;
    } else if (from != NULL && config == NULL) {
        snprintf(path, sizeof path, "%s", from);
        file = l2r_state_options(from);
    }
    if (config != NULL && file == NULL)
        L2R_FAIL(L2R_ERR_IO, "--config %s: expected the config.json of a run, or a folder that holds one", config);

    if (file != NULL) find_data(file, path);
    const char *data = first_of(cli_arguments_peek(argc, argv, "data", L2R_OPTION_TEXT),
                                json_string_value(json_object_get(file, "data")), NULL);
    snprintf(its_model, sizeof its_model, "%s", pretrains ? "gin" : l2r_run_default("model", data));
    const char *origin = first_of(cli_arguments_peek(argc, argv, "from", L2R_OPTION_TEXT),
                                  json_string_value(json_object_get(file, "from")), NULL);
    if (origin != NULL) L2R_TRY(l2r_transfer_model(its_model, origin, error));
    const char *list = cli_arguments_peek(argc, argv, "members", L2R_OPTION_TEXT);
    char first[64] = ""; /* the first of a list of members is the model */
    if (list != NULL && strcmp(list, "auto") == 0) list = L2R_COMMITTEE_MODEL;
    if (list != NULL && (*list < '0' || *list > '9'))
        snprintf(first, sizeof first, "%.*s", (int)strcspn(list, ",:"), list);
    const char *model = first_of(cli_arguments_peek(argc, argv, "model", L2R_OPTION_TEXT), first[0] ? first : NULL,
                                 first_of(json_string_value(json_object_get(file, "model")), its_model, NULL));
    const char *method = first_of(cli_arguments_peek(argc, argv, "method", L2R_OPTION_TEXT),
                                  json_string_value(json_object_get(file, "method")), l2r_run_default("method", data));
    L2R_TRY(check_names(call, model, method, error));
    L2R_TRY(l2r_run_declare(call->subject, model, method, error));
    if (pretrains) L2R_TRY(l2r_config_set(call->subject, "targets", "descriptors", error));
    L2R_TRY(l2r_run_suit(call->subject, data, error));
    call->help_all = cli_arguments_peek(argc, argv, "model", L2R_OPTION_TEXT) != NULL ||
                     cli_arguments_peek(argc, argv, "method", L2R_OPTION_TEXT) != NULL;
    if (model == its_model && !pretrains && l2r_run_reads_table(data))
        L2R_TRY(l2r_config_advise(call->subject, "members", "auto", error));
    if (origin != NULL && strcmp(model, its_model) == 0) L2R_TRY(l2r_transfer_defaults(call->subject, origin, error));
    if (file != NULL) L2R_TRY(cli_run_folder_replay(call->subject, file, path, many, error));
done:
    json_decref(file);
    return status;
}
