/* SPDX-License-Identifier: MIT
 *
 * The positions of one connected component. From several starts (starts.h) the stress is lowered (stress.h). Where
 * nodes are crowded it is lowered once more, and those that are not neighbours keep an edge's length apart, which costs
 * little. The picture with the fewest flaws is kept:
 *
 *     flaws = stress + 0.03 log(1 + crossings) + crowding²
 *
 * One more crossing is worse where there are few. Counting them compares all pairs of edges, so with many edges, when
 * the picture is full of crossings anyway, they are not counted.
 */
#include "draw/positions.h"

#include "base/memory.h"
#include "draw/starts.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const double cost_of_crossings = 0.03;
static const double fair_distance = 0.4; /* of the two nearest nodes, in mean edges */
static const double room = 1;            /* edges */

/* How many starts, and how far each is followed. */
struct effort {
    int starts, enough; /* at most; and as soon as there are neither crossings nor crowds */
    int rounds;
    double tolerance; /* edges */
};

enum { LARGEST_COUNTED = 400 /* edges */ };

static struct effort effort_for(int32_t n_nodes, int64_t n_edges)
{
    if (n_nodes > 200) return (struct effort){.starts = 1, .rounds = 100, .tolerance = 0.02};
    if (n_nodes > 60) return (struct effort){.starts = 3, .enough = 2, .rounds = 200, .tolerance = 0.005};
    int starts = n_edges <= LARGEST_COUNTED ? 16 : 3;
    return (struct effort){.starts = starts, .enough = 4, .rounds = 300, .tolerance = 0.001};
}

static double side(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static bool do_cross(const double *xy, const int32_t *e, const int32_t *f)
{
    if (e[0] == f[0] || e[0] == f[1] || e[1] == f[0] || e[1] == f[1]) return false;
    const double *a = xy + 2 * (size_t)e[0], *b = xy + 2 * (size_t)e[1];
    const double *c = xy + 2 * (size_t)f[0], *d = xy + 2 * (size_t)f[1];
    return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

int64_t l2r_positions_crossings(const double *xy, const int32_t *edges, int64_t n_edges)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n_edges; i++)
        for (int64_t k = i + 1; k < n_edges; k++) count += do_cross(xy, edges + 2 * i, edges + 2 * k);
    return count;
}

/* 0 while no two nodes are nearer than is fair. */
static double crowding(const double *xy, int32_t n, const int32_t *edges, int64_t n_edges)
{
    double nearest = INFINITY, length = 0;
    for (int32_t a = 0; a < n; a++)
        for (int32_t b = 0; b < a; b++)
            nearest = fmin(nearest, hypot(xy[2 * a] - xy[2 * b], xy[2 * a + 1] - xy[2 * b + 1]));
    for (int64_t i = 0; i < n_edges; i++) {
        const double *p = xy + 2 * (size_t)edges[2 * i], *q = xy + 2 * (size_t)edges[2 * i + 1];
        length += hypot(p[0] - q[0], p[1] - q[1]) / (double)n_edges;
    }
    return fmax(0, fair_distance - nearest / fmax(length, 1e-9));
}

static double count_flaws(bool *clean, const double *xy, const struct l2r_stress *stress, const int32_t *edges,
                          int64_t n_edges)
{
    int64_t crossings = n_edges <= LARGEST_COUNTED ? l2r_positions_crossings(xy, edges, n_edges) : 0;
    double crowd = crowding(xy, stress->n, edges, n_edges);
    *clean = crossings == 0 && crowd <= 0;
    return l2r_stress_of(xy, stress) + cost_of_crossings * log1p((double)crossings) + crowd * crowd;
}

/* xy holds the best so far, `trial` the current one. */
static enum l2r_status try_starts(double *xy, double *trial, const struct l2r_stress *stress, const int32_t *edges,
                                  int64_t n_edges, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct effort effort = effort_for(stress->n, n_edges);
    const int first = effort.starts == 1 && n_edges == stress->n - 1 ? L2R_START_TREE : 0;
    double fewest = INFINITY;
    bool best_is_clean = false;
    for (int i = 0; i < effort.starts && !(best_is_clean && i >= effort.enough); i++) {
        L2R_TRY(l2r_start_place(trial, first + i, stress, error));
        l2r_stress_lower(trial, stress, 0, effort.tolerance, effort.rounds);
        if (stress->n <= L2R_STRESS_FULL && crowding(trial, stress->n, edges, n_edges) > 0)
            l2r_stress_lower(trial, stress, room, effort.tolerance, effort.rounds);
        bool clean = false;
        double flaws = effort.starts > 1 ? count_flaws(&clean, trial, stress, edges, n_edges) : 0;
        if (flaws >= fewest) continue;
        fewest = flaws;
        best_is_clean = clean;
        memcpy(xy, trial, 2 * (size_t)stress->n * sizeof *xy);
    }
done:
    return status;
}

enum l2r_status l2r_positions_component(double *xy, int32_t n_nodes, const int32_t *edges, int64_t n_edges,
                                        struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_stress stress = {0};
    double *trial = l2r_alloc(2 * (size_t)n_nodes, sizeof *trial);
    if (trial == NULL) return l2r_fail_memory(error, 2 * (size_t)n_nodes * sizeof *trial, "a layout");
    L2R_TRY(l2r_stress_init(&stress, n_nodes, edges, n_edges, error));
    L2R_TRY(try_starts(xy, trial, &stress, edges, n_edges, error));
done:
    l2r_stress_clear(&stress);
    l2r_free(trial);
    return status;
}
