/* SPDX-License-Identifier: MIT
 *
 * Protein-like graphs for measurements: nothing to learn, but the sizes and neighbourhoods of the set DD, where nodes
 * are residues and edges join those that lie close to each other in space.
 *
 *     n places of a cubic lattice that fill a ball, each moved a little  ->  positions, along a snake through the ball
 *     the 2.516 n closest pairs                                          ->  edges: 5.03 neighbours a node, unevenly
 *     labels by the frequencies of 20 common residues, and 69 rare ones  ->  one categorical column
 *
 * On average 279 nodes and 1404 arcs; classes are coin tosses. Graph g is a function of (seed, g).
 */
#include "base/array.h"
#include "base/memory.h"
#include "base/rng.h"
#include "data/builder.h"
#include "data/reader.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_NODES = 30, MOST_NODES = 2000, COMMON = 20, LABELS = 89, PAIRS_A_NODE = 24 };

static const double median_nodes = 233, spread_of_log = 0.62; /* a mean of 279 */
static const double pairs_a_node = 2.516, jitter = 0.16, reach = 2.0;
static const double frequency[COMMON] = {.0882, .0838, .0772, .0709, .0652, .0594, .0593, .0584, .0567, .0564,
                                         .0483, .0467, .0438, .0400, .0368, .0355, .0227, .0217, .0142, .0138};

struct pair {
    float distance;
    int32_t ends[2];
};

struct sketch {
    int32_t n;
    double (*position)[3];
    double *radius, *sorted; /* of the candidates, and in order */
    struct pair *pairs;
    int32_t *edges, *label;
};

/* Ties are broken by the nodes' numbers, so that the order is the same everywhere. */
static int by_distance(const void *a, const void *b)
{
    const struct pair *left = a, *right = b;
    if (left->distance != right->distance) return left->distance < right->distance ? -1 : 1;
    if (left->ends[0] != right->ends[0]) return left->ends[0] < right->ends[0] ? -1 : 1;
    return (left->ends[1] > right->ends[1]) - (left->ends[1] < right->ends[1]);
}

/* Lattice points per side of a cube that surely holds a ball of n points. */
static int side_of(int32_t n)
{
    return 2 * (int)ceil(cbrt(3.0 * n / (4 * M_PI)) + 1) + 1;
}

/* Point k of a walk through the cube that changes one coordinate at a time. */
static void snake(double at[3], int k, int side)
{
    int z = k / (side * side), y = k / side % side, x = k % side;
    if (z % 2) y = side - 1 - y;
    if ((k / side) % 2) x = side - 1 - x;
    int middle = side / 2;
    at[0] = x - middle, at[1] = y - middle, at[2] = z - middle;
}

/* The n points nearest to the centre; noise decides among those of equal distance. */
static void place(struct sketch *s, struct l2r_rng *rng)
{
    int side = side_of(s->n), n_points = side * side * side;
    for (int k = 0; k < n_points; k++) {
        double at[3];
        snake(at, k, side);
        s->radius[k] = at[0] * at[0] + at[1] * at[1] + at[2] * at[2] + l2r_rng_uniform(rng);
        s->sorted[k] = s->radius[k];
    }
    qsort(s->sorted, (size_t)n_points, sizeof *s->sorted, l2r_compare_double);
    double limit = s->sorted[s->n - 1];
    int32_t taken = 0;
    for (int k = 0; k < n_points && taken < s->n; k++) {
        if (s->radius[k] > limit) continue;
        snake(s->position[taken], k, side);
        for (int i = 0; i < 3; i++) s->position[taken][i] += jitter * l2r_rng_normal(rng);
        taken++;
    }
}

/* Returns the number of edges. */
static int64_t join(struct sketch *s)
{
    int64_t n_pairs = 0, wanted = (int64_t)(pairs_a_node * s->n + 0.5), most = (int64_t)s->n * PAIRS_A_NODE;
    for (int32_t a = 0; a < s->n; a++)
        for (int32_t b = a + 1; b < s->n && n_pairs < most; b++) {
            double sum = 0;
            for (int i = 0; i < 3; i++) sum += pow(s->position[a][i] - s->position[b][i], 2);
            if (sum < reach * reach) s->pairs[n_pairs++] = (struct pair){(float)sum, {a, b}};
        }
    qsort(s->pairs, (size_t)n_pairs, sizeof *s->pairs, by_distance);
    if (wanted > n_pairs) wanted = n_pairs;
    for (int64_t i = 0; i < wanted; i++) {
        s->edges[2 * i] = s->pairs[i].ends[0];
        s->edges[2 * i + 1] = s->pairs[i].ends[1];
    }
    return wanted;
}

