/* SPDX-License-Identifier: MIT
 * l2r pretrain (cli/training.h). */
#include "cli/training.h"

static enum l2r_status declare(struct cli_call *call, int argc, char **argv, struct l2r_error *error)
{
    return cli_training_declare(call, argc, argv, true, error);
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    return cli_training_run(call, true, error);
}

const struct l2r_command l2r_command_pretrain = {
    .name = "pretrain",
    .summary = "pretrain a backbone on molecules without labels",
    .usage = "--data BIG.csv --out RUN [--exclude TEST.csv] [--model NAME] [OPTIONS]",
    .about =
        "Trains a graph network to predict RDKit's descriptors of the molecules of a table and to predict masked atoms "
        "(--mask-atoms). No measurements are needed: label columns are ignored. The epoch that is best on held-out "
        "molecules is kept, and training ends after --early-stop epochs without improvement. Use the result with l2r "
        "train --from RUN --reset head, which trains the backbone further or, with --freeze backbone, keeps it. "
        "--exclude leaves the molecules of other tables out, by canonical SMILES: name those that "
        "the model will be tested on. Ctrl-C saves and stops; --resume continues with exactly the numbers of an "
        "uninterrupted run.",
    .examples = "l2r pretrain --data big.csv --out runs/pretrained\n"
                "l2r pretrain --data big.csv --exclude my.csv --model dmpnn --out runs/pretrained\n"
                "l2r train --data my.csv --from runs/pretrained --reset head --out runs/my\n"
                "l2r pretrain --resume --out runs/pretrained",
    .section = CLI_SECTION_MODELS,
    .divides = true,
    .options = {cli_training_options},
    .declare = declare,
    .run = run,
};
