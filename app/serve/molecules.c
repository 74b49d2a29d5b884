/* SPDX-License-Identifier: MIT
 * See molecules.h. */
#include "serve/molecules.h"

#include "base/memory.h"
#include "base/text.h"
#include "data/reader.h"

#include <string.h>
#include <strings.h>

enum l2r_body_kind l2r_body_kind_of(const char *type)
{
    static const struct {
        const char *name;
        enum l2r_body_kind kind;
    } known[] = {{"application/json", L2R_BODY_JSON},    {"text/csv", L2R_BODY_CSV},
                 {"application/csv", L2R_BODY_CSV},      {"text/tab-separated-values", L2R_BODY_CSV},
                 {"text/plain", L2R_BODY_SMILES},        {"chemical/x-daylight-smiles", L2R_BODY_SMILES},
                 {"chemical/x-mdl-sdfile", L2R_BODY_SDF}};
    size_t length = type ? strcspn(type, "; \t") : 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (length == strlen(known[i].name) && strncasecmp(type, known[i].name, length) == 0) return known[i].kind;
    return L2R_BODY_OTHER;
}

/* ---- a list ---- */

/* "esol,bbbp" of ["esol", "bbbp"], or the text itself. */
static enum l2r_status join_models(struct l2r_request_molecules *m, const json_t *models, struct l2r_error *error)
{
    struct l2r_text text = {0};
    size_t i;
    const json_t *name;
    if (json_is_string(models)) m->models = json_string_value(models);
    if (!models || json_is_string(models)) return L2R_OK;
    if (!json_is_array(models) || json_array_size(models) == 0)
        return l2r_fail(error, L2R_ERR_FORMAT, "\"models\" is no list of names");
    json_array_foreach((json_t *)(uintptr_t)models, i, name)
    {
        if (!json_is_string(name) || strchr(json_string_value(name), ',')) {
            l2r_text_clear(&text);
            return l2r_fail(error, L2R_ERR_FORMAT, "\"models\" is no list of names");
        }
        l2r_text_print(&text, "%s%s", i ? "," : "", json_string_value(name));
    }
    enum l2r_status status = l2r_text_finish(&m->joined, &text, "the names of models", error);
    m->models = m->joined;
    return status;
}

static enum l2r_status check_keys(const json_t *object, const char *const *known, const char *where,
                                  struct l2r_error *error)
{
    const char *key;
    const json_t *value;
    char shown[48];
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        int k = 0;
        while (known[k] && strcmp(known[k], key) != 0) k++;
        if (known[k]) continue;
        l2r_text_excerpt(shown, sizeof shown, key);
        return l2r_fail(error, L2R_ERR_FORMAT, "%s has the key \"%s\", which means nothing here", where, shown);
    }
    return L2R_OK;
}

static enum l2r_status check_list(const struct l2r_request_molecules *m, struct l2r_error *error)
{
    static const char *const keys[] = {"smiles", "id", NULL};
    enum l2r_status status = L2R_OK;
    for (size_t i = 0; i < m->n; i++) {
        char where[48];
        const json_t *item = json_array_get(m->list, i);
        const json_t *id = json_object_get(item, "id");
        snprintf(where, sizeof where, "molecule %zu", i + 1);
        if (json_is_string(item)) continue;
        if (!json_is_object(item) || !json_is_string(json_object_get(item, "smiles")))
            L2R_FAIL(L2R_ERR_FORMAT, "%s is neither a text nor an object with a text \"smiles\"", where);
        if (id && !json_is_string(id) && !json_is_integer(id))
            L2R_FAIL(L2R_ERR_FORMAT, "the \"id\" of %s is neither a text nor a whole number", where);
        L2R_TRY(check_keys(item, keys, where, error));
    }
done:
    return status;
}

