/* SPDX-License-Identifier: MIT
 *
 * A split rule to copy: sparse graphs train, dense graphs test. With n nodes and m edges of a graph,
 *
 *     density = 2 m / (n (n − 1))          0 for a graph of one node
 *
 * graphs are sorted by density and cut by --valid-fraction and --test-fraction; --densest train turns the order around.
 *
 * As src/data/splits/rules/density.c it is `--split density`. A rule fills part[] for every graph and checks nothing
 * else: whether anything is left to train on is checked for all rules. docs/adding.md says what else can be added.
 */
#include "base/memory.h"
#include "data/splits/rule.h"

#include <stdlib.h>

static const struct l2r_option options[] = {{.name = "densest",
                                             .kind = L2R_OPTION_CHOICE,
                                             .choices = "test|train",
                                             .fallback = "test",
                                             .help = "where a density split puts the densest graphs"},
                                            {0}};

struct ranked {
    double density;
    int64_t graph;
};

/* Graphs of equal density keep their order. */
static int sparsest_first(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->density != y->density) return x->density < y->density ? -1 : 1;
    return (x->graph > y->graph) - (x->graph < y->graph);
}

static double density_of(const struct l2r_dataset *data, int64_t graph)
{
    double n = (double)l2r_dataset_nodes_of(data, graph);
    return n > 1 ? (double)l2r_dataset_arcs_of(data, graph) / (n * (n - 1)) : 0;
}

static enum l2r_status split(struct l2r_splitting *s, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t n = s->data->n_graphs, n_test = l2r_split_share(n, s->test_fraction);
    int64_t n_held = l2r_split_share(n, s->test_fraction + s->valid_fraction);
    bool reversed = l2r_config_is(s->config, "densest", "train");
    struct ranked *sorted = NULL;
    L2R_TRY(l2r_split_check_fractions(s, error));
    sorted = l2r_alloc((size_t)n, sizeof *sorted);
    if (!sorted) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a split of %lld graphs", (long long)n);
    for (int64_t g = 0; g < n; g++) sorted[g] = (struct ranked){density_of(s->data, g), g};
    qsort(sorted, (size_t)n, sizeof *sorted, sparsest_first);
    for (int64_t i = 0; i < n; i++) {
        int64_t graph = sorted[reversed ? n - 1 - i : i].graph;
        s->part[graph] = i < n - n_held ? L2R_PART_TRAIN : i < n - n_test ? L2R_PART_VALID : L2R_PART_TEST;
    }
done:
    l2r_free(sorted);
    return status;
}

const struct l2r_split_rule l2r_split_rule_density = {
    .name = "density", .help = "sparse graphs train, dense graphs test", .options = options, .split = split};
