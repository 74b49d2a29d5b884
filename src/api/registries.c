/* SPDX-License-Identifier: MIT
 * The public view of the registries: names and a line of help. */
#include <l2r/options.h>

#include "chem/describe.h"
#include "data/reader.h"
#include "data/splits/rule.h"
#include "explain/explainer.h"
#include "methods/method.h"
#include "metrics/metrics.h"
#include "model/calibrate.h"
#include "nn/layers.h"
#include "nn/model.h"
#include "nn/optimiser.h"
#include "nn/readout.h"
#include "nn/schedule.h"

struct entry {
    const char *name, *help;
};

/* Entry i of a table that ends with NULL: its two texts, or none. */
#define ENTRY(table, text)                                                                                             \
    do {                                                                                                               \
        size_t n = 0;                                                                                                  \
        while ((table)[n]) n++;                                                                                        \
        if (i < n) return (struct entry){(table)[i]->name, (table)[i]->text};                                          \
    } while (0)

static const char *const feature_help[L2R_DESCRIPTIONS] = {
    "counts of circular environments up to radius 2 (ECFP4), folded to 1024 places",
    "counts of atom pairs with the number of bonds between them, folded to 1024 places",
    "counts of paths of four atoms, folded to 1024 places",
    "extended reduced graph: pharmacophore points and the distances between them",
    "physical and topological numbers: weight, logP, surfaces, charges, shape, functional groups"};

static struct entry entry_of(enum l2r_registry registry, size_t i)
{
    switch (registry) {
    case L2R_MODELS:
        ENTRY(l2r_models, title);
        break;
    case L2R_METHODS:
        ENTRY(l2r_methods, title);
        break;
    case L2R_METRICS:
        ENTRY(l2r_metrics, title);
        break;
    case L2R_READOUTS:
        ENTRY(l2r_readouts, equation);
        break;
    case L2R_ACTIVATIONS:
        ENTRY(l2r_activations, equation);
        break;
    case L2R_OPTIMISERS:
        ENTRY(l2r_optimisers, title);
        break;
    case L2R_SCHEDULES:
        ENTRY(l2r_schedules, title);
        break;
    case L2R_READERS:
        ENTRY(l2r_readers, description);
        break;
    case L2R_GENERATORS:
        ENTRY(l2r_generators, description);
        break;
    case L2R_SPLIT_RULES:
        ENTRY(l2r_split_rules, help);
        break;
    case L2R_CALIBRATORS:
        ENTRY(l2r_calibrators, title);
        break;
    case L2R_EXPLAINERS:
        ENTRY(l2r_explainers, help);
        break;
    case L2R_FEATURES:
        if (i >= L2R_DESCRIPTIONS) break;
        return (struct entry){l2r_description_name((enum l2r_description)i), feature_help[i]};
    }
    return (struct entry){NULL, NULL};
}

size_t l2r_registry_n_entries(enum l2r_registry registry)
{
    size_t n = 0;
    while (entry_of(registry, n).name) n++;
    return n;
}

const char *l2r_registry_name(enum l2r_registry registry, size_t i)
{
    return entry_of(registry, i).name;
}

const char *l2r_registry_help(enum l2r_registry registry, size_t i)
{
    return entry_of(registry, i).help;
}
