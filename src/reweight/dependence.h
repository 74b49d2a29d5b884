/* SPDX-License-Identifier: MIT
 *
 * The weighted dependence L(w) between the variables (columns) of a representation, and its gradients: the paper's
 * L_dec.
 *
 * Z [R × d] is standardised per column. Variable i has n_f random Fourier features u_ia(n) = √2 cos(ω_ia z_ni + φ_ia),
 * the columns of U_i [R × n_f], multiplied by an importance a_i if there is one (importance.h). Over the pairs i < j
 * that count (I_ij = 1):
 *
 *     L(w) = Σ_{i<j} I_ij ‖Σ_ij‖²
 *
 *     pairs     across    i and j in different clusters      (L2R-GNN)
 *               all       every pair                         (OOD-GNN)
 *               within    i and j in the same cluster
 *
 * Σ_ij [n_f × n_f] is one of two cross-covariances, which are equal at w = 1. With m_i = U_iᵀ w / R:
 *
 *     weighted  Σ_ij = (U_iᵀ D_w U_j − R m_i m_jᵀ) / (R−1)                   covariance of u under the weights
 *     scaled    Σ_ij = F_iᵀ F_j / (R−1),  F_i = H D_w U_i,  H = I − 11ᵀ/R    covariance of w∘u, as the papers write it
 *
 * Scaled features correlate through w itself wherever they have means: unequal weights raise L, and its minimum lies
 * near w = 1.
 *
 * There are two exact forms. FEATURE space forms Σ, (d·n_f)² numbers, in every evaluation. SAMPLE space rests on Σ
 * ‖Σ_ij‖² over a block of columns being a quadratic form: with k_b [R × R] the inner products over the columns of block
 * b, p_b = k_b w, and v = w (weighted) or v = w∘w (scaled),
 *
 *     ‖M_b‖² = vᵀ(k_b∘k_b)v − (2/R) Σ_n v_n p_b(n)² + (wᵀp_b)² / R²
 *     L      = ½ (Σ_B ‖M_B‖² − Σ_b ‖M_b‖²) / (R−1)²
 *
 * where b runs over the fine blocks and B over the coarse ones:
 *
 *     pairs     fine blocks b    coarse blocks B
 *     across    clusters         one, of all columns
 *     all       variables        one, of all columns
 *     within    variables        clusters
 *
 * A = Σ_B k_B∘k_B − Σ_b k_b∘k_b is built once; an evaluation is then one product A v and some sweeps over U.
 */
#ifndef L2R_REWEIGHT_DEPENDENCE_H
#define L2R_REWEIGHT_DEPENDENCE_H

#include "base/memory.h"
#include "base/rng.h"
#include "base/status.h"
#include "kernels/dependence.h"
#include "reweight/weights.h"

#include <l2r/reweight.h>
#include <stdbool.h>

enum { L2R_FEWEST_GRAPHS = 8 }; /* fewer rows are too few to estimate dependence */
enum l2r_dependence_form { L2R_FORM_AUTO, L2R_FORM_FEATURE, L2R_FORM_SAMPLE };

struct l2r_dependence_options {
    int64_t n_f;
    enum l2r_pairs pairs;
    bool scaled; /* the scaled covariance instead of the weighted one */
    enum l2r_dependence_form form;
    int64_t expected_steps;     /* evaluations to come, from which AUTO chooses the cheaper form */
    const l2r_real *importance; /* [d]: a_i, which multiplies the features of variable i; NULL: 1 (importance.h) */
};

struct l2r_dependence {
    struct l2r_dependence_options options;
    int64_t n_rows, stride, d, columns;
    int32_t *variable;       /* [d]: the variable at place i; clusters are contiguous */
    l2r_real *z;             /* [d × stride]: standardised, by place */
    l2r_real *inverse_sd;    /* [d] by place; 0: constant column, left out */
    l2r_real *factor;        /* [d] by place: a_i; 0: left out */
    l2r_real *omega, *phase; /* [columns] */
    l2r_real *u;             /* [columns × stride] */
    struct l2r_blocks blocks;
    l2r_real *a, *g; /* sample space: [stride × stride]; g NULL where sweeps over U are cheaper */
    bool sample_space;
    struct l2r_arena *arena; /* holds all of the above and the evaluations' scratch */
    void *scratch;
};

/* Flops of `steps` evaluations in either form, building A included. */
double l2r_dependence_flops(enum l2r_dependence_form form, int64_t rows, int64_t columns, int64_t steps);

/* z [n_rows × d]; cluster [d] holds numbers 0 .. n_clusters−1 (ignored for ALL). The random features are drawn from
 * `rng` in the order of the variables, so they do not depend on the clusters. Everything lies in the
 * arena. */
enum l2r_status l2r_dependence_init(struct l2r_dependence *dep, struct l2r_arena *arena, const l2r_real *z,
                                    const int32_t *cluster, int32_t n_clusters, int64_t n_rows, int64_t d,
                                    const struct l2r_dependence_options *options, struct l2r_rng *rng,
                                    struct l2r_error *error);

/* L(w); gradient [n_rows] = ∂L/∂w, if not NULL. w [n_rows]. */
double l2r_dependence_value(struct l2r_dependence *dep, double *gradient, const double *w);
/* The same as an objective; `dep` must outlive it. */
struct l2r_objective l2r_dependence_objective(struct l2r_dependence *dep);

/* ∂L/∂Z [n_rows × d] at w, by the feature space form. Scratch from the arena; false: out of
 * memory. */
bool l2r_dependence_gradient_z(struct l2r_dependence *dep, l2r_real *d_z, const double *w);

/* The forms behind l2r_dependence_init and l2r_dependence_value. *_init takes its memory from dep->arena and returns
 * false when there is none. */
bool l2r_feature_form_init(struct l2r_dependence *dep);
double l2r_feature_form_value(struct l2r_dependence *dep, double *gradient, const double *w);
bool l2r_sample_form_init(struct l2r_dependence *dep);
double l2r_sample_form_value(struct l2r_dependence *dep, double *gradient, const double *w);

/* v(w) of the sample space form. */
static inline double l2r_measure(const struct l2r_dependence *dep, double w)
{
    return dep->options.scaled ? w * w : w;
}

#endif
