/* SPDX-License-Identifier: MIT
 *
 * See starts.h. Classical scaling: with D [n × k] the squared lengths of paths, centred by row and by column,
 *
 *     xy = D · (the two leading eigenvectors of DᵀD [k × k])
 *
 * which is where the nodes would lie in the plane if paths were distances in it, as far as they can be. Nodes with the
 * same neighbours fall on one place: all are moved a little.
 */
#include "draw/starts.h"

#include "base/memory.h"
#include "base/rng.h"

#include <math.h>

enum { MOST_ANCHORS = 50, POWER_ROUNDS = 100 };

static const double jitter = 0.1; /* of an edge */

/* ---- Classical scaling ---- */

/* centred [n × k] */
static void centre(double *centred, const struct l2r_stress *stress, int k)
{
    double column[MOST_ANCHORS] = {0}, all = 0;
    for (int64_t v = 0; v < stress->n; v++)
        for (int a = 0; a < k; a++) {
            double d = stress->path[v * stress->n_anchors + a];
            centred[v * k + a] = d * d;
            column[a] += d * d / stress->n;
            all += d * d / stress->n / k;
        }
    for (int64_t v = 0; v < stress->n; v++) {
        double row = 0;
        for (int a = 0; a < k; a++) row += centred[v * k + a] / k;
        for (int a = 0; a < k; a++) centred[v * k + a] -= row + column[a] - all;
    }
}

static double dot(const double *a, const double *b, int k)
{
    double sum = 0;
    for (int i = 0; i < k; i++) sum += a[i] * b[i];
    return sum;
}

static void scale_to_one(double *vector, int k)
{
    double norm = sqrt(dot(vector, vector, k));
    for (int i = 0; i < k && norm > 0; i++) vector[i] /= norm;
}

/* The leading eigenvectors, by powers of `product`; the second stays orthogonal to the first. */
static void find_axes(double axis[2][MOST_ANCHORS], const double *product, int k)
{
    struct l2r_rng rng = l2r_rng_at(0, L2R_RANDOM_DATA, 0);
    double next[MOST_ANCHORS];
    for (int which = 0; which < 2; which++) {
        for (int i = 0; i < k; i++) axis[which][i] = l2r_rng_uniform(&rng) - 0.5;
        for (int round = 0; round < POWER_ROUNDS; round++) {
            for (int i = 0; i < k; i++) next[i] = dot(product + (size_t)i * (size_t)k, axis[which], k);
            double along = which == 1 ? dot(next, axis[0], k) : 0;
            for (int i = 0; i < k; i++) axis[which][i] = next[i] - along * axis[0][i];
            scale_to_one(axis[which], k);
        }
    }
}

static void project(double *xy, const double *centred, const struct l2r_stress *stress, int k)
{
    double product[MOST_ANCHORS * MOST_ANCHORS] = {0}, axis[2][MOST_ANCHORS];
    for (int64_t v = 0; v < stress->n; v++)
        for (int a = 0; a < k; a++)
            for (int b = 0; b < k; b++) product[a * k + b] += centred[v * k + a] * centred[v * k + b];
    find_axes(axis, product, k);
    for (int64_t v = 0; v < stress->n; v++)
        for (int which = 0; which < 2; which++) xy[2 * v + which] = dot(centred + v * k, axis[which], k);
}

static enum l2r_status place_scaled(double *xy, const struct l2r_stress *stress, struct l2r_error *error)
{
    struct l2r_rng rng = l2r_rng_at(0, L2R_RANDOM_DATA, 1);
    const int k = stress->n_anchors < MOST_ANCHORS ? stress->n_anchors : MOST_ANCHORS;
    double *centred = l2r_alloc((size_t)stress->n * (size_t)k, sizeof *centred);
    if (centred == NULL) return l2r_fail_memory(error, (size_t)stress->n * (size_t)k * sizeof *centred, "a layout");
    centre(centred, stress, k);
    project(xy, centred, stress, k);
    l2r_free(centred);
    l2r_stress_rescale(xy, stress);
    for (int64_t i = 0; i < 2 * (int64_t)stress->n; i++) xy[i] += jitter * (l2r_rng_uniform(&rng) - 0.5);
    return L2R_OK;
}

