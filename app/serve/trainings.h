/* SPDX-License-Identifier: MIT
 *
 * Trainings that the page starts (--allow-train DIR): `l2r train` of this program, as a process of its own, on a table
 * in DIR, into a new folder below that of the runs.
 *
 *     GET  /api/trainings                 tables, models, methods, and the trainings of this server
 *     GET  /api/trainings/table?name=T    the columns of a table
 *     POST /api/trainings                 {"table": T, "name": RUN, "options": {"epochs": 50, …}} starts one,
 *                                         {"resume": RUN} continues one that was stopped
 *     POST /api/trainings/check           the same body; the command that it means, or what is wrong with it
 *     POST /api/trainings/stop            {"id": 3}: it saves and ends, as after Ctrl-C
 *
 * Options are those of the command, with its checks; those that name files are refused. What the command prints to
 * stderr is the training's message. Names lead to nothing outside of the two folders.
 */
#ifndef L2R_SERVE_TRAININGS_H
#define L2R_SERVE_TRAININGS_H

#include "base/json.h"

enum { L2R_MOST_TRAININGS = 2 /* at the same time */, L2R_TRAININGS_KEPT = 100 };

struct l2r_trainings;
/* Both folders must outlive it. */
enum l2r_status l2r_trainings_new(struct l2r_trainings **trainings, const char *tables, const char *runs,
                                  struct l2r_error *error);
/* Interrupts all, and waits for them up to so many seconds. NULL is fine. */
void l2r_trainings_stop(struct l2r_trainings *trainings, double seconds);
void l2r_trainings_free(struct l2r_trainings *trainings);

/* Each makes the answer: new reference. Threads may call them at the same time. */
enum l2r_status l2r_trainings_list(json_t **answer, struct l2r_trainings *trainings, struct l2r_error *error);
enum l2r_status l2r_trainings_table(json_t **answer, struct l2r_trainings *trainings, const char *name,
                                    struct l2r_error *error);
enum l2r_status l2r_trainings_check(json_t **answer, struct l2r_trainings *trainings, const char *body, size_t length,
                                    struct l2r_error *error);
/* *busy: it is refused because L2R_MOST_TRAININGS run already. */
enum l2r_status l2r_trainings_begin(json_t **answer, bool *busy, struct l2r_trainings *trainings, const char *body,
                                    size_t length, struct l2r_error *error);
enum l2r_status l2r_trainings_end(json_t **answer, struct l2r_trainings *trainings, const char *body, size_t length,
                                  struct l2r_error *error);
/* Notes which have ended; to be called once a second. */
void l2r_trainings_look(struct l2r_trainings *trainings);

#endif
