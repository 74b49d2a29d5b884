/* SPDX-License-Identifier: MIT
 * See headers.h. */
#include "serve/headers.h"

#include <stdbool.h>
#include <string.h>

static bool is_plain(const char *value)
{
    return strpbrk(value, "\r\n") == NULL;
}

static const char strict[] = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
                             "connect-src 'self'; frame-src http://localhost:* "
                             "http://127.0.0.1:*; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

void l2r_http_headers(struct MHD_Response *response, const struct l2r_http_reply *reply)
{
    static const struct l2r_http_header always[] = {{"X-Content-Type-Options", "nosniff"},
                                                    {"Referrer-Policy", "no-referrer"},
                                                    {"Cache-Control", "no-store"},
                                                    {"Cross-Origin-Resource-Policy", "same-origin"},
                                                    {"Cross-Origin-Opener-Policy", "same-origin"}};
    MHD_add_response_header(response, "Content-Type", reply->type);
    MHD_add_response_header(response, "Content-Security-Policy", reply->policy ? reply->policy : strict);
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        MHD_add_response_header(response, always[i].name, always[i].value);
    for (size_t i = 0; i < sizeof reply->headers / sizeof *reply->headers && reply->headers[i].name; i++)
        if (is_plain(reply->headers[i].value))
            MHD_add_response_header(response, reply->headers[i].name, reply->headers[i].value);
}
