/* SPDX-License-Identifier: MIT
 *
 * See server.h: routes, and the order in which the parts begin and end. */
#include "serve/server.h"

#include "base/clock.h"
#include "base/memory.h"
#include "serve/api.h"
#include "serve/guard.h"
#include "serve/molecules.h"
#include "serve/predict.h"
#include "serve/reply.h"
#include "serve/runs.h"
#include "serve/sketcher.h"
#include "serve/worker.h"

#include <pthread.h>
#include <string.h>
#include <strings.h>

enum { WORKER_WAITING = 64, HEAD_SECONDS = 20, BODY_SECONDS = 120 };

struct l2r_server {
    struct l2r_server_settings settings;
    struct l2r_guard guard;
    struct l2r_counters counters;
    struct l2r_http *http;
    struct l2r_scorer *scorer;
    struct l2r_worker *worker;
    struct l2r_sketcher *sketcher;   /* NULL: none */
    struct l2r_run_watch *runs;      /* NULL: no folder of runs */
    struct l2r_trainings *trainings; /* NULL: none may be started */
    pthread_t watcher;
    bool watches;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stop;
};

/* ---- answers ---- */

static void reply_text(struct l2r_server *s, struct l2r_exchange *x, const char *type, const char *text, size_t length)
{
    const struct l2r_http_reply reply = {.code = 200, .type = type, .body = text, .length = length};
    l2r_counters_code(&s->counters, 200);
    l2r_exchange_reply(x, &reply);
}

static void get_health(struct l2r_server *s, struct l2r_exchange *x)
{
    json_t *object = json_object();
    l2r_json_put(object, "status", json_string("ok"));
    l2r_json_put(object, "version", json_string(l2r_version()));
    l2r_json_put(object, "models", json_integer(s->settings.shelf->n));
    l2r_reply_json(x, &s->counters, 200, object);
}

static void get_metrics(struct l2r_server *s, struct l2r_exchange *x)
{
    struct l2r_text text = {0};
    const struct l2r_gauges gauges = {.waiting =
                                          (uint64_t)(l2r_scorer_waiting(s->scorer) + l2r_worker_waiting(s->worker)),
                                      .connections = l2r_http_connections(s->http),
                                      .models = (uint64_t)s->settings.shelf->n};
    l2r_counters_print(&text, &s->counters, &gauges);
    reply_text(s, x, "text/plain; version=0.0.4; charset=utf-8", text.text ? text.text : "", text.length);
    l2r_text_clear(&text);
}

/* The answer of a task, or why there is none. */
static void reply_result(struct l2r_server *s, struct l2r_exchange *x, enum l2r_status status, json_t *answer,
                         const struct l2r_error *error)
{
    if (status == L2R_OK)
        l2r_reply_json(x, &s->counters, 200, answer);
    else
        l2r_reply_error(x, &s->counters, l2r_reply_code(status), "%s", error->message);
}

/* One of the calls of api.h, which the exchange carries. */
static void api_task(void *context, struct l2r_exchange *x, const char *const query[L2R_TASK_QUERIES])
{
    struct l2r_server *s = context;
    const struct l2r_api_call *call = x->own;
    struct l2r_api_request request = {s->settings.shelf, s->settings.runs, s->trainings, s->sketcher != NULL,
                                      x->body,           x->length,        query[0],     0};
    struct l2r_error error = {0};
    json_t *answer = NULL;
    enum l2r_status status = call->make(&answer, &request, &error);
    if (request.code != 0)
        l2r_reply_error(x, &s->counters, request.code, "%s", error.message);
    else
        reply_result(s, x, status, answer, &error);
}

static bool has_runs(struct l2r_server *s, struct l2r_exchange *x)
{
    if (s->runs) return true;
    l2r_reply_error(x, &s->counters, 404, "this server shows no runs; it was started without --runs");
    return false;
}

static void serve_call(struct l2r_server *s, struct l2r_exchange *x, const struct l2r_api_call *call)
{
    const char *const names[L2R_TASK_QUERIES] = {call->query};
    if (call->need == L2R_API_RUNS && !has_runs(s, x)) return;
    if (call->need == L2R_API_TRAININGS && !s->trainings)
        l2r_reply_error(x, &s->counters, 403, "this server trains nothing; it was started without --allow-train");
    else if (strcmp(call->method, "POST") == 0 &&
             l2r_body_kind_of(l2r_exchange_header(x, "Content-Type")) != L2R_BODY_JSON)
        l2r_reply_error(x, &s->counters, 415, "the Content-Type of this body is application/json");
    else {
        x->own = (void *)(uintptr_t)call;
        l2r_worker_add(s->worker, x, api_task, names);
    }
}

