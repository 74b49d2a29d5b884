/* SPDX-License-Identifier: MIT
 *
 * See table_defaults.h; for `l2r train`, `l2r tune` and the C interface alike.
 * A table is small and its models are used on molecules unlike those in it: training stops when validation does not
 * improve, and rare classes get larger weights. The split is by scaffold (data/splits/split.h).
 *
 * Without `model`, a run trains a committee (recipe/recipe.h), which was chosen by validation scores
 * (docs/results/molecules.md): a network on the graph; a perceptron, boosted trees and a forest on descriptors and
 * fingerprints; two perceptrons on descriptors alone. Their errors differ, so their mean is better than each of them.
 * When validation has chosen their epochs, all of them are refitted on training and validation molecules
 * (recipe/refit.h): validation molecules have scaffolds that the training molecules lack.
 */
#include "recipe/table_defaults.h"

#include "data/dataset.h"
#include "data/descriptor_labels.h"
#include "fit/options.h"
#include "io/file.h"
#include "io/source.h"
#include "methods/method.h"
#include "nn/booster.h"

#include <stdio.h>
#include <string.h>

static const struct l2r_default table_defaults[] = {{"model", L2R_COMMITTEE_MODEL}, {"method", "erm"},
                                                    {"early-stop", "20"},           {"class-weights", "auto"},
                                                    {"transform", "auto"},          {NULL, NULL}};
static const struct l2r_default other_defaults[] = {{"model", "gin"}, {"method", "erm"}, {NULL, NULL}};

/* Pretraining on molecules without labels: `targets=descriptors` (fit/transfer.h). */
static const struct l2r_default pretraining_defaults[] = {
    {"mask-atoms", "0.15"}, {"split", "random"}, {"valid-fraction", "0.05"}, {"test-fraction", "0"}, {"epochs", "30"},
    {"early-stop", "5"},    {NULL, NULL}};

/* The first member is a D-MPNN with the options of the run, which the others share unless they have their own. */
#define ALL ":early-stop=0:features=morgan+pairs+torsion+erg+descriptors"
#define PERCEPTRON "mlp:hidden=300:layers=1:head-layers=0:dropout=0.3:epochs=30:batch-size=32:ema=0"
#define ON_DESCRIPTORS PERCEPTRON ":early-stop=0:features=descriptors"
#define PERCEPTRONS PERCEPTRON ALL "," ON_DESCRIPTORS "," ON_DESCRIPTORS
#define FOREST "forest:epochs=10" ALL ","

static const struct l2r_default committee_defaults[] = {
    {"members", L2R_COMMITTEE_MODEL "," FOREST "boost:epochs=40" ALL "," PERCEPTRONS},
    {"early-stop", "20"},
    {"layers", "3"},
    {"hidden", "300"},
    {"head-layers", "1"},
    {"dropout", "0"},
    {"epochs", "50"},
    {"steps", "4000"},
    {"batch-size", "64"},
    {"ema", "0.99"},
    {"refit", "true"},
    {NULL, NULL}};

const char *l2r_committee_default(const char *option)
{
    const struct l2r_default *d = committee_defaults;
    while (d->option && strcmp(d->option, option) != 0) d++;
    if (d == committee_defaults && !l2r_booster_version())
        return L2R_COMMITTEE_MODEL "," FOREST PERCEPTRONS; /* a build without XGBoost */
    return d->option ? d->value : NULL;
}

static enum l2r_status set_defaults(struct l2r_config *config, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_default *d = l2r_labels_are_descriptors(config) ? pretraining_defaults : table_defaults;
    for (; d->option; d++)
        if (strcmp(d->option, "model") != 0 && strcmp(d->option, "method") != 0 &&
            !l2r_config_was_set(config, d->option))
            L2R_TRY(l2r_config_advise(config, d->option, d->value, error));
done:
    return status;
}

/* Without `model`, the config was declared before the committee was chosen: the options that were set move to a config
 * for the first member. */
static enum l2r_status begin_committee(struct l2r_config *config, bool table, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *made = NULL;
    const struct l2r_option *option;
    if (strcmp(l2r_config_text(config, "model"), L2R_COMMITTEE_MODEL) == 0) return L2R_OK;
    L2R_TRY(l2r_config_new(&made, error));
    L2R_TRY(l2r_run_declare(made, L2R_COMMITTEE_MODEL, l2r_config_text(config, "method"), error));
    if (table) L2R_TRY(set_defaults(made, error));
    L2R_TRY(l2r_config_advise(made, "members", "auto", error));
    for (size_t i = 0; (option = l2r_config_option(config, i)); i++) {
        const char *value = l2r_config_text(config, option->name);
        if (!l2r_config_was_set(config, option->name) || !value || strcmp(option->name, "model") == 0) continue;
        if (!l2r_config_has(made, option->name))
            L2R_FAIL(L2R_ERR_ARGUMENT,
                     "`%s` is an option of model %s; a table of molecules trains a committee that begins "
                     "with " L2R_COMMITTEE_MODEL ": name the model, or set `members` to 1",
                     option->name, l2r_config_text(config, "model"));
        L2R_TRY(l2r_config_set(made, option->name, value, error));
    }
    l2r_config_swap(config, made);
done:
    l2r_config_free(made);
    return status;
}

enum l2r_status l2r_run_resolve(struct l2r_config *config, bool table, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *members = l2r_config_text(config, "members"), *usual = l2r_config_default(config, "members");
    if (!members || strcmp(members, "auto") != 0) return L2R_OK;
    bool unnamed = usual && strcmp(usual, "auto") == 0; /* no model was named */
    bool wanted = (table || l2r_config_was_set(config, "members")) && !l2r_config_text(config, "from") &&
                  !l2r_labels_are_descriptors(config) && strcmp(l2r_config_text(config, "method"), "erm") == 0;
    if (l2r_config_was_set(config, "members"))
        L2R_TRY(l2r_config_set(config, "members", wanted ? l2r_committee_default("members") : "1", error));
    if (!wanted) L2R_TRY(l2r_config_advise(config, "members", "1", error));
    if (wanted && unnamed) L2R_TRY(begin_committee(config, table, error));
    for (const struct l2r_default *d = committee_defaults; wanted && d->option; d++)
        L2R_TRY(l2r_config_advise(config, d->option, l2r_committee_default(d->option), error));
done:
    return status;
}

bool l2r_run_reads_table(const char *where)
{
    static const char *const tables[] = {"train_val.csv", "test.csv"};
    char path[4400];
    if (!where || l2r_source_is_table(where)) return where != NULL;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        snprintf(path, sizeof path, "%.4000s/%s", where, tables[i]);
        if (!l2r_path_is_file(path)) return false;
    }
    return true;
}

const char *l2r_run_default(const char *option, const char *where)
{
    const struct l2r_default *d = l2r_run_reads_table(where) ? table_defaults : other_defaults;
    while (d->option && strcmp(d->option, option) != 0) d++;
    return d->option ? d->value : NULL;
}

enum l2r_status l2r_run_suit(struct l2r_config *config, const char *where, struct l2r_error *error)
{
    return l2r_run_reads_table(where) ? set_defaults(config, error) : L2R_OK;
}

enum l2r_status l2r_run_suit_data(struct l2r_config *config, const struct l2r_dataset *data, struct l2r_error *error)
{
    bool table = data && data->smiles && data->source_line;
    return table ? set_defaults(config, error) : L2R_OK;
}
