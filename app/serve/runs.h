/* SPDX-License-Identifier: MIT
 *
 * The folder of runs (--runs DIR), as it is now: nothing is kept but the stamps of files.
 *
 *     GET /api/runs                   every folder below DIR with a config.json, at most L2R_RUN_DEPTH folders deep
 *     GET /api/runs/compare?runs=a,b  these side by side: scores with paired intervals, curves, options (report/page.h)
 *     GET /api/runs/weights?run=a     the learned weights of one: a histogram, and drawings of the graphs at both ends
 *     GET /report?runs=a,b            the page of `l2r report` about them
 *     GET /api/runs/events            server-sent events: which runs have changed, once a second at most
 *     POST /api/models {"run": "a"}   serves the model of a run, too (with --allow-train)
 *
 * A run's name is its path below DIR. Names that lead elsewhere are refused.
 */
#ifndef L2R_SERVE_RUNS_H
#define L2R_SERVE_RUNS_H

#include "base/json.h"
#include "serve/counters.h"
#include "serve/http.h"
#include "serve/models.h"

enum { L2R_RUN_DEPTH = 4, L2R_MOST_COMPARED = 64 };

/* New reference: [{"name": "a/seed-0", "state": "running", …}, …], by name. */
enum l2r_status l2r_runs_list(json_t **list, const char *dir, struct l2r_error *error);
/* names: with commas between them. */
enum l2r_status l2r_runs_compare(json_t **data, const char *dir, const char *names, struct l2r_error *error);
enum l2r_status l2r_runs_report(char **html, const char *dir, const char *names, struct l2r_error *error);
/* {"run": NAME, "weights": …} as l2r_report_weights has them. */
enum l2r_status l2r_runs_weights(json_t **answer, const char *dir, const char *name, struct l2r_error *error);

/* {"run": NAME} puts it on the shelf, unless it is there: {"name": what it is called there}. */
enum l2r_status l2r_runs_serve(json_t **answer, const char *dir, struct l2r_shelf *shelf, const char *body,
                               size_t length, struct l2r_error *error);

/* Those who watch. */
struct l2r_run_watch;
struct l2r_run_watch *l2r_run_watch_new(const char *dir); /* NULL: out of memory */
/* Takes the exchange, and answers it with a stream of events. */
void l2r_run_watch_add(struct l2r_run_watch *watch, struct l2r_exchange *exchange, struct l2r_counters *counters);
/* Looks for changes and tells of them; to be called once a second. */
void l2r_run_watch_look(struct l2r_run_watch *watch);
/* Ends all streams, and refuses new ones. */
void l2r_run_watch_stop(struct l2r_run_watch *watch);
void l2r_run_watch_free(struct l2r_run_watch *watch); /* once it has stopped; NULL is fine */

#endif
