/* SPDX-License-Identifier: MIT
 *
 * See table_chunks.h. Two buffers alternate: the caller works on the current one while the thread fills the other.
 *
 *     place 0   current: caller's        | filled by the thread    | current …
 *     place 1   filled by the thread     | current: caller's       | filled …
 *
 * While a chunk is being prefetched, the other place and the table belong to the thread; l2r_prefetch_wait hands them
 * back. So nothing here needs a lock. */
#include "model/table_chunks.h"

#include "base/memory.h"
#include "base/threads.h"

#include <string.h>

/* Room for one chunk: its rows with their molecules, and the data set made of these. */
struct place {
    struct l2r_molecule_chunk molecules;
    struct l2r_table_row *rows; /* [L2R_CHUNK_ROWS] */
    int32_t *numbers;           /* [L2R_CHUNK_ROWS]: 0, 1, … */
    struct l2r_dataset *data;
    struct l2r_table_chunk chunk;
    enum l2r_status status;
    struct l2r_error error;
};

struct l2r_table_chunks {
    struct l2r_csv *csv;
    char *header; /* NULL: none */
    size_t header_length;
    int turns, skip; /* readers; chunks of others before the next one of ours */

    struct place place[2];
    int current; /* the place that the caller works on */
    bool ended;
    int threads;
    struct l2r_prefetch *prefetch; /* NULL: not begun, or the system gives no thread */
    size_t n_wanted;               /* chunks asked of it so far */
    bool wanted;                   /* the other place is one of them */
};

static enum l2r_status place_init(struct place *p, const struct l2r_molecule_table *table, struct l2r_error *error)
{
    *p = (struct place){.rows = l2r_alloc(L2R_CHUNK_ROWS, sizeof *p->rows),
                        .numbers = l2r_alloc(L2R_CHUNK_ROWS, sizeof *p->numbers)};
    if (!p->rows || !p->numbers) return l2r_fail_memory(error, L2R_CHUNK_ROWS * sizeof *p->rows, "a chunk of a table");
    for (int32_t i = 0; i < L2R_CHUNK_ROWS; i++) p->numbers[i] = i;
    return l2r_molecule_chunk_init(&p->molecules, table, NULL, error);
}

static void place_clear(struct place *p)
{
    l2r_dataset_free(p->data);
    l2r_molecule_chunk_clear(&p->molecules);
    l2r_free(p->rows);
    l2r_free(p->numbers);
    *p = (struct place){0};
}

/* Texts and reasons live in the molecules' chunk, which the next chunk of this place overwrites and not before. */
static void show_rows(struct place *p)
{
    for (int64_t i = 0; i < p->molecules.n; i++) {
        const struct l2r_molecule_row *row = &p->molecules.rows[i];
        bool good = l2r_molecule_row_is_good(row);
        p->rows[i] = (struct l2r_table_row){.raw = row->raw,
                                            .raw_length = row->raw_length,
                                            .line = row->line,
                                            .graph = good ? (int32_t)p->chunk.n_graphs++ : -1,
                                            .problem = good ? NULL : row->reason};
    }
}

/* The next rows of the table; chunk.n is 0 at its end. Fails into status and error of the place, because it may run on
 * the thread. */
static void place_fill(struct place *p, struct l2r_csv *csv)
{
    enum l2r_status status = L2R_OK;
    struct l2r_error *error = &p->error;
    l2r_dataset_free(p->data);
    p->data = NULL;
    p->chunk = (struct l2r_table_chunk){.rows = p->rows, .graphs = p->numbers};
    L2R_TRY(l2r_molecule_chunk_read(&p->molecules, csv, error));
    L2R_TRY(l2r_molecule_chunk_pack(&p->data, &p->molecules, error));
    show_rows(p);
    p->chunk.n = p->molecules.n;
    p->chunk.data = p->data;
done:
    l2r_molecule_chunk_drop(&p->molecules);
    p->status = status;
}

