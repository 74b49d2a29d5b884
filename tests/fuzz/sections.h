/* SPDX-License-Identifier: MIT
 *
 * One fuzz input as a folder of files in memory: a line "#NAME" begins the file NAME.
 *
 *     #T_A.txt
 *     1, 2
 *     #T_graph_labels.txt
 *     1
 */
#ifndef L2R_FUZZ_SECTIONS_H
#define L2R_FUZZ_SECTIONS_H

#include "data/dataset.h"
#include "data/reader.h"
#include "io/source.h"
#include "refusal.h"

#include <stdlib.h>
#include <string.h>

enum { SECTIONS = 16, NAME_SIZE = 64 };

struct sections {
    struct l2r_memory_file files[SECTIONS];
    char names[SECTIONS][NAME_SIZE];
    size_t n;
};

static inline void sections_split(struct sections *out, const uint8_t *data, size_t size)
{
    const char *at = (const char *)data, *end = at + size;
    out->n = 0;
    while (at < end && *at == '#' && out->n < SECTIONS) {
        const char *line = memchr(at, '\n', (size_t)(end - at)), *stop;
        if (!line) return;
        size_t length = (size_t)(line - at - 1);
        if (length >= NAME_SIZE) length = NAME_SIZE - 1;
        memcpy(out->names[out->n], at + 1, length);
        out->names[out->n][length] = '\0';
        stop = memmem(line, (size_t)(end - line), "\n#", 2);
        const char *next = stop ? stop + 1 : end;
        out->files[out->n] = (struct l2r_memory_file){out->names[out->n], line + 1, (size_t)(next - line - 1)};
        out->n++;
        at = next;
    }
}

/* The reader refuses the files with one sentence, or gives a sound data set. */
static inline void sections_read(const uint8_t *data, size_t size, const struct l2r_reader *reader)
{
    struct sections sections;
    struct l2r_source *source;
    struct l2r_dataset *set = NULL;
    struct l2r_error error = {0};
    sections_split(&sections, data, size);
    if (l2r_source_from_memory(&source, "input", sections.files, sections.n, &error) != L2R_OK) {
        expect_refusal(&error); /* a name that is listed twice */
        return;
    }
    if (reader->recognise(source)) {
        if (reader->read(&set, source, &error) == L2R_OK) {
            if (l2r_dataset_check_ranges(set, &error) != L2R_OK || l2r_dataset_check_symmetry(set, &error) != L2R_OK)
                abort();
        } else {
            if (set) abort();
            expect_refusal(&error);
        }
    }
    l2r_dataset_free(set);
    l2r_source_free(source);
}

#endif
