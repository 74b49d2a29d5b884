/* SPDX-License-Identifier: MIT
 * The options of the weight learner, shared by the methods that use it. */
#include "reweight/learner.h"

#include "base/config.h"
#include "base/decimal.h"

#include <stdlib.h>
#include <string.h>

/* Where a method can weigh the head alone (l2r), what concerns the network's own weights asks for these. */
static const struct l2r_implied for_network[] = {{NULL, "weigh", "network"}, {0}};

const struct l2r_option l2r_fourier_option_table[] = {
    {.name = "fourier-features",
     .kind = L2R_OPTION_INT,
     .fallback = "5",
     .min = 1,
     .max = 100,
     .group = "Dependence",
     .help = "random Fourier features per variable"},
    {.name = "rff",
     .kind = L2R_OPTION_CHOICE,
     .choices = "shared|separate",
     .fallback = "shared",
     .help = "separate: the two variables of a pair get features from two independent sets"},
    {.name = "dependence-form",
     .kind = L2R_OPTION_CHOICE,
     .choices = "auto|feature|sample",
     .fallback = "auto",
     .help = "how it is computed; both give the same numbers, auto picks the cheaper"},
    {.name = "pair-weights",
     .kind = L2R_OPTION_CHOICE,
     .choices = "none|head",
     .fallback = "none",
     .help = "head: a pair of variables counts by how much the prediction uses both"},
    {.name = "pair-power",
     .kind = L2R_OPTION_REAL,
     .fallback = "1",
     .min = 0,
     .max = 8,
     .help = "power of that use; 0: all pairs count the same"},
    {0}};

const struct l2r_option l2r_learner_option_table[] = {
    {.name = "inner-steps",
     .kind = L2R_OPTION_INT,
     .fallback = "20",
     .min = 0,
     .max = 100000,
     .group = "Weights",
     .help = "optimisation steps on the weights in each batch; 0: weights stay 1"},
    {.name = "statistic",
     .kind = L2R_OPTION_CHOICE,
     .choices = "biased|unbiased",
     .fallback = "biased",
     .help = "unbiased leaves out each graph's product with itself; needs `weight-penalty`"},
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
    {.name = "inner-optimiser",
     .kind = L2R_OPTION_CHOICE,
     .choices = "adam|sgd",
     .fallback = "adam",
     .help = "optimiser of the weights"},
    {.name = "weight-penalty",
     .kind = L2R_OPTION_REAL,
     .fallback = "0",
     .min = 0,
     .max = 1e6,
     .help = "coefficient of mean((w - 1)^2)"},
    {.name = "ess",
     .kind = L2R_OPTION_TEXT,
     .value = "SHARE",
     .choices = "auto|choose",
     .min = 0,
     .max = 1,
     .fallback = "0.8",
     .help =
         "target effective sample size, above 0 and at most 1 (weights stay 1); auto: whatever the inner steps give; "
         "choose: by the validation score of a head, or of a run, for each of several"},
    {.name = "weights",
     .kind = L2R_OPTION_CHOICE,
     .choices = "fresh|persistent",
     .fallback = "persistent",
     .implies = for_network,
     .help = "persistent: continue from each graph's last weight; fresh: from equal weights"},
    {.name = "keep-classes",
     .kind = L2R_OPTION_FLAG,
     .fallback = "true",
     .help = "weights average 1 within each class too, where graphs have one class each"},
    {.name = "weights-control",
     .kind = L2R_OPTION_CHOICE,
     .choices = "none|ones|shuffled|groups|root-groups",
     .fallback = "none",
     .help = "for experiments: replace the learned weights by ones, permute them within the batch, or take those that "
             "make label and environment independent (or their square root)"},
    {.name = "reweight-after",
     .kind = L2R_OPTION_TEXT,
     .value = "EPOCHS",
     .fallback = "0",
     .implies = for_network,
     .help = "epochs of unweighted training first; with %, as in 20%, that share of `epochs`"},
    {.name = "queues",
     .kind = L2R_OPTION_INT,
     .fallback = "1",
     .min = 0,
     .max = 100,
     .implies = for_network,
     .help = "momentum queues that remember earlier batches"},
    {.name = "queue-momentum",
     .kind = L2R_OPTION_REAL,
     .fallback = "0.9",
     .min = 0,
     .max = 0.9999,
     .implies = for_network,
     .help = "momentum of the slowest queue; larger values forget more slowly"},
    {0}};

static enum l2r_dependence_form form_of(const struct l2r_config *config)
{
    if (l2r_config_is(config, "dependence-form", "feature")) return L2R_FORM_FEATURE;
    return l2r_config_is(config, "dependence-form", "sample") ? L2R_FORM_SAMPLE : L2R_FORM_AUTO;
}

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

/* Features of the Fourier form; methods with another objective do not declare these options. */
static void read_fourier(struct l2r_learner_options *options, const struct l2r_config *config)
{
    struct l2r_dependence_options *o = &options->dependence;
    if (!l2r_config_has(config, "fourier-features")) return;
    o->n_f = l2r_config_int(config, "fourier-features");
    o->separate = l2r_config_is(config, "rff", "separate");
    o->form = form_of(config);
    options->head_pairs = l2r_config_is(config, "pair-weights", "head");
    options->pair_power = l2r_config_real(config, "pair-power");
}

enum l2r_status l2r_learner_options_read(struct l2r_learner_options *o, const struct l2r_config *config,
                                         struct l2r_error *error)
{
    const char *ess = l2r_config_text(config, "ess");
    double share = l2r_decimal_read(ess, NULL); /* auto, choose: 0 */
    bool head = l2r_config_has(config, "weigh") && l2r_config_is(config, "weigh", "head");
    if (strcmp(ess, "choose") == 0 && !head)
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "`ess=choose` compares fits of the head; for weights of the whole network (`weigh=network`) "
                        "give a number");
    *o = (struct l2r_learner_options){.dependence = {.unbiased = l2r_config_is(config, "statistic", "unbiased"),
                                                     .scaled = l2r_config_is(config, "covariance", "scaled"),
                                                     .expected_steps = l2r_config_int(config, "inner-steps") + 2},
                                      .inner = {.steps = l2r_config_int(config, "inner-steps"),
                                                .lr = l2r_config_real(config, "inner-lr"),
                                                .sgd = l2r_config_is(config, "inner-optimiser", "sgd"),
                                                .momentum = 0.9,
                                                .penalty = l2r_config_real(config, "weight-penalty"),
                                                .ess = share},
                                      .n_clusters = 1,
                                      .window = 1,
                                      .n_queues = l2r_config_int(config, "queues"),
                                      .queue_momentum = l2r_config_real(config, "queue-momentum"),
                                      .persistent = l2r_config_is(config, "weights", "persistent"),
                                      .keep_classes = l2r_config_flag(config, "keep-classes"),
                                      .control = l2r_weights_control_of(l2r_config_text(config, "weights-control"))};
    read_fourier(o, config);
    if (share >= 1) o->inner.steps = 0; /* all of the sample: plain training */
    if (o->dependence.unbiased && o->inner.penalty == 0)
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "`statistic=unbiased` has no minimum without `weight-penalty` above 0");
    return l2r_config_epochs(&o->warmup_epochs, config, "reweight-after", l2r_config_int(config, "epochs"), error);
}
