/* SPDX-License-Identifier: MIT
 * See import.h. */
#include "model/import.h"

#include "base/array.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/source.h"
#include "io/staging.h"
#include "io/torch_file.h"
#include "model/chemprop.h"
#include "model/run_names.h"

#include <l2r/model.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool is_checkpoint(const char *name)
{
    return l2r_source_ends_with(name, ".pt") || l2r_source_ends_with(name, ".ckpt") ||
           l2r_source_ends_with(name, ".pth");
}

/* ---- models and their members ---- */

static bool predict_the_same(const struct l2r_signature *a, const struct l2r_signature *b)
{
    return a->task == b->task && a->n_tasks == b->n_tasks && a->n_classes == b->n_classes &&
           a->n_task_names == b->n_task_names &&
           (a->n_task_names == 0 || memcmp(a->task_names, b->task_names, (size_t)a->n_task_names) == 0);
}

/* "admet/regression/model_0.pt" gives "regression"; letters that a folder may have. Equal names get numbers. */
static void name_model(struct l2r_import *import, struct l2r_imported *model, const char *path)
{
    char folder[4096], base[100];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash) *slash = '\0';
    l2r_path_base(base, sizeof base, slash ? folder : "model");
    for (char *c = base; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_.", *c)) *c = '_';
    if (!*base || *base == '.') snprintf(base, sizeof base, "model");
    snprintf(model->name, sizeof model->name, "%s", base);
    for (int number = 2, i = 0; i < (int)import->n; i++)
        if (&import->models[i] != model && strcmp(import->models[i].name, model->name) == 0) {
            snprintf(model->name, sizeof model->name, "%s-%d", base, number++);
            i = -1;
        }
}

/* Gives the member to the model that predicts the same, or to a new one. */
static enum l2r_status add_member(struct l2r_import *import, struct l2r_member *member, const char *path,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_imported *model = NULL, empty = {0};
    for (size_t i = 0; i < import->n && !model; i++)
        if (predict_the_same(&import->models[i].trained->networks[0]->signature, &member->network.signature))
            model = &import->models[i];
    if (!model) {
        L2R_TRY(l2r_trained_new(&empty.trained, member->config, error));
        if (!l2r_reserve((void **)&import->models, &import->capacity, import->n + 1, sizeof empty)) {
            l2r_trained_free(empty.trained);
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory: models");
        }
        model = &import->models[import->n++];
        *model = empty;
        name_model(import, model, path);
    }
    return l2r_trained_take(model->trained, member, error);
done:
    l2r_member_free(member);
    return status;
}

static enum l2r_status add_bytes(struct l2r_import *import, const void *bytes, size_t length, const char *path,
                                 struct l2r_error *error)
{
    struct l2r_member *member;
    enum l2r_status status = l2r_chemprop_read(&member, bytes, length, path, error);
    return status == L2R_OK ? add_member(import, member, path, error) : status;
}

/* ---- files ---- */

static enum l2r_status add_file(struct l2r_import *import, const char *path, struct l2r_error *error)
{
    char *bytes = NULL;
    size_t length;
    enum l2r_status status = l2r_file_read(&bytes, &length, path, L2R_TORCH_BYTES, error);
    if (status == L2R_OK) status = add_bytes(import, bytes, length, path, error);
    l2r_free(bytes);
    return status;
}

static enum l2r_status add_entry(struct l2r_import *import, const struct l2r_source *source,
                                 const struct l2r_entry *entry, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_stream *stream = NULL;
    struct l2r_array bytes = {0};
    char room[1 << 14], path[4096];
    size_t got;
    snprintf(path, sizeof path, "%s/%s", source->path, entry->name);
    L2R_TRY(l2r_stream_open(&stream, source, entry, false, error));
    do {
        L2R_TRY(l2r_stream_read(stream, room, sizeof room, &got, error));
        if (!l2r_array_add(&bytes, room, got, 1)) L2R_FAIL(L2R_ERR_MEMORY, "%s: out of memory", path);
        if (bytes.n > L2R_TORCH_BYTES) L2R_FAIL(L2R_ERR_FORMAT, "%s: too large for a checkpoint", path);
    } while (got > 0);
    L2R_TRY(add_bytes(import, bytes.items, bytes.n, path, error));
done:
    l2r_stream_free(stream);
    l2r_array_clear(&bytes);
    return status;
}

