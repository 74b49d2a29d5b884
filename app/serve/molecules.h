/* SPDX-License-Identifier: MIT
 *
 * The molecules of a request, some at a time:
 *
 *     application/json             {"smiles": "CCO"}   {"smiles": ["CCO", …]}
 *                                  {"molecules": [{"smiles": "CCO", "id": "ethanol"}, …]}
 *                                  and beside them "models": ["esol", …], "format": "json"
 *     text/csv, …                  a table as `l2r predict --data` reads it: its columns are kept
 *     text/plain                   lines of a SMILES and a name, as in .smi files
 *     chemical/x-mdl-sdfile        an SD file
 *
 * Nothing in a body is believed. What is wrong with all of it is an error; what is wrong with one molecule stays with
 * that row.
 */
#ifndef L2R_SERVE_MOLECULES_H
#define L2R_SERVE_MOLECULES_H

#include "base/json.h"
#include "data/formats/smiles/smiles.h"

enum l2r_body_kind { L2R_BODY_JSON, L2R_BODY_CSV, L2R_BODY_SMILES, L2R_BODY_SDF, L2R_BODY_OTHER };
/* "text/csv; charset=utf-8" -> L2R_BODY_CSV. NULL: L2R_BODY_OTHER. */
enum l2r_body_kind l2r_body_kind_of(const char *content_type);

struct l2r_request_molecules {
    json_t *root;                /* NULL: a table */
    json_t *list;                /* of root: texts or objects */
    const char *models, *format; /* of root, or NULL; models: names with commas between them */
    char *joined;
    size_t n, at;              /* of the list: how many, and the next one */
    bool alone;                /* a single text, whose answer need not be a list */
    struct l2r_source *source; /* of a table */
    struct l2r_molecule_table table;
    struct l2r_csv *csv;
    char *header; /* of the table, or NULL */
    size_t header_length;
};

struct l2r_table_wishes {
    const char *smiles_column, *delimiter; /* NULL: found by itself */
    const char *feature_columns;           /* that the models read; NULL: none */
    bool largest_fragment;
};

/* body [length] must outlive it; to be cleared after a failure, too. */
enum l2r_status l2r_request_molecules_json(struct l2r_request_molecules *m, const char *body, size_t length,
                                           struct l2r_error *error);
enum l2r_status l2r_request_molecules_table(struct l2r_request_molecules *m, enum l2r_body_kind kind, const char *body,
                                            size_t length, const struct l2r_table_wishes *wishes,
                                            struct l2r_error *error);
void l2r_request_molecules_clear(struct l2r_request_molecules *m);

/* Molecule i of a list; id: NULL where it has none. */
void l2r_request_molecule(const char **smiles, const json_t **id, const struct l2r_request_molecules *m, size_t i);

#endif
