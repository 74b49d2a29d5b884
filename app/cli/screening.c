/* SPDX-License-Identifier: MIT
 *
 * See screening.h. One process takes chunk after chunk. Several ranks go in rounds: in every round each takes one
 * chunk, and rank 0 writes their output in the order of the table.
 *
 *     round 0    rank 0: chunk 0    rank 1: chunk 1    rank 2: chunk 2     -> written: 0, 1, 2
 *     round 1    rank 0: chunk 3    …
 */
#include "cli/screening.h"

#include "base/clock.h"
#include "base/memory.h"
#include "cli/process.h"
#include "cli/selection.h"
#include "cli/terminal.h"
#include "comm/comm.h"
#include "data/reader.h"
#include "io/file.h"
#include "io/source.h"
#include "nn/network.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How far the table has been read. */
struct progress {
    int64_t rows, good;
    int64_t first_line;      /* of the first row with a problem; 0: none yet */
    char first_problem[200]; /* what it was */
    double started, shown_at;
    bool live;
};

/* The table by the options typed; the run's column of SMILES is a guess that need not fit. */
static enum l2r_status find_table(struct l2r_molecule_table *table, const struct l2r_source *source, bool own,
                                  const struct cli_call *call, const struct l2r_config *run, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *options = NULL;
    const char *column = l2r_config_has(run, "smiles-column") ? l2r_config_text(run, "smiles-column") : NULL;
    const char *features = l2r_config_has(run, "feature-columns") ? l2r_config_text(run, "feature-columns") : NULL;
    L2R_TRY(l2r_config_new(&options, error));
    L2R_TRY(l2r_config_declare(options, l2r_data_options, error));
    if (own) L2R_TRY(l2r_data_options_copy(options, run, error));
    L2R_TRY(l2r_data_options_copy(options, call->options, error));
    /* Options of molecules must be as in training. */
    if (l2r_config_has(run, "largest-fragment") && !l2r_config_was_set(options, "largest-fragment"))
        L2R_TRY(l2r_config_set(options, "largest-fragment", l2r_config_text(run, "largest-fragment"), error));
    /* The columns that the model reads must be there. */
    if (features != NULL && !l2r_config_was_set(options, "feature-columns"))
        L2R_TRY(l2r_config_set(options, "feature-columns", features, error));
    if (column != NULL && !l2r_config_was_set(options, "smiles-column")) {
        struct l2r_config *guess = NULL;
        L2R_TRY(l2r_config_copy(&guess, options, error));
        bool found = l2r_config_set(guess, "smiles-column", column, NULL) == L2R_OK &&
                     l2r_molecule_table_find(table, source, guess, NULL) == L2R_OK;
        l2r_config_free(guess);
        if (found) goto done;
    }
    L2R_TRY(l2r_molecule_table_find(table, source, options, error));
done:
    l2r_config_free(options);
    return status;
}

