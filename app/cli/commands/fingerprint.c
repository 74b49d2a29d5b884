/* SPDX-License-Identifier: MIT
 *
 * l2r fingerprint: the learned representation Z of each graph, the row that goes into the model's last linear layer.
 *
 *     .npy    float32 [n × d], a row for each graph chosen, in their order
 *     .csv    graph, z_0, z_1, …
 *
 * The rows of a table of molecules are passed through unless --part selects some of them: CSV then has their own
 * columns in place of `graph`.
 */
#include "answers/csv_rows.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/screening.h"
#include "cli/selection.h"
#include "data/reader.h"
#include "io/csv.h"
#include "io/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Graphs of a loaded data set at a time; molecules of a table, for which the model needs half its usual memory. */
enum { BLOCK = 4096, BATCH = 192 };

static const struct l2r_option options[] = {
    {.name = "out",
     .kind = L2R_OPTION_TEXT,
     .value = "FILE",
     .group = "Output",
     .help = "FILE.npy for NumPy, anything else is CSV; by default CSV on standard output"},
    {0}};

/* A matrix of floats for numpy.load, written row by row before the number of rows is known:
 *
 *     "\x93NUMPY" 1 0 | length of the header (2 bytes, little endian) | header | rows
 *     header: {'descr': '<f4', 'fortran_order': False, 'shape': (n, d), }
 *
 * The header is padded to 128 bytes, so that the number of rows can be filled in at the end. Leaves the stream after
 * the header; false: it cannot be written. */
static bool write_npy_header(FILE *stream, int64_t rows, int64_t columns)
{
    enum { PREFIX = 10, HEADER = 128 };
    static const char magic[PREFIX + 1] = "\x93NUMPY\x01\x00\x76\x00"; /* 0x76: 128 − 10 */
    char header[HEADER + 1];
    uint16_t probe = 1;
    memcpy(header, magic, PREFIX);
    int length = snprintf(header + PREFIX, sizeof header - PREFIX,
                          "{'descr': '%cf4', 'fortran_order': False, 'shape': (%lld, %lld), }",
                          *(const unsigned char *)&probe ? '<' : '>', (long long)rows, (long long)columns);
    if (length < 0 || length >= HEADER - PREFIX) return false;
    memset(header + PREFIX + length, ' ', (size_t)(HEADER - PREFIX - length));
    header[HEADER - 1] = '\n';
    return fwrite(header, 1, HEADER, stream) == HEADER;
}

/* Once all rows are written: writes the header again with their number, and leaves the stream at its end. */
static bool finish_npy(FILE *stream, int64_t rows, int64_t columns)
{
    return fseeko(stream, 0, SEEK_SET) == 0 && write_npy_header(stream, rows, columns) &&
           fseeko(stream, 0, SEEK_END) == 0;
}

static void write_rows(FILE *out, bool npy, const float *z, int32_t d, const int64_t *graphs, int64_t n)
{
    if (npy) (void)fwrite(z, sizeof *z, (size_t)(n * d), out); /* a short write shows when the file is closed */
    for (int64_t i = 0; !npy && i < n; i++) {
        bool good = l2r_all_finite(z + i * d, d);
        fprintf(out, "%lld", (long long)graphs[i]);
        for (int32_t k = 0; k < d; k++) {
            if (good)
                l2r_csv_write_float(out, ',', z[i * d + k]);
            else
                fputc(',', out);
        }
        l2r_csv_write_text(out, ',', good ? "" : l2r_not_finite);
        fputc('\n', out);
    }
}

static bool is_npy(const char *path)
{
    size_t length = path != NULL ? strlen(path) : 0;
    return length > 4 && strcmp(path + length - 4, ".npy") == 0;
}

/* Rows that are not finite numbers get a problem. */
static enum l2r_status represent(float *z, struct l2r_predictor *predictor, const struct l2r_dataset *data,
                                 const int64_t *graphs, int64_t n, struct l2r_error *error)
{
    enum l2r_status status = l2r_predictor_embed(z, NULL, predictor, data, graphs, n, error);
    return status == L2R_ERR_DIVERGED ? L2R_OK : status;
}

