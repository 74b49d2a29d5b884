/* SPDX-License-Identifier: MIT
 * See sketcher.h. */
#include "serve/sketcher.h"

#include "base/memory.h"
#include "io/source.h"

#include <string.h>

enum { MOST_BYTES = 64 << 20 };

static const char root[] = "/sketcher/", loader[] = "jsme.nocache.js";

struct file {
    const char *name; /* below the loader's folder */
    char *bytes;
    size_t length;
};

struct l2r_sketcher {
    struct l2r_source *source; /* names point into it */
    struct file *files;
    size_t n;
};

static enum l2r_status read_file(struct file *file, const struct l2r_source *source, const struct l2r_entry *entry,
                                 size_t room, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_stream *stream = NULL;
    size_t got, capacity = entry->size > 0 ? (size_t)entry->size + 1 : 1 << 20;
    if (capacity > room) L2R_FAIL(L2R_ERR_FORMAT, "the sketcher has more than %d MB", (int)(MOST_BYTES >> 20));
    file->bytes = l2r_alloc_raw(capacity, 1);
    if (!file->bytes) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the sketcher");
    L2R_TRY(l2r_stream_open(&stream, source, entry, false, error));
    do {
        L2R_TRY(l2r_stream_read(stream, file->bytes + file->length, capacity - file->length, &got, error));
        file->length += got;
    } while (got > 0 && file->length < capacity);
    if (file->length == capacity) L2R_FAIL(L2R_ERR_FORMAT, "%s is larger than it says", entry->name);
done:
    l2r_stream_free(stream);
    return status;
}

static const struct l2r_entry *find_loader(const struct l2r_source *source)
{
    for (size_t i = 0; i < source->n_entries; i++) {
        const char *name = source->entries[i].name, *base = strrchr(name, '/');
        if (strcmp(base ? base + 1 : name, loader) == 0) return &source->entries[i];
    }
    return NULL;
}

enum l2r_status l2r_sketcher_open(struct l2r_sketcher **sketcher, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t total = 0;
    struct l2r_sketcher *s = *sketcher = l2r_alloc(1, sizeof *s);
    if (!s) return l2r_fail_memory(error, sizeof *s, "the sketcher");
    L2R_TRY(l2r_source_open(&s->source, path, error));
    const struct l2r_entry *entry = find_loader(s->source);
    if (!entry) L2R_FAIL(L2R_ERR_FORMAT, "%s holds no sketcher; expected JSME, with its file %s", path, loader);
    size_t prefix = strlen(entry->name) - (sizeof loader - 1);
    s->files = l2r_alloc(s->source->n_entries, sizeof *s->files);
    if (!s->files) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the sketcher");
    for (size_t i = 0; i < s->source->n_entries; i++) {
        const struct l2r_entry *other = &s->source->entries[i];
        if (strncmp(other->name, entry->name, prefix) != 0) continue;
        struct file *file = &s->files[s->n++];
        file->name = other->name + prefix;
        L2R_TRY(read_file(file, s->source, other, MOST_BYTES - total, error));
        total += file->length;
    }
done:
    if (status != L2R_OK) {
        l2r_sketcher_free(s);
        *sketcher = NULL;
    }
    return status;
}

void l2r_sketcher_free(struct l2r_sketcher *s)
{
    if (!s) return;
    for (size_t i = 0; s->files && i < s->n; i++) l2r_free(s->files[i].bytes);
    l2r_free(s->files);
    l2r_source_free(s->source);
    l2r_free(s);
}

bool l2r_sketcher_is_path(const char *path)
{
    return strncmp(path, root, sizeof root - 1) == 0;
}

static const char *type_of(const char *name)
{
    static const struct {
        const char *ending, *type;
    } known[] = {{".js", "text/javascript; charset=utf-8"},
                 {".css", "text/css; charset=utf-8"},
                 {".png", "image/png"},
                 {".gif", "image/gif"},
                 {".svg", "image/svg+xml"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (l2r_source_ends_with(name, known[i].ending)) return known[i].type;
    return "application/octet-stream";
}

bool l2r_sketcher_reply(struct l2r_http_reply *reply, const struct l2r_sketcher *s, const char *path, const char *frame,
                        size_t length)
{
    static const char policy[] =
        "sandbox allow-scripts allow-same-origin; default-src 'none'; script-src 'self' "
        "'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: "
        "blob:; base-uri 'none'; form-action 'none'; frame-ancestors http://localhost:* "
        "http://127.0.0.1:*";
    const char *name = path + sizeof root - 1;
    *reply = (struct l2r_http_reply){.code = 200, .policy = policy};
    if (!*name) {
        reply->type = "text/html; charset=utf-8";
        reply->body = frame;
        reply->length = length;
        return true;
    }
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->files[i].name, name) == 0) {
            reply->type = type_of(name);
            reply->body = s->files[i].bytes;
            reply->length = s->files[i].length;
            return true;
        }
    return false;
}
