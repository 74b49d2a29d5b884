/* SPDX-License-Identifier: MIT
 *
 * Molecules with more columns than OGB's (chem/molecule.h), for models of other programs. Most details follow from the
 * graph: a bond is in a ring unless it is a bridge, and an atom of usual hybridisation without an isotope has none. The
 * few molecules that may have others are parsed again.
 *
 *     nodes   type t  ─►  t, with the usual details; or a type of its own, after all others
 *     arcs    type t  ─►  2 t + (in a ring)
 */
#include "nn/signature.h"

#include "base/array.h"
#include "chem/molecule.h"

#include <ctype.h>
#include <string.h>

enum {
    OTHER_HYBRIDISATION = 5, /* in column 6 */
    ATOM = L2R_ATOM_COLUMNS,
    BOND = L2R_BOND_COLUMNS,
    ALL_ATOM = L2R_ATOM_COLUMNS + L2R_ATOM_DETAILS,
    ALL_BOND = L2R_BOND_COLUMNS + L2R_BOND_DETAILS
};

static const int32_t usual[L2R_ATOM_DETAILS] = {0, 0, 0, L2R_MASS_ZERO / (L2R_MASS_BASE * L2R_MASS_BASE)};

static bool has_columns(const struct l2r_signature *s, int32_t nodes, int32_t edges)
{
    return s->n_node_columns == nodes && s->n_edge_columns == edges && s->n_node_values == 0 && s->n_node_reals == 0 &&
           s->n_edge_reals == 0 &&
           memcmp(s->node_vocabulary, l2r_atom_detail_vocabulary, (size_t)nodes * sizeof *s->node_vocabulary) == 0 &&
           memcmp(s->edge_vocabulary, l2r_bond_detail_vocabulary, (size_t)edges * sizeof *s->edge_vocabulary) == 0;
}

bool l2r_signature_has_details(const struct l2r_signature *s)
{
    return has_columns(s, ALL_ATOM, ALL_BOND);
}

bool l2r_signature_is_of_molecules(const struct l2r_signature *s)
{
    return has_columns(s, ATOM, BOND) || has_columns(s, ALL_ATOM, ALL_BOND);
}

/* ---- rings ---- */

/* Depth-first search: disc, the order of discovery from 1; low, the earliest node that a subtree is joined to. */
struct search {
    int32_t *disc, *low, *parent, *next; /* [n] */
};

static void search_from(struct search *s, const struct l2r_dataset *data, int64_t first, int32_t root, int32_t *order)
{
    int32_t v = root;
    s->parent[v] = -1;
    while (v >= 0) {
        const int64_t begin = data->arc_start[first + v], n = data->arc_start[first + v + 1] - begin;
        if (s->disc[v] == 0) s->disc[v] = s->low[v] = ++*order;
        if (s->next[v] < n) {
            int32_t u = data->neighbour[begin + s->next[v]++];
            if (s->disc[u] == 0) {
                s->parent[u] = v;
                v = u;
            } else if (u != s->parent[v] && s->disc[u] < s->low[v]) {
                s->low[v] = s->disc[u];
            }
        } else {
            int32_t p = s->parent[v];
            if (p >= 0 && s->low[v] < s->low[p]) s->low[p] = s->low[v];
            v = p;
        }
    }
}

static bool is_bridge(const struct search *s, int32_t v, int32_t u)
{
    return (s->parent[u] == v && s->low[u] > s->disc[v]) || (s->parent[v] == u && s->low[v] > s->disc[u]);
}

/* type [n_arcs] of one graph. */
static void ring_types(int32_t *type, struct search *s, const struct l2r_dataset *data, int64_t graph)
{
    int64_t first = data->node_start[graph], n = data->node_start[graph + 1] - first;
    int32_t order = 0;
    memset(s->disc, 0, (size_t)n * sizeof *s->disc);
    memset(s->next, 0, (size_t)n * sizeof *s->next);
    for (int32_t v = 0; v < n; v++)
        if (s->disc[v] == 0) search_from(s, data, first, v, &order);
    for (int32_t v = 0; v < n; v++)
        for (int64_t e = data->arc_start[first + v]; e < data->arc_start[first + v + 1]; e++)
            type[e] = 2 * data->arcs.type[e] + !is_bridge(s, v, data->neighbour[e]);
}

static enum l2r_status detail_arcs(struct l2r_dataset *to, struct l2r_arena *arena, const struct l2r_dataset *data,
                                   int64_t most_nodes, struct l2r_error *error)
{
    const struct l2r_categories *old = &data->arcs;
    int32_t *type = l2r_arena_alloc(arena, (size_t)data->n_arcs, sizeof *type);
    int32_t *rows = l2r_arena_alloc(arena, 2 * (size_t)old->n_types * ALL_BOND, sizeof *rows);
    int32_t *room = l2r_arena_alloc(arena, 4 * (size_t)most_nodes, sizeof *room);
    if (!type || !rows || !room) return l2r_fail_memory(error, (size_t)data->n_arcs * sizeof *type, "bonds in rings");
    struct search search = {room, room + most_nodes, room + 2 * most_nodes, room + 3 * most_nodes};
    for (int64_t g = 0; g < data->n_graphs; g++) ring_types(type, &search, data, g);
    for (int64_t t = 0; t < 2 * (int64_t)old->n_types; t++) {
        memcpy(rows + t * ALL_BOND, old->rows + t / 2 * BOND, BOND * sizeof *rows);
        rows[t * ALL_BOND + BOND] = t % 2;
    }
    to->arcs.n_columns = ALL_BOND;
    to->arcs.vocabulary = l2r_bond_detail_vocabulary;
    to->arcs.n_types = 2 * old->n_types;
    to->arcs.rows = rows;
    to->arcs.type = type;
    return L2R_OK;
}

