/* SPDX-License-Identifier: MIT
 * See torch_file.h. */
#include "io/torch_file.h"

#include "base/array.h"
#include "io/archive.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the zip ---- */

/* The data of an entry, in the arena. */
static enum l2r_status read_entry(void **bytes, size_t *size, struct l2r_torch_file *f, struct archive *archive,
                                  size_t length, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_array got = {0};
    char room[1 << 14];
    ssize_t n;
    *bytes = NULL;
    while ((n = archive_read_data(archive, room, sizeof room)) > 0) {
        if (!l2r_array_add(&got, room, (size_t)n, 1)) L2R_FAIL(L2R_ERR_MEMORY, "%s: out of memory", f->where);
        if (l2r_archive_is_bomb(&l2r_archive_defaults, (int64_t)(f->arena.total + got.n), (int64_t)length) ||
            f->arena.total + got.n > L2R_TORCH_BYTES)
            L2R_FAIL(L2R_ERR_FORMAT, "%s: it unpacks to far more than a model", f->where);
    }
    if (n < 0) L2R_FAIL(L2R_ERR_FORMAT, "%s: damaged zip: %s", f->where, l2r_archive_reason(archive));
    *size = got.n;
    *bytes = l2r_arena_alloc(&f->arena, got.n + 1, 1);
    if (!*bytes) L2R_FAIL(L2R_ERR_MEMORY, "%s: out of memory", f->where);
    if (got.n > 0) memcpy(*bytes, got.items, got.n);
    ((char *)*bytes)[got.n] = '\0';
done:
    l2r_array_clear(&got);
    return status;
}

/* What follows the folder of all entries: "data.pkl", "data/0". */
static const char *inner_name(const char *name)
{
    const char *slash = strchr(name, '/');
    return slash ? slash + 1 : name;
}

static bool is_wanted(const char *name)
{
    return strcmp(name, "data.pkl") == 0 || strcmp(name, "byteorder") == 0 || strncmp(name, "data/", 5) == 0;
}

static enum l2r_status keep_entry(struct l2r_torch_file *f, void **pickle, size_t *n_pickle, const char *name,
                                  void *bytes, size_t size, struct l2r_error *error)
{
    if (strcmp(name, "data.pkl") == 0) {
        *pickle = bytes;
        *n_pickle = size;
    } else if (strcmp(name, "byteorder") == 0) {
        if (size != 6 || memcmp(bytes, "little", 6) != 0)
            return l2r_fail(error, L2R_ERR_FORMAT, "%s: its numbers are not little endian", f->where);
    } else {
        char *key = l2r_arena_strdup(&f->arena, name + 5);
        struct l2r_torch_storage storage = {key, bytes, size};
        if (!key || !l2r_reserve((void **)&f->storages, &f->capacity, f->n + 1, sizeof storage))
            return l2r_fail_memory(error, size, "a checkpoint");
        f->storages[f->n++] = storage;
    }
    return L2R_OK;
}

static enum l2r_status read_entries(struct l2r_torch_file *f, void **pickle, size_t *n_pickle, struct archive *archive,
                                    size_t length, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct archive_entry *entry;
    int code, entries = 0;
    while ((code = archive_read_next_header(archive, &entry)) == ARCHIVE_OK) {
        const char *path = archive_entry_pathname(entry), *name = path ? inner_name(path) : "";
        void *bytes;
        size_t size;
        if (++entries > L2R_TORCH_ENTRIES) L2R_FAIL(L2R_ERR_FORMAT, "%s: too many entries", f->where);
        if (!is_wanted(name)) continue;
        if (archive_entry_is_encrypted(entry)) L2R_FAIL(L2R_ERR_FORMAT, "%s: it is encrypted", f->where);
        L2R_TRY(read_entry(&bytes, &size, f, archive, length, error));
        L2R_TRY(keep_entry(f, pickle, n_pickle, name, bytes, size, error));
    }
    if (code != ARCHIVE_EOF) L2R_FAIL(L2R_ERR_FORMAT, "%s: damaged zip: %s", f->where, l2r_archive_reason(archive));
done:
    return status;
}

enum l2r_status l2r_torch_file_read(struct l2r_torch_file *f, const void *bytes, size_t length, const char *where,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    void *pickle = NULL;
    size_t n_pickle = 0;
    *f = (struct l2r_torch_file){.where = where};
    l2r_arena_init(&f->arena);
    struct archive *archive = archive_read_new();
    if (!archive) return l2r_fail_memory(error, 0, "an archive");
    archive_read_support_format_zip(archive);
    if (length < 4 || memcmp(bytes, "PK\3\4", 4) != 0)
        L2R_FAIL(L2R_ERR_FORMAT,
                 "%s: not a checkpoint of PyTorch 1.6 or later, which is a zip; load and save it again there", where);
    if (archive_read_open_memory(archive, bytes, length) != ARCHIVE_OK)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: damaged zip: %s", where, l2r_archive_reason(archive));
    L2R_TRY(read_entries(f, &pickle, &n_pickle, archive, length, error));
    if (!pickle) L2R_FAIL(L2R_ERR_FORMAT, "%s: a zip without data.pkl, so no checkpoint of PyTorch", where);
    L2R_TRY(l2r_pickle_read(&f->root, &f->arena, pickle, n_pickle, where, error));
done:
    archive_read_free(archive);
    return status;
}

void l2r_torch_file_clear(struct l2r_torch_file *f)
{
    l2r_free(f->storages);
    l2r_arena_clear(&f->arena);
    *f = (struct l2r_torch_file){0};
}

/* ---- tensors ---- */

