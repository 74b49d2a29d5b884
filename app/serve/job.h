/* SPDX-License-Identifier: MIT
 *
 * A request for predictions on its way through the queue (predict.h):
 *
 *     l2r_job_make     what the head says: formats, columns; refused where it makes no sense
 *     l2r_job_prepare  the body parsed, models chosen
 *
 * A job that has been refused or answered is freed by who holds it.
 */
#ifndef L2R_SERVE_JOB_H
#define L2R_SERVE_JOB_H

#include "serve/counters.h"
#include "serve/http.h"
#include "serve/molecules.h"
#include "serve/rows.h"

enum { L2R_ROUND_ROWS = 256 }; /* molecules that are predicted at a time */

struct l2r_job {
    struct l2r_job *next;
    struct l2r_exchange *exchange;
    enum l2r_body_kind kind;
    char *models, *smiles_column, *delimiter; /* of the query; NULL: not said */
    struct l2r_row_writer writer;
    struct l2r_request_molecules molecules;
    struct l2r_molecule_chunk chunk; /* of a table */
    bool prepared, begun;
    double arrived;
    char *text; /* of the rows at hand */
    size_t length;
};

/* NULL: the exchange has been answered. On the HTTP thread. */
struct l2r_job *l2r_job_make(struct l2r_exchange *x, struct l2r_counters *counters);
/* False: it has been refused. most: molecules of a request. */
bool l2r_job_prepare(struct l2r_job *job, struct l2r_shelf *shelf, struct l2r_counters *counters, size_t most);
/* With a code and a sentence; an answer that has begun is cut off. */
void l2r_job_refuse(struct l2r_job *job, struct l2r_counters *counters, int code, const char *sentence);
void l2r_job_free(struct l2r_job *job);

/* The next molecules of a list into the chunk, up to L2R_ROUND_ROWS; how many that were. */
int64_t l2r_job_take(struct l2r_molecule_chunk *chunk, struct l2r_job *job);

#endif
