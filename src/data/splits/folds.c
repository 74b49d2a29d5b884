/* SPDX-License-Identifier: MIT
 *
 * Folds of a cross-validation, by the rules that can divide graphs among any number of parts:
 *
 *     random, stratified      shuffled (each class by itself), then dealt out in turn
 *     scaffold-balanced       groups of one scaffold, the largest first, each to the fold with the fewest graphs yet
 *     column                  the same with groups of one value of --split-column; K values are K folds, in their order
 *
 * Fold k tests, fold k + 1 validates, the others train. The folds do not depend on k, so that every graph is in exactly
 * one test fold.
 */
#include "base/memory.h"
#include "base/rng.h"
#include "data/splits/rule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int32_t stratum_of(const struct l2r_dataset *data, int64_t graph)
{
    float label = data->labels[graph * data->n_tasks];
    return data->task == L2R_TASK_REGRESSION || isnan(label) ? 0 : (int32_t)label + 1;
}

/* fold [n] */
static enum l2r_status deal_graphs(int32_t *fold, const struct l2r_splitting *s, int32_t n_folds, bool strata,
                                   struct l2r_error *error)
{
    int64_t n = s->data->n_graphs, dealt = 0;
    int32_t n_strata = strata ? (s->data->task == L2R_TASK_MULTICLASS ? s->data->n_classes : 2) + 1 : 1;
    int32_t *order = l2r_alloc_raw((size_t)n, sizeof *order);
    if (!order) return l2r_fail_memory(error, (size_t)n * sizeof *order, "folds");
    struct l2r_rng rng = l2r_rng_at(s->seed, L2R_RANDOM_SPLIT, (uint64_t)n_folds);
    for (int64_t g = 0; g < n; g++) order[g] = (int32_t)g;
    l2r_rng_shuffle(&rng, order, (size_t)n);
    for (int32_t stratum = 0; stratum < n_strata; stratum++)
        for (int64_t i = 0; i < n; i++)
            if (!strata || stratum_of(s->data, order[i]) == stratum) fold[order[i]] = (int32_t)(dealt++ % n_folds);
    l2r_free(order);
    return L2R_OK;
}

/* A group and its place in the shuffled order, which decides between groups of one size. */
struct queued {
    int64_t size;
    int32_t group, place;
};

static int largest_first(const void *left, const void *right)
{
    const struct queued *a = left, *b = right;
    if (a->size != b->size) return a->size > b->size ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

/* of_group [groups]: each to the smallest fold so far. */
static enum l2r_status balance(int32_t *of_group, const struct l2r_groups *groups, int32_t n_folds, uint64_t seed,
                               struct l2r_error *error)
{
    struct queued *queue = l2r_alloc((size_t)groups->n, sizeof *queue);
    int64_t *filled = l2r_alloc((size_t)n_folds, sizeof *filled);
    int32_t *order = l2r_alloc((size_t)groups->n, sizeof *order);
    bool made = queue && filled && order;
    struct l2r_rng rng = l2r_rng_at(seed, L2R_RANDOM_SPLIT, (uint64_t)n_folds);
    for (int32_t k = 0; made && k < groups->n; k++) order[k] = k;
    if (made) l2r_rng_shuffle(&rng, order, (size_t)groups->n);
    for (int32_t k = 0; made && k < groups->n; k++)
        queue[k] = (struct queued){groups->items[order[k]].size, order[k], k};
    if (made) qsort(queue, (size_t)groups->n, sizeof *queue, largest_first);
    for (int32_t k = 0; made && k < groups->n; k++) {
        int32_t least = 0;
        for (int32_t f = 1; f < n_folds; f++)
            if (filled[f] < filled[least]) least = f;
        of_group[queue[k].group] = least;
        filled[least] += queue[k].size;
    }
    l2r_free(queue);
    l2r_free(filled);
    l2r_free(order);
    return made ? L2R_OK : l2r_fail_memory(error, (size_t)groups->n * sizeof *queue, "folds");
}

/* fold [n], of groups; in_order: where there are as many groups as folds, fold k is group k. */
static enum l2r_status deal_groups(int32_t *fold, const struct l2r_splitting *s, const int32_t *group, int32_t n_folds,
                                   bool in_order, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_groups groups = {0};
    int32_t *of_group = NULL;
    L2R_TRY(l2r_groups_count(&groups, group, s->data->n_graphs, error));
    if (groups.n < n_folds)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`folds` = %d: the %s split has only %d groups to deal out", (int)n_folds, s->rule,
                 (int)groups.n);
    of_group = l2r_alloc((size_t)groups.n, sizeof *of_group);
    if (!of_group) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for folds");
    if (in_order && groups.n == n_folds)
        for (int32_t k = 0; k < groups.n; k++) of_group[k] = k;
    else
        L2R_TRY(balance(of_group, &groups, n_folds, s->seed, error));
    for (int64_t g = 0; g < s->data->n_graphs; g++) fold[g] = of_group[group[g]];
done:
    l2r_groups_clear(&groups);
    l2r_free(of_group);
    return status;
}

