/* SPDX-License-Identifier: MIT
 *
 * Averages of the parameters over the steps of training. The optimiser moves θ; what is scored, selected and saved as
 * the model is a mean θ̄ of the values that θ took, which varies less and is often better. Running statistics of the
 * batch norms are averaged the same way.
 *
 *     --ema D    θ̄ ← D_t θ̄ + (1 − D_t) θ  after every step t,   D_t = min(D, (1 + t) / (10 + t))
 *     --swa      θ̄ = mean of θ over the steps of a valley of the validation loss (SWAD, Cha et al. 2021): it begins
 *                at the first epoch that neither of the next two undercuts, and ends after six epochs in a row above
 *                1.3 times the mean loss of its first three; single epochs above that are left out
 *
 * Every element is computed on its own: the same bits for any number of threads and ranks.
 */
#ifndef L2R_FIT_AVERAGING_H
#define L2R_FIT_AVERAGING_H

#include "fit/options.h"
#include "methods/method.h"
#include "nn/params.h"

enum l2r_average { L2R_AVERAGE_NONE, L2R_AVERAGE_EMA, L2R_AVERAGE_VALLEY };

/* The valley of the validation loss, in doubles, as a checkpoint holds it. */
struct l2r_valley {
    double steps;       /* in the mean */
    double epoch_steps; /* in the mean of the epoch under way */
    double epochs;      /* of the valley so far, those left out included */
    double lowest;      /* loss of its first epoch; 0 before */
    double sum;         /* of its first losses */
    double above;       /* epochs in a row over the limit; at MOST_ABOVE it has ended */
};

struct l2r_averaging {
    enum l2r_average kind;
    double decay;              /* D */
    int64_t n_value, n_buffer; /* trainable numbers, then running statistics, in every array below */
    l2r_real *mean;            /* [n_value + n_buffer]: θ̄ */
    l2r_real *epoch;           /* [n_value + n_buffer]: mean over the steps of the epoch under way; valley only */
    struct l2r_valley *valley; /* NULL: not asked for */
};

/* Begins at the parameters as they stand. */
enum l2r_status l2r_averaging_start(struct l2r_averaging *a, const struct l2r_fit_options *options,
                                    const struct l2r_params *params, struct l2r_error *error);
void l2r_averaging_clear(struct l2r_averaging *a);

/* After the optimiser's step number `step`, counted from 0. */
void l2r_averaging_step(struct l2r_averaging *a, const struct l2r_params *params, int64_t step);
/* After an epoch whose last parameters had this validation loss; only the valley looks at it. */
void l2r_averaging_epoch(struct l2r_averaging *a, double loss);
/* Swaps the parameters with their averages; a second call swaps them back. Does nothing if none are kept. */
void l2r_averaging_swap(struct l2r_averaging *a, struct l2r_params *params);

/* The arrays that a checkpoint saves; false: there are no more. */
bool l2r_averaging_array(const struct l2r_averaging *a, int i, struct l2r_state_array *array);
/* After reading them: are they a valid state? */
bool l2r_averaging_loaded(const struct l2r_averaging *a);

#endif
