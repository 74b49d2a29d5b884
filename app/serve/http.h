/* SPDX-License-Identifier: MIT
 *
 * An HTTP server on libmicrohttpd, in a module that is loaded on first use (base/module.h). One thread serves all
 * connections (epoll); the work is done by the program's own threads:
 *
 *     head read    ──► accept(exchange)   on the HTTP thread: may refuse before the body is read
 *     body read    ──► handle(exchange)   on the HTTP thread: replies at once, or hands the exchange to a thread
 *     that thread  ──► l2r_exchange_reply, or l2r_exchange_begin, _write …, _end for an answer of any length
 *
 * An exchange is one request and its answer. It belongs to `handle` and to whomever that passes it on until _reply or
 * _end, after which it must not be touched. A client that leaves does not end an exchange: what is written for it is
 * dropped, and l2r_exchange_is_open says so.
 *
 * A connection has `head_seconds` from its beginning, or from the end of its last answer, until a request is read, and
 * `body_seconds` more where there is a body: one byte a minute keeps nothing open. l2r_http_sweep enforces that.
 */
#ifndef L2R_SERVE_HTTP_H
#define L2R_SERVE_HTTP_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct l2r_http;

struct l2r_exchange {
    const char *method, *path; /* the path is decoded, without its query */
    const char *body;          /* [length], followed by 0 */
    size_t length;
    void *own; /* the program's */
};

struct l2r_http_settings {
    const char *address; /* "127.0.0.1", "::1", "0.0.0.0" */
    uint16_t port;       /* 0: chosen by the system */
    uint16_t *bound;     /* the port that is listened on, written before the first request */
    size_t largest_body; /* bytes; 413 beyond */
    unsigned connections;
    double head_seconds, body_seconds;
    void *context;
    bool (*accept)(void *context, struct l2r_exchange *exchange); /* false: it has replied */
    void (*handle)(void *context, struct l2r_exchange *exchange);
    void (*drained)(void *context); /* some client has taken what was written: there is room for more */
};

struct l2r_http_header {
    const char *name, *value; /* a value with a line break is left out */
};
struct l2r_http_reply {
    int code;
    const char *type; /* "application/json" */
    const char *body; /* [length], copied */
    size_t length;
    const char *policy;                /* Content-Security-Policy; NULL: own parts alone, nothing inline */
    struct l2r_http_header headers[5]; /* in addition to those that every answer has; up to the first without name */
};

/* Starts to listen. *http is set before the first request. */
enum l2r_status l2r_http_start(struct l2r_http **http, const struct l2r_http_settings *settings,
                               struct l2r_error *error);
/* Takes no new connections; those that are open go on. */
void l2r_http_quiesce(struct l2r_http *http);
/* Ends connections that take too long to say what they want, and those that wait for nothing while it is quiet. */
void l2r_http_sweep(struct l2r_http *http);
unsigned l2r_http_connections(struct l2r_http *http);
/* Until what has been answered is on its way to those who asked, for at most so many seconds. */
void l2r_http_drain(struct l2r_http *http, double seconds);
/* Every exchange must have been answered. NULL is fine. */
void l2r_http_free(struct l2r_http *http);

/* Within accept and handle only: the value of a header or of a parameter of the query; NULL: there is none. */
const char *l2r_exchange_header(const struct l2r_exchange *exchange, const char *name);
const char *l2r_exchange_query(const struct l2r_exchange *exchange, const char *name);

void l2r_exchange_reply(struct l2r_exchange *exchange, const struct l2r_http_reply *reply);
/* An answer in pieces: code, type and headers as in a reply, whose body is the first piece. */
void l2r_exchange_begin(struct l2r_exchange *exchange, const struct l2r_http_reply *reply);
void l2r_exchange_write(struct l2r_exchange *exchange, const char *bytes, size_t n);
/* whole: false where an error cuts the answer off, which the client then notices. */
void l2r_exchange_end(struct l2r_exchange *exchange, bool whole);
bool l2r_exchange_is_open(struct l2r_exchange *exchange);   /* false: the client has left */
size_t l2r_exchange_waiting(struct l2r_exchange *exchange); /* bytes written and not yet taken */

#endif
