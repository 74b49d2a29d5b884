/* SPDX-License-Identifier: MIT
 *
 * l2r eval: every metric that suits the task, for a trained model on chosen graphs, and for each of several tasks.
 */
#include "base/json.h"
#include "cli/command.h"
#include "cli/runs.h"
#include "cli/scores.h"
#include "cli/selection.h"
#include "data/reader.h"
#include "metrics/metrics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct l2r_option options[] = {
    {.name = "metrics",
     .kind = L2R_OPTION_TEXT,
     .value = "LIST",
     .group = "Output",
     .help = "only these, as in rocauc,mcc; see l2r list metrics"},
    {.name = "ensemble", .kind = L2R_OPTION_FLAG, .help = "score the mean over several models"},
    {.name = "json", .kind = L2R_OPTION_FLAG, .help = "print the metrics as JSON"},
    {0}};

static bool has_labels(const struct cli_selection *s)
{
    const float *labels = l2r_dataset_labels(s->data);
    int32_t tasks = l2r_dataset_n_tasks(s->data);
    for (int64_t i = 0; i < s->n; i++)
        for (int32_t k = 0; k < tasks; k++)
            if (!isnan(labels[(int64_t)s->graphs[i] * tasks + k])) return true;
    return false;
}

/* Several models give one prediction, but may have different splits: a test graph of one may be a training graph of
 * another. */
static enum l2r_status check_split(const struct l2r_ensemble *ensemble, struct cli_call *call, struct l2r_error *error)
{
    if (l2r_config_text(call->options, "data") != NULL || l2r_ensemble_shares_split(ensemble)) return L2R_OK;
    return cli_misuse(call, error,
                      "the models of %s have different splits: test graphs of one were training graphs of others; "
                      "choose other graphs with --data ('l2r predict --ensemble' writes out-of-fold predictions)",
                      call->arguments[0]);
}

/* "test, 12 of 113 graphs"; a table other than the run's has no parts but rows. */
static void print_part(const struct cli_selection *s)
{
    long long all = (long long)l2r_dataset_n_graphs(s->data), skipped = l2r_notes_dropped(s->data, 0, NULL, NULL, 0);
    bool whole = strcmp(s->part, "all") == 0, rows = l2r_dataset_source_row(s->data, 0) >= 0;
    if (!whole)
        printf("%s, %lld of %lld graphs", s->part, (long long)s->n, all);
    else if (s->own)
        printf("all parts, %lld of %lld graphs", (long long)s->n, all);
    else
        printf("all %lld %s", all, rows ? "rows" : "graphs");
    if (skipped > 0 && whole && !s->own) printf(" that hold a molecule; %lld do not", skipped);
}

static enum l2r_status print(const struct cli_selection *selection, const char *path, int n_models, const char *text,
                             const struct l2r_config *options_given, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *report = NULL, *object = NULL;
    L2R_TRY(l2r_json_parse(&report, text, strlen(text), "the scores", error));
    if (l2r_config_flag(options_given, "json")) {
        object =
            json_pack("{s:o, s:o, s:s, s:I, s:O}", "run", l2r_json_name(path), "data", l2r_json_name(selection->where),
                      "part", selection->part, "graphs", (json_int_t)selection->n, "metrics", report);
        if (n_models > 1) json_object_set_new(object, "models", json_integer(n_models));
        json_object_set_new(object, "trained_on", json_boolean(selection->own));
        L2R_TRY(cli_json_print(stdout, object, error));
        goto done;
    }
    printf("run   %s", path);
    if (n_models > 1) printf(": %d models", n_models);
    printf("\ndata  %s: ", selection->where);
    print_part(selection);
    fputs("\n\n", stdout);
    cli_report_print(stdout, report, l2r_config_text(options_given, "metrics") != NULL);
done:
    json_decref(report);
    return status;
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct cli_models models = {0};
    struct l2r_ensemble *ensemble = NULL;
    struct cli_selection selection = {0};
    struct l2r_evaluation *evaluation = NULL;
    char *text = NULL;
    const char *metrics = l2r_config_text(call->options, "metrics");
    struct l2r_error reason = {0};
    L2R_TRY(cli_models_given(&models, call, l2r_config_flag(call->options, "ensemble"), error));
    L2R_TRY(cli_models_unseen(&models, call, error));
    L2R_TRY(l2r_ensemble_open(&ensemble, (const char *const *)models.paths, models.n, error));
    const struct l2r_predictor *first = l2r_ensemble_model(ensemble, 0);
    if (l2r_metric_check_list(metrics, l2r_predictor_task(first), &reason) != L2R_OK) {
        call->misuse = true;
        L2R_FAIL(L2R_ERR_ARGUMENT, "--%s", reason.message);
    }
    L2R_TRY(check_split(ensemble, call, error));
    L2R_TRY(cli_selection_load(&selection, first, call, "test", true, error));
    if (selection.own && strcmp(selection.part, "all") == 0)
        fprintf(stderr,
                "note: %s is the data that the model was trained on; --part test scores graphs that it has not seen\n",
                selection.where);
    if (!has_labels(&selection))
        L2R_FAIL(L2R_ERR_ARGUMENT, "%s: no graph (part: %s) has a label to compare with; 'l2r predict' needs none",
                 selection.where, selection.part);
    L2R_TRY(
        l2r_ensemble_evaluate(&evaluation, ensemble, selection.data, selection.graphs, selection.n, metrics, error));
    L2R_TRY(l2r_evaluation_json(&text, evaluation, error));
    L2R_TRY(print(&selection, call->arguments[0], models.n, text, call->options, error));
done:
    l2r_evaluation_free(evaluation);
    l2r_free(text);
    cli_selection_clear(&selection);
    l2r_ensemble_free(ensemble);
    cli_models_clear(&models);
    return status;
}

const struct l2r_command l2r_command_eval = {
    .name = "eval",
    .summary = "score a trained model",
    .usage = "RUN [RUN …] [--data WHERE] [--part PART] [OPTIONS]",
    .about =
        "RUN is the folder of a run (its best checkpoint is used) or a .safetensors file; with --ensemble several of "
        "them, or a folder of l2r train --seeds: the mean of their predictions is scored. Without options this scores "
        "the run's own test graphs, with --data all graphs of that data. With --part, data that the model was trained "
        "on is split as in training, even if it has moved; other data by its official split, by the rule of the run, "
        "or by split options; a table has no parts without such options, as in --split-column NAME.",
    .examples = "l2r eval runs/proteins\n"
                "l2r eval runs/proteins --part valid --json\n"
                "l2r eval runs/bace-seeds --ensemble\n"
                "l2r eval runs/motif-gin-erm-0 --data motif:mu=0.333,seed=7",
    .section = CLI_SECTION_MODELS,
    .min_arguments = 1,
    .max_arguments = 1000,
    .options = {options, cli_selection_options, l2r_data_options},
    .declare = cli_declare_split,
    .run = run,
};
