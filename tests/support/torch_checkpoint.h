/* SPDX-License-Identifier: MIT
 *
 * A small checkpoint of chemprop 2, as torch.save writes it: a pickle of protocol 2 and raw tensors in a zip. Weights
 * are numbers of a formula, which tests/golden/chemprop_reference.py gives to chemprop itself.
 */
#ifndef L2R_TESTS_TORCH_CHECKPOINT_H
#define L2R_TESTS_TORCH_CHECKPOINT_H

#include "base/text.h"
#include "io/file.h"

#include <archive.h>
#include <archive_entry.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the codes of a pickle ---- */

static inline void put_text(struct l2r_text *p, const char *text)
{
    uint32_t n = (uint32_t)strlen(text);
    l2r_text_add(p, "X", 1);
    l2r_text_add(p, (const char *)&n, 4);
    l2r_text_add(p, text, n);
}

static inline void put_int(struct l2r_text *p, int32_t value)
{
    l2r_text_add(p, "J", 1);
    l2r_text_add(p, (const char *)&value, 4);
}

static inline void put_flag(struct l2r_text *p, bool value)
{
    l2r_text_add(p, value ? "\x88" : "\x89", 1);
}

/* "module", "name" */
static inline void put_name(struct l2r_text *p, const char *module, const char *name)
{
    l2r_text_print(p, "c%s\n%s\n", module, name);
}

/* An object of a class without arguments. */
static inline void put_object(struct l2r_text *p, const char *module, const char *name)
{
    put_name(p, module, name);
    l2r_text_add(p, ")\x81", 2);
}

/* A tensor of storage `key`. */
static inline void put_tensor(struct l2r_text *p, int key, int32_t rows, int32_t cols)
{
    char name[16];
    snprintf(name, sizeof name, "%d", key);
    put_name(p, "torch._utils", "_rebuild_tensor_v2");
    l2r_text_add(p, "((", 2);
    put_text(p, "storage");
    put_name(p, "torch", "FloatStorage");
    put_text(p, name);
    put_text(p, "cpu");
    put_int(p, (rows > 0 ? rows : 1) * cols);
    l2r_text_add(p, "tQ", 2);
    put_int(p, 0);
    if (rows > 0) put_int(p, rows);
    put_int(p, cols);
    l2r_text_add(p, rows > 0 ? "\x86" : "\x85", 1);
    if (rows > 0) put_int(p, cols);
    put_int(p, 1);
    l2r_text_add(p, rows > 0 ? "\x86" : "\x85", 1);
    put_flag(p, false);
    put_name(p, "collections", "OrderedDict");
    l2r_text_add(p, ")RtR", 4);
}

/* ---- the model ---- */

struct checkpoint {
    const char *aggregation, *predictor, *activation;        /* "NormAggregation", "RegressionFFN", "ReLU" */
    int32_t norm, hidden, width, depth, n_layers, n_outputs; /* n_layers: hidden ones of the predictor */
    bool bias, batch_norm, scaled;
    const char *const *columns; /* [n_outputs]; NULL: none */
    int32_t atom, bond;         /* numbers of their features; 0: 72 and 14 */
    const char *extra;          /* a code put into the hyper-parameters; NULL: none */
    const char *passing;        /* NULL: "BondMessagePassing" */
};

enum { MOST_TENSORS = 32 };

struct checkpoint_tensors {
    int n;
    struct {
        char name[64];
        int32_t rows, cols; /* rows 0: a vector */
        float *values;
    } tensor[MOST_TENSORS];
};

/* 0.4 sin(0.7 i + 1.3 t) for number i of tensor t; variances and scales are 1 + |that|. */
static inline void add_values(struct checkpoint_tensors *all, const char *name, int32_t rows, int32_t cols)
{
    int t = all->n++, n = (rows > 0 ? rows : 1) * cols;
    bool positive = strstr(name, "var") || strstr(name, "scale");
    snprintf(all->tensor[t].name, sizeof all->tensor[t].name, "%s", name);
    all->tensor[t].rows = rows;
    all->tensor[t].cols = cols;
    all->tensor[t].values = malloc((size_t)n * sizeof(float));
    for (int i = 0; i < n; i++) {
        double value = 0.4 * sin(0.7 * i + 1.3 * t);
        all->tensor[t].values[i] = (float)(positive ? 1 + fabs(value) : value);
    }
}

