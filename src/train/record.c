/* SPDX-License-Identifier: MIT
 * See record.h. */
#include "train/record.h"

#include "base/memory.h"
#include "base/system.h"
#include "io/file.h"
#include "model/run_names.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

enum { LONGEST_RECORD = 1 << 30 };

/* The lines of a file that count, one after the other, and how many are damaged or not of this run. */
struct kept {
    char *text;
    size_t length, n_bad;
};

static enum l2r_status sift(struct kept *kept, const char *text, size_t length, const char *run, int64_t epochs_done,
                            const char *path, struct l2r_error *error)
{
    kept->text = l2r_alloc_raw(length + 1, 1);
    if (!kept->text) return l2r_fail_memory(error, length, path);
    for (const char *line = text, *end; (end = memchr(line, '\n', (size_t)(text + length - line))); line = end + 1) {
        json_t *object = NULL;
        if (l2r_json_parse(&object, line, (size_t)(end - line), path, error) == L2R_ERR_MEMORY) return L2R_ERR_MEMORY;
        json_int_t epoch = json_integer_value(json_object_get(object, "epoch"));
        bool sound = epoch >= 1 && l2r_seal_check(object, run) != L2R_SEAL_BROKEN;
        json_decref(object);
        if (!sound) kept->n_bad++;
        if (!sound || epoch > epochs_done) continue;
        memcpy(kept->text + kept->length, line, (size_t)(end + 1 - line));
        kept->length += (size_t)(end + 1 - line);
    }
    return L2R_OK;
}

/* Rewrites the file with the lines of the epochs that count. */
static enum l2r_status keep_lines(char note[L2R_RECORD_NOTE], const char *path, const char *run, int64_t epochs_done,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char *text = NULL, aside[4200];
    size_t length = 0;
    struct kept kept = {0};
    struct l2r_atomic file = {0};
    if (!l2r_path_is_file(path)) return L2R_OK;
    L2R_TRY(l2r_file_read(&text, &length, path, LONGEST_RECORD, error));
    L2R_TRY(sift(&kept, text, length, run, epochs_done, path, error));
    L2R_TRY(l2r_atomic_open(&file, path, error));
    snprintf(aside, sizeof aside, "%s.damaged", path);
    if (kept.n_bad > 0) file.keep = aside;
    (void)fwrite(kept.text, 1, kept.length, file.stream);
    if (kept.n_bad > 0)
        snprintf(note, L2R_RECORD_NOTE,
                 L2R_METRICS_FILE ": %zu line%s damaged or not of this run; the others are kept, and the file as it "
                                  "was is now " L2R_METRICS_FILE ".damaged",
                 kept.n_bad, kept.n_bad == 1 ? " is" : "s are");
done:
    status = l2r_atomic_close(&file, status, error);
    l2r_free(text);
    l2r_free(kept.text);
    return status;
}

enum l2r_status l2r_record_open(struct l2r_record *record, char note[L2R_RECORD_NOTE], const char *dir, const char *run,
                                int64_t epochs_done, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *record = (struct l2r_record){0};
    note[0] = '\0';
    snprintf(record->run, sizeof record->run, "%s", run);
    L2R_TRY(l2r_path_join(record->path, sizeof record->path, dir, L2R_METRICS_FILE, error));
    L2R_TRY(keep_lines(note, record->path, run, epochs_done, error));
    record->lines = l2r_sys_stream(&record->fd, record->path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW);
    if (!record->lines) L2R_FAIL(L2R_ERR_IO, "%s: cannot be written: %s", record->path, l2r_sys_reason(errno));
    L2R_TRY(l2r_events_open(&record->events, dir, run, epochs_done > 0 ? epochs_done + 1 : 0, error));
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

enum l2r_status l2r_record_epoch(struct l2r_record *record, int64_t epoch, json_t *line, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if (!l2r_seal(line, record->run)) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for a line of %s", record->path);
    if (json_dumpf(line, record->lines, JSON_COMPACT | JSON_REAL_PRECISION(17)) != 0 ||
        fputc('\n', record->lines) == EOF || fflush(record->lines) != 0)
        L2R_FAIL(L2R_ERR_IO, "%s: cannot be written: %s", record->path, l2r_sys_reason(errno));
    L2R_TRY(add_curves(record, "", epoch, line, error));
    L2R_TRY(l2r_events_flush(record->events, error));
done:
    return status;
}

enum l2r_status l2r_record_sync(struct l2r_record *record, struct l2r_error *error)
{
    if (l2r_sys_fsync(record->fd) != 0)
        return l2r_fail(error, L2R_ERR_IO, "%s: cannot be written: %s", record->path, l2r_sys_reason(errno));
    return l2r_events_sync(record->events, error);
}

enum l2r_status l2r_record_close(struct l2r_record *record, enum l2r_status status, struct l2r_error *error)
{
    if (record->lines && fclose(record->lines) != 0 && status == L2R_OK)
        status = l2r_fail(error, L2R_ERR_IO, "%s: cannot be written: %s", record->path, l2r_sys_reason(errno));
    struct l2r_error later;
    enum l2r_status closed = l2r_events_close(record->events, status == L2R_OK ? error : &later);
    *record = (struct l2r_record){0};
    return status == L2R_OK ? closed : status;
}
