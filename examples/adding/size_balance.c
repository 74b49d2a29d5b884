/* SPDX-License-Identifier: MIT
 *
 * A method to copy: small and large graphs count the same. Sizes are put into octaves (1, 2–3, 4–7, 8–15, … nodes);
 * with n_c training graphs in octave c, N in all and K octaves that occur,
 *
 *     w ∝ (N / (K n_c))^strength,     then scaled to mean 1 over the mini-batch
 *
 * Strength 0 is ERM bit for bit. As src/methods/size_balance.c it is `--method size_balance`. Each epoch logs the
 * effective sample size (Σw)² / (B Σw²), which is 1 when all graphs count the same. docs/adding-a-method.md walks
 * through it.
 */
#include "base/json.h"
#include "methods/method.h"

#include <math.h>
#include <stdio.h>

enum { OCTAVES = 32 };

struct size_balance {
    l2r_real weight_of[OCTAVES]; /* before scaling */
    l2r_real seen[2];            /* epoch under way: sum of the batches' effective sample sizes, number of batches */
};

static const struct l2r_option options[] = {{.name = "strength",
                                             .kind = L2R_OPTION_REAL,
                                             .fallback = "1",
                                             .min = 0,
                                             .max = 4,
                                             .group = "Size balance",
                                             .help = "1: every octave of sizes counts the same; 0: every graph does"},
                                            {0}};

static int octave_of(const struct l2r_dataset *data, int64_t graph)
{
    int octave = 0;
    for (int64_t n = l2r_dataset_nodes_of(data, graph); n > 1 && octave < OCTAVES - 1; n /= 2) octave++;
    return octave;
}

static enum l2r_status init(void *state, const struct l2r_config *config, const struct l2r_network *network,
                            const struct l2r_training_set *set, struct l2r_error *error)
{
    struct size_balance *s = state;
    int64_t count[OCTAVES] = {0}, occupied = 0;
    (void)network;
    (void)error; /* nothing here can fail */
    for (int64_t i = 0; i < set->n; i++) occupied += count[octave_of(set->data, set->graphs[i])]++ == 0;
    for (int c = 0; c < OCTAVES; c++)
        if (count[c] > 0)
            s->weight_of[c] =
                (l2r_real)pow((double)set->n / (double)(occupied * count[c]), l2r_config_real(config, "strength"));
    return L2R_OK;
}

static const l2r_real *sample_weights(void *state, const struct l2r_step *step, l2r_node z)
{
    struct size_balance *s = state;
    const struct l2r_batch *b = step->batch;
    double sum = 0, squares = 0, n = (double)b->n_graphs;
    (void)z;
    l2r_real *w = l2r_tape_alloc(step->tape, b->n_graphs, sizeof *w); /* lives as long as the batch */
    if (!w) return NULL;                                              /* the tape has failed, the train loop reports */
    for (int64_t i = 0; i < b->n_graphs; i++) sum += (double)(w[i] = s->weight_of[octave_of(step->data, b->graphs[i])]);
    for (int64_t i = 0; i < b->n_graphs; i++) {
        w[i] = (l2r_real)((double)w[i] * n / sum);
        squares += (double)w[i] * (double)w[i];
    }
    s->seen[0] += (l2r_real)(n / squares);
    s->seen[1] += 1;
    return w;
}

static enum l2r_status after_epoch(void *state, int64_t epoch, json_t *log, char note[256], struct l2r_error *error)
{
    struct size_balance *s = state;
    double ess = (double)(s->seen[0] / s->seen[1]);
    (void)error;
    s->seen[0] = s->seen[1] = 0;
    json_object_set_new(log, "ess", l2r_json_real(ess));
    if (epoch == 0 && ess > 0.999) snprintf(note, 256, "size_balance: the training graphs are all of one size");
    return L2R_OK;
}

/* A run that stops in the middle of an epoch must know what it had counted. */
static bool state_array(void *state, int i, struct l2r_state_array *array)
{
    *array = (struct l2r_state_array){"seen", L2R_STATE_REAL, ((struct size_balance *)state)->seen, 2};
    return i == 0;
}

const struct l2r_method l2r_method_size_balance = {
    .name = "size_balance",
    .title = "Size balance",
    .paper = "an example",
    .objective = "(1/B) sum over graphs n of w(size of n) loss_n",
    .options = options,
    .size = sizeof(struct size_balance),
    .init = init,
    .sample_weights = sample_weights,
    .after_epoch = after_epoch,
    .state_array = state_array,
};
