/* SPDX-License-Identifier: MIT
 *
 * A training method: hooks around the one train step. src/methods/NAME.c defines `const struct l2r_method
 * l2r_method_NAME`; a hook that is NULL does nothing.
 *
 *     phase, begin_phase                     several phases of training, e.g. of two networks (fit/phases.h)
 *     epoch_order                            may set training graphs aside
 *     for each batch:
 *         before_batch                       may run the network on the batch with its own tape, e.g. to learn weights
 *         Z = backbone, outputs, losses ℓ_n
 *         ℓ_n = graph_losses(Z)              in place of those
 *         w = sample_weights(Z)              NULL: all ones
 *         loss = (1/B) Σ w_n ℓ_n + the model's own loss + extra_loss(Z)
 *         backward, clip, optimiser step
 *     after_epoch                            adds keys to the epoch's log
 *     head_weights                           weights for the head fit, when training has ended
 */
#ifndef L2R_METHODS_METHOD_H
#define L2R_METHODS_METHOD_H

#include "base/array.h"
#include "data/environments.h"
#include "nn/network.h"

#include <string.h>

/* The data that a method may use: the training graphs, with labels and environments. It must not use the other graphs
 * in any way. The environment of graph g of the data set is l2r_environment_of(set->environments, g), its group
 * l2r_group_of(set->environments, set->data, g); numbers run over all environments of the data, and some may have no
 * training graph. */
struct l2r_training_set {
    const struct l2r_dataset *data;
    const int32_t *graphs; /* [n], ascending */
    int64_t n;
    const struct l2r_environments *environments; /* n = 0: there are none (l2r_environments_need) */
};

/* The current batch. */
struct l2r_step {
    struct l2r_network *network;
    struct l2r_tape *tape; /* holds this batch's values */
    const struct l2r_batch *batch;
    const struct l2r_dataset *data;
    uint64_t seed;
    int64_t epoch; /* from 0 */
    int64_t step;  /* from 0, over the whole run */
    double learning_rate;
    const struct l2r_training_set *set; /* as in init */
    l2r_node output, losses;            /* [B × k], [B × 1]: of the task, not in before_batch */
};

/* Of graph i of the batch: its environment, and its group (class × environment; -1: no label). */
static inline int32_t l2r_step_environment(const struct l2r_step *step, int64_t i)
{
    return l2r_environment_of(step->set->environments, step->batch->graphs[i]);
}
static inline int32_t l2r_step_group(const struct l2r_step *step, int64_t i)
{
    return l2r_group_of(step->set->environments, step->data, step->batch->graphs[i]);
}

/* A part of the run's epochs. The first phase begins with initial parameters, the next with the best parameters of the
 * one before, by validation. */
struct l2r_phase {
    int64_t epochs;
    bool head_only; /* the backbone stays as it is and runs as in prediction; only the head learns */
    bool fresh;     /* initial parameters again */
};

/* Weights of the training graphs for the head fit when training has ended: candidates, among which validation graphs
 * choose (fit/head_choice.h). */
enum { L2R_MOST_HEAD_WEIGHTS = 6 };
struct l2r_head_weights {
    int n;       /* 0: the head stays as it is */
    bool always; /* the best is taken, whatever the evidence */
    struct {
        double *w; /* [set->n], of mean 1 */
        double ess;
        double left, shuffled; /* share of the dependence that they leave, and that they leave in random order; NaN:
                                  the weights are not learned from dependence */
    } item[L2R_MOST_HEAD_WEIGHTS];
    const char *kind;  /* the control of the experiment, by name; "none": learned weights; else the method */
    const char *whose; /* the same as text */
};

enum { L2R_MOST_SHARED = 3 };

