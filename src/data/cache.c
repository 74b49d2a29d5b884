/* SPDX-License-Identifier: MIT
 * See cache.h. Everything in a file is checked before use, in this order: size, magic and versions, checksum of the
 * header, counts against the size, checksum of the block, every index in the block. */
#include "data/cache.h"

#include "base/memory.h"
#include "base/system.h"
#include "data/block.h"
#include "data/dataset.h"
#include "data/features.h"
#include "io/file.h"
#include "io/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* VERSION changes whenever the layout, or the result of a reader, changes. Files that users keep have had the same
 * layout since LAYOUT. */
enum { VERSION = 10, LAYOUT = 7, BYTE_ORDER_MARK = 0x01020304 };
static const char magic[8] = "l2rcache";
#define SAVED UINT64_C(0x6c3272736176) /* the fingerprint of files that users keep: of no source */

/* A whole number of 64-byte lines, so that the block after it is aligned. */
union header {
    struct {
        char magic[8];
        uint32_t version, byte_order;
        uint32_t header_bytes, shape_bytes;
        uint64_t fingerprint;
        uint64_t block_bytes, block_hash;
        struct l2r_shape shape;
    } is;
    struct {
        char bytes[504]; /* all of the above, then zeros */
        uint64_t hash;   /* of these bytes */
    } whole;
};
_Static_assert(sizeof(union header) % L2R_ALIGNMENT == 0, "the block must be aligned");

bool l2r_cache_dir(char *out, size_t size)
{
    const char *own = getenv("L2R_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = -1;
    if (own && *own)
        length = snprintf(out, size, "%s", own);
    else if (xdg && *xdg)
        length = snprintf(out, size, "%s/l2r", xdg);
    else if (home && *home)
        length = snprintf(out, size, "%s/.cache/l2r", home);
    return length > 0 && (size_t)length < size;
}

bool l2r_cache_path(char *out, size_t size, const struct l2r_source *source, const char *reader, const char *options)
{
    char dir[4096], absolute[PATH_MAX];
    if (!l2r_cache_dir(dir, sizeof dir) || !realpath(source->path, absolute)) return false;
    uint64_t hash = XXH3_64bits(absolute, strlen(absolute));
    hash = XXH3_64bits_withSeed(reader, strlen(reader), hash);
    if (*options) hash = XXH3_64bits_withSeed(options, strlen(options), hash);
    int length = snprintf(out, size, "%s/%s-%016llx.l2rcache", dir, reader, (unsigned long long)hash);
    return length > 0 && (size_t)length < size;
}

static uint64_t header_hash(const union header *header)
{
    return XXH3_64bits(header->whole.bytes, sizeof header->whole.bytes);
}

static union header make_header(const struct l2r_dataset *data, uint64_t fingerprint, size_t bytes, uint64_t hash)
{
    union header h;
    memset(&h, 0, sizeof h);
    memcpy(h.is.magic, magic, sizeof magic);
    h.is.version = VERSION;
    h.is.byte_order = BYTE_ORDER_MARK;
    h.is.header_bytes = sizeof h;
    h.is.shape_bytes = sizeof h.is.shape;
    h.is.fingerprint = fingerprint;
    h.is.block_bytes = bytes;
    h.is.block_hash = hash;
    h.is.shape = l2r_block_shape(data);
    h.whole.hash = header_hash(&h);
    return h;
}

static bool header_fits(const union header *h, uint64_t fingerprint, size_t file_bytes)
{
    size_t bytes;
    return memcmp(h->is.magic, magic, sizeof magic) == 0 && h->is.version <= VERSION &&
           h->is.version >= (fingerprint == SAVED ? LAYOUT : VERSION) && h->is.byte_order == BYTE_ORDER_MARK &&
           h->is.header_bytes == sizeof *h && h->is.shape_bytes == sizeof h->is.shape &&
           h->whole.hash == header_hash(h) && h->is.fingerprint == fingerprint &&
           l2r_block_size(&bytes, &h->is.shape) && bytes == h->is.block_bytes && bytes > 0 && file_bytes > sizeof *h &&
           bytes == file_bytes - sizeof *h;
}

static bool block_fits(struct l2r_dataset *data, const union header *h, void *block)
{
    if (XXH3_64bits(block, (size_t)h->is.block_bytes) != h->is.block_hash) return false;
    l2r_block_bind(data, &h->is.shape, block);
    return l2r_dataset_check_ranges(data, NULL) == L2R_OK;
}

static bool read_bytes(int file, void *out, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t more = l2r_sys_read(file, (char *)out + done, n - done);
        if (more <= 0) return false;
        done += (size_t)more;
    }
    return true;
}

