/* SPDX-License-Identifier: MIT
 * l2r train (cli/training.h). */
#include "cli/training.h"

static enum l2r_status declare(struct cli_call *call, int argc, char **argv, struct l2r_error *error)
{
    return cli_training_declare(call, argc, argv, false, error);
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    return cli_training_run(call, false, error);
}

const struct l2r_command l2r_command_train = {
    .name = "train",
    .summary = "train a model on a set of graphs",
    .usage = "--data WHERE [--model NAME] [--method NAME] [OPTIONS]",
    .about =
        "Trains on the training graphs, keeps the epoch that is best on the validation graphs and scores the test "
        "graphs. The folder of the run holds its config, split, metrics and checkpoints. Ctrl-C saves and stops; "
        "--resume continues with exactly the numbers of an uninterrupted run. A table of molecules (a .csv with a "
        "column of SMILES) needs nothing else: it is split by scaffold, regression targets are standardised, rare "
        "classes are balanced (--class-weights auto), and training stops after 20 epochs without improvement "
        "(--early-stop). "
        "--folds K is a cross-validation (by scaffold where molecules have one), --replicates K draws K splits: one "
        "table of all runs, their models are one ensemble for l2r predict, and out-of-fold.csv has the prediction of "
        "each "
        "test graph by the models that have not seen it. Defaults below are those of the data that is named before "
        "--help: l2r train --data my.csv --help.",
    .brief =
        "data,out,target-columns,smiles-column,censored,split,split-column,folds,replicates,seeds,seed,model,members,"
        "method,epochs,early-stop,batch-size,lr,hidden,layers,features,transform,class-weights,calibrate,refit,from,"
        "config,resume,threads,quiet,json",
    .examples = "l2r train --data my.csv --out runs/my\n"
                "l2r train --data motif:mu=0.8\n"
                "l2r train --data PROTEINS.zip --model gcn --epochs 50 --out runs/proteins\n"
                "l2r train --data ogb/bace --seeds 0-9\n"
                "l2r train --data my.csv --folds 5 --out runs/my-folds\n"
                "l2r train --config runs/proteins --seed 1 --out runs/proteins-1\n"
                "l2r train --resume --out runs/proteins",
    .section = CLI_SECTION_MODELS,
    .divides = true,
    .options = {cli_training_options},
    .declare = declare,
    .run = run,
};
