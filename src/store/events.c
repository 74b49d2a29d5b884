/* SPDX-License-Identifier: MIT
 *
 * See events.h. Records are short (about 50 bytes, a handful an epoch), so simple code is fast enough: a checksum by
 * half bytes and a message built in a small buffer.
 */
#include "store/events.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/system.h"
#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST_RECORD = 1024, LARGEST_TAG = 512, ATTEMPTS = 60 };

struct l2r_events {
    FILE *stream;
    int fd;
    char path[4096];
};

uint32_t l2r_crc32c(const void *bytes, size_t length)
{
    /* Entry h: the remainder of the half byte h by the reflected polynomial 82f63b78. */
    static const uint32_t table[16] = {0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
                                       0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
                                       0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};
    const uint8_t *at = bytes;
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < length; i++) {
        crc ^= at[i];
        crc = table[crc & 15] ^ (crc >> 4);
        crc = table[crc & 15] ^ (crc >> 4);
    }
    return ~crc;
}

uint32_t l2r_crc32c_masked(const void *bytes, size_t length)
{
    uint32_t crc = l2r_crc32c(bytes, length);
    return ((crc >> 15) | (crc << 17)) + 0xa282ead8;
}

/* A message under construction; the largest possible one fits (see l2r_events_scalar). */
struct message {
    uint8_t bytes[LARGEST_RECORD];
    size_t length;
};

static void put_varint(struct message *m, uint64_t value)
{
    for (; value >= 128; value >>= 7) m->bytes[m->length++] = (uint8_t)(value | 128);
    m->bytes[m->length++] = (uint8_t)value;
}

static void put_little(struct message *m, uint64_t bits, int n_bytes)
{
    for (int i = 0; i < n_bytes; i++) m->bytes[m->length++] = (uint8_t)(bits >> 8 * i);
}

enum wire { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

static void put_key(struct message *m, unsigned field, enum wire wire)
{
    put_varint(m, field << 3 | wire);
}

static void put_bytes(struct message *m, unsigned field, const void *bytes, size_t length)
{
    put_key(m, field, BYTES);
    put_varint(m, length);
    memcpy(m->bytes + m->length, bytes, length);
    m->length += length;
}

/* wall_time and step, which every event starts with. */
static void begin_event(struct message *m, int64_t step)
{
    uint64_t bits;
    double seconds = l2r_clock_date();
    memcpy(&bits, &seconds, sizeof bits);
    m->length = 0;
    put_key(m, 1, FIXED64);
    put_little(m, bits, 8);
    put_key(m, 2, VARINT);
    put_varint(m, (uint64_t)step);
}

static enum l2r_status write_record(struct l2r_events *events, const struct message *m, struct l2r_error *error)
{
    struct message head = {.length = 0}, tail = {.length = 0};
    put_little(&head, m->length, 8);
    put_little(&head, l2r_crc32c_masked(head.bytes, 8), 4);
    put_little(&tail, l2r_crc32c_masked(m->bytes, m->length), 4);
    fwrite(head.bytes, 1, head.length, events->stream);
    fwrite(m->bytes, 1, m->length, events->stream);
    fwrite(tail.bytes, 1, tail.length, events->stream);
    if (ferror(events->stream))
        return l2r_fail(error, L2R_ERR_IO, "%s: cannot be written: %s", events->path, l2r_sys_reason(errno));
    return L2R_OK;
}

enum l2r_status l2r_events_scalar(struct l2r_events *events, const char *tag, int64_t step, double value,
                                  struct l2r_error *error)
{
    struct message point = {.length = 0}, summary = {.length = 0}, event;
    float single = (float)value;
    uint32_t bits;
    if (strlen(tag) > LARGEST_TAG)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "%s: the name of a curve has %zu bytes, at most %d are accepted",
                        events->path, strlen(tag), LARGEST_TAG);
    memcpy(&bits, &single, sizeof bits);
    put_bytes(&point, 1, tag, strlen(tag));
    put_key(&point, 2, FIXED32);
    put_little(&point, bits, 4);
    put_bytes(&summary, 1, point.bytes, point.length);
    begin_event(&event, step);
    put_bytes(&event, 5, summary.bytes, summary.length);
    return write_record(events, &event, error);
}

static uint64_t get_little(const uint8_t *bytes, int n_bytes)
{
    uint64_t bits = 0;
    for (int i = 0; i < n_bytes; i++) bits |= (uint64_t)bytes[i] << 8 * i;
    return bits;
}

/* Reads one record; false at the end of the file or at a damaged record. */
static bool read_record(struct message *record, FILE *stream)
{
    uint8_t head[12], tail[4];
    if (fread(head, 1, sizeof head, stream) != sizeof head) return false;
    uint64_t length = get_little(head, 8);
    if (length > LARGEST_RECORD || get_little(head + 8, 4) != l2r_crc32c_masked(head, 8)) return false;
    record->length = (size_t)length;
    if (fread(record->bytes, 1, length, stream) != length || fread(tail, 1, sizeof tail, stream) != sizeof tail)
        return false;
    return get_little(tail, 4) == l2r_crc32c_masked(record->bytes, length);
}