static int by_line(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* The rows of the chunk that are wanted, in place: graphs [n_graphs] are theirs, and `graph` of a row is its place
 * among these. */
static const struct l2r_table_chunk *select_rows(struct l2r_table_chunk *part, int32_t *graphs,
                                                 const struct l2r_table_chunk *chunk, const struct cli_screening *s)
{
    if (s->lines == NULL || chunk == NULL) return chunk;
    *part = *chunk;
    part->graphs = graphs;
    part->n = part->n_graphs = 0;
    for (int64_t i = 0; i < chunk->n; i++) {
        struct l2r_table_row row = chunk->rows[i];
        if (row.graph < 0 || bsearch(&row.line, s->lines, (size_t)s->n_lines, sizeof row.line, by_line) == NULL)
            continue;
        graphs[part->n_graphs] = row.graph;
        row.graph = (int32_t)part->n_graphs++;
        part->rows[part->n++] = row;
    }
    return part;
}

static void count(struct progress *p, const struct l2r_table_chunk *chunk)
{
    for (int64_t i = 0; i < chunk->n; i++) {
        const struct l2r_table_row *row = &chunk->rows[i];
        p->good += row->graph >= 0;
        if (row->graph >= 0 || p->first_line != 0) continue;
        p->first_line = row->line;
        snprintf(p->first_problem, sizeof p->first_problem, "%s", row->problem);
    }
    p->rows += chunk->n;
}

static void show(struct progress *p)
{
    double t = l2r_clock_seconds();
    if (!p->live || t - p->shown_at < 0.2) return;
    p->shown_at = t;
    fprintf(stderr, "\r%lld rows, %.0f a second ", (long long)p->rows, (double)p->rows / (t - p->started));
}

/* The line of the first bad row; of SMILES that were typed its number among them: the table made of them has a header.
 */
static long long place(const struct progress *p, const struct cli_screening *s)
{
    return (long long)(s->source != NULL ? p->first_line - 1 : p->first_line);
}

enum { ENOUGH_TO_TIME = 100 /* of fewer the start is most of the time */ };

static void report_progress(const struct progress *p, const struct cli_screening *s)
{
    double seconds = l2r_clock_since(p->started);
    if (p->live) fprintf(stderr, "\r\033[K");
    fprintf(stderr, "%lld row%s", (long long)p->rows, p->rows == 1 ? "" : "s");
    if (s->out != NULL) fprintf(stderr, " in %s", s->out);
    fprintf(stderr, ": %lld %s", (long long)p->good, s->what);
    if (p->first_line != 0)
        fprintf(stderr, ", %lld with a problem (the first %s %lld: %s)", (long long)(p->rows - p->good),
                s->source != NULL ? "is number" : "in line", place(p, s), p->first_problem);
    if (p->good >= ENOUGH_TO_TIME && seconds > 0)
        fprintf(stderr, "; %.0f molecules a second", (double)p->good / seconds);
    fputc('\n', stderr);
}

/* A full disk is reported after the first chunk that cannot be written, not after the last. */
static enum l2r_status check_written(FILE *out, const char *path, struct l2r_error *error)
{
    errno = 0;
    if (fflush(out) == 0 && !ferror(out)) return L2R_OK;
    return l2r_fail(error, L2R_ERR_IO, "%s: cannot be written: %s", path != NULL ? path : "standard output",
                    strerror(errno != 0 ? errno : EIO));
}

static enum l2r_status refuse_row(const struct progress *p, const struct cli_screening *s, struct l2r_error *error)
{
    return l2r_fail(error, L2R_ERR_FORMAT,
                    "%s%s%lld: %s (--on-bad-smiles skip passes such rows on without a prediction)",
                    strcmp(s->where, "-") == 0 ? "standard input" : s->where, s->source != NULL ? ", SMILES " : ":",
                    place(p, s), p->first_problem);
}

static enum l2r_status screen_rows(struct progress *p, FILE *out, const struct cli_screening *s,
                                   const struct l2r_molecule_table *table, struct l2r_table_chunks *chunks, bool refuse,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_table_chunk *chunk;
    struct l2r_table_chunk part;
    int32_t *graphs = l2r_alloc(L2R_CHUNK_ROWS, sizeof *graphs);
    if (graphs == NULL) return l2r_fail_memory(error, L2R_CHUNK_ROWS * sizeof *graphs, "the rows of a table");
    while (true) {
        if (cli_stop_requested(NULL))
            L2R_FAIL(L2R_ERR_INTERRUPTED, "interrupted after %lld rows%s", (long long)p->rows,
                     s->out != NULL ? "; nothing was written" : "");
        L2R_TRY(l2r_table_chunks_next(&chunk, chunks, error));
        if (chunk == NULL) break;
        chunk = select_rows(&part, graphs, chunk, s);
        L2R_TRY(s->handle(s->context, chunk, error));
        count(p, chunk);
        if (refuse && p->first_line != 0) {
            status = refuse_row(p, s, error);
            goto done;
        }
        s->write(s->context, out, table, chunk);
        L2R_TRY(check_written(out, s->out, error));
        show(p);
    }
    if (s->end != NULL && !s->end(s->context, out, p->rows)) L2R_TRY(check_written(out, s->out, error));
done:
    l2r_free(graphs);
    return status;
}

/* ---- rounds of several ranks ---- */

/* What a rank reports about its chunk. */
struct round {
    bool any;  /* there was one */
    bool stop; /* the user asked to stop */
    int64_t rows, good, first_line;
    char first_problem[200];
    enum l2r_status status; /* of reading and predicting */
    struct l2r_error error;
};

/* One rank's part of a round: the text of its rows. The caller frees *text. */
static void work(struct round *mine, char **text, size_t *length, const struct cli_screening *s,
                 const struct l2r_molecule_table *table, struct l2r_table_chunks *chunks)
{
    const struct l2r_table_chunk *chunk;
    struct l2r_table_chunk part;
    int32_t graphs[L2R_CHUNK_ROWS];
    struct progress own = {0};
    *mine = (struct round){.stop = cli_stop_requested(NULL)};
    *text = NULL;
    *length = 0;
    mine->status = l2r_table_chunks_next(&chunk, chunks, &mine->error);
    if (mine->status != L2R_OK || chunk == NULL) return;
    chunk = select_rows(&part, graphs, chunk, s);
    mine->any = true;
    FILE *out = open_memstream(text, length);
    if (out == NULL) {
        mine->status = l2r_fail_memory(&mine->error, 0, "the rows of a table");
        return;
    }
    mine->status = s->handle(s->context, chunk, &mine->error);
    if (mine->status == L2R_OK) s->write(s->context, out, table, chunk);
    if (fclose(out) != 0 && mine->status == L2R_OK)
        mine->status = l2r_fail_memory(&mine->error, *length, "the rows of a table");
    count(&own, chunk);
    mine->rows = own.rows;
    mine->good = own.good;
    mine->first_line = own.first_line;
    memcpy(mine->first_problem, own.first_problem, sizeof mine->first_problem);
}

/* On every rank: goes through the chunks of a round in order, up to the first that must not be written; *n: how many
 * may be. */
static enum l2r_status check_round(int *n, struct progress *p, const struct round *all, int size,
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
        if (refuse) return refuse_row(p, s, error);
    }
    return L2R_OK;
}

