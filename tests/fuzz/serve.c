/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a request for predictions. The first byte says which kind of body the rest is, or that it is the heads
 * that l2r_guard_check looks at, with line feeds between them.
 */
#include "refusal.h"
#include "serve/guard.h"
#include "serve/molecules.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_list(const char *body, size_t length)
{
    struct l2r_error error = {0};
    struct l2r_request_molecules m;
    enum l2r_status status = l2r_request_molecules_json(&m, body, length, &error);
    for (size_t i = 0; status == L2R_OK && i < m.n; i++) {
        const char *smiles;
        const json_t *id;
        l2r_request_molecule(&smiles, &id, &m, i);
        if (!smiles || (id && !json_is_string(id) && !json_is_integer(id))) abort();
    }
    if (status != L2R_OK) expect_refusal(&error);
    l2r_request_molecules_clear(&m);
}

static void read_rows(enum l2r_body_kind kind, const char *body, size_t length)
{
    struct l2r_error error = {0};
    struct l2r_request_molecules m;
    const struct l2r_table_wishes wishes = {0};
    const struct l2r_csv_record *record = NULL;
    enum l2r_status status = l2r_request_molecules_table(&m, kind, body, length, &wishes, &error);
    while (status == L2R_OK && (status = l2r_csv_next(&record, m.csv, &error)) == L2R_OK && record) continue;
    if (status != L2R_OK) expect_refusal(&error);
    l2r_request_molecules_clear(&m);
}

static void read_heads(char *text)
{
    const char *line[7] = {0};
    const struct l2r_guard open_one = {.port = 80}, locked = {.port = 80, .token = "sixteen-letters-"};
    for (int i = 0; i < 7 && text; i++) {
        line[i] = strsep(&text, "\n");
        if (!*line[i]) line[i] = NULL;
    }
    const struct l2r_origin_headers h = {line[0], line[1], line[2], line[3], line[4], line[5], line[6]};
    l2r_guard_check(&open_one, &h, true);
    bool given = (line[4] && strstr(line[4], locked.token)) || (line[5] && strstr(line[5], locked.token)) ||
                 (line[6] && strstr(line[6], locked.token));
    if (l2r_guard_check(&locked, &h, false) == L2R_GUARD_PASS && !given) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 1 << 16) return 0;
    char *body = malloc(size);
    if (!body) return 0;
    memcpy(body, data + 1, size - 1);
    body[size - 1] = '\0';
    switch (data[0]) {
    case '{':
        read_list(body, size - 1);
        break;
    case ',':
        read_rows(L2R_BODY_CSV, body, size - 1);
        break;
    case ' ':
        read_rows(L2R_BODY_SMILES, body, size - 1);
        break;
    case '$':
        read_rows(L2R_BODY_SDF, body, size - 1);
        break;
    default:
        read_heads(body);
    }
    free(body);
    return 0;
}
