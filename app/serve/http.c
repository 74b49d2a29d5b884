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

#include <arpa/inet.h>
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

struct connection {
    struct connection *previous, *next;
    int socket;
    double deadline; /* for the request that is being read; 0: it has been read, and its answer is under way */
};

struct l2r_http {
    struct l2r_http_settings settings;
    struct MHD_Daemon *daemon;
    pthread_mutex_t lock; /* of the list */
    struct connection *connections;
    unsigned n;
};

struct exchange {
    struct l2r_exchange public;
    struct l2r_http *http;
    struct MHD_Connection *connection;
    struct connection *place;
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
    return (struct exchange *)(void *)(uintptr_t)public;
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
    pthread_mutex_lock(&x->http->lock);
    if (x->place) x->place->deadline = seconds > 0 ? l2r_clock_seconds() + seconds : 0;
    pthread_mutex_unlock(&x->http->lock);
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

static bool is_plain(const char *value)
{
    return strpbrk(value, "\r\n") == NULL;
}

static void add_headers(struct MHD_Response *response, const struct l2r_http_reply *reply)
{
    static const struct l2r_http_header always[] = {
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cache-Control", "no-store"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: "
                                    "blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors "
                                    "'none'"}};
    MHD_add_response_header(response, "Content-Type", reply->type);
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        MHD_add_response_header(response, always[i].name, always[i].value);
    for (size_t i = 0; i < sizeof reply->headers / sizeof *reply->headers && reply->headers[i].name; i++)
        if (is_plain(reply->headers[i].value))
            MHD_add_response_header(response, reply->headers[i].name, reply->headers[i].value);
}

/* Queues the response that waits; on the HTTP thread. */
static enum MHD_Result queue_response(struct exchange *x)
{
    struct MHD_Response *response = x->response;
    x->response = NULL;
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
    if (x->closed) {
        if (response) MHD_destroy_response(response);
    } else {
        x->response = response;
        x->code = code;
        resume(x);
    }
    pthread_mutex_unlock(&x->lock);
}

void l2r_exchange_reply(struct l2r_exchange *exchange, const struct l2r_http_reply *reply)
{
    struct exchange *x = of(exchange);
    struct MHD_Response *response = MHD_create_response_from_buffer(
        reply->length, (void *)(uintptr_t)(reply->body ? reply->body : ""), MHD_RESPMEM_MUST_COPY);
    if (response) add_headers(response, reply);
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
        add_headers(response, reply);
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
    add_headers(response, &(struct l2r_http_reply){.type = "application/json"});
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
    return x->response ? queue_response(x) : MHD_NO;
}

/* The answer, if it is there by now; else the connection sleeps until it is. */
static enum MHD_Result answer(struct exchange *x)
{
    enum MHD_Result result = MHD_YES;
    pthread_mutex_lock(&x->lock);
    if (x->response)
        result = queue_response(x);
    else if (x->ended)
        result = MHD_NO; /* memory was short */
    else {
        MHD_suspend_connection(x->connection);
        x->suspended = true;
    }
    pthread_mutex_unlock(&x->lock);
    return result;
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *bytes, size_t *n, void **own)
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
    pthread_mutex_lock(&x->lock);
    x->closed = true;
    x->place = NULL;
    pthread_mutex_unlock(&x->lock);
    if (http->settings.drained) http->settings.drained(http->settings.context);
    release(x);
    *own = NULL;
}

/* ---- connections ---- */

