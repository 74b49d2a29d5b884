/* SPDX-License-Identifier: MIT
 * The public calls of l2r/data.h about splits: a handle around struct l2r_split of data/splits. */
#include <l2r/data.h>

#include "base/memory.h"
#include "base/misuse.h"
#include "data/splits/split.h"

#include <stdio.h>
#include <string.h>

static enum l2r_status new_split(struct l2r_split **split, const struct l2r_dataset *data,
                                 const struct l2r_config *options, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(split);
    *split = NULL;
    L2R_NEED(data);
    if (options && !l2r_config_has(options, "split"))
        L2R_FAIL(L2R_ERR_ARGUMENT, "options are not those of data; l2r_config_for_data makes them");
    *split = l2r_alloc(1, sizeof **split);
    if (!*split) status = l2r_fail_memory(error, sizeof **split, "a split");
done:
    return status;
}

/* A split that could not be made is freed. */
static enum l2r_status end_split(struct l2r_split **split, enum l2r_status status)
{
    if (status != L2R_OK && split) {
        l2r_split_free(*split);
        *split = NULL;
    }
    return status;
}

enum l2r_status l2r_split_new(struct l2r_split **split, const struct l2r_dataset *data,
                              const struct l2r_config *options, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *defaults = NULL;
    L2R_TRY(new_split(split, data, options, error));
    if (!options) L2R_TRY(l2r_config_for_data(&defaults, error));
    L2R_TRY(l2r_split_make(*split, data, options ? options : defaults, error));
done:
    l2r_config_free(defaults);
    return end_split(split, status);
}

static enum l2r_status mark(uint8_t *part, const struct l2r_dataset *data, const int64_t *graphs, int64_t n, int which,
                            struct l2r_error *error)
{
    if (n < 0 || (n > 0 && !graphs))
        return l2r_fail(error, L2R_ERR_ARGUMENT, n < 0 ? "n_%s is negative" : "%s is NULL", l2r_part_name(which));
    for (int64_t i = 0; i < n; i++) {
        if (graphs[i] < 0 || graphs[i] >= data->n_graphs)
            return l2r_fail(error, L2R_ERR_ARGUMENT,
                            "%s[%lld] = %lld; expected 0 … %lld (the data set has %lld graphs)", l2r_part_name(which),
                            (long long)i, (long long)graphs[i], (long long)data->n_graphs - 1,
                            (long long)data->n_graphs);
        if (part[graphs[i]] != L2R_PART_NONE)
            return l2r_fail(error, L2R_ERR_ARGUMENT, "%s[%lld] = %lld, which is in %s already", l2r_part_name(which),
                            (long long)i, (long long)graphs[i], l2r_part_name(part[graphs[i]]));
        part[graphs[i]] = (uint8_t)which;
    }
    return L2R_OK;
}

enum l2r_status l2r_split_from_indices(struct l2r_split **split, const struct l2r_dataset *data, const int64_t *train,
                                       int64_t n_train, const int64_t *valid, int64_t n_valid, const int64_t *test,
                                       int64_t n_test, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    uint8_t *part = NULL;
    L2R_TRY(new_split(split, data, NULL, error));
    part = l2r_alloc((size_t)data->n_graphs, 1);
    if (!part) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a split of %lld graphs", (long long)data->n_graphs);
    memset(part, L2R_PART_NONE, (size_t)data->n_graphs);
    L2R_TRY(mark(part, data, train, n_train, L2R_PART_TRAIN, error));
    L2R_TRY(mark(part, data, valid, n_valid, L2R_PART_VALID, error));
    L2R_TRY(mark(part, data, test, n_test, L2R_PART_TEST, error));
    if (n_train == 0) L2R_FAIL(L2R_ERR_ARGUMENT, "n_train = 0; at least one graph must train");
    **split = (struct l2r_split){.rule = "indices", .n_graphs = data->n_graphs};
    L2R_TRY(l2r_split_fill(*split, part, data->n_graphs, error));
done:
    l2r_free(part);
    return end_split(split, status);
}

enum l2r_status l2r_split_from_parts(struct l2r_split **split, const struct l2r_dataset *data, const uint8_t *parts,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    bool trains = false;
    L2R_TRY(new_split(split, data, NULL, error));
    L2R_NEED(parts);
    for (int64_t g = 0; g < data->n_graphs; g++) {
        if (parts[g] > L2R_PART_NONE)
            L2R_FAIL(L2R_ERR_ARGUMENT, "parts[%lld] = %d; expected 0 … %d", (long long)g, (int)parts[g], L2R_PART_NONE);
        trains = trains || parts[g] == L2R_PART_TRAIN;
    }
    if (!trains) L2R_FAIL(L2R_ERR_ARGUMENT, "parts have no graph that trains (%d)", L2R_PART_TRAIN);
    **split = (struct l2r_split){.rule = "indices", .n_graphs = data->n_graphs};
    L2R_TRY(l2r_split_fill(*split, parts, data->n_graphs, error));
done:
    return end_split(split, status);
}

enum l2r_status l2r_split_to_parts(uint8_t *parts, const struct l2r_split *split, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(parts);
    L2R_NEED(split);
    memset(parts, L2R_PART_NONE, (size_t)split->n_graphs);
    for (int p = 0; p < L2R_N_PARTS; p++)
        for (int64_t i = split->start[p]; i < split->start[p + 1]; i++) parts[split->graphs[i]] = (uint8_t)p;
done:
    return status;
}

int64_t l2r_split_n_graphs(const struct l2r_split *split)
{
    return split ? split->n_graphs : 0;
}

enum l2r_status l2r_split_fold(struct l2r_split **split, const struct l2r_dataset *data, int32_t k, int32_t n_folds,
                               const struct l2r_config *options, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(new_split(split, data, options, error));
    if (n_folds < 3 || n_folds > data->n_graphs)
        L2R_FAIL(L2R_ERR_ARGUMENT, "n_folds = %d; expected 3 … %lld (the data set has %lld graphs)", (int)n_folds,
                 (long long)data->n_graphs, (long long)data->n_graphs);
    if (k < 0 || k >= n_folds) L2R_FAIL(L2R_ERR_ARGUMENT, "k = %d; expected 0 … %d", (int)k, (int)n_folds - 1);
    L2R_TRY(l2r_split_make_fold(*split, data, k, n_folds, options ? (uint64_t)l2r_config_int(options, "split-seed") : 0,
                                error));
done:
    return end_split(split, status);
}

enum l2r_status l2r_split_open(struct l2r_split **split, const char *path, const struct l2r_dataset *data,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(new_split(split, data, NULL, error));
    L2R_NEED(path);
    L2R_TRY(l2r_split_read(*split, path, data, error));
done:
    return end_split(split, status);
}

enum l2r_status l2r_split_save(const struct l2r_split *split, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(split);
    L2R_NEED(path);
    L2R_TRY(l2r_split_write(split, path, error));
done:
    return status;
}

void l2r_split_free(struct l2r_split *split)
{
    if (!split) return;
    l2r_split_clear(split);
    l2r_free(split);
}

const int64_t *l2r_split_graphs(int64_t *n, const struct l2r_split *split, int part)
{
    bool there = split && part >= L2R_PART_TRAIN && part < L2R_N_PARTS && l2r_split_size(split, part) > 0;
    if (n) *n = there ? l2r_split_size(split, part) : 0;
    return there ? split->numbers + split->start[part] : NULL;
}

const char *l2r_split_rule_name(const struct l2r_split *split)
{
    return split ? split->rule : NULL;
}

const char *l2r_split_note(const struct l2r_split *split)
{
    return split ? split->note : NULL;
}
