/* SPDX-License-Identifier: MIT
 *
 * http.h on libmicrohttpd. A connection whose answer is not there yet is suspended; whoever brings the answer resumes
 * it. The states of an exchange change under its lock:
 *
 *     reading ──handle──► working ──reply──► answered                     (one buffer)
 *                                 ──begin──► streaming ──end──► answered  (a buffer that the reader empties)
 *
 * Two parties hold an exchange: the connection, until libmicrohttpd reports the request completed, and the program,
 * until _reply or _end. The last one frees it.
 */
#include "serve/http.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "serve/deadlines.h"
#include "serve/headers.h"
#include "serve/listen.h"

#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    HEAD_BYTES = 32 << 10, /* memory of a connection: its head must fit */
    PIECE = 64 << 10,
    SILENCE = 60 /* seconds that a client may leave an answer unread */
};

struct l2r_http {
    struct l2r_http_settings settings;
    struct MHD_Daemon *daemon;
    struct l2r_deadlines deadlines;
    _Atomic int under_way; /* requests that were read, and whose answers are not sent */
};

struct exchange {
    struct l2r_exchange public;
    struct l2r_http *http;
    struct MHD_Connection *connection;
    struct l2r_connection *place;
    struct l2r_text body;
    char *method, *path;
    bool too_large, handled;
    pthread_mutex_t lock; /* of what follows */
    int holders;
    bool suspended, closed, ended, whole;
    struct MHD_Response *response; /* to be queued; NULL: not there yet, or queued */
    unsigned code;
    struct l2r_text out; /* of a streamed answer */
    size_t taken;        /* of it */
};

static struct exchange *of(const struct l2r_exchange *public)
{
    return (struct exchange *)(void *)(uintptr_t) public;
}

/* ---- life ---- */

static void release(struct exchange *x)
{
    pthread_mutex_lock(&x->lock);
    bool last = --x->holders == 0;
    pthread_mutex_unlock(&x->lock);
    if (!last) return;
    if (x->response) MHD_destroy_response(x->response);
    l2r_text_clear(&x->body);
    l2r_text_clear(&x->out);
    l2r_free(x->method);
    l2r_free(x->path);
    pthread_mutex_destroy(&x->lock);
    l2r_free(x);
}

static void set_deadline(struct exchange *x, double seconds)
{
    l2r_deadlines_set(&x->http->deadlines, x->place, seconds);
}

static struct exchange *begin_exchange(struct l2r_http *http, struct MHD_Connection *connection, const char *url,
                                       const char *method)
{
    struct exchange *x = l2r_alloc(1, sizeof *x);
    if (!x) return NULL;
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    *x = (struct exchange){.http = http, .connection = connection, .holders = 1};
    x->place = info ? info->socket_context : NULL;
    x->method = l2r_strdup(method);
    x->path = l2r_strdup(url);
    pthread_mutex_init(&x->lock, NULL);
    x->public = (struct l2r_exchange){.method = x->method, .path = x->path, .body = ""};
    if (x->method && x->path) return x;
    release(x);
    return NULL;
}

/* ---- answers ---- */

/* Queues the response that was waiting; on the HTTP thread, without the lock: libmicrohttpd locks responses, also while
 * it calls read_piece. */
static enum MHD_Result queue_response(struct exchange *x, struct MHD_Response *response)
{
    enum MHD_Result result = MHD_queue_response(x->connection, x->code, response);
    MHD_destroy_response(response);
    return result;
}

/* With the lock held. */
static void resume(struct exchange *x)
{
    if (!x->suspended || x->closed) return;
    x->suspended = false;
    MHD_resume_connection(x->connection);
}

static void give(struct exchange *x, struct MHD_Response *response, unsigned code, bool last)
{
    pthread_mutex_lock(&x->lock);
    x->ended = x->ended || last || !response;
    bool closed = x->closed;
    if (!closed) {
        x->response = response;
        x->code = code;
        resume(x);
    }
    pthread_mutex_unlock(&x->lock);
    if (closed && response) MHD_destroy_response(response); /* a streamed one gives its share back, which locks */
}

void l2r_exchange_reply(struct l2r_exchange *exchange, const struct l2r_http_reply *reply)
{
    struct exchange *x = of(exchange);
    struct MHD_Response *response = MHD_create_response_from_buffer(
        reply->length, (void *)(uintptr_t)(reply->body ? reply->body : ""), MHD_RESPMEM_MUST_COPY);
    if (response) l2r_http_headers(response, reply);
    give(x, response, (unsigned)reply->code, true);
    release(x);
}