static enum l2r_status write_all(const char *path, struct l2r_predictor *predictor,
                                 const struct cli_selection *selection, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_atomic file = {0};
    int32_t d = l2r_predictor_width(predictor);
    bool npy = is_npy(path);
    float *z = l2r_alloc_raw((size_t)BLOCK * (size_t)d, sizeof *z);
    if (z == NULL) return l2r_fail_memory(error, (size_t)BLOCK * (size_t)d * sizeof *z, "representations");
    if (path != NULL) L2R_TRY(l2r_atomic_open(&file, path, error));
    FILE *out = path != NULL ? file.stream : stdout;
    if (npy) {
        (void)write_npy_header(out, selection->n, d);
    } else {
        fprintf(out, "graph");
        for (int32_t k = 0; k < d; k++) fprintf(out, ",z_%d", k);
        fprintf(out, ",problem\n");
    }
    for (int64_t begin = 0; begin < selection->n; begin += BLOCK) {
        int64_t n = selection->n - begin < BLOCK ? selection->n - begin : BLOCK;
        const int64_t *graphs = selection->graphs + begin;
        L2R_TRY(represent(z, predictor, selection->data, graphs, n, error));
        write_rows(out, npy, z, d, graphs, n);
    }
done:
    l2r_free(z);
    return path != NULL ? l2r_atomic_close(&file, status, error) : status;
}

/* ---- a table of molecules, passed through ---- */

struct fingerprint {
    struct l2r_predictor *predictor;
    int32_t d;
    bool npy;
    float *z;    /* [L2R_CHUNK_ROWS × d] */
    float *none; /* [d]: NaN */
};

static void z_names(FILE *out, const void *context, char delimiter, const char *prefix)
{
    const struct fingerprint *f = context;
    for (int32_t k = 0; k < f->d; k++) fprintf(out, "%c%sz_%d", delimiter, prefix, k);
    fprintf(out, "%c%sproblem", delimiter, prefix);
}

static enum l2r_status fingerprint_begin(void *context, FILE *out, const struct l2r_molecule_table *table,
                                         const char *header, size_t length, struct l2r_error *error)
{
    struct fingerprint *f = context;
    (void)error;
    if (f->npy)
        (void)write_npy_header(out, 0, f->d); /* a failed write shows in the stream */
    else
        l2r_csv_header(out, table, header, length, z_names, f);
    return L2R_OK;
}

static enum l2r_status fingerprint_chunk(void *context, const struct l2r_table_chunk *chunk, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct fingerprint *f = context;
    if (chunk->n_graphs > 0) L2R_TRY(represent(f->z, f->predictor, chunk->data, NULL, chunk->n_graphs, error));
    for (int64_t i = 0; i < chunk->n; i++) {
        struct l2r_table_row *row = &chunk->rows[i];
        if (row->graph < 0 || l2r_all_finite(f->z + (int64_t)row->graph * f->d, f->d)) continue;
        row->graph = -1;
        row->problem = l2r_not_finite;
    }
done:
    return status;
}

static void fingerprint_write(void *context, FILE *out, const struct l2r_molecule_table *table,
                              const struct l2r_table_chunk *chunk)
{
    struct fingerprint *f = context;
    for (int64_t i = 0; i < chunk->n; i++) {
        const struct l2r_table_row *row = &chunk->rows[i];
        const float *z = row->graph >= 0 ? f->z + (int64_t)row->graph * f->d : f->none;
        if (f->npy) {
            fwrite(z, sizeof *z, (size_t)f->d, out);
            continue;
        }
        l2r_csv_row(out, table, row->raw, row->raw_length);
        for (int32_t k = 0; k < f->d; k++) {
            if (row->graph >= 0)
                l2r_csv_write_float(out, table->delimiter, z[k]);
            else
                fputc(table->delimiter, out);
        }
        l2r_csv_write_text(out, table->delimiter, row->problem != NULL ? row->problem : "");
        fputc('\n', out);
    }
}

