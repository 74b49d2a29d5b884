/* SPDX-License-Identifier: MIT
 * See record.h. */
#include "train/record.h"

#include "base/memory.h"
#include "base/system.h"
#include "io/file.h"
#include "predict/run_names.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

enum { LONGEST_RECORD = 1 << 30 };

/* Rewrites the file with the lines of the epochs that count. */
static enum l2r_status keep_lines(const char *path, int64_t epochs_done, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char *text = NULL, *kept = NULL;
    size_t length = 0, n = 0;
    if (!l2r_path_is_file(path)) return L2R_OK;
    L2R_TRY(l2r_file_read(&text, &length, path, LONGEST_RECORD, error));
    kept = l2r_alloc_raw(length + 1, 1);
    if (!kept) {
        status = l2r_fail_memory(error, length, path);
        goto done;
    }
    for (char *line = text, *end; (end = memchr(line, '\n', (size_t)(text + length - line))); line = end + 1) {
        json_t *object = NULL;
        if (l2r_json_parse(&object, line, (size_t)(end - line), path, error) == L2R_ERR_MEMORY) {
            status = L2R_ERR_MEMORY;
            goto done;
        }
        json_int_t epoch = json_integer_value(json_object_get(object, "epoch"));
        json_decref(object);
        if (epoch < 1 || epoch > epochs_done) continue;
        memcpy(kept + n, line, (size_t)(end + 1 - line));
        n += (size_t)(end + 1 - line);
    }
    L2R_TRY(l2r_file_write(path, kept, n, error));
done:
    l2r_free(text);
    l2r_free(kept);
    return status;
}

enum l2r_status l2r_record_open(struct l2r_record *record, const char *dir, int64_t epochs_done,
                                struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *record = (struct l2r_record){0};
    L2R_TRY(l2r_path_join(record->path, sizeof record->path, dir, L2R_METRICS_FILE, error));
    if (epochs_done > 0) L2R_TRY(keep_lines(record->path, epochs_done, error));
    record->lines =
        l2r_sys_stream(&record->fd, record->path, O_WRONLY | O_CREAT | (epochs_done > 0 ? O_APPEND : O_TRUNC));
    if (!record->lines) L2R_FAIL(L2R_ERR_IO, "%s: cannot be written: %s", record->path, strerror(errno));
    L2R_TRY(l2r_events_open(&record->events, dir, epochs_done > 0 ? epochs_done + 1 : 0, error));
done:
    return status;
}

static enum l2r_status add_curves(struct l2r_record *record, const char *prefix, int64_t epoch, const json_t *object,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        char tag[160];
        snprintf(tag, sizeof tag, "%s%s%s", prefix, *prefix ? "/" : "", key);
        if (json_is_object(value) && !*prefix) L2R_TRY(add_curves(record, tag, epoch, value, error));
        if (json_is_number(value) && strcmp(key, "epoch") != 0)
            L2R_TRY(l2r_events_scalar(record->events, tag, epoch, json_number_value(value), error));
    }
done:
    return status;
}

enum l2r_status l2r_record_epoch(struct l2r_record *record, int64_t epoch, const json_t *line, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if (json_dumpf(line, record->lines, JSON_COMPACT | JSON_REAL_PRECISION(17)) != 0 ||
        fputc('\n', record->lines) == EOF || fflush(record->lines) != 0)
        L2R_FAIL(L2R_ERR_IO, "%s: cannot be written: %s", record->path, strerror(errno));
    L2R_TRY(add_curves(record, "", epoch, line, error));
    L2R_TRY(l2r_events_flush(record->events, error));
done:
    return status;
}

enum l2r_status l2r_record_sync(struct l2r_record *record, struct l2r_error *error)
{
    if (l2r_sys_fsync(record->fd) != 0)
        return l2r_fail(error, L2R_ERR_IO, "%s: cannot be written: %s", record->path, strerror(errno));
    return l2r_events_sync(record->events, error);
}

enum l2r_status l2r_record_close(struct l2r_record *record, enum l2r_status status, struct l2r_error *error)
{
    if (record->lines && fclose(record->lines) != 0 && status == L2R_OK)
        status = l2r_fail(error, L2R_ERR_IO, "%s: cannot be written: %s", record->path, strerror(errno));
    struct l2r_error later;
    enum l2r_status closed = l2r_events_close(record->events, status == L2R_OK ? error : &later);
    *record = (struct l2r_record){0};
    return status == L2R_OK ? closed : status;
}