static const char writer[] = "l2r run ";

/* Is this file of that run, by its first record? */
static bool is_own(const char *path, const char *run)
{
    struct message first;
    int fd;
    bool own = false;
    FILE *stream = l2r_sys_stream(&fd, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (!stream) return false;
    if (read_record(&first, stream)) {
        const uint8_t *at = memmem(first.bytes, first.length, writer, sizeof writer - 1);
        size_t left = at ? first.length - (size_t)(at - first.bytes) - (sizeof writer - 1) : 0;
        own = at ? left == strlen(run) && memcmp(at + sizeof writer - 1, run, left) == 0 : !*run;
    }
    fclose(stream);
    return own;
}

bool l2r_events_is_name(const char *name)
{
    static const char start[] = "events.out.tfevents.", end[] = ".l2r";
    size_t length = strlen(name);
    return length > sizeof start + sizeof end && strncmp(name, start, sizeof start - 1) == 0 &&
           strcmp(name + length - (sizeof end - 1), end) == 0;
}

/* Removes the event files of this run. */
static enum l2r_status remove_own(const char *dir, const char *run, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char path[4096];
    DIR *folder = opendir(dir);
    if (!folder) L2R_FAIL(L2R_ERR_IO, "%s: the folder cannot be read: %s", dir, l2r_sys_reason(errno));
    for (const struct dirent *item; (item = readdir(folder));) {
        if (!l2r_events_is_name(item->d_name)) continue;
        L2R_TRY(l2r_path_join(path, sizeof path, dir, item->d_name, error));
        if (is_own(path, run) && unlink(path) != 0)
            L2R_FAIL(L2R_ERR_IO, "%s: cannot be removed: %s", path, strerror(errno));
    }
done:
    if (folder) closedir(folder);
    return status;
}

static enum l2r_status begin_file(struct l2r_events *events, const char *dir, struct l2r_error *error)
{
    char host[128] = "localhost", name[200];
    if (gethostname(host, sizeof host) != 0 || host[0] == '\0') snprintf(host, sizeof host, "localhost");
    host[sizeof host - 1] = '\0';
    long long now = (long long)time(NULL);
    for (int later = 0; later < ATTEMPTS; later++) { /* the name may be taken by another run's file */
        snprintf(name, sizeof name, "events.out.tfevents.%010lld.%s.l2r", now + later, host);
        enum l2r_status status = l2r_path_join(events->path, sizeof events->path, dir, name, error);
        if (status != L2R_OK) return status;
        events->stream = l2r_sys_stream(&events->fd, events->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
        if (events->stream) return L2R_OK;
        if (errno != EEXIST) break;
    }
    return l2r_fail(error, L2R_ERR_IO, "%s: cannot be written: %s", events->path, l2r_sys_reason(errno));
}

enum l2r_status l2r_events_open(struct l2r_events **opened, const char *dir, const char *run, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    static const char version[] = "brain.Event:2";
    struct message first, source = {.length = 0};
    char name[64];
    struct l2r_events *events = l2r_alloc(1, sizeof *events);
    if (!events) {
        status = l2r_fail_memory(error, sizeof *events, "an event file");
        goto done;
    }
    L2R_TRY(remove_own(dir, run, error));
    L2R_TRY(begin_file(events, dir, error));
    begin_event(&first, 0);
    put_bytes(&first, 3, version, sizeof version - 1);
    snprintf(name, sizeof name, "%s%s", writer, run);
    put_bytes(&source, 1, name, strlen(name));
    if (*run) put_bytes(&first, 10, source.bytes, source.length);
    L2R_TRY(write_record(events, &first, error));
done:
    if (status != L2R_OK) {
        l2r_events_close(events, NULL);
        events = NULL;
    }
    *opened = events;
    return status;
}

enum l2r_status l2r_events_flush(struct l2r_events *events, struct l2r_error *error)
{
    if (fflush(events->stream) == 0) return L2R_OK;
    return l2r_fail(error, L2R_ERR_IO, "%s: cannot be written: %s", events->path, l2r_sys_reason(errno));
}

enum l2r_status l2r_events_sync(struct l2r_events *events, struct l2r_error *error)
{
    if (fflush(events->stream) == 0 && l2r_sys_fsync(events->fd) == 0) return L2R_OK;
    return l2r_fail(error, L2R_ERR_IO, "%s: cannot be written: %s", events->path, l2r_sys_reason(errno));
}

enum l2r_status l2r_events_close(struct l2r_events *events, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if (!events) return status;
    if (events->stream && fclose(events->stream) != 0)
        status = l2r_fail(error, L2R_ERR_IO, "%s: cannot be written: %s", events->path, l2r_sys_reason(errno));
    l2r_free(events);
    return status;
}

const char *l2r_events_path(const struct l2r_events *events)
{
    return events->path;
}
