/* SPDX-License-Identifier: MIT
 *
 * What the weights are learned for: any function of one weight per row that has a gradient. decorrelation.h and hsic.h give one each,
 * weights.h minimises whichever it is handed.
 */
#ifndef L2R_REWEIGHT_OBJECTIVE_H
#define L2R_REWEIGHT_OBJECTIVE_H

#include <stdint.h>

struct l2r_objective {
    /* L(w); gradient [n_rows] = ∂L/∂w, if not NULL. w [n_rows]. */
    double (*value)(void *state, double *gradient, const double *w);
    void *state;
    int64_t n_rows;
};

#endif
