/* SPDX-License-Identifier: MIT
 *
 * The layout of the ADMET benchmark group: a folder with two tables of SMILES of the same columns, with an official
 * test split; the split into train and valid is drawn for each run (--split fixed-test):
 *
 *     NAME/train_val.csv   Drug_ID,Drug,Y
 *     NAME/test.csv
 *
 * Both are concatenated to one table with an additional column for the part; the reader of tables does the rest
 * (formats/smiles). Records are lines, as they are in these files.
 */
#include "base/memory.h"
#include "base/text.h"
#include "data/reader.h"
#include "io/file.h"
#include "io/source.h"

#include <stdio.h>
#include <string.h>

extern const struct l2r_reader l2r_reader_smiles;

enum { LARGEST = 1 << 28 };
static const char column[] = "l2r_part";

static bool recognise(const struct l2r_source *source)
{
    return source->kind == L2R_SOURCE_FOLDER && l2r_source_find(source, "train_val.csv") &&
           l2r_source_find(source, "test.csv");
}

/* The rows of a file, each with its part behind it; of the first file the header too. */
static enum l2r_status append(struct l2r_text *text, char *header, size_t size, const char *folder, const char *name,
                              const char *part, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char path[4400], *content = NULL;
    size_t length = 0;
    bool first = *header == '\0';
    snprintf(path, sizeof path, "%.4000s/%s", folder, name);
    L2R_TRY(l2r_file_read(&content, &length, path, LARGEST, error));
    char *line = content;
    for (int64_t number = 1; *line; number++) {
        size_t n = strcspn(line, "\r\n");
        const char *end = line + n + strspn(line + n, "\r\n");
        line[n] = '\0';
        if (number == 1 && first) snprintf(header, size, "%s", line);
        if (number == 1 && strcmp(header, line) != 0)
            L2R_FAIL(L2R_ERR_FORMAT, "%s:1: other columns than in train_val.csv: \"%.80s\"", path, line);
        if (n > 0 && (number > 1 || first)) l2r_text_print(text, "%s,%s\n", line, number == 1 ? column : part);
        line += end - line;
    }
done:
    l2r_free(content);
    return status;
}

static enum l2r_status read_with(struct l2r_dataset **data, struct l2r_source *source, const struct l2r_config *options,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_text text = {0};
    struct l2r_source *table = NULL;
    struct l2r_config *how = NULL;
    char header[4096] = "", base[64], name[80];
    L2R_TRY(append(&text, header, sizeof header, source->path, "train_val.csv", "train", error));
    L2R_TRY(append(&text, header, sizeof header, source->path, "test.csv", "test", error));
    if (text.failed) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the tables of %s", source->path);
    l2r_path_base(base, sizeof base, source->path);
    snprintf(name, sizeof name, "%s.csv", base);
    const struct l2r_memory_file file = {name, text.text, text.length};
    L2R_TRY(l2r_source_from_memory(&table, name, &file, 1, error));
    L2R_TRY(l2r_config_copy(&how, options, error));
    L2R_TRY(l2r_config_set(how, "split-column", column, error));
    L2R_TRY(l2r_reader_smiles.read_with(data, table, how, error));
done:
    l2r_config_free(how);
    l2r_source_free(table);
    l2r_text_clear(&text);
    return status;
}

const struct l2r_reader l2r_reader_admet = {
    .name = "admet",
    .description = "ADMET group: train_val.csv and test.csv, tables of SMILES, in a folder; needs RDKit",
    .recognise = recognise,
    .read_with = read_with,
};
