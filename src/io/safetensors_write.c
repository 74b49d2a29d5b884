/* SPDX-License-Identifier: MIT
 *
 * See safetensors.h: the writing half, and the element types. The checksum stands in the header, before the data, so
 * the data is walked twice: once to hash it, once to write it.
 */
#include "base/memory.h"
#include "io/file.h"
#include "io/safetensors.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include <xxhash.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "safetensors files are little endian; this machine is not"
#endif

static const struct {
    const char *name;
    size_t size;
} dtypes[] = {[L2R_DTYPE_F64] = {"F64", 8},
              [L2R_DTYPE_I64] = {"I64", 8},
              [L2R_DTYPE_F32] = {"F32", 4},
              [L2R_DTYPE_I32] = {"I32", 4},
              [L2R_DTYPE_U8] = {"U8", 1}};

const char *l2r_dtype_name(enum l2r_dtype dtype)
{
    return dtypes[dtype].name;
}

size_t l2r_dtype_size(enum l2r_dtype dtype)
{
    return dtypes[dtype].size;
}

size_t l2r_tensor_bytes(const struct l2r_tensor *tensor)
{
    size_t bytes = l2r_dtype_size(tensor->dtype);
    if (tensor->n_dims < 0 || tensor->n_dims > L2R_TENSOR_DIMS) return SIZE_MAX;
    for (int32_t d = 0; d < tensor->n_dims; d++) {
        if (tensor->shape[d] < 0 || __builtin_mul_overflow(bytes, (size_t)tensor->shape[d], &bytes)) return SIZE_MAX;
    }
    return bytes;
}

void l2r_checksum_text(char text[L2R_CHECKSUM_TEXT], uint64_t high, uint64_t low)
{
    snprintf(text, L2R_CHECKSUM_TEXT, "%016" PRIx64 "%016" PRIx64, high, low);
}

bool l2r_checksum_header(char text[L2R_CHECKSUM_TEXT], const char *header, size_t length, size_t at)
{
    static const char zeros[] = "00000000000000000000000000000000";
    size_t digits = L2R_CHECKSUM_TEXT - 1;
    XXH3_state_t *state = XXH3_createState();
    if (!state) return false;
    XXH3_128bits_reset(state);
    XXH3_128bits_update(state, header, at);
    XXH3_128bits_update(state, zeros, digits);
    XXH3_128bits_update(state, header + at + digits, length - at - digits);
    XXH128_hash_t hash = XXH3_128bits_digest(state);
    l2r_checksum_text(text, hash.high64, hash.low64);
    XXH3_freeState(state);
    return true;
}

/* The tensors as they will lie in the file: larger elements first, otherwise as given. */
static void order_tensors(const struct l2r_tensor **ordered, const struct l2r_tensor *tensors, size_t n)
{
    static const size_t sizes[] = {8, 4, 1};
    size_t at = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (size_t i = 0; i < n; i++) {
            if (l2r_dtype_size(tensors[i].dtype) == sizes[s]) ordered[at++] = &tensors[i];
        }
    }
}

static enum l2r_status hash_tensors(char text[L2R_CHECKSUM_TEXT], const struct l2r_tensor *const *tensors, size_t n,
                                    struct l2r_error *error)
{
    XXH3_state_t *state = XXH3_createState();
    if (!state) return l2r_fail_memory(error, 0, "a checksum");
    XXH3_128bits_reset(state);
    for (size_t i = 0; i < n; i++) XXH3_128bits_update(state, tensors[i]->data, l2r_tensor_bytes(tensors[i]));
    XXH128_hash_t hash = XXH3_128bits_digest(state);
    l2r_checksum_text(text, hash.high64, hash.low64);
    XXH3_freeState(state);
    return L2R_OK;
}

/* jansson refuses both text that is not UTF-8 and any text when memory is out; this tells which it was. */
static enum l2r_status refused_text(const char *text, const char *path, const char *what, struct l2r_error *error)
{
    json_t *checked = json_string(text), *plain = json_string_nocheck(text);
    bool wrong = !checked && plain;
    json_decref(checked);
    json_decref(plain);
    if (!wrong) return l2r_fail_memory(error, 0, path);
    return l2r_fail(error, L2R_ERR_ARGUMENT, "%s: %s is not UTF-8 text", path, what);
}