static void on_connection(void *context, struct MHD_Connection *connection, void **own,
                          enum MHD_ConnectionNotificationCode what)
{
    struct l2r_http *http = context;
    struct connection *c = *own;
    pthread_mutex_lock(&http->lock);
    if (what == MHD_CONNECTION_NOTIFY_STARTED && (c = l2r_alloc(1, sizeof *c)) != NULL) {
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        *c = (struct connection){.next = http->connections, .socket = info ? info->connect_fd : -1};
        c->deadline = l2r_clock_seconds() + http->settings.head_seconds;
        if (c->next) c->next->previous = c;
        http->connections = c;
        http->n++;
        int on = 1;
        if (c->socket >= 0) (void)setsockopt(c->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        *own = c;
    } else if (what == MHD_CONNECTION_NOTIFY_CLOSED && c) {
        if (c->previous) c->previous->next = c->next;
        else http->connections = c->next;
        if (c->next) c->next->previous = c->previous;
        http->n--;
        l2r_free(c);
        *own = NULL;
    }
    pthread_mutex_unlock(&http->lock);
}

void l2r_http_sweep(struct l2r_http *http)
{
    double now = l2r_clock_seconds();
    pthread_mutex_lock(&http->lock);
    for (struct connection *c = http->connections; c; c = c->next)
        if (c->deadline > 0 && now > c->deadline && c->socket >= 0) {
            (void)shutdown(c->socket, SHUT_RDWR);
            c->deadline = 0;
        }
    pthread_mutex_unlock(&http->lock);
}

unsigned l2r_http_connections(struct l2r_http *http)
{
    pthread_mutex_lock(&http->lock);
    unsigned n = http->n;
    pthread_mutex_unlock(&http->lock);
    return n;
}

/* ---- the server ---- */

static enum l2r_status find_address(struct sockaddr_storage *to, bool *six, const struct l2r_http_settings *s,
                                    struct l2r_error *error)
{
    struct sockaddr_in *four = (struct sockaddr_in *)to;
    struct sockaddr_in6 *long_one = (struct sockaddr_in6 *)to;
    memset(to, 0, sizeof *to);
    *six = strchr(s->address, ':') != NULL;
    if (*six && inet_pton(AF_INET6, s->address, &long_one->sin6_addr) == 1) {
        long_one->sin6_family = AF_INET6;
        long_one->sin6_port = htons(s->port);
        return L2R_OK;
    }
    if (!*six && inet_pton(AF_INET, s->address, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(s->port);
        return L2R_OK;
    }
    return l2r_fail(error, L2R_ERR_ARGUMENT, "%s is no address; expected one such as 127.0.0.1, 0.0.0.0 or ::1",
                    s->address);
}

/* Listens by itself, so that the reason of a failure is known. */
static enum l2r_status open_socket(int *out, uint16_t *port, const struct l2r_http_settings *s, bool *six,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct sockaddr_storage address;
    int on = 1, fd = -1;
    L2R_TRY(find_address(&address, six, s, error));
    socklen_t size = *six ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    fd = socket(*six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0) (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) != 0 || listen(fd, 1024) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0)
        L2R_FAIL(L2R_ERR_IO, "port %u of %s cannot be listened on: %s%s", (unsigned)s->port, s->address,
                 strerror(errno), errno == EADDRINUSE ? " (choose another with `port`; 0 takes a free one)" : "");
    *port = ntohs(*six ? ((struct sockaddr_in6 *)&address)->sin6_port : ((struct sockaddr_in *)&address)->sin_port);
    *out = fd;
    fd = -1;
done:
    if (fd >= 0) close(fd);
    return status;
}

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
    pthread_mutex_init(&h->lock, NULL);
    L2R_TRY(open_socket(&fd, settings->bound, settings, &six, error));
    *http = h;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC;
    h->daemon = MHD_start_daemon(
        six ? flags | MHD_USE_IPv6 : flags, *settings->bound, NULL, NULL, on_request, h, MHD_OPTION_LISTEN_SOCKET, fd,
        MHD_OPTION_CONNECTION_LIMIT, settings->connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEAD_BYTES,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SILENCE, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_COMPLETED, on_completed, h, MHD_OPTION_NOTIFY_CONNECTION,
        on_connection, h, MHD_OPTION_END);
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

void l2r_http_free(struct l2r_http *http)
{
    if (!http) return;
    if (http->daemon) MHD_stop_daemon(http->daemon);
    pthread_mutex_destroy(&http->lock);
    l2r_free(http);
}
