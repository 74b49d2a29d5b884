/* SPDX-License-Identifier: MIT
 * See sketch.h. Nodes are numbered as networkx numbers them (a ladder's second rail after its first, a tree level by
 * level), so that graphs can be compared with published generators by eye. */
#include "data/sketch.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

enum { MOST_CLASSES = 3 };

const char *const l2r_base_names[L2R_N_BASES] = {"wheel", "tree", "ladder", "star", "path"};
const char *const l2r_motif_names[L2R_N_MOTIFS] = {"house", "cycle", "crane"};

void l2r_sketch_clear(struct l2r_sketch *s)
{
    l2r_free(s->edges);
    l2r_free(s->mark);
    l2r_free(s->category);
    l2r_free(s->features);
    *s = (struct l2r_sketch){0};
}

void l2r_sketch_empty(struct l2r_sketch *s)
{
    s->n_nodes = 0;
    s->n_edges = 0;
}

int32_t l2r_sketch_nodes(struct l2r_sketch *s, int32_t n, uint8_t mark)
{
    int32_t first = s->n_nodes;
    size_t total = (size_t)first + (size_t)n;
    if (s->failed || !l2r_reserve((void **)&s->mark, &s->mark_room, total, sizeof *s->mark) ||
        !l2r_reserve((void **)&s->category, &s->category_room, total, sizeof *s->category)) {
        s->failed = true;
        return first;
    }
    memset(s->mark + first, mark, (size_t)n);
    memset(s->category + first, 0, (size_t)n * sizeof *s->category);
    s->n_nodes += n;
    return first;
}

void l2r_sketch_edge(struct l2r_sketch *s, int32_t a, int32_t b)
{
    if (s->failed || !l2r_reserve((void **)&s->edges, &s->edge_room, 2 * (size_t)s->n_edges + 2, sizeof *s->edges)) {
        s->failed = true;
        return;
    }
    s->edges[2 * s->n_edges] = a;
    s->edges[2 * s->n_edges + 1] = b;
    s->n_edges++;
}

bool l2r_sketch_has_edge(const struct l2r_sketch *s, int32_t a, int32_t b)
{
    for (int64_t e = 0; e < s->n_edges; e++) {
        int32_t u = s->edges[2 * e], v = s->edges[2 * e + 1];
        if ((u == a && v == b) || (u == b && v == a)) return true;
    }
    return false;
}

void l2r_sketch_circle(struct l2r_sketch *s, int32_t first, int32_t n)
{
    int32_t n_edges = n < 3 ? n - 1 : n;
    for (int32_t i = 0; i < n_edges; i++) l2r_sketch_edge(s, first + i, first + (i + 1) % n);
}

void l2r_sketch_star(struct l2r_sketch *s, int32_t first, int32_t n)
{
    for (int32_t i = 1; i < n; i++) l2r_sketch_edge(s, first, first + i);
}

void l2r_sketch_path(struct l2r_sketch *s, int32_t first, int32_t n)
{
    for (int32_t i = 1; i < n; i++) l2r_sketch_edge(s, first + i - 1, first + i);
}

static void add_wheel(struct l2r_sketch *s, int32_t width)
{
    int32_t first = l2r_sketch_nodes(s, width, 0);
    l2r_sketch_star(s, first, width);
    l2r_sketch_circle(s, first + 1, width - 1);
}

/* Each node waits until the level above it is there, so children follow in the order of their parents. */
static void add_tree(struct l2r_sketch *s, int32_t height, int32_t branches)
{
    int32_t level = 1, parent = l2r_sketch_nodes(s, 1, 0);
    for (int32_t h = 0; h < height; h++) {
        int32_t first = l2r_sketch_nodes(s, level * branches, 0);
        for (int32_t i = 0; i < level * branches; i++) l2r_sketch_edge(s, parent + i / branches, first + i);
        parent = first;
        level *= branches;
    }
}

static void add_ladder(struct l2r_sketch *s, int32_t rungs)
{
    int32_t first = l2r_sketch_nodes(s, 2 * rungs, 0);
    l2r_sketch_path(s, first, rungs);
    l2r_sketch_path(s, first + rungs, rungs);
    for (int32_t i = 0; i < rungs; i++) l2r_sketch_edge(s, first + i, first + rungs + i);
}

