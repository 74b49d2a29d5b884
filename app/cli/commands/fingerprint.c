/* SPDX-License-Identifier: MIT
 *
 * l2r fingerprint: the learned representation Z of each graph, the row that goes into the model's last linear layer.
 *
 *     .npy    float32 [n × d], a row for each graph chosen, in their order
 *     .csv    graph, z_0, z_1, …
 *
 * A table of molecules is passed through (table_answers.h) unless a part of it is asked for: CSV has its columns in
 * place of `graph`.
 */
#include "base/memory.h"
#include "cli/command.h"
#include "cli/selection.h"
#include "cli/table_answers.h"
#include "data/options.h"
#include "io/csv.h"
#include "io/file.h"
#include "io/npy.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 4096 /* graphs at a time */ };

static const struct l2r_option options[] = {
    {.name = "out",
     .kind = L2R_OPTION_TEXT,
     .value = "FILE",
     .group = "Output",
     .help = "FILE.npy for NumPy, anything else is CSV; by default CSV on standard output"},
    {0}};

static void write_rows(FILE *out, bool npy, const float *z, int32_t d, const int32_t *graphs, int64_t n)
{
    if (npy) (void)fwrite(z, sizeof *z, (size_t)(n * d), out); /* a short write shows when the file is closed */
    for (int64_t i = 0; !npy && i < n; i++) {
        fprintf(out, "%d", (int)graphs[i]);
        for (int32_t k = 0; k < d; k++) l2r_csv_write_float(out, ',', z[i * d + k]);
        fputc('\n', out);
    }
}

static bool is_npy(const char *path)
{
    size_t length = path != NULL ? strlen(path) : 0;
    return length > 4 && strcmp(path + length - 4, ".npy") == 0;
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
        (void)l2r_npy_header(out, selection->n, d);
    } else {
        fprintf(out, "graph");
        for (int32_t k = 0; k < d; k++) fprintf(out, ",z_%d", k);
        fputc('\n', out);
    }
    for (int64_t begin = 0; begin < selection->n; begin += BLOCK) {
        int64_t n = selection->n - begin < BLOCK ? selection->n - begin : BLOCK;
        const int32_t *graphs = selection->graphs + begin;
        L2R_TRY(l2r_predictor_represent(NULL, z, predictor, selection->data, graphs, n, error));
        write_rows(out, npy, z, d, graphs, n);
    }
done:
    l2r_free(z);
    return path != NULL ? l2r_atomic_close(&file, status, error) : status;
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_predictor *predictor = NULL;
    struct cli_selection selection = {0};
    const char *path = l2r_config_text(call->options, "out");
    L2R_TRY(l2r_predictor_new(&predictor, call->arguments[0], error));
    const char *table = cli_selection_table(predictor, call);
    if (table != NULL) {
        status = cli_fingerprint_table(predictor, call, table, path, is_npy(path), error);
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
    .about =
        "RUN is the folder of a run (its best checkpoint is used) or a .safetensors file. The representation is the "
        "row of numbers that the model's last, linear layer turns into its answer: use it for neighbours, clusters or "
        "models of other kinds. A .npy file holds float32 numbers, one row a graph; CSV has the columns graph (from "
        "0), z_0, z_1, … A table of molecules is passed through row by row: CSV keeps its columns, and where a row has "
        "no molecule the numbers are missing (NaN in a .npy file).",
    .examples = "l2r fingerprint runs/bace --out z.npy\n"
                "l2r fingerprint runs/my --data new.csv --out new.npy\n"
                "l2r fingerprint runs/bace --data ogb/bbbp --out bbbp.csv",
    .section = CLI_SECTION_MODELS,
    .min_arguments = 1,
    .max_arguments = 1,
    .options = {options, cli_selection_options, l2r_data_options},
    .declare = cli_declare_split,
    .run = run,
};
