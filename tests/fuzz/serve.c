/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a request for predictions or for a training. The first byte says which kind of body the rest is, or that
 * it is the heads that l2r_guard_check looks at, with line feeds between them.
 */
#include "refusal.h"
#include "serve/guard.h"
#include "serve/molecules.h"
#include "serve/training_words.h"
#include "support/temporary.h"

#include "base/memory.h"

#include <stdio.h>
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

/* ---- trainings: a folder with the table t.csv, whose runs go into the folder itself ---- */

static char folder[TEMPORARY_LENGTH];

static void make_folder(void)
{
    char table[TEMPORARY_LENGTH + 16];
    if (folder[0]) return;
    if (!temporary_folder_in_memory(folder)) abort();
    snprintf(table, sizeof table, "%s/t.csv", folder);
    FILE *out = fopen(table, "w");
    if (!out || fclose(out) != 0) abort();
}

/* Words of the command: options alone, and none that names a file but the table and the run. */
static void check_words(const struct l2r_training_words *w)
{
    static const char *const files[] = {"--from", "--exclude", "--split-file", "--environments-from", "--config"};
    size_t length = strlen(folder);
    for (int i = 2; i < w->n; i++) {
        const char *word = w->list[i], *path = strncmp(word, "--data=", 7) == 0  ? word + 7
                                               : strncmp(word, "--out=", 6) == 0 ? word + 6
                                                                                 : NULL;
        if (strncmp(word, "--", 2) != 0) abort();
        if (path && (i > 4 || strncmp(path, folder, length) != 0 || strchr(path + length + 1, '/'))) abort();
        for (size_t k = 0; k < sizeof files / sizeof *files; k++)
            if (strncmp(word, files[k], strlen(files[k])) == 0) abort();
    }
}

static void read_training(const char *body, size_t length)
{
    struct l2r_error error = {0};
    struct l2r_training_words words;
    make_folder();
    enum l2r_status status = l2r_training_words_make(&words, folder, folder, body, length, &error);
    if (status == L2R_OK) {
        char *command = l2r_training_command(&words);
        check_words(&words);
        if (!command) abort();
        l2r_free(command);
    } else {
        expect_refusal(&error);
    }
    l2r_training_words_clear(&words);
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
    case '+':
        read_training(body, size - 1);
        break;
    default:
        read_heads(body);
    }
    free(body);
    return 0;
}
