/* SPDX-License-Identifier: MIT
 *
 * How a model reads features (features.h): which columns, found on the training molecules, and their quantiles.
 *
 *     left out   counts that differ from 0 in fewer than 1 of 500 training molecules, or never vary
 *                numbers that never vary, or are unknown for more than 1 of 20 training molecules ("unsafe")
 */
#include "data/features.h"

#include "base/array.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RAREST = 500, MOST_UNKNOWN = 20 };

void l2r_feature_name(char *name, size_t size, const struct l2r_feature_scale *s, int32_t i)
{
    int k = 0;
    while (k < L2R_FEATURE_BLOCKS - 1 && i >= s->first[k + 1]) k++;
    const char *own = s->own_names, *known = k == L2R_DESCRIBE_DESCRIPTORS ? l2r_descriptor_name(s->column[i]) : NULL;
    if (k == L2R_FEATURE_COLUMNS) {
        for (int32_t c = 0; c < s->column[i]; c++) own += strlen(own) + 1;
        snprintf(name, size, "%s", own);
    } else if (known) {
        snprintf(name, size, "%s", known);
    } else {
        snprintf(name, size, "%s_%d", l2r_description_name((enum l2r_description)k), (int)s->column[i]);
    }
}

/* ---- which columns ---- */

struct choice {
    const struct l2r_dataset *data;
    const int32_t *train;
    int64_t n;
    float *sorted; /* [n]: scratch */
    struct l2r_array column, knots;
    struct l2r_text constant, unsafe; /* names that were left out */
    int n_constant, n_unsafe, n_rare;
    bool failed;
};

static float value_of(const struct choice *c, int k, int32_t column, int64_t i)
{
    return l2r_feature_raw(c->data, k, c->train[i], column);
}

static void name_column(struct l2r_text *names, int *n, int k, int32_t column, const struct l2r_dataset *data)
{
    char name[128];
    struct l2r_feature_scale one = {.own_names = data->graph_real_names, .column = &column};
    for (int b = k + 1; b <= L2R_FEATURE_BLOCKS; b++) one.first[b] = 1;
    l2r_feature_name(name, sizeof name, &one, 0);
    if (*n < 8) l2r_text_print(names, "%s%s", *n ? ", " : "", name);
    if (*n == 8) l2r_text_puts(names, ", …");
    ++*n;
}

static void choose_count(struct choice *c, int k, int32_t column)
{
    int64_t present = 0, alike = 0;
    float first = value_of(c, k, column, 0);
    for (int64_t i = 0; i < c->n; i++) {
        float value = value_of(c, k, column, i);
        present += value > 0;
        alike += value == first;
    }
    if (alike == c->n || present * RAREST < c->n)
        c->n_rare++;
    else if (!l2r_array_add(&c->column, &column, 1, sizeof column))
        c->failed = true;
}

static void choose_number(struct choice *c, int k, int32_t column)
{
    int64_t known = 0;
    float knots[L2R_FEATURE_KNOTS];
    for (int64_t i = 0; i < c->n; i++) {
        float value = value_of(c, k, column, i);
        if (isfinite(value)) c->sorted[known++] = value;
    }
    if ((c->n - known) * MOST_UNKNOWN > c->n || known == 0) {
        name_column(&c->unsafe, &c->n_unsafe, k, column, c->data);
        return;
    }
    qsort(c->sorted, (size_t)known, sizeof *c->sorted, l2r_compare_float);
    for (int q = 0; q < L2R_FEATURE_KNOTS; q++) knots[q] = c->sorted[(known - 1) * q / (L2R_FEATURE_KNOTS - 1)];
    if (!(knots[0] < knots[L2R_FEATURE_KNOTS - 1])) {
        name_column(&c->constant, &c->n_constant, k, column, c->data);
        return;
    }
    if (!l2r_array_add(&c->column, &column, 1, sizeof column) ||
        !l2r_array_add(&c->knots, knots, L2R_FEATURE_KNOTS, sizeof *knots))
        c->failed = true;
}

static void describe(struct l2r_text *note, const struct choice *c, const struct l2r_feature_scale *s)
{
    l2r_text_print(note, "%d features beside the graph", (int)s->n);
    if (c->n_rare) l2r_text_print(note, "; left out: %d counts that hardly vary", c->n_rare);
    if (c->n_constant)
        l2r_text_print(note, "; %s%d the same for all training molecules (%s)",
                       c->n_rare ? "" : "left out: ", c->n_constant, c->constant.text);
    if (c->n_unsafe)
        l2r_text_print(note, "; %s%d that are often not finite (%s)",
                       c->n_rare || c->n_constant ? "" : "left out: ", c->n_unsafe, c->unsafe.text);
    const char *refused = l2r_features_refused(c->data->features);
    if (*refused)
        l2r_text_print(note, "; computed again: %s is damaged, or holds the features of other molecules", refused);
}

