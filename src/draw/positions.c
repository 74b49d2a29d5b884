/* SPDX-License-Identifier: MIT
 *
 * Takes a graph apart into its connected components, lays each out (component.c), turns it flat and packs the boxes:
 *
 *     +---------+ +----+      rows about 1.4 times as wide as high in all; single nodes fill up
 *     |         | |    |
 *     +---------+ +----+
 *     +---+ +--+ . . . .
 */
#include "draw/positions.h"

#include "base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static const double gap = 0.9;      /* between components, in mean edge lengths */
static const double shape = 1.4;    /* width : height to aim at */
static const double squeeze = 1e-9; /* what counts as no extent at all */

static const double roundness = 0.05; /* how much longer the longest axis is, at most, of what counts as round */
static const double agreement = 0.6;  /* of edges on their directions: 1 is full */

enum { N_WIDTHS = 40, MOST_DIRECTIONS = 24 };

struct component {
    int32_t first, n_nodes; /* its nodes are members[first ..] */
    int64_t first_edge, n_edges;
    double width, height;
};

/* The graph sorted by component. */
struct parts {
    int32_t *component; /* [n_nodes] */
    int32_t *members;   /* [n_nodes]: nodes, component by component */
    int32_t *local;     /* [n_nodes]: a node's number within its component */
    int32_t *edges;     /* [n_edges × 2] in local numbers, component by component, without self loops */
    struct component *list;
    int32_t n;
};

static int32_t root_of(int32_t *parent, int32_t v)
{
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
}

static void number_components(struct parts *parts, int32_t n_nodes, const int32_t *edges, int64_t n_edges)
{
    int32_t *parent = parts->local; /* free until the members are numbered */
    for (int32_t v = 0; v < n_nodes; v++) parent[v] = v;
    for (int64_t i = 0; i < n_edges; i++) {
        int32_t a = root_of(parent, edges[2 * i]), b = root_of(parent, edges[2 * i + 1]);
        parent[a > b ? a : b] = a > b ? b : a; /* the smallest node is the root: numbering follows it */
    }
    for (int32_t v = 0; v < n_nodes; v++) {
        int32_t root = root_of(parent, v);
        parts->component[v] = root == v ? parts->n++ : parts->component[root];
        parts->list[parts->component[v]].n_nodes++;
    }
}

static void sort_by_component(struct parts *parts, int32_t n_nodes, const int32_t *edges, int64_t n_edges)
{
    struct component *list = parts->list;
    for (int64_t i = 0; i < n_edges; i++)
        if (edges[2 * i] != edges[2 * i + 1]) list[parts->component[edges[2 * i]]].n_edges++;
    for (int32_t c = 1; c < parts->n; c++) {
        list[c].first = list[c - 1].first + list[c - 1].n_nodes;
        list[c].first_edge = list[c - 1].first_edge + list[c - 1].n_edges;
    }
    for (int32_t c = 0; c < parts->n; c++) list[c].n_nodes = 0, list[c].n_edges = 0;
    for (int32_t v = 0; v < n_nodes; v++) {
        struct component *c = &list[parts->component[v]];
        parts->local[v] = c->n_nodes++;
        parts->members[c->first + parts->local[v]] = v;
    }
    for (int64_t i = 0; i < n_edges; i++) {
        if (edges[2 * i] == edges[2 * i + 1]) continue;
        struct component *c = &list[parts->component[edges[2 * i]]];
        int32_t *to = parts->edges + 2 * (c->first_edge + c->n_edges++);
        to[0] = parts->local[edges[2 * i]];
        to[1] = parts->local[edges[2 * i + 1]];
    }
}

static double mean_length(const double *xy, const int32_t *edges, int64_t n_edges)
{
    double sum = 0;
    for (int64_t i = 0; i < n_edges; i++) {
        const double *a = xy + 2 * (size_t)edges[2 * i], *b = xy + 2 * (size_t)edges[2 * i + 1];
        sum += hypot(a[0] - b[0], a[1] - b[1]);
    }
    return n_edges > 0 ? sum / (double)n_edges : 0;
}

/* The angle of the longest axis: half that of the covariance. *round: no axis is clearly longer. */
static double longest_axis(bool *round, const double *xy, int32_t n)
{
    double mean[2] = {0, 0}, xx = 0, xy_sum = 0, yy = 0;
    for (int32_t v = 0; v < n; v++) mean[0] += xy[2 * v] / n, mean[1] += xy[2 * v + 1] / n;
    for (int32_t v = 0; v < n; v++) {
        double x = xy[2 * v] - mean[0], y = xy[2 * v + 1] - mean[1];
        xx += x * x, xy_sum += x * y, yy += y * y;
    }
    *round = hypot(2 * xy_sum, xx - yy) < roundness * (xx + yy);
    return 0.5 * atan2(2 * xy_sum, xx - yy);
}

/* For what is round: if most edges have p directions, evenly spaced, the angle of one; 0 if there is no such p. */
static double common_direction(const double *xy, const int32_t *edges, int64_t n_edges)
{
    for (int p = 4; p <= MOST_DIRECTIONS; p += 2) {
        double c = 0, s = 0;
        for (int64_t i = 0; i < n_edges; i++) {
            const double *a = xy + 2 * (size_t)edges[2 * i], *b = xy + 2 * (size_t)edges[2 * i + 1];
            double angle = p * atan2(b[1] - a[1], b[0] - a[0]);
            c += cos(angle), s += sin(angle);
        }
        if (hypot(c, s) > agreement * (double)n_edges) return atan2(s, c) / p;
    }
    return 0;
}