static int32_t draw_label(struct l2r_rng *rng)
{
    double u = l2r_rng_uniform(rng);
    for (int32_t k = 0; k < COMMON; k++)
        if ((u -= frequency[k]) < 0) return k;
    return COMMON + (int32_t)l2r_rng_below(rng, LABELS - COMMON);
}

static enum l2r_status add_protein(struct l2r_builder *builder, struct sketch *s, uint64_t seed, int64_t graph,
                                   struct l2r_error *error)
{
    struct l2r_rng rng = l2r_rng_at(seed, L2R_RANDOM_DATA, (uint64_t)graph);
    double size = median_nodes * exp(spread_of_log * l2r_rng_normal(&rng));
    s->n = (int32_t)fmin(fmax(size + 0.5, LEAST_NODES), MOST_NODES);
    place(s, &rng);
    int64_t n_edges = join(s);
    for (int32_t v = 0; v < s->n; v++) s->label[v] = draw_label(&rng);
    float label = (float)l2r_rng_below(&rng, 2);
    struct l2r_graph_view view = {.n_nodes = s->n,
                                  .n_edges = n_edges,
                                  .edges = s->edges,
                                  .node_rows = s->label,
                                  .labels = &label,
                                  .part = L2R_PART_NONE};
    return l2r_builder_add(builder, &view, error);
}

static enum l2r_status sketch_init(struct sketch *s, struct l2r_error *error)
{
    size_t n = MOST_NODES, side = (size_t)side_of(MOST_NODES), points = side * side * side;
    s->position = l2r_alloc(n, sizeof *s->position);
    s->radius = l2r_alloc(points, sizeof *s->radius);
    s->sorted = l2r_alloc(points, sizeof *s->sorted);
    s->pairs = l2r_alloc(n * PAIRS_A_NODE, sizeof *s->pairs);
    s->edges = l2r_alloc(2 * n * PAIRS_A_NODE, sizeof *s->edges);
    s->label = l2r_alloc(n, sizeof *s->label);
    if (s->position && s->radius && s->sorted && s->pairs && s->edges && s->label) return L2R_OK;
    return l2r_fail_memory(error, n * PAIRS_A_NODE * sizeof *s->pairs, "a protein");
}

static enum l2r_status generate(struct l2r_dataset **data, const struct l2r_config *config, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_builder *builder = NULL;
    struct sketch sketch = {0};
    static const int32_t vocabulary[1] = {LABELS};
    const struct l2r_schema schema = {.name = "proteins",
                                      .task = L2R_TASK_MULTICLASS,
                                      .n_tasks = 1,
                                      .n_node_columns = 1,
                                      .node_vocabulary = vocabulary};
    L2R_TRY(sketch_init(&sketch, error));
    L2R_TRY(l2r_builder_new(&builder, &schema, error));
    for (int64_t g = 0; g < l2r_config_int(config, "graphs"); g++)
        L2R_TRY(add_protein(builder, &sketch, (uint64_t)l2r_config_int(config, "seed"), g, error));
    L2R_TRY(l2r_builder_finish(data, builder, error));
done:
    l2r_builder_free(builder);
    l2r_free(sketch.position), l2r_free(sketch.radius), l2r_free(sketch.sorted);
    l2r_free(sketch.pairs), l2r_free(sketch.edges), l2r_free(sketch.label);
    return status;
}

static const struct l2r_option options[] = {
    {.name = "graphs", .kind = L2R_OPTION_INT, .fallback = "500", .min = 1, .max = 1000000, .help = "number of graphs"},
    {.name = "seed", .kind = L2R_OPTION_INT, .fallback = "0", .max = 9007199254740991.0, .help = "seed of the graphs"},
    {0}};

const struct l2r_generator l2r_generator_proteins = {
    .name = "proteins",
    .description = "for benchmarks: graphs like those of DD (279 nodes, 702 edges), random labels",
    .options = options,
    .generate = generate,
};
