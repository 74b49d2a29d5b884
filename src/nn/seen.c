/* SPDX-License-Identifier: MIT
 *
 * Which categories the training graphs had (nn/signature.h). The embedding of a category that none of them had still
 * has its random initial values, and the representation does not show it. So these categories are recorded, and graphs
 * that have one are outside of the model's domain, whatever their distance.
 */
#include "nn/signature.h"

#include "chem/molecule.h"

#include <string.h>

static int64_t sum(const int32_t *vocabulary, int32_t n)
{
    int64_t all = 0;
    for (int32_t k = 0; k < n; k++) all += vocabulary[k];
    return all;
}

int64_t l2r_signature_node_categories(const struct l2r_signature *s)
{
    return sum(s->node_vocabulary, s->n_node_columns);
}

int64_t l2r_signature_edge_categories(const struct l2r_signature *s)
{
    return sum(s->edge_vocabulary, s->n_edge_columns);
}

/* seen [Σ vocabulary] += the row of one node or arc. */
static void mark(uint8_t *seen, const struct l2r_categories *c, int32_t type)
{
    for (int32_t k = 0; k < c->n_columns; k++) {
        seen[c->rows[(int64_t)type * c->n_columns + k]] = 1;
        seen += c->vocabulary[k];
    }
}

enum l2r_status l2r_signature_mark_seen(struct l2r_signature *s, struct l2r_arena *arena,
                                        const struct l2r_dataset *data, const int32_t *train, int64_t n_train,
                                        struct l2r_error *error)
{
    size_t nodes = (size_t)l2r_signature_node_categories(s), edges = (size_t)l2r_signature_edge_categories(s);
    uint8_t *node_seen = l2r_arena_zeroed(arena, nodes, 1), *edge_seen = l2r_arena_zeroed(arena, edges, 1);
    if (!node_seen || !edge_seen) return l2r_fail_memory(error, nodes + edges, "the model's view of the data");
    for (int64_t i = 0; i < n_train; i++) {
        int64_t begin = data->node_start[train[i]], end = data->node_start[train[i] + 1];
        for (int64_t v = begin; v < end; v++) mark(node_seen, &data->nodes, data->nodes.type[v]);
        for (int64_t e = data->arc_start[begin]; data->arcs.n_columns > 0 && e < data->arc_start[end]; e++)
            mark(edge_seen, &data->arcs, data->arcs.type[e]);
    }
    s->node_seen = node_seen;
    s->edge_seen = edge_seen;
    return L2R_OK;
}

/* first [n_types]: the first unseen category of each row, counted from `base`; -1: none. */
static void check_rows(int32_t *first, const uint8_t *seen, const struct l2r_categories *c, int64_t base)
{
    for (int32_t t = 0; t < c->n_types; t++) {
        int64_t at = 0;
        first[t] = -1;
        for (int32_t k = 0; k < c->n_columns && first[t] < 0; k++) {
            int64_t place = at + c->rows[(int64_t)t * c->n_columns + k];
            if (!seen[place]) first[t] = (int32_t)(base + place);
            at += c->vocabulary[k];
        }
    }
}

enum l2r_status l2r_signature_unseen(int32_t *unseen, const struct l2r_signature *s, const struct l2r_dataset *view,
                                     const int32_t *graphs, int64_t n, struct l2r_error *error)
{
    for (int64_t i = 0; i < n; i++) unseen[i] = -1;
    if (!s->node_seen) return L2R_OK;
    size_t types = (size_t)view->nodes.n_types + (size_t)view->arcs.n_types;
    int32_t *of_node = l2r_alloc(types, sizeof *of_node), *of_arc = of_node ? of_node + view->nodes.n_types : NULL;
    if (!of_node) return l2r_fail_memory(error, types * sizeof *of_node, "unseen categories");
    check_rows(of_node, s->node_seen, &view->nodes, 0);
    check_rows(of_arc, s->edge_seen, &view->arcs, l2r_signature_node_categories(s));
    for (int64_t i = 0; i < n; i++) {
        int64_t begin = view->node_start[graphs[i]], end = view->node_start[graphs[i] + 1];
        for (int64_t v = begin; v < end && unseen[i] < 0 && view->nodes.n_columns > 0; v++)
            unseen[i] = of_node[view->nodes.type[v]];
        for (int64_t e = view->arc_start[begin]; e < view->arc_start[end] && unseen[i] < 0; e++)
            if (view->arcs.n_columns > 0) unseen[i] = of_arc[view->arcs.type[e]];
    }
    l2r_free(of_node);
    return L2R_OK;
}

/* The column that a place lies in; *place becomes the category within it. */
static int32_t column_of(int64_t *place, const int32_t *vocabulary, int32_t n)
{
    int32_t k = 0;
    while (k + 1 < n && *place >= vocabulary[k]) *place -= vocabulary[k++];
    return k;
}

static bool is_ogb(const int32_t *vocabulary, int32_t n, const int32_t *wanted, int32_t n_wanted)
{
    return n >= n_wanted && memcmp(vocabulary, wanted, (size_t)n_wanted * sizeof *wanted) == 0;
}

void l2r_signature_category_text(char *out, size_t size, const struct l2r_signature *s, int32_t category)
{
    int64_t nodes = l2r_signature_node_categories(s), all = nodes + l2r_signature_edge_categories(s), place = category;
    if (size > 0) out[0] = '\0';
    if (category < 0 || category >= all) return;
    bool node = place < nodes;
    const char *what = node ? "node" : "edge";
    if (!node) place -= nodes;
    const int32_t *vocabulary = node ? s->node_vocabulary : s->edge_vocabulary;
    int32_t n = node ? s->n_node_columns : s->n_edge_columns;
    const int64_t *value = node ? (s->n_node_values > 0 ? s->node_value + place : NULL)
                                : (s->n_edge_values > 0 ? s->edge_value + place : NULL);
    int32_t column = column_of(&place, vocabulary, n);
    if (value)
        snprintf(out, size, "%s label %lld", what, (long long)*value);
    else if (node && column < L2R_ATOM_COLUMNS && is_ogb(vocabulary, n, l2r_atom_vocabulary, L2R_ATOM_COLUMNS))
        l2r_atom_feature_text(out, size, column, (int32_t)place);
    else if (!node && column < L2R_BOND_COLUMNS && is_ogb(vocabulary, n, l2r_bond_vocabulary, L2R_BOND_COLUMNS))
        l2r_bond_feature_text(out, size, column, (int32_t)place);
    else
        snprintf(out, size, "value %lld of %s feature %d", (long long)place, what, (int)column);
}
