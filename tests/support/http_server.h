/* SPDX-License-Identifier: MIT
 *
 * A web server for tests: one thread, the loopback address, a port chosen by the system, one file whatever the path,
 * and all the ways in which servers misbehave. One connection at a time; every answer closes its connection.
 *
 *     struct http_server server;
 *     http_server_start(&server, bytes, length);
 *     http_server_behave(&server, HTTP_TRUNCATE, 1000);    from now on
 *     … server.url …
 *     http_server_stop(&server);
 */
#ifndef L2R_TESTS_HTTP_SERVER_H
#define L2R_TESTS_HTTP_SERVER_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum http_behaviour {
    HTTP_GOOD,          /* with ranges */
    HTTP_NO_RANGE,      /* 200 and everything, whatever was asked for */
    HTTP_WRONG_RANGE,   /* 206, but from byte 0 */
    HTTP_TRUNCATE,      /* at most `limit` bytes of the promised length, then the connection closes */
    HTTP_TRUNCATE_ONCE, /* the same for one request, then HTTP_GOOD */
    HTTP_STALL,         /* at most `limit` bytes, then silence */
    HTTP_CRAWL,         /* a byte every 50 ms */
    HTTP_NO_LENGTH,     /* 200 without saying how much follows */
    HTTP_NOT_FOUND,     /* 404 with a page */
    HTTP_BROKEN,        /* 500 */
    HTTP_TO_FILE        /* 302 to a file: URL */
};

struct http_server {
    char url[64];
    int listener;
    pthread_t thread;
    pthread_mutex_t lock; /* for all below */
    bool stop;
    enum http_behaviour behaviour;
    size_t limit;
    const char *body;
    size_t length;
    struct http_seen {
        int n_requests;
        long last_range; /* first byte asked for; -1: no Range header */
        char last_path[128];
    } seen;
};

static void http_send(int client, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t sent = send(client, bytes, n, MSG_NOSIGNAL);
        if (sent <= 0) return;
        bytes += sent;
        n -= (size_t)sent;
    }
}

/* The request up to its empty line. */
static bool http_receive(int client, char *request, size_t size)
{
    size_t used = 0;
    while (used + 1 < size) {
        ssize_t n = recv(client, request + used, size - 1 - used, 0);
        if (n <= 0) return false;
        used += (size_t)n;
        request[used] = '\0';
        if (strstr(request, "\r\n\r\n")) return true;
    }
    return false;
}

static void http_wait_for_close(struct http_server *server, int client)
{
    for (bool stop = false; !stop;) {
        struct pollfd wait = {.fd = client, .events = POLLIN};
        if (poll(&wait, 1, 20) > 0) return;
        pthread_mutex_lock(&server->lock);
        stop = server->stop;
        pthread_mutex_unlock(&server->lock);
    }
}

static void http_crawl(struct http_server *server, int client, const char *bytes, size_t n)
{
    for (bool stop = false; n > 0 && !stop; n--) {
        struct pollfd wait = {.fd = client, .events = POLLIN};
        http_send(client, bytes++, 1);
        if (poll(&wait, 1, 50) > 0) return;
        pthread_mutex_lock(&server->lock);
        stop = server->stop;
        pthread_mutex_unlock(&server->lock);
    }
}

static void http_send_file(struct http_server *server, int client, enum http_behaviour how, long range)
{
    char head[256];
    pthread_mutex_lock(&server->lock);
    size_t length = server->length, limit = server->limit;
    pthread_mutex_unlock(&server->lock);
    size_t from = range > 0 && how != HTTP_NO_RANGE ? (size_t)range : 0;
    bool partial = range >= 0 && how != HTTP_NO_RANGE;
    if (partial && from >= length) {
        snprintf(head, sizeof head,
                 "HTTP/1.1 416 No\r\nContent-Range: bytes */%zu\r\nContent-Length: 3\r\nConnection: close\r\n\r\nno\n",
                 length);
        http_send(client, head, strlen(head));
        return;
    }
    if (how == HTTP_WRONG_RANGE) from = 0;
    if (how == HTTP_NO_LENGTH)
        snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nConnection: close\r\n");
    else
        snprintf(head, sizeof head, "HTTP/1.1 %s\r\nContent-Length: %zu\r\nConnection: close\r\n",
                 partial ? "206 Partial" : "200 OK", length - from);
    http_send(client, head, strlen(head));
    if (partial) {
        snprintf(head, sizeof head, "Content-Range: bytes %zu-%zu/%zu\r\n", from, length - 1, length);
        http_send(client, head, strlen(head));
    }
    http_send(client, "\r\n", 2);
    bool cut = how == HTTP_TRUNCATE || how == HTTP_TRUNCATE_ONCE || how == HTTP_STALL;
    size_t n = length - from;
    if (how == HTTP_CRAWL) {
        http_crawl(server, client, server->body + from, n);
        return;
    }
    http_send(client, server->body + from, cut && n > limit ? limit : n);
    if (how == HTTP_STALL) http_wait_for_close(server, client);
}

