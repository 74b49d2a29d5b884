/* SPDX-License-Identifier: MIT
 *
 * The motif task: does the graph hold a wheel? Every graph is two small motifs that are joined by a few edges.
 *
 *                 first motif                          second motif
 *     positive    wheel                                star with probability mu, else circle, grid or diamond
 *     negative    star, circle, grid or diamond        star, circle, grid or diamond
 *
 * The wheel alone decides the label. A large mu makes stars common among the positives of the training part, and a
 * model that learns "star" instead of "wheel" fails on the test part, where mu = 1/4 makes the star as likely in
 * both classes. (For that the positives that get no star draw from the OTHER three motifs.)
 *
 * All motifs have the same number of nodes by default, so counting nodes does not help. Counting edges does: a wheel of
 * n nodes has 2n-2 of them, a diamond strip 2n-3, a grid about 2n-6, a circle n, a star n-1. The threshold on edges
 * that is best in the training part scores 76 to 78 % on the test part, 67 to 69 % with vary=2; a model has to beat
 * that. Node features carry no information: they are drawn from one uniform distribution (features=K numbers a node; 0:
 * one category for all). Marks show which nodes belong to motif 1 and which to motif 2.
 *
 * negative-mu makes the star rare among negatives too: it is then the second motif of that share of the negative
 * training graphs and of no other (test-negative-mu = 1/4 keeps the test part balanced). Without it three stars in ten
 * training graphs contradict the shortcut, which is why even plain training loses little.
 *
 * Environments: does the graph hold a star?
 *
 * Graph g of a part is a function of (seed, part, g) and of the sizes: a larger set starts with the smaller one.
 */
#include "data/reader.h"
#include "data/sketch.h"

#include <math.h>

enum motif { STAR, CIRCLE, GRID, DIAMOND, WHEEL, N_MOTIFS };
enum { N_CANDIDATES = WHEEL, SMALLEST = 4, LARGEST = 1000 };

static const char *const size_option[N_MOTIFS] = {"star", "circle", "grid", "diamond", "wheel"};
static const double join_probability = 0.25;

struct recipe {
    uint64_t seed;
    int64_t n_graphs[3]; /* by part */
    double mu[3], negative_mu[3];
    bool rare; /* negative_mu was given */
    int32_t size[N_MOTIFS];
    int32_t vary;
    int32_t n_features;
};

/* Filled row by row, as nearly square as n allows: 9 is 3×3, 7 is 3 + 3 + 1. */
static void add_grid(struct l2r_sketch *s, int32_t first, int32_t n)
{
    int32_t width = (int32_t)lround(sqrt((double)n));
    for (int32_t i = 0; i < n; i++) {
        if ((i + 1) % width != 0 && i + 1 < n) l2r_sketch_edge(s, first + i, first + i + 1);
        if (i + width < n) l2r_sketch_edge(s, first + i, first + i + width);
    }
}

/* A strip of triangles: any four nodes in a row are a diamond, and n = 4 is the diamond graph itself. */
static void add_diamond(struct l2r_sketch *s, int32_t first, int32_t n)
{
    for (int32_t i = 1; i < n; i++) {
        l2r_sketch_edge(s, first + i - 1, first + i);
        if (i > 1) l2r_sketch_edge(s, first + i - 2, first + i);
    }
}

static void add_motif(struct l2r_sketch *s, enum motif kind, int32_t n, uint8_t mark)
{
    int32_t first = l2r_sketch_nodes(s, n, mark);
    switch (kind) {
    case STAR:
        l2r_sketch_star(s, first, n);
        break;
    case CIRCLE:
        l2r_sketch_circle(s, first, n);
        break;
    case GRID:
        add_grid(s, first, n);
        break;
    case DIAMOND:
        add_diamond(s, first, n);
        break;
    default: /* a star whose leaves form a circle */
        l2r_sketch_star(s, first, n);
        l2r_sketch_circle(s, first + 1, n - 1);
    }
}

/* Each vertex of the first motif sends an edge with probability 1/4; when none did, a random one has to. */
static void join_motifs(struct l2r_sketch *s, struct l2r_rng *rng, int32_t n_first)
{
    uint64_t n_second = (uint64_t)(s->n_nodes - n_first);
    int64_t before = s->n_edges;
    if (s->failed) return;
    for (int32_t i = 0; i < n_first; i++)
        if (l2r_rng_uniform(rng) < join_probability)
            l2r_sketch_edge(s, i, n_first + (int32_t)l2r_rng_below(rng, n_second));
    if (s->n_edges == before) {
        int32_t from = (int32_t)l2r_rng_below(rng, (uint64_t)n_first);
        l2r_sketch_edge(s, from, n_first + (int32_t)l2r_rng_below(rng, n_second));
    }
}

static int32_t draw_size(struct l2r_rng *rng, const struct recipe *recipe, enum motif kind)
{
    return recipe->size[kind] - recipe->vary + (int32_t)l2r_rng_below(rng, 2 * (uint64_t)recipe->vary + 1);
}

/* One that is no star, unless the rate says so. */
static enum motif draw_second(struct l2r_rng *rng, double star_rate)
{
    if (l2r_rng_uniform(rng) < star_rate) return STAR;
    return (enum motif)(1 + l2r_rng_below(rng, N_CANDIDATES - 1));
}

