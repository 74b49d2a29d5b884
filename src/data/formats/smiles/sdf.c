/* SPDX-License-Identifier: MIT
 *
 * SD files as tables (smiles.h). A file is a list of records:
 *
 *     aspirin                  name                       smiles,name,LogP
 *       …                      mol block, to M  END       CC(=O)Oc1ccccc1C(=O)O,aspirin,1.19
 *     > <LogP>                 property: its value                    ▲
 *     1.19                     ends with an empty line                │ RDKit, all threads
 *                                                          mol block ─┘
 *     $$$$                     end of the record
 *
 * The table is made once, in memory, where it takes a tenth of the file; from then on everything is as for any table.
 */
#include "data/formats/smiles/smiles.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/threads.h"
#include "base/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
enum { READ_AT_ONCE = 1 << 10 };
#else
enum { READ_AT_ONCE = 1 << 18 };
#endif
enum { RECORDS_AT_ONCE = 32, MOST_PROPERTIES = 100000 };

/* One property of one record: pieces of the file's text. */
struct item {
    int32_t property; /* column */
    const char *text;
    size_t length;
};

struct record {
    int64_t line;
    const char *name, *block; /* name: the first line of the block */
    size_t name_length, block_length;
    size_t first_item, n_items;
    char *smiles, *problem;
};

struct reading {
    char *bytes;
    size_t length;
    struct l2r_array records, items; /* struct record, struct item */
    struct l2r_distinct_texts properties;
    bool out_of_memory; /* on some thread */
    struct l2r_watched loop;
};

bool l2r_sdf_recognise(const char *name)
{
    return l2r_source_ends_with(name, ".sdf") || l2r_source_ends_with(name, ".sd");
}

static enum l2r_status read_bytes(struct reading *r, const struct l2r_source *source, const struct l2r_entry *entry,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_stream *stream = NULL;
    struct l2r_error reason = {0};
    size_t capacity = 0, got = 1;
    status = l2r_stream_open(&stream, source, entry, true, &reason);
    while (status == L2R_OK && got > 0) {
        if (!l2r_reserve((void **)&r->bytes, &capacity, r->length + READ_AT_ONCE, 1))
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory: %s", source->path);
        status = l2r_stream_read(stream, r->bytes + r->length, capacity - r->length, &got, &reason);
        r->length += status == L2R_OK ? got : 0;
    }
    if (status != L2R_OK) L2R_FAIL(status, "%s: %s", source->path, reason.message);
done:
    l2r_stream_free(stream);
    return status;
}

/* The line at *at, without its end; *at moves to the next. False: there is none. */
static bool next_line(const char **line, size_t *length, const char **at, const char *stop)
{
    if (*at >= stop) return false;
    const char *feed = memchr(*at, '\n', (size_t)(stop - *at));
    *line = *at;
    *length = (size_t)((feed ? feed : stop) - *at);
    *at = feed ? feed + 1 : stop;
    if (*length > 0 && (*line)[*length - 1] == '\r') --*length;
    return true;
}

static bool begins(const char *line, size_t length, const char *with)
{
    return length >= strlen(with) && memcmp(line, with, strlen(with)) == 0;
}

/* "> 25 <LogP> (1)" names the property LogP: its column, -1: the line names none, -2: out of memory. */
static int32_t property_of(struct reading *r, const char *line, size_t length)
{
    char name[256];
    const char *open = memchr(line, '<', length);
    const char *close = open ? memchr(open, '>', (size_t)(line + length - open)) : NULL;
    if (!close || r->properties.n >= MOST_PROPERTIES) return -1;
    snprintf(name, sizeof name, "%.*s", (int)(close - open - 1), open + 1);
    int32_t column = l2r_distinct_texts_add(&r->properties, name);
    return column < 0 ? -2 : column;
}

/* The properties between M  END and $$$$. False: out of memory. */
static bool read_items(struct reading *r, struct record *record, const char **at, const char *stop, int64_t *number)
{
    const char *line;
    size_t length;
    struct item item = {.property = -1};
    while (next_line(&line, &length, at, stop)) {
        ++*number;
        if (begins(line, length, "$$$$")) break;
        if (begins(line, length, ">") && item.property < 0) {
            item = (struct item){.property = property_of(r, line, length)};
            if (item.property == -2) return false;
        } else if (length == 0 && item.property >= 0) {
            if (item.text && !l2r_array_add(&r->items, &item, 1, sizeof item)) return false;
            record->n_items += item.text != NULL;
            item.property = -1;
        } else if (item.property >= 0) {
            if (!item.text) item.text = line;
            item.length = (size_t)(line + length - item.text);
        }
    }
    if (item.property >= 0 && item.text) {
        if (!l2r_array_add(&r->items, &item, 1, sizeof item)) return false;
        record->n_items++;
    }
    return true;
}

static bool is_blank(const char *text, size_t length)
{
    while (length > 0 && strchr(" \t\r\n", text[length - 1]) && text[length - 1]) length--;
    return length == 0;
}

static bool read_records(struct reading *r)
{
    const char *at = r->bytes, *stop = r->bytes + r->length, *line;
    int64_t number = 0;
    size_t length;
    while (at < stop) {
        struct record record = {.line = number + 1, .block = at, .first_item = r->items.n};
        bool ended = false;
        for (int i = 0; !ended && next_line(&line, &length, &at, stop); i++) {
            number++;
            if (i == 0) record.name = line, record.name_length = length;
            record.block_length = (size_t)(at - record.block);
            ended = begins(line, length, "M  END");
            if (begins(line, length, "$$$$")) break;
        }
        if (!ended && is_blank(record.block, record.block_length)) break; /* after the last */
        if (ended && !read_items(r, &record, &at, stop, &number)) return false;
        if (!l2r_array_add(&r->records, &record, 1, sizeof record)) return false;
    }
    return true;
}

