/* SPDX-License-Identifier: MIT
 *
 * The calls under /api that make JSON of a small body or none: a table of them, by method and path. The worker's thread
 * makes their answers (worker.h), one at a time. Predictions (predict.h) and events (runs.h) go their own ways.
 */
#ifndef L2R_SERVE_API_H
#define L2R_SERVE_API_H

#include "base/json.h"
#include "serve/models.h"
#include "serve/trainings.h"

/* What an answer is made of. */
struct l2r_api_request {
    struct l2r_shelf *shelf;
    const char *runs;                /* NULL: no folder of runs */
    struct l2r_trainings *trainings; /* NULL: none may be started */
    bool sketches;                   /* there is a sketcher */
    const char *body;                /* [length] */
    size_t length;
    const char *query; /* the value of the call's parameter; NULL: not given */
    int code;          /* of a refusal, where it is not the usual one for the status */
};

enum l2r_api_need { L2R_API_NOTHING, L2R_API_RUNS, L2R_API_TRAININGS };

/* One call. A POST has a body of JSON. */
struct l2r_api_call {
    const char *method, *path;
    enum l2r_status (*make)(json_t **answer, struct l2r_api_request *request,
                            struct l2r_error *error); /* new reference */
    const char *query;                                /* the parameter that it gets; NULL: none */
    enum l2r_api_need need;
};
extern const struct l2r_api_call l2r_api_calls[]; /* ends with a zero row */

#endif