static bool fingerprint_end(void *context, FILE *out, int64_t rows)
{
    const struct fingerprint *f = context;
    return !f->npy || finish_npy(out, rows, f->d);
}

static enum l2r_status fingerprint_table(struct l2r_predictor *predictor, const struct cli_call *call,
                                         const char *where, const char *out, bool npy, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int32_t d = l2r_predictor_width(predictor);
    l2r_predictor_limit_batch(predictor, BATCH);
    struct fingerprint f = {.predictor = predictor,
                            .d = d,
                            .npy = npy,
                            .z = l2r_alloc_raw((size_t)L2R_CHUNK_ROWS * (size_t)d, sizeof(float)),
                            .none = l2r_alloc_raw((size_t)d, sizeof(float))};
    if (f.z == NULL || f.none == NULL) {
        status = l2r_fail_memory(error, (size_t)L2R_CHUNK_ROWS * (size_t)d * sizeof(float), "representations");
        goto done;
    }
    for (int32_t k = 0; k < d; k++) f.none[k] = NAN;
    struct cli_screening screening = {.where = where,
                                      .out = out,
                                      .what = "with a representation",
                                      .context = &f,
                                      .begin = fingerprint_begin,
                                      .handle = fingerprint_chunk,
                                      .write = fingerprint_write,
                                      .end = fingerprint_end};
    status = cli_screen(&screening, call, predictor, error);
done:
    l2r_free(f.z);
    l2r_free(f.none);
    return status;
}

/* ---- the command ---- */

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_predictor *predictor = NULL;
    struct cli_selection selection = {0};
    const char *path = l2r_config_text(call->options, "out");
    L2R_TRY(l2r_predictor_open(&predictor, call->arguments[0], error));
    const char *table = cli_selection_table(predictor, call);
    if (table != NULL) {
        status = fingerprint_table(predictor, call, table, path, is_npy(path), error);
        goto done;
    }
    L2R_TRY(cli_selection_load(&selection, predictor, call, "all", false, error));
    L2R_TRY(write_all(path, predictor, &selection, error));
    if (path != NULL)
        fprintf(stderr, "%lld rows of %d numbers in %s\n", (long long)selection.n, l2r_predictor_width(predictor),
                path);
done:
    cli_selection_clear(&selection);
    l2r_predictor_free(predictor);
    return status;
}

const struct l2r_command l2r_command_fingerprint = {
    .name = "fingerprint",
    .summary = "write the learned representation of each graph",
    .usage = "RUN [--data WHERE] [--part train|valid|test|all] [--out FILE.npy|FILE.csv] [OPTIONS]",
    .about = "RUN is the folder of a run (its best checkpoint is used) or a .safetensors file. The representation is "
             "the row of numbers that the model's last, linear layer turns into its output: use it for nearest "
             "neighbours, clustering or other models. A .npy file holds float32 numbers, one row per graph; CSV has "
             "the columns graph (from 0), z_0, z_1, …, and problem, where numbers are not finite. A table of molecules "
             "is passed through row by row: CSV keeps its "
             "columns, and where a row has no molecule the numbers are missing (NaN in a .npy file).",
    .examples = "l2r fingerprint runs/bace --out z.npy\n"
                "l2r fingerprint runs/my --data new.csv --out new.npy\n"
                "zcat library.smi.gz | l2r fingerprint runs/my --data - --out library.npy\n"
                "l2r fingerprint runs/bace --data ogb/bbbp --out bbbp.csv",
    .section = CLI_SECTION_MODELS,
    .min_arguments = 1,
    .max_arguments = 1,
    .options = {options, cli_selection_options, l2r_data_options},
    .declare = cli_declare_split,
    .run = run,
};
