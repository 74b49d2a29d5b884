/* SPDX-License-Identifier: MIT
 *
 * See safetensors.h: the reading half. The checks run in the order in which the numbers become usable:
 *
 *     header length  ≤ 100 MB and ≤ what the file holds
 *     header         JSON, one object; an entry has a known dtype, a shape whose product does not overflow, and
 *                    data_offsets whose distance is exactly that many bytes
 *     offsets        sorted, the tensors tile the data from its first byte to its last: inside, no gap, no overlap
 *     data           no more than the machine has memory for
 *     checksums      if __metadata__ has "xxh3", "xxh3_header"
 *
 * The header is all that is read of a file until it has been checked, so that a file of any size is refused at once.
 * Then each tensor is read to a 64-byte boundary of its own, because files by other programs may not be aligned.
 */
#include "io/safetensors.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static const uint64_t largest_header = 100000000;

/* Where the bytes come from, in order: a file, or memory. */
struct bytes {
    int fd;           /* -1: memory */
    const char *next; /* memory: what has not been taken yet */
    size_t length;    /* of the whole */
};

struct entry {
    struct l2r_tensor tensor; /* first member */
    size_t begin, end;        /* bytes of the data section */
};

struct l2r_safetensors {
    char *where;
    json_t *header; /* owns the names and the metadata */
    struct entry *entries;
    size_t n;
    char *data;
    bool sealed;
};

static enum l2r_status read_dtype(struct l2r_tensor *t, const json_t *entry, const char *where, struct l2r_error *error)
{
    const char *name = json_string_value(json_object_get(entry, "dtype"));
    for (int d = L2R_DTYPE_F64; name && d <= L2R_DTYPE_U8; d++) {
        t->dtype = (enum l2r_dtype)d;
        if (strcmp(name, l2r_dtype_name(t->dtype)) == 0) return L2R_OK;
    }
    return l2r_fail(error, L2R_ERR_FORMAT, "%s: tensor \"%.200s\" has dtype %.40s, not one of F64, I64, F32, I32, U8",
                    where, t->name, name ? name : "missing");
}

static enum l2r_status read_shape(struct l2r_tensor *t, const json_t *entry, const char *where, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const json_t *shape = json_object_get(entry, "shape");
    if (!json_is_array(shape) || json_array_size(shape) > L2R_TENSOR_DIMS)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: tensor \"%.200s\" has no shape of at most %d dimensions", where, t->name,
                 L2R_TENSOR_DIMS);
    t->n_dims = (int32_t)json_array_size(shape);
    for (int32_t d = 0; d < t->n_dims; d++) {
        const json_t *size = json_array_get(shape, (size_t)d);
        t->shape[d] = json_integer_value(size);
        if (!json_is_integer(size) || t->shape[d] < 0)
            L2R_FAIL(L2R_ERR_FORMAT, "%s: dimension %d of tensor \"%.200s\" is not a count", where, (int)d, t->name);
    }
    if (l2r_tensor_bytes(t) == SIZE_MAX)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: the shape of tensor \"%.200s\" is larger than any memory", where, t->name);
done:
    return status;
}

static enum l2r_status read_offsets(struct entry *e, const json_t *entry, size_t data_length, const char *where,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const json_t *offsets = json_object_get(entry, "data_offsets");
    const json_t *first = json_array_get(offsets, 0), *last = json_array_get(offsets, 1);
    if (json_array_size(offsets) != 2 || !json_is_integer(first) || !json_is_integer(last))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: tensor \"%.200s\" has no pair of data_offsets", where, e->tensor.name);
    json_int_t begin = json_integer_value(first), end = json_integer_value(last);
    if (begin < 0 || end < begin || (uint64_t)end > data_length)
        L2R_FAIL(L2R_ERR_FORMAT,
                 "%s: tensor \"%.200s\" lies at bytes %" PRId64 "..%" PRId64 ", outside the %zu bytes of data", where,
                 e->tensor.name, (int64_t)begin, (int64_t)end, data_length);
    e->begin = (size_t)begin;
    e->end = (size_t)end;
    if (e->end - e->begin != l2r_tensor_bytes(&e->tensor))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: tensor \"%.200s\" takes %zu bytes, its shape and dtype need %zu", where,
                 e->tensor.name, e->end - e->begin, l2r_tensor_bytes(&e->tensor));
