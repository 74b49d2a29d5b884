/* SPDX-License-Identifier: MIT
 * See record.h. */
#include "store/record.h"

#include "base/system.h"
#include "io/file.h"
#include "model/run_names.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static enum l2r_status fail_write(const char *path, struct l2r_error *error)
{
    return l2r_fail(error, L2R_ERR_IO, "%s: cannot be written: %s", path, l2r_sys_reason(errno));
}

/* Begins the file anew. */
static enum l2r_status open_lines(struct l2r_lines *lines, struct l2r_error *error)
{
    lines->stream = l2r_sys_stream(&lines->fd, lines->path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW);
    if (!lines->stream || l2r_sys_ftruncate(lines->fd, 0) != 0) return fail_write(lines->path, error);
    return L2R_OK;
}

enum l2r_status l2r_record_open(struct l2r_record *r, const char *dir, const char *run, const char *fit,
                                struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *r = (struct l2r_record){0};
    snprintf(r->run, sizeof r->run, "%s", run);
    snprintf(r->fit, sizeof r->fit, "%s", fit);
    L2R_TRY(l2r_path_join(r->main.path, sizeof r->main.path, dir, L2R_METRICS_FILE, error));
    L2R_TRY(l2r_path_join(r->others.path, sizeof r->others.path, dir, L2R_FITS_FILE, error));
    if (unlink(r->others.path) != 0 && errno != ENOENT)
        L2R_FAIL(L2R_ERR_IO, "%s: cannot be removed: %s", r->others.path, strerror(errno));
    L2R_TRY(open_lines(&r->main, error));
    L2R_TRY(l2r_events_open(&r->events, dir, run, error));
done:
    return status;
}

static enum l2r_status add_curves(struct l2r_record *r, const char *prefix, int depth, int64_t epoch,
                                  const json_t *object, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        char tag[256];
        snprintf(tag, sizeof tag, "%s%s%s", prefix, *prefix ? "/" : "", key);
        if (json_is_object(value) && depth == 0) L2R_TRY(add_curves(r, tag, 1, epoch, value, error));
        if (json_is_number(value) && strcmp(key, "epoch") != 0)
            L2R_TRY(l2r_events_scalar(r->events, tag, epoch, json_number_value(value), error));
    }
done:
    return status;
}

enum l2r_status l2r_record_epoch(struct l2r_record *r, const char *fit, const json_t *line, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    bool own = strcmp(fit, r->fit) == 0;
    struct l2r_lines *lines = own ? &r->main : &r->others;
    json_t *sealed = l2r_json_copy(line);
    bool whole = sealed && (own || l2r_json_put(sealed, "fit", json_string(fit))) && l2r_seal(sealed, r->run);
    if (!whole) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for a line of %s", lines->path);
    if (!lines->stream) L2R_TRY(open_lines(lines, error));
    if (json_dumpf(sealed, lines->stream, JSON_COMPACT | JSON_REAL_PRECISION(17)) != 0 ||
        fputc('\n', lines->stream) == EOF || fflush(lines->stream) != 0) {
        status = fail_write(lines->path, error);
        goto done;
    }
    L2R_TRY(add_curves(r, own ? "" : fit, 0, json_integer_value(json_object_get(line, "epoch")), line, error));
    L2R_TRY(l2r_events_flush(r->events, error));
done:
    json_decref(sealed);
    return status;
}

static enum l2r_status close_lines(struct l2r_lines *lines, enum l2r_status status, struct l2r_error *error)
{
    if (!lines->stream) return status;
    if (status == L2R_OK && l2r_sys_fsync(lines->fd) != 0) status = fail_write(lines->path, error);
    if (fclose(lines->stream) != 0 && status == L2R_OK) status = fail_write(lines->path, error);
    return status;
}

enum l2r_status l2r_record_close(struct l2r_record *r, enum l2r_status status, struct l2r_error *error)
{
    if (status == L2R_OK && r->events) status = l2r_events_sync(r->events, error);
    status = close_lines(&r->main, status, error);
    status = close_lines(&r->others, status, error);
    struct l2r_error later;
    enum l2r_status closed = l2r_events_close(r->events, status == L2R_OK ? error : &later);
    *r = (struct l2r_record){0};
    return status == L2R_OK ? closed : status;
}
