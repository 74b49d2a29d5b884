/* SPDX-License-Identifier: MIT
 *
 * One file over HTTP into PATH, continuing what an earlier, broken attempt left there. A download that began with https
 * stays with https wherever it is redirected to; one that is too slow is given up like one that has stalled.
 * SSL_CERT_FILE names the certificates that are trusted, as for curl; unset, the system's are.
 */
#ifndef L2R_IO_DOWNLOAD_H
#define L2R_IO_DOWNLOAD_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Called often while something long is under way; step is "download", "check" or "unpack", total is 0 when unknown.
 * Returning false stops the work with L2R_ERR_INTERRUPTED; a download keeps what it has. */
typedef bool l2r_progress_fn(void *context, const char *step, int64_t done, int64_t total);

struct l2r_download {
    const char *url;
    const char *shown;         /* the URL as messages may show it, without a password; NULL: as it is */
    const char *path;          /* grows in place; the caller renames it when it is whole */
    int64_t max_bytes;         /* larger files are refused */
    int stall_seconds;         /* give up when nothing arrives for so long, or less than L2R_SLOWEST per second */
    int max_seconds;           /* for the whole download; 0: no limit */
    l2r_progress_fn *progress; /* or NULL */
    void *context;
};

enum { L2R_SLOWEST = 1000 /* bytes a second, over stall_seconds */ };

struct l2r_download_end {
    bool resumed; /* bytes of an earlier attempt are part of the result */
    long http;    /* the server's last answer: 200, 404, …; 0: none arrived */
};

/* HTTP errors are L2R_ERR_NETWORK with one sentence. */
enum l2r_status l2r_download(struct l2r_download_end *end, const struct l2r_download *request, struct l2r_error *error);

#endif
