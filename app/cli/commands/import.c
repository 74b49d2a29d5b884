/* SPDX-License-Identifier: MIT
 *
 * l2r import: models of other programs become models of ours (model/import.h). */
#include "model/import.h"
#include "cli/command.h"

#include <stdio.h>

static const struct l2r_option options[] = {
    {.name = "out",
     .kind = L2R_OPTION_TEXT,
     .value = "PATH",
     .group = "Output",
     .help = "the new model: FILE.safetensors, or a folder that is not there yet"},
    {0}};

static const char *task_text(enum l2r_task task)
{
    return task == L2R_TASK_REGRESSION ? "regression" : task == L2R_TASK_BINARY ? "binary" : "multi-class";
}

static void print_models(const struct l2r_import *import, const char *out)
{
    for (size_t i = 0; i < import->n; i++) {
        const struct l2r_trained *t = import->models[i].trained;
        const struct l2r_signature *s = &t->networks[0]->signature;
        int n = s->task == L2R_TASK_MULTICLASS ? s->n_classes : s->n_tasks;
        printf("%s%s%s: %s, %d %s%s; %d member%s\n", out, import->n > 1 ? "/" : "",
               import->n > 1 ? import->models[i].name : "", task_text(s->task), n,
               s->task == L2R_TASK_MULTICLASS ? "class" : "target",
               n == 1                           ? ""
               : s->task == L2R_TASK_MULTICLASS ? "es"
                                                : "s",
               (int)t->n, t->n == 1 ? "" : "s");
        for (int32_t k = 0; k < s->n_tasks && s->n_task_names > 0; k++)
            printf("%s%s", k == 0 ? "  " : ", ", l2r_signature_task_name(s, k));
        if (s->n_task_names > 0) putchar('\n');
    }
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_import import = {0};
    const char *out = l2r_config_text(call->options, "out");
    if (out == NULL) return cli_misuse(call, error, "--out PATH is needed: where the model goes");
    L2R_TRY(l2r_import_read(&import, (const char *const *)call->arguments, call->n_arguments, error));
    L2R_TRY(l2r_import_write(&import, out, error));
    print_models(&import, out);
done:
    l2r_import_clear(&import);
    return status;
}

const struct l2r_command l2r_command_import = {
    .name = "import",
    .summary = "make a model of checkpoints of chemprop",
    .usage = "FILE [FILE …] --out PATH",
    .about = "FILE is a checkpoint of chemprop 2 (.pt, .ckpt), a folder, a wheel (.whl) or another archive of several. "
             "Checkpoints that predict the same columns become the members of one model, whose mean answers; where "
             "they predict different ones, PATH becomes a folder with a folder for each, and predict PATH writes the "
             "columns of all. Supported are D-MPNNs (BondMessagePassing) on molecules with chemprop's own features, "
             "mean, sum or norm aggregation, and the predictors of regression, binary and multi-class classification. "
             "Nothing in a checkpoint is executed.",
    .examples = "l2r import model.pt --out models/my\n"
                "l2r import admet_ai-2.0.1-py3-none-any.whl --out models/admet\n"
                "l2r predict models/admet --data my.csv --out answers.csv",
    .section = CLI_SECTION_MODELS,
    .min_arguments = 1,
    .max_arguments = 1000,
    .options = {options},
    .run = run,
};
