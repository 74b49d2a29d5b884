/* SPDX-License-Identifier: MIT
 *
 * A generator to copy: one ring or two. Every graph has `size` nodes of degree 2,
 *
 *     class 0   one ring of n nodes                o--o--o          o--o--o
 *                                                  |     |
 *     class 1   two rings of n/2 nodes             o--o--o          o--o--o   (ends joined)
 *
 * so every node sees the same neighbourhood in both classes: Weisfeiler–Lehman colours cannot tell the graphs apart,
 * and neither can message passing. Any backbone stays at an accuracy of one half, however long it trains.
 *
 * As src/data/generators/rings.c it is `--data rings:size=12` and `l2r data make rings`. docs/adding-a-reader.md walks
 * through it.
 */
#include "base/memory.h"
#include "data/builder.h"
#include "data/reader.h"

#include <assert.h>

static const struct l2r_option options[] = {
    {.name = "size",
     .kind = L2R_OPTION_INT,
     .fallback = "12",
     .min = 6,
     .max = 10000,
     .help = "nodes of a graph; an odd number is rounded down"},
    {.name = "graphs", .kind = L2R_OPTION_INT, .fallback = "200", .min = 2, .max = 1000000, .help = "how many graphs"},
    {0}};

/* Edges of rings of `length` nodes over all n nodes; n is a multiple of the length. */
static void join_rings(int32_t *edges /* [n × 2] */, int32_t n, int32_t length)
{
    assert(length > 0 && n % length == 0);
    for (int32_t v = 0; v < n; v++) {
        int32_t first = v / length * length;
        edges[2 * v] = v;
        edges[2 * v + 1] = first + (v - first + 1) % length;
    }
}

static enum l2r_status generate(struct l2r_dataset **data, const struct l2r_config *config, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_builder *builder = NULL;
    int32_t n = (int32_t)l2r_config_int(config, "size") / 2 * 2;
    int64_t n_graphs = l2r_config_int(config, "graphs");
    const struct l2r_schema schema = {
        .name = "rings", .task = L2R_TASK_MULTICLASS, .n_tasks = 1, .degree_as_feature = true};
    int32_t *edges = l2r_alloc(2 * (size_t)n, sizeof *edges);
    if (!edges) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the edges of a ring of %d nodes", (int)n);
    L2R_TRY(l2r_builder_new(&builder, &schema, error));
    for (int64_t i = 0; i < n_graphs; i++) {
        const float label = (float)(i % 2);
        const struct l2r_graph_view view = {
            .n_nodes = n, .n_edges = n, .edges = edges, .labels = &label, .part = L2R_PART_NONE};
        join_rings(edges, n, i % 2 ? n / 2 : n);
        L2R_TRY(l2r_builder_add(builder, &view, error));
    }
    L2R_TRY(l2r_builder_finish(data, builder, error));
done:
    l2r_builder_free(builder);
    l2r_free(edges);
    return status;
}

const struct l2r_generator l2r_generator_rings = {
    .name = "rings",
    .description = "one ring or two of half the size, which message passing cannot tell apart",
    .options = options,
    .generate = generate,
};
