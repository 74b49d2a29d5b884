/* SPDX-License-Identifier: MIT
 *
 * POST /api/predict: requests wait in a queue, and one thread predicts. Lists of molecules that ask the same models and
 * wait at the same time are one batch: RDKit and the network see them together, and each request gets its own rows.
 *
 *     HTTP thread   parse small bodies, l2r_scorer_add ─►  queue  ─► scoring thread   at most ROWS molecules a round
 *                                                            ▲                │
 *                                                            └── the rest ────┘   long requests take turns with others
 *
 * An answer that is complete after one round is sent whole; a longer one is streamed, round by round, as fast as its
 * reader takes it.
 */
#ifndef L2R_SERVE_PREDICT_H
#define L2R_SERVE_PREDICT_H

#include "serve/counters.h"
#include "serve/http.h"
#include "serve/models.h"

struct l2r_scorer_settings {
    struct l2r_shelf *shelf;
    struct l2r_counters *counters;
    size_t most_molecules; /* of a request */
    int most_waiting;      /* requests */
    double seconds;        /* that a request may take before its first row is there */
    int threads;           /* 0: one per core */
};

struct l2r_scorer;
enum l2r_status l2r_scorer_new(struct l2r_scorer **scorer, const struct l2r_scorer_settings *settings,
                               struct l2r_error *error);
/* Takes over the exchange: on the HTTP thread. */
void l2r_scorer_add(struct l2r_scorer *scorer, struct l2r_exchange *exchange);
/* A reader has made room: rounds that waited for it go on. Also to be called when a client has left. */
void l2r_scorer_wake(struct l2r_scorer *scorer);
int l2r_scorer_waiting(struct l2r_scorer *scorer);
/* Finishes what waits, for at most so many seconds; what is left then, and what comes later, is refused. */
void l2r_scorer_stop(struct l2r_scorer *scorer, double seconds);
void l2r_scorer_free(struct l2r_scorer *scorer); /* once it has stopped, and nobody adds to it; NULL is fine */

#endif
