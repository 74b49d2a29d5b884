/* SPDX-License-Identifier: MIT
 *
 * See stress.h. Shortest paths are found from each anchor in turn.
 */
#include "draw/stress.h"

#include "base/memory.h"

#include <math.h>

enum { FEW_ANCHORS = 150 };

/* Moves go this much further than the mean, which saves more than half of the rounds. */
static const double stride = 1.5;
static const double unit = 1.0 / L2R_STRESS_EDGE;
static const double nowhere = 1e-9; /* below this distance there is no direction */

/* ---- Paths ---- */

static void list_neighbours(struct l2r_stress *stress, const int32_t *edges, int64_t n_edges)
{
    int64_t *start = stress->start;
    for (int64_t i = 0; i < 2 * n_edges; i++) start[edges[i] + 1]++;
    for (int32_t v = 0; v < stress->n; v++) start[v + 1] += start[v];
    for (int64_t i = 0; i < 2 * n_edges; i++) stress->neighbour[start[edges[i]]++] = edges[i ^ 1];
    for (int32_t v = stress->n; v > 0; v--) start[v] = start[v - 1];
    start[0] = 0;
}

/* The lengths of all paths from an anchor. A node enters the queue, a circle, once more when a shorter path to it is
 * found; while all edges are alike this is a breadth-first search. queue [n]; queued [n], zero before and after. */
static void measure_paths(struct l2r_stress *stress, int32_t number, int32_t *queue, int32_t *queued)
{
    int32_t head = 0, waiting = 1, *path = stress->path + number;
    const int64_t k = stress->n_anchors;
    for (int64_t v = 0; v < stress->n; v++) path[v * k] = INT32_MAX;
    queue[0] = stress->anchor[number];
    path[queue[0] * k] = 0;
    while (waiting > 0) {
        int32_t v = queue[head];
        head = (head + 1) % stress->n;
        waiting--;
        queued[v] = 0;
        for (int64_t i = stress->start[v]; i < stress->start[v + 1]; i++) {
            int32_t u = stress->neighbour[i], length = path[v * k] + stress->length[i];
            if (length >= path[u * k]) continue;
            path[u * k] = length;
            if (!queued[u]) queue[(head + waiting++) % stress->n] = u;
            queued[u] = 1;
        }
    }
}

/* nearest [n]: distance to the anchors so far, −1 for these; owner [n]: the nearest of them. The next anchor, or −1. */
static int32_t add_anchor(struct l2r_stress *stress, int32_t number, int32_t *nearest, int32_t *owner)
{
    int32_t farthest = 0;
    for (int32_t v = 0; v < stress->n; v++) {
        int32_t d = stress->path[(int64_t)v * stress->n_anchors + number];
        if (number == 0 || d < nearest[v]) {
            nearest[v] = d;
            owner[v] = number;
        }
        if (nearest[v] > nearest[farthest]) farthest = v;
    }
    return farthest;
}

/* Returns the longest. */
static int32_t find_paths(struct l2r_stress *stress, int32_t *scratch)
{
    int32_t *queue = scratch, *nearest = scratch + stress->n, *owner = nearest + stress->n;
    int32_t *queued = owner + stress->n, longest = 0;
    l2r_stress_find_lengths(stress, owner);
    stress->anchor[0] = 0;
    for (int32_t a = 0; a < stress->n_anchors; a++) {
        measure_paths(stress, a, queue, queued);
        int32_t next = add_anchor(stress, a, nearest, owner);
        if (a + 1 < stress->n_anchors) stress->anchor[a + 1] = next;
    }
    for (int64_t i = 0; i < (int64_t)stress->n * stress->n_anchors; i++)
        longest = stress->path[i] > longest ? stress->path[i] : longest;
    for (int32_t v = 0; v < stress->n; v++) stress->share[owner[v]]++;
    return longest;
}

enum l2r_status l2r_stress_init(struct l2r_stress *stress, int32_t n, const int32_t *edges, int64_t n_edges,
                                struct l2r_error *error)
{
    const int32_t k = n <= L2R_STRESS_FULL ? n : FEW_ANCHORS;
    int32_t *scratch = l2r_alloc(4 * (size_t)n, sizeof *scratch);
    *stress = (struct l2r_stress){.n = n,
                                  .n_anchors = k,
                                  .anchor = l2r_alloc((size_t)k, sizeof *stress->anchor),
                                  .path = l2r_alloc((size_t)n * (size_t)k, sizeof *stress->path),
                                  .share = l2r_alloc((size_t)k, sizeof *stress->share),
                                  .start = l2r_alloc((size_t)n + 1, sizeof *stress->start),
                                  .neighbour = l2r_alloc(2 * (size_t)n_edges, sizeof *stress->neighbour),
                                  .length = l2r_alloc(2 * (size_t)n_edges, sizeof *stress->length)};
    bool enough = scratch && stress->anchor && stress->path && stress->share && stress->start && stress->neighbour &&
                  stress->length;
    if (enough) {
        list_neighbours(stress, edges, n_edges);
        const int32_t longest = find_paths(stress, scratch);
        stress->weight = l2r_alloc((size_t)longest + 1, sizeof *stress->weight);
        for (int32_t d = 1; stress->weight && d <= longest; d++)
            stress->weight[d] = (double)L2R_STRESS_EDGE * L2R_STRESS_EDGE / ((double)d * d);
        enough = stress->weight != NULL;
    }
    l2r_free(scratch);
    if (enough) return L2R_OK;
    return l2r_fail_memory(error, (size_t)n * (size_t)k * sizeof *stress->path, "the paths of a graph");
}