/* ---- atoms ---- */

/* May the molecule have an isotope, or an atom whose hybridisation OGB's categories leave open? */
static bool is_unusual(const struct l2r_dataset *data, int64_t graph)
{
    const char *smiles = data->smiles + data->smiles_start[graph];
    for (const char *c = strchr(smiles, '['); c; c = strchr(c + 1, '['))
        if (isdigit((unsigned char)c[1])) return true;
    for (int64_t v = data->node_start[graph]; v < data->node_start[graph + 1]; v++)
        if (data->nodes.rows[(int64_t)data->nodes.type[v] * ATOM + 6] == OTHER_HYBRIDISATION) return true;
    return false;
}

/* The types of one graph's nodes by their details. */
static enum l2r_status atom_types(int32_t *type, struct l2r_distinct *types, const int32_t *details,
                                  const struct l2r_dataset *data, int64_t graph, struct l2r_error *error)
{
    int64_t first = data->node_start[graph];
    for (int64_t v = first; v < data->node_start[graph + 1]; v++) {
        int32_t row[ALL_ATOM];
        memcpy(row, data->nodes.rows + (int64_t)data->nodes.type[v] * ATOM, ATOM * sizeof *row);
        memcpy(row + ATOM, details + (v - first) * L2R_ATOM_DETAILS, L2R_ATOM_DETAILS * sizeof *row);
        type[v] = l2r_distinct_add(types, row);
        if (type[v] < 0) return l2r_fail_memory(error, sizeof row, "details of atoms");
    }
    return L2R_OK;
}

static enum l2r_status detail_nodes(struct l2r_dataset *to, struct l2r_arena *arena, const struct l2r_dataset *data,
                                    int64_t most_nodes, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_categories *old = &data->nodes;
    struct l2r_distinct types;
    int32_t *type = l2r_arena_alloc(arena, (size_t)data->n_nodes, sizeof *type), row[ALL_ATOM];
    int32_t *details = l2r_arena_alloc(arena, (size_t)most_nodes * L2R_ATOM_DETAILS, sizeof *details);
    l2r_distinct_init(&types, ALL_ATOM);
    if (!type || !details) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: details of atoms");
    if (data->n_nodes > 0) memcpy(type, old->type, (size_t)data->n_nodes * sizeof *type);
    memcpy(row + ATOM, usual, sizeof usual);
    for (int32_t t = 0; t < old->n_types; t++) {
        memcpy(row, old->rows + (int64_t)t * ATOM, ATOM * sizeof *row);
        if (l2r_distinct_add(&types, row) < 0) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: details of atoms");
    }
    for (int64_t g = 0; g < data->n_graphs; g++) {
        if (!is_unusual(data, g)) continue;
        int32_t n = (int32_t)l2r_dataset_nodes_of(data, g);
        L2R_TRY(l2r_molecule_details(details, n, data->smiles + data->smiles_start[g], error));
        L2R_TRY(atom_types(type, &types, details, data, g, error));
    }
    size_t cells = (size_t)types.n * ALL_ATOM;
    int32_t *rows = l2r_arena_alloc(arena, cells, sizeof *rows);
    if (!rows) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: details of atoms");
    memcpy(rows, types.rows, cells * sizeof *rows);
    to->nodes.n_columns = ALL_ATOM;
    to->nodes.vocabulary = l2r_atom_detail_vocabulary;
    to->nodes.n_types = types.n;
    to->nodes.rows = rows;
    to->nodes.type = type;
done:
    l2r_distinct_clear(&types);
    return status;
}

enum l2r_status l2r_signature_detail(struct l2r_dataset *detailed, struct l2r_arena *arena,
                                     const struct l2r_dataset *data, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t most_nodes = 1;
    bool molecules = data->nodes.n_columns == ATOM && data->arcs.n_columns == BOND && data->nodes.n_values == 0 &&
                     data->arcs.n_values == 0 && data->n_node_reals == 0 && data->arcs.n_reals == 0;
    *detailed = *data;
    if (!molecules || !data->smiles_start)
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "the model reads isotopes and rings of molecules, which are found in SMILES; the data has none");
    for (int64_t g = 0; g < data->n_graphs; g++) {
        int64_t n = l2r_dataset_nodes_of(data, g);
        if (n > most_nodes) most_nodes = n;
    }
    L2R_TRY(detail_arcs(detailed, arena, data, most_nodes, error));
    L2R_TRY(detail_nodes(detailed, arena, data, most_nodes, error));
done:
    return status;
}