enum l2r_status l2r_request_molecules_json(struct l2r_request_molecules *m, const char *body, size_t length,
                                           struct l2r_error *error)
{
    static const char *const keys[] = {"smiles", "molecules", "models", "format", NULL};
    enum l2r_status status = L2R_OK;
    *m = (struct l2r_request_molecules){0};
    L2R_TRY(l2r_json_parse(&m->root, body, length, "the body", error));
    if (!json_is_object(m->root)) L2R_FAIL(L2R_ERR_FORMAT, "the body is no JSON object");
    L2R_TRY(check_keys(m->root, keys, "the body", error));
    json_t *smiles = json_object_get(m->root, "smiles"), *molecules = json_object_get(m->root, "molecules");
    if (!smiles == !molecules) L2R_FAIL(L2R_ERR_FORMAT, "the body needs either \"smiles\" or \"molecules\"");
    if (json_is_string(smiles)) {
        m->alone = true;
        m->list = json_array();
        json_array_append(m->list, smiles);
        json_object_set_new(m->root, "molecules", m->list);
    } else {
        m->list = smiles ? smiles : molecules;
    }
    if (!json_is_array(m->list)) L2R_FAIL(L2R_ERR_FORMAT, "\"%s\" is no list", smiles ? "smiles" : "molecules");
    m->n = json_array_size(m->list);
    if (m->n == 0) L2R_FAIL(L2R_ERR_FORMAT, "the list of molecules is empty");
    L2R_TRY(check_list(m, error));
    const json_t *format = json_object_get(m->root, "format");
    if (format && !json_is_string(format)) L2R_FAIL(L2R_ERR_FORMAT, "\"format\" is no text");
    m->format = json_string_value(format);
    L2R_TRY(join_models(m, json_object_get(m->root, "models"), error));
done:
    return status;
}

void l2r_request_molecule(const char **smiles, const json_t **id, const struct l2r_request_molecules *m, size_t i)
{
    const json_t *item = json_array_get(m->list, i);
    *smiles = json_string_value(json_is_string(item) ? item : json_object_get(item, "smiles"));
    *id = json_object_get(item, "id");
}

/* ---- a table ---- */

static enum l2r_status set(struct l2r_config *options, const char *name, const char *value, struct l2r_error *error)
{
    return value ? l2r_config_set(options, name, value, error) : L2R_OK;
}

enum l2r_status l2r_request_molecules_table(struct l2r_request_molecules *m, enum l2r_body_kind kind, const char *body,
                                            size_t length, const struct l2r_table_wishes *wishes,
                                            struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *options = NULL;
    const struct l2r_csv_record *header;
    const char *name = kind == L2R_BODY_SMILES ? "body.smi" : kind == L2R_BODY_SDF ? "body.sdf" : "body.csv";
    const struct l2r_memory_file file = {name, body, length};
    *m = (struct l2r_request_molecules){0};
    if (length == 0) L2R_FAIL(L2R_ERR_FORMAT, "the body is empty");
    L2R_TRY(l2r_config_new(&options, error));
    L2R_TRY(l2r_config_declare(options, l2r_data_options, error));
    L2R_TRY(set(options, "smiles-column", wishes->smiles_column, error));
    L2R_TRY(set(options, "delimiter", wishes->delimiter, error));
    L2R_TRY(set(options, "feature-columns", wishes->feature_columns, error));
    L2R_TRY(set(options, "largest-fragment", wishes->largest_fragment ? "true" : NULL, error));
    L2R_TRY(l2r_source_from_memory(&m->source, "the body", &file, 1, error));
    L2R_TRY(l2r_molecule_table_find(&m->table, m->source, options, error));
    L2R_TRY(l2r_molecule_table_open(&m->csv, &header, &m->table, error));
    if (!header) goto done;
    m->header = l2r_alloc_raw(header->raw_length + 1, 1);
    if (!m->header) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the header of a table");
    memcpy(m->header, header->raw, header->raw_length);
    m->header[header->raw_length] = '\0';
    m->header_length = header->raw_length;
done:
    l2r_config_free(options);
    return status;
}

void l2r_request_molecules_clear(struct l2r_request_molecules *m)
{
    json_decref(m->root);
    l2r_free(m->joined);
    l2r_csv_free(m->csv);
    l2r_molecule_table_clear(&m->table);
    l2r_source_free(m->source);
    l2r_free(m->header);
    *m = (struct l2r_request_molecules){0};
}