done:
    return status;
}

static enum l2r_status check_metadata(const json_t *metadata, const char *where, struct l2r_error *error)
{
    const char *key;
    json_t *text;
    if (!json_is_object(metadata)) return l2r_fail(error, L2R_ERR_FORMAT, "%s: __metadata__ is not an object", where);
    json_object_foreach((json_t *)(uintptr_t)metadata, key, text)
    {
        if (!json_is_string(text))
            return l2r_fail(error, L2R_ERR_FORMAT, "%s: __metadata__ \"%.200s\" is not text", where, key);
    }
    return L2R_OK;
}

static enum l2r_status read_entries(struct l2r_safetensors *file, size_t data_length, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *name;
    json_t *value;
    size_t most = json_object_size(file->header);
    file->entries = l2r_alloc(most, sizeof *file->entries);
    if (!file->entries) {
        status = l2r_fail_memory(error, most * sizeof *file->entries, file->where);
        goto done;
    }
    json_object_foreach(file->header, name, value)
    {
        if (strcmp(name, "__metadata__") == 0) {
            L2R_TRY(check_metadata(value, file->where, error));
            continue;
        }
        struct entry *e = &file->entries[file->n++];
        e->tensor.name = name;
        L2R_TRY(read_dtype(&e->tensor, value, file->where, error));
        L2R_TRY(read_shape(&e->tensor, value, file->where, error));
        L2R_TRY(read_offsets(e, value, data_length, file->where, error));
    }
done:
    return status;
}

static int by_offset(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

/* Sorted by offset, each tensor must begin where the one before ended: no byte is unaccounted for, none is shared. */
static enum l2r_status check_tiling(struct l2r_safetensors *file, size_t data_length, struct l2r_error *error)
{
    size_t reached = 0;
    qsort(file->entries, file->n, sizeof *file->entries, by_offset);
    for (size_t i = 0; i < file->n; i++) {
        const struct entry *e = &file->entries[i];
        if (e->begin != reached)
            return l2r_fail(error, L2R_ERR_FORMAT,
                            "%s: tensor \"%.200s\" starts at byte %zu of the data, %s (expected %zu)", file->where,
                            e->tensor.name, e->begin, e->begin < reached ? "inside another tensor" : "after a gap",
                            reached);
        reached = e->end;
    }
    if (reached != data_length)
        return l2r_fail(error, L2R_ERR_FORMAT, "%s: %zu bytes follow the last tensor", file->where,
                        data_length - reached);
    return L2R_OK;
}

/* The header's own checksum, which files written by other programs lack. */
static enum l2r_status check_header(struct l2r_safetensors *file, const char *text, size_t length,
                                    struct l2r_error *error)
{
    const char *expected = l2r_safetensors_metadata(file, "xxh3_header");
    char found[L2R_CHECKSUM_TEXT];
    if (!expected) return L2R_OK;
    const char *key = memmem(text, length, L2R_HEADER_KEY, strlen(L2R_HEADER_KEY));
    size_t at = key ? (size_t)(key - text) + strlen(L2R_HEADER_KEY) : length;
    if (strlen(expected) != L2R_CHECKSUM_TEXT - 1 || length - at < L2R_CHECKSUM_TEXT)
        return l2r_fail(error, L2R_ERR_FORMAT, "%s: the header is damaged: its checksum is malformed", file->where);
    if (!l2r_checksum_header(found, text, length, at)) return l2r_fail_memory(error, 0, file->where);
    if (strcmp(expected, found) != 0)
        return l2r_fail(error, L2R_ERR_FORMAT, "%s: the header is damaged: its checksum is %s, it says %s", file->where,
                        found, expected);
    file->sealed = l2r_safetensors_metadata(file, "xxh3") != NULL;
    return L2R_OK;
}

bool l2r_safetensors_is_sealed(const struct l2r_safetensors *file)
{
    return file->sealed;
}

/* The next n bytes. A file that ends before the size it had when it was opened has been cut meanwhile. */
static enum l2r_status take(void *out, struct bytes *bytes, size_t n, const char *where, struct l2r_error *error)
{
    if (bytes->fd < 0) {
        memcpy(out, bytes->next, n);
        bytes->next += n;
        return L2R_OK;
    }
    for (size_t done = 0; done < n;) {
        ssize_t more = l2r_sys_read(bytes->fd, (char *)out + done, n - done);
        if (more < 0) return l2r_fail(error, L2R_ERR_IO, "%s: cannot be read: %s", where, l2r_sys_reason(errno));
        if (more == 0) return l2r_fail(error, L2R_ERR_FORMAT, "%s: became shorter while it was read", where);
        done += (size_t)more;
    }
    return L2R_OK;
}

/* One block for all tensors, each on a boundary. A length that the machine has no memory for is not asked for: the
 * system would promise it and end the process when it is used. */
static enum l2r_status reserve_data(struct l2r_safetensors *file, struct l2r_error *error)
{
    size_t total = 0;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < file->n; i++)
        total += (file->entries[i].end - file->entries[i].begin + L2R_ALIGNMENT - 1) / L2R_ALIGNMENT * L2R_ALIGNMENT;
    bool fits = pages <= 0 || page <= 0 || total / (size_t)page < (size_t)pages;
    file->data = fits ? l2r_alloc_raw(total, 1) : NULL;
    return file->data ? L2R_OK : l2r_fail_memory(error, total, file->where);
}

