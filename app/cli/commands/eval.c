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
    {.name = "json", .kind = L2R_OPTION_FLAG, .help = "print the metrics as JSON"},
    {0}};

static bool has_labels(const struct cli_selection *s)
{
    const float *labels = l2r_dataset_labels(s->data);
    int32_t tasks = l2r_dataset_tasks(s->data);
    for (int64_t i = 0; i < s->n; i++)
        for (int32_t k = 0; k < tasks; k++)
            if (!isnan(labels[(int64_t)s->graphs[i] * tasks + k])) return true;
    return false;
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *path = call->arguments[0];
    struct l2r_predictor *predictor = NULL;
    struct cli_selection selection = {0};
    json_t *report = NULL;
    char *text = NULL;
    const char *metrics = l2r_config_text(call->options, "metrics");
    L2R_TRY(l2r_predictor_open(&predictor, path, error));
    struct l2r_error reason = {0};
    if (l2r_metric_check_list(metrics, l2r_predictor_task(predictor), &reason) != L2R_OK) {
        call->misuse = true;
        L2R_FAIL(L2R_ERR_ARGUMENT, "--%s", reason.message);
    }
    L2R_TRY(cli_selection_load(&selection, predictor, call, "test", true, error));
    if (!has_labels(&selection))
        L2R_FAIL(L2R_ERR_ARGUMENT, "%s: no graph (part: %s) has a label to compare with; 'l2r predict' needs none",
                 selection.where, selection.part);
    L2R_TRY(l2r_predictor_evaluate(&text, predictor, selection.data, selection.graphs, selection.n, metrics, error));
    L2R_TRY(l2r_json_parse(&report, text, strlen(text), "the scores", error));
    if (l2r_config_flag(call->options, "json"))
        L2R_TRY(cli_json_print(stdout,
                               json_pack("{s:o, s:o, s:s, s:I, s:O}", "run", l2r_json_name(path), "data",
                                         l2r_json_name(selection.where), "part", selection.part, "graphs",
                                         (json_int_t)selection.n, "metrics", report),
                               error));
    else {
        printf("run   %s\ndata  %s: %s, %lld of %lld graphs\n\n", path, selection.where,
               strcmp(selection.part, "all") == 0 ? "all parts" : selection.part, (long long)selection.n,
               (long long)l2r_dataset_graphs(selection.data));
        cli_report_print(stdout, report, metrics != NULL);
    }
done:
    l2r_free(text);
    json_decref(report);
    cli_selection_clear(&selection);
    l2r_predictor_free(predictor);
    return status;
}

const struct l2r_command l2r_command_eval = {
    .name = "eval",
    .summary = "score a trained model",
    .usage = "RUN [--data WHERE] [--part PART] [OPTIONS]",
    .about = "RUN is the folder of a run (its best checkpoint is used) or a .safetensors file. Without options the "
             "run's own test graphs are scored. With --data and --part, other data is split by the rule of the run "
             "unless split options are given.",
    .examples = "l2r eval runs/proteins\n"
                "l2r eval runs/proteins --part valid --json\n"
                "l2r eval runs/motif-gin-erm-0 --data motif:mu=0.333,seed=7",
    .section = CLI_SECTION_MODELS,
    .min_arguments = 1,
    .max_arguments = 1,
    .options = {options, cli_selection_options, l2r_data_options},
    .declare = cli_declare_split,
    .run = run,
};