/* ---- runs ---- */

static void report_task(void *context, struct l2r_exchange *x, const char *const query[L2R_TASK_QUERIES])
{
    struct l2r_server *s = context;
    struct l2r_error error = {0};
    char *html = NULL;
    /* The page has a stricter policy of its own, with the hashes of its script and style. */
    struct l2r_http_reply reply = {.code = 200,
                                   .type = "text/html; charset=utf-8",
                                   .policy = "default-src 'none'; script-src 'unsafe-inline'; style-src "
                                             "'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors "
                                             "'none'"};
    enum l2r_status status = l2r_runs_report(&html, s->settings.runs, query[0] ? query[0] : "", &error);
    if (status != L2R_OK) {
        reply_result(s, x, status, NULL, &error);
        return;
    }
    reply.body = html;
    reply.length = strlen(html);
    l2r_counters_code(&s->counters, 200);
    l2r_exchange_reply(x, &reply);
    l2r_free(html);
}

static void get_report(struct l2r_server *s, struct l2r_exchange *x)
{
    static const char *const names[L2R_TASK_QUERIES] = {"runs"};
    if (has_runs(s, x)) l2r_worker_add(s->worker, x, report_task, names);
}

static void get_events(struct l2r_server *s, struct l2r_exchange *x)
{
    if (has_runs(s, x)) l2r_run_watch_add(s->runs, x, &s->counters);
}

static void post_predict(struct l2r_server *s, struct l2r_exchange *x)
{
    l2r_scorer_add(s->scorer, x);
}

/* ---- routes ---- */

struct route {
    const char *method, *path;
    void (*serve)(struct l2r_server *server, struct l2r_exchange *exchange);
};
static const struct route routes[] = {
    {"GET", "/healthz", get_health}, {"GET", "/metrics", get_metrics},       {"GET", "/api/runs/events", get_events},
    {"GET", "/report", get_report},  {"POST", "/api/predict", post_predict},
};
enum { N_ROUTES = sizeof routes / sizeof *routes };

/* "/serve.js" of an embedded table, by its ending. False: there is none. */
static bool serve_file(struct l2r_server *s, struct l2r_exchange *x, const struct l2r_page_file *files,
                       const char *ending, const char *type)
{
    const char *path = strcmp(x->path, "/") == 0 ? "/index.html" : x->path;
    size_t length = strlen(path), tail = strlen(ending);
    if (length <= tail + 1 || strcmp(path + length - tail, ending) != 0) return false;
    for (const struct l2r_page_file *f = files; f->name; f++)
        if (strlen(f->name) == length - tail - 1 && strncmp(f->name, path + 1, length - tail - 1) == 0) {
            reply_text(s, x, type, (const char *)f->text, f->length);
            return true;
        }
    return false;
}

/* The sketcher's frame and its files. */
static bool serve_sketcher(struct l2r_server *s, struct l2r_exchange *x)
{
    const struct l2r_page_file *frame = l2r_page_pages;
    struct l2r_http_reply reply;
    while (frame->name && strcmp(frame->name, "sketcher") != 0) frame++;
    if (!s->sketcher || !l2r_sketcher_is_path(x->path) ||
        !l2r_sketcher_reply(&reply, s->sketcher, x->path, (const char *)frame->text, frame->length))
        return false;
    l2r_counters_code(&s->counters, 200);
    l2r_exchange_reply(x, &reply);
    return true;
}

static bool is_get(const struct l2r_exchange *x)
{
    return strcmp(x->method, "GET") == 0 || strcmp(x->method, "HEAD") == 0;
}

/* 405 names the methods that there are. */
static void refuse_method(struct l2r_server *s, struct l2r_exchange *x)
{
    static const char sentence[] = "{\"error\":\"this address does not take this method\"}";
    bool get = false, post = false;
    for (size_t i = 0; i < N_ROUTES; i++)
        if (strcmp(x->path, routes[i].path) == 0) *(*routes[i].method == 'G' ? &get : &post) = true;
    for (const struct l2r_api_call *call = l2r_api_calls; call->path; call++)
        if (strcmp(x->path, call->path) == 0) *(*call->method == 'G' ? &get : &post) = true;
    const struct l2r_http_reply reply = {.code = 405,
                                         .type = "application/json",
                                         .body = sentence,
                                         .length = sizeof sentence - 1,
                                         .headers = {{"Allow", get && post ? "GET, HEAD, POST"
                                                               : get       ? "GET, HEAD"
                                                                           : "POST"}}};
    l2r_counters_code(&s->counters, 405);
    l2r_exchange_reply(x, &reply);
}