/* The tensors tile the data, so reading one after the other reads it all, and the checksum goes along. */
static enum l2r_status read_data(struct l2r_safetensors *file, struct bytes *bytes, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *expected = l2r_safetensors_metadata(file, "xxh3");
    char found[L2R_CHECKSUM_TEXT];
    XXH3_state_t *state = XXH3_createState();
    size_t at = 0;
    if (!state || XXH3_128bits_reset(state) == XXH_ERROR) {
        status = l2r_fail_memory(error, 0, file->where);
        goto done;
    }
    L2R_TRY(reserve_data(file, error));
    for (size_t i = 0; i < file->n; i++) {
        struct entry *e = &file->entries[i];
        size_t n = e->end - e->begin;
        L2R_TRY(take(file->data + at, bytes, n, file->where, error));
        (void)XXH3_128bits_update(state, file->data + at, n);
        e->tensor.data = file->data + at;
        at += (n + L2R_ALIGNMENT - 1) / L2R_ALIGNMENT * L2R_ALIGNMENT;
    }
    XXH128_hash_t hash = XXH3_128bits_digest(state);
    l2r_checksum_text(found, hash.high64, hash.low64);
    if (expected && strcmp(expected, found) != 0)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: the data is damaged: its checksum is %s, the header says %.64s", file->where,
                 found, expected);
done:
    XXH3_freeState(state);
    return status;
}

/* Length and text of the header; every number in it is checked before the data is looked at. */
static enum l2r_status read_header(struct l2r_safetensors *file, struct bytes *bytes, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *where = file->where;
    char *text = NULL;
    uint64_t announced = 0;
    if (bytes->length < 8)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: %zu bytes are too few for a safetensors file", where, bytes->length);
    L2R_TRY(take(&announced, bytes, sizeof announced, where, error));
    if (announced > largest_header || announced > bytes->length - 8)
        L2R_FAIL(L2R_ERR_FORMAT,
                 "%s: a header of %" PRIu64 " bytes is announced, %zu bytes follow (at most %" PRIu64
                 " are accepted): not a safetensors file, or truncated",
                 where, announced, bytes->length - 8, largest_header);
    text = l2r_alloc_raw((size_t)announced + 1, 1);
    if (!text) {
        status = l2r_fail_memory(error, (size_t)announced, where);
        goto done;
    }
    L2R_TRY(take(text, bytes, (size_t)announced, where, error));
    if (announced == 0 || text[0] != '{') L2R_FAIL(L2R_ERR_FORMAT, "%s: the header does not start with {", where);
    L2R_TRY(l2r_json_parse(&file->header, text, (size_t)announced, where, error));
    L2R_TRY(check_header(file, text, (size_t)announced, error));
    size_t data_length = bytes->length - 8 - (size_t)announced;
    L2R_TRY(read_entries(file, data_length, error));
    L2R_TRY(check_tiling(file, data_length, error));
done:
    l2r_free(text);
    return status;
}

