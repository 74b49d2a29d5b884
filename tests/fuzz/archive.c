/* SPDX-License-Identifier: MIT
 *
 * Any bytes as an archive: refused with a sentence, or every entry can be read to its end, and the archive can be
 * checked. Text of sections (sections.h) is packed into a zip first, so that names and contents are tried behind sound
 * checksums.
 */
#include "io/source.h"
#include "io/unpack.h"
#include "memory_file.h"
#include "refusal.h"
#include "sections.h"

#include <archive.h>
#include <archive_entry.h>

enum { MOST_PACKED = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void pack_entry(struct archive *out, const struct l2r_memory_file *file)
{
    struct archive_entry *entry = archive_entry_new();
    bool link = file->name[0] == '@'; /* "#@name": a symbolic link */
    archive_entry_set_pathname(entry, file->name + link);
    archive_entry_set_filetype(entry, link ? AE_IFLNK : AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, link ? 0 : (la_int64_t)file->size);
    if (link) archive_entry_set_symlink(entry, "target");
    if (archive_write_header(out, entry) == ARCHIVE_OK && !link) (void)archive_write_data(out, file->bytes, file->size);
    archive_entry_free(entry);
}

static struct memory_file pack(const struct sections *sections)
{
    static uint8_t packed[MOST_PACKED];
    size_t used = 0;
    struct archive *out = archive_write_new();
    if (!out || archive_write_set_format_zip(out) != ARCHIVE_OK ||
        archive_write_set_bytes_per_block(out, 1) != ARCHIVE_OK ||
        archive_write_open_memory(out, packed, sizeof packed, &used) != ARCHIVE_OK)
        abort();
    for (size_t i = 0; i < sections->n; i++) pack_entry(out, &sections->files[i]);
    (void)archive_write_close(out);
    (void)archive_write_free(out);
    return memory_file_new(packed, used);
}

static void read_entry(const struct l2r_source *source, const struct l2r_entry *entry)
{
    struct l2r_error error = {0};
    struct l2r_stream *stream;
    char bytes[512];
    size_t got = 0;
    enum l2r_status status = l2r_stream_open(&stream, source, entry, false, &error);
    while (status == L2R_OK && (status = l2r_stream_read(stream, bytes, sizeof bytes, &got, &error)) == L2R_OK)
        if (got == 0) break;
    if (status != L2R_OK) expect_refusal(&error);
    l2r_stream_free(stream);
}

static void read_source(const char *path)
{
    struct l2r_error error = {0};
    struct l2r_source *source;
    if (l2r_source_open(&source, path, &error) != L2R_OK) {
        expect_refusal(&error);
        return;
    }
    for (size_t i = 0; i < source->n_entries; i++) {
        const char *name = source->entries[i].name;
        if (name[0] == '/' || name[0] == '.' || strstr(name, "/.") || strstr(name, "//")) abort();
        read_entry(source, &source->entries[i]);
    }
    for (size_t i = 0; l2r_readers[i]; i++) (void)l2r_readers[i]->recognise(source);
    l2r_source_free(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct l2r_archive_limits limits = {
        .max_bytes = 1 << 20, .max_ratio = 200, .grace = 1 << 12, .max_entries = 64};
    struct l2r_error error = {0};
    struct sections sections;
    sections_split(&sections, data, size);
    struct memory_file file = sections.n > 0 ? pack(&sections) : memory_file_new(data, size);
    read_source(file.path);
    const struct l2r_unpack check = {.archive = file.path, .limits = &limits};
    if (l2r_unpack(&check, &error) != L2R_OK) expect_refusal(&error);
    close(file.file);
    return 0;
}
