/* SPDX-License-Identifier: MIT
 *
 * size: train on small graphs, test on large ones.
 *
 *     --max-train-nodes M   graphs of at most M nodes are permuted; the first 500 train and validate, all others test
 *                           (the splits of PROTEINS25, DD300 and COLLAB35, whose M is the default)
 *     without it            the smallest graphs train, the next in size validate, the largest test, by the fractions */
#include "base/memory.h"
#include "base/rng.h"
#include "data/splits/rule.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL_GRAPHS = 500 }; /* train + valid below the threshold */

static const struct l2r_option options[] = {
    {.name = "max-train-nodes",
     .kind = L2R_OPTION_INT,
     .fallback = "0",
     .min = 0,
     .max = 2147483647,
     .help = "nodes of the largest training graph of a size split; 0: 35 for COLLAB, 25 for PROTEINS, 300 for DD; for "
             "other data the fractions above decide, from the smallest graphs to the largest"},
    {0}};

int64_t l2r_split_known_size(const char *name)
{
    static const struct {
        const char *name;
        int64_t size;
    } known[] = {{"COLLAB", 35}, {"PROTEINS", 25}, {"DD", 300}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0) return known[i].size;
    return 0;
}

static enum l2r_status by_threshold(struct l2r_splitting *s, int64_t max_train_nodes, struct l2r_error *error)
{
    const struct l2r_dataset *data = s->data;
    int32_t *small = l2r_alloc_raw((size_t)data->n_graphs, sizeof *small);
    if (!small) return l2r_fail_memory(error, (size_t)data->n_graphs * sizeof *small, "a split");
    int64_t n = 0;
    memset(s->part, L2R_PART_TEST, (size_t)data->n_graphs);
    for (int64_t g = 0; g < data->n_graphs; g++)
        if (l2r_dataset_nodes_of(data, g) <= max_train_nodes) small[n++] = (int32_t)g;
    struct l2r_rng rng = l2r_rng_at(s->seed, L2R_RANDOM_SPLIT, 0);
    l2r_rng_shuffle(&rng, small, (size_t)n);
    int64_t used = n < SMALL_GRAPHS ? n : SMALL_GRAPHS, n_valid = l2r_split_share(used, s->valid_fraction);
    for (int64_t i = 0; i < used; i++) s->part[small[i]] = i < n_valid ? L2R_PART_VALID : L2R_PART_TRAIN;
    l2r_free(small);
    return L2R_OK;
}

struct sized {
    int64_t nodes, graph;
};

/* Of equal size the first come first. */
static int smallest_first(const void *a, const void *b)
{
    const struct sized *x = a, *y = b;
    if (x->nodes != y->nodes) return x->nodes < y->nodes ? -1 : 1;
    return (x->graph > y->graph) - (x->graph < y->graph);
}

static enum l2r_status by_order(struct l2r_splitting *s, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t n = s->data->n_graphs, n_test = l2r_split_share(n, s->test_fraction);
    int64_t n_held = l2r_split_share(n, s->test_fraction + s->valid_fraction);
    struct sized *sorted = NULL;
    L2R_TRY(l2r_split_check_fractions(s, error));
    sorted = l2r_alloc_raw((size_t)n, sizeof *sorted);
    if (!sorted) return l2r_fail_memory(error, (size_t)n * sizeof *sorted, "a split");
    for (int64_t g = 0; g < n; g++) sorted[g] = (struct sized){l2r_dataset_nodes_of(s->data, g), g};
    qsort(sorted, (size_t)n, sizeof *sorted, smallest_first);
    for (int64_t i = 0; i < n; i++)
        s->part[sorted[i].graph] = i < n - n_held ? L2R_PART_TRAIN : i < n - n_test ? L2R_PART_VALID : L2R_PART_TEST;
done:
    l2r_free(sorted);
    return status;
}

static enum l2r_status split(struct l2r_splitting *s, struct l2r_error *error)
{
    int64_t max_train_nodes = l2r_config_int(s->config, "max-train-nodes");
    if (max_train_nodes == 0) max_train_nodes = l2r_split_known_size(s->data->name);
    return max_train_nodes > 0 ? by_threshold(s, max_train_nodes, error) : by_order(s, error);
}

const struct l2r_split_rule l2r_split_rule_size = {
    .name = "size", .help = "small graphs for training, large graphs for testing", .options = options, .split = split};
