/* SPDX-License-Identifier: MIT
 * See guard.h. */
#include "serve/guard.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

bool l2r_token_is(const char *token, const char *given)
{
    size_t n = strlen(token), m = given ? strlen(given) : 0;
    unsigned char differs = n != m;
    for (size_t i = 0; i < n; i++) differs |= (unsigned char)(token[i] ^ (m > 0 ? given[i % m] : 0));
    return differs == 0;
}

bool l2r_token_make(char token[L2R_TOKEN])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567"; /* 32: five bits each */
    unsigned char random[L2R_TOKEN - 1];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) return false;
    for (size_t i = 0; i < sizeof random; i++) token[i] = letters[random[i] % 32];
    token[L2R_TOKEN - 1] = '\0';
    return true;
}

static bool is_loopback(const char *host, uint16_t port)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    char with_port[32];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(with_port, sizeof with_port, "%s:%u", names[i], (unsigned)port);
        if (strcasecmp(host, with_port) == 0 || (port == 80 && strcasecmp(host, names[i]) == 0)) return true;
    }
    return false;
}

/* "http://HOST" of the request's own Host. */
static bool is_own(const char *origin, const char *host)
{
    return strncmp(origin, "http://", 7) == 0 && strcasecmp(origin + 7, host) == 0;
}

static bool has_cookie(const char *cookies, const char *token)
{
    static const char name[] = L2R_TOKEN_COOKIE "=";
    for (const char *at = cookies; at; at = strchr(at, ';') ? strchr(at, ';') + 1 : NULL) {
        char value[L2R_TOKEN * 4];
        at += strspn(at, " ");
        if (strncmp(at, name, sizeof name - 1) != 0) continue;
        size_t length = strcspn(at + sizeof name - 1, "; ");
        if (length >= sizeof value) continue;
        memcpy(value, at + sizeof name - 1, length);
        value[length] = '\0';
        if (l2r_token_is(token, value)) return true;
    }
    return false;
}

static bool has_token(const struct l2r_origin_headers *h, const char *token)
{
    static const char bearer[] = "Bearer ";
    if (h->authorization && strncasecmp(h->authorization, bearer, sizeof bearer - 1) == 0 &&
        l2r_token_is(token, h->authorization + sizeof bearer - 1))
        return true;
    return has_cookie(h->cookie, token) || (h->query_token && l2r_token_is(token, h->query_token));
}

enum l2r_guard_answer l2r_guard_check(const struct l2r_guard *guard, const struct l2r_origin_headers *h, bool page)
{
    if (!h->host || !*h->host || (!guard->token && !is_loopback(h->host, guard->port))) return L2R_GUARD_HOST;
    if (h->origin && !is_own(h->origin, h->host)) return L2R_GUARD_ORIGIN;
    bool opened = page && h->mode && strcmp(h->mode, "navigate") == 0;
    if (h->site && strcmp(h->site, "same-origin") != 0 && strcmp(h->site, "none") != 0 && !opened)
        return L2R_GUARD_ORIGIN;
    return guard->token && !has_token(h, guard->token) ? L2R_GUARD_TOKEN : L2R_GUARD_PASS;
}