static void *keep(struct l2r_arena *arena, const void *items, size_t n, size_t size)
{
    void *copy = l2r_arena_alloc(arena, n, size);
    if (copy && n > 0) memcpy(copy, items, n * size);
    return copy;
}

/* Columns of the user's table are always used. */
static void take_own(struct l2r_feature_scale *s, struct l2r_arena *arena, const struct l2r_dataset *data)
{
    if (data->n_graph_reals == 0) return;
    s->blocks |= 1U << L2R_FEATURE_COLUMNS;
    s->n_own = data->n_graph_reals;
    s->n_own_names = data->n_graph_real_names;
    s->own_names = keep(arena, data->graph_real_names, (size_t)data->n_graph_real_names, 1);
}

static enum l2r_status choose(struct l2r_feature_scale *s, struct choice *c, struct l2r_arena *arena,
                              struct l2r_error *error)
{
    for (int k = 0; k < L2R_FEATURE_BLOCKS; k++) {
        int32_t width = k == L2R_FEATURE_COLUMNS ? s->n_own : l2r_description_width((enum l2r_description)k);
        bool counts = k < L2R_DESCRIPTIONS && l2r_description_is_count((enum l2r_description)k);
        for (int32_t i = 0; s->blocks >> k & 1 && i < width; i++)
            counts ? choose_count(c, k, i) : choose_number(c, k, i);
        s->first[k + 1] = (int32_t)c->column.n;
    }
    s->n = (int32_t)c->column.n;
    s->column = keep(arena, c->column.items, c->column.n, sizeof(int32_t));
    s->knots = keep(arena, c->knots.items, c->knots.n, sizeof(float));
    if (c->failed || !s->column || !s->knots || (s->n_own && !s->own_names))
        return l2r_fail_memory(error, c->knots.n * sizeof(float), "the scale of the features");
    return L2R_OK;
}

enum l2r_status l2r_feature_scale_make(struct l2r_feature_scale *s, struct l2r_arena *arena, struct l2r_text *note,
                                       const struct l2r_dataset *data, const int32_t *train, int64_t n_train,
                                       unsigned blocks, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct choice c = {.train = train, .n = n_train};
    struct l2r_dataset view = *data;
    *s = (struct l2r_feature_scale){.blocks = blocks};
    take_own(s, arena, data);
    if (s->blocks == 0) return L2R_OK;
    view.scale = s;
    c.data = &view;
    L2R_TRY(l2r_feature_scale_check(s, data, error));
    L2R_TRY(l2r_features_fill(&view, train, n_train, error));
    c.sorted = l2r_alloc((size_t)n_train, sizeof *c.sorted);
    if (!c.sorted) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the scale of the features");
    L2R_TRY(choose(s, &c, arena, error));
    if (note) describe(note, &c, s);
    if (s->n == 0)
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "no feature varies among the %lld training molecules, so there is nothing to learn "
                 "from `features`",
                 (long long)n_train);
done:
    l2r_free(c.sorted);
    l2r_array_clear(&c.column);
    l2r_array_clear(&c.knots);
    l2r_text_clear(&c.constant);
    l2r_text_clear(&c.unsafe);
    return status;
}

/* ---- another data set ---- */

enum l2r_status l2r_feature_scale_check(const struct l2r_feature_scale *s, const struct l2r_dataset *data,
                                        struct l2r_error *error)
{
    const char *name = s->own_names, *its = data->graph_real_names;
    if (s->blocks & ((1U << L2R_DESCRIPTIONS) - 1) && !data->smiles)
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "molecule features (`features`) are computed from SMILES, but data set \"%s\" has none",
                        data->name);
    for (int32_t k = 0; k < s->n_own; k++) {
        if (k >= data->n_graph_reals || strcmp(name, its) != 0)
            return l2r_fail(error, L2R_ERR_ARGUMENT,
                            "the model reads the column \"%s\", which the data does not give; name it with "
                            "`feature-columns`, in the order of training",
                            name);
        name += strlen(name) + 1;
        its += strlen(its) + 1;
    }
    return L2R_OK;
}
