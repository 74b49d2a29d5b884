/* SPDX-License-Identifier: MIT
 * See screening.h. */
#include "cli/screening_rounds.h"

#include "base/clock.h"
#include "cli/interrupt.h"
#include "cli/ranks.h"
#include "cli/selection.h"
#include "cli/terminal.h"
#include "data/options.h"
#include "io/file.h"
#include "io/source.h"

#include <errno.h>
#include <string.h>

/* The table by the options typed; the run's column of SMILES is a guess that need not fit. */
static enum l2r_status find_table(struct l2r_molecule_table *table, const struct l2r_source *source,
                                  const struct cli_call *call, const struct l2r_config *run, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *options = NULL;
    const char *column = l2r_config_has(run, "smiles-column") ? l2r_config_text(run, "smiles-column") : NULL;
    L2R_TRY(l2r_config_new(&options, error));
    L2R_TRY(l2r_config_declare(options, l2r_data_options, error));
    L2R_TRY(l2r_data_options_copy(options, call->options, error));
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

void cli_screening_count(struct cli_progress *p, const struct l2r_table_chunk *chunk)
{
    for (int64_t i = 0; i < chunk->n; i++) {
        const struct l2r_table_row *row = &chunk->rows[i];
        if (row->graph >= 0 || p->first_line != 0) continue;
        p->first_line = row->line;
        snprintf(p->first_problem, sizeof p->first_problem, "%s", row->problem);
    }
    p->rows += chunk->n;
    p->good += chunk->n_graphs;
}

void cli_screening_show(struct cli_progress *p)
{
    double t = l2r_clock_seconds();
    if (!p->live || t - p->shown_at < 0.2) return;
    p->shown_at = t;
    fprintf(stderr, "\r%lld rows, %.0f a second ", (long long)p->rows, (double)p->rows / (t - p->started));
}

static void tell(const struct cli_progress *p, const struct cli_screening *s)
{
    double seconds = l2r_clock_seconds() - p->started;
    if (p->live) fprintf(stderr, "\r\033[K");
    fprintf(stderr, "%lld rows", (long long)p->rows);
    if (s->out != NULL) fprintf(stderr, " in %s", s->out);
    fprintf(stderr, ": %lld %s", (long long)p->good, s->what);
    if (p->first_line != 0)
        fprintf(stderr, ", %lld with a problem (the first in line %lld: %s)", (long long)(p->rows - p->good),
                (long long)p->first_line, p->first_problem);
    fprintf(stderr, "; %.0f molecules a second\n", seconds > 0 ? (double)p->good / seconds : 0.0);
}

/* A full disk is noticed after the chunk that met it, not after the last one. */
enum l2r_status cli_screening_written(FILE *out, const char *path, struct l2r_error *error)
{
    errno = 0;
    if (fflush(out) == 0 && !ferror(out)) return L2R_OK;
    return l2r_fail(error, L2R_ERR_IO, "%s: cannot be written: %s", path != NULL ? path : "standard output",
                    strerror(errno != 0 ? errno : EIO));
}

enum l2r_status cli_screening_refuse(const struct cli_progress *p, const struct cli_screening *s,
                                     struct l2r_error *error)
{
    return l2r_fail(error, L2R_ERR_FORMAT, "%s:%lld: %s (--on-bad-smiles skip passes such rows on without an answer)",
                    s->where, (long long)p->first_line, p->first_problem);
}

static enum l2r_status screen_rows(struct cli_progress *p, FILE *out, const struct cli_screening *s,
                                   const struct l2r_molecule_table *table, struct l2r_table_chunks *chunks, bool refuse,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_table_chunk *chunk;
    while (true) {
        if (cli_interrupt_asked(NULL))
            L2R_FAIL(L2R_ERR_INTERRUPTED, "interrupted after %lld rows%s", (long long)p->rows,
                     s->out != NULL ? "; nothing was written" : "");
        L2R_TRY(l2r_table_chunks_next(&chunk, chunks, error));
        if (chunk == NULL) break;
        cli_screening_count(p, chunk);
        if (refuse && p->first_line != 0) {
            status = cli_screening_refuse(p, s, error);
            goto done;
        }
        L2R_TRY(s->chunk(s->context, out, table, chunk, error));
        L2R_TRY(cli_screening_written(out, s->out, error));
        cli_screening_show(p);
    }
    if (s->end != NULL && !s->end(s->context, out, p->rows)) L2R_TRY(cli_screening_written(out, s->out, error));
done:
    return status;
}

enum l2r_status cli_screen(const struct cli_screening *s, const struct cli_call *call, const struct l2r_config *run,
                           struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_source *source = NULL;
    struct l2r_molecule_table table = {0};
    struct l2r_table_chunks *chunks = NULL;
    struct l2r_atomic file = {0};
    struct cli_progress progress = {.started = l2r_clock_seconds(),
                                    .live = s->out != NULL && cli_terminal_is_live(stderr)};
    struct l2r_error reason = {0};
    bool refuse = l2r_config_is(call->options, "on-bad-smiles", "fail");
    size_t length = 0;
    cli_ranks_threads(call);
    if (l2r_source_open(&source, s->where, &reason) != L2R_OK)
        L2R_FAIL(reason.status, "%s%s", reason.message,
                 l2r_config_text(call->options, "data") == NULL ? cli_own_data_hint : "");
    L2R_TRY(find_table(&table, source, call, run, error));
    L2R_TRY(l2r_table_chunks_open(&chunks, &table, error));
    bool writes = s->out != NULL && l2r_comm_leads(call->comm);
    if (call->comm != NULL) l2r_table_chunks_turns(chunks, call->comm->size, call->comm->rank);
    if (writes) L2R_TRY(l2r_atomic_open(&file, s->out, error));
    FILE *out = writes ? file.stream : stdout;
    cli_interrupt_catch();
    const char *header = l2r_table_chunks_header(chunks, &length);
    L2R_TRY(s->begin(s->context, out, &table, header, length, error));
    if (call->comm != NULL)
        L2R_TRY(cli_screen_rounds(&progress, out, s, &table, chunks, refuse, call->comm, error));
    else
        L2R_TRY(screen_rows(&progress, out, s, &table, chunks, refuse, error));
done:
    if (progress.live && status != L2R_OK) fprintf(stderr, "\r\033[K");
    status = l2r_atomic_close(&file, status, error);
    if (status == L2R_OK) tell(&progress, s);
    l2r_table_chunks_free(chunks);
    l2r_molecule_table_clear(&table);
    l2r_source_free(source);
    return status;
}