static enum l2r_status deal(int32_t *fold, struct l2r_splitting *s, const char *rule, int32_t n_folds,
                            struct l2r_error *error)
{
    const struct l2r_dataset *data = s->data;
    s->rule = rule;
    if (strcmp(rule, "random") == 0) return deal_graphs(fold, s, n_folds, false, error);
    if (strcmp(rule, "stratified") == 0) return deal_graphs(fold, s, n_folds, true, error);
    if (strcmp(rule, "scaffold-balanced") == 0) {
        enum l2r_status status = l2r_split_need_scaffolds(s, error);
        return status == L2R_OK ? deal_groups(fold, s, data->scaffold, n_folds, false, error) : status;
    }
    if (strcmp(rule, "column") == 0 && data->rank) return deal_groups(fold, s, data->rank, n_folds, true, error);
    if (strcmp(rule, "column") == 0)
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "`folds` by a column need `split-column=NAME` of a table, with values other than train, valid "
                        "and test");
    return l2r_fail(error, L2R_ERR_ARGUMENT,
                    "`split=%s` makes no folds; random, stratified, scaffold-balanced and column do", rule);
}

enum l2r_status l2r_split_deal_folds(struct l2r_splitting *s, char *note, size_t size, const char *rule,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t n = s->data->n_graphs, n_train = 0;
    int32_t n_folds = (int32_t)l2r_config_int(s->config, "folds"), k = (int32_t)l2r_config_int(s->config, "fold");
    int32_t *fold = l2r_alloc((size_t)n, sizeof *fold);
    bool column = l2r_config_has(s->config, "split-column") && l2r_config_text(s->config, "split-column");
    if (!fold) return l2r_fail_memory(error, (size_t)n * sizeof *fold, "folds");
    if (n_folds < 3)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`folds` = %d; expected 3 or more: one tests, one validates, the others train",
                 (int)n_folds);
    if (k >= n_folds) L2R_FAIL(L2R_ERR_ARGUMENT, "`fold` = %d; expected 0 … %d", (int)k, (int)n_folds - 1);
    if (!rule) rule = column ? "column" : s->data->scaffold ? "scaffold-balanced" : "stratified";
    L2R_TRY(deal(fold, s, rule, n_folds, error));
    for (int64_t g = 0; g < n; g++) {
        int32_t place = (fold[g] - k + n_folds) % n_folds;
        s->part[g] = place == 0 ? L2R_PART_TEST : place == 1 ? L2R_PART_VALID : L2R_PART_TRAIN;
        n_train += s->part[g] == L2R_PART_TRAIN;
    }
    if (n_train == 0) L2R_FAIL(L2R_ERR_ARGUMENT, "%lld graphs are too few for %d folds", (long long)n, (int)n_folds);
    snprintf(note, size, "fold %d of %d", (int)k + 1, (int)n_folds);
done:
    l2r_free(fold);
    return status;
}