/* Turns the points so that their longest axis lies flat, or if all are alike, the edges: a grid stands upright. */
static void lay_flat(double *xy, const struct component *c, const int32_t *edges)
{
    bool round;
    double angle = longest_axis(&round, xy, c->n_nodes);
    if (round) angle = common_direction(xy, edges, c->n_edges);
    double cosine = cos(angle), sine = sin(angle);
    for (int32_t v = 0; v < c->n_nodes; v++) {
        double x = xy[2 * v], y = xy[2 * v + 1];
        xy[2 * v] = cosine * x + sine * y;
        xy[2 * v + 1] = cosine * y - sine * x;
    }
}

/* Scales to edges of mean length 1 and moves the lower corner to (0, 0). */
static void normalise(double *xy, struct component *c, const int32_t *edges)
{
    double unit = mean_length(xy, edges, c->n_edges);
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    if (!(unit > squeeze)) unit = 1;
    for (int32_t v = 0; v < 2 * c->n_nodes; v++) {
        xy[v] /= unit;
        low[v % 2] = fmin(low[v % 2], xy[v]);
        high[v % 2] = fmax(high[v % 2], xy[v]);
    }
    for (int32_t v = 0; v < 2 * c->n_nodes; v++) xy[v] -= low[v % 2];
    c->width = high[0] - low[0];
    c->height = high[1] - low[1];
}

static int by_height(const void *a, const void *b)
{
    const struct component *p = a, *q = b;
    if (p->n_nodes != q->n_nodes && (p->n_nodes == 1 || q->n_nodes == 1)) return p->n_nodes == 1 ? 1 : -1;
    if (p->height != q->height) return p->height > q->height ? -1 : 1;
    return p->first < q->first ? -1 : p->first > q->first;
}

/* Rows of at most `limit`; sets the size, and the nodes' places from those within their components if `places` is not
 * NULL. */
static void fill_rows(struct l2r_positions *positions, const struct parts *parts, const double *places, double limit)
{
    double x = 0, y = 0, row = 0;
    positions->width = 0;
    for (int32_t i = 0; i < parts->n; i++) {
        const struct component *c = &parts->list[i];
        if (x > 0 && x + c->width > limit) {
            y += row + gap;
            x = row = 0;
        }
        for (int32_t k = c->first; places != NULL && k < c->first + c->n_nodes; k++) {
            positions->xy[2 * parts->members[k]] = x + places[2 * k];
            positions->xy[2 * parts->members[k] + 1] = y + places[2 * k + 1];
        }
        positions->width = fmax(positions->width, x + c->width);
        row = fmax(row, c->height);
        x += c->width + gap;
    }
    positions->height = y + row;
}

/* Picks the row width whose packing comes nearest to the desired shape. */
static void pack(struct l2r_positions *positions, struct parts *parts, const double *places)
{
    double widest = 0, total = 0, best = INFINITY, best_limit = 0;
    for (int32_t i = 0; i < parts->n; i++) {
        widest = fmax(widest, parts->list[i].width);
        total += parts->list[i].width + gap;
    }
    qsort(parts->list, (size_t)parts->n, sizeof *parts->list, by_height);
    for (int k = 0; k <= N_WIDTHS; k++) {
        double limit = widest + (total - widest) * k * k / (N_WIDTHS * N_WIDTHS) + squeeze;
        fill_rows(positions, parts, NULL, limit);
        double size = fmax(positions->width / shape, positions->height);
        if (size >= best) continue;
        best = size;
        best_limit = limit;
    }
    fill_rows(positions, parts, places, best_limit);
}

static bool parts_init(struct parts *parts, int32_t n_nodes, int64_t n_edges)
{
    parts->component = l2r_alloc((size_t)n_nodes, sizeof *parts->component);
    parts->members = l2r_alloc((size_t)n_nodes, sizeof *parts->members);
    parts->local = l2r_alloc((size_t)n_nodes, sizeof *parts->local);
    parts->edges = l2r_alloc(2 * (size_t)n_edges, sizeof *parts->edges);
    parts->list = l2r_alloc((size_t)n_nodes, sizeof *parts->list);
    return parts->component && parts->members && parts->local && parts->edges && parts->list;
}

enum l2r_status l2r_positions_make(struct l2r_positions *positions, int32_t n_nodes, const int32_t *edges,
                                   int64_t n_edges, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct parts parts = {0};
    double *places = l2r_alloc(2 * (size_t)n_nodes, sizeof *places);
    *positions = (struct l2r_positions){.xy = l2r_alloc(2 * (size_t)n_nodes, sizeof *positions->xy)};
    if (!places || !positions->xy || !parts_init(&parts, n_nodes, n_edges)) {
        status = l2r_fail_memory(error, 40 * (size_t)n_nodes, "the positions of a graph");
        goto done;
    }
    number_components(&parts, n_nodes, edges, n_edges);
    sort_by_component(&parts, n_nodes, edges, n_edges);
    for (int32_t i = 0; i < parts.n; i++) {
        struct component *c = &parts.list[i];
        double *xy = places + 2 * (size_t)c->first;
        const int32_t *own = parts.edges + 2 * c->first_edge;
        if (c->n_nodes > 1) L2R_TRY(l2r_positions_component(xy, c->n_nodes, own, c->n_edges, error));
        lay_flat(xy, c, own);
        normalise(xy, c, own);
    }
    pack(positions, &parts, places);
done:
    l2r_free(places);
    l2r_free(parts.component);
    l2r_free(parts.members);
    l2r_free(parts.local);
    l2r_free(parts.edges);
    l2r_free(parts.list);
    return status;
}

void l2r_positions_clear(struct l2r_positions *positions)
{
    l2r_free(positions->xy);
    *positions = (struct l2r_positions){0};
}
