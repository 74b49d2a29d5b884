/* SPDX-License-Identifier: MIT
 *
 * The linear head by itself: a convex problem, solved to convergence. Over the rows n of x [n × d], whose columns are
 * standardised, with weights w of mean 1,
 *
 *     minimise over B [d × k], b [k]    F = (1/N) Σ_n w_n ℓ_n(x_n B + b) + (λ/2) ‖B‖²
 *
 *     ℓ    cross entropy; the mean over labelled tasks of binary cross entropies, or of squared errors (0 beyond a
 *          bound): the losses of training (autograd/op_loss.c), weights of classes and graphs included
 *
 * by Newton's method, each step solved by conjugate gradients and halved until F falls. λ > 0 makes the solution unique
 * up to a constant that cancels in the softmax. All sums are in double and over chunks of rows that depend on N alone:
 * the same bits for any number of threads.
 */
#ifndef L2R_FIT_LINEAR_FIT_H
#define L2R_FIT_LINEAR_FIT_H

#include "base/memory.h"
#include "nn/network.h"

/* What is fitted, in memory of its own. */
struct l2r_linear_fit {
    enum l2r_task task;
    int64_t n, d;
    int32_t outputs, n_tasks;
    double *x;            /* [n × d]: standardised; columns that are constant are 0 */
    double *mean, *scale; /* [d]: x = (raw − mean) · scale; 0: constant */
    float *labels;        /* [n × n_tasks]; targets of a regression are standardised */
    int8_t *bound;        /* [n × n_tasks] or NULL */
    double *own;          /* [n]: weights of the data */
    const l2r_real *class_weight;
    struct l2r_arena arena; /* holds all of the above and the scratch of the solver */
    double *scratch;
};

struct l2r_linear_report {
    double value, slope; /* F, and the largest number of its gradient */
    int steps, products; /* Newton steps, Hessian products */
};

/* raw [n × d] of the graphs [n], with labels and weights of the network's task. */
enum l2r_status l2r_linear_fit_init(struct l2r_linear_fit *fit, const struct l2r_network *network,
                                    const struct l2r_dataset *data, const int32_t *graphs, const float *raw, int64_t n,
                                    int64_t d, struct l2r_error *error);
void l2r_linear_fit_clear(struct l2r_linear_fit *fit);

/* head [(d + 1) × outputs], b in the last row: the start, and afterwards the solution, both on standardised x. w [n];
 * NULL: 1. The gradient ends below 1e-9 times its size at head = 0, or where rounding stops it. */
void l2r_linear_fit_solve(double *head, struct l2r_linear_report *report, struct l2r_linear_fit *fit, const double *w,
                          double penalty);
/* F and, if not NULL, its gradient [(d + 1) × outputs]. */
double l2r_linear_fit_value(double *gradient, struct l2r_linear_fit *fit, const double *head, const double *w,
                            double penalty);

/* The same head for raw rows, as the network keeps it: weight [outputs × d], bias [outputs]. */
void l2r_linear_fit_unscale(l2r_real *weight, l2r_real *bias, const struct l2r_linear_fit *fit, const double *head);

#endif