/* What was written goes out piece by piece; where there is none the connection sleeps. */
static ssize_t read_piece(void *context, uint64_t position, char *to, size_t room)
{
    struct exchange *x = context;
    ssize_t n = 0;
    (void)position;
    pthread_mutex_lock(&x->lock);
    size_t left = x->out.length - x->taken;
    if (left > 0) {
        n = (ssize_t)(left < room ? left : room);
        memcpy(to, x->out.text + x->taken, (size_t)n);
        x->taken += (size_t)n;
        if (x->taken == x->out.length) x->taken = x->out.length = 0;
    } else if (x->ended) {
        n = x->whole && !x->out.failed ? MHD_CONTENT_READER_END_OF_STREAM : MHD_CONTENT_READER_END_WITH_ERROR;
    } else {
        MHD_suspend_connection(x->connection);
        x->suspended = true;
    }
    pthread_mutex_unlock(&x->lock);
    if (n > 0 && x->http->settings.drained) x->http->settings.drained(x->http->settings.context);
    return n;
}

static void release_reader(void *context)
{
    release(context);
}

void l2r_exchange_begin(struct l2r_exchange *exchange, const struct l2r_http_reply *reply)
{
    struct exchange *x = of(exchange);
    pthread_mutex_lock(&x->lock);
    x->holders++;
    l2r_text_add(&x->out, reply->body ? reply->body : "", reply->length);
    pthread_mutex_unlock(&x->lock);
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE, read_piece, x, release_reader);
    if (response)
        l2r_http_headers(response, reply);
    else
        release(x);
    give(x, response, (unsigned)reply->code, false);
}

void l2r_exchange_write(struct l2r_exchange *exchange, const char *bytes, size_t n)
{
    struct exchange *x = of(exchange);
    pthread_mutex_lock(&x->lock);
    if (!x->closed) {
        if (x->taken > 0 && x->out.length > x->taken) {
            memmove(x->out.text, x->out.text + x->taken, x->out.length - x->taken);
            x->out.length -= x->taken;
            x->taken = 0;
        }
        l2r_text_add(&x->out, bytes, n);
        if (!x->response) resume(x);
    }
    pthread_mutex_unlock(&x->lock);
}

void l2r_exchange_end(struct l2r_exchange *exchange, bool whole)
{
    struct exchange *x = of(exchange);
    pthread_mutex_lock(&x->lock);
    x->ended = true;
    x->whole = whole;
    if (!x->response) resume(x);
    pthread_mutex_unlock(&x->lock);
    release(x);
}

bool l2r_exchange_is_open(struct l2r_exchange *exchange)
{
    struct exchange *x = of(exchange);
    pthread_mutex_lock(&x->lock);
    bool open = !x->closed;
    pthread_mutex_unlock(&x->lock);
    return open;
}

size_t l2r_exchange_waiting(struct l2r_exchange *exchange)
{
    struct exchange *x = of(exchange);
    pthread_mutex_lock(&x->lock);
    size_t n = x->out.length - x->taken;
    pthread_mutex_unlock(&x->lock);
    return n;
}

const char *l2r_exchange_header(const struct l2r_exchange *exchange, const char *name)
{
    return MHD_lookup_connection_value(of(exchange)->connection, MHD_HEADER_KIND, name);
}

const char *l2r_exchange_query(const struct l2r_exchange *exchange, const char *name)
{
    return MHD_lookup_connection_value(of(exchange)->connection, MHD_GET_ARGUMENT_KIND, name);
}

/* ---- requests, on the HTTP thread ---- */

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned code, const char *sentence)
{
    char body[200];
    snprintf(body, sizeof body, "{\"error\": \"%s\"}\n", sentence);
    struct MHD_Response *response = MHD_create_response_from_buffer(strlen(body), body, MHD_RESPMEM_MUST_COPY);
    if (!response) return MHD_NO;
    l2r_http_headers(response, &(struct l2r_http_reply){.type = "application/json"});
    MHD_add_response_header(response, "Connection", "close");
    enum MHD_Result result = MHD_queue_response(connection, code, response);
    MHD_destroy_response(response);
    return result;
}

static bool announces_too_much(const struct exchange *x)
{
    const char *length = l2r_exchange_header(&x->public, "Content-Length");
    uint64_t bytes = 0;
    for (const char *c = length ? length : ""; *c >= '0' && *c <= '9' && bytes < UINT64_MAX / 20; c++)
        bytes = 10 * bytes + (uint64_t)(*c - '0');
    return bytes > x->http->settings.largest_body;
}

/* The program takes a share of the exchange, which _reply or _end gives back. */
static void share(struct exchange *x)
{
    pthread_mutex_lock(&x->lock);
    x->holders++;
    pthread_mutex_unlock(&x->lock);
}

static enum MHD_Result first_call(struct exchange *x)
{
    const struct l2r_http_settings *s = &x->http->settings;
    set_deadline(x, s->body_seconds);
    if (announces_too_much(x)) return refuse(x->connection, 413, "the body is larger than this server accepts");
    share(x);
    if (s->accept(s->context, &x->public)) {
        pthread_mutex_lock(&x->lock);
        x->holders--;
        pthread_mutex_unlock(&x->lock);
        return MHD_YES;
    }
    struct MHD_Response *response = x->response;
    x->response = NULL;
    return response ? queue_response(x, response) : MHD_NO;
}