/* Is this its path, and its method, too? HEAD is a GET. */
static bool is_for(bool *path, const struct l2r_exchange *x, const char *method, const char *wanted)
{
    if (strcmp(x->path, wanted) != 0) return false;
    *path = true;
    return strcmp(x->method, method) == 0 || (strcmp(method, "GET") == 0 && is_get(x));
}

static void handle(void *context, struct l2r_exchange *x)
{
    struct l2r_server *s = context;
    bool known = false;
    for (size_t i = 0; i < N_ROUTES; i++)
        if (is_for(&known, x, routes[i].method, routes[i].path)) {
            routes[i].serve(s, x);
            return;
        }
    for (const struct l2r_api_call *call = l2r_api_calls; call->path; call++)
        if (is_for(&known, x, call->method, call->path)) {
            serve_call(s, x, call);
            return;
        }
    if (!known && is_get(x) &&
        (serve_sketcher(s, x) || serve_file(s, x, l2r_page_pages, ".html", "text/html; charset=utf-8") ||
         serve_file(s, x, l2r_page_scripts, ".js", "text/javascript; charset=utf-8") ||
         serve_file(s, x, l2r_page_data, ".json", "application/json") ||
         serve_file(s, x, l2r_page_styles, ".css", "text/css; charset=utf-8")))
        return;
    if (known)
        refuse_method(s, x);
    else
        l2r_reply_error(x, &s->counters, 404, "there is no such address");
}

/* ---- who may come in ---- */

/* /?token=… sets the cookie, and the address bar forgets the token. */
static void welcome(struct l2r_server *s, struct l2r_exchange *x)
{
    char cookie[400];
    snprintf(cookie, sizeof cookie, L2R_TOKEN_COOKIE "=%s; HttpOnly; SameSite=Strict; Path=/", s->guard.token);
    const struct l2r_http_reply reply = {
        .code = 303, .type = "text/plain", .headers = {{"Location", "/"}, {"Set-Cookie", cookie}}};
    l2r_counters_code(&s->counters, 303);
    l2r_exchange_reply(x, &reply);
}

static bool accept_request(void *context, struct l2r_exchange *x)
{
    struct l2r_server *s = context;
    const struct l2r_origin_headers headers = {.host = l2r_exchange_header(x, "Host"),
                                               .origin = l2r_exchange_header(x, "Origin"),
                                               .site = l2r_exchange_header(x, "Sec-Fetch-Site"),
                                               .mode = l2r_exchange_header(x, "Sec-Fetch-Mode"),
                                               .authorization = l2r_exchange_header(x, "Authorization"),
                                               .cookie = l2r_exchange_header(x, "Cookie"),
                                               .query_token = l2r_exchange_query(x, "token")};
    bool page = is_get(x) && strncmp(x->path, "/api/", 5) != 0;
    /* That it is alive may be asked without a token. */
    struct l2r_guard guard = s->guard;
    if (strcmp(x->path, "/healthz") == 0 && guard.token && headers.host) return true;
    /* The frame of the sketcher is of another origin; what it loads tells nobody anything. */
    const struct l2r_origin_headers host_alone = {.host = headers.host};
    bool frame = s->sketcher && is_get(x) && l2r_sketcher_is_path(x->path);
    if (frame && guard.token && headers.host) return true;
    switch (l2r_guard_check(&guard, frame ? &host_alone : &headers, page)) {
    case L2R_GUARD_PASS:
        break;
    case L2R_GUARD_HOST:
        l2r_reply_error(x, &s->counters, 421, "the Host of the request is not this server; open http://127.0.0.1:%u",
                        (unsigned)s->guard.port);
        return false;
    case L2R_GUARD_ORIGIN:
        l2r_reply_error(x, &s->counters, 403, "requests from pages of other sites are refused");
        return false;
    case L2R_GUARD_TOKEN:
        l2r_reply_error(x, &s->counters, 401,
                        "this server needs its token: open the address that it printed, or send Authorization: Bearer "
                        "TOKEN");
        return false;
    }
    if (guard.token && headers.query_token && strcmp(x->path, "/") == 0) {
        welcome(s, x);
        return false;
    }
    return true;
}

