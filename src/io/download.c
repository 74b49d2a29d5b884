/* SPDX-License-Identifier: MIT
 *
 * See download.h. Responses of the server to "Range: bytes=N-", when N bytes are already here:
 *
 *     206 from N   the rest: append
 *     200          it ignores ranges: empty the file and take everything
 *     416 of N     there is nothing after N: the file was whole already
 *     416 else     our bytes belong to another file: empty it and send the request again
 *     any other    an error; the body must not reach the file
 *
 * A broken connection is retried as long as each attempt brings at least one byte, at most ATTEMPTS times.
 */
#include "io/download.h"

#include "base/clock.h"
#include "base/system.h"

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ATTEMPTS = 4 };

struct transfer {
    const struct l2r_download *request;
    CURL *curl;
    int fd;
    int64_t offset; /* bytes in the file when this attempt's body began */
    int64_t size;   /* bytes in the file now */
    bool body_began;
    bool resumed; /* the file holds bytes of an earlier attempt */
    bool too_large, bad_range, cancelled, stalled, slow, late;
    double began;
    curl_off_t last_count; /* bytes of this attempt, and when that number last changed */
    double last_change;
    curl_off_t span_count; /* the same when the span began over which the speed is measured */
    double span_began;
    const char *shown; /* the URL for messages */
    int write_error;   /* errno */
    char curl_message[CURL_ERROR_SIZE];
};

static long response_code(struct transfer *t)
{
    long code = 0;
    curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &code);
    return code;
}

/* Only these two responses carry the file; the body of any other is an error page. */
static bool carries_file(struct transfer *t)
{
    long code = response_code(t);
    return code == 200 || code == 206;
}

static bool empty_file(struct transfer *t)
{
    t->offset = t->size = 0;
    t->resumed = false;
    if (l2r_sys_ftruncate(t->fd, 0) == 0 && lseek(t->fd, 0, SEEK_SET) == 0) return true;
    t->write_error = errno;
    return false;
}

/* The number after `before` in Content-Range: ' ' asks for the first byte of "bytes 100-199/200", '/' for the size of
 * the whole; -1 when there is none. */
static int64_t content_range(struct transfer *t, char before)
{
    struct curl_header *header;
    if (curl_easy_header(t->curl, "Content-Range", 0, CURLH_HEADER, -1, &header) != CURLHE_OK) return -1;
    const char *at = strchr(header->value, before);
    int64_t value;
    return at && sscanf(at + 1, "%" SCNd64, &value) == 1 ? value : -1;
}

/* Decides, at the first byte of a body or at its end when it is empty, where the bytes go. */
static bool begin_body(struct transfer *t)
{
    t->body_began = true;
    long code = response_code(t);
    if (code == 206 && t->offset > 0) {
        t->bad_range = content_range(t, ' ') != t->offset;
        t->resumed = !t->bad_range;
        return !t->bad_range;
    }
    return !carries_file(t) || empty_file(t);
}

static size_t write_body(char *bytes, size_t one, size_t n, void *context)
{
    struct transfer *t = context;
    (void)one;
    if (!t->body_began && !begin_body(t)) return 0;
    if (!carries_file(t)) return n;
    t->too_large = t->size + (int64_t)n > t->request->max_bytes;
    if (t->too_large) return 0;
    for (size_t written = 0; written < n;) {
        ssize_t more = l2r_sys_write(t->fd, bytes + written, n - written);
        if (more <= 0) {
            t->write_error = more < 0 ? errno : ENOSPC;
            return 0;
        }
        written += (size_t)more;
        t->size += more;
    }
    return n;
}

/* Spans of stall_seconds: each must bring enough, whatever came before it. */
static bool is_slow(struct transfer *t, curl_off_t now, double time)
{
    double span = time - t->span_began;
    if (span <= t->request->stall_seconds) return false;
    bool slow = (double)(now - t->span_count) < L2R_SLOWEST * span;
    t->span_count = now;
    t->span_began = time;
    return slow;
}

/* Called by curl at least once a second. It detects a stall itself: curl's own limit is on a speed averaged over some
 * seconds, which a burst before the stall keeps up. */
