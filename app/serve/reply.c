/* SPDX-License-Identifier: MIT
 * See reply.h. */
#include "serve/reply.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void l2r_reply_json(struct l2r_exchange *exchange, struct l2r_counters *counters, int code, json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(9));
    struct l2r_http_reply reply = {.code = code, .type = "application/json", .body = text};
    reply.length = text ? strlen(text) : 0;
    if (code == 429 || code == 503) reply.headers[0] = (struct l2r_http_header){"Retry-After", code == 429 ? "1" : "5"};
    if (code == 401) reply.headers[0] = (struct l2r_http_header){"WWW-Authenticate", "Bearer"};
    l2r_counters_code(counters, code);
    l2r_exchange_reply(exchange, &reply);
    free(text);
    json_decref(value);
}

void l2r_reply_error(struct l2r_exchange *exchange, struct l2r_counters *counters, int code, const char *format, ...)
{
    char sentence[1024];
    json_t *object = json_object();
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    json_object_set_new(object, "error", l2r_json_name(sentence));
    l2r_reply_json(exchange, counters, code, object);
}

int l2r_reply_code(enum l2r_status status)
{
    return status == L2R_ERR_FORMAT || status == L2R_ERR_ARGUMENT ? 400 : status == L2R_ERR_MEMORY ? 503 : 500;
}
