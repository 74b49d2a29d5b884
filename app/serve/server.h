/* SPDX-License-Identifier: MIT
 *
 * l2r serve: models and runs over HTTP, for the page that it brings and for programs.
 *
 *     /                    the page                      /api/predict     predict.h
 *     /serve.css, …        its parts, embedded           /api/models      models.h
 *     /report              report/page.h                 /api/runs        runs.h
 *     /healthz, /metrics   for those who watch servers   /api/trainings   trainings.h
 *     /openapi.json        all of it, described
 *
 * A server has four threads beside the caller's: HTTP, scoring, the worker, and one that watches model files.
 */
#ifndef L2R_SERVE_SERVER_H
#define L2R_SERVE_SERVER_H

#include "serve/models.h"

struct l2r_server_settings {
    struct l2r_shelf *shelf;
    const char *runs;     /* a folder of runs; NULL: none are shown */
    const char *tables;   /* a folder of tables that the page may train on, with runs; NULL: it may not train */
    const char *sketcher; /* a folder or archive with JSME; NULL: none */
    const char *address;  /* NULL: 127.0.0.1 */
    uint16_t port;
    const char *token;   /* NULL: none is needed; then the address must be a loopback one */
    size_t largest_body; /* bytes */
    size_t most_molecules;
    int most_waiting, threads;
    unsigned connections;
    double seconds; /* that a request may wait */
};

struct l2r_server;
enum l2r_status l2r_server_start(struct l2r_server **server, const struct l2r_server_settings *settings,
                                 struct l2r_error *error);
uint16_t l2r_server_port(const struct l2r_server *server);
/* What must be done from time to time, once a second or so; it takes no time. */
void l2r_server_tick(struct l2r_server *server);
/* Answers what is under way, for at most so many seconds, refuses what comes, and ends. NULL is fine. */
void l2r_server_stop(struct l2r_server *server, double seconds);

/* A file of the page; the table ends with a zero row. */
struct l2r_page_file {
    const char *name; /* without its ending */
    const unsigned char *text;
    size_t length;
};
extern const struct l2r_page_file l2r_page_scripts[], l2r_page_styles[], l2r_page_pages[], l2r_page_data[];

#endif
