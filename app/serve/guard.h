/* SPDX-License-Identifier: MIT
 *
 * Who may ask this server. A page of another site, open in the same browser, can reach 127.0.0.1 too, so every request
 * is checked before its body is read:
 *
 *     Host              without a token: localhost, 127.0.0.1 or [::1] with our port. A name that someone points at
 *                       127.0.0.1 (DNS rebinding) is none of these
 *     Origin            if sent: our own
 *     Sec-Fetch-Site    if sent: same-origin, or none (typed into the address bar); a link from elsewhere may open a
 *                       page, and nothing else
 *     token             where one is needed: "Authorization: Bearer TOKEN", or the cookie that /?token=TOKEN sets
 */
#ifndef L2R_SERVE_GUARD_H
#define L2R_SERVE_GUARD_H

#include <stdbool.h>
#include <stdint.h>

struct l2r_guard {
    uint16_t port;
    const char *token; /* NULL: none is needed */
};

/* What a request says of where it comes from; NULL: nothing. */
struct l2r_origin_headers {
    const char *host, *origin, *site, *mode, *authorization, *cookie, *query_token;
};

enum l2r_guard_answer { L2R_GUARD_PASS, L2R_GUARD_HOST, L2R_GUARD_ORIGIN, L2R_GUARD_TOKEN };

/* page: it is a page that is asked for, by GET. */
enum l2r_guard_answer l2r_guard_check(const struct l2r_guard *guard, const struct l2r_origin_headers *headers,
                                      bool page);
/* In a time that does not depend on where the two differ. */
bool l2r_token_is(const char *token, const char *given);
/* 32 letters and digits from the system's random numbers. */
enum { L2R_TOKEN = 33 };
bool l2r_token_make(char token[L2R_TOKEN]);

#define L2R_TOKEN_COOKIE "l2r-token"

#endif