/* The answer, if it is there by now; else the connection sleeps until it is. */
static enum MHD_Result answer(struct exchange *x)
{
    pthread_mutex_lock(&x->lock);
    struct MHD_Response *response = x->response;
    bool failed = !response && x->ended; /* memory was short */
    x->response = NULL;
    if (!response && !failed) {
        MHD_suspend_connection(x->connection);
        x->suspended = true;
    }
    pthread_mutex_unlock(&x->lock);
    if (response) return queue_response(x, response);
    return failed ? MHD_NO : MHD_YES;
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                                  const char *version, const char *bytes, size_t *n, void **own)
{
    struct l2r_http *http = context;
    struct exchange *x = *own;
    (void)version;
    if (!x) {
        *own = x = begin_exchange(http, connection, url, method);
        return x ? first_call(x) : MHD_NO;
    }
    if (*n > 0) {
        x->too_large = x->too_large || x->body.length + *n > http->settings.largest_body;
        if (!x->too_large) l2r_text_add(&x->body, bytes, *n);
        *n = 0;
        return x->body.failed || x->too_large ? MHD_NO : MHD_YES;
    }
    if (!x->handled) {
        x->handled = true;
        http->under_way++;
        set_deadline(x, 0);
        if (x->body.text) x->public.body = x->body.text;
        x->public.length = x->body.length;
        share(x);
        http->settings.handle(http->settings.context, &x->public);
    }
    return answer(x);
}

static void on_completed(void *context, struct MHD_Connection *connection, void **own,
                         enum MHD_RequestTerminationCode why)
{
    struct exchange *x = *own;
    struct l2r_http *http = context;
    (void)connection, (void)why;
    if (!x) return;
    set_deadline(x, http->settings.head_seconds); /* for the next request */
    if (x->handled) http->under_way--;
    pthread_mutex_lock(&x->lock);
    struct MHD_Response *unsent = x->response; /* of a client that left before; a streamed one holds a share of x */
    x->response = NULL;
    x->closed = true;
    x->place = NULL;
    pthread_mutex_unlock(&x->lock);
    if (unsent) MHD_destroy_response(unsent);
    if (http->settings.drained) http->settings.drained(http->settings.context);
    release(x);
    *own = NULL;
}

/* ---- connections ---- */

static void on_connection(void *context, struct MHD_Connection *connection, void **own,
                          enum MHD_ConnectionNotificationCode what)
{
    struct l2r_http *http = context;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        l2r_deadlines_end(&http->deadlines, *own);
        *own = NULL;
        return;
    }
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    int socket = info ? info->connect_fd : -1, on = 1;
    if (socket >= 0) (void)setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    *own = l2r_deadlines_begin(&http->deadlines, socket, http->settings.head_seconds);
}

void l2r_http_sweep(struct l2r_http *http)
{
    l2r_deadlines_sweep(&http->deadlines);
}

unsigned l2r_http_connections(struct l2r_http *http)
{
    return l2r_deadlines_count(&http->deadlines);
}

/* ---- the server ---- */

enum l2r_status l2r_http_start(struct l2r_http **http, const struct l2r_http_settings *settings,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int fd = -1;
    bool six;
    struct l2r_http *h = l2r_alloc(1, sizeof *h);
    *http = NULL;
    if (!h) return l2r_fail_memory(error, sizeof *h, "a server");
    h->settings = *settings;
    l2r_deadlines_init(&h->deadlines);
    L2R_TRY(l2r_listen(&fd, settings->bound, &six, settings->address, settings->port, error));
    *http = h;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC;
    h->daemon = MHD_start_daemon(six ? flags | MHD_USE_IPv6 : flags, *settings->bound, NULL, NULL, on_request, h,
                                 MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, settings->connections,
                                 MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEAD_BYTES, MHD_OPTION_CONNECTION_TIMEOUT,
                                 (unsigned)SILENCE, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_COMPLETED,
                                 on_completed, h, MHD_OPTION_NOTIFY_CONNECTION, on_connection, h, MHD_OPTION_END);
    if (!h->daemon) L2R_FAIL(L2R_ERR_IO, "the server cannot be started: %s", strerror(errno));
    fd = -1;
done:
    if (fd >= 0) close(fd);
    if (status != L2R_OK) {
        l2r_http_free(h);
        *http = NULL;
    }
    return status;
}

void l2r_http_quiesce(struct l2r_http *http)
{
    int fd = MHD_quiesce_daemon(http->daemon);
    if (fd >= 0) close(fd);
}

void l2r_http_drain(struct l2r_http *http, double seconds)
{
    const struct timespec pause = {0, 5000000};
    for (double start = l2r_clock_seconds(); http->under_way > 0 && l2r_clock_since(start) < seconds;)
        nanosleep(&pause, NULL);
}

void l2r_http_free(struct l2r_http *http)
{
    if (!http) return;
    if (http->daemon) MHD_stop_daemon(http->daemon);
    l2r_deadlines_clear(&http->deadlines);
    l2r_free(http);
}
