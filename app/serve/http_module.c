/* SPDX-License-Identifier: MIT
 *
 * The module l2r_http (base/module.h): http.c on libmicrohttpd. Compiled twice, as every module's table: into the
 * module, and into the program, where the first call loads it. Whoever holds a server or an exchange has loaded it.
 */
#include "base/module.h"
#include "serve/http.h"

struct calls {
    struct l2r_module module;
    enum l2r_status (*start)(struct l2r_http **http, const struct l2r_http_settings *settings, struct l2r_error *error);
    void (*quiesce)(struct l2r_http *http);
    void (*sweep)(struct l2r_http *http);
    unsigned (*connections)(struct l2r_http *http);
    void (*drain)(struct l2r_http *http, double seconds);
    void (*free)(struct l2r_http *http);
    const char *(*header)(const struct l2r_exchange *exchange, const char *name);
    const char *(*query)(const struct l2r_exchange *exchange, const char *name);
    void (*reply)(struct l2r_exchange *exchange, const struct l2r_http_reply *reply);
    void (*begin)(struct l2r_exchange *exchange, const struct l2r_http_reply *reply);
    void (*write)(struct l2r_exchange *exchange, const char *bytes, size_t n);
    void (*end)(struct l2r_exchange *exchange, bool whole);
    bool (*is_open)(struct l2r_exchange *exchange);
    size_t (*waiting)(struct l2r_exchange *exchange);
};

#ifdef L2R_INSIDE_MODULE

L2R_MODULE_TABLE struct calls l2r_http_calls;
const struct calls l2r_http_calls = {
    {L2R_VERSION},      l2r_http_start,     l2r_http_quiesce,    l2r_http_sweep,       l2r_http_connections,
    l2r_http_drain,     l2r_http_free,      l2r_exchange_header, l2r_exchange_query,   l2r_exchange_reply,
    l2r_exchange_begin, l2r_exchange_write, l2r_exchange_end,    l2r_exchange_is_open, l2r_exchange_waiting};

#else

static const struct calls *load(struct l2r_error *error)
{
    static const struct l2r_module *_Atomic kept;
    return (const struct calls *)l2r_module_load(&kept, "l2r_http", "l2r_http_calls", error);
}

enum l2r_status l2r_http_start(struct l2r_http **http, const struct l2r_http_settings *settings,
                               struct l2r_error *error)
{
    const struct calls *calls = load(error);
    *http = NULL;
    return calls ? calls->start(http, settings, error) : L2R_ERR_MISSING;
}

void l2r_http_quiesce(struct l2r_http *http)
{
    load(NULL)->quiesce(http);
}

void l2r_http_sweep(struct l2r_http *http)
{
    load(NULL)->sweep(http);
}

unsigned l2r_http_connections(struct l2r_http *http)
{
    return load(NULL)->connections(http);
}

void l2r_http_drain(struct l2r_http *http, double seconds)
{
    load(NULL)->drain(http, seconds);
}

void l2r_http_free(struct l2r_http *http)
{
    if (http) load(NULL)->free(http);
}

const char *l2r_exchange_header(const struct l2r_exchange *exchange, const char *name)
{
    return load(NULL)->header(exchange, name);
}

const char *l2r_exchange_query(const struct l2r_exchange *exchange, const char *name)
{
    return load(NULL)->query(exchange, name);
}

void l2r_exchange_reply(struct l2r_exchange *exchange, const struct l2r_http_reply *reply)
{
    load(NULL)->reply(exchange, reply);
}

void l2r_exchange_begin(struct l2r_exchange *exchange, const struct l2r_http_reply *reply)
{
    load(NULL)->begin(exchange, reply);
}

void l2r_exchange_write(struct l2r_exchange *exchange, const char *bytes, size_t n)
{
    load(NULL)->write(exchange, bytes, n);
}

void l2r_exchange_end(struct l2r_exchange *exchange, bool whole)
{
    load(NULL)->end(exchange, whole);
}

bool l2r_exchange_is_open(struct l2r_exchange *exchange)
{
    return load(NULL)->is_open(exchange);
}

size_t l2r_exchange_waiting(struct l2r_exchange *exchange)
{
    return load(NULL)->waiting(exchange);
}

#endif
