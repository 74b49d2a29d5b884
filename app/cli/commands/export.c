/* SPDX-License-Identifier: MIT
 *
 * l2r export: a model as an ONNX graph (model/onnx.h). */
#include "cli/command.h"
#include "cli/selection.h"

#include <l2r/model.h>

#include <stdio.h>

static const struct l2r_option options[] = {
    {.name = "out", .kind = L2R_OPTION_TEXT, .value = "FILE.onnx", .group = "Output", .help = "the new file"},
    {.name = "member",
     .kind = L2R_OPTION_INT,
     .fallback = "0",
     .min = 0,
     .max = 64,
     .help = "one member of a committee alone, from 1; 0: the mean of all"},
    {0}};

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_predictor *predictor = NULL;
    const char *out = l2r_config_text(call->options, "out");
    if (out == NULL) return cli_misuse(call, error, "--out FILE.onnx is needed: where the graph goes");
    L2R_TRY(cli_open_member(&predictor, call->arguments[0], l2r_config_int(call->options, "member"), error));
    L2R_TRY(l2r_predictor_export(predictor, out, error));
    printf("%s: ONNX, operator set 18\n", out);
done:
    l2r_predictor_free(predictor);
    return status;
}

const struct l2r_command l2r_command_export = {
    .name = "export",
    .summary = "write a model as an ONNX graph",
    .usage = "RUN --out FILE.onnx [--member K]",
    .about = "RUN is the folder of a run or a .safetensors file. Inputs of the graph are flat arrays of a batch: "
             "node_features (categories) and node_reals, edge_index (each edge as two arcs that follow one another), "
             "edge_features and edge_reals, graph_index (the graph of each node); only those that the model reads. The "
             "output, prediction, has probabilities, or values in the units of the targets: the mean over the members "
             "of a committee. gin, gcn, gat, sgc, jknet and dmpnn can be written; mlp, trees, pna, factorgcn, sagpool, "
             "topkpool, features of molecules, the readout diffpool, gates and calibrated probabilities cannot.",
    .examples = "l2r export runs/my --out my.onnx\n"
                "l2r export runs/committee --member 1 --out first.onnx",
    .section = CLI_SECTION_MODELS,
    .min_arguments = 1,
    .max_arguments = 1,
    .options = {options},
    .run = run,
};
