/* SPDX-License-Identifier: MIT
 *
 * A random forest (Breiman 2001) on the features of the molecules: the mean of deep trees, each grown on a random draw
 * of the training graphs, each split chosen among a random part of the features,
 *
 *     F(x) = 1/T Σ_t tree_t(x),   a leaf predicts the mean of its labels
 *
 * Of 0 and 1 this is a probability. The --trees are grown in --epochs portions, after each of which a run can be
 * resumed. nn/forest.h does the work.
 */
#include "nn/forest.h"

#include "nn/trees.h"

static const struct l2r_option options[] = {
    {.name = "trees",
     .kind = L2R_OPTION_INT,
     .fallback = "200",
     .min = 1,
     .max = 100000,
     .help = "trees for each task"},
    {.name = "depth", .kind = L2R_OPTION_INT, .fallback = "32", .min = 1, .max = 1000, .help = "depth of a tree"},
    {.name = "column-share",
     .kind = L2R_OPTION_REAL,
     .fallback = "0",
     .min = 0,
     .max = 1,
     .help = "share of the features that a split is chosen among; 0: a third for values, for classes the root of their "
             "number"},
    {.name = "leaf",
     .kind = L2R_OPTION_INT,
     .fallback = "1",
     .min = 1,
     .max = 1e6,
     .help = "least number of training graphs in a leaf"},
    {0}};

static const struct l2r_default defaults[] = {{"features", "morgan,pairs,torsion,descriptors"}, {"epochs", "10"}, {0}};

const struct l2r_model_type l2r_model_forest = {
    .name = "forest",
    .title = "Random forest on molecule features",
    .paper = "Breiman 2001",
    .equation = "F(x) = mean of tree_t(x), x: features of the molecule",
    .options = options,
    .defaults = defaults,
    .unmaskable = "trees read features of the whole molecule and no edges",
    .reads_features = true,
    .space = "column-share=0.01..1:log,leaf=1|2|5",
    .size = sizeof(struct l2r_forest),
    .build = l2r_forest_build,
    .forward = l2r_trees_forward,
    .output = l2r_forest_output,
    .fit = l2r_forest_fit,
    .save = l2r_forest_save,
    .load = l2r_forest_load,
    .can_predict = l2r_forest_can_predict,
    .votes = true,
    .contributions = l2r_forest_contributions,
    .bytes = l2r_forest_bytes,
    .clear = l2r_forest_clear,
};
