/* SPDX-License-Identifier: MIT
 * The public calls of l2r/arrays.h about features of molecules (data/features.h). */
#include <l2r/arrays.h>

#include "api/graph_list.h"
#include "base/misuse.h"
#include "data/features.h"

#include <stdio.h>
#include <string.h>

/* Bit k of block k; 0: a name that is none, or twice the same. */
static unsigned parse(const char *blocks)
{
    unsigned found = 0;
    if (!blocks) return 0;
    while (*blocks) {
        size_t length = strcspn(blocks, ",");
        int k = 0;
        while (k < L2R_DESCRIPTIONS && (strlen(l2r_description_name((enum l2r_description)k)) != length ||
                                        strncmp(l2r_description_name((enum l2r_description)k), blocks, length) != 0))
            k++;
        if (k == L2R_DESCRIPTIONS || found >> k & 1) return 0;
        found |= 1U << k;
        blocks += length;
        if (*blocks == ',' && !*++blocks) return 0;
    }
    return found;
}

/* Blocks stand in the order of the registry, whatever the order of their names. */
static int32_t width_of(unsigned blocks)
{
    int32_t n = 0;
    for (int k = 0; k < L2R_DESCRIPTIONS; k++)
        if (blocks >> k & 1) n += l2r_description_width((enum l2r_description)k);
    return n;
}

int32_t l2r_features_n_columns(const char *blocks)
{
    return width_of(parse(blocks));
}

void l2r_features_column_name(char *name, size_t size, const char *blocks, int32_t i)
{
    unsigned wanted = parse(blocks);
    if (!name || size == 0) return;
    name[0] = '\0';
    if (i < 0 || i >= width_of(wanted)) return;
    int k = 0;
    for (;; k++) {
        int32_t width = wanted >> k & 1 ? l2r_description_width((enum l2r_description)k) : 0;
        if (i < width) break;
        i -= width;
    }
    const char *known = k == L2R_DESCRIBE_DESCRIPTORS ? l2r_descriptor_name(i) : NULL;
    if (known)
        snprintf(name, size, "%s", known);
    else
        snprintf(name, size, "%s_%d", l2r_description_name((enum l2r_description)k), (int)i);
}

static void copy_row(float *row, const struct l2r_dataset *data, unsigned blocks, int32_t graph)
{
    for (int k = 0; k < L2R_DESCRIPTIONS; k++)
        for (int32_t i = 0; blocks >> k & 1 && i < l2r_description_width((enum l2r_description)k); i++)
            *row++ = l2r_feature_raw(data, k, graph, i);
}

enum l2r_status l2r_dataset_features(float *features, const struct l2r_dataset *data, const char *blocks,
                                     const int64_t *graphs, int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_graph_list list = {0};
    const struct l2r_feature_scale all = {.blocks = parse(blocks)};
    L2R_TRY(l2r_graph_list_take(&list, "graphs", data, graphs, n, error));
    L2R_NEED(blocks);
    if (n > 0) L2R_NEED(features);
    if (all.blocks == 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "blocks = \"%.60s\"; expected names of L2R_FEATURES, such as morgan,descriptors",
                 blocks);
    if (!data->smiles) L2R_FAIL(L2R_ERR_ARGUMENT, "data has no SMILES, which features of molecules are made of");
    struct l2r_dataset view = *data;
    view.scale = &all;
    L2R_TRY(l2r_features_fill(&view, list.graphs, n, error));
    int32_t width = width_of(all.blocks);
    for (int64_t i = 0; i < n; i++) copy_row(features + i * width, &view, all.blocks, list.graphs[i]);
done:
    l2r_graph_list_clear(&list);
    return status;
}
