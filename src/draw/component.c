/* SPDX-License-Identifier: MIT
 *
 * The positions of one connected component, by igraph.
 *
 * Kamada–Kawai puts nodes at distances that resemble the lengths of the shortest paths; Fruchterman–Reingold lets
 * them repel each other, which is less even but untangles what the first folds over. Both find local optima, so each
 * is started from a circle and from random places, the second only while there are flaws, and the picture with the
 * fewest wins: crossings, nodes on top of each other. igraph keeps its error handler and its random numbers in
 * globals: one thread at a time uses it here, with a handler that does not abort and a generator of our own, and
 * leaves both as they were.
 */
#include "base/memory.h"
#include "base/rng.h"
#include "draw/positions.h"

#include <igraph/igraph.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

enum { MANY_STARTS = 24, FEW = 60, SOME_STARTS = 5 };
enum { LARGEST_COUNTED = 400 /* edges: pairs are compared */, LARGEST_KAMADA_KAWAI = 1000 /* nodes */ };

static pthread_mutex_t igraph_lock = PTHREAD_MUTEX_INITIALIZER;

/* igraph's globals while we use it. */
struct borrowed {
    igraph_error_handler_t *handler;
    igraph_rng_t theirs, ours;
};

static bool borrow_igraph(struct borrowed *state)
{
    pthread_mutex_lock(&igraph_lock);
    state->handler = igraph_set_error_handler(igraph_error_handler_ignore);
    if (igraph_rng_init(&state->ours, &igraph_rngtype_mt19937) != IGRAPH_SUCCESS) {
        igraph_set_error_handler(state->handler);
        pthread_mutex_unlock(&igraph_lock);
        return false;
    }
    igraph_rng_seed(&state->ours, 1);
    state->theirs = *igraph_rng_default();
    igraph_rng_set_default(&state->ours);
    return true;
}

static void return_igraph(struct borrowed *state)
{
    igraph_rng_set_default(&state->theirs);
    igraph_rng_destroy(&state->ours);
    igraph_set_error_handler(state->handler);
    pthread_mutex_unlock(&igraph_lock);
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

/* Start 0 is a circle in the order of the nodes, the others are random squares. */
static void place_start(igraph_matrix_t *places, int32_t n, int start)
{
    struct l2r_rng rng = l2r_rng_at(0, L2R_RANDOM_DATA, (uint64_t)start);
    double radius = sqrt((double)n);
    for (int32_t v = 0; v < n; v++) {
        double angle = 2 * M_PI * v / n;
        MATRIX(*places, v, 0) = start == 0 ? radius * cos(angle) : radius * l2r_rng_uniform(&rng);
        MATRIX(*places, v, 1) = start == 0 ? radius * sin(angle) : radius * l2r_rng_uniform(&rng);
    }
}

static igraph_error_t improve(igraph_matrix_t *places, const igraph_t *graph, int32_t n, bool by_distances)
{
    if (by_distances)
        return igraph_layout_kamada_kawai(graph, places, true, 50 * (igraph_integer_t)n, 0, n, NULL, NULL, NULL, NULL,
                                          NULL);
    return igraph_layout_fruchterman_reingold(graph, places, true, 500, sqrt((double)n), IGRAPH_LAYOUT_AUTOGRID, NULL,
                                              NULL, NULL, NULL, NULL);
}

/* What is wrong with a picture: a crossing counts 1, nodes nearer than 0.4 mean edges up to 0.8. */
static double count_flaws(const double *xy, int32_t n, const int32_t *edges, int64_t n_edges)
{
    double nearest = INFINITY, length = 0;
    for (int32_t a = 0; a < n; a++)
        for (int32_t b = 0; b < a; b++)
            nearest = fmin(nearest, hypot(xy[2 * a] - xy[2 * b], xy[2 * a + 1] - xy[2 * b + 1]));
    for (int64_t i = 0; i < n_edges; i++) {
        const double *p = xy + 2 * (size_t)edges[2 * i], *q = xy + 2 * (size_t)edges[2 * i + 1];
        length += hypot(p[0] - q[0], p[1] - q[1]) / (double)n_edges;
    }
    return (double)l2r_positions_crossings(xy, edges, n_edges) + 2 * fmax(0, 0.4 - nearest / fmax(length, 1e-9));
}

/* Tries all starts: xy holds the best so far, `trial` the current one. */
static igraph_error_t try_starts(double *xy, double *trial, igraph_matrix_t *places, const igraph_t *graph, int32_t n,
                                 const int32_t *edges, int64_t n_edges)
{
    bool small = n <= LARGEST_KAMADA_KAWAI, counted = small && n_edges <= LARGEST_COUNTED;
    int n_starts = n <= FEW ? MANY_STARTS : counted ? SOME_STARTS : 1;
    double fewest = INFINITY;
    for (int start = 0; start < (counted ? 2 : 1) * n_starts && fewest > 0; start++) {
        place_start(places, n, start % n_starts);
        igraph_error_t code = improve(places, graph, n, small && start < n_starts);
        if (code != IGRAPH_SUCCESS) return code;
        for (int32_t v = 0; v < n; v++)
            for (int k = 0; k < 2; k++) trial[2 * v + k] = MATRIX(*places, v, k);
        double flaws = counted ? count_flaws(trial, n, edges, n_edges) : 0;
        if (flaws >= fewest) continue;
        fewest = flaws;
        memcpy(xy, trial, 2 * (size_t)n * sizeof *xy);
    }
    return IGRAPH_SUCCESS;
}

static igraph_error_t lay_out(double *xy, double *trial, int32_t n, const int32_t *edges, int64_t n_edges)
{
    igraph_vector_int_t ends;
    igraph_t graph;
    igraph_matrix_t places;
    igraph_error_t code = igraph_vector_int_init(&ends, 2 * n_edges);
    if (code != IGRAPH_SUCCESS) return code;
    for (int64_t i = 0; i < 2 * n_edges; i++) VECTOR(ends)[i] = edges[i];
    code = igraph_create(&graph, &ends, n, IGRAPH_UNDIRECTED);
    if (code == IGRAPH_SUCCESS) {
        code = igraph_matrix_init(&places, n, 2);
        if (code == IGRAPH_SUCCESS) {
            code = try_starts(xy, trial, &places, &graph, n, edges, n_edges);
            igraph_matrix_destroy(&places);
        }
        igraph_destroy(&graph);
    }
    igraph_vector_int_destroy(&ends);
    return code;
}

enum l2r_status l2r_positions_component(double *xy, int32_t n_nodes, const int32_t *edges, int64_t n_edges,
                                        struct l2r_error *error)
{
    struct borrowed state;
    double *trial = l2r_alloc(2 * (size_t)n_nodes, sizeof *trial);
    if (trial == NULL) return l2r_fail_memory(error, 2 * (size_t)n_nodes * sizeof *trial, "a positions");
    igraph_error_t code = IGRAPH_ENOMEM;
    if (borrow_igraph(&state)) {
        code = lay_out(xy, trial, n_nodes, edges, n_edges);
        return_igraph(&state);
    }
    l2r_free(trial);
    if (code == IGRAPH_ENOMEM) return l2r_fail_memory(error, 100 * (size_t)n_nodes, "the positions of a graph");
    if (code != IGRAPH_SUCCESS)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "a graph of %d nodes could not be laid out: %s", (int)n_nodes,
                        igraph_strerror(code));
    return L2R_OK;
}
