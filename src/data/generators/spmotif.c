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
 * Validation and test have bias 1/3: the base says nothing there, and a model that learned it fails. Environments are
 * the bases, marks the nodes of the motif. Node features are uniform noise in [0, 1). The published test part has the
 * large bases, which moves the sizes as well (test-bases=large); with small ones the shift is the bias alone. Published
 * counts per class: 1000, 1000, 2000.
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

/* Returns the class whose base it got. */
static int draw_graph(struct l2r_sketch *s, const struct recipe *recipe, int part, int64_t graph)
{
    struct l2r_rng rng = l2r_rng_at(recipe->seed, L2R_RANDOM_DATA, (uint64_t)part << 48 | (uint64_t)graph);
    int label = (int)(graph % N_CLASSES), k = label;
    if (l2r_rng_uniform(&rng) >= recipe->bias[part])
        k = (label + 1 + (int)l2r_rng_below(&rng, N_CLASSES - 1)) % N_CLASSES;
    const int32_t *range = recipe->width[part][k];
    int32_t width = range[0] + (int32_t)l2r_rng_below(&rng, (uint64_t)(range[1] - range[0] + 1));
    int32_t branches = 2 + (int32_t)l2r_rng_below(&rng, 2);
    l2r_sketch_empty(s);
    l2r_sketch_base(s, class_of[k].base, width, branches);
    l2r_sketch_plant(s, &rng, class_of[label].motif);
    l2r_sketch_draw_features(s, &rng, recipe->n_features);
    return k;
}

static enum l2r_status add_part(struct l2r_builder *builder, struct l2r_sketch *s, const struct recipe *recipe,
                                int part, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    for (int64_t g = 0; g < recipe->n_graphs[part]; g++) {
        float label = (float)(g % N_CLASSES);
        struct l2r_graph_view view = {.labels = &label, .part = part};
        view.environment = draw_graph(s, recipe, part, g);
        L2R_TRY(l2r_sketch_add(builder, s, view, error));
    }
done:
    return status;
}

static enum l2r_status generate(struct l2r_dataset **data, const struct l2r_config *config, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct recipe recipe = {0};
    struct l2r_sketch sketch = {0};
    struct l2r_builder *builder = NULL;
    static const int32_t one_value[1] = {1};
    static const int64_t classes[N_CLASSES] = {0, 1, 2};
    const char *names[N_CLASSES];
    for (int k = 0; k < N_CLASSES; k++) names[k] = class_of[k].option;
    L2R_TRY(read_recipe(&recipe, config, error));
    const struct l2r_schema schema = {.name = "spmotif",
                                      .task = L2R_TASK_MULTICLASS,
                                      .n_tasks = 1,
                                      .n_node_columns = recipe.n_features > 0 ? 0 : 1,
                                      .n_node_reals = recipe.n_features,
                                      .node_vocabulary = one_value,
                                      .n_classes = N_CLASSES,
                                      .class_value = classes,
                                      .has_marks = true,
                                      .n_environments = N_CLASSES,
                                      .environment_names = names};
    L2R_TRY(l2r_builder_new(&builder, &schema, error));
    for (int part = 0; part < 3; part++) L2R_TRY(add_part(builder, &sketch, &recipe, part, error));
    L2R_TRY(l2r_builder_finish(data, builder, error));
done:
    l2r_builder_free(builder);
    l2r_sketch_clear(&sketch);
    return status;
}

#define COUNT(NAME, DEFAULT, HELP)                                                                                     \
    {                                                                                                                  \
        .name = NAME, .kind = L2R_OPTION_INT, .fallback = DEFAULT, .min = 0, .max = 10000000, .help = HELP             \
    }
#define BIAS(NAME, DEFAULT, HELP)                                                                                      \
    {                                                                                                                  \
        .name = NAME, .kind = L2R_OPTION_REAL, .fallback = DEFAULT, .min = 0, .max = 1, .help = HELP                   \
    }
#define RANGE(NAME, DEFAULT, HELP)                                                                                     \
    {                                                                                                                  \
        .name = NAME, .kind = L2R_OPTION_TEXT, .fallback = DEFAULT, .value = "A-B", .help = HELP                       \
    }

static const struct l2r_option options[] = {
    BIAS("bias", "0.9", "share of the training graphs whose base goes with the label; 0.3333 is unbiased"),
    BIAS("valid-bias", "0.33333333333333331", "the same for validation"),
    BIAS("test-bias", "0.33333333333333331", "the same for test"),
    COUNT("train", "3000", "training graphs; classes take turns"),
    COUNT("valid", "3000", "validation graphs"),
    COUNT("test", "6000", "test graphs"),
    {.name = "seed", .kind = L2R_OPTION_INT, .fallback = "0", .max = 9007199254740991.0, .help = "seed of the graphs"},
    RANGE("tree", "0-2", "heights of the trees"),
    RANGE("ladder", "8-11", "rungs of the ladders"),
    RANGE("wheel", "15-19", "nodes of the wheels"),
    {.name = "test-bases",
     .kind = L2R_OPTION_CHOICE,
     .choices = "small|large",
     .fallback = "small",
     .help = "large: the test part's trees have height 3 to 5, ladders 30 to 49 rungs, wheels 60 to 79 nodes, as "
             "published"},
    {.name = "features",
     .kind = L2R_OPTION_INT,
     .fallback = "4",
     .max = 1000,
     .help = "uniform random features per node; 0: all nodes share one category"},
    {0}};

const struct l2r_generator l2r_generator_spmotif = {
    .name = "spmotif",
    .description = "synthetic: SPMotif, cycle, house or crane on a base that goes with the label at rate bias",
    .options = options,
    .generate = generate,
};