/* Odd graphs are positive: both classes are equally frequent in every part. */
static struct l2r_sketched draw_graph(struct l2r_sketch *s, const void *context, int part, int64_t graph)
{
    const struct recipe *recipe = context;
    struct l2r_rng rng = l2r_rng_at(recipe->seed, L2R_RANDOM_DATA, (uint64_t)part << 48 | (uint64_t)graph);
    enum motif first, second;
    if (graph % 2 == 1) {
        first = WHEEL;
        second = draw_second(&rng, recipe->mu[part]);
    } else if (recipe->rare) {
        first = (enum motif)(1 + l2r_rng_below(&rng, N_CANDIDATES - 1));
        second = draw_second(&rng, recipe->negative_mu[part]);
    } else {
        first = (enum motif)l2r_rng_below(&rng, N_CANDIDATES);
        second = (enum motif)l2r_rng_below(&rng, N_CANDIDATES);
    }
    int32_t n_first = draw_size(&rng, recipe, first);
    add_motif(s, first, n_first, 1);
    add_motif(s, second, draw_size(&rng, recipe, second), 2);
    join_motifs(s, &rng, n_first);
    l2r_sketch_draw_features(s, &rng, recipe->n_features);
    return (struct l2r_sketched){.label = graph % 2 == 1 ? 1 : 0, .environment = first == STAR || second == STAR};
}

static enum l2r_status read_recipe(struct recipe *recipe, const struct l2r_config *config, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    static const char *const count_option[3] = {"train", "valid", "test"};
    static const char *const mu_option[3] = {"mu", "valid-mu", "test-mu"};
    static const char *const negative_option[3] = {"negative-mu", "valid-negative-mu", "test-negative-mu"};
    recipe->rare = l2r_config_real(config, "negative-mu") >= 0;
    recipe->seed = (uint64_t)l2r_config_int(config, "seed");
    recipe->vary = (int32_t)l2r_config_int(config, "vary");
    recipe->n_features = (int32_t)l2r_config_int(config, "features");
    for (int part = 0; part < 3; part++) {
        recipe->n_graphs[part] = l2r_config_int(config, count_option[part]);
        recipe->mu[part] = l2r_config_real(config, mu_option[part]);
        if (recipe->rare) recipe->negative_mu[part] = l2r_config_real(config, negative_option[part]);
        if (!recipe->rare && part > 0 && l2r_config_was_set(config, negative_option[part]))
            L2R_FAIL(L2R_ERR_ARGUMENT, "motif: %s has no effect without negative-mu", negative_option[part]);
    }
    if (recipe->n_graphs[0] + recipe->n_graphs[1] + recipe->n_graphs[2] == 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "motif: train, valid and test are all 0; at least one graph is needed");
    for (int kind = 0; kind < N_MOTIFS; kind++) {
        const char *name = l2r_config_int(config, size_option[kind]) ? size_option[kind] : "size";
        recipe->size[kind] = (int32_t)l2r_config_int(config, name);
        if (recipe->size[kind] - recipe->vary < SMALLEST)
            L2R_FAIL(L2R_ERR_ARGUMENT, "motif: %s=%d with vary=%d could give a %s of %d nodes; the smallest has %d",
                     name, (int)recipe->size[kind], (int)recipe->vary, size_option[kind],
                     (int)(recipe->size[kind] - recipe->vary), SMALLEST);
    }
done:
    return status;
}

static enum l2r_status generate(struct l2r_dataset **data, const struct l2r_config *config, struct l2r_error *error)
{
    struct recipe recipe = {0};
    static const char *const groups[2] = {"no star", "star"};
    enum l2r_status status = read_recipe(&recipe, config, error);
    if (status != L2R_OK) return status;
    const struct l2r_sketch_set set = {.name = "motif",
                                       .n_features = recipe.n_features,
                                       .n_environments = 2,
                                       .environment_names = groups,
                                       .recipe = &recipe,
                                       .draw = draw_graph,
                                       .n_graphs = recipe.n_graphs,
                                       .n_parts = 3};
    return l2r_sketch_generate(data, &set, error);
}

#define SIZE(NAME)                                                                                                     \
    {                                                                                                                  \
        .name = NAME, .kind = L2R_OPTION_INT, .fallback = "0", .max = LARGEST, .help = "nodes of a " NAME "; 0: size"  \
    }

static const struct l2r_option options[] = {
    L2R_OPTION_SHARE("mu", "0.8", "share of the positive training graphs that get a star"),
    L2R_OPTION_SHARE("valid-mu", "0.5", "the same for validation"),
    L2R_OPTION_SHARE("test-mu", "0.25", "the same for test; 0.25 is unbiased"),
    {.name = "negative-mu",
     .kind = L2R_OPTION_REAL,
     .fallback = "-1",
     .min = -1,
     .max = 1,
     .help = "share of the negative training graphs that get a star; -1: all motifs alike, 7 in 16 hold one"},
    L2R_OPTION_SHARE("valid-negative-mu", "0.25", "with negative-mu: the same for validation"),
    L2R_OPTION_SHARE("test-negative-mu", "0.25", "with negative-mu: the same for test"),
    L2R_OPTION_GRAPHS("train", "2000", "training graphs"),
    L2R_OPTION_GRAPHS("valid", "1000", "validation graphs"),
    L2R_OPTION_GRAPHS("test", "1000", "test graphs"),
    L2R_OPTION_GRAPH_SEED,
    {.name = "size",
     .kind = L2R_OPTION_INT,
     .fallback = "9",
     .min = SMALLEST,
     .max = LARGEST,
     .help = "nodes of a motif"},
    {.name = "vary",
     .kind = L2R_OPTION_INT,
     .fallback = "0",
     .max = LARGEST,
     .help = "sizes vary by up to this many nodes"},
    L2R_OPTION_NODE_FEATURES("1"),
    SIZE("wheel"),
    SIZE("star"),
    SIZE("circle"),
    SIZE("grid"),
    SIZE("diamond"),
    {0}};

const struct l2r_generator l2r_generator_motif = {
    .name = "motif",
    .description = "synthetic: detect a wheel; in training only, a star occurs with it at rate mu",
    .options = options,
    .generate = generate,
};
