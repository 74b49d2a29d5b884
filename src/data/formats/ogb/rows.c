/* SPDX-License-Identifier: MIT
 *
 * The tables of ogb.h with a row per node or bond. First the numbering of rows of text, then the tables.
 *
 * Nine atom columns and three bond columns have OGB's fixed vocabularies, so that every molecule set gets the same
 * embedding tables; with any other number of columns a vocabulary ends at the largest value seen. */
#include "data/formats/ogb/ogb.h"

#include "base/memory.h"
#include "base/threads.h"

#include <string.h>

enum { SLOT_BITS = 11, LONGEST = 56 };

/* A slot is one cache line, so that a lookup costs one miss at most. */
struct l2r_row_text {
    char text[LONGEST];
    int32_t number;
    int32_t length; /* 0: free */
};
_Static_assert(sizeof(struct l2r_row_text) == 64, "a slot is a cache line");

bool l2r_row_numbers_init(struct l2r_row_numbers *numbers, int32_t width)
{
    l2r_distinct_init(&numbers->rows, width);
    numbers->texts = l2r_alloc((size_t)1 << SLOT_BITS, sizeof *numbers->texts);
    return numbers->texts != NULL;
}

void l2r_row_numbers_clear(struct l2r_row_numbers *numbers)
{
    l2r_distinct_clear(&numbers->rows);
    l2r_free(numbers->texts);
    numbers->texts = NULL;
}

/* The first `length` bytes, at most 8, of which there may be more. */
static inline uint64_t word(const char *text, size_t length)
{
    uint64_t value;
    memcpy(&value, text, sizeof value);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return length < 8 ? value & ((UINT64_C(1) << 8 * length) - 1) : value;
#else
    return length < 8 ? value >> (64 - 8 * length) : value;
#endif
}

/* Overlapping words from the front, the middle and the end cover every byte of texts up to 24 long; longer ones may
 * share a slot, which costs time only. Length at least 1. Always reads 8 bytes: the buffer of lines has room for that
 * behind its last byte. */
static inline size_t slot_of(const char *text, size_t length)
{
    uint64_t mix = word(text, length) * UINT64_C(0x9e3779b97f4a7c15);
    if (length > 8) mix += word(text + length / 2 - 4, 8) * UINT64_C(0xd6e8feb86659fd93) + word(text + length - 8, 8);
    return (size_t)((mix ^ mix >> 29) * UINT64_C(0xff51afd7ed558ccd) >> (64 - SLOT_BITS));
}

static inline bool same(const char *a, const char *b, size_t length)
{
    size_t i = 0;
    for (; i + 8 < length; i += 8)
        if (word(a + i, 8) != word(b + i, 8)) return false;
    return word(a + i, length - i) == word(b + i, length - i);
}

static inline int32_t find(const struct l2r_row_numbers *numbers, const char *text, size_t length)
{
    const struct l2r_row_text *slot = &numbers->texts[slot_of(text, length)];
    return (size_t)slot->length == length && same(slot->text, text, length) ? slot->number : -1;
}

/* Most rows are as long as the row before them. If there is a line feed at that distance and the text before it is
 * remembered, there is no earlier line feed, because a remembered text contains none: no need to search. */
int64_t l2r_row_numbers_quick(const struct l2r_row_numbers *numbers, struct l2r_lines *lines, int32_t *number,
                              int64_t n)
{
    size_t length = 0;
    int64_t i = 0;
    if (lines->held) return 0;
    for (; i < n; i++) {
        const char *text = lines->buffer + lines->begin;
        size_t left = lines->end - lines->begin;
        int32_t found = length > 0 && length < left && text[length] == '\n' ? find(numbers, text, length) : -1;
        if (found < 0) {
            const char *stop = memchr(text, '\n', left);
            length = stop ? (size_t)(stop - text) : 0;
            if (length > 0) found = find(numbers, text, length);
            if (found < 0) break;
        }
        number[i] = found;
        lines->begin += length + 1;
    }
    lines->number += i;
    return i;
}

void l2r_row_numbers_add(struct l2r_row_numbers *numbers, const char *text, size_t length, int32_t number)
{
    if (length == 0 || length > LONGEST) return;
    struct l2r_row_text *slot = &numbers->texts[slot_of(text, length)];
    slot->number = number;
    slot->length = (int32_t)length;
    memcpy(slot->text, text, length);
}