void l2r_stress_clear(struct l2r_stress *stress)
{
    l2r_free(stress->anchor);
    l2r_free(stress->path);
    l2r_free(stress->share);
    l2r_free(stress->weight);
    l2r_free(stress->start);
    l2r_free(stress->neighbour);
    l2r_free(stress->length);
    *stress = (struct l2r_stress){0};
}

/* ---- Places ---- */

/* Where the other nodes pull a node: sums of weighted positions, and of weights. */
struct wish {
    double x, y, weight;
};

/* `other` pulls it to distance d; if it lies within `room` and should not, to that distance, with the weight of a
 * neighbour. */
static inline void add_wish(struct wish *wish, const double *at, const double *other, double d, double weight,
                            double room)
{
    double dx = at[0] - other[0], dy = at[1] - other[1], distance = sqrt(dx * dx + dy * dy);
    bool crowded = distance < room && d > room;
    double wanted = crowded ? room : d, strength = crowded ? 1 : weight;
    double stretch = distance > nowhere ? wanted / distance : 0;
    wish->x += strength * (other[0] + stretch * dx);
    wish->y += strength * (other[1] + stretch * dy);
    wish->weight += strength;
}

/* Returns the square of how far it moved. */
static double move_node(double *xy, const struct l2r_stress *stress, int32_t v, double room)
{
    const int32_t *path = stress->path + (int64_t)v * stress->n_anchors;
    double *at = xy + 2 * (int64_t)v;
    struct wish wish = {0};
    for (int32_t a = 0; a < stress->n_anchors; a++)
        if (path[a] > 0)
            add_wish(&wish, at, xy + 2 * (int64_t)stress->anchor[a], unit * path[a],
                     stress->share[a] * stress->weight[path[a]], room);
    for (int64_t i = stress->start[v]; stress->n_anchors < stress->n && i < stress->start[v + 1]; i++)
        add_wish(&wish, at, xy + 2 * (int64_t)stress->neighbour[i], unit * stress->length[i], 1, room);
    double dx = stride * (wish.x / wish.weight - at[0]), dy = stride * (wish.y / wish.weight - at[1]);
    at[0] += dx;
    at[1] += dy;
    return dx * dx + dy * dy;
}

void l2r_stress_lower(double *xy, const struct l2r_stress *stress, double room, double tolerance, int most)
{
    double furthest = INFINITY;
    for (int round = 0; round < most && furthest > tolerance * tolerance; round++) {
        furthest = 0;
        for (int32_t v = 0; v < stress->n; v++) furthest = fmax(furthest, move_node(xy, stress, v, room));
    }
}

/* Lengths in the picture by lengths of paths. */
struct ratios {
    double sum, squares, pairs;
};

static struct ratios compare(const double *xy, const struct l2r_stress *stress)
{
    struct ratios ratios = {0};
    for (int32_t v = 0; v < stress->n; v++)
        for (int32_t a = 0; a < stress->n_anchors; a++) {
            const double *p = xy + 2 * (int64_t)v, *q = xy + 2 * (int64_t)stress->anchor[a];
            const double dx = p[0] - q[0], dy = p[1] - q[1];
            const int32_t d = stress->path[(int64_t)v * stress->n_anchors + a];
            if (d == 0) continue;
            ratios.sum += sqrt(dx * dx + dy * dy) / (unit * d);
            ratios.squares += (dx * dx + dy * dy) * stress->weight[d];
            ratios.pairs++;
        }
    return ratios;
}

/* The mean of (s·r − 1)² is least at s = Σr / Σr². */
double l2r_stress_of(const double *xy, const struct l2r_stress *stress)
{
    struct ratios r = compare(xy, stress);
    return r.squares > 0 ? 1 - r.sum * r.sum / (r.squares * r.pairs) : 1;
}

void l2r_stress_rescale(double *xy, const struct l2r_stress *stress)
{
    struct ratios r = compare(xy, stress);
    for (int64_t i = 0; r.squares > 0 && i < 2 * (int64_t)stress->n; i++) xy[i] *= r.sum / r.squares;
}