static void on_drained(void *context)
{
    struct l2r_server *s = context;
    l2r_scorer_wake(s->scorer);
}

/* ---- life ---- */

static bool stops(void *context)
{
    struct l2r_server *s = context;
    pthread_mutex_lock(&s->lock);
    bool stop = s->stop;
    pthread_mutex_unlock(&s->lock);
    return stop;
}

static void *watch(void *context)
{
    struct l2r_server *s = context;
    while (!stops(s)) {
        struct timespec until;
        l2r_shelf_watch(s->settings.shelf, stops, s);
        if (s->runs) l2r_run_watch_look(s->runs);
        if (s->trainings) l2r_trainings_look(s->trainings);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        pthread_mutex_lock(&s->lock);
        if (!s->stop) pthread_cond_timedwait(&s->changed, &s->lock, &until);
        pthread_mutex_unlock(&s->lock);
    }
    return NULL;
}

static enum l2r_status start_parts(struct l2r_server *s, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_server_settings *want = &s->settings;
    const struct l2r_scorer_settings scorer = {.shelf = want->shelf,
                                               .counters = &s->counters,
                                               .most_molecules = want->most_molecules,
                                               .most_waiting = want->most_waiting,
                                               .seconds = want->seconds,
                                               .threads = want->threads};
    const struct l2r_http_settings http = {.address = want->address,
                                           .port = want->port,
                                           .bound = &s->guard.port,
                                           .largest_body = want->largest_body,
                                           .connections = want->connections,
                                           .head_seconds = HEAD_SECONDS,
                                           .body_seconds = BODY_SECONDS,
                                           .context = s,
                                           .accept = accept_request,
                                           .handle = handle,
                                           .drained = on_drained};
    if (want->runs && !(s->runs = l2r_run_watch_new(want->runs)))
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the folder of runs");
    if (want->sketcher) L2R_TRY(l2r_sketcher_open(&s->sketcher, want->sketcher, error));
    if (want->tables) L2R_TRY(l2r_trainings_new(&s->trainings, want->tables, want->runs, error));
    L2R_TRY(l2r_scorer_new(&s->scorer, &scorer, error));
    L2R_TRY(l2r_worker_new(&s->worker, s, &s->counters, WORKER_WAITING, error));
    s->guard.token = want->token;
    L2R_TRY(l2r_http_start(&s->http, &http, error));
    s->watches = pthread_create(&s->watcher, NULL, watch, s) == 0;
    if (!s->watches) L2R_FAIL(L2R_ERR_IO, "the system gives no thread");
done:
    return status;
}

enum l2r_status l2r_server_start(struct l2r_server **server, const struct l2r_server_settings *settings,
                                 struct l2r_error *error)
{
    struct l2r_server *s = *server = l2r_alloc(1, sizeof *s);
    if (!s) return l2r_fail_memory(error, sizeof *s, "a server");
    s->settings = *settings;
    if (!s->settings.address) s->settings.address = "127.0.0.1";
    s->counters.started = l2r_clock_seconds();
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    enum l2r_status status = start_parts(s, error);
    if (status != L2R_OK) {
        l2r_server_stop(s, 0);
        *server = NULL;
    }
    return status;
}

uint16_t l2r_server_port(const struct l2r_server *server)
{
    return server->guard.port;
}

void l2r_server_tick(struct l2r_server *server)
{
    l2r_http_sweep(server->http);
}

void l2r_server_stop(struct l2r_server *s, double seconds)
{
    if (!s) return;
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
    if (s->http) l2r_http_quiesce(s->http);
    if (s->watches) pthread_join(s->watcher, NULL);
    if (s->runs) l2r_run_watch_stop(s->runs);
    if (s->worker) l2r_worker_stop(s->worker);
    l2r_trainings_stop(s->trainings, seconds);
    if (s->scorer) l2r_scorer_stop(s->scorer, seconds);
    if (s->http) l2r_http_drain(s->http, seconds);
    l2r_http_free(s->http);
    l2r_sketcher_free(s->sketcher);
    l2r_trainings_free(s->trainings);
    l2r_run_watch_free(s->runs);
    l2r_worker_free(s->worker);
    l2r_scorer_free(s->scorer);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    l2r_free(s);
}
