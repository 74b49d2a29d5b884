/* SPDX-License-Identifier: MIT
 * See screening_rounds.h. */
#include "cli/screening_rounds.h"

#include "base/memory.h"
#include "cli/interrupt.h"

#include <stdlib.h>
#include <string.h>

/* What a rank has to tell of its chunk. */
struct round {
    bool any;  /* there was one */
    bool stop; /* the user wants to end it */
    int64_t rows, good, first_line;
    char first_problem[200];
    enum l2r_status status; /* of reading and asking */
    struct l2r_error error;
};

/* One rank's part of a round: the text of its rows. *text is to be freed. */
static void work(struct round *mine, char **text, size_t *length, const struct cli_screening *s,
                 const struct l2r_molecule_table *table, struct l2r_table_chunks *chunks)
{
    const struct l2r_table_chunk *chunk;
    struct cli_progress own = {0};
    *mine = (struct round){.stop = cli_interrupt_asked(NULL)};
    *text = NULL;
    *length = 0;
    mine->status = l2r_table_chunks_next(&chunk, chunks, &mine->error);
    if (mine->status != L2R_OK || chunk == NULL) return;
    mine->any = true;
    FILE *out = open_memstream(text, length);
    if (out == NULL) {
        mine->status = l2r_fail_memory(&mine->error, 0, "the rows of a table");
        return;
    }
    mine->status = s->chunk(s->context, out, table, chunk, &mine->error);
    if (fclose(out) != 0 && mine->status == L2R_OK)
        mine->status = l2r_fail_memory(&mine->error, *length, "the rows of a table");
    cli_screening_count(&own, chunk);
    mine->rows = own.rows;
    mine->good = own.good;
    mine->first_line = own.first_line;
    memcpy(mine->first_problem, own.first_problem, sizeof mine->first_problem);
}

/* On every rank: the chunks of a round in their order. Ends at the first one that must not be written; *n of them may
 * be. */
static enum l2r_status judge(int *n, struct cli_progress *p, const struct round *all, int size,
                             const struct cli_screening *s, bool refuse, struct l2r_error *error)
{
    for (*n = 0; *n < size; (*n)++) {
        const struct round *r = &all[*n];
        if (r->stop)
            return l2r_fail(error, L2R_ERR_INTERRUPTED, "interrupted after %lld rows%s", (long long)p->rows,
                            s->out != NULL ? "; nothing was written" : "");
        if (r->status != L2R_OK) return l2r_fail(error, r->status, "%s", r->error.message);
        p->rows += r->rows;
        p->good += r->good;
        if (r->first_line == 0 || p->first_line != 0) continue;
        p->first_line = r->first_line;
        memcpy(p->first_problem, r->first_problem, sizeof p->first_problem);
        if (refuse) return cli_screening_refuse(p, s, error);
    }
    return L2R_OK;
}

/* Rank 0 receives the texts of ranks 1 .. n-1 and writes all in order; texts of chunks that must not be written are
 * received, too. */
static void write_round(FILE *out, struct l2r_comm *comm, const struct round *all, char **texts, size_t *lengths, int n)
{
    int wanted = 0;
    for (int r = 1; r < comm->size; r++) wanted += all[r].any;
    for (; wanted > 0; wanted--) {
        void *data;
        size_t length;
        int from;
        (void)l2r_comm_receive(comm, &data, &length, &from, true);
        texts[from] = data;
        lengths[from] = length;
    }
    for (int r = 0; r < n; r++)
        if (all[r].any) fwrite(texts[r], 1, lengths[r], out);
    for (int r = 1; r < comm->size; r++) {
        l2r_free(texts[r]);
        texts[r] = NULL;
    }
}

enum l2r_status cli_screen_rounds(struct cli_progress *p, FILE *out, const struct cli_screening *s,
                                  const struct l2r_molecule_table *table, struct l2r_table_chunks *chunks, bool refuse,
                                  struct l2r_comm *comm, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t size = (size_t)comm->size;
    struct round *all = l2r_alloc(size, sizeof *all);
    int64_t *start = l2r_alloc(size + 1, sizeof *start);
    char **texts = l2r_alloc(size, sizeof *texts);
    size_t *lengths = l2r_alloc(size, sizeof *lengths);
    bool any = all != NULL && start != NULL && texts != NULL && lengths != NULL;
    if (!any) status = l2r_fail_memory(error, size * sizeof *all, "the ranks");
    for (size_t r = 0; any && r <= size; r++) start[r] = (int64_t)(r * sizeof *all);
    while (any && status == L2R_OK) {
        char *text;
        size_t length;
        int n;
        work(&all[comm->rank], &text, &length, s, table, chunks);
        l2r_comm_gather(comm, all, start);
        any = false;
        for (size_t r = 0; r < size; r++) any = any || all[r].any;
        status = judge(&n, p, all, comm->size, s, refuse, error);
        texts[0] = text;
        lengths[0] = length;
        if (comm->rank == 0)
            write_round(out, comm, all, texts, lengths, n);
        else if (all[comm->rank].any)
            l2r_comm_send(comm, text != NULL ? text : "", length, 0);
        free(text);
        if (comm->rank == 0 && status == L2R_OK) status = cli_screening_written(out, s->out, error);
        cli_screening_show(p);
    }
    l2r_free(all);
    l2r_free(start);
    l2r_free((void *)texts);
    l2r_free(lengths);
    return status;
}
