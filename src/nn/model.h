/* SPDX-License-Identifier: MIT
 *
 * A backbone: src/models/NAME.c defines one `const struct l2r_model_type l2r_model_NAME`, and everything else (`--model
 * NAME`, `l2r list models`, the contract tests) follows.
 *
 *     build     declares parameters (in `params`) for the given data, from the options in `config`
 *     forward   graphs in, one row Z_g per graph out
 *
 * The head that turns Z into outputs, and the losses, are the same for all and live in network.h.
 */
#ifndef L2R_NN_MODEL_H
#define L2R_NN_MODEL_H

#include "base/array.h"
#include "base/config.h"
#include "batch/levels.h"
#include "io/safetensors.h"
#include "nn/params.h"
#include "nn/signature.h"

struct l2r_build {
    struct l2r_params *params;
    const struct l2r_config *config;
    const struct l2r_signature *data;
    int64_t *node_width;         /* columns of the nodes' rows that are read out (tape->nodes); 0: it has no nodes */
    struct l2r_sharing *sharing; /* which layers may compute equal neighbourhoods once; none by default */
};

/* An epoch of a model that is not trained by gradients. */
struct l2r_fit_data {
    const struct l2r_dataset *data; /* with the features of its training graphs filled in */
    const int32_t *train;           /* [n_train] */
    int64_t n_train;
    int64_t epoch;                /* from 0 */
    int64_t n_epochs;             /* that the run will have */
    const l2r_real *class_weight; /* [tasks]: of the positives, or [classes]; NULL: 1 */
    bool (*stop)(void *context);  /* called between tasks; NULL: none */
    void *context;
};

/* The default search space of backbones (tune/space.h). */
#define L2R_COMMON_SPACE "lr=1e-4..1e-2:log,hidden=64|128|256,layers=2..5,dropout=0..0.5"

struct l2r_model_type {
    const char *name;                   /* as typed: "gin" */
    const char *title;                  /* "Graph isomorphism network" */
    const char *paper;                  /* "Xu et al. 2019" */
    const char *equation;               /* one line */
    const struct l2r_option *options;   /* its own, beside those of l2r_model_declare; ends with a zero row */
    const struct l2r_default *defaults; /* other options' defaults under this model; ends with a zero row; NULL: none */
    const char *unmaskable;             /* why a mask on edges has no meaning, for `l2r explain`; NULL: it has one */
    const char *space;                  /* what `l2r tune` searches unless told; NULL: L2R_COMMON_SPACE */
    bool reads_features;                /* the backbone, not the head, reads the features of the molecules */
    size_t size;                        /* bytes of its own struct, zeroed before build */
    /* Returns the width d of Z. */
    int64_t (*build)(void *model, const struct l2r_build *build);
    l2r_node (*forward)(const void *model, struct l2r_tape *t, const struct l2r_batch *b);

    /* For a model that is not trained by gradients (trees); NULL otherwise. */
    l2r_node (*output)(const void *model, struct l2r_tape *t, const struct l2r_batch *b); /* in place of the head */
    /* In place of an epoch of batches; loss: mean over the training graphs. */
    enum l2r_status (*fit)(void *model, double *loss, const struct l2r_fit_data *fit, struct l2r_error *error);
    /* Saves what it has learned beside its parameters, as tensors named "trees.…" (nn/tree.h) with their data in the
     * arena; and loads them, after the parameters, from a file that may be damaged. */
    enum l2r_status (*save)(struct l2r_array *tensors, struct l2r_arena *arena, const void *model,
                            struct l2r_error *error);
    enum l2r_status (*load)(void *model, const struct l2r_tensor *tensors, size_t n, struct l2r_error *error);
    /* Has it learned this output? Trees learn nothing for a task without exact labels. NULL: it learns all. */
    bool (*can_predict)(const void *model, int32_t output);
    /* The contribution of each feature to the outputs for one graph or, where the model `votes`, to the probabilities
     * behind these: share [outputs × (features + 1)], the constant last. */
    bool votes;
    enum l2r_status (*contributions)(float *share, const void *model, const struct l2r_dataset *data, int32_t graph,
                                     struct l2r_error *error);
    /* About how many bytes the trained model of these options takes; NULL: those of its parameters. */
    int64_t (*bytes)(const struct l2r_config *config, const struct l2r_dataset *data);
    void (*clear)(void *model);
};

extern const struct l2r_model_type *const l2r_models[]; /* NULL at the end */
const struct l2r_model_type *l2r_model_find(const char *name);

/* Declares the options that every backbone understands (--hidden, --layers, --dropout, --readout, …), those of the
 * readouts, and the model's own. */
enum l2r_status l2r_model_declare(struct l2r_config *config, const struct l2r_model_type *type,
                                  struct l2r_error *error);

#endif
