/* SPDX-License-Identifier: MIT
 * The options of the weight learner, shared by the methods that use it: its random features, its inner steps, and its
 * weights for batches. */
#include "reweight/learner.h"

#include "base/config.h"
#include "base/decimal.h"

#include <stdlib.h>
#include <string.h>

const struct l2r_option l2r_fourier_option_table[] = {
    {.name = "fourier-features",
     .kind = L2R_OPTION_INT,
     .fallback = "5",
     .min = 1,
     .max = 100,
     .group = "Dependence",
     .help = "random Fourier features per variable"},
    {.name = "pair-weights",
     .kind = L2R_OPTION_CHOICE,
     .choices = "none|head",
     .fallback = "none",
     .help = "head: a pair of variables counts by how much the prediction uses both"},
    {0}};

const struct l2r_option l2r_learner_option_table[] = {
    {.name = "inner-steps",
     .kind = L2R_OPTION_INT,
     .fallback = "20",
     .min = 0,
     .max = 100000,
     .group = "Inner steps",
     .help = "optimisation steps on the weights in each batch; 0: weights stay 1"},
    {.name = "covariance",
     .kind = L2R_OPTION_CHOICE,
     .choices = "weighted|scaled",
     .fallback = "weighted",
     .help = "weighted: of the features under the weights; scaled: of weight times feature, as the papers write it"},
    {.name = "inner-lr",
     .kind = L2R_OPTION_REAL,
     .fallback = "0.02",
     .min = 1e-9,
     .max = 1e3,
     .help = "learning rate of the weights' logits"},
    {0}};

const struct l2r_option l2r_weights_option_table[] = {
    {.name = "ess",
     .kind = L2R_OPTION_TEXT,
     .value = "SHARE",
     .choices = "auto",
     .min = 0,
     .max = 1,
     .fallback = "0.8",
     .needs = "weights-control!=ones|decorrelation=true",
     .group = "Weights",
     .help =
         "target effective sample size, above 0 and at most 1 (weights stay 1); auto: whatever the inner steps give"},
    {.name = "weights",
     .kind = L2R_OPTION_CHOICE,
     .choices = "fresh|persistent",
     .fallback = "persistent",
     .help = "persistent: continue from each graph's last weight; fresh: from equal weights"},
    {.name = "keep-classes",
     .kind = L2R_OPTION_FLAG,
     .fallback = "true",
     .help = "weights average 1 within each class too, where graphs have one class each"},
    {.name = "weights-control",
     .kind = L2R_OPTION_CHOICE,
     .choices = L2R_WEIGHTS_CONTROLS,
     .fallback = "none",
     .help = "for experiments: replace the learned weights by ones, permute them within the batch, or take those that "
             "make label and environment independent (or their square root)"},
    {.name = "reweight-after",
     .kind = L2R_OPTION_TEXT,
     .value = "EPOCHS",
     .fallback = "0",
     .help = "epochs of unweighted training first; with %, as in 20%, that share of `epochs`"},
    {.name = "queues",
     .kind = L2R_OPTION_INT,
     .fallback = "1",
     .min = 0,
     .max = 100,
     .needs = "scope=batch|decorrelation=true",
     .help = "momentum queues that remember earlier batches"},
    {.name = "queue-momentum",
     .kind = L2R_OPTION_REAL,
     .fallback = "0.9",
     .min = 0,
     .max = 0.9999,
     .needs = "queues!=0|scope=batch|decorrelation=true",
     .help = "momentum of the slowest queue; larger values forget more slowly"},
    {0}};

static const char *const control_names[] = {[L2R_CONTROL_NONE] = "none",
                                            [L2R_CONTROL_ONES] = "ones",
                                            [L2R_CONTROL_SHUFFLED] = "shuffled",
                                            [L2R_CONTROL_GROUPS] = "groups",
                                            [L2R_CONTROL_ROOT_GROUPS] = "root-groups"};

const char *l2r_weights_control_name(enum l2r_weights_control control)
{
    return control_names[control];
}

enum l2r_weights_control l2r_weights_control_of(const char *name)
{
    int control = L2R_CONTROL_ROOT_GROUPS;
    while (control > L2R_CONTROL_NONE && strcmp(name, control_names[control]) != 0) control--;
    return (enum l2r_weights_control)control;
}

enum l2r_status l2r_learner_options_read(struct l2r_learner_options *o, const struct l2r_config *config,
                                         struct l2r_error *error)
{
    double share = l2r_decimal_read(l2r_config_text(config, "ess"), NULL); /* auto, choose: 0 */
    *o = (struct l2r_learner_options){.dependence = {.scaled = l2r_config_is(config, "covariance", "scaled"),
                                                     .expected_steps = l2r_config_int(config, "inner-steps") + 2},
                                      .inner = {.steps = l2r_config_int(config, "inner-steps"),
                                                .lr = l2r_config_real(config, "inner-lr"),
                                                .ess = share},
                                      .n_clusters = 1,
                                      .window = 1,
                                      .keep_classes = l2r_config_flag(config, "keep-classes"),
                                      .control = l2r_weights_control_of(l2r_config_text(config, "weights-control"))};
    if (share >= 1) o->inner.steps = 0; /* all of the sample: plain training */
    if (l2r_config_has(config, "fourier-features")) {
        o->dependence.n_f = l2r_config_int(config, "fourier-features");
        o->head_pairs = l2r_config_is(config, "pair-weights", "head");
    }
    if (!l2r_config_has(config, "queues")) return L2R_OK;
    o->persistent = l2r_config_is(config, "weights", "persistent");
    o->n_queues = l2r_config_int(config, "queues");
    o->queue_momentum = l2r_config_real(config, "queue-momentum");
    return l2r_config_epochs(&o->warmup_epochs, config, "reweight-after", l2r_config_int(config, "epochs"), error);
}