/* The call that would rebuild it; a parameter is a call around one. */
static const struct l2r_pickle *rebuild_call(const struct l2r_pickle *value)
{
    if (value && value->kind == L2R_PICKLE_OBJECT && l2r_pickle_is(value->class, "_rebuild_parameter") && value->n > 0)
        value = value->items[0];
    if (!value || value->kind != L2R_PICKLE_OBJECT || value->n < 4) return NULL;
    return l2r_pickle_is(value->class, "_rebuild_tensor_v2") ? value : NULL;
}

bool l2r_torch_is_tensor(const struct l2r_pickle *value)
{
    return rebuild_call(value) != NULL;
}

static float from_half(uint16_t bits)
{
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value = exponent == 0    ? ldexp(mantissa, -24)
                   : exponent == 31 ? (mantissa ? (double)NAN : (double)INFINITY)
                                    : ldexp(1024 + mantissa, exponent - 25);
    return (float)(bits & 0x8000 ? -value : value);
}

static double number_at(const void *bytes, size_t i, int width)
{
    float f32 = 0;
    double f64 = 0;
    uint16_t f16 = 0;
    if (width == 8) memcpy(&f64, (const char *)bytes + 8 * i, 8);
    if (width == 4) memcpy(&f32, (const char *)bytes + 4 * i, 4);
    if (width == 2) memcpy(&f16, (const char *)bytes + 2 * i, 2);
    return width == 8 ? f64 : width == 4 ? (double)f32 : (double)from_half(f16);
}

/* Bytes of a number in such a storage; 0: not floats. */
static int width_of(const struct l2r_pickle *type)
{
    return l2r_pickle_is(type, "FloatStorage")    ? 4
           : l2r_pickle_is(type, "DoubleStorage") ? 8
           : l2r_pickle_is(type, "HalfStorage")   ? 2
                                                  : 0;
}

/* ("storage", type, key, place, count) */
static const struct l2r_torch_storage *find_storage(int *width, const struct l2r_torch_file *f,
                                                    const struct l2r_pickle *reference)
{
    const struct l2r_pickle *about =
        reference->kind == L2R_PICKLE_FOREIGN && reference->n == 1 ? reference->items[0] : NULL;
    if (!about || about->kind != L2R_PICKLE_LIST || about->n < 5 || !l2r_pickle_is(about->items[0], "storage"))
        return NULL;
    *width = width_of(about->items[1]);
    for (size_t i = 0; i < f->n; i++)
        if (about->items[2]->kind == L2R_PICKLE_TEXT && l2r_pickle_is(about->items[2], f->storages[i].key))
            return &f->storages[i];
    return NULL;
}

/* Two dimensions of a list of at most two, the first 1 where there is one; false: it has more, or is no such list. */
static bool read_pair(int64_t pair[2], const struct l2r_pickle *list, int64_t missing)
{
    if (list->kind != L2R_PICKLE_LIST || list->n > 2) return false;
    pair[0] = pair[1] = missing;
    for (size_t i = 0; i < list->n; i++) {
        if (list->items[i]->kind != L2R_PICKLE_INT || list->items[i]->integer < 0) return false;
        pair[2 - list->n + i] = list->items[i]->integer;
    }
    return true;
}

/* Do all numbers of the tensor lie within n? */
static bool lies_within(int64_t n, int64_t offset, const int64_t size[2], const int64_t stride[2])
{
    if (size[0] < 1 || size[1] < 1 || size[0] > n || size[1] > n / size[0]) return false;
    if (offset < 0 || offset >= n || stride[0] > n || stride[1] > n) return false;
    return (size[0] - 1) <= (n - 1 - offset) / (stride[0] ? stride[0] : 1) &&
           (size[1] - 1) <= (n - 1 - offset - (size[0] - 1) * stride[0]) / (stride[1] ? stride[1] : 1);
}

enum l2r_status l2r_torch_tensor(struct l2r_torch_tensor *tensor, struct l2r_torch_file *f,
                                 const struct l2r_pickle *value, const char *name, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_pickle *call = rebuild_call(value);
    int64_t size[2], stride[2];
    int width = 0;
    *tensor = (struct l2r_torch_tensor){0};
    if (!call) L2R_FAIL(L2R_ERR_FORMAT, "%s: it has no tensor %s", f->where, name);
    const struct l2r_torch_storage *storage = find_storage(&width, f, call->items[0]);
    if (!storage) L2R_FAIL(L2R_ERR_FORMAT, "%s: the numbers of %s are not in the file", f->where, name);
    if (width == 0) L2R_FAIL(L2R_ERR_FORMAT, "%s: %s does not consist of floats of 16, 32 or 64 bits", f->where, name);
    if (!read_pair(size, call->items[2], 1) || !read_pair(stride, call->items[3], 0) ||
        call->items[2]->n != call->items[3]->n || call->items[1]->kind != L2R_PICKLE_INT)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: %s is no matrix or vector", f->where, name);
    int64_t n = (int64_t)(storage->size / (size_t)width), offset = call->items[1]->integer;
    if (!lies_within(n, offset, size, stride))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: %s is larger than its %lld stored numbers", f->where, name, (long long)n);
    double *values = l2r_arena_alloc(&f->arena, (size_t)(size[0] * size[1]), sizeof *values);
    if (!values) L2R_FAIL(L2R_ERR_MEMORY, "%s: out of memory", f->where);
    for (int64_t i = 0; i < size[0]; i++)
        for (int64_t k = 0; k < size[1]; k++) {
            double x = number_at(storage->bytes, (size_t)(offset + i * stride[0] + k * stride[1]), width);
            if (!isfinite(x)) L2R_FAIL(L2R_ERR_FORMAT, "%s: %s has a number that is not finite", f->where, name);
            values[i * size[1] + k] = x;
        }
    *tensor = (struct l2r_torch_tensor){size[0], size[1], values};
done:
    return status;
}
