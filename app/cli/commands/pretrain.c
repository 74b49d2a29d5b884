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
    .summary = "teach a backbone about molecules without labels",
    .usage = "--data BIG.csv --out RUN [--exclude TEST.csv] [--model NAME] [OPTIONS]",
    .about =
        "Trains a graph network to predict RDKit's descriptors of the molecules of a table and to guess hidden atoms "
        "(--mask-atoms), for which no measurement is needed: columns of labels are not looked at. The epoch that is "
        "best on held-out molecules is kept, and training ends after --early-stop epochs without improvement. What is "
        "learned is used by l2r train --from RUN --reset head, with the backbone trained further or, with --freeze "
        "backbone, as it is. --exclude leaves the molecules of other tables out, by canonical SMILES: name those that "
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