void l2r_sketch_base(struct l2r_sketch *s, enum l2r_base kind, int32_t width, int32_t branches)
{
    switch (kind) {
    case L2R_BASE_WHEEL:
        add_wheel(s, width);
        break;
    case L2R_BASE_TREE:
        add_tree(s, width, branches);
        break;
    case L2R_BASE_LADDER:
        add_ladder(s, width);
        break;
    case L2R_BASE_STAR:
        l2r_sketch_star(s, l2r_sketch_nodes(s, width + 1, 0), width + 1);
        break;
    default:
        l2r_sketch_path(s, l2r_sketch_nodes(s, width, 0), width);
    }
}

/* A circle of five; the house has one chord, below its roof, the crane two, from the node that it hangs on. */
void l2r_sketch_plant(struct l2r_sketch *s, struct l2r_rng *rng, enum l2r_motif kind)
{
    if (s->failed) return;
    int32_t hook = (int32_t)l2r_rng_below(rng, (uint64_t)s->n_nodes);
    int32_t first = l2r_sketch_nodes(s, 5, 1);
    l2r_sketch_circle(s, first, 5);
    if (kind == L2R_MOTIF_HOUSE) l2r_sketch_edge(s, first + 1, first + 4);
    if (kind == L2R_MOTIF_CRANE) {
        l2r_sketch_edge(s, first, first + 2);
        l2r_sketch_edge(s, first, first + 3);
    }
    l2r_sketch_edge(s, first, hook);
}

static bool reserve_features(struct l2r_sketch *s, int64_t n)
{
    if (!s->failed && n > 0 && !l2r_reserve((void **)&s->features, &s->feature_room, (size_t)n, sizeof *s->features))
        s->failed = true;
    return !s->failed;
}

void l2r_sketch_draw_features(struct l2r_sketch *s, struct l2r_rng *rng, int32_t n_features)
{
    int64_t n = (int64_t)s->n_nodes * n_features;
    if (!reserve_features(s, n)) return;
    for (int64_t i = 0; i < n; i++) s->features[i] = (float)l2r_rng_uniform(rng);
}

void l2r_sketch_fill_features(struct l2r_sketch *s, float value, int32_t n_features)
{
    int64_t n = (int64_t)s->n_nodes * n_features;
    if (!reserve_features(s, n)) return;
    for (int64_t i = 0; i < n; i++) s->features[i] = value;
}

static enum l2r_status add(struct l2r_builder *builder, const struct l2r_sketch *s, struct l2r_sketched graph, int part,
                           struct l2r_error *error)
{
    if (s->failed) return l2r_fail_memory(error, 0, "a generated graph");
    const struct l2r_graph_view view = {.n_nodes = s->n_nodes,
                                        .n_edges = s->n_edges,
                                        .edges = s->edges,
                                        .node_rows = s->category,
                                        .node_real = s->features,
                                        .node_mark = s->mark,
                                        .labels = &graph.label,
                                        .part = part,
                                        .environment = graph.environment};
    return l2r_builder_add(builder, &view, error);
}

enum l2r_status l2r_sketch_generate(struct l2r_dataset **data, const struct l2r_sketch_set *set,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_sketch sketch = {0};
    struct l2r_builder *builder = NULL;
    static const int32_t one_value[1] = {1};
    static const int64_t classes[MOST_CLASSES] = {0, 1, 2};
    assert(set->n_classes <= MOST_CLASSES);
    const struct l2r_schema schema = {.name = set->name,
                                      .task = L2R_TASK_MULTICLASS,
                                      .n_tasks = 1,
                                      .n_node_columns = set->n_features > 0 ? 0 : 1,
                                      .n_node_reals = set->n_features,
                                      .node_vocabulary = one_value,
                                      .n_classes = set->n_classes,
                                      .class_value = set->n_classes > 0 ? classes : NULL,
                                      .has_marks = true,
                                      .n_environments = set->n_environments,
                                      .environment_names = set->environment_names};
    L2R_TRY(l2r_builder_new(&builder, &schema, error));
    for (int part = 0; part < set->n_parts; part++)
        for (int64_t g = 0; g < set->n_graphs[part]; g++) {
            l2r_sketch_empty(&sketch);
            struct l2r_sketched graph = set->draw(&sketch, set->recipe, part, g);
            L2R_TRY(add(builder, &sketch, graph, part, error));
        }
    L2R_TRY(l2r_builder_finish(data, builder, error));
done:
    l2r_builder_free(builder);
    l2r_sketch_clear(&sketch);
    return status;
}