static enum l2r_status add_metadata(json_t *header, const char *path, const char *checksum,
                                    const struct l2r_metadatum *metadata, size_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *object = json_object();
    char room[L2R_CHECKSUM_TEXT];
    l2r_checksum_text(room, 0, 0);
    if (!object || json_object_set_new(object, "xxh3", json_string(checksum)) != 0 ||
        json_object_set_new(object, "xxh3_header", json_string(room)) != 0)
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the header of %s", path);
    for (size_t i = 0; i < n; i++) {
        if (json_object_get(object, metadata[i].key))
            L2R_FAIL(L2R_ERR_ARGUMENT, "%s: metadata \"%s\" is given twice or reserved", path, metadata[i].key);
        char what[100];
        snprintf(what, sizeof what, "metadata \"%.80s\"", metadata[i].key);
        if (json_object_set_new(object, metadata[i].key, json_string(metadata[i].text)) != 0)
            L2R_TRY(refused_text(metadata[i].text, path, what, error));
    }
    if (json_object_set(header, "__metadata__", object) != 0)
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the header of %s", path);
done:
    json_decref(object);
    return status;
}

/* Adds the entry of one tensor, which starts at *offset; moves *offset past it. */
static enum l2r_status add_tensor(json_t *header, uint64_t *offset, const char *path, const struct l2r_tensor *t,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *shape = json_array(), *entry = NULL;
    size_t bytes = l2r_tensor_bytes(t);
    uint64_t begin = *offset;
    if (bytes > INT64_MAX - begin)
        L2R_FAIL(L2R_ERR_ARGUMENT, "%s: tensor \"%s\" has no valid shape (at most %d dimensions, none negative)", path,
                 t->name, L2R_TENSOR_DIMS);
    if (json_object_get(header, t->name))
        L2R_FAIL(L2R_ERR_ARGUMENT, "%s: tensor name \"%s\" is given twice or reserved", path, t->name);
    for (int32_t d = 0; d < t->n_dims; d++) {
        if (json_array_append_new(shape, json_integer(t->shape[d])) != 0)
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the header of %s", path);
    }
    *offset += bytes;
    entry = json_pack("{s:s, s:O, s:[I, I]}", "dtype", l2r_dtype_name(t->dtype), "shape", shape, "data_offsets",
                      (json_int_t)begin, (json_int_t)*offset);
    if (!entry) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the header of %s", path);
    if (json_object_set(header, t->name, entry) != 0) status = refused_text(t->name, path, "a tensor's name", error);
done:
    json_decref(shape);
    json_decref(entry);
    return status;
}

/* The header as text, padded, with its checksum. */
static enum l2r_status header_text(char **text, size_t *length, const json_t *header, const char *path,
                                   struct l2r_error *error)
{
    size_t needed = json_dumpb(header, NULL, 0, JSON_COMPACT);
    *length = (needed + 7) / 8 * 8;
    *text = l2r_alloc_raw(*length, 1);
    if (needed == 0 || !*text) return l2r_fail_memory(error, *length, path);
    memset(*text, ' ', *length);
    if (json_dumpb(header, *text, needed, JSON_COMPACT) != needed) return l2r_fail_memory(error, 0, path);
    /* The first occurrence is the real one: __metadata__ comes first in the header, and this key before the caller's.
     * */
    const char *key = memmem(*text, *length, L2R_HEADER_KEY, strlen(L2R_HEADER_KEY));
    size_t at = (size_t)(key - *text) + strlen(L2R_HEADER_KEY);
    char digits[L2R_CHECKSUM_TEXT];
    if (!l2r_checksum_header(digits, *text, *length, at)) return l2r_fail_memory(error, 0, path);
    memcpy(*text + at, digits, sizeof digits - 1);
    return L2R_OK;
}

enum l2r_status l2r_safetensors_write(const char *path, const struct l2r_tensor *tensors, size_t n_tensors,
                                      const struct l2r_metadatum *metadata, size_t n_metadata, struct l2r_error *error)
{
    return l2r_safetensors_replace(path, NULL, tensors, n_tensors, metadata, n_metadata, error);
}