struct l2r_method {
    const char *name;  /* as typed: "erm" */
    const char *title; /* "Empirical risk minimisation" */
    const char *paper;
    const char *objective;                            /* one line */
    const struct l2r_option *options;                 /* its own; ends with a zero row */
    const struct l2r_option *shared[L2R_MOST_SHARED]; /* options of parts that several methods use; NULL at the end */
    const struct l2r_default *defaults; /* of other options under this method; ends with a zero row; NULL: none */
    const char *off;                    /* a setting that makes it ERM, bit for bit: "irm-weight=0"; NULL: it is ERM */
    const char *space; /* what `l2r tune` searches unless told (tune/space.h): "irm-weight=0.1..1e5:log" */
    bool environments; /* it needs those of the training graphs: refused if there are fewer than two */
    bool gated;        /* its network has gates on its edges (nn/gates.h): refused where these cannot be weighted */
    size_t size;       /* bytes of its state, zeroed before init */
    /* One line about its settings, for the summary at the start of a run. NULL: none. */
    void (*introduce)(const struct l2r_config *config, char *line, size_t size);
    enum l2r_status (*init)(void *state, const struct l2r_config *config, const struct l2r_network *network,
                            const struct l2r_training_set *set, struct l2r_error *error);
    void (*clear)(void *state);
    /* Phase k = 0, 1, …; false: there is none. NULL: one phase, all epochs. */
    bool (*phase)(const void *state, int k, struct l2r_phase *phase);
    /* When phase k > 0 begins, but not when a run resumes within it: output [set->n × outputs] of the training graphs,
     * by the network at the end of the phase before. */
    enum l2r_status (*begin_phase)(void *state, int k, const struct l2r_training_set *set,
                                   const struct l2r_network *network, const float *output, struct l2r_error *error);
    /* At the start of an epoch, and again when a run resumes within it. order [n]: the training graphs in their random
     * order, which the method may change. Returns how many of the first ones train in this epoch, the same number in
     * every epoch of a phase and at least 1; the rest serve the method alone. The array stays as it is until the next
     * call. NULL: all train. */
    int64_t (*epoch_order)(void *state, int32_t *order, int64_t n, int64_t epoch);
    enum l2r_status (*before_batch)(void *state, const struct l2r_step *step, struct l2r_error *error);
    /* Losses of the graphs, [B × 1], in place of step->losses. */
    l2r_node (*graph_losses)(void *state, const struct l2r_step *step, l2r_node z);
    /* w [batch->n_graphs] of mean 1, valid until the next batch. */
    const l2r_real *(*sample_weights)(void *state, const struct l2r_step *step, l2r_node z);
    /* [1 × 1], or L2R_NO_NODE. */
    l2r_node (*extra_loss)(void *state, const struct l2r_step *step, l2r_node z);
    /* Adds keys to the epoch's line in metrics.jsonl; a sentence in `note` (may stay empty) is shown to the user. */
    enum l2r_status (*after_epoch)(void *state, int64_t epoch, json_t *log, char note[256], struct l2r_error *error);
    /* When all epochs are done and the best model is in place: weights for its head fit, from z [set->n × width] and
     * output [set->n × outputs] of the training graphs. instead: the name of another control than that of the options;
     * NULL: that of the options. Memory from the arena. NULL: the head stays. */
    enum l2r_status (*head_weights)(void *state, struct l2r_head_weights *weights, struct l2r_arena *arena,
                                    const char *instead, const struct l2r_network *network,
                                    const struct l2r_training_set *set, const float *z, const float *output,
                                    struct l2r_error *error);
    /* After the choice: the weights [set->n] of the head that was taken, which the method keeps in its state as
     * "weights". Not called if the trained head stays. */
    void (*keep_head_weights)(void *state, const struct l2r_training_set *set, const double *w);
    /* At the end of a run: the method's results as keys of an object and as one sentence (may stay empty), both saved
     * in result.json. */
    void (*conclude)(const void *state, json_t *about, char *sentence, size_t size);
    /* Array i of the state that a resumed run needs; false when there is none. */
    bool (*state_array)(void *state, int i, struct l2r_state_array *array);
    /* After reading them from a file: are they a valid state? */
    bool (*loaded)(const void *state);
};

extern const struct l2r_method *const l2r_methods[]; /* NULL at the end */
const struct l2r_method *l2r_method_find(const char *name);

/* Can the method train a network of this backbone? Otherwise the error says why not. */
static inline bool l2r_method_suits(const struct l2r_method *method, const struct l2r_model_type *type)
{
    return (!method->gated || !type->unmaskable) && (!type->fit || strcmp(method->name, "erm") == 0);
}

static inline bool l2r_method_shares(const struct l2r_method *method, const struct l2r_option *table)
{
    for (int i = 0; i < L2R_MOST_SHARED && method->shared[i]; i++)
        if (method->shared[i] == table) return true;
    return false;
}

#endif
