/* SPDX-License-Identifier: MIT
 *
 * Any texts as the model file of a committee, which holds the files of its members: refused with a sentence, or a
 * committee whose answers are finite or refused. Each section of the input (sections.h) is a file in the way of
 * tensor_file.h, a JSON header, a line feed, the data: the first is the committee's, the others are put into it as its
 * members.
 *
 *     #first
 *     {"__metadata__":{…},"head.weight":{…}}
 *     (bytes)
 *     #member
 *     …
 */
#include "data/dataset.h"
#include "predict/predictor.h"
#include "refusal.h"
#include "sections.h"
#include "tensor_file.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_MEMBERS = 3, LARGEST = 1 << 17 };

/* Three small graphs; a model of other data must say so. */
static const struct l2r_dataset *graphs(void)
{
    static struct l2r_dataset *set;
    if (!set && l2r_dataset_load(&set, "motif:train=1,valid=1,test=1,features=0", false, NULL) != L2R_OK) abort();
    return set;
}

/* The text as a file: length, header, data. `more` goes into the header as further entries. Returns its length. */
static size_t put_file(uint8_t *out, const struct l2r_memory_file *text, const char *more)
{
    const char *line = memchr(text->bytes, '\n', text->size);
    size_t header = line ? (size_t)(line - (const char *)text->bytes) : text->size;
    size_t rest = line ? text->size - header - 1 : 0, extra = strlen(more);
    while (header > 0 && extra > 0 && ((const char *)text->bytes)[header - 1] != '}') header--;
    size_t kept = header > 0 && extra > 0 ? header - 1 : header;
    uint64_t length = kept + (header > 0 ? extra : 0);
    memcpy(out, &length, sizeof length);
    memcpy(out + 8, text->bytes, kept);
    if (header > 0) memcpy(out + 8 + kept, more, extra);
    if (rest > 0) memcpy(out + 8 + length, line + 1, rest);
    return 8 + (size_t)length + rest;
}

static size_t assemble(uint8_t *file, const struct sections *s)
{
    static uint8_t members[LARGEST];
    char entries[600] = "";
    const struct l2r_memory_file *first = &s->files[0];
    const char *line = memchr(first->bytes, '\n', first->size);
    size_t used = 0, before = line ? first->size - (size_t)(line + 1 - (const char *)first->bytes) : 0;
    for (size_t k = 1; k < s->n && k <= MOST_MEMBERS; k++) {
        size_t n = put_file(members + used, &s->files[k], ""), at = strlen(entries);
        snprintf(entries + at, sizeof entries - at,
                 ",\"member.%zu\":{\"dtype\":\"U8\",\"shape\":[%zu],\"data_offsets\":[%zu,%zu]}", k + 1, n,
                 before + used, before + used + n);
        used += n;
    }
    if (entries[0]) strcat(entries, "}");
    size_t n = put_file(file, first, entries);
    memcpy(file + n, members, used);
    return n + used;
}

static void ask(struct l2r_predictor *p)
{
    struct l2r_error error = {0};
    const int32_t which[] = {0, 1, 2};
    int64_t n = 3 * (int64_t)l2r_predictor_outputs(p);
    float *output = calloc((size_t)n, sizeof *output);
    if (!output) abort();
    if (l2r_predictor_score(output, p, graphs(), which, 3, &error) != L2R_OK)
        expect_refusal(&error);
    else
        for (int64_t i = 0; i < n; i++)
            if (!isfinite(output[i])) abort();
    free(output);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t file[2 * LARGEST];
    struct sections sections;
    struct l2r_error error = {0};
    struct l2r_predictor *p = NULL;
    if (size > LARGEST / 2) return 0;
    sections_split(&sections, data, size);
    if (sections.n == 0) return 0;
    for (size_t k = 0; k + 1 < sections.n; k++)
        if (sections.files[k].size > 0) sections.files[k].size--; /* the line feed before the next */
    if (l2r_predictor_open_memory(&p, file, assemble(file, &sections), &error) != L2R_OK)
        expect_refusal(&error);
    else
        ask(p);
    l2r_predictor_free(p);
    return 0;
}
