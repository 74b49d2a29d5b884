/* SPDX-License-Identifier: MIT
 *
 * See model.h: the options that every backbone understands, and the registries by name.
 */
#include "nn/model.h"

#include "nn/readout.h"

#include <assert.h>
#include <string.h>

static const struct l2r_option before_readouts[] = {
    {.name = "hidden",
     .kind = L2R_OPTION_INT,
     .fallback = "300",
     .min = 1,
     .max = 65536,
     .group = "Model",
     .help = "width of the node representations"},
    {.name = "layers",
     .kind = L2R_OPTION_INT,
     .fallback = "5",
     .min = 1,
     .max = 1000,
     .help = "message passing layers"},
    {.name = "activation",
     .kind = L2R_OPTION_CHOICE,
     .choices = l2r_activation_choices,
     .help = "what follows the norm of each layer; relu unless given"},
    {.name = "dropout",
     .kind = L2R_OPTION_REAL,
     .fallback = "0.5",
     .min = 0,
     .max = 0.99,
     .help = "dropout probability after each layer"},
    {.name = "readout",
     .kind = L2R_OPTION_CHOICE,
     .fallback = "mean",
     .choices = l2r_readout_choices,
     .help = "how the nodes of a graph are pooled; diffpool: one block for each soft cluster of nodes"},
    {0}};

static const struct l2r_option after_readouts[] = {
    {.name = "norm",
     .kind = L2R_OPTION_CHOICE,
     .choices = "batch|layer|none",
     .help = "normalisation after each layer; batch unless given. Batch norm hides how large a sum is, so none suits "
             "`readout=sum`"},
    {.name = "batch-norm", .kind = L2R_OPTION_FLAG, .fallback = "true", .help = "without `norm`: batch norm, or none"},
    {.name = "residual", .kind = L2R_OPTION_FLAG, .fallback = "false", .help = "add each layer's input to its output"},
    {.name = "virtual-node",
     .kind = L2R_OPTION_FLAG,
     .fallback = "false",
     .help = "add a virtual node joined to all nodes of a graph"},
    {.name = "edge-features",
     .kind = L2R_OPTION_FLAG,
     .fallback = "true",
     .help = "use edge features where the data has them"},
    {.name = "share",
     .kind = L2R_OPTION_FLAG,
     .fallback = "true",
     .help = "gcn, gin, jknet, dmpnn: compute equal neighbourhoods of a batch once; changes speed and rounding only"},
    {.name = "head-layers",
     .kind = L2R_OPTION_INT,
     .fallback = "0",
     .min = 0,
     .max = 100,
     .help = "hidden layers between a graph's representation and the outputs; 0: the head is linear"},
    {.name = "head-hidden",
     .kind = L2R_OPTION_INT,
     .fallback = "0",
     .min = 0,
     .max = 65536,
     .help = "width of the head's hidden layers; 0: that of `hidden`"},
    {0}};

enum l2r_status l2r_model_declare(struct l2r_config *config, const struct l2r_model_type *type, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(l2r_config_declare(config, before_readouts, error));
    for (size_t i = 0; l2r_readouts[i]; i++)
        if (l2r_readouts[i]->options) L2R_TRY(l2r_config_declare(config, l2r_readouts[i]->options, error));
    L2R_TRY(l2r_config_declare(config, after_readouts, error));
    L2R_TRY(l2r_config_declare(config, type->options, error));
done:
    return status;
}

const struct l2r_model_type *l2r_model_find(const char *name)
{
    for (size_t i = 0; l2r_models[i]; i++)
        if (strcmp(l2r_models[i]->name, name) == 0) return l2r_models[i];
    return NULL;
}

const struct l2r_readout *l2r_readout_find(const char *name)
{
    size_t i = 0;
    while (l2r_readouts[i] && strcmp(l2r_readouts[i]->name, name) != 0) i++;
    assert(l2r_readouts[i]);
    return l2r_readouts[i];
}

const struct l2r_activation *l2r_activation_find(const char *name)
{
    size_t i = 0;
    while (name && l2r_activations[i] && strcmp(l2r_activations[i]->name, name) != 0) i++;
    assert(!name || l2r_activations[i]);
    return name ? l2r_activations[i] : L2R_RELU;
}