/* ---- A tree ---- */

struct branch {
    int32_t parent, depth, n_leaves;
    double from, to; /* its sector */
};

static int32_t find_middle(const struct l2r_stress *stress)
{
    int32_t middle = 0, least = INT32_MAX;
    for (int32_t v = 0; v < stress->n; v++) {
        int32_t longest = 0;
        for (int32_t a = 0; a < stress->n_anchors; a++) {
            int32_t d = stress->path[(int64_t)v * stress->n_anchors + a];
            longest = d > longest ? d : longest;
        }
        if (longest >= least) continue;
        least = longest;
        middle = v;
    }
    return middle;
}

/* order [n]: nodes, parents first. */
static void grow(struct branch *branch, int32_t *order, const struct l2r_stress *stress)
{
    int32_t tail = 0;
    for (int32_t v = 0; v < stress->n; v++) branch[v].parent = -1;
    order[tail++] = find_middle(stress);
    branch[order[0]].parent = order[0];
    for (int32_t head = 0; head < tail; head++) {
        int32_t v = order[head];
        for (int64_t i = stress->start[v]; i < stress->start[v + 1]; i++) {
            int32_t u = stress->neighbour[i];
            if (branch[u].parent >= 0) continue;
            branch[u] = (struct branch){.parent = v, .depth = branch[v].depth + 1};
            order[tail++] = u;
        }
    }
    for (int32_t i = tail - 1; i > 0; i--) {
        struct branch *own = &branch[order[i]];
        if (own->n_leaves == 0) own->n_leaves = 1;
        branch[own->parent].n_leaves += own->n_leaves;
    }
}

static enum l2r_status place_tree(double *xy, const struct l2r_stress *stress, struct l2r_error *error)
{
    const size_t n = (size_t)stress->n;
    struct branch *branch = l2r_alloc(n, sizeof *branch);
    int32_t *order = l2r_alloc(n, sizeof *order);
    if (branch && order) {
        grow(branch, order, stress);
        branch[order[0]].to = 2 * M_PI;
        for (int32_t i = 0; i < stress->n; i++) {
            struct branch *own = &branch[order[i]], *parent = &branch[own->parent];
            if (i > 0) { /* the parent's sector shrinks by what its children take */
                own->from = parent->from;
                own->to = own->from + (parent->to - parent->from) * own->n_leaves / parent->n_leaves;
                parent->from = own->to;
                parent->n_leaves -= own->n_leaves;
            }
            double angle = (own->from + own->to) / 2;
            xy[2 * order[i]] = own->depth * cos(angle);
            xy[2 * order[i] + 1] = own->depth * sin(angle);
        }
    }
    enum l2r_status status =
        branch && order ? L2R_OK : l2r_fail_memory(error, n * (sizeof *branch + sizeof *order), "a layout");
    l2r_free(branch);
    l2r_free(order);
    return status;
}

static void place_randomly(double *xy, int number, const struct l2r_stress *stress)
{
    struct l2r_rng rng = l2r_rng_at(0, L2R_RANDOM_DATA, (uint64_t)number);
    double side = sqrt((double)stress->n);
    for (int64_t i = 0; i < 2 * (int64_t)stress->n; i++) xy[i] = side * l2r_rng_uniform(&rng);
}

enum l2r_status l2r_start_place(double *xy, int number, const struct l2r_stress *stress, struct l2r_error *error)
{
    if (number == 0) return place_scaled(xy, stress, error);
    if (number == L2R_START_TREE) return place_tree(xy, stress, error);
    place_randomly(xy, number, stress);
    return L2R_OK;
}
