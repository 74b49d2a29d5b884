/* SPDX-License-Identifier: MIT
 *
 * Recognises the motifs of the motif task (data/generators/motif.c) by their numbers of edges and degrees:
 *
 *     n nodes      edges     degrees
 *     star         n − 1     one n − 1
 *     circle       n         all 2
 *     wheel        2n − 2    one n − 1, the others 3
 *     diamond      2n − 3    at most 4, two nodes of degree 2
 *     grid         fewer than 2n − 2, at most 4
 */
#include "report/pictures.h"

#include "base/memory.h"

#include <string.h>

struct counts {
    int64_t nodes, edges, largest, twos, threes;
};

static bool count_degrees(struct counts *c, const uint8_t *mark, int64_t n_nodes, const int32_t *ends, int64_t n_edges,
                          int wanted)
{
    int64_t *degree = l2r_alloc((size_t)n_nodes, sizeof *degree);
    if (degree == NULL) return false;
    for (int64_t i = 0; i < n_edges; i++) {
        if (mark[ends[2 * i]] != wanted || mark[ends[2 * i + 1]] != wanted) continue;
        c->edges++;
        degree[ends[2 * i]]++;
        degree[ends[2 * i + 1]]++;
    }
    for (int64_t v = 0; v < n_nodes; v++) {
        if (mark[v] != wanted) continue;
        c->nodes++;
        c->twos += degree[v] == 2;
        c->threes += degree[v] == 3;
        if (degree[v] > c->largest) c->largest = degree[v];
    }
    l2r_free(degree);
    return true;
}

const char *l2r_motif_shape(const uint8_t *node_mark, int64_t n_nodes, const int32_t *ends, int64_t n_edges, int mark)
{
    struct counts c = {0};
    if (node_mark == NULL || !count_degrees(&c, node_mark, n_nodes, ends, n_edges, mark) || c.nodes == 0) return NULL;
    int64_t n = c.nodes;
    if (n < 4) return "motif";
    if (c.edges == n - 1 && c.largest == n - 1) return "star";
    if (c.edges == n && c.twos == n) return "circle";
    if (c.edges == 2 * n - 2 && c.largest == n - 1 && c.threes >= n - 1) return "wheel";
    if (c.edges == 2 * n - 3 && c.largest <= 4 && c.twos == 2) return "diamond";
    if (c.edges < 2 * n - 2 && c.edges > n - 1 && c.largest <= 4) return "grid";
    return "motif";
}
