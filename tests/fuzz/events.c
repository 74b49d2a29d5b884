/* SPDX-License-Identifier: MIT
 *
 * Any bytes as an event file that a run goes on with: what is sound of it is kept, one point is added, and what was
 * written can be continued again without a loss. Byte 0 is the step that the run resumes from; with its lowest bit set,
 * the rest are records, each a byte of length before it, that get the lengths and checksums of real ones.
 */
#include "train/events.h"
#include "base/memory.h"
#include "io/file.h"
#include "refusal.h"
#include "support/temporary.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[TEMPORARY_LENGTH];

static void empty_folder(void)
{
    char path[400];
    DIR *dir = opendir(folder);
    if (!dir) abort();
    for (const struct dirent *item; (item = readdir(dir));)
        if (snprintf(path, sizeof path, "%s/%s", folder, item->d_name) > 0) (void)unlink(path);
    closedir(dir);
}

static void make_folder(void)
{
    if (!folder[0] && !temporary_folder_in_memory(folder)) abort();
}

static void put(FILE *file, const void *bytes, size_t n)
{
    uint64_t length = n;
    uint32_t head = l2r_crc32c_masked(&length, sizeof length), body = l2r_crc32c_masked(bytes, n);
    fwrite(&length, 1, sizeof length, file);
    fwrite(&head, 1, sizeof head, file);
    fwrite(bytes, 1, n, file);
    fwrite(&body, 1, sizeof body, file);
}

static void write_input(const uint8_t *data, size_t size)
{
    char path[400];
    snprintf(path, sizeof path, "%s/events.out.tfevents.1700000000.host.l2r", folder);
    FILE *file = fopen(path, "wb");
    if (!file) abort();
    if (!(data[0] & 1)) fwrite(data + 1, 1, size - 1, file);
    for (size_t at = 1; data[0] & 1 && at < size;) {
        size_t n = data[at] < size - at - 1 ? data[at] : size - at - 1;
        put(file, data + at + 1, n);
        at += 1 + n;
    }
    fclose(file);
}

static int64_t add_point(int64_t step)
{
    struct l2r_events *events = NULL;
    struct l2r_error error = {0};
    struct stat info;
    if (l2r_events_open(&events, folder, "", step, &error) != L2R_OK) {
        expect_refusal(&error);
        return -1;
    }
    if (l2r_events_scalar(events, "valid/loss", step, 0.5, &error) != L2R_OK ||
        l2r_events_flush(events, &error) != L2R_OK || stat(l2r_events_path(events), &info) != 0)
        abort();
    if (l2r_events_close(events, &error) != L2R_OK) abort();
    return info.st_size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    make_folder();
    empty_folder();
    write_input(data, size);
    int64_t step = 1 + (data[0] >> 1), first = add_point(step);
    if (first < 0) return 0;
    int64_t second = add_point(step + 1);
    if (second <= first) abort(); /* the point before it, and all that was kept, is still there */
    return 0;
}