static enum l2r_status parse(struct l2r_safetensors **parsed, struct bytes *bytes, const char *where,
                             struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_safetensors *file = l2r_alloc(1, sizeof *file);
    if (!file || !(file->where = l2r_strdup(where))) {
        status = l2r_fail_memory(error, sizeof *file, where);
        goto done;
    }
    L2R_TRY(read_header(file, bytes, error));
    L2R_TRY(read_data(file, bytes, error));
done:
    if (status != L2R_OK) {
        l2r_safetensors_free(file);
        file = NULL;
    }
    *parsed = file;
    return status;
}

enum l2r_status l2r_safetensors_parse(struct l2r_safetensors **parsed, const void *bytes, size_t length,
                                      const char *where, struct l2r_error *error)
{
    struct bytes memory = {.fd = -1, .next = bytes, .length = length};
    return parse(parsed, &memory, where, error);
}

enum l2r_status l2r_safetensors_read(struct l2r_safetensors **file, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct stat about;
    *file = NULL;
    int fd = l2r_sys_open(path, O_RDONLY);
    if (fd < 0) L2R_FAIL(L2R_ERR_IO, "%s: cannot be opened: %s", path, l2r_sys_reason(errno));
    if (fstat(fd, &about) != 0) L2R_FAIL(L2R_ERR_IO, "%s: cannot be read: %s", path, l2r_sys_reason(errno));
    if (S_ISDIR(about.st_mode)) L2R_FAIL(L2R_ERR_IO, "%s: is a folder; expected a file", path);
    struct bytes bytes = {.fd = fd, .length = (size_t)about.st_size};
    L2R_TRY(parse(file, &bytes, path, error));
done:
    if (fd >= 0) (void)l2r_sys_close(fd);
    return status;
}

void l2r_safetensors_free(struct l2r_safetensors *file)
{
    if (!file) return;
    json_decref(file->header);
    l2r_free(file->where);
    l2r_free(file->entries);
    l2r_free(file->data);
    l2r_free(file);
}

const char *l2r_safetensors_where(const struct l2r_safetensors *file)
{
    return file->where;
}

const struct l2r_tensor *l2r_safetensors_at(const struct l2r_safetensors *file, size_t i)
{
    return i < file->n ? &file->entries[i].tensor : NULL;
}

const struct l2r_tensor *l2r_safetensors_find(const struct l2r_safetensors *file, const char *name)
{
    for (size_t i = 0; i < file->n; i++) {
        if (strcmp(file->entries[i].tensor.name, name) == 0) return &file->entries[i].tensor;
    }
    return NULL;
}

const char *l2r_safetensors_metadata(const struct l2r_safetensors *file, const char *key)
{
    return json_string_value(json_object_get(json_object_get(file->header, "__metadata__"), key));
}

/* "F32 [64, 32]" */
static void describe(char *text, size_t size, enum l2r_dtype dtype, const int64_t *shape, int32_t n_dims)
{
    int used = snprintf(text, size, "%s [", l2r_dtype_name(dtype));
    for (int32_t d = 0; d < n_dims && used >= 0 && (size_t)used < size; d++) {
        used += snprintf(text + used, size - (size_t)used, "%s%" PRId64, d ? ", " : "", shape[d]);
    }
    if (used >= 0 && (size_t)used < size) snprintf(text + used, size - (size_t)used, "]");
}

enum l2r_status l2r_safetensors_copy(void *out, const struct l2r_safetensors *file, const char *name,
                                     enum l2r_dtype dtype, const int64_t *shape, int32_t n_dims,
                                     struct l2r_error *error)
{
    char found[200], expected[200];
    const struct l2r_tensor *t = l2r_safetensors_find(file, name);
    describe(expected, sizeof expected, dtype, shape, n_dims);
    if (!t)
        return l2r_fail(error, L2R_ERR_FORMAT, "%s: tensor \"%s\" is missing, expected %s", file->where, name,
                        expected);
    describe(found, sizeof found, t->dtype, t->shape, t->n_dims);
    if (strcmp(found, expected) != 0)
        return l2r_fail(error, L2R_ERR_FORMAT, "%s: tensor \"%s\" is %s, expected %s", file->where, name, found,
                        expected);
    memcpy(out, t->data, l2r_tensor_bytes(t));
    return L2R_OK;
}
