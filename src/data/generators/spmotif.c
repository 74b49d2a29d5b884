/* SPDX-License-Identifier: MIT
 *
 * SPMotif (Wu et al. 2022, DIR): which motif hangs on the base? The motif is the label; in training the base predicts
 * it too.
 *
 *     class   motif    base that goes with it      width of the base (height, rungs, nodes)     test-bases=large
 *     0       cycle    tree, 2 or 3 children       0 to 2                                       3 to 5
 *     1       house    ladder                      8 to 11                                      30 to 49
 *     2       crane    wheel                       15 to 19                                     60 to 79
 *
 *     P(base of the class) = bias,   each other base (1 - bias) / 2
 *
 * Validation and test have bias 1/3: the base is not predictive there, and a model that relies on it fails.
 * Environments are the bases, marks the nodes of the motif. Node features are uniform noise in [0, 1). The published
 * test part has the large bases, which moves the sizes as well (test-bases=large); with small ones the shift is the
 * bias alone. Published counts per class: 1000, 1000, 2000.
 *
 * Graph g of a part is a function of (seed, part, g), the options and nothing else: a larger set starts with the
 * smaller one.
 */
#include "data/reader.h"
#include "data/sketch.h"

#include <stdio.h>
#include <string.h>

enum { N_CLASSES = 3, MOST = 1000, TALLEST = 9 };

static const struct {
    enum l2r_motif motif;
    enum l2r_base base;
    const char *option;  /* names the environment too */
    int32_t large[2];    /* the published range of the large test part */
    int32_t least, most; /* that make a graph of sensible size */
} class_of[N_CLASSES] = {{L2R_MOTIF_CYCLE, L2R_BASE_TREE, "tree", {3, 5}, 0, TALLEST},
                         {L2R_MOTIF_HOUSE, L2R_BASE_LADDER, "ladder", {30, 49}, 1, MOST},
                         {L2R_MOTIF_CRANE, L2R_BASE_WHEEL, "wheel", {60, 79}, 1, MOST}};

struct recipe {
    uint64_t seed;
    int64_t n_graphs[3]; /* by part */
    double bias[3];
    int32_t width[3][N_CLASSES][2]; /* by part and base: least and most */
    int32_t n_features;
};

/* "8-11", or "8" for 8-8. */
static enum l2r_status read_range(int32_t range[2], const struct l2r_config *config, int k, struct l2r_error *error)
{
    const char *text = l2r_config_text(config, class_of[k].option);
    int first = 0, last = 0, end = 0;
    int n = sscanf(text, "%5d-%5d%n", &first, &last, &end);
    if (n == 1) n = sscanf(text, "%5d%n", &first, &end) + 1, last = first;
    if (n != 2 || text[end] != '\0' || first < class_of[k].least || last > class_of[k].most || first > last)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "spmotif: %s=%s; expected a range such as %s within %d-%d",
                        class_of[k].option, text, k == 0 ? "0-2" : "8-11", (int)class_of[k].least,
                        (int)class_of[k].most);
    range[0] = first;
    range[1] = last;
    return L2R_OK;
}

static enum l2r_status read_recipe(struct recipe *recipe, const struct l2r_config *config, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    static const char *const count_option[3] = {"train", "valid", "test"};
    static const char *const bias_option[3] = {"bias", "valid-bias", "test-bias"};
    bool large = l2r_config_is(config, "test-bases", "large");
    recipe->seed = (uint64_t)l2r_config_int(config, "seed");
    recipe->n_features = (int32_t)l2r_config_int(config, "features");
    for (int part = 0; part < 3; part++) {
        recipe->n_graphs[part] = l2r_config_int(config, count_option[part]);
        recipe->bias[part] = l2r_config_real(config, bias_option[part]);
        for (int k = 0; k < N_CLASSES; k++) {
            L2R_TRY(read_range(recipe->width[part][k], config, k, error));
            if (part == L2R_PART_TEST && large) memcpy(recipe->width[part][k], class_of[k].large, sizeof(int32_t[2]));
        }
    }
    if (recipe->n_graphs[0] + recipe->n_graphs[1] + recipe->n_graphs[2] == 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "spmotif: train, valid and test are all 0; at least one graph is needed");
done:
    return status;
}