static const int32_t atoms[] = {119, 5, 12, 12, 10, 6, 6, 2, 2};
static const int32_t bonds[] = {5, 6, 2};
enum {
    N_ATOM_COLUMNS = 9,
    N_BOND_COLUMNS = 3,
    MAX_COLUMNS = 1024,
    MAX_CATEGORY = 1000000,
    STEP = 4096,       /* rows for which room is made at once */
    ROWS_PER_BYTE = 16 /* rows of text that one byte of a packed file may hold */
};

static enum l2r_status open_features(struct l2r_ogb_rows *rows, const struct l2r_ogb_tables *t, const char *name,
                                     const int32_t *vocabulary, int32_t n_fixed, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_entry *entry = l2r_ogb_find(t, "raw", name);
    if (!entry) return L2R_OK;
    L2R_TRY(l2r_lines_open_alone(&rows->lines, t->source, entry, error));
    rows->present = true;
    L2R_TRY(l2r_lines_columns(&rows->lines, &rows->n_columns, MAX_COLUMNS, error));
    if (rows->n_columns == n_fixed) rows->vocabulary = vocabulary;
    if (!l2r_row_numbers_init(&rows->numbers, rows->n_columns))
        status = l2r_fail_memory(error, sizeof rows->numbers, "distinct rows");
done:
    return status;
}

/* Room for `n` more rows. The first time for all announced rows, if the file can hold them: a count in another table
 * must not cause an allocation that the rows could never fill. */
static enum l2r_status make_room(struct l2r_ogb_rows *rows, int64_t n, int64_t promised, struct l2r_error *error)
{
    size_t width = rows->pairs ? 2 : 1, needed = (size_t)(rows->n_rows + n) * width;
    if (!rows->values) {
        int64_t possible = rows->lines.entry->size * ROWS_PER_BYTE;
        if (promised < possible) possible = promised;
        if (possible > n) needed = (size_t)possible * width;
    }
    if (needed <= rows->capacity) return L2R_OK;
    if (!rows->values) { /* exactly: doubling would take half of it for nothing */
        rows->values = l2r_alloc_raw(needed, sizeof *rows->values);
        rows->capacity = rows->values ? needed : 0;
        l2r_large_pages(rows->values, rows->capacity * sizeof *rows->values);
    } else if (!l2r_reserve((void **)&rows->values, &rows->capacity, needed, sizeof *rows->values)) {
        return l2r_fail_memory(error, needed * sizeof *rows->values, "the rows of a table");
    }
    return rows->values ? L2R_OK : l2r_fail_memory(error, needed * sizeof *rows->values, "the rows of a table");
}

/* One row, with all checks; without a fixed vocabulary its values must be below `end`. */
static enum l2r_status read_carefully(int32_t *row, struct l2r_ogb_rows *rows, int64_t end, const char *list,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t values[MAX_COLUMNS];
    bool more;
    L2R_TRY(l2r_lines_ints(&rows->lines, values, rows->n_columns, &more, error));
    if (!more)
        return l2r_lines_fail(&rows->lines, error, "the file ends after %lld rows, but %s.csv.gz counts more",
                              (long long)rows->lines.number, list);
    for (int32_t k = 0; k < rows->n_columns; k++) {
        int64_t limit = rows->vocabulary ? rows->vocabulary[k] : end;
        if (values[k] < 0 || values[k] >= limit)
            return l2r_lines_fail(&rows->lines, error, "value %lld in column %d is outside 0..%lld",
                                  (long long)values[k], (int)k + 1, (long long)limit - 1);
        row[k] = (int32_t)values[k];
    }
done:
    return status;
}

/* The next n bonds, of a graph with `end` nodes. The quick parser stops in front of any line that is not plainly right;
 * that one line goes through read_carefully, which accepts or reports it, and the quick parser goes on after it. */
static enum l2r_status read_pairs(struct l2r_ogb_rows *rows, int64_t n, int64_t end, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int32_t *to = rows->values + 2 * rows->n_rows;
    for (int64_t i = 0; i < n; i++) {
        i += l2r_lines_quick(&rows->lines, to + 2 * i, n - i, 2, (int32_t)end);
        if (i < n) L2R_TRY(read_carefully(to + 2 * i, rows, end, "num-edge-list", error));
    }
done:
    return status;
}

