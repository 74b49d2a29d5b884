/* SPDX-License-Identifier: MIT
 *
 * Any bytes as the pickle of a chemprop checkpoint, with storages of plain numbers beside it: it is refused with a
 * sentence, or becomes a network all of whose numbers are there. Memory and time stay bounded.
 */
#include "io/pickle.h"
#include "model/chemprop.h"
#include "refusal.h"

#include <archive.h>
#include <archive_entry.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STORAGES = 20, NUMBERS = 700, MOST = 1 << 16 };

static void put(struct archive *out, const char *name, const void *bytes, size_t size)
{
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_size(entry, (la_int64_t)size);
    archive_entry_set_perm(entry, 0644);
    if (archive_write_header(out, entry) != ARCHIVE_OK) abort();
    if (archive_write_data(out, bytes, size) != (la_ssize_t)size) abort();
    archive_entry_free(entry);
}

/* The file around the pickle. */
static size_t wrap(char *zip, size_t room, const uint8_t *data, size_t size)
{
    static float numbers[NUMBERS];
    struct archive *out = archive_write_new();
    size_t used = 0;
    char name[32];
    for (int i = 0; i < NUMBERS; i++) numbers[i] = (float)(i % 17 - 8) / 16;
    archive_write_set_format_zip(out);
    archive_write_set_options(out, "zip:compression=store");
    if (archive_write_open_memory(out, zip, room, &used) != ARCHIVE_OK) abort();
    put(out, "m/data.pkl", data, size);
    for (int i = 0; i < STORAGES; i++) {
        snprintf(name, sizeof name, "m/data/%d", i);
        put(out, name, numbers, sizeof numbers);
    }
    archive_write_close(out);
    archive_write_free(out);
    return used;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char zip[MOST + STORAGES * (sizeof(float) * NUMBERS + 512) + 4096];
    struct l2r_member *member;
    struct l2r_error error = {0};
    if (size > MOST) return 0;
    if (l2r_chemprop_read(&member, zip, wrap(zip, sizeof zip, data, size), "input", &error) != L2R_OK) {
        if (member || strncmp(error.message, "input:", 6) != 0) abort();
        expect_refusal(&error);
        return 0;
    }
    const struct l2r_params *p = &member->network.params;
    for (int64_t i = 0; i < p->n_trainable; i++)
        if (!isfinite((double)p->value[i])) abort();
    l2r_member_free(member);
    return 0;
}
