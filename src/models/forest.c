/* SPDX-License-Identifier: MIT
 *
 * A random forest (Breiman 2001) on the features of the molecules: the mean of deep trees, each grown on a random part
 * of the training graphs, each split chosen among a random part of the features,
 *
 *     F(x) = 1/T Σ_t tree_t(x),   a leaf answers the mean of its labels
 *
 * Of 0 and 1 this is a probability. nn/trees.h does the work, in one epoch.
 */
#include "nn/trees.h"

static const struct l2r_option options[] = {
    {.name = "trees",
     .kind = L2R_OPTION_INT,
     .fallback = "200",
     .min = 1,
     .max = 100000,
     .help = "trees for each task"},
    {.name = "depth", .kind = L2R_OPTION_INT, .fallback = "16", .min = 1, .max = 32, .help = "depth of a tree"},
    {.name = "row-share",
     .kind = L2R_OPTION_REAL,
     .fallback = "0.63",
     .min = 0.01,
     .max = 1,
     .help = "share of the training graphs that a tree is grown on"},
    {.name = "column-share",
     .kind = L2R_OPTION_REAL,
     .fallback = "0.1",
     .min = 0.001,
     .max = 1,
     .help = "share of the features that a split is chosen among"},
    {.name = "leaf",
     .kind = L2R_OPTION_REAL,
     .fallback = "1",
     .min = 0,
     .max = 1e6,
     .help = "least number of training graphs in a leaf"},
    {0}};

static const struct l2r_default defaults[] = {{"features", "morgan,pairs,torsion,descriptors"}, {"epochs", "1"}, {0}};

static int64_t build(void *trees, const struct l2r_build *b)
{
    return l2r_trees_build(trees, b, true);
}

const struct l2r_model_type l2r_model_forest = {
    .name = "forest",
    .title = "Random forest on molecule features",
    .paper = "Breiman 2001",
    .equation = "F(x) = mean of tree_t(x), x: features of the molecule",
    .options = options,
    .defaults = defaults,
    .unmaskable = "trees read features of the whole molecule and no edges",
    .reads_features = true,
    .space = "depth=8..32,column-share=0.1..1,leaf=1|2|5",
    .size = sizeof(struct l2r_trees),
    .build = build,
    .forward = l2r_trees_forward,
    .output = l2r_trees_output,
    .fit = l2r_trees_fit,
    .save = l2r_trees_save,
    .load = l2r_trees_load,
    .clear = l2r_trees_clear,
};