enum l2r_status l2r_safetensors_checksum(char checksum[L2R_CHECKSUM_TEXT], const struct l2r_tensor *tensors,
                                         size_t n_tensors, struct l2r_error *error)
{
    const struct l2r_tensor **ordered = l2r_alloc_raw(n_tensors, sizeof(struct l2r_tensor *));
    if (!ordered) return l2r_fail_memory(error, n_tensors * sizeof *ordered, "a checksum");
    order_tensors(ordered, tensors, n_tensors);
    enum l2r_status status = hash_tensors(checksum, ordered, n_tensors, error);
    l2r_free(ordered);
    return status;
}

/* What a file consists of: its header and the tensors in their order. */
struct image {
    const struct l2r_tensor **ordered; /* [n] */
    size_t n, length;                  /* tensors; bytes of the header */
    char *text;                        /* [length]: the header */
    uint64_t data;                     /* bytes of the tensors */
};

static void image_clear(struct image *image)
{
    l2r_free(image->ordered);
    l2r_free(image->text);
}

/* `path` names it in errors. To be cleared, after a failure too. */
static enum l2r_status image_make(struct image *image, const char *path, const struct l2r_tensor *tensors,
                                  size_t n_tensors, const struct l2r_metadatum *metadata, size_t n_metadata,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char digits[L2R_CHECKSUM_TEXT];
    json_t *header = json_object();
    *image = (struct image){.ordered = l2r_alloc_raw(n_tensors, sizeof(struct l2r_tensor *)), .n = n_tensors};
    if (!image->ordered || !header) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the header of %s", path);
    order_tensors(image->ordered, tensors, n_tensors);
    /* The empty entry keeps the name taken and first; the hash waits until the shapes are known to be sound. */
    if (json_object_set_new(header, "__metadata__", json_object()) != 0)
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the header of %s", path);
    for (size_t i = 0; i < n_tensors; i++) L2R_TRY(add_tensor(header, &image->data, path, image->ordered[i], error));
    L2R_TRY(hash_tensors(digits, image->ordered, n_tensors, error));
    L2R_TRY(add_metadata(header, path, digits, metadata, n_metadata, error));
    L2R_TRY(header_text(&image->text, &image->length, header, path, error));
done:
    json_decref(header);
    return status;
}

enum l2r_status l2r_safetensors_replace(const char *path, const char *keep, const struct l2r_tensor *tensors,
                                        size_t n_tensors, const struct l2r_metadatum *metadata, size_t n_metadata,
                                        struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_atomic writer = {.stream = NULL};
    struct image image;
    L2R_TRY(image_make(&image, path, tensors, n_tensors, metadata, n_metadata, error));
    L2R_TRY(l2r_atomic_open(&writer, path, error));
    writer.keep = keep;
    uint64_t announced = image.length;
    fwrite(&announced, sizeof announced, 1, writer.stream);
    fwrite(image.text, 1, image.length, writer.stream);
    for (size_t i = 0; i < image.n; i++) {
        size_t bytes = l2r_tensor_bytes(image.ordered[i]);
        if (bytes > 0) fwrite(image.ordered[i]->data, 1, bytes, writer.stream);
    }
done:
    status = l2r_atomic_close(&writer, status, error); /* sees a short write by the stream's error flag */
    image_clear(&image);
    return status;
}

enum l2r_status l2r_safetensors_pack(void **packed, size_t *n_packed, const struct l2r_tensor *tensors,
                                     size_t n_tensors, const struct l2r_metadatum *metadata, size_t n_metadata,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct image image;
    L2R_TRY(image_make(&image, "a model in memory", tensors, n_tensors, metadata, n_metadata, error));
    uint64_t announced = image.length;
    size_t n = sizeof announced + image.length + (size_t)image.data;
    char *at = l2r_alloc_raw(n, 1);
    if (!at) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: %zu bytes were needed for a model", n);
    *packed = at;
    *n_packed = n;
    memcpy(at, &announced, sizeof announced);
    memcpy(at + sizeof announced, image.text, image.length);
    at += sizeof announced + image.length;
    for (size_t i = 0; i < image.n; i++) {
        size_t bytes = l2r_tensor_bytes(image.ordered[i]);
        if (bytes > 0) memcpy(at, image.ordered[i]->data, bytes);
        at += bytes;
    }
done:
    image_clear(&image);
    return status;
}
