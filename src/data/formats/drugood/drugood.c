/* SPDX-License-Identifier: MIT
 *
 * DrugOOD (Ji et al. 2022): molecules with activities, in five parts, each row with the domain that it comes from (an
 * assay, a scaffold, a number of atoms).
 *
 *     {"cfg": …, "statistics": …,
 *      "split": {"train": [{"smiles": "CCO", "cls_label": 0, "reg_label": 4.43, "domain_id": 50, …}, …],
 *                "iid_val": […], "iid_test": […], "ood_val": […], "ood_test": […]}}
 *
 *     iid_val, iid_test   id-valid, id-test        ood_val, ood_test   valid, test
 *     cls_label           the one binary task, or reg_label with --task-type regression
 *     domain_id           the environment
 *
 * Rows become molecules as those of a table do (formats/smiles), in the order of the file; a row that is none is noted
 * by its number, counted from 1 over all parts. */
#include "base/array.h"
#include "base/memory.h"
#include "data/formats/smiles/smiles.h"
#include "data/reader.h"
#include "io/json_file.h"
#include "io/source.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { LARGEST = 1 << 30, PIECE = 1 << 16, NAME = 24 };

static bool ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), n = strlen(ending);
    return length > n && strcasecmp(name + length - n, ending) == 0;
}

static bool recognise(const struct l2r_source *source)
{
    return source->n_entries == 1 &&
           (ends_with(source->entries[0].name, ".json") || ends_with(source->entries[0].name, ".json.gz"));
}

static enum l2r_status read_bytes(struct l2r_array *bytes, const struct l2r_source *source, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_stream *stream = NULL;
    struct l2r_error reason = {0};
    char piece[PIECE];
    size_t got;
    status = l2r_stream_open(&stream, source, &source->entries[0], true, &reason);
    do {
        if (status == L2R_OK) status = l2r_stream_read(stream, piece, sizeof piece, &got, &reason);
        if (status != L2R_OK) L2R_FAIL(status, "%s: %s", source->path, reason.message);
        if (bytes->n + got > LARGEST) L2R_FAIL(L2R_ERR_FORMAT, "%s: is larger than a gigabyte", source->path);
        if (!l2r_array_add(bytes, piece, got, 1)) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: %s", source->path);
    } while (got > 0);
done:
    l2r_stream_free(stream);
    return status;
}

/* The rows of all parts. */
struct rows {
    int64_t n;
    const char **smiles, **split, **environment;
    float *labels;
    char (*names)[NAME]; /* [n]: what environment points to */
};

static void rows_clear(struct rows *r)
{
    l2r_free((void *)r->smiles);
    l2r_free((void *)r->split);
    l2r_free((void *)r->environment);
    l2r_free(r->labels);
    l2r_free(r->names);
}

static enum l2r_status rows_init(struct rows *r, const json_t *split, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *name;
    json_t *part;
    size_t n = 0;
    json_object_foreach((json_t *)(uintptr_t)split, name, part)
    {
        if (l2r_part_of(name) < 0 || !json_is_array(part))
            L2R_FAIL(L2R_ERR_FORMAT,
                     "%s: \"split\" holds \"%.40s\"; expected lists called train, iid_val, iid_test, ood_val and "
                     "ood_test",
                     path, name);
        n += json_array_size(part);
    }
    r->smiles = l2r_alloc(n, sizeof *r->smiles);
    r->split = l2r_alloc(n, sizeof *r->split);
    r->environment = l2r_alloc(n, sizeof *r->environment);
    r->labels = l2r_alloc(n, sizeof *r->labels);
    r->names = l2r_alloc(n, sizeof *r->names);
    if (!r->smiles || !r->split || !r->environment || !r->labels || !r->names)
        status = l2r_fail_memory(error, n * 64, "rows of molecules");
done:
    return status;
}

static enum l2r_status take_row(struct rows *r, const json_t *row, const char *part, size_t number, const char *label,
                                const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *smiles = json_string_value(json_object_get(row, "smiles"));
    const json_t *y = json_object_get(row, label), *domain = json_object_get(row, "domain_id");
    double value = json_is_number(y) ? json_number_value(y) : (double)NAN;
    if (!smiles) L2R_FAIL(L2R_ERR_FORMAT, "%s: \"%s\" number %zu has no \"smiles\"", path, part, number);
    if (y && !json_is_null(y) && (!json_is_number(y) || (label[0] == 'c' && value != 0 && value != 1)))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: \"%s\" number %zu: \"%s\" is not %s", path, part, number, label,
                 label[0] == 'c' ? "0 or 1" : "a number");
    if (!json_is_integer(domain))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: \"%s\" number %zu: \"domain_id\" is not a whole number", path, part, number);
    snprintf(r->names[r->n], NAME, "%lld", (long long)json_integer_value(domain));
    r->smiles[r->n] = smiles;
    r->split[r->n] = part;
    r->environment[r->n] = r->names[r->n];
    r->labels[r->n] = (float)value;
    r->n++;
done:
    return status;
}

static enum l2r_status take_rows(struct rows *r, const json_t *root, const char *label, const char *path,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *split = json_object_get(root, "split"), *part;
    const char *name;
    if (!json_is_object(split))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: is not DrugOOD's: expected an object with \"split\", which holds lists of rows",
                 path);
    L2R_TRY(rows_init(r, split, path, error));
    json_object_foreach(split, name, part)
    {
        for (size_t i = 0; i < json_array_size(part); i++)
            L2R_TRY(take_row(r, json_array_get(part, i), name, i, label, path, error));
    }
done:
    return status;
}

static void name_of(char *name, size_t size, const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(name, size, "%s", slash ? slash + 1 : path);
    char *dot = strstr(name, ".json");
    if (dot) *dot = '\0';
}

static enum l2r_status read_drugood(struct l2r_dataset **data, struct l2r_source *source,
                                    const struct l2r_config *options, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_array bytes = {0};
    struct rows rows = {0};
    json_t *root = NULL;
    char name[64];
    bool values = l2r_config_is(options, "task-type", "regression");
    if (l2r_config_is(options, "task-type", "multiclass"))
        L2R_FAIL(L2R_ERR_ARGUMENT, "%s: `task-type=multiclass`: DrugOOD has binary labels and values", source->path);
    L2R_TRY(read_bytes(&bytes, source, error));
    L2R_TRY(l2r_json_parse(&root, bytes.items ? bytes.items : "", bytes.n, source->path, error));
    l2r_array_clear(&bytes);
    L2R_TRY(take_rows(&rows, root, values ? "reg_label" : "cls_label", source->path, error));
    name_of(name, sizeof name, source->entries[0].name);
    const char *const column[1] = {values ? "reg_label" : "cls_label"};
    const struct l2r_smiles_list list = {.smiles = rows.smiles,
                                         .labels = rows.labels,
                                         .task = values ? L2R_TASK_REGRESSION : L2R_TASK_BINARY,
                                         .n_tasks = 1,
                                         .n = rows.n,
                                         .name = name,
                                         .path = source->path,
                                         .columns = column,
                                         .first = 1,
                                         .split = rows.split,
                                         .environment = rows.environment};
    L2R_TRY(l2r_smiles_list_read(data, &list, options, error));
done:
    rows_clear(&rows);
    json_decref(root);
    l2r_array_clear(&bytes);
    return status;
}

const struct l2r_reader l2r_reader_drugood = {
    .name = "drugood",
    .description = "DrugOOD files (.json; also .gz) with five parts and domains; needs RDKit",
    .recognise = recognise,
    .read_with = read_drugood,
};
