/* SPDX-License-Identifier: MIT
 *
 * GOOD-Motif (Gui et al. 2022): a house, a cycle or a crane on a base of one of five kinds. The motif is the label, but
 * for one graph in ten a random label. Node features are constant; a graph gets one random edge for every twenty that
 * it has, unless it would lie within the motif. What shifts is the kind of the base (domain=basis) or its size
 * (domain=size), and how:
 *
 *                        train (a third each)            valid     test      environments
 *     basis covariate    wheel, tree, ladder             star      path      the bases
 *     basis concept      base = label's: .99 .97 .95     .3        0         the three rates, valid, test
 *     size covariate     widths 6, 10, 15                30        70        the widths
 *     size concept       width = label's: .99 .97 .95    .3        0         the three rates, valid, test
 *     none               all bases, widths 10            the same            three random thirds, valid, test
 *
 * Covariate: 80 % of the graphs are drawn like train, of which the last 10 % + 10 % of all become id-valid and id-test;
 * 10 % valid, 10 % test. Concept: 60/20/20, and id-valid and id-test are the last 15 % + 15 % of train. In concept
 * shift a graph that does not take its label's base or width draws one of all three. None: 60/20/20 without id parts.
 * A width is the stated number ± 5, uniform, 10 ± 5 with domain=basis: nodes of a wheel or path, rungs of a ladder,
 * leaves of a star; a binary tree has height int(log2 width) - 1, at least 1.
 *
 * The published graphs are shuffled before the id parts are cut off; here the environment is drawn graph by graph,
 * which comes to the same. Graph g of a part is a function of (seed, part, g), the shift and its domain.
 */
#include "base/decimal.h"
#include "data/reader.h"
#include "data/sketch.h"

#include <math.h>
#include <stdio.h>

enum shift { COVARIATE, CONCEPT, NO_SHIFT };
enum { N_ENVIRONMENTS = 5, N_TRAIN = 3 /* environments that train */, SPREAD = 5 };

static const double spurious[N_ENVIRONMENTS] = {0.99, 0.97, 0.95, 0.3, 0.0};
static const int32_t covariate_width[N_ENVIRONMENTS] = {6, 10, 15, 30, 70}, concept_width[3] = {10, 40, 70};
static const double label_noise = 0.1, edge_noise = 0.05;

struct recipe {
    uint64_t seed;
    enum shift shift;
    bool size; /* domain=size */
    int64_t n[L2R_N_PARTS];
};

/* What a graph is made from. */
struct plan {
    enum l2r_base base;
    enum l2r_motif motif;
    int32_t width, environment;
};

static bool in_train(int part)
{
    return part != L2R_PART_VALID && part != L2R_PART_TEST;
}

/* The environment first: valid and test have one of their own. */
static struct plan draw_plan(struct l2r_rng *rng, const struct recipe *recipe, int part)
{
    struct plan plan = {.environment = in_train(part) ? (int32_t)l2r_rng_below(rng, N_TRAIN) : N_TRAIN + part - 1};
    int32_t middle = 10;
    plan.motif = (enum l2r_motif)l2r_rng_below(rng, L2R_N_MOTIFS);
    int32_t tied = (int32_t)plan.motif;
    if (recipe->shift == CONCEPT && l2r_rng_uniform(rng) >= spurious[plan.environment])
        tied = (int32_t)l2r_rng_below(rng, 3);
    if (recipe->shift == NO_SHIFT || recipe->size)
        plan.base = (enum l2r_base)l2r_rng_below(rng, L2R_N_BASES);
    else
        plan.base = (enum l2r_base)(recipe->shift == CONCEPT ? tied : plan.environment);
    if (recipe->size && recipe->shift == COVARIATE) middle = covariate_width[plan.environment];
    if (recipe->size && recipe->shift == CONCEPT) middle = concept_width[tied];
    plan.width = middle - SPREAD + (int32_t)l2r_rng_below(rng, 2 * SPREAD + 1);
    return plan;
}

static int32_t tree_height(int32_t width)
{
    int32_t height = -1;
    for (; width > 1; width /= 2) height++;
    return height < 1 ? 1 : height;
}

/* Nodes of the base whose edges may be added to: all, but of a star only the hub, and of a path not the ends. */
static bool is_open(const struct plan *plan, int32_t node, int32_t n_base)
{
    if (node >= n_base) return false;
    if (plan->base == L2R_BASE_STAR) return node == 0;
    return plan->base != L2R_BASE_PATH || (node > 0 && node + 1 < n_base);
}

/* A pair of nodes without an edge for every twenty edges; it is joined if one of the two is open. */
static void perturb(struct l2r_sketch *s, struct l2r_rng *rng, const struct plan *plan, int32_t n_base)
{
    int64_t tries = (int64_t)((double)s->n_edges * edge_noise);
    for (int64_t i = 0; i < tries && !s->failed; i++) {
        int32_t u, v;
        do {
            u = (int32_t)l2r_rng_below(rng, (uint64_t)s->n_nodes);
            v = (int32_t)l2r_rng_below(rng, (uint64_t)s->n_nodes);
        } while (u == v || l2r_sketch_has_edge(s, u, v));
        if (is_open(plan, u, n_base) || is_open(plan, v, n_base)) l2r_sketch_edge(s, u, v);
    }
}