/* The block into fresh pages. The range of zeros is skipped, and its pages take no memory. */
static void *read_block(int file, const union header *h)
{
    size_t begin, end, bytes = (size_t)h->is.block_bytes;
    char *block = l2r_sys_pages(bytes);
    if (block == MAP_FAILED) return NULL;
    l2r_large_pages(block, bytes);
    l2r_block_zeros(&begin, &end, &h->is.shape);
    if (read_bytes(file, block, begin) && lseek(file, (off_t)(sizeof *h + end), SEEK_SET) >= 0 &&
        read_bytes(file, block + end, bytes - end))
        return block;
    munmap(block, bytes);
    return NULL;
}

struct l2r_dataset *l2r_cache_load(const char *path, uint64_t fingerprint)
{
    struct l2r_dataset *data = NULL;
    union header header;
    void *block = NULL;
    struct stat info = {0};
    int file = l2r_sys_open(path, O_RDONLY | O_NONBLOCK);
    if (file < 0 || fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) goto done;
    if (!read_bytes(file, &header, sizeof header) || !header_fits(&header, fingerprint, (size_t)info.st_size))
        goto done;
    data = l2r_dataset_new();
    block = data ? read_block(file, &header) : NULL;
    if (block && block_fits(data, &header, block)) {
        data->block = block;
        data->block_size = (size_t)header.is.block_bytes;
        data->cached = true;
    } else {
        if (block) munmap(block, (size_t)header.is.block_bytes);
        l2r_dataset_free(data);
        data = NULL;
    }
done:
    if (file >= 0) (void)l2r_sys_close(file);
    return data;
}

/* The range of zeros becomes a hole: it takes no place on the disk. */
static bool write_block(FILE *stream, const struct l2r_dataset *data, const char *block, size_t bytes)
{
    size_t begin, end;
    struct l2r_shape shape = l2r_block_shape(data);
    l2r_block_zeros(&begin, &end, &shape);
    return fwrite(block, 1, begin, stream) == begin && fseek(stream, (long)(end - begin), SEEK_CUR) == 0 &&
           fwrite(block + end, 1, bytes - end, stream) == bytes - end;
}

static enum l2r_status write_file(struct l2r_atomic *writer, const struct l2r_dataset *data, const void *block,
                                  size_t bytes, uint64_t fingerprint, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const union header header = make_header(data, fingerprint, bytes, XXH3_64bits(block, bytes));
    if (fwrite(&header, sizeof header, 1, writer->stream) != 1 || !write_block(writer->stream, data, block, bytes))
        status = l2r_fail(error, L2R_ERR_IO, "%s: cannot be written: %s", writer->path, strerror(errno));
    return l2r_atomic_close(writer, status, error);
}

bool l2r_cache_store(const struct l2r_dataset *data, const char *path, uint64_t fingerprint)
{
    struct l2r_atomic writer;
    char dir[4096];
    const char *slash = strrchr(path, '/');
    if (data->cached || data->shared || !slash || (size_t)(slash - path) >= sizeof dir) return false;
    memcpy(dir, path, (size_t)(slash - path));
    dir[slash - path] = '\0';
    l2r_remove_litter(dir);
    if (l2r_make_dirs(dir, NULL) != L2R_OK || l2r_atomic_open(&writer, path, NULL) != L2R_OK) return false;
    return write_file(&writer, data, data->block, data->block_size, fingerprint, NULL) == L2R_OK;
}

enum l2r_status l2r_cache_save(const struct l2r_dataset *data, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_atomic writer;
    struct l2r_dataset *whole = NULL; /* in one block */
    const struct l2r_shape shape = l2r_block_shape(data);
    if (data->shared) L2R_TRY(l2r_block_remake(&whole, &shape, data, error));
    L2R_TRY(l2r_atomic_open(&writer, path, error));
    if (whole) data = whole;
    L2R_TRY(write_file(&writer, data, data->block, data->block_size, SAVED, error));
done:
    l2r_dataset_free(whole);
    return status;
}

bool l2r_cache_recognise(const char *path)
{
    char found[sizeof magic];
    int fd = l2r_path_is_file(path) ? l2r_sys_open(path, O_RDONLY) : -1;
    bool same =
        fd >= 0 && read(fd, found, sizeof found) == (ssize_t)sizeof found && memcmp(found, magic, sizeof magic) == 0;
    if (fd >= 0) (void)l2r_sys_close(fd);
    return same;
}

enum l2r_status l2r_cache_open(struct l2r_dataset **data, const char *path, struct l2r_error *error)
{
    *data = l2r_cache_load(path, SAVED);
    if (*data) return L2R_OK;
    return l2r_fail(error, L2R_ERR_FORMAT,
                    "%s: this saved data set is damaged, or of another version of l2r; save it again", path);
}
