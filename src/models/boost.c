/* SPDX-License-Identifier: MIT
 *
 * Boosted trees (Friedman 2001; Chen & Guestrin 2016) on the features of the molecules: each round adds a tree that
 * lowers the loss of the prediction of the trees before it,
 *
 *     F_r(x) = F_{r−1}(x) + η tree_r(x)
 *
 * An epoch is `--rounds-per-epoch` rounds, so --epochs 40 are 400 trees; η is --lr. All trees count unless --early-stop
 * limits them to the epoch best on validation. nn/trees.h does the work.
 */
#include "nn/trees.h"

static const struct l2r_option options[] = {
    {.name = "rounds-per-epoch",
     .kind = L2R_OPTION_INT,
     .fallback = "10",
     .min = 1,
     .max = 10000,
     .help = "trees that an epoch adds for each task"},
    {.name = "depth", .kind = L2R_OPTION_INT, .fallback = "6", .min = 1, .max = 32, .help = "depth of a tree"},
    {.name = "row-share",
     .kind = L2R_OPTION_REAL,
     .fallback = "0.8",
     .min = 0.01,
     .max = 1,
     .help = "share of the training graphs that a tree is grown on"},
    {.name = "column-share",
     .kind = L2R_OPTION_REAL,
     .fallback = "0.3",
     .min = 0.001,
     .max = 1,
     .help = "share of the features that a tree may split by"},
    {.name = "leaf",
     .kind = L2R_OPTION_REAL,
     .fallback = "1",
     .min = 0,
     .max = 1e6,
     .help = "least weight of a leaf: for regression, of training graphs in it"},
    {0}};

static const struct l2r_default defaults[] = {
    {"features", "morgan,pairs,torsion,descriptors"}, {"epochs", "40"}, {"lr", "0.05"}, {0}};

const struct l2r_model_type l2r_model_boost = {
    .name = "boost",
    .title = "Boosted trees on molecule features",
    .paper = "Chen & Guestrin 2016",
    .equation = "F_r(x) = F_{r-1}(x) + eta * tree_r(x), x: features of the molecule",
    .options = options,
    .defaults = defaults,
    .unmaskable = "trees read features of the whole molecule and no edges",
    .reads_features = true,
    .space = "lr=0.01..0.3:log,depth=3..10,row-share=0.5..1,column-share=0.3..1",
    .size = sizeof(struct l2r_trees),
    .build = l2r_trees_build,
    .forward = l2r_trees_forward,
    .output = l2r_trees_output,
    .fit = l2r_trees_fit,
    .save = l2r_trees_save,
    .load = l2r_trees_load,
    .can_predict = l2r_trees_can_predict,
    .contributions = l2r_trees_contributions,
    .bytes = l2r_trees_bytes,
    .clear = l2r_trees_clear,
};
