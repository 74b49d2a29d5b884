/* SPDX-License-Identifier: MIT
 * See molecules.h. Each row is read by one thread on its own, so the result does not depend on how many there are. */
#include "data/formats/smiles/molecules.h"

#include "base/memory.h"
#include "base/threads.h"

#include <stdio.h>
#include <string.h>

enum { ROWS = 32 }; /* a chunk: some ten milliseconds */

struct reading {
    struct l2r_molecule_row *rows;
    int64_t n;
    bool scaffolds;
    enum l2r_status *status; /* [chunks] */
    struct l2r_error *errors;
};

/* One line without control characters, cut to size: RDKit's sentences may have both. */
static void copy_reason(char *out, size_t size, const char *reason)
{
    snprintf(out, size, "%.*s", (int)size - 1, reason);
    for (; *out; out++)
        if ((unsigned char)*out < ' ' || *out == 127) *out = ' ';
}

static void read_chunk(void *context, int64_t chunk)
{
    struct reading *r = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, r->n, ROWS, chunk);
    for (int64_t i = begin; i < end; i++) {
        struct l2r_molecule_row *row = &r->rows[i];
        struct l2r_error error = {0};
        if (!row->smiles) continue;
        enum l2r_status status = l2r_molecule_features(&row->molecule, row->smiles, r->scaffolds, &error);
        if (status == L2R_OK) continue;
        copy_reason(row->reason, sizeof row->reason, error.message);
        if (status == L2R_ERR_FORMAT) continue; /* the row's own fault */
        r->status[chunk] = status;
        r->errors[chunk] = error;
        return;
    }
}

enum l2r_status l2r_molecules_read(struct l2r_molecule_row *rows, int64_t n, bool scaffolds, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t chunks = l2r_chunk_count(n, ROWS);
    struct reading r = {.rows = rows, .n = n, .scaffolds = scaffolds};
    r.status = l2r_alloc((size_t)chunks, sizeof *r.status);
    r.errors = l2r_alloc((size_t)chunks, sizeof *r.errors);
    if (!r.status || !r.errors) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: reading %lld SMILES", (long long)n);
    l2r_parallel(chunks, read_chunk, &r);
    for (int64_t c = 0; c < chunks; c++)
        if (r.status[c] != L2R_OK) L2R_FAIL(r.status[c], "%s", r.errors[c].message);
done:
    l2r_free(r.status);
    l2r_free(r.errors);
    return status;
}

void l2r_molecules_clear(struct l2r_molecule_row *rows, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        l2r_molecule_graph_clear(&rows[i].molecule);
        rows[i].reason[0] = '\0';
    }
}

enum l2r_status l2r_molecules_builder(struct l2r_builder **builder, const char *name, enum l2r_task task,
                                      int32_t n_tasks, struct l2r_error *error)
{
    const struct l2r_schema schema = {.name = name,
                                      .task = task,
                                      .n_tasks = n_tasks,
                                      .n_node_columns = L2R_ATOM_COLUMNS,
                                      .n_edge_columns = L2R_BOND_COLUMNS,
                                      .node_vocabulary = l2r_atom_vocabulary,
                                      .edge_vocabulary = l2r_bond_vocabulary};
    return l2r_builder_new(builder, &schema, error);
}

enum l2r_status l2r_molecules_add(struct l2r_builder *builder, const struct l2r_molecule_row *row, const float *labels,
                                  int part, struct l2r_error *error)
{
    const struct l2r_molecule_graph *m = &row->molecule;
    const struct l2r_graph_view graph = {.n_nodes = m->n_atoms,
                                         .n_edges = m->n_bonds,
                                         .edges = m->bonds,
                                         .node_rows = m->atom_rows,
                                         .edge_rows = m->bond_rows,
                                         .labels = labels,
                                         .part = part};
    return l2r_builder_add(builder, &graph, error);
}

enum l2r_status l2r_molecules_pack(struct l2r_dataset **data, int32_t *graph, const struct l2r_molecule_row *rows,
                                   int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_builder *builder = NULL;
    int32_t n_good = 0;
    *data = NULL;
    L2R_TRY(l2r_molecules_builder(&builder, "molecules", L2R_TASK_BINARY, 1, error));
    for (int64_t i = 0; i < n; i++) {
        graph[i] = l2r_molecule_row_is_good(&rows[i]) ? n_good++ : -1;
        if (graph[i] >= 0) L2R_TRY(l2r_molecules_add(builder, &rows[i], NULL, L2R_PART_NONE, error));
    }
    if (n_good > 0) L2R_TRY(l2r_builder_finish(data, builder, error));
done:
    l2r_builder_free(builder);
    return status;
}