static int watch(void *context, curl_off_t total, curl_off_t now, curl_off_t up_total, curl_off_t up_now)
{
    struct transfer *t = context;
    double time = l2r_clock_seconds();
    (void)up_total, (void)up_now;
    if (now != t->last_count) t->last_change = time;
    t->last_count = now;
    t->stalled = time - t->last_change > t->request->stall_seconds;
    t->slow = !t->stalled && is_slow(t, now, time);
    t->late = t->request->max_seconds > 0 && time - t->began > t->request->max_seconds;
    if (t->request->progress && (!t->body_began || carries_file(t))) {
        int64_t whole = total > 0 ? t->offset + total : 0;
        t->cancelled = !t->request->progress(t->request->context, "download", t->offset + now, whole);
    }
    return t->cancelled || t->stalled || t->slow || t->late ? 1 : 0;
}

static bool is_https(const char *url)
{
    return strncasecmp(url, "https:", 6) == 0;
}

static CURLcode attempt(struct transfer *t)
{
    char range[40], agent[40];
    const char *trusted = getenv("SSL_CERT_FILE");
    /* A handle of its own for each attempt: libcurl 7.88 keeps a pointer to the last header of the answer before, and
     * reads it when the next one begins with a folded line. */
    curl_easy_cleanup(t->curl);
    CURL *curl = t->curl = curl_easy_init();
    if (!curl) return CURLE_OUT_OF_MEMORY;
    t->offset = t->size;
    t->body_began = t->bad_range = t->stalled = t->slow = false;
    t->last_count = t->span_count = 0;
    t->last_change = t->span_began = l2r_clock_seconds();
    t->curl_message[0] = '\0';
    curl_easy_setopt(curl, CURLOPT_URL, t->request->url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, is_https(t->request->url) ? "https" : "http,https");
    if (trusted && *trusted) curl_easy_setopt(curl, CURLOPT_CAINFO, trusted);
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(curl, CURLOPT_MAXREDIRS, 5L);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L); /* the process's signals belong to the program */
    snprintf(agent, sizeof agent, "l2r/%s", l2r_version());
    curl_easy_setopt(curl, CURLOPT_USERAGENT, agent);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 30L);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, t->curl_message);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, write_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, t);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, watch);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, t);
    if (t->offset > 0) {
        snprintf(range, sizeof range, "%" PRId64 "-", t->offset);
        curl_easy_setopt(curl, CURLOPT_RANGE, range);
    }
    /* For servers that tell the size beforehand; write_body counts for the others. */
    curl_easy_setopt(curl, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)(t->request->max_bytes - t->offset));
    CURLcode code = curl_easy_perform(curl);
    if (code == CURLE_FILESIZE_EXCEEDED) t->too_large = true;
    if (code == CURLE_OK && !t->body_began && !begin_body(t)) code = CURLE_WRITE_ERROR;
    if (code == CURLE_OK && response_code(t) == 206 && content_range(t, '/') > t->size) code = CURLE_PARTIAL_FILE;
    return code;
}

static enum l2r_status http_error(const struct transfer *t, long code, struct l2r_error *error)
{
    const char *meaning = code == 404   ? "there is no such file"
                          : code == 403 ? "access is refused"
                          : code >= 500 ? "the server has a problem; try again later"
                                        : "the request was refused";
    return l2r_fail(error, L2R_ERR_NETWORK, "%.500s: the server answered HTTP %ld: %s", t->shown, code, meaning);
}