/* Skips the chunks of other readers first: they are parsed, because only parsing finds the end of a record. */
static void fill(struct l2r_table_chunks *c, struct place *place)
{
    place->status = L2R_OK;
    place->chunk.n = 0;
    for (; c->skip > 0 && place->status == L2R_OK; c->skip--)
        place->status = l2r_molecule_chunk_skip(&place->molecules, c->csv, &place->error);
    c->skip = c->turns - 1;
    if (place->status == L2R_OK) place_fill(place, c->csv);
}

/* On the thread. */
static void fill_ahead(void *context, size_t k)
{
    struct l2r_table_chunks *c = context;
    (void)k;
    l2r_threads_set(c->threads);
    fill(c, &c->place[!c->current]);
}

static enum l2r_status keep_header(struct l2r_table_chunks *c, const struct l2r_csv_record *header,
                                   struct l2r_error *error)
{
    c->header_length = header->raw_length;
    c->header = l2r_alloc_raw(header->raw_length + 1, 1);
    if (!c->header) return l2r_fail_memory(error, header->raw_length + 1, "the header of a table");
    memcpy(c->header, header->raw, header->raw_length);
    c->header[header->raw_length] = '\0';
    return L2R_OK;
}

enum l2r_status l2r_table_chunks_open(struct l2r_table_chunks **chunks, const struct l2r_molecule_table *table,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_csv_record *header;
    struct l2r_table_chunks *c = *chunks = l2r_alloc(1, sizeof *c);
    if (!c) return l2r_fail_memory(error, sizeof *c, "chunks of a table");
    c->turns = 1;
    c->threads = l2r_threads_get();
    for (int k = 0; k < 2; k++) L2R_TRY(place_init(&c->place[k], table, error));
    L2R_TRY(l2r_molecule_table_open(&c->csv, &header, table, error));
    if (header) L2R_TRY(keep_header(c, header, error));
done:
    if (status != L2R_OK) {
        l2r_table_chunks_free(c);
        *chunks = NULL;
    }
    return status;
}

void l2r_table_chunks_free(struct l2r_table_chunks *c)
{
    if (!c) return;
    l2r_prefetch_free(c->prefetch);
    for (int k = 0; k < 2; k++) place_clear(&c->place[k]);
    l2r_csv_free(c->csv);
    l2r_free(c->header);
    l2r_free(c);
}

void l2r_table_chunks_describe(struct l2r_table_chunks *c, unsigned blocks)
{
    for (int k = 0; k < 2; k++) c->place[k].molecules.describe = blocks;
}

void l2r_table_chunks_turns(struct l2r_table_chunks *c, int turns, int turn)
{
    c->turns = turns;
    c->skip = turn;
}

const char *l2r_table_chunks_header(const struct l2r_table_chunks *c, size_t *length)
{
    *length = c->header_length;
    return c->header;
}

/* Waits for the other place, or fills it here when no thread has been asked to. */
static void finish_other(struct l2r_table_chunks *c)
{
    if (c->wanted)
        l2r_prefetch_wait(c->prefetch, c->n_wanted - 1);
    else
        fill(c, &c->place[!c->current]);
    c->wanted = false;
}

/* With one thread to use, or where the system gives none, the next call does the work. */
static void begin_other(struct l2r_table_chunks *c)
{
    if (c->threads == 1) return;
    if (!c->prefetch && l2r_prefetch_new(&c->prefetch, fill_ahead, c, NULL) != L2R_OK) return;
    c->wanted = true;
    c->n_wanted++;
    l2r_prefetch_request(c->prefetch);
}

enum l2r_status l2r_table_chunks_next(const struct l2r_table_chunk **chunk, struct l2r_table_chunks *c,
                                      struct l2r_error *error)
{
    *chunk = NULL;
    if (c->ended) return L2R_OK;
    finish_other(c);
    c->current = !c->current;
    const struct place *p = &c->place[c->current];
    c->ended = p->status != L2R_OK || p->chunk.n == 0;
    if (p->status != L2R_OK) return l2r_fail(error, p->status, "%s", p->error.message);
    if (c->ended) return L2R_OK;
    begin_other(c);
    *chunk = &p->chunk;
    return L2R_OK;
}
