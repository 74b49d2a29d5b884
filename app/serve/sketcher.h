/* SPDX-License-Identifier: MIT
 *
 * A sketcher of molecules that the user has: JSME (BSD-3-Clause), in a folder, a zip or a Python wheel that holds it.
 * Its files are read once and served below /sketcher/. JSME makes scripts as it runs and needs an origin, so the page
 * puts it into a frame of another one, this machine by its other name (localhost, 127.0.0.1), with a policy that
 * lets it ask nobody: it draws, and says which SMILES that is, and reaches neither the page nor the server's calls.
 */
#ifndef L2R_SERVE_SKETCHER_H
#define L2R_SERVE_SKETCHER_H

#include "serve/http.h"

struct l2r_sketcher;
enum l2r_status l2r_sketcher_open(struct l2r_sketcher **sketcher, const char *path, struct l2r_error *error);
void l2r_sketcher_free(struct l2r_sketcher *sketcher); /* NULL is fine */

bool l2r_sketcher_is_path(const char *path);
/* The reply for "/sketcher/", whose text is `frame`, and what lies below; false: there is no such file. */
bool l2r_sketcher_reply(struct l2r_http_reply *reply, const struct l2r_sketcher *sketcher, const char *path,
                        const char *frame, size_t length);

#endif
