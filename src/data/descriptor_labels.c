/* SPDX-License-Identifier: MIT
 * See descriptor_labels.h. */
#include "data/descriptor_labels.h"

#include "base/array.h"
#include "base/memory.h"
#include "data/block.h"
#include "data/features.h"
#include "data/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_UNKNOWN = 20, FEWEST_OTHERS = 100 }; /* one of so many */

bool l2r_labels_are_descriptors(const struct l2r_config *options)
{
    return options && l2r_config_has(options, "targets") && l2r_config_is(options, "targets", "descriptors");
}

static float descriptor(const struct l2r_dataset *data, int64_t graph, int32_t column)
{
    return l2r_feature_raw(data, L2R_DESCRIBE_DESCRIPTORS, graph, column);
}

/* Does the column vary enough? sorted [n_graphs]: scratch. */
static bool is_worth_learning(float *sorted, const struct l2r_dataset *data, int32_t column)
{
    int64_t known = 0, others = 0;
    for (int64_t g = 0; g < data->n_graphs; g++) {
        float value = descriptor(data, g, column);
        if (isfinite(value)) sorted[known++] = value;
    }
    if (known == 0 || (data->n_graphs - known) * MOST_UNKNOWN > data->n_graphs) return false;
    qsort(sorted, (size_t)known, sizeof *sorted, l2r_compare_float);
    float median = sorted[known / 2];
    for (int64_t i = 0; i < known; i++) others += sorted[i] != median;
    return others > 0 && others * FEWEST_OTHERS >= known;
}

/* The columns to learn, into column [L2R_DESCRIPTORS]; their names, each ending with 0. */
static enum l2r_status choose(int32_t *column, int32_t *n, struct l2r_array *names, const struct l2r_dataset *data,
                              struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    float *sorted = l2r_alloc((size_t)data->n_graphs, sizeof *sorted);
    if (!sorted) return l2r_fail_memory(error, (size_t)data->n_graphs * sizeof *sorted, "labels");
    *n = 0;
    for (int32_t k = 0; k < L2R_DESCRIPTORS; k++) {
        const char *name = l2r_descriptor_name(k);
        if (!name || !is_worth_learning(sorted, data, k)) continue;
        if (!l2r_array_add(names, name, strlen(name) + 1, 1)) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: labels");
        column[(*n)++] = k;
    }
    if (*n == 0)
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "`targets=descriptors`: no descriptor varies among the %lld molecules of data set \"%s\"",
                 (long long)data->n_graphs, data->name);
done:
    l2r_free(sorted);
    return status;
}

/* The same for names given by the user. */
static enum l2r_status take_named(int32_t *column, int32_t *n, struct l2r_array *names, const char *list,
                                  struct l2r_error *error)
{
    for (*n = 0; *list; list += strcspn(list, ","), list += *list == ',') {
        char name[64];
        int32_t k = 0;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(list, ","), list);
        for (const char *known; (known = l2r_descriptor_name(k)) && strcmp(known, name) != 0;) k++;
        if (k >= L2R_DESCRIPTORS)
            return l2r_fail(error, L2R_ERR_ARGUMENT,
                            "`target-columns`: RDKit has no descriptor \"%s\"; with `targets=descriptors` the columns "
                            "are descriptors such as %s and %s",
                            name, l2r_descriptor_name(0), l2r_descriptor_name(1));
        if (*n == L2R_DESCRIPTORS)
            return l2r_fail(error, L2R_ERR_ARGUMENT, "`target-columns` names more than %d descriptors",
                            L2R_DESCRIPTORS);
        if (!l2r_array_add(names, name, strlen(name) + 1, 1)) return l2r_fail_memory(error, names->n, "labels");
        column[(*n)++] = k;
    }
    return L2R_OK;
}

/* The shape of the old data set, but for labels and notes. */
static struct l2r_shape shape_of(const struct l2r_dataset *old, int32_t n, size_t names, size_t notes)
{
    struct l2r_shape shape = l2r_block_shape(old);
    shape.task = L2R_TASK_REGRESSION;
    shape.n_tasks = n;
    shape.n_classes = 0;
    shape.n_class_names = 0;
    shape.has_bound = 0;
    shape.n_task_names = (int64_t)names;
    shape.n_notes = (int64_t)notes;
    return shape;
}

enum l2r_status l2r_dataset_label_by_descriptors(struct l2r_dataset **data, const char *list, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dataset *old = *data, *new = NULL, view = *old;
    const struct l2r_feature_scale scale = {.blocks = 1U << L2R_DESCRIBE_DESCRIPTORS};
    struct l2r_array names = {0};
    struct l2r_notes notes = {0};
    int32_t column[L2R_DESCRIPTORS], n = 0;
    if (!old->smiles)
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "`targets=descriptors` computes labels from SMILES, but data set \"%s\" has none; give a table of "
                 "molecules",
                 old->name);
    view.scale = &scale;
    L2R_TRY(l2r_features_fill(&view, NULL, old->n_graphs, error));
    L2R_TRY(list ? take_named(column, &n, &names, list, error) : choose(column, &n, &names, old, error));
    if (old->notes) l2r_text_puts(&notes.text, old->notes);
    if (!l2r_notes_add(&notes, "%s: labels are %d of RDKit's %d descriptors, as asinh(x)%s", old->name, (int)n,
                       (int)L2R_DESCRIPTORS, list ? "" : "; the others hardly vary"))
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory: labels");
    const struct l2r_shape shape = shape_of(old, n, names.n, strlen(notes.text.text) + 1);
    L2R_TRY(l2r_block_remake(&new, &shape, old, error));
    float *labels = l2r_block_array(new->labels);
    for (int64_t g = 0; g < new->n_graphs; g++)
        for (int32_t k = 0; k < n; k++) {
            float x = descriptor(old, g, column[k]);
            labels[g * n + k] = isfinite(x) ? asinhf(x) : NAN;
        }
    if (names.n > 0) memcpy(l2r_block_array(new->task_names), names.items, names.n);
    memcpy(l2r_block_array(new->notes), notes.text.text, (size_t) new->n_notes);
    struct l2r_features *computed = old->features; /* they stay with the molecules */
    old->features = new->features;
    new->features = computed;
    l2r_dataset_free(old);
    *data = new;
done:
    l2r_array_clear(&names);
    l2r_notes_clear(&notes);
    return status;
}
