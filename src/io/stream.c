/* SPDX-License-Identifier: MIT
 *
 * See source.h. Three layers, each optional but the first:
 *
 *     raw_read     file, archive entry, memory or standard input
 *     plain_read   gunzip
 *     ring_read    a prefetching thread that has the next blocks ready
 *
 *     thread ->  [full][full][filling][    ]  -> caller       block k of the stream lies in place k mod BLOCKS
 */
#include "io/source.h"

#include "base/memory.h"
#include "base/system.h"
#include "base/threads.h"
#include "io/archive.h"
#include "io/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    INPUT = 1 << 6,
#else
    INPUT = 1 << 16, /* compressed bytes at a time */
#endif
    BLOCKS = 4,
    BLOCK_SIZE = 1 << 18,
    AHEAD_FROM = 1 << 17 /* entries of at least this many bytes get a thread */
};

/* Blocks made ahead. A failure ends the stream: it is the status of its last, empty block. */
struct ring {
    struct l2r_prefetch *prefetch; /* NULL: there is no ring */
    char *bytes;                   /* [BLOCKS × BLOCK_SIZE] */
    size_t length[BLOCKS];         /* bytes in each block; 0: the end */
    size_t taken;                  /* blocks read to their end */
    size_t position;               /* bytes of the current block already handed out */
    bool ended;                    /* the thread has met the end */
    enum l2r_status status;
    struct l2r_error error;
};

struct l2r_stream {
    enum l2r_source_kind kind;
    int file;
    struct archive *archive;
    const char *memory;
    size_t memory_left;
    struct l2r_input *once; /* standard input */
    int64_t position;       /* in it */

    int64_t packed, unpacked; /* bytes: of the file or archive that is unpacked; so far out of it */

    bool gzip, inside; /* inside: in the middle of a gzip member */
    bool inflating;    /* z is initialised */
    z_stream z;
    unsigned char *input;

    struct ring ring;
};

static enum l2r_status raw_read(struct l2r_stream *s, void *bytes, size_t size, size_t *got, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    ssize_t n = 0;
    if (s->kind == L2R_SOURCE_FOLDER || s->kind == L2R_SOURCE_FILE) {
        n = l2r_sys_read(s->file, bytes, size);
        if (n < 0) L2R_FAIL(L2R_ERR_IO, "the file cannot be read: %s", l2r_sys_reason(errno));
    } else if (s->kind == L2R_SOURCE_ARCHIVE) {
        n = archive_read_data(s->archive, bytes, size);
        if (n < 0) L2R_FAIL(L2R_ERR_FORMAT, "the archive is damaged here (%s)", l2r_archive_reason(s->archive));
    } else if (s->kind == L2R_SOURCE_INPUT) {
        L2R_TRY(l2r_input_read(s->once, &s->position, bytes, size, got, error));
        s->packed = s->position;
        goto done;
    } else {
        n = (ssize_t)(size < s->memory_left ? size : s->memory_left);
        memcpy(bytes, s->memory, (size_t)n);
        s->memory += n;
        s->memory_left -= (size_t)n;
    }
    *got = (size_t)n;
done:
    return status;
}

/* A gzip file is a sequence of members, each inflated on its own. The loop ends as soon as there is any output: the
 * caller gets what is there instead of waiting for a full buffer. */
static enum l2r_status gunzip(struct l2r_stream *s, void *bytes, size_t size, size_t *got, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    s->z.next_out = bytes;
    s->z.avail_out = (uInt)size;
    while (s->z.avail_out == size) {
        if (s->z.avail_in == 0) {
            size_t n = 0;
            L2R_TRY(raw_read(s, s->input, INPUT, &n, error));
            if (n == 0 && s->inside) L2R_FAIL(L2R_ERR_FORMAT, "the gzip data ends too early; the file is truncated");
            if (n == 0) break;
            s->z.next_in = s->input;
            s->z.avail_in = (uInt)n;
        }
        s->inside = true;
        int code = inflate(&s->z, Z_NO_FLUSH);
        if (code == Z_STREAM_END) {
            s->inside = false;
            code = inflateReset(&s->z);
        }
        if (code == Z_MEM_ERROR) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: inflating");
        if (code != Z_OK && code != Z_BUF_ERROR)
            L2R_FAIL(L2R_ERR_FORMAT, "the gzip data is damaged (%s)", s->z.msg ? s->z.msg : "invalid data");
    }
    *got = size - s->z.avail_out;
done:
    return status;
}

