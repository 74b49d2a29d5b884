/* SPDX-License-Identifier: MIT
 * Splits as JSON (see split.h). A file is believed only after every number was checked: lists ascend, name graphs that
 * exist, and share none. */
#include "data/splits/split.h"

#include "base/memory.h"
#include "data/splits/rule.h"
#include "io/json_file.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

static const char *const part_names[] = {"train", "valid", "test"};
enum { VERSION = 1 };

static enum l2r_status check_head(const json_t *root, const char *path, const struct l2r_dataset *data,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *format = json_string_value(json_object_get(root, "format"));
    const json_t *version = json_object_get(root, "version"), *n_graphs = json_object_get(root, "n_graphs");
    if (!format || strcmp(format, "l2r-split") != 0)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: this is not a split; expected an object with \"format\": \"l2r-split\"", path);
    if (!json_is_integer(version) || json_integer_value(version) != VERSION)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: \"version\" must be %d", path, (int)VERSION);
    if (!json_is_integer(n_graphs) || json_integer_value(n_graphs) != data->n_graphs)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: the split is for %lld graphs, but data set \"%s\" has %lld", path,
                 (long long)json_integer_value(n_graphs), data->name, (long long)data->n_graphs);
done:
    return status;
}

/* Appends one list; `taken` says which graphs earlier lists have. */
static enum l2r_status read_list(struct l2r_split *split, uint8_t *taken, const json_t *root, int part,
                                 const char *path, int64_t n_graphs, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *name = part_names[part];
    const json_t *list = json_object_get(root, name);
    int64_t before = -1, at = split->start[part];
    if (!json_is_array(list)) L2R_FAIL(L2R_ERR_FORMAT, "%s: \"%s\" must be a list of graph numbers", path, name);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        if (!json_is_integer(item)) L2R_FAIL(L2R_ERR_FORMAT, "%s: \"%s\" number %zu is not an integer", path, name, i);
        int64_t graph = json_integer_value(item);
        if (graph < 0 || graph >= n_graphs)
            L2R_FAIL(L2R_ERR_FORMAT, "%s: \"%s\" names graph %lld, outside 0..%lld", path, name, (long long)graph,
                     (long long)n_graphs - 1);
        if (graph <= before)
            L2R_FAIL(L2R_ERR_FORMAT, "%s: \"%s\" must be ascending, but %lld follows %lld", path, name,
                     (long long)graph, (long long)before);
        if (taken[graph])
            L2R_FAIL(L2R_ERR_FORMAT, "%s: graph %lld is in \"%s\" and in another part", path, (long long)graph, name);
        taken[graph] = 1;
        split->graphs[at++] = (int32_t)graph;
        before = graph;
    }
    split->start[part + 1] = at;
done:
    return status;
}

enum l2r_status l2r_split_read(struct l2r_split *split, const char *path, const struct l2r_dataset *data,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *root = NULL;
    uint8_t *taken = NULL;
    *split = (struct l2r_split){.n_graphs = data->n_graphs};
    L2R_TRY(l2r_json_read(&root, path, error));
    L2R_TRY(check_head(root, path, data, error));
    const char *rule = json_string_value(json_object_get(root, "rule"));
    const json_t *seed = json_object_get(root, "seed");
    snprintf(split->rule, sizeof split->rule, "%s", rule && l2r_split_rule_find(rule) ? rule : "file");
    if (json_is_integer(seed) && json_integer_value(seed) >= 0) split->seed = (uint64_t)json_integer_value(seed);
    split->graphs = l2r_alloc_raw((size_t)data->n_graphs, sizeof *split->graphs);
    taken = l2r_alloc((size_t)data->n_graphs, 1);
    if (!split->graphs || !taken) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a split");
    for (int p = L2R_PART_TRAIN; p <= L2R_PART_TEST; p++)
        L2R_TRY(read_list(split, taken, root, p, path, data->n_graphs, error));
    if (l2r_split_size(split, L2R_PART_TRAIN) == 0) L2R_FAIL(L2R_ERR_FORMAT, "%s: \"train\" is empty", path);
done:
    l2r_free(taken);
    json_decref(root);
    if (status != L2R_OK) l2r_split_clear(split);
    return status;
}

enum l2r_status l2r_split_write(const struct l2r_split *split, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *root = json_pack("{s:s, s:i, s:s, s:I, s:I}", "format", "l2r-split", "version", (int)VERSION, "rule",
                             split->rule, "seed", (json_int_t)split->seed, "n_graphs", (json_int_t)split->n_graphs);
    if (!root) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a split");
    for (int p = L2R_PART_TRAIN; p <= L2R_PART_TEST; p++) {
        json_t *list = json_array();
        if (!list || json_object_set_new(root, part_names[p], list) != 0)
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a split");
        for (int64_t i = split->start[p]; i < split->start[p + 1]; i++)
            if (json_array_append_new(list, json_integer(split->graphs[i])) != 0)
                L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a split");
    }
    L2R_TRY(l2r_json_write(root, path, error));
done:
    json_decref(root);
    return status;
}

uint64_t l2r_split_fingerprint(const struct l2r_split *split)
{
    uint64_t hash = XXH3_64bits(split->start, sizeof split->start);
    return XXH3_64bits_withSeed(split->graphs, (size_t)split->start[3] * sizeof *split->graphs, hash);
}
