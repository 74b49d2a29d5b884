/* SPDX-License-Identifier: MIT
 * See split_rules.h. */
#include "data/splits/split_rules.h"

#include "base/memory.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL_GRAPHS = 500 }; /* train + valid of a size split */

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

bool l2r_split_by_size(uint8_t *part, const struct l2r_dataset *data, const struct l2r_split_rule *rule)
{
    int32_t *small = l2r_alloc_raw((size_t)data->n_graphs, sizeof *small);
    if (!small) return false;
    int64_t n = 0;
    memset(part, L2R_PART_TEST, (size_t)data->n_graphs);
    for (int64_t g = 0; g < data->n_graphs; g++)
        if (l2r_dataset_nodes_of(data, g) <= rule->max_train_nodes) small[n++] = (int32_t)g;
    struct l2r_rng rng = l2r_rng_at(rule->seed, L2R_RANDOM_SPLIT, 0);
    l2r_rng_shuffle(&rng, small, (size_t)n);
    int64_t used = n < SMALL_GRAPHS ? n : SMALL_GRAPHS;
    int64_t n_valid = (int64_t)floor((double)used * rule->valid_fraction + 0.5);
    for (int64_t i = 0; i < used; i++) part[small[i]] = i < n_valid ? L2R_PART_VALID : L2R_PART_TRAIN;
    l2r_free(small);
    return true;
}

static int64_t share(int64_t n, double fraction)
{
    return (int64_t)floor((double)n * fraction + 0.5);
}

/* A graph and its size, to be sorted. */
struct sized {
    int64_t nodes, graph;
};

static int smallest_first(const void *a, const void *b)
{
    const struct sized *x = a, *y = b;
    if (x->nodes != y->nodes) return x->nodes < y->nodes ? -1 : 1;
    return (x->graph > y->graph) - (x->graph < y->graph);
}

bool l2r_split_by_order(uint8_t *part, const struct l2r_dataset *data, const struct l2r_split_rule *rule)
{
    int64_t n = data->n_graphs;
    int64_t n_test = share(n, rule->test_fraction), n_held = share(n, rule->test_fraction + rule->valid_fraction);
    struct sized *sorted = l2r_alloc_raw((size_t)n, sizeof *sorted);
    if (!sorted) return false;
    for (int64_t g = 0; g < n; g++) sorted[g] = (struct sized){l2r_dataset_nodes_of(data, g), g};
    qsort(sorted, (size_t)n, sizeof *sorted, smallest_first);
    for (int64_t i = 0; i < n; i++)
        part[sorted[i].graph] = i < n - n_held ? L2R_PART_TRAIN : i < n - n_test ? L2R_PART_VALID : L2R_PART_TEST;
    l2r_free(sorted);
    return true;
}

/* The stratum of a graph: its class, or 0 or 1 of the first task, one more for a missing label; one for all otherwise. */
static int32_t stratum_of(const struct l2r_dataset *data, int64_t graph, bool stratified)
{
    float label = data->labels[graph * data->n_tasks];
    if (!stratified || data->task == L2R_TASK_REGRESSION) return 0;
    int32_t missing = data->n_classes > 2 ? data->n_classes : 2;
    return isnan(label) ? missing : (int32_t)label;
}

/* Cuts are taken on the running total over the strata, so that the sizes of the parts are right to the last graph
 * and every stratum is right to within one. */
static void deal(uint8_t *part, const int32_t *members, int64_t n, int64_t before, const struct l2r_split_rule *rule)
{
    double two = rule->test_fraction + rule->valid_fraction;
    int64_t n_test = share(before + n, rule->test_fraction) - share(before, rule->test_fraction);
    int64_t n_held = share(before + n, two) - share(before, two);
    for (int64_t i = 0; i < n; i++)
        part[members[i]] = i < n_test ? L2R_PART_TEST : i < n_held ? L2R_PART_VALID : L2R_PART_TRAIN;
}

bool l2r_split_by_chance(uint8_t *part, const struct l2r_dataset *data, const struct l2r_split_rule *rule,
                         bool stratified)
{
    int32_t n_strata = (data->n_classes > 2 ? data->n_classes : 2) + 1;
    int32_t *members = l2r_alloc_raw((size_t)data->n_graphs, sizeof *members);
    int64_t *start = l2r_alloc((size_t)n_strata + 2, sizeof *start);
    if (!members || !start) {
        l2r_free(members);
        l2r_free(start);
        return false;
    }
    /* Counting sort by stratum: start[s + 1] walks from the begin of s to its end. */
    for (int64_t g = 0; g < data->n_graphs; g++) start[stratum_of(data, g, stratified) + 2]++;
    for (int32_t s = 1; s <= n_strata; s++) start[s + 1] += start[s];
    for (int64_t g = 0; g < data->n_graphs; g++) members[start[stratum_of(data, g, stratified) + 1]++] = (int32_t)g;
    for (int32_t s = 0; s < n_strata; s++) {
        int64_t n = start[s + 1] - start[s];
        struct l2r_rng rng = l2r_rng_at(rule->seed, L2R_RANDOM_SPLIT, (uint64_t)s + 1);
        l2r_rng_shuffle(&rng, members + start[s], (size_t)n);
        deal(part, members + start[s], n, start[s], rule);
    }
    l2r_free(members);
    l2r_free(start);
    return true;
}
