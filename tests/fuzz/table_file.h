/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a table of molecules. The first byte chooses options, the rest is the file: refused with a sentence, or
 * a sound data set. Then chunk by chunk, as l2r predict reads it: every molecule of the data set is found there too.
 */
#ifndef L2R_FUZZ_TABLE_FILE_H
#define L2R_FUZZ_TABLE_FILE_H

#include "base/threads.h"
#include "data/dataset.h"
#include "data/reader.h"
#include "io/source.h"
#include "model/table_chunks.h"

#include <stdlib.h>
#include <string.h>

extern const struct l2r_reader l2r_reader_smiles;
static inline void set(struct l2r_config *config, const char *name, const char *value)
{
    if (l2r_config_set(config, name, value, NULL) != L2R_OK) abort();
}

static inline struct l2r_config *choose(uint8_t byte)
{
    static const char *const headers[] = {"auto", "yes", "no", "auto"},
                             *const tasks[] = {"auto", "binary", "multiclass", "regression"},
                             *const delimiters[] = {"auto", "comma", "semicolon", "tab"};
    struct l2r_config *config;
    if (l2r_config_new(&config, NULL) != L2R_OK || l2r_config_declare(config, l2r_data_options, NULL) != L2R_OK)
        abort();
    set(config, "header", headers[byte & 3]);
    set(config, "task-type", tasks[byte >> 2 & 3]);
    if (byte & 16) set(config, "on-bad-smiles", "fail");
    if (byte & 32) set(config, "split-column", "2");
    set(config, "delimiter", delimiters[byte >> 6]);
    return config;
}

/* How many molecules stand in the chunks; -1: the table is refused. */
static inline int64_t count_molecules(const struct l2r_source *source, const struct l2r_config *config)
{
    struct l2r_molecule_table table = {0};
    struct l2r_table_chunks *chunks = NULL;
    const struct l2r_table_chunk *chunk = NULL;
    int64_t n = -1;
    struct l2r_error error = {0};
    if (l2r_molecule_table_find(&table, source, config, &error) == L2R_OK &&
        l2r_table_chunks_open(&chunks, &table, &error) == L2R_OK) {
        n = 0;
        do {
            if (l2r_table_chunks_next(&chunk, chunks, &error) != L2R_OK) n = -1;
            for (int64_t i = 0; chunk && i < chunk->n; i++)
                if ((chunk->rows[i].graph < 0) == (chunk->rows[i].problem == NULL)) abort();
            if (chunk) n += chunk->n_graphs;
        } while (chunk);
    }
    l2r_table_chunks_free(chunks);
    l2r_molecule_table_clear(&table);
    return n;
}

/* The reader on a file called `name`; with `chunks` also as a table. */
static inline int read_rows(const struct l2r_reader *reader, const char *name, bool chunks, const uint8_t *data,
                            size_t size)
{
    struct l2r_source *source;
    struct l2r_dataset *set = NULL;
    struct l2r_error error = {0};
    if (size == 0) return 0;
    l2r_threads_set(1); /* rows are few: waking threads would take longer than reading them */
    const struct l2r_memory_file file = {name, data + 1, size - 1};
    struct l2r_config *config = choose(data[0]);
    if (l2r_source_from_memory(&source, "input", &file, 1, &error) != L2R_OK) abort();
    enum l2r_status status = reader->read_with(&set, source, config, &error);
    int64_t n = chunks ? count_molecules(source, config) : 0;
    if (status == L2R_OK) {
        if (l2r_dataset_check_ranges(set, &error) != L2R_OK || l2r_dataset_check_symmetry(set, &error) != L2R_OK)
            abort();
        if (chunks && n < set->n_graphs) abort(); /* rows without a label are molecules all the same */
    } else if (set || !error.message[0] || strchr(error.message, '\n')) {
        abort();
    }
    l2r_dataset_free(set);
    l2r_source_free(source);
    l2r_config_free(config);
    return 0;
}

static inline int read_table(const char *name, const uint8_t *data, size_t size)
{
    return read_rows(&l2r_reader_smiles, name, true, data, size);
}

#endif