/* The checkpoints of a folder or an archive: those that end with .pt, which training writes when it ends; without any,
 * those that it writes on the way. */
static enum l2r_status add_source(struct l2r_import *import, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_source *source = NULL;
    size_t found = 0;
    L2R_TRY(l2r_source_open(&source, path, error));
    for (size_t i = 0; i < source->n_entries; i++) {
        if (!l2r_source_ends_with(source->entries[i].name, ".pt")) continue;
        L2R_TRY(add_entry(import, source, &source->entries[i], error));
        found++;
    }
    for (size_t i = 0; found == 0 && i < source->n_entries; i++)
        if (is_checkpoint(source->entries[i].name)) L2R_TRY(add_entry(import, source, &source->entries[i], error));
    if (import->n == 0) L2R_FAIL(L2R_ERR_FORMAT, "%s: holds no .pt or .ckpt file", path);
done:
    l2r_source_free(source);
    return status;
}

enum l2r_status l2r_import_read(struct l2r_import *import, const char *const *paths, int32_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *import = (struct l2r_import){0};
    for (int32_t i = 0; i < n; i++) {
        bool file = is_checkpoint(paths[i]) && !l2r_path_is_dir(paths[i]);
        L2R_TRY(file ? add_file(import, paths[i], error) : add_source(import, paths[i], error));
    }
done:
    return status;
}

static enum l2r_status write_folder(const struct l2r_trained *trained, const char *folder, const char *name,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char path[4096], inner[4096];
    L2R_TRY(l2r_path_join(inner, sizeof inner, folder, name ? name : ".", error));
    L2R_TRY(l2r_make_dirs(inner, error));
    L2R_TRY(l2r_path_join(path, sizeof path, inner, L2R_BEST_FILE, error));
    L2R_TRY(l2r_trained_write(trained, path, error));
done:
    return status;
}

enum l2r_status l2r_import_write(const struct l2r_import *import, const char *out, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_staging staging = {0};
    if (l2r_path_is_occupied(out)) L2R_FAIL(L2R_ERR_IO, "%s: is there already; name another place", out);
    if (l2r_source_ends_with(out, ".safetensors")) {
        if (import->n == 1) return l2r_trained_write(import->models[0].trained, out, error);
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "%s: is one file, but there are %zu models, which predict different columns; name a "
                 "folder",
                 out, import->n);
    }
    L2R_TRY(l2r_staging_open(&staging, out, error));
    for (size_t i = 0; i < import->n; i++)
        L2R_TRY(write_folder(import->models[i].trained, staging.folder, import->n > 1 ? import->models[i].name : NULL,
                             error));
done:
    return l2r_staging_close(&staging, NULL, status, error);
}

void l2r_import_clear(struct l2r_import *import)
{
    for (size_t i = 0; i < import->n; i++) l2r_trained_free(import->models[i].trained);
    l2r_free(import->models);
    *import = (struct l2r_import){0};
}

enum l2r_status l2r_predictor_import(const char *out, const char *const *paths, int32_t n, struct l2r_error *error)
{
    struct l2r_import import = {0};
    if (!out || !paths) return l2r_fail(error, L2R_ERR_ARGUMENT, "%s is NULL", out ? "paths" : "out");
    if (n < 1) return l2r_fail(error, L2R_ERR_ARGUMENT, "n = %d; expected a number of files", (int)n);
    enum l2r_status status = l2r_import_read(&import, paths, n, error);
    if (status == L2R_OK) status = l2r_import_write(&import, out, error);
    l2r_import_clear(&import);
    return status;
}