/* Rank 0 receives the texts of all other ranks, all of which have been sent, and writes the first n in order. */
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

static enum l2r_status screen_rounds(struct progress *p, FILE *out, const struct cli_screening *s,
                                     const struct l2r_molecule_table *table, struct l2r_table_chunks *chunks,
                                     bool refuse, struct l2r_comm *comm, struct l2r_error *error)
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
        status = check_round(&n, p, all, comm->size, s, refuse, error);
        texts[0] = text;
        lengths[0] = length;
        if (comm->rank == 0)
            write_round(out, comm, all, texts, lengths, n);
        else if (all[comm->rank].any)
            l2r_comm_send(comm, text != NULL ? text : "", length, 0);
        free(text);
        if (comm->rank == 0 && status == L2R_OK) status = check_written(out, s->out, error);
        show(p);
    }
    l2r_free(all);
    l2r_free(start);
    l2r_free((void *)texts);
    l2r_free(lengths);
    return status;
}

/* ---- the whole table ---- */

/* Was the model trained on molecules? Others cannot predict SMILES. */
static enum l2r_status check_model(const struct l2r_predictor *model, struct l2r_error *error)
{
    if (l2r_signature_is_of_molecules(l2r_predictor_signature(model))) return L2R_OK;
    const char *data = l2r_predictor_data(model);
    return l2r_fail(error, L2R_ERR_ARGUMENT, "%s was not trained on molecules%s%s%s, so it cannot predict SMILES",
                    l2r_predictor_checkpoint(model), data != NULL ? " (its data is " : "", data != NULL ? data : "",
                    data != NULL ? ")" : "");
}