static void http_answer(struct http_server *server, int client)
{
    char request[4096];
    if (!http_receive(client, request, sizeof request)) return;
    const char *range_header = strcasestr(request, "\r\nRange: bytes=");
    long range = range_header ? strtol(range_header + 15, NULL, 10) : -1;
    pthread_mutex_lock(&server->lock);
    enum http_behaviour how = server->behaviour;
    if (how == HTTP_TRUNCATE_ONCE) server->behaviour = HTTP_GOOD;
    server->seen.n_requests++;
    server->seen.last_range = range;
    sscanf(request, "%*s %127s", server->seen.last_path);
    pthread_mutex_unlock(&server->lock);
    const char *fixed = how == HTTP_NOT_FOUND ? "HTTP/1.1 404 Not Found\r\nContent-Length: 12\r\n\r\n<html>\nnone\n"
                        : how == HTTP_BROKEN  ? "HTTP/1.1 500 Oops\r\nContent-Length: 5\r\n\r\noops\n"
                        : how == HTTP_TO_FILE
                            ? "HTTP/1.1 302 Found\r\nLocation: file:///etc/hostname\r\nContent-Length: 0\r\n\r\n"
                            : NULL;
    if (fixed)
        http_send(client, fixed, strlen(fixed));
    else
        http_send_file(server, client, how, range);
}

static void *http_serve(void *context)
{
    struct http_server *server = context;
    for (;;) {
        int client = accept(server->listener, NULL, NULL);
        pthread_mutex_lock(&server->lock);
        bool stop = server->stop;
        pthread_mutex_unlock(&server->lock);
        if (!stop && client >= 0) http_answer(server, client);
        if (client >= 0) close(client);
        if (stop) return NULL;
    }
}

static inline int http_server_start(struct http_server *server, const char *body, size_t length)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    memset(server, 0, sizeof *server);
    server->body = body;
    server->length = length;
    pthread_mutex_init(&server->lock, NULL);
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (server->listener < 0 || bind(server->listener, (struct sockaddr *)&address, size) != 0 ||
        listen(server->listener, 8) != 0 || getsockname(server->listener, (struct sockaddr *)&address, &size) != 0)
        return -1;
    snprintf(server->url, sizeof server->url, "http://127.0.0.1:%d/sets", ntohs(address.sin_port));
    return pthread_create(&server->thread, NULL, http_serve, server);
}

static inline void http_server_behave(struct http_server *server, enum http_behaviour behaviour, size_t limit)
{
    pthread_mutex_lock(&server->lock);
    server->behaviour = behaviour;
    server->limit = limit;
    server->seen.n_requests = 0;
    server->seen.last_range = -1;
    pthread_mutex_unlock(&server->lock);
}

/* What was asked since the last http_server_behave. */
static inline struct http_seen http_server_seen(struct http_server *server)
{
    pthread_mutex_lock(&server->lock);
    struct http_seen seen = server->seen;
    pthread_mutex_unlock(&server->lock);
    return seen;
}

/* From now on the file ends after `length` bytes. */
static inline void http_server_shorten(struct http_server *server, size_t length)
{
    pthread_mutex_lock(&server->lock);
    server->length = length;
    pthread_mutex_unlock(&server->lock);
}

static inline void http_server_stop(struct http_server *server)
{
    pthread_mutex_lock(&server->lock);
    server->stop = true;
    pthread_mutex_unlock(&server->lock);
    shutdown(server->listener, SHUT_RDWR); /* wakes accept */
    pthread_join(server->thread, NULL);
    close(server->listener);
    pthread_mutex_destroy(&server->lock);
}

#endif
