/* SPDX-License-Identifier: MIT
 *
 * A thread for requests that take a while and are not predictions: explanations, drawings, folders of runs. They wait
 * in a queue of their own, so that none of them holds up a prediction.
 */
#ifndef L2R_SERVE_WORKER_H
#define L2R_SERVE_WORKER_H

#include "serve/counters.h"
#include "serve/http.h"

enum { L2R_TASK_QUERIES = 4 };

/* One request for the worker: it answers the exchange. query: values of the parameters that it named, or NULL. */
typedef void l2r_task_fn(void *context, struct l2r_exchange *exchange, const char *const query[L2R_TASK_QUERIES]);

struct l2r_worker;
enum l2r_status l2r_worker_new(struct l2r_worker **worker, void *context, struct l2r_counters *counters, int most,
                               struct l2r_error *error);
/* On the HTTP thread. names [L2R_TASK_QUERIES]: parameters of the query, up to the first NULL. */
void l2r_worker_add(struct l2r_worker *worker, struct l2r_exchange *exchange, l2r_task_fn *fn,
                    const char *const names[L2R_TASK_QUERIES]);
int l2r_worker_waiting(struct l2r_worker *worker);
/* Refuses what waits and what comes later, and ends the thread. */
void l2r_worker_stop(struct l2r_worker *worker);
void l2r_worker_free(struct l2r_worker *worker); /* once it has stopped, and nobody adds to it; NULL is fine */

#endif