static inline void add_tensors(struct checkpoint_tensors *all, const struct checkpoint *c)
{
    char name[64];
    int32_t atom = c->atom ? c->atom : 72, bond = c->bond ? c->bond : 14, in = c->hidden;
    add_values(all, "message_passing.W_i.weight", c->hidden, atom + bond);
    if (c->bias) add_values(all, "message_passing.W_i.bias", 0, c->hidden);
    add_values(all, "message_passing.W_h.weight", c->hidden, c->hidden);
    if (c->bias) add_values(all, "message_passing.W_h.bias", 0, c->hidden);
    add_values(all, "message_passing.W_o.weight", c->hidden, atom + c->hidden);
    add_values(all, "message_passing.W_o.bias", 0, c->hidden);
    if (c->batch_norm) {
        add_values(all, "bn.weight", 0, c->hidden);
        add_values(all, "bn.bias", 0, c->hidden);
        add_values(all, "bn.running_mean", 0, c->hidden);
        add_values(all, "bn.running_var", 0, c->hidden);
    }
    for (int k = 0; k <= c->n_layers; k++, in = c->width) {
        int32_t out = k == c->n_layers ? c->n_outputs : c->width;
        snprintf(name, sizeof name, "predictor.ffn.%d.%d.weight", k, k == 0 ? 0 : 2);
        add_values(all, name, out, in);
        snprintf(name, sizeof name, "predictor.ffn.%d.%d.bias", k, k == 0 ? 0 : 2);
        add_values(all, name, 0, out);
    }
    if (c->scaled) add_values(all, "predictor.output_transform.mean", 1, c->n_outputs);
    if (c->scaled) add_values(all, "predictor.output_transform.scale", 1, c->n_outputs);
}

static inline void put_class(struct l2r_text *p, const char *module, const char *name)
{
    put_text(p, "cls");
    put_name(p, module, name);
}

static inline void put_hyper_parameters(struct l2r_text *p, const struct checkpoint *c)
{
    l2r_text_add(p, "}(", 2);
    put_text(p, "message_passing");
    l2r_text_add(p, "}(", 2);
    put_text(p, "depth");
    put_int(p, c->depth);
    put_text(p, "undirected");
    put_flag(p, false);
    put_text(p, "activation");
    put_object(p, "torch.nn.modules.activation", c->activation);
    put_class(p, "chemprop.nn.message_passing.base", c->passing ? c->passing : "BondMessagePassing");
    l2r_text_add(p, "u", 1);
    put_text(p, "agg");
    l2r_text_add(p, "}(", 2);
    put_text(p, "norm");
    put_int(p, c->norm);
    put_class(p, "chemprop.nn.agg", c->aggregation);
    l2r_text_add(p, "u", 1);
    put_text(p, "predictor");
    l2r_text_add(p, "}(", 2);
    put_text(p, "n_tasks");
    put_int(p, strstr(c->predictor, "Multiclass") ? 1 : c->n_outputs);
    put_text(p, "activation");
    put_object(p, "torch.nn.modules.activation", c->activation);
    put_class(p, "chemprop.nn.predictors", c->predictor);
    l2r_text_add(p, "u", 1);
    if (c->extra) put_text(p, "extra");
    if (c->extra) l2r_text_puts(p, c->extra);
    l2r_text_add(p, "u", 1);
}

static inline void put_checkpoint(struct l2r_text *p, const struct checkpoint *c, const struct checkpoint_tensors *all)
{
    l2r_text_add(p, "\x80\x02}(", 4);
    put_text(p, "hyper_parameters");
    put_hyper_parameters(p, c);
    put_text(p, "state_dict");
    put_name(p, "collections", "OrderedDict");
    l2r_text_add(p, ")R(", 3);
    for (int t = 0; t < all->n; t++) {
        put_text(p, all->tensor[t].name);
        put_tensor(p, t, all->tensor[t].rows, all->tensor[t].cols);
    }
    l2r_text_add(p, "u", 1);
    if (c->columns) {
        put_text(p, "output_columns");
        l2r_text_add(p, "](", 2);
        for (int32_t k = 0; k < c->n_outputs; k++) put_text(p, c->columns[k]);
        l2r_text_add(p, "e", 1);
    }
    l2r_text_add(p, "u.", 2);
}

static inline int put_entry(struct archive *out, const char *name, const void *bytes, size_t size)
{
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_size(entry, (la_int64_t)size);
    archive_entry_set_perm(entry, 0644);
    int result = archive_write_header(out, entry);
    if (result == ARCHIVE_OK && archive_write_data(out, bytes, size) != (la_ssize_t)size) result = -1;
    archive_entry_free(entry);
    return result;
}

/* Writes the file; 0, or -1. */
static inline int write_checkpoint(const char *path, const struct checkpoint *c)
{
    struct checkpoint_tensors all = {0};
    struct l2r_text pickle = {0};
    char name[64];
    struct archive *out = archive_write_new();
    add_tensors(&all, c);
    put_checkpoint(&pickle, c, &all);
    int result = archive_write_set_format_zip(out);
    result |= archive_write_set_options(out, "zip:compression=store");
    result |= archive_write_open_filename(out, path);
    result |= put_entry(out, "model/data.pkl", pickle.text, pickle.length);
    result |= put_entry(out, "model/byteorder", "little", 6);
    for (int t = 0; t < all.n; t++) {
        int32_t rows = all.tensor[t].rows > 0 ? all.tensor[t].rows : 1;
        snprintf(name, sizeof name, "model/data/%d", t);
        result |= put_entry(out, name, all.tensor[t].values, (size_t)(rows * all.tensor[t].cols) * sizeof(float));
        free(all.tensor[t].values);
    }
    result |= archive_write_close(out);
    archive_write_free(out);
    l2r_text_clear(&pickle);
    return result == ARCHIVE_OK ? 0 : -1;
}

#endif
