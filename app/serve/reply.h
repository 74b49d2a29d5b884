/* SPDX-License-Identifier: MIT
 *
 * Answers that every route gives alike: JSON, and why a request is refused.
 */
#ifndef L2R_SERVE_REPLY_H
#define L2R_SERVE_REPLY_H

#include "base/json.h"
#include "serve/counters.h"
#include "serve/http.h"

/* Takes the reference. */
void l2r_reply_json(struct l2r_exchange *exchange, struct l2r_counters *counters, int code, json_t *value);
/* {"error": SENTENCE}, with Retry-After where trying again may help. */
void l2r_reply_error(struct l2r_exchange *exchange, struct l2r_counters *counters, int code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The code that goes with a failure: whose fault it is. */
int l2r_reply_code(enum l2r_status status);

#endif