/* The next n feature rows: by their texts where these are remembered, parsed otherwise. */
static enum l2r_status read_features(struct l2r_ogb_rows *rows, int64_t n, const char *list, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int32_t row[MAX_COLUMNS], *to = rows->values + rows->n_rows;
    for (int64_t i = 0; i < n; i++) {
        i += l2r_row_numbers_quick(&rows->numbers, &rows->lines, to + i, n - i);
        if (i == n) break;
        size_t length = 0;
        const char *text = l2r_lines_peek(&rows->lines, &length);
        L2R_TRY(read_carefully(row, rows, MAX_CATEGORY, list, error));
        to[i] = l2r_distinct_add(&rows->numbers.rows, row);
        if (to[i] < 0) return l2r_fail_memory(error, 0, "distinct rows");
        if (text) l2r_row_numbers_add(&rows->numbers, text, length, to[i]);
    }
done:
    return status;
}

static enum l2r_status expect_end(struct l2r_ogb_rows *rows, const char *list, struct l2r_error *error)
{
    enum l2r_status status = l2r_lines_next(&rows->lines, error);
    if (status == L2R_OK && rows->lines.text)
        status = l2r_lines_fail(&rows->lines, error, "the file has more rows than %s.csv.gz counts", list);
    return status;
}

/* A whole table; rows->stopped tells how far it came. */
static enum l2r_status read_table(struct l2r_ogb_rows *rows, const struct l2r_ogb_tables *t, const int64_t *counts,
                                  const char *list, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t promised = 0;
    for (int64_t g = 0; g < t->n_graphs; g++) promised += counts[g];
    for (int64_t *g = &rows->stopped; *g < t->n_graphs; ++*g) {
        for (int64_t left = counts[*g]; left > 0;) {
            int64_t n = left < STEP ? left : STEP;
            L2R_TRY(make_room(rows, n, promised, error));
            L2R_TRY(rows->pairs ? read_pairs(rows, n, t->n_nodes[*g], error) : read_features(rows, n, list, error));
            rows->n_rows += n;
            left -= n;
        }
    }
    L2R_TRY(expect_end(rows, list, error));
done:
    return status;
}

/* One table, on its own thread; status and error stay with the table until all three are done. */
static void read_one(void *context, int64_t which)
{
    struct l2r_ogb_all_rows *all = context;
    const struct l2r_ogb_tables *t = all->tables;
    struct l2r_ogb_rows *rows = which == 0 ? &all->node : which == 1 ? &all->edge : &all->feature;
    if (rows->present)
        rows->status = read_table(rows, t, which == 0 ? t->n_nodes : t->n_edges,
                                  which == 0 ? "num-node-list" : "num-edge-list", &rows->error);
    l2r_lines_close(&rows->lines);
}

enum l2r_status l2r_ogb_rows_read(struct l2r_ogb_all_rows *all, const struct l2r_ogb_tables *t, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_ogb_rows *const order[] = {&all->node, &all->edge, &all->feature}, *first = NULL;
    memset(all, 0, sizeof *all);
    all->tables = t;
    all->edge.present = all->edge.pairs = true;
    all->edge.n_columns = 2;
    const struct l2r_entry *edges;
    L2R_TRY(l2r_ogb_need(&edges, t, "edge", error));
    L2R_TRY(l2r_lines_open_alone(&all->edge.lines, t->source, edges, error));
    L2R_TRY(open_features(&all->node, t, "node-feat", atoms, N_ATOM_COLUMNS, error));
    L2R_TRY(open_features(&all->feature, t, "edge-feat", bonds, N_BOND_COLUMNS, error));
    l2r_parallel(3, read_one, all);
    for (int i = 0; i < 3; i++)
        if (order[i]->status != L2R_OK && (!first || order[i]->stopped < first->stopped)) first = order[i];
    if (first) {
        status = first->status;
        if (error) *error = first->error;
    }
done:
    return status;
}

void l2r_ogb_rows_clear(struct l2r_ogb_all_rows *all)
{
    struct l2r_ogb_rows *const order[] = {&all->node, &all->edge, &all->feature};
    for (int i = 0; i < 3; i++) {
        l2r_lines_close(&order[i]->lines);
        l2r_row_numbers_clear(&order[i]->numbers);
        l2r_free(order[i]->values);
    }
    memset(all, 0, sizeof *all);
}
