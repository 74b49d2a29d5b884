/* SPDX-License-Identifier: MIT
 *
 * A small graph under construction, for generators: nodes with marks, edges, and the shapes that synthetic tasks are
 * made of. One sketch serves all graphs of a set; emptying it keeps its memory.
 *
 *     circle, star, path           between nodes that are there already
 *     bases    wheel  tree  ladder  star  path        the spurious part
 *     motifs   house  cycle  crane                    five nodes each; the part that decides the label
 *
 *        0            0             0
 *       / \          / \          //|\\
 *      1---4        1   4        1 | | 4         crane: node 0 is joined to all others, 1-2-3-4 is a path
 *      |   |        |   |         \| |/
 *      2---3        2---3          2-3
 *      house        cycle         crane
 *
 * A planted motif hangs on a random node of its base by one edge, which ends in the motif's node 0. Out of memory
 * sticks in `failed`; the caller checks once, when the graph goes to the builder.
 */
#ifndef L2R_DATA_SKETCH_H
#define L2R_DATA_SKETCH_H

#include "base/rng.h"
#include "data/builder.h"

struct l2r_sketch {
    int32_t n_nodes;
    int64_t n_edges;
    int32_t *edges;    /* [n_edges × 2] */
    uint8_t *mark;     /* [n_nodes]: 0 background, k: member of motif k */
    int32_t *category; /* [n_nodes]: zeros */
    float *features;   /* [n_nodes × n_features], after l2r_sketch_draw_features or _fill_features */
    size_t edge_room, mark_room, category_room, feature_room;
    bool failed;
};

void l2r_sketch_clear(struct l2r_sketch *sketch); /* frees its memory */
void l2r_sketch_empty(struct l2r_sketch *sketch);

/* Appends n nodes with this mark; returns the first one's number. */
int32_t l2r_sketch_nodes(struct l2r_sketch *sketch, int32_t n, uint8_t mark);
void l2r_sketch_edge(struct l2r_sketch *sketch, int32_t a, int32_t b);
bool l2r_sketch_has_edge(const struct l2r_sketch *sketch, int32_t a, int32_t b);

/* Between the nodes first .. first+n-1. Two nodes in a circle share one edge, one node has none. */
void l2r_sketch_circle(struct l2r_sketch *sketch, int32_t first, int32_t n);
void l2r_sketch_star(struct l2r_sketch *sketch, int32_t first, int32_t n); /* the first node is the hub */
void l2r_sketch_path(struct l2r_sketch *sketch, int32_t first, int32_t n);

enum l2r_base { L2R_BASE_WHEEL, L2R_BASE_TREE, L2R_BASE_LADDER, L2R_BASE_STAR, L2R_BASE_PATH, L2R_N_BASES };
enum l2r_motif { L2R_MOTIF_HOUSE, L2R_MOTIF_CYCLE, L2R_MOTIF_CRANE, L2R_N_MOTIFS };
extern const char *const l2r_base_names[L2R_N_BASES];
extern const char *const l2r_motif_names[L2R_N_MOTIFS];

/* Appends a base of mark 0. width: nodes of a wheel (hub included) or path, rungs of a ladder, leaves of a star, height
 * of a tree whose nodes have `branches` children each. */
void l2r_sketch_base(struct l2r_sketch *sketch, enum l2r_base kind, int32_t width, int32_t branches);
/* Appends a motif of mark 1 and ties it to a random node of what is there. */
void l2r_sketch_plant(struct l2r_sketch *sketch, struct l2r_rng *rng, enum l2r_motif kind);

/* Node features, once all nodes are there: uniform in [0, 1), or one value for all. */
void l2r_sketch_draw_features(struct l2r_sketch *sketch, struct l2r_rng *rng, int32_t n_features);
void l2r_sketch_fill_features(struct l2r_sketch *sketch, float value, int32_t n_features);

/* The properties of a graph beside the sketch. */
struct l2r_sketched {
    float label;
    int32_t environment;
};
/* Draws graph number `graph` of a part into the sketch, which is empty. */
typedef struct l2r_sketched l2r_sketch_draw_fn(struct l2r_sketch *sketch, const void *recipe, int part, int64_t graph);

/* The set of all parts, n_graphs [n_parts] graphs each: one task of classes, marks, environments of these names, and
 * n_features real features of a node, or one category for all nodes where that is 0. n_classes 0: as they occur. */
struct l2r_sketch_set {
    const char *name;
    int32_t n_features, n_classes, n_environments;
    const char *const *environment_names;
    const void *recipe;
    l2r_sketch_draw_fn *draw;
    const int64_t *n_graphs;
    int n_parts;
};
enum l2r_status l2r_sketch_generate(struct l2r_dataset **data, const struct l2r_sketch_set *set,
                                    struct l2r_error *error);

/* ---- options that generators share ---- */

#define L2R_OPTION_GRAPHS(NAME, DEFAULT, HELP)                                                                         \
    {                                                                                                                  \
        .name = NAME, .kind = L2R_OPTION_INT, .fallback = DEFAULT, .min = 0, .max = 10000000, .help = HELP             \
    }
#define L2R_OPTION_SHARE(NAME, DEFAULT, HELP)                                                                          \
    {                                                                                                                  \
        .name = NAME, .kind = L2R_OPTION_REAL, .fallback = DEFAULT, .min = 0, .max = 1, .help = HELP                   \
    }
#define L2R_OPTION_GRAPH_SEED                                                                                          \
    {                                                                                                                  \
        .name = "seed", .kind = L2R_OPTION_INT, .fallback = "0", .max = 9007199254740991.0,                            \
        .help = "seed of the graphs"                                                                                   \
    }
#define L2R_OPTION_NODE_FEATURES(DEFAULT)                                                                              \
    {                                                                                                                  \
        .name = "features", .kind = L2R_OPTION_INT, .fallback = DEFAULT, .max = 1000,                                  \
        .help = "uniform random features per node; 0: all nodes share one category"                                    \
    }

#endif
