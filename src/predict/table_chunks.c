/* SPDX-License-Identifier: MIT
 * See table_chunks.h. The thread sleeps until a place is WANTED and leaves it MADE; only the caller sets it to anything
 * else. */
#include "predict/table_chunks.h"

#include "base/memory.h"
#include "base/threads.h"
#include "predict/chunk_place.h"

#include <pthread.h>
#include <string.h>

enum state { EMPTY, WANTED, MADE };

struct l2r_table_chunks {
    struct l2r_csv *csv;
    char *header; /* NULL: none */
    size_t header_length;
    int turns, skip; /* readers; chunks of others before the next one of ours */

    struct l2r_chunk_place place[2];
    int current; /* the place that the caller works on */
    bool started, ended;
    int threads;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum state other; /* of the place that is not current */
    bool quit;
};

static void fill(struct l2r_table_chunks *c, struct l2r_chunk_place *place)
{
    place->status = L2R_OK;
    place->chunk.n = 0;
    for (; c->skip > 0 && place->status == L2R_OK; c->skip--)
        place->status = l2r_molecule_chunk_skip(&place->molecules, c->csv, &place->error);
    c->skip = c->turns - 1;
    if (place->status == L2R_OK) l2r_chunk_place_fill(place, c->csv);
}

static void *work(void *argument)
{
    struct l2r_table_chunks *c = argument;
    l2r_threads_set(c->threads);
    pthread_mutex_lock(&c->lock);
    while (!c->quit) {
        if (c->other == WANTED) {
            struct l2r_chunk_place *place = &c->place[!c->current];
            pthread_mutex_unlock(&c->lock);
            fill(c, place);
            pthread_mutex_lock(&c->lock);
            c->other = MADE;
            pthread_cond_signal(&c->changed);
        } else {
            pthread_cond_wait(&c->changed, &c->lock);
        }
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
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
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    c->turns = 1;
    c->threads = l2r_threads_get();
    for (int k = 0; k < 2; k++) L2R_TRY(l2r_chunk_place_init(&c->place[k], table, error));
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
    if (c->started) {
        pthread_mutex_lock(&c->lock);
        c->quit = true;
        pthread_cond_signal(&c->changed);
        pthread_mutex_unlock(&c->lock);
        pthread_join(c->thread, NULL);
    }
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    for (int k = 0; k < 2; k++) l2r_chunk_place_clear(&c->place[k]);
    l2r_csv_free(c->csv);
    l2r_free(c->header);
    l2r_free(c);
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
    pthread_mutex_lock(&c->lock);
    while (c->other == WANTED) pthread_cond_wait(&c->changed, &c->lock);
    bool made = c->other == MADE;
    c->other = EMPTY;
    pthread_mutex_unlock(&c->lock);
    if (!made) fill(c, &c->place[!c->current]);
}

/* With one thread to use, or where the system gives none, the next call does the work. */
static void begin_other(struct l2r_table_chunks *c)
{
    if (c->threads == 1) return;
    if (!c->started) c->started = pthread_create(&c->thread, NULL, work, c) == 0;
    if (!c->started) return;
    pthread_mutex_lock(&c->lock);
    c->other = WANTED;
    pthread_cond_signal(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

enum l2r_status l2r_table_chunks_next(const struct l2r_table_chunk **chunk, struct l2r_table_chunks *c,
                                      struct l2r_error *error)
{
    *chunk = NULL;
    if (c->ended) return L2R_OK;
    finish_other(c);
    c->current = !c->current;
    const struct l2r_chunk_place *p = &c->place[c->current];
    c->ended = p->status != L2R_OK || p->chunk.n == 0;
    if (p->status != L2R_OK) return l2r_fail(error, p->status, "%s", p->error.message);
    if (c->ended) return L2R_OK;
    begin_other(c);
    *chunk = &p->chunk;
    return L2R_OK;
}