/* The sentence for an attempt that ended without the whole file. */
static enum l2r_status transfer_error(const struct transfer *t, CURLcode code, struct l2r_error *error)
{
    const struct l2r_download *request = t->request;
    const char *reason = t->curl_message[0] ? t->curl_message : curl_easy_strerror(code);
    char kept[64] = "";
    if (t->size > 0) snprintf(kept, sizeof kept, " (%" PRId64 " bytes are kept; run again to go on)", t->size);
    if (t->cancelled) return l2r_fail(error, L2R_ERR_INTERRUPTED, "%.500s: the download was stopped%s", t->shown, kept);
    if (t->write_error)
        return l2r_fail(error, L2R_ERR_IO, "%.500s: cannot be written: %s", request->path, strerror(t->write_error));
    if (t->too_large)
        return l2r_fail(error, L2R_ERR_NETWORK, "%.500s: the file is larger than %" PRId64 " bytes, the limit here",
                        t->shown, request->max_bytes);
    if (t->stalled)
        return l2r_fail(error, L2R_ERR_NETWORK, "%.500s: nothing arrived for %d s%s", t->shown, request->stall_seconds,
                        kept);
    if (t->slow)
        return l2r_fail(error, L2R_ERR_NETWORK, "%.500s: less than %d bytes a second arrived for %d s%s", t->shown,
                        (int)L2R_SLOWEST, request->stall_seconds, kept);
    if (t->late)
        return l2r_fail(error, L2R_ERR_NETWORK, "%.500s: not complete after %d s%s", t->shown, request->max_seconds,
                        kept);
    if (code == CURLE_UNSUPPORTED_PROTOCOL && is_https(request->url))
        return l2r_fail(error, L2R_ERR_NETWORK,
                        "%.500s: the server redirects from https to another protocol, where anybody on the way could "
                        "change the file; it is refused",
                        t->shown);
    return l2r_fail(error, L2R_ERR_NETWORK, "%.500s: the download failed: %s%s", t->shown, reason, kept);
}

/* Broken off in the middle: worth another attempt. A refused connection or an unknown host is not. */
static bool is_break(const struct transfer *t, CURLcode code)
{
    return t->stalled || t->slow || code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR ||
           code == CURLE_HTTP2_STREAM;
}

static enum l2r_status transfer_run(struct transfer *t, struct l2r_error *error)
{
    bool started_over = false;
    for (int tries = 1;; tries++) {
        CURLcode result = attempt(t);
        long code = response_code(t);
        if (t->bad_range || (result == CURLE_OK && code == 416 && t->offset > 0)) {
            if (!t->bad_range && content_range(t, '/') == t->offset) {
                t->resumed = true;
                return L2R_OK;
            }
            if (started_over || !empty_file(t)) return transfer_error(t, CURLE_RANGE_ERROR, error);
            started_over = true;
            continue;
        }
        if (result == CURLE_OK && !carries_file(t)) return http_error(t, code, error);
        if (result == CURLE_OK) return L2R_OK;
        bool moved = t->size > t->offset;
        if (t->cancelled || t->late || !is_break(t, result) || !moved || tries >= ATTEMPTS)
            return transfer_error(t, result, error);
    }
}

enum l2r_status l2r_download(struct l2r_download_end *end, const struct l2r_download *request, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct stat about;
    struct transfer t = {.request = request, .fd = -1, .began = l2r_clock_seconds()};
    t.shown = request->shown ? request->shown : request->url;
    *end = (struct l2r_download_end){0};
    t.fd = l2r_sys_open(request->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK);
    if (t.fd < 0 && errno == ELOOP)
        L2R_FAIL(L2R_ERR_IO, "%s: is a symbolic link, which a download does not follow; remove it", request->path);
    if (t.fd < 0) L2R_FAIL(L2R_ERR_IO, "%s: cannot be written: %s", request->path, strerror(errno));
    if (flock(t.fd, LOCK_EX | LOCK_NB) != 0)
        L2R_FAIL(L2R_ERR_IO, "%s: another download is writing it; wait until it has finished", request->path);
    if (fstat(t.fd, &about) != 0 || lseek(t.fd, 0, SEEK_END) < 0)
        L2R_FAIL(L2R_ERR_IO, "%s: cannot be written: %s", request->path, strerror(errno));
    if (!S_ISREG(about.st_mode) || about.st_uid != geteuid() || about.st_nlink > 1)
        L2R_FAIL(L2R_ERR_IO, "%s: not a file that an earlier download can have left here; remove it", request->path);
    t.size = about.st_size;
    t.curl = curl_easy_init();
    if (!t.curl) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the download of %s", t.shown);
    L2R_TRY(transfer_run(&t, error));
    if (l2r_sys_fsync(t.fd) != 0) L2R_FAIL(L2R_ERR_IO, "%s: cannot be written: %s", request->path, strerror(errno));
    end->resumed = t.resumed;
done:
    if (t.curl) {
        end->http = response_code(&t);
        curl_easy_cleanup(t.curl);
    }
    if (t.fd >= 0) {
        if (status != L2R_OK && t.curl && (t.size == 0 || t.too_large))
            unlink(request->path); /* nothing worth keeping */
        (void)l2r_sys_close(t.fd);
    }
    return status;
}