static enum l2r_status plain_read(struct l2r_stream *s, void *bytes, size_t size, size_t *got, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(s->gzip ? gunzip(s, bytes, size, got, error) : raw_read(s, bytes, size, got, error));
    s->unpacked += (int64_t)*got;
    if ((s->gzip || s->archive) && l2r_archive_is_bomb(&l2r_archive_defaults, s->unpacked, s->packed))
        L2R_FAIL(L2R_ERR_FORMAT,
                 "more than %lld bytes are unpacked here, over %d times the %lld bytes of the file, which no data set "
                 "needs; unpack it yourself if this is intended",
                 (long long)s->unpacked - 1, (int)l2r_archive_defaults.max_ratio, (long long)s->packed);
done:
    return status;
}

/* On the thread, which alone touches the stream's raw and gzip state. After the end every further block is empty. */
static void fill_block(void *context, size_t k)
{
    struct l2r_stream *s = context;
    struct ring *r = &s->ring;
    size_t place = k % BLOCKS, got = 0;
    if (!r->ended) r->status = plain_read(s, r->bytes + place * BLOCK_SIZE, BLOCK_SIZE, &got, &r->error);
    r->length[place] = r->status == L2R_OK ? got : 0;
    if (r->length[place] == 0) r->ended = true;
}

/* Where the system gives no thread the stream is read directly. */
static enum l2r_status ring_start(struct l2r_stream *s, struct l2r_error *error)
{
    s->ring.bytes = l2r_alloc_raw(BLOCKS, BLOCK_SIZE);
    if (!s->ring.bytes) return l2r_fail_memory(error, (size_t)BLOCKS * BLOCK_SIZE, "reading ahead");
    if (l2r_prefetch_new(&s->ring.prefetch, fill_block, s, NULL) != L2R_OK) return L2R_OK;
    for (int k = 0; k < BLOCKS; k++) l2r_prefetch_request(s->ring.prefetch);
    return L2R_OK;
}

static enum l2r_status ring_read(struct ring *r, void *bytes, size_t size, size_t *got, struct l2r_error *error)
{
    size_t place = r->taken % BLOCKS;
    l2r_prefetch_wait(r->prefetch, r->taken);
    if (r->length[place] == 0) { /* the end; stays current for further calls */
        if (r->status != L2R_OK && error) *error = r->error;
        return r->status;
    }
    size_t left = r->length[place] - r->position;
    *got = size < left ? size : left;
    memcpy(bytes, r->bytes + place * BLOCK_SIZE + r->position, *got);
    r->position += *got;
    if (r->position == r->length[place]) {
        r->position = 0;
        r->taken++;
        l2r_prefetch_request(r->prefetch);
    }
    return L2R_OK;
}

