/* SPDX-License-Identifier: MIT
 *
 * The headers that every answer has, beside its own: its type, and what a browser may do with it. For the module that
 * holds libmicrohttpd.
 */
#ifndef L2R_SERVE_HEADERS_H
#define L2R_SERVE_HEADERS_H

#include "serve/http.h"

#include <microhttpd.h>

void l2r_http_headers(struct MHD_Response *response, const struct l2r_http_reply *reply);

#endif
