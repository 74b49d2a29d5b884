/* SPDX-License-Identifier: MIT
 * See baselines.h. Graphs are counted by class and number of nodes; everything else follows from these counts. */
#include "reproduce/baselines.h"

#include "base/json.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

/* The graphs of a part: nodes and class of each. */
struct part {
    const struct l2r_dataset *data;
    const int32_t *graphs;
    int64_t n;
};

static struct part part_of(const struct l2r_dataset *data, const struct l2r_split *split, int which)
{
    return (struct part){data, l2r_split_part(split, which), l2r_split_size(split, which)};
}

static int64_t nodes_of(const struct part *part, int64_t i)
{
    return l2r_dataset_nodes_of(part->data, part->graphs[i]);
}

static int32_t class_of(const struct part *part, int64_t i)
{
    return (int32_t)part->data->labels[part->graphs[i]];
}

/* Up to `nodes` nodes the class `small`, above it `large`. counts [2 × n_classes] is room. */
static struct l2r_baseline score(const struct part *part, int64_t nodes, int32_t small, int32_t large, int64_t *counts)
{
    int64_t right = 0, n_classes = part->data->n_classes;
    double shares = 0, present = 0;
    memset(counts, 0, 2 * (size_t)n_classes * sizeof *counts);
    for (int64_t i = 0; i < part->n; i++) {
        int32_t class = class_of(part, i);
        bool hit = class == (nodes_of(part, i) <= nodes ? small : large);
        counts[class]++;
        counts[n_classes + class] += hit;
        right += hit;
    }
    for (int64_t c = 0; c < n_classes; c++) {
        if (counts[c] == 0) continue;
        present++;
        shares += (double)counts[n_classes + c] / (double)counts[c];
    }
    return (struct l2r_baseline){part->n > 0 ? (double)right / (double)part->n : (double)NAN,
                                 present > 0 ? shares / present : (double)NAN};
}

static int32_t largest_class(const int64_t *counts, int32_t n_classes)
{
    int32_t best = 0;
    for (int32_t c = 1; c < n_classes; c++)
        if (counts[c] > counts[best]) best = c;
    return best;
}

static void count_classes(int64_t *counts, const struct part *part, int64_t up_to, int64_t above)
{
    memset(counts, 0, (size_t)part->data->n_classes * sizeof *counts);
    for (int64_t i = 0; i < part->n; i++)
        if (nodes_of(part, i) <= up_to && nodes_of(part, i) > above) counts[class_of(part, i)]++;
}

/* Every number of nodes that occurs is tried: a few hundred graphs and sizes. */
static void find_threshold(struct l2r_baselines *b, int32_t *small, int32_t *large, const struct part *train,
                           int64_t *counts)
{
    int32_t n_classes = train->data->n_classes;
    b->train_threshold = -1;
    for (int64_t k = 0; k < train->n; k++) {
        int64_t nodes = nodes_of(train, k);
        count_classes(counts, train, nodes, -1);
        int32_t below = largest_class(counts, n_classes);
        int64_t right = counts[below];
        count_classes(counts, train, INT64_MAX, nodes);
        int32_t above = largest_class(counts, n_classes);
        double accuracy = (double)(right + counts[above]) / (double)train->n;
        if (accuracy < b->train_threshold || (accuracy == b->train_threshold && nodes >= b->nodes)) continue;
        b->train_threshold = accuracy;
        b->nodes = nodes;
        *small = below;
        *large = above;
    }
}

enum l2r_status l2r_baselines_make(struct l2r_baselines *b, const struct l2r_dataset *data,
                                   const struct l2r_split *split, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct part train = part_of(data, split, L2R_PART_TRAIN), test = part_of(data, split, L2R_PART_TEST);
    int64_t *counts = NULL;
    int32_t small = 0, large = 0, class;
    *b = (struct l2r_baselines){0};
    if (data->task != L2R_TASK_MULTICLASS || train.n == 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "%s: baselines need classes and training graphs", data->name);
    counts = l2r_alloc(2 * (size_t)data->n_classes, sizeof *counts);
    if (counts == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the baselines of %s", data->name);
    count_classes(counts, &train, INT64_MAX, -1);
    class = largest_class(counts, data->n_classes);
    b->constant_train = score(&test, -1, class, class, counts);
    count_classes(counts, &test, INT64_MAX, -1);
    class = largest_class(counts, data->n_classes);
    b->constant_test = score(&test, -1, class, class, counts);
    find_threshold(b, &small, &large, &train, counts);
    b->threshold = score(&test, b->nodes, small, large, counts);
done:
    l2r_free(counts);
    return status;
}

static json_t *pair(struct l2r_baseline b)
{
    return json_pack("{s:o,s:o}", "accuracy", l2r_json_real(b.accuracy), "balanced_accuracy",
                     l2r_json_real(b.balanced_accuracy));
}

json_t *l2r_baselines_to_json(const struct l2r_baselines *b)
{
    return json_pack("{s:o,s:o,s:o,s:I,s:o}", "constant_train", pair(b->constant_train), "constant_test",
                     pair(b->constant_test), "threshold", pair(b->threshold), "nodes", (json_int_t)b->nodes,
                     "train_threshold", l2r_json_real(b->train_threshold));
}

static bool read_pair(struct l2r_baseline *b, const json_t *object, const char *key)
{
    const json_t *found = json_object_get(object, key);
    b->accuracy = json_number_value(json_object_get(found, "accuracy"));
    b->balanced_accuracy = json_number_value(json_object_get(found, "balanced_accuracy"));
    return found != NULL;
}

bool l2r_baselines_from_json(struct l2r_baselines *b, const json_t *object)
{
    *b = (struct l2r_baselines){.nodes = json_integer_value(json_object_get(object, "nodes")),
                                .train_threshold = json_number_value(json_object_get(object, "train_threshold"))};
    return read_pair(&b->constant_train, object, "constant_train") &&
           read_pair(&b->constant_test, object, "constant_test") && read_pair(&b->threshold, object, "threshold");
}

void l2r_baselines_id(char out[17], const char *data, const struct l2r_config *config)
{
    XXH64_hash_t hash = XXH64(data, strlen(data), 0);
    const struct l2r_option *o;
    for (size_t i = 0; (o = l2r_split_option(i)) != NULL; i++) {
        const char *value = l2r_config_text(config, o->name);
        if (value != NULL) hash = XXH64(value, strlen(value), hash);
    }
    snprintf(out, 17, "%016" PRIx64, (uint64_t)hash);
}