/* A table is known as packed by its first bytes, whatever it is called. */
static bool begins_as_gzip(int file)
{
    unsigned char bytes[2];
    return pread(file, bytes, sizeof bytes, 0) == (ssize_t)sizeof bytes && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

static enum l2r_status open_archived(struct l2r_stream *s, const struct l2r_source *source,
                                     const struct l2r_entry *entry, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct archive_entry *header;
    if (entry->offset >= 0) s->file = l2r_sys_open(source->path, O_RDONLY);
    if (s->file >= 0) s->archive = l2r_zip_open_at(s->file, entry->offset);
    if (s->archive) return L2R_OK;
    L2R_TRY(l2r_archive_open(&s->archive, source->path, error));
    for (int64_t i = 0; i <= entry->position; i++) {
        int code = archive_read_next_header(s->archive, &header);
        if (code != ARCHIVE_OK && code != ARCHIVE_WARN)
            L2R_FAIL(L2R_ERR_FORMAT, "the archive is damaged (%s)", l2r_archive_reason(s->archive));
    }
done:
    return status;
}

static enum l2r_status open_entry(struct l2r_stream *s, const struct l2r_source *source, const struct l2r_entry *entry,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char path[8400];
    if (source->kind == L2R_SOURCE_FOLDER) {
        snprintf(path, sizeof path, "%s/%s", source->path, entry->name);
        s->file = l2r_sys_open(path, O_RDONLY);
        if (s->file < 0) L2R_FAIL(L2R_ERR_IO, "the file cannot be opened: %s", l2r_sys_reason(errno));
    } else if (source->kind == L2R_SOURCE_FILE) {
        s->file = l2r_sys_open(source->path, O_RDONLY);
        if (s->file < 0) L2R_FAIL(L2R_ERR_IO, "the file cannot be opened: %s", l2r_sys_reason(errno));
        s->gzip = begins_as_gzip(s->file);
    } else if (source->kind == L2R_SOURCE_ARCHIVE) {
        L2R_TRY(open_archived(s, source, entry, error));
    } else if (source->kind == L2R_SOURCE_INPUT) {
        s->once = source->input;
        s->gzip = l2r_input_is_gzip(source->input);
    } else {
        s->memory = entry->memory;
        s->memory_left = (size_t)entry->size;
    }
done:
    return status;
}

enum l2r_status l2r_stream_open(struct l2r_stream **stream, const struct l2r_source *source,
                                const struct l2r_entry *entry, bool ahead, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t length = strlen(entry->name);
    struct l2r_stream *s = l2r_alloc(1, sizeof *s);
    if (!s) {
        *stream = NULL;
        return l2r_fail_memory(error, sizeof *s, "a stream");
    }
    s->kind = source->kind;
    s->file = -1;
    s->packed = source->kind == L2R_SOURCE_ARCHIVE ? source->packed : entry->size;
    s->gzip = length > 3 && strcmp(entry->name + length - 3, ".gz") == 0;
    L2R_TRY(open_entry(s, source, entry, error));
    if (s->gzip) {
        s->input = l2r_alloc_raw(INPUT, 1);
        if (!s->input) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: %d bytes were needed for inflating", (int)INPUT);
        /* 15: the largest window; + 16: expect a gzip header. */
        if (inflateInit2(&s->z, 15 + 16) != Z_OK) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: inflating");
        s->inflating = true;
    }
    if (ahead && (entry->size < 0 || entry->size >= AHEAD_FROM)) L2R_TRY(ring_start(s, error));
done:
    if (status != L2R_OK) {
        l2r_stream_free(s);
        s = NULL;
    }
    *stream = s;
    return status;
}

enum l2r_status l2r_stream_read(struct l2r_stream *stream, void *bytes, size_t size, size_t *got,
                                struct l2r_error *error)
{
    *got = 0;
    if (stream->ring.prefetch) return ring_read(&stream->ring, bytes, size, got, error);
    return plain_read(stream, bytes, size, got, error);
}

void l2r_stream_free(struct l2r_stream *stream)
{
    if (!stream) return;
    l2r_prefetch_free(stream->ring.prefetch); /* first: its thread uses the rest */
    l2r_free(stream->ring.bytes);
    if (stream->inflating) inflateEnd(&stream->z);
    if (stream->archive) archive_read_free(stream->archive);
    if (stream->file >= 0) (void)l2r_sys_close(stream->file);
    l2r_free(stream->input);
    l2r_free(stream);
}
