/* SPDX-License-Identifier: MIT
 *
 * Any bytes as an event file that lies in the folder of a run: it is never written to, and removed only if its first
 * record names the run. With the lowest bit of byte 0 set, the rest are records, each a byte of length before it, that
 * get the lengths and checksums of real ones.
 */
#include "store/events.h"
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

/* The path of the file that a run of this identity begins and ends. */
static void add_file(char path[400], const char *run)
{
    struct l2r_events *events = NULL;
    struct l2r_error error = {0};
    if (l2r_events_open(&events, folder, run, &error) != L2R_OK) abort();
    if (l2r_events_scalar(events, "valid/loss", 1, 0.5, &error) != L2R_OK) abort();
    if (snprintf(path, 400, "%s", l2r_events_path(events)) >= 400) abort();
    if (l2r_events_close(events, &error) != L2R_OK) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char own[400], other[400], again[400];
    struct stat info;
    if (size == 0) return 0;
    make_folder();
    empty_folder();
    write_input(data, size);
    add_file(own, "00000000000000aa");
    add_file(other, "00000000000000bb");
    if (unlink(own) != 0 || unlink(other) != 0) abort(); /* new files, not the one that lay there */
    add_file(own, "00000000000000aa");
    add_file(again, "00000000000000aa");
    if (strcmp(own, again) != 0 && stat(own, &info) == 0) abort(); /* what the run had written before */
    return 0;
}