/* *opened is to be freed; NULL: the caller of cli_screen has the source. */
static enum l2r_status open_source(const struct l2r_source **source, struct l2r_source **opened,
                                   const struct cli_screening *s, const struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_error reason = {0};
    *opened = NULL;
    *source = s->source;
    if (s->source != NULL) return L2R_OK;
    if (strcmp(s->where, "-") == 0) {
        if (call->comm != NULL)
            L2R_FAIL(L2R_ERR_ARGUMENT, "standard input can be read by one process, not by %d ranks; save it to a file",
                     call->comm->size);
        if (cli_terminal_is_live(stdin)) fputs("one molecule a line, as SMILES; Ctrl-D ends\n", stderr);
        L2R_TRY(l2r_source_from_input(opened, STDIN_FILENO, "standard input", error));
    } else if (l2r_source_open(opened, s->where, &reason) != L2R_OK) {
        L2R_FAIL(reason.status, "%s%s", reason.message,
                 l2r_config_text(call->options, "data") == NULL ? cli_own_data_hint : "");
    }
    *source = *opened;
done:
    return status;
}

enum l2r_status cli_screen(const struct cli_screening *s, const struct cli_call *call,
                           const struct l2r_predictor *model, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_source *opened = NULL;
    const struct l2r_source *source = NULL;
    struct l2r_molecule_table table = {0};
    struct l2r_table_chunks *chunks = NULL;
    struct l2r_atomic file = {0};
    struct progress progress = {.started = l2r_clock_seconds(),
                                .live = s->out != NULL && cli_terminal_is_live(stderr) && !s->quiet};
    bool refuse = l2r_config_is(call->options, "on-bad-smiles", "fail");
    size_t length = 0;
    cli_ranks_threads(call);
    L2R_TRY(check_model(model, error));
    L2R_TRY(open_source(&source, &opened, s, call, error));
    L2R_TRY(find_table(&table, source, s->own, call, l2r_predictor_config(model), error));
    L2R_TRY(l2r_table_chunks_open(&chunks, &table, error));
    l2r_table_chunks_describe(chunks, l2r_committee_features(l2r_predictor_committee(model)));
    l2r_source_read_on(source);
    bool writes = s->out != NULL && l2r_comm_leads(call->comm);
    if (call->comm != NULL) l2r_table_chunks_turns(chunks, call->comm->size, call->comm->rank);
    cli_interrupt_catch(); /* before there is a file that an interrupt would leave behind */
    if (s->out == NULL) cli_end_with_reader();
    if (writes) L2R_TRY(l2r_atomic_open(&file, s->out, error));
    FILE *out = writes ? file.stream : stdout;
    const char *header = l2r_table_chunks_header(chunks, &length);
    L2R_TRY(s->begin(s->context, out, &table, header, length, error));
    if (call->comm != NULL)
        L2R_TRY(screen_rounds(&progress, out, s, &table, chunks, refuse, call->comm, error));
    else
        L2R_TRY(screen_rows(&progress, out, s, &table, chunks, refuse, error));
done:
    if (progress.live && status != L2R_OK) fprintf(stderr, "\r\033[K");
    status = l2r_atomic_close(&file, status, error);
    if (status == L2R_OK && !s->quiet) report_progress(&progress, s);
    if (status == L2R_OK && call->comm == NULL && progress.rows > 0 && progress.good == 0)
        status = l2r_fail(error, L2R_ERR_FORMAT, "%s: no row was %s; the column problem says why", s->where, s->what);
    l2r_table_chunks_free(chunks);
    l2r_molecule_table_clear(&table);
    l2r_source_free(opened);
    return status;
}