/* Each record by itself, so that the result does not depend on the threads. */
static void convert_piece(void *context, int64_t piece)
{
    struct reading *r = context;
    struct record *records = r->records.items;
    int64_t begin, end;
    if (l2r_watched_stop(&r->loop)) return;
    l2r_chunk_range(&begin, &end, (int64_t)r->records.n, RECORDS_AT_ONCE, piece);
    for (int64_t i = begin; i < end; i++) {
        struct l2r_error error = {0};
        if (l2r_molecule_from_block(&records[i].smiles, records[i].block, records[i].block_length, &error) == L2R_OK)
            continue;
        for (char *c = error.message; *c; c++)
            if ((unsigned char)*c < ' ' || *c == 127) *c = ' ';
        records[i].problem = l2r_strdup(error.message);
        if (!records[i].problem) r->out_of_memory = true;
    }
    l2r_watched_add(&r->loop, end - begin);
}

static void write_piece(FILE *out, char delimiter, const char *text, size_t length)
{
    fprintf(out, "%c\"", delimiter);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"') fputc('"', out);
        fputc(text[i] == '\r' || text[i] == '\n' || text[i] == '\0' ? ' ' : text[i], out);
    }
    fputc('"', out);
}

/* The table as text; of several values of a property the last one counts. */
static bool write_table(FILE *out, const struct reading *r)
{
    const struct record *records = r->records.items;
    const struct item *items = r->items.items, **row = NULL;
    size_t columns = (size_t)r->properties.n;
    row = l2r_alloc(columns + 1, sizeof *row);
    if (!row) return false;
    fputs("smiles,name", out);
    for (size_t k = 0; k < columns; k++) l2r_csv_write_text(out, ',', l2r_distinct_text(&r->properties, (int32_t)k));
    fputc('\n', out);
    for (size_t i = 0; i < r->records.n; i++) {
        memset((void *)row, 0, columns * sizeof *row);
        for (size_t k = 0; k < records[i].n_items; k++) {
            const struct item *item = &items[records[i].first_item + k];
            row[item->property] = item;
        }
        l2r_csv_write_first(out, ',', records[i].smiles ? records[i].smiles : "");
        write_piece(out, ',', records[i].name, records[i].name_length);
        for (size_t k = 0; k < columns; k++)
            if (row[k])
                write_piece(out, ',', row[k]->text, row[k]->length);
            else
                fputc(',', out);
        fputc('\n', out);
    }
    l2r_free((void *)row);
    return ferror(out) == 0;
}

/* Lines and problems of the records, after those of the header. */
static bool annotate(struct l2r_sdf *sdf, struct reading *r)
{
    struct record *records = r->records.items;
    sdf->n = (int64_t)r->records.n + 1;
    sdf->lines = l2r_alloc((size_t)sdf->n, sizeof *sdf->lines);
    sdf->problems = l2r_alloc((size_t)sdf->n, sizeof *sdf->problems);
    if (!sdf->lines || !sdf->problems) return false;
    sdf->lines[0] = 1;
    for (size_t i = 0; i < r->records.n; i++) {
        sdf->lines[i + 1] = records[i].line;
        sdf->problems[i + 1] = records[i].problem;
        records[i].problem = NULL;
    }
    return true;
}

static void reading_clear(struct reading *r)
{
    struct record *records = r->records.items;
    for (size_t i = 0; i < r->records.n; i++) {
        l2r_free(records[i].smiles);
        l2r_free(records[i].problem);
    }
    l2r_array_clear(&r->records);
    l2r_array_clear(&r->items);
    l2r_distinct_texts_clear(&r->properties);
    l2r_free(r->bytes);
}

enum l2r_status l2r_sdf_read(struct l2r_sdf **out, const struct l2r_source *source, const struct l2r_entry *entry,
                             struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct reading r = {0};
    FILE *stream = NULL;
    size_t size = 0;
    struct l2r_sdf *sdf = *out = l2r_alloc(1, sizeof *sdf);
    if (!sdf) return l2r_fail_memory(error, sizeof *sdf, "an SD file");
    L2R_TRY(read_bytes(&r, source, entry, error));
    if (!read_records(&r)) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: %s", source->path);
    if (r.records.n == 0) L2R_FAIL(L2R_ERR_FORMAT, "%s: the SD file holds no molecule", source->path);
    l2r_watched_begin(&r.loop, "records read", (int64_t)r.records.n);
    l2r_parallel(l2r_chunk_count((int64_t)r.records.n, RECORDS_AT_ONCE), convert_piece, &r);
    L2R_TRY(l2r_watched_end(&r.loop, L2R_OK, error));
    stream = open_memstream(&sdf->text, &size);
    bool made = stream && write_table(stream, &r) && !r.out_of_memory && annotate(sdf, &r);
    if (stream && fclose(stream) != 0) made = false;
    if (!made) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: %s", source->path);
    const struct l2r_memory_file file = {"table.csv", sdf->text, size};
    L2R_TRY(l2r_source_from_memory(&sdf->source, source->path, &file, 1, error));
done:
    reading_clear(&r);
    if (status != L2R_OK) {
        l2r_sdf_free(sdf);
        *out = NULL;
    }
    return status;
}

void l2r_sdf_free(struct l2r_sdf *sdf)
{
    if (!sdf) return;
    for (int64_t i = 0; sdf->problems && i < sdf->n; i++) l2r_free(sdf->problems[i]);
    l2r_free((void *)sdf->problems);
    l2r_free(sdf->lines);
    l2r_source_free(sdf->source);
    free(sdf->text); /* open_memstream's */
    l2r_free(sdf);
}