static struct l2r_sketched draw_graph(struct l2r_sketch *s, const void *context, int part, int64_t graph)
{
    const struct recipe *recipe = context;
    struct l2r_rng rng = l2r_rng_at(recipe->seed, L2R_RANDOM_DATA, (uint64_t)part << 48 | (uint64_t)graph);
    const struct plan plan = draw_plan(&rng, recipe, part);
    l2r_sketch_base(s, plan.base, plan.base == L2R_BASE_TREE ? tree_height(plan.width) : plan.width, 2);
    int32_t n_base = s->n_nodes;
    l2r_sketch_plant(s, &rng, plan.motif);
    perturb(s, &rng, &plan, n_base);
    l2r_sketch_fill_features(s, 1, 1);
    float label = (float)plan.motif;
    if (l2r_rng_uniform(&rng) < label_noise) label = (float)l2r_rng_below(&rng, L2R_N_MOTIFS);
    return (struct l2r_sketched){.label = label, .environment = plan.environment};
}

/* The published shares of the graphs in all. */
static void count_parts(struct recipe *recipe, int64_t total)
{
    int64_t *n = recipe->n, held = recipe->shift == COVARIATE ? total / 10 : total / 5;
    int64_t train = recipe->shift == COVARIATE ? total * 8 / 10 : total * 6 / 10;
    n[L2R_PART_VALID] = n[L2R_PART_TEST] = held;
    if (recipe->shift == COVARIATE) n[L2R_PART_ID_VALID] = n[L2R_PART_ID_TEST] = total / 10;
    if (recipe->shift == CONCEPT) n[L2R_PART_ID_VALID] = n[L2R_PART_ID_TEST] = train * 15 / 100;
    n[L2R_PART_TRAIN] = train - 2 * n[L2R_PART_ID_VALID];
}

static void read_recipe(struct recipe *recipe, const struct l2r_config *config)
{
    *recipe = (struct recipe){.seed = (uint64_t)l2r_config_int(config, "seed"),
                              .size = l2r_config_is(config, "domain", "size"),
                              .shift = l2r_config_is(config, "shift", "covariate") ? COVARIATE
                                       : l2r_config_is(config, "shift", "concept") ? CONCEPT
                                                                                   : NO_SHIFT};
    count_parts(recipe, l2r_config_int(config, "graphs"));
}

static void name_environments(char names[N_ENVIRONMENTS][32], const struct recipe *recipe)
{
    for (int k = 0; k < N_ENVIRONMENTS; k++) {
        if (recipe->shift == COVARIATE && recipe->size)
            snprintf(names[k], 32, "width %d", (int)covariate_width[k]);
        else if (recipe->shift == COVARIATE)
            snprintf(names[k], 32, "%s", l2r_base_names[k]);
        else if (recipe->shift == CONCEPT)
            l2r_decimal_print(names[k], 32, "spurious %.2f", spurious[k]);
        else
            snprintf(names[k], 32, "%d", k);
    }
}

static enum l2r_status generate(struct l2r_dataset **data, const struct l2r_config *config, struct l2r_error *error)
{
    struct recipe recipe;
    char names[N_ENVIRONMENTS][32];
    const char *listed[N_ENVIRONMENTS];
    read_recipe(&recipe, config);
    name_environments(names, &recipe);
    for (int k = 0; k < N_ENVIRONMENTS; k++) listed[k] = names[k];
    const struct l2r_sketch_set set = {.name = "goodmotif",
                                       .n_features = 1,
                                       .n_classes = L2R_N_MOTIFS,
                                       .n_environments = N_ENVIRONMENTS,
                                       .environment_names = listed,
                                       .recipe = &recipe,
                                       .draw = draw_graph,
                                       .n_graphs = recipe.n,
                                       .n_parts = L2R_N_PARTS};
    return l2r_sketch_generate(data, &set, error);
}

static const struct l2r_option options[] = {
    {.name = "domain",
     .kind = L2R_OPTION_CHOICE,
     .choices = "basis|size",
     .fallback = "basis",
     .help = "what differs between environments: the kind of the base, or its size"},
    {.name = "shift",
     .kind = L2R_OPTION_CHOICE,
     .choices = "covariate|concept|none",
     .fallback = "covariate",
     .help = "covariate: valid and test have bases or sizes of their own; concept: in training they go with the label"},
    {.name = "graphs",
     .kind = L2R_OPTION_INT,
     .fallback = "30000",
     .min = 20,
     .max = 10000000,
     .help = "graphs in all parts together, in the published shares"},
    L2R_OPTION_GRAPH_SEED,
    {0}};

const struct l2r_generator l2r_generator_goodmotif = {
    .name = "goodmotif",
    .description = "synthetic: GOOD-Motif, house, cycle or crane on five kinds of bases; basis or size shifts",
    .options = options,
    .generate = generate,
};