/* The environment is the class whose base it got. */
static struct l2r_sketched draw_graph(struct l2r_sketch *s, const void *context, int part, int64_t graph)
{
    const struct recipe *recipe = context;
    struct l2r_rng rng = l2r_rng_at(recipe->seed, L2R_RANDOM_DATA, (uint64_t)part << 48 | (uint64_t)graph);
    int label = (int)(graph % N_CLASSES), k = label;
    if (l2r_rng_uniform(&rng) >= recipe->bias[part])
        k = (label + 1 + (int)l2r_rng_below(&rng, N_CLASSES - 1)) % N_CLASSES;
    const int32_t *range = recipe->width[part][k];
    int32_t width = range[0] + (int32_t)l2r_rng_below(&rng, (uint64_t)(range[1] - range[0] + 1));
    int32_t branches = 2 + (int32_t)l2r_rng_below(&rng, 2);
    l2r_sketch_base(s, class_of[k].base, width, branches);
    l2r_sketch_plant(s, &rng, class_of[label].motif);
    l2r_sketch_draw_features(s, &rng, recipe->n_features);
    return (struct l2r_sketched){.label = (float)label, .environment = k};
}

static enum l2r_status generate(struct l2r_dataset **data, const struct l2r_config *config, struct l2r_error *error)
{
    struct recipe recipe = {0};
    const char *names[N_CLASSES];
    for (int k = 0; k < N_CLASSES; k++) names[k] = class_of[k].option;
    enum l2r_status status = read_recipe(&recipe, config, error);
    if (status != L2R_OK) return status;
    const struct l2r_sketch_set set = {.name = "spmotif",
                                       .n_features = recipe.n_features,
                                       .n_classes = N_CLASSES,
                                       .n_environments = N_CLASSES,
                                       .environment_names = names,
                                       .recipe = &recipe,
                                       .draw = draw_graph,
                                       .n_graphs = recipe.n_graphs,
                                       .n_parts = 3};
    return l2r_sketch_generate(data, &set, error);
}

#define RANGE(NAME, DEFAULT, HELP)                                                                                     \
    {                                                                                                                  \
        .name = NAME, .kind = L2R_OPTION_TEXT, .fallback = DEFAULT, .value = "A-B", .help = HELP                       \
    }

static const struct l2r_option options[] = {
    L2R_OPTION_SHARE("bias", "0.9", "share of the training graphs whose base goes with the label; 0.3333 is unbiased"),
    L2R_OPTION_SHARE("valid-bias", "0.33333333333333331", "the same for validation"),
    L2R_OPTION_SHARE("test-bias", "0.33333333333333331", "the same for test"),
    L2R_OPTION_GRAPHS("train", "3000", "training graphs; classes take turns"),
    L2R_OPTION_GRAPHS("valid", "3000", "validation graphs"),
    L2R_OPTION_GRAPHS("test", "6000", "test graphs"),
    L2R_OPTION_GRAPH_SEED,
    RANGE("tree", "0-2", "heights of the trees"),
    RANGE("ladder", "8-11", "rungs of the ladders"),
    RANGE("wheel", "15-19", "nodes of the wheels"),
    {.name = "test-bases",
     .kind = L2R_OPTION_CHOICE,
     .choices = "small|large",
     .fallback = "small",
     .help = "large: the test part's trees have height 3 to 5, ladders 30 to 49 rungs, wheels 60 to 79 nodes, as "
             "published"},
    L2R_OPTION_NODE_FEATURES("4"),
    {0}};

const struct l2r_generator l2r_generator_spmotif = {
    .name = "spmotif",
    .description = "synthetic: SPMotif, cycle, house or crane on a base that goes with the label at rate bias",
    .options = options,
    .generate = generate,
};
